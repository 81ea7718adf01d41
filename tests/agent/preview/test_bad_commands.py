"""Commands that do their worst in both kinds of copy: the lane is as it was, and it is told what came of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from desktop.agent.core.session import Session
from desktop.agent.preview.copies import Copies, Tried, Wanted
from desktop.domain.core.errors import BanksmanError
from desktop.domain.preview.effect import CopyTier
from desktop.services.preview.applying import apply_difference
from tests.agent.gate_rig import codes
from tests.agent.preview.preview_rig import apply, asked_about, shop, state, tried_in
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn

pytestmark = pytest.mark.asyncio
TIERS: tuple[CopyTier, ...] = ("overlay", "copy")
HIDDEN = {
    "plain": "rm old.txt && echo new > made.txt",
    "here-document": "bash <<'END'\nrm old.txt\necho new > made.txt\nEND",
    "python": "python3 -c \"import os; os.remove('old.txt'); open('made.txt', 'w').write('new\\n')\"",
    "make": "make clean && echo new > made.txt",
    "shell in a variable": "c='rm old.txt'; eval \"$c\"; printf 'new\\n' | tee made.txt",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return shop(tmp_path / "shop")


async def chat(rig: Rig, model_api: FakeModelApi) -> Session:
    model_api.script(text_turn("hello"))
    session_id = await rig.new("Hello")
    await rig.ended()
    return rig.engine.sessions.get(session_id)


async def tried(rig: Rig, session: Session, tier: CopyTier, command: str, *, timeout_ms: int = 30_000) -> Tried:
    parts = rig.engine.parts
    keeper, blobs = parts.base.contents.keeper, parts.chats.gate.judge.blobs
    copies = Copies(rig.folders.cache / "copies", rig.engine.sessions, keeper, blobs, (tier,))
    before = state(rig.lane(session.session_id))
    try:
        return await copies.run(session, Wanted(command, ".", timeout_ms), lambda text: None)
    finally:
        assert state(rig.lane(session.session_id)) == before
        assert list((rig.folders.cache / "copies").iterdir()) == []


@pytest.mark.promise("memory-EP2")
@pytest.mark.parametrize("tier", TIERS)
async def test_the_lane_is_as_it_was_after_a_command_that_deletes_all_of_it(
    rig: Rig, model_api: FakeModelApi, tier: CopyTier
) -> None:
    found = await tried(rig, await chat(rig, model_api), tier, "rm -rf ./* .gitignore")
    assert {file.kind for file in found.found.effect.files} == {"delete"}
    assert len(found.found.effect.files) == 6


@pytest.mark.parametrize("tier", TIERS)
async def test_git_cannot_be_written_in_a_copy(rig: Rig, model_api: FakeModelApi, tier: CopyTier) -> None:
    command = "echo x >> .git; rm -rf .git; mv .git other; git config a.b c; git commit -qam x; git add -A; true"
    found = await tried(rig, await chat(rig, model_api), tier, command)
    assert found.found.effect.is_empty


@pytest.mark.parametrize("tier", TIERS)
async def test_the_network_is_not_there(rig: Rig, model_api: FakeModelApi, tier: CopyTier) -> None:
    command = "timeout 20 bash -c 'exec 3<>/dev/tcp/127.0.0.1/1' 2>&1; cat /proc/net/dev | grep -c eth; true"
    found = await tried(rig, await chat(rig, model_api), tier, command)
    assert found.found.effect.is_empty


@pytest.mark.parametrize("tier", TIERS)
async def test_one_that_never_ends_is_ended_and_cannot_be_applied(
    rig: Rig, model_api: FakeModelApi, tier: CopyTier
) -> None:
    found = await tried(rig, await chat(rig, model_api), tier, "echo x > begun; sleep 1000", timeout_ms=1_500)
    assert found.ran.completed.ending == "timed_out"
    assert [file.path for file in found.found.effect.files] == ["begun"]
    assert found.found.effect.stops == ("The command was ended before it was done.",)


async def test_one_that_forks_for_ever_is_ended(rig: Rig, model_api: FakeModelApi) -> None:
    command = "echo x > begun; while :; do sleep 600 & done"
    found = await tried(rig, await chat(rig, model_api), "overlay", command)
    assert found.ran.completed.ending != "exited" or "512" in found.ran.completed.limit
    assert not found.found.effect.can_be_applied or found.ran.completed.ending == "exited"


@pytest.mark.parametrize("tier", TIERS)
async def test_what_goes_on_after_the_command_is_ended_and_told(
    rig: Rig, model_api: FakeModelApi, tier: CopyTier
) -> None:
    found = await tried(rig, await chat(rig, model_api), tier, "(sleep 500; echo late > late) & echo now > now")
    assert found.ran.left_running
    assert [file.path for file in found.found.effect.files] == ["now"]


@pytest.mark.promise("memory-EP8")
@pytest.mark.parametrize("tier", TIERS)
async def test_scripts_that_hide_writes_show_the_same_as_the_plain_command(
    rig: Rig, model_api: FakeModelApi, tier: CopyTier
) -> None:
    session = await chat(rig, model_api)
    effects = [(await tried(rig, session, tier, command)).found.effect for command in HIDDEN.values()]
    assert len({effect.model_dump_json() for effect in effects}) == 1
    assert effects[0].counts == "1 new · 1 deleted"


@pytest.mark.promise("memory-EP4")
@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("mkdir .agents && echo x > .agents/a.md", ".agents/a.md is"),
        ("ln -s /etc/passwd leak", "leak is a link that leaves the lane"),
        ("ln -s ../../other leak", "leak is a link that leaves the lane"),
        ("ln -s . here && ln -s here/../x leak", "leak is a link that leaves the lane"),
        ("ln -s .git/config leak", "leak is a link that leaves the lane"),
        ("cp /bin/true own && chmod u+s own", "own would run with the rights of its owner"),
        ("mkfifo pipe", "pipe is neither a file nor a link nor a folder"),
        ("for i in $(seq 501); do echo $i > f$i; done", "More than 500 files would differ."),
        ("head -c 60000000 /dev/zero > big", "What was written is more than 50 MiB."),
    ],
)
@pytest.mark.parametrize("tier", TIERS)
async def test_what_only_a_card_of_its_own_may_do_is_shown_and_not_applied(
    rig: Rig, model_api: FakeModelApi, tier: CopyTier, command: str, words: str
) -> None:
    effect = (await tried(rig, await chat(rig, model_api), tier, command)).found.effect
    assert effect.stops[0].startswith(words)
    assert not effect.can_be_applied


@pytest.mark.parametrize("tier", TIERS)
async def test_ignored_files_are_counted_and_no_part_of_the_effect(
    rig: Rig, model_api: FakeModelApi, tier: CopyTier
) -> None:
    command = "mkdir build && touch build/a build/b one.o && touch notes.md && echo x > made.txt"
    effect = (await tried(rig, await chat(rig, model_api), tier, command)).found.effect
    assert [file.path for file in effect.files] == ["made.txt"]
    assert effect.ignored == 3


@pytest.mark.parametrize("tier", TIERS)
async def test_folders_links_and_the_right_to_run_are_part_of_the_effect(
    rig: Rig, model_api: FakeModelApi, tier: CopyTier
) -> None:
    command = "chmod +x notes.md; ln -s notes.md link; mkdir -p deep/empty; rm app.py; mkdir app.py; echo x > app.py/in"
    found = (await tried(rig, await chat(rig, model_api), tier, command)).found
    shown = {file.path: (file.kind, file.before_mode, file.after_mode) for file in found.effect.files}
    assert shown == {
        "app.py": ("delete", "100644", ""),
        "app.py/in": ("create", "", "100644"),
        "link": ("create", "", "120000"),
        "notes.md": ("modify", "100644", "100755"),
    }
    assert found.effect.folders == ("deep", "deep/empty")
    assert found.effect.stops == ()


REPLACED = {
    "a file by a folder": ("rm notes.md && mkdir notes.md && echo in > notes.md/in", ["notes.md/in"], ["notes.md"]),
    "a folder by a file": ("rm -rf sub; echo x > sub", ["sub"], ["sub/one", "sub/two"]),
    "a folder by a link to it": ("mv sub far; ln -s far sub", ["far/one", "far/two", "sub"], ["sub/one", "sub/two"]),
    "a folder by what was in it": ("rm sub/two; mv sub/one x; rmdir sub; mv x sub", ["sub"], ["sub/one", "sub/two"]),
}


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("case", REPLACED)
async def test_what_takes_the_place_of_a_file_or_folder_is_shown_whole_and_applied(
    rig: Rig, model_api: FakeModelApi, tier: CopyTier, case: str
) -> None:
    command, made, gone = REPLACED[case]
    session = await chat(rig, model_api)
    lane = rig.lane(session.session_id)
    (lane / "sub").mkdir()
    for name in ("one", "two"):
        (lane / "sub" / name).write_text(name)
    found = (await tried(rig, session, tier, command)).found
    assert [file.path for file in found.effect.files if file.kind == "create"] == made
    assert [file.path for file in found.effect.files if file.kind == "delete"] == gone
    assert found.effect.stops == ()
    files = session.files
    assert files is not None
    work = rig.engine.parts.base.contents.keeper.work
    checkpoint = await work(session, lambda kept: apply_difference(kept, files, found))
    assert all((lane / path).exists() for path in made)
    assert not any((lane / path).is_file() and "far" not in command for path in gone)
    await work(session, lambda kept: kept.restore(kept.find(checkpoint)))
    assert (lane / "notes.md").read_text() == "# Notes\n"
    assert [(lane / "sub" / name).read_text() for name in ("one", "two")] == ["one", "two"]


@pytest.mark.parametrize("tier", TIERS)
async def test_a_protected_name_below_what_was_replaced_is_not_applied(
    rig: Rig, model_api: FakeModelApi, tier: CopyTier
) -> None:
    command = "rm notes.md && mkdir -p notes.md/.git && echo x > notes.md/.git/config"
    effect = (await tried(rig, await chat(rig, model_api), tier, command)).found.effect
    assert not effect.can_be_applied


@pytest.mark.parametrize("tier", TIERS)
async def test_names_that_git_takes_for_patterns_are_names(rig: Rig, model_api: FakeModelApi, tier: CopyTier) -> None:
    command = "echo x > ':(glob)x'; echo y > ':!y'; echo z > ':z.o'; echo q > -- ; echo w > '*'"
    effect = (await tried(rig, await chat(rig, model_api), tier, command)).found.effect
    assert sorted(file.path for file in effect.files) == sorted(["*", "--", ":!y", ":(glob)x"])
    assert (effect.ignored, effect.stops) == (1, ())


async def test_what_a_copy_made_of_links_folders_and_rights_is_applied(rig: Rig, model_api: FakeModelApi) -> None:
    command = "chmod +x notes.md; ln -s notes.md link; mkdir -p deep/empty out; echo x > out/in; rm app.py"
    session_id, asked = await asked_about(rig, model_api, command)
    event = await tried_in(rig, session_id, asked)
    assert event.effect.stops == ()
    await apply(rig, session_id, asked, event.digest)
    await rig.ended()
    lane = rig.lane(session_id)
    assert codes(rig) == []
    assert (lane / "link").readlink() == Path("notes.md")
    assert (lane / "notes.md").stat().st_mode & 0o111
    assert (lane / "out" / "in").read_text() == "x\n"
    assert (lane / "deep" / "empty").is_dir()
    assert not (lane / "app.py").exists()


async def test_a_folder_stays_though_all_its_files_went(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, asked = await asked_about(rig, model_api, "rm sub/*")
    lane = rig.lane(session_id)
    (lane / "sub").mkdir()
    (lane / "sub" / "one").write_text("1")
    event = await tried_in(rig, session_id, asked)
    assert (event.effect.kept_folders, event.effect.folders) == (("sub",), ())
    await apply(rig, session_id, asked, event.digest)
    await rig.ended()
    assert list((lane / "sub").iterdir()) == []


async def test_a_large_lane_is_not_copied_where_nothing_can_be_laid_over_it(rig: Rig, model_api: FakeModelApi) -> None:
    session = await chat(rig, model_api)
    lane = rig.lane(session.session_id)
    for number in range(5_001):
        (lane / f"f{number}").touch()
    with pytest.raises(BanksmanError, match="more than 5,000 files"):
        await tried(rig, session, "copy", "true")
    assert (await tried(rig, session, "overlay", "rm f1")).found.effect.counts == "1 deleted"


async def test_a_lane_that_changes_while_the_command_runs_gives_no_effect(rig: Rig, model_api: FakeModelApi) -> None:
    session = await chat(rig, model_api)
    parts = rig.engine.parts
    keeper, blobs = parts.base.contents.keeper, parts.chats.gate.judge.blobs
    copies = Copies(rig.folders.cache / "copies", rig.engine.sessions, keeper, blobs)

    def meanwhile(text: str) -> None:
        if text == "Looking at what it did…":
            (rig.lane(session.session_id) / "other.txt").write_text("mine\n")

    with pytest.raises(BanksmanError, match="the lane changed while the command ran"):
        await copies.run(session, Wanted("echo x > made.txt", ".", 20_000), meanwhile)
    assert not session.write_lock.locked()


@pytest.mark.promise("memory-EP9")
async def test_on_a_full_disk_there_is_no_preview(rig: Rig, model_api: FakeModelApi) -> None:
    session = await chat(rig, model_api)
    await tried(rig, session, "overlay", "true")
    watch = rig.engine.sessions.sandbox.watch
    watch.limits = replace(watch.limits, free_disk=2**60)
    with pytest.raises(BanksmanError, match="the disk is nearly full"):
        await tried(rig, session, "overlay", "echo x > made.txt")
