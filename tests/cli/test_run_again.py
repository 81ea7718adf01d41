"""`banksman run --resume` and `--fork`, and runs that meet at one store, in real processes."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.domain.core.clock import utc_now
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import ModeChanged, SessionResumed, ToolCallFinished, UserMessage
from desktop.domain.history.builder import to_messages
from desktop.store.core.lock import StoreLock
from desktop.store.database import open_store
from tests.agent.rig import Rig, git, make_repository, write_settings
from tests.cli.running import Cli, finish
from tests.cli.test_run_approvals import Pipeline
from tests.cli.test_run_lines import ended
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn, turn
from tests.validity import faults

BASH = tool_turn("bash", command="touch made.txt")
EDIT = ("edit_file", {"file_path": "app.py", "old_string": "hello", "new_string": "goodbye"})
FULL_AUTO = ("--mode", "full-auto", "--without-sandbox")


@pytest.fixture
def model_api() -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        yield api


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "home", make_repository(tmp_path / "shop"))


def words(api: FakeModelApi, task: str, *more: str) -> list[str]:
    """A run for the service of the test, told in lines."""
    return ["run", *([task] if task else []), "--endpoint", api.url, "--json", *more]


def first_run(cli: Cli, api: FakeModelApi, *more: str) -> dict[str, object]:
    """A run that changed a file; its last line."""
    api.script(tool_turn("read_file", file_path="app.py"), turn("", [EDIT]), text_turn("Done."))
    return ended(cli.run(*words(api, "Change the greeting", *FULL_AUTO, *more)))


@pytest.mark.promise("guests-R5")
@pytest.mark.parametrize("name", ["id", "last"])
def test_a_chat_goes_on_in_its_lane_without_what_was_granted(cli: Cli, model_api: FakeModelApi, name: str) -> None:
    first = first_run(cli, model_api)
    model_api.script(BASH, text_turn("As you wish."))
    named = str(first["session_id"]) if name == "id" else "last"
    last = ended(cli.run(*words(model_api, "And now?", "--resume", named)))
    assert (last["session_id"], last["lane"], last["branch"]) == (first["session_id"], first["lane"], first["branch"])
    assert (last["status"], last["unanswered"], last["files_changed"]) == ("completed", 1, 1)
    log = cli.log()
    assert [e.event.mode for e in log if isinstance(e.event, ModeChanged)] == [PermissionMode.EDIT]
    assert [e.event.outcome for e in log if isinstance(e.event, ToolCallFinished)][-1] == "declined"
    assert "goodbye" in str(model_api.requests[-1].messages)
    assert not faults(to_messages(log))


@pytest.mark.promise("guests-R5")
def test_a_chat_that_was_cut_off_goes_on_without_a_task_and_its_open_card_is_asked_again(
    cli: Cli, model_api: FakeModelApi, tmp_path: Path
) -> None:
    folder = tmp_path / "approvals"
    folder.mkdir(mode=0o700)
    model_api.script(BASH)
    killed = Pipeline(cli, model_api, folder)
    first = killed.card()
    killed.kill()
    (folder / f"{first['input_id']}.json").unlink()
    model_api.script(text_turn("Done."))
    again = Pipeline(cli, model_api, folder, "--resume", "last", task="")
    second = again.card()
    assert (second["title"], second["input_id"] != first["input_id"]) == (first["title"], True)
    again.answer(second, outcome="allow_once")
    last = ended(again.done())
    assert (last["status"], last["declined"]) == ("completed", 0)
    assert (Path(str(last["lane"])) / "made.txt").exists()
    log = cli.log()
    assert [e for e in log if isinstance(e.event, SessionResumed)]
    assert not faults(to_messages(log))


def test_a_question_of_a_cut_off_chat_is_asked_again_by_the_next_run(
    cli: Cli, model_api: FakeModelApi, tmp_path: Path
) -> None:
    asked = {"question": "Which colour?", "header": "Colour", "options": [{"label": "Red"}, {"label": "Blue"}]}
    model_api.script(tool_turn("ask_user", questions=[asked]))
    with cli.terminal("run", "Go", "--endpoint", model_api.url) as terminal:
        terminal.until("Your answer: ")
        os.kill(terminal.pid, signal.SIGKILL)
        terminal.status()
    model_api.script(text_turn("Thank you."))
    with cli.terminal("run", "--resume", "last", "--endpoint", model_api.url) as terminal:
        terminal.until("Your answer: ")
        terminal.type("2\n")
        terminal.until("Thank you.")
        assert terminal.status() == 0
    assert "Blue" in str(model_api.requests[-1].messages[-1])


def test_a_chat_that_ended_well_needs_a_task(cli: Cli, model_api: FakeModelApi) -> None:
    first_run(cli, model_api)
    last = ended(cli.run(*words(model_api, "", "--resume", "last")))
    assert (last["exit_status"], last["detail"]) == (2, "There is no turn to continue.")


def test_a_lane_that_is_gone_is_status_2(cli: Cli, model_api: FakeModelApi) -> None:
    first = first_run(cli, model_api)
    git(cli.folder, "worktree", "remove", "--force", str(first["lane"]))
    for how in ("--resume", "--fork"):
        last = ended(cli.run(*words(model_api, "And now?", how, "last")))
        assert (last["exit_status"], last["detail"]) == (2, "The lane of this chat is gone, so it cannot go on.")


def test_a_chat_of_another_repository_is_named(cli: Cli, model_api: FakeModelApi, tmp_path: Path) -> None:
    first = first_run(cli, model_api)
    other = make_repository(tmp_path / "other")
    last = ended(cli.run(*words(model_api, "And now?", "--resume", str(first["session_id"]), "--repo", str(other))))
    assert last["exit_status"] == 2
    assert str(cli.folder) in str(last["detail"])


def test_a_fork_goes_on_with_the_files_in_a_lane_of_its_own(cli: Cli, model_api: FakeModelApi) -> None:
    first = first_run(cli, model_api)
    model_api.script(text_turn("Yes."))
    last = ended(cli.run(*words(model_api, "And now?", "--fork", str(first["session_id"]))))
    assert last["session_id"] != first["session_id"]
    assert last["lane"] != first["lane"]
    assert "goodbye" in (Path(str(last["lane"])) / "app.py").read_text()
    assert "Change the greeting" in str(model_api.requests[-1].messages[0])


def test_limits_of_the_first_run_hold_until_others_are_given(cli: Cli, model_api: FakeModelApi) -> None:
    first_run(cli, model_api, "--max-steps", "3")
    model_api.script(*[tool_turn("read_file", file_path="app.py")] * 3)
    assert ended(cli.run(*words(model_api, "More", "--resume", "last")))["steps"] == 3
    model_api.script(tool_turn("read_file", file_path="app.py"))
    assert ended(cli.run(*words(model_api, "More", "--resume", "last", "--max-steps", "1")))["exit_status"] == 3


@pytest.mark.promise("guests-R5")
def test_rules_of_a_run_end_with_it(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(BASH, text_turn("Done."))
    assert ended(cli.run(*words(model_api, "Go", "--allow", "touch")))["declined"] == 0
    model_api.script(BASH, text_turn("Fine."))
    assert ended(cli.run(*words(model_api, "Again", "--resume", "last")))["declined"] == 1
    model_api.script(BASH, text_turn("Done."))
    assert ended(cli.run(*words(model_api, "Again", "--resume", "last", "--allow", "touch")))["declined"] == 0


def test_a_second_run_waits_for_the_first_one_and_then_works_in_its_lane(cli: Cli, model_api: FakeModelApi) -> None:
    first = first_run(cli, model_api)
    model_api.script(text_turn("one", fault="hold"), text_turn("two"))
    running = cli.start(*words(model_api, "Wait", "--resume", "last"))
    model_api.wait_for_requests(4)
    waiting = cli.start(*words(model_api, "And now?", "--resume", str(first["session_id"])))
    assert waiting.stderr is not None
    told = waiting.stderr.readline().decode()
    assert told == f"Waits for another run (process {running.pid}), at most 300 s.\n"
    model_api.go_on()
    assert ended(finish(running))["exit_status"] == 0
    last = ended(finish(waiting))
    assert (last["exit_status"], last["lane"]) == (0, first["lane"])
    texts = [e.event for e in cli.log() if isinstance(e.event, UserMessage) and e.event.origin == "person"]
    assert [message.parts[0]["text"] for message in texts] == ["Change the greeting", "Wait", "And now?"]


def test_a_run_waits_no_longer_than_it_was_told(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("never", fault="stall_before"))
    first = cli.start(*words(model_api, "Go"))
    model_api.wait_for_requests(1)
    last = ended(cli.run(*words(model_api, "Too", "--wait", "1")))
    assert last["exit_status"] == 2
    assert str(first.pid) in str(last["detail"])
    waiting = cli.start(*words(model_api, "Too"))
    assert waiting.stderr is not None
    assert waiting.stderr.readline().startswith(b"Waits for another run")
    waiting.send_signal(signal.SIGTERM)
    assert ended(finish(waiting))["status"] == "interrupted"
    first.send_signal(signal.SIGTERM)
    assert ended(finish(first))["status"] == "interrupted"


def test_a_store_that_a_window_holds_is_not_waited_for(cli: Cli, model_api: FakeModelApi) -> None:
    open_store(cli.folders().store).close()
    lock = StoreLock.take(cli.folders().store / "store.lock", utc_now())
    try:
        began = time.monotonic()
        last = ended(cli.run(*words(model_api, "Go")))
        assert time.monotonic() - began < 100
    finally:
        lock.release()
    assert last["exit_status"] == 2
    assert f"process {os.getpid()}" in str(last["detail"])


@pytest.mark.promise("guests-R5")
def test_a_chat_of_a_window_asks_about_writes_where_nobody_looks(cli: Cli, model_api: FakeModelApi) -> None:
    async def in_a_window() -> None:
        write_settings(cli.folders(), model_api.url)
        rig = await Rig(cli.folders()).open(cli.folder)
        try:
            await rig.new("Look")
            await rig.ended()
        finally:
            await rig.engine.stop()

    model_api.script(text_turn("Seen."))
    asyncio.run(in_a_window())
    model_api.script(tool_turn("read_file", file_path="app.py"), turn("", [EDIT]), text_turn("Fine."))
    last = ended(cli.run("run", "Change it", "--resume", "last", "--json"))
    assert (last["status"], last["unanswered"], last["files_changed"]) == ("completed", 1, 0)


def test_the_card_of_a_sub_agent_waits_like_one_of_the_chat(cli: Cli, model_api: FakeModelApi, tmp_path: Path) -> None:
    folder = tmp_path / "approvals"
    folder.mkdir(mode=0o700)
    task = {"agent": "implementer", "description": "Make it", "prompt": "Make a file.", "background": False}
    model_api.script(tool_turn("task", **task), BASH, text_turn("Made."), text_turn("Done."))
    run = Pipeline(cli, model_api, folder)
    begin = run.card()
    run.answer(begin, outcome="allow_once")
    card = run.card(after=begin["input_id"])
    run.answer(card, outcome="allow_once")
    done = run.done()
    last = ended(done)
    assert (last["status"], last["declined"]) == ("completed", 0)
    assert card["title"] == "touch made.txt"
    waiting = [line["session_id"] for line in done.lines if line["type"] == "waiting"]
    assert waiting == [last["session_id"], card["session_id"]]
    assert card["session_id"] != last["session_id"]


def test_the_card_of_a_sub_agent_is_answered_on_the_terminal(cli: Cli, model_api: FakeModelApi) -> None:
    task = {"agent": "implementer", "description": "Make it", "prompt": "Make a file.", "background": False}
    model_api.script(tool_turn("task", **task), BASH, text_turn("Made."), text_turn("Done."))
    with cli.terminal("run", "Go", "--endpoint", model_api.url) as terminal:
        terminal.until("[n]o: ")
        terminal.type("y\n")
        assert "touch made.txt" in terminal.until("[n]o: ")
        terminal.type("y\n")
        terminal.until("Done.")
        assert terminal.status() == 0
    assert "Made." in str(model_api.requests[-1].messages[-1])
