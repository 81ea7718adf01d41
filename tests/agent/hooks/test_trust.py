"""Which hooks run: a person's own, and a repository's as they were trusted (guests-H1)."""

from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.commands import SendMessage
from desktop.domain.events import ToolCallFinished
from desktop.domain.hooks.commands import SwitchHook, TrustHooks
from desktop.domain.hooks.events import HookRan
from desktop.domain.hooks.updates import HooksWait
from tests.agent.hooks.hook_files import hook, loaded, own_hooks, shared_hooks, trusted
from tests.agent.rig import Rig, make_repository
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio
DENY = "#!/bin/sh\nexit 2\n"
RUNS_SCRIPT = '[[hook]]\nid = "deny"\non = "before_call"\ncommand = ["sh", ".banksman/hooks/deny.sh"]\n'


async def write(rig: Rig, api: FakeModelApi, number: int = 1) -> str:
    """A chat that writes one file; what became of that call."""
    api.script(tool_turn("write_file", path="new.txt", content="x\n"), text_turn("Done."))
    await rig.new("go")
    await rig.ended(number)
    return rig.events(ToolCallFinished)[-1].outcome


def waiting(rig: Rig) -> tuple[str, ...]:
    return [update.sentences for update in rig.updates if isinstance(update, HooksWait)][-1]


@pytest.mark.promise("guests-H1")
async def test_hooks_of_a_repository_run_once_they_are_trusted(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    shared_hooks(repository, RUNS_SCRIPT, deny=DENY)
    assert await write(rig, model_api) == "ok"
    assert waiting(rig) == ("The hooks of .banksman/hooks.toml do not run: nobody trusts them as they are.",)
    (file,) = (await loaded(rig)).files
    assert (file.waits, file.files) == (True, (".banksman/hooks/deny.sh",))
    assert "+exit 2" in file.difference

    await trusted(rig)
    assert waiting(rig) == ()
    assert await write(rig, model_api, 2) == "refused"
    assert rig.events(HookRan)[0].scope == "repository"


@pytest.mark.promise("guests-H1")
async def test_a_script_that_changed_after_it_was_trusted_waits_with_its_difference(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    shared_hooks(repository, RUNS_SCRIPT, deny=DENY)
    await trusted(rig)
    (repository / ".banksman" / "hooks" / "deny.sh").write_text("#!/bin/sh\nexit 0\n")

    assert await write(rig, model_api) == "ok"
    assert rig.events(HookRan) == []
    assert len(waiting(rig)) == 1
    (file,) = (await loaded(rig)).files
    assert "-exit 2\n+exit 0" in file.difference
    assert "hooks.toml" not in file.difference


@pytest.mark.promise("guests-H1")
async def test_what_a_lane_holds_in_the_place_of_a_script_does_not_run(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    shared_hooks(repository, RUNS_SCRIPT, deny=DENY)
    await trusted(rig)
    model_api.script(
        text_turn("Hi."), tool_turn("write_file", path="new.txt", content="x\n"), text_turn("Done."), loop=True
    )
    session_id = await rig.new("go")
    await rig.ended()
    folder = rig.lane(session_id) / ".banksman" / "hooks"
    folder.mkdir(parents=True)
    (folder / "deny.sh").write_text("exit 0\n")
    await say(rig, session_id)
    assert rig.events(ToolCallFinished)[-1].outcome == "refused"


@pytest.mark.promise("guests-H1")
@pytest.mark.parametrize("named", ["tools/check.sh", "tools/../tools/check.sh"])
async def test_a_script_that_only_the_lane_has_does_not_run(
    rig: Rig, repository: Path, model_api: FakeModelApi, named: str
) -> None:
    runs = RUNS_SCRIPT.replace(".banksman/hooks/deny.sh", named).replace("before_call", "on_turn_start")
    shared_hooks(repository, runs, deny=DENY)
    await trusted(rig)
    model_api.script(
        tool_turn("write_file", path="tools/check.sh", content="echo x > ran\n"),
        text_turn("Done."),
        loop=True,
    )
    session_id = await rig.new("go")
    await rig.ended()
    await say(rig, session_id)
    assert not (rig.lane(session_id) / "ran").exists()
    assert "is a file of the lane that nobody trusted" in rig.events(HookRan)[-1].reason


@pytest.mark.promise("guests-H1")
async def test_a_link_that_leads_out_of_the_repository_is_not_followed(
    rig: Rig, repository: Path, model_api: FakeModelApi, tmp_path: Path
) -> None:
    own = tmp_path / "id_rsa"
    own.write_text("a key of the person")
    file = shared_hooks(repository, RUNS_SCRIPT, deny=DENY)
    link = file.parent / "hooks" / "notes"
    link.symlink_to(own)
    (found,) = (await loaded(rig)).files
    assert found.problem == ".banksman/hooks/notes leads out of the repository"
    assert "a key" not in found.difference
    link.unlink()
    assert (await loaded(rig)).files[0].problem == ""


async def test_a_script_that_comes_to_be_is_bound_with_the_others(rig: Rig, repository: Path) -> None:
    shared_hooks(repository, RUNS_SCRIPT)
    assert (await trusted(rig)).files[0].files == ()
    shared_hooks(repository, RUNS_SCRIPT, deny=DENY)
    (found,) = (await loaded(rig)).files
    assert (found.waits, found.files) == (True, (".banksman/hooks/deny.sh",))


async def say(rig: Rig, session_id: str) -> None:
    await rig.engine.handle(SendMessage(session_id=session_id, text="go"))
    await rig.ended(2)


@pytest.mark.promise("guests-H1")
async def test_a_script_outside_the_lane_is_bound_as_well(
    rig: Rig, repository: Path, model_api: FakeModelApi, tmp_path: Path
) -> None:
    script = tmp_path / "elsewhere" / "deny.sh"
    script.parent.mkdir()
    script.write_text(DENY)
    shared_hooks(repository, RUNS_SCRIPT.replace(".banksman/hooks/deny.sh", str(script)))
    assert (await trusted(rig)).files[0].files == (str(script),)
    assert await write(rig, model_api) == "refused"
    script.write_text("exit 0\n")
    assert await write(rig, model_api, 2) == "ok"
    assert len(waiting(rig)) == 1


async def test_own_hooks_need_trust_only_for_scripts_of_the_repository(
    rig: Rig, folders: Folders, repository: Path, tmp_path: Path
) -> None:
    script = tmp_path / "deny.sh"
    script.write_text(DENY)
    own_hooks(folders, RUNS_SCRIPT.replace(".banksman/hooks/deny.sh", str(script)))
    assert (await loaded(rig)).files[0].waits is False
    own_hooks(folders, RUNS_SCRIPT)
    shared_hooks(repository, "", deny=DENY)
    assert [file.waits for file in (await loaded(rig)).files] == [True, True]


async def test_a_yes_to_what_is_not_there_any_more_is_refused(rig: Rig, repository: Path) -> None:
    shared_hooks(repository, RUNS_SCRIPT, deny=DENY)
    (file,) = (await loaded(rig)).files
    shared_hooks(repository, RUNS_SCRIPT + "timeout_s = 3\n")
    await rig.engine.handle(TrustHooks(scope="repository", sha256=file.sha256))
    assert [failure.code for failure in rig.failures()] == ["hooks_changed"]
    assert (await loaded(rig)).files[0].waits


async def test_a_hook_that_is_off_does_not_run(rig: Rig, folders: Folders, model_api: FakeModelApi) -> None:
    own_hooks(folders, hook("exit 2"))
    await rig.engine.handle(SwitchHook(scope="person", hook_id="check", on=False))
    assert await write(rig, model_api) == "ok"
    assert [row.on for row in (await loaded(rig)).hooks] == [False]
    await rig.engine.handle(SwitchHook(scope="person", hook_id="check", on=True))
    assert await write(rig, model_api, 2) == "refused"
    (row,) = (await loaded(rig)).hooks
    assert row.on
    assert row.last[0].decision == "denied"


@pytest.mark.promise("guests-H8")
async def test_a_hook_that_takes_over_a_second_three_times_is_named_as_slow(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    own_hooks(folders, hook("sleep 1.1", on="after_call", name="slow"), hook("true", on="after_call", name="quick"))
    for number in (1, 2, 3):
        assert [row.slow for row in (await loaded(rig)).hooks] == [False, False]
        await write(rig, model_api, number)
    assert [(row.hook.id, row.slow) for row in (await loaded(rig)).hooks] == [("slow", True), ("quick", False)]


async def test_the_last_runs_are_known_after_a_restart_each_of_its_own_repository(
    rig: Rig, folders: Folders, repository: Path, tmp_path: Path, model_api: FakeModelApi
) -> None:
    shared_hooks(repository, hook("exit 2"))
    await trusted(rig)
    assert await write(rig, model_api) == "refused"
    assert await write(rig, model_api, 2) == "refused"
    before = (await loaded(rig)).hooks[0].last
    await rig.engine.stop()

    again = await Rig(folders).open(repository)
    (row,) = (await loaded(again)).hooks
    assert [run.decision for run in row.last] == ["denied", "denied"]
    assert row.last == before
    await again.engine.stop()

    other = make_repository(tmp_path / "other")
    shared_hooks(other, hook("exit 2"))
    elsewhere = await Rig(folders).open(other)
    assert [row.last for row in (await loaded(elsewhere)).hooks] == [()]
    await elsewhere.engine.stop()

    (folders.data / "hook-runs.json").write_bytes(b"{ not whole")
    unreadable = await Rig(folders).open(repository)
    assert [row.last for row in (await loaded(unreadable)).hooks] == [()]
    await unreadable.engine.stop()
