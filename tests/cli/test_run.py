"""`banksman run` in real processes: work done, text as it comes, declined asks, stops, exit statuses."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.cli.headless.unused_lane import TAKEN_BACK
from desktop.domain.events import (
    AssistantMessage,
    InputResolved,
    LaneAttached,
    ToolCallFinished,
    TurnEnded,
)
from desktop.domain.history.builder import to_messages
from desktop.services.lanes.lane_file import read_lane_files
from desktop.services.projects import open_project
from desktop.store.gate.trust import ContentTrust, content_sha256
from tests.agent.guest_rig import PROGRAM
from tests.agent.rig import folders_below, git, make_repository, write_settings
from tests.cli.running import Cli, finish
from tests.fakes.fake_model_api import FakeModelApi, http_failure, text_turn, tool_turn, turn
from tests.forking import Forked
from tests.guest_ground import written_program
from tests.validity import faults

READ = tool_turn("read_file", file_path="app.py")
EDIT = ("edit_file", {"file_path": "app.py", "old_string": "hello", "new_string": "goodbye"})


@pytest.fixture
def model_api() -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        yield api


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop")


@pytest.fixture
def cli(tmp_path: Path, repository: Path) -> Cli:
    return Cli(tmp_path / "home", repository)


def run_words(api: FakeModelApi, *more: str) -> list[str]:
    """A task for the service of the test."""
    return ["run", "Change the greeting", "--endpoint", api.url, *more]


def test_a_task_is_done_in_full_auto_and_kept_in_the_store(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(
        READ, turn("First.", [EDIT]), tool_turn("bash", command="cat app.py > seen.txt"), text_turn("Done.")
    )
    done = finish(cli.start_anew(*run_words(model_api, "--mode", "full-auto", "--without-sandbox")))
    assert (done.status, done.stdout) == (0, "First.\nDone.\n")
    lane = Path(next(line for line in done.stderr.splitlines() if line.startswith("Lane ")).split(" in ", 1)[1])
    assert (lane / "seen.txt").read_text() == "print('goodbye')\n"
    assert git(cli.folder, "status", "--porcelain") == ""
    log = cli.log()
    assert [e.event.outcome for e in log if isinstance(e.event, ToolCallFinished)] == ["ok", "ok", "ok"]
    assert isinstance(log[-1].event, TurnEnded)
    assert not faults(to_messages(log))


def test_text_is_written_while_the_answer_is_still_coming(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("one two three four five six seven", piece=4, fault="hold"))
    child = cli.start(*run_words(model_api))
    assert child.stdout is not None
    assert child.stdout.read1(4096) == b"one "
    model_api.go_on()
    done = finish(child)
    assert (done.status, done.stdout) == (0, "two three four five six seven\n")


def test_code_of_the_answer_can_be_copied_from_standard_output(cli: Cli, model_api: FakeModelApi) -> None:
    code = "```python\ndef f():\n    if x:\n            return {\n\t\t1: '中 می\u200cخواهم 👩\u200d🚀'}\n\n\n\nf()\n```"
    model_api.script(text_turn(code + "\x1b[2Jgone\u202e\x07"))
    done = cli.run(*run_words(model_api))
    assert done.status == 0, done.stderr
    assert done.stdout.startswith(code)
    assert done.stdout.removeprefix(code).strip() == "⟦U+001B⟧[2Jgone⟦U+202E⟧⟦U+0007⟧"


def test_each_event_is_a_line_of_json_while_it_happens(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(
        turn("Let me look.", [("read_file", {"file_path": "app.py"})], piece=4, fault="hold"),
        text_turn("half \ud83d of it"),
    )
    child = cli.start(*run_words(model_api, "--json"))
    assert child.stdout is not None
    lines: list[dict[str, Any]] = []
    for raw in child.stdout:
        lines.append(json.loads(raw))
        if lines[-1]["type"] == "text_delta":
            model_api.go_on()  # the first one came while the service still held the answer
    assert finish(child).status == 0
    events = [line for line in lines[1:-1] if not line["type"].endswith("_delta")]
    assert (lines[0]["type"], lines[-1]["type"]) == ("run_started", "run_ended")
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert [event["type"] for event in events][-1] == "turn_ended"
    texts = [line["text"] for line in lines if line["type"] == "text_delta"]
    assert "".join(texts) == "Let me look.half \ud83d of it"
    assert texts[0] == "Let "
    kinds = [line["type"] for line in lines]
    assert kinds.index("text_delta") < kinds.index("assistant_message")
    stored = cli.log()
    assert [event["id"] for event in events] == [envelope.event_id for envelope in stored]


def test_without_a_terminal_what_must_be_asked_is_declined(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch x"), text_turn("As you wish."))
    done = cli.run(*run_words(model_api))
    assert done.status == 0
    assert "nobody can answer here" in done.stderr
    assert "nobody can answer here" in str(model_api.requests[1].messages[-1])
    (finished,) = [e.event for e in cli.log() if isinstance(e.event, ToolCallFinished)]
    assert finished.outcome == "declined"


def test_without_a_terminal_questions_are_not_offered(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("ok"))
    assert cli.run(*run_words(model_api)).status == 0
    names = {tool["name"] for tool in model_api.requests[0].body["tools"]}
    assert "bash" in names
    assert "ask_user" not in names


def test_in_checkout_works_in_the_folder_itself(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(READ, turn("", [EDIT]), text_turn("Done."))
    assert cli.run(*run_words(model_api, "--mode", "full-auto", "--without-sandbox", "--in-checkout")).status == 0
    assert (cli.folder / "app.py").read_text() == "print('goodbye')\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_turn_and_leaves_a_valid_log(
    cli: Cli, model_api: FakeModelApi, number: signal.Signals
) -> None:
    model_api.script(turn("On it.", [("bash", {"command": "echo begun; sleep 600"})]))
    child = cli.start(*run_words(model_api, "--mode", "full-auto", "--without-sandbox"))
    assert child.stderr is not None
    while not child.stderr.readline().startswith("› ".encode()):
        pass
    child.send_signal(number)
    assert finish(child).status == 130
    log = cli.log()
    assert [e.event.outcome for e in log if isinstance(e.event, ToolCallFinished)] in (["interrupted"], ["cancelled"])
    ended = log[-1].event
    assert isinstance(ended, TurnEnded)
    assert ended.status == "interrupted"
    assert not faults(to_messages(log))


def test_a_signal_during_an_answer_keeps_what_was_said(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("This is the beginning of it.", fault="stall"))
    child = cli.start(*run_words(model_api))
    assert child.stdout is not None
    assert child.stdout.read1(4096)
    child.send_signal(signal.SIGINT)
    assert finish(child).status == 130
    (message,) = [e.event for e in cli.log() if isinstance(e.event, AssistantMessage)]
    assert message.interrupted


@pytest.mark.parametrize(
    ("begin", "place"),
    [(Cli.start_anew, "data/store/store.lock"), (Cli.start, "data/store/banksman.db"), (Cli.start, "data/lanes")],
    ids=["lock", "store", "lanes"],
)
def test_a_signal_before_the_turn_began_ends_with_130(
    cli: Cli, model_api: FakeModelApi, begin: Callable[..., "Forked | subprocess.Popen[bytes]"], place: str
) -> None:
    model_api.script(text_turn("never", fault="stall_before"))
    child = begin(cli, *run_words(model_api))
    while not (cli.home / place).exists():
        time.sleep(0.002)
    child.send_signal(signal.SIGINT)
    done = finish(child)
    assert (done.status, done.stdout) == (130, "")
    assert "Traceback" not in done.stderr
    log = cli.log()
    assert not log or isinstance(log[-1].event, TurnEnded)


def test_a_signal_at_the_first_request_ends_with_130(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("never", fault="stall_before"))
    child = cli.start(*run_words(model_api))
    model_api.wait_for_requests(1)
    child.send_signal(signal.SIGINT)
    assert finish(child).status == 130


def test_a_task_waits_for_the_setup_of_its_lane_and_a_signal_ends_the_waiting(
    cli: Cli, model_api: FakeModelApi
) -> None:
    (cli.folder / ".banksman").mkdir()
    (cli.folder / ".banksman" / "lane.toml").write_text('[setup]\ncommand = "sleep 300"\n')
    project = asyncio.run(open_project(cli.folder))
    contents = read_lane_files(cli.folder)
    ContentTrust(cli.home / "data", "lane").trust(project.id, content_sha256(contents))
    child = cli.start(*run_words(model_api))
    assert child.stderr is not None
    while not child.stderr.readline().startswith(b"Waits until the setup"):
        pass
    child.send_signal(signal.SIGINT)
    done = finish(child)
    assert (done.status, done.stdout) == (130, "")
    assert model_api.requests == []


def test_a_reader_that_goes_away_stops_the_turn(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("one two three four five six " * 20, piece=4, delay_s=0.1))
    child = cli.start_anew(*run_words(model_api))
    assert child.stdout is not None
    assert child.stdout.read1(4096)
    child.stdout.close()
    child.stdout = None
    done = finish(child)
    assert done.status == 130
    assert "Traceback" not in done.stderr
    assert isinstance(cli.log()[-1].event, TurnEnded)


def test_a_turn_ends_although_nobody_reads_its_notes(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(http_failure(400, "invalid_request_error", "bad thing"))
    child = cli.start(*run_words(model_api))
    assert child.stderr is not None
    child.stderr.close()
    child.stderr = None
    assert finish(child).status == 1
    assert isinstance(cli.log()[-1].event, TurnEnded)


def test_a_refused_key_is_one_sentence_and_status_1(tmp_path: Path, cli: Cli) -> None:
    with FakeModelApi(keys=frozenset({"right"})) as api:
        done = cli.run(*run_words(api))
    assert done.status == 1
    assert "The key was refused by" in done.stderr
    assert "Traceback" not in done.stderr


def lanes_left(cli: Cli) -> list[str]:
    """Branches of lanes, and worktrees beside the checkout."""
    branches = git(cli.folder, "branch", "--list", "lane/*", "--format=%(refname:short)").split()
    return [*branches, *git(cli.folder, "worktree", "list", "--porcelain").split("worktree ")[2:]]


def test_a_run_whose_model_never_answered_leaves_no_lane_but_its_chat(tmp_path: Path, cli: Cli) -> None:
    with FakeModelApi(keys=frozenset({"right"})) as api:
        done = cli.run(*run_words(api))
    assert lanes_left(cli) == []
    branch = next(e.event.branch for e in cli.log() if isinstance(e.event, LaneAttached))
    assert TAKEN_BACK.format(branch=branch) in done.stderr.splitlines()
    assert "--resume" not in done.stderr
    assert isinstance(cli.log()[-1].event, TurnEnded)


@pytest.mark.parametrize("answers", ["call", "text"])
def test_a_run_that_failed_after_an_answer_keeps_its_lane(cli: Cli, model_api: FakeModelApi, answers: str) -> None:
    first = READ if answers == "call" else text_turn("one two three", fault="error:invalid_request_error")
    model_api.script(first, http_failure(400, "invalid_request_error", "bad thing"))
    assert cli.run(*run_words(model_api)).status == 1
    assert len(lanes_left(cli)) == 2


def test_a_lane_in_which_somebody_worked_stays_although_the_model_never_answered(
    cli: Cli, model_api: FakeModelApi
) -> None:
    busy = http_failure(529, "overloaded_error", headers={"retry-after": "3"})
    model_api.script(busy, http_failure(400, "invalid_request_error", "bad thing"))
    child = cli.start(*run_words(model_api))
    assert child.stderr is not None
    lane = child.stderr.readline().decode().strip().split(" in ", 1)[1]
    assert b"Trying again" in child.stderr.readline()
    Path(lane, "mine.txt").write_text("words")
    done = finish(child)
    assert done.status == 1
    assert len(lanes_left(cli)) == 2
    assert "removed" not in done.stderr


def test_the_checkout_stays_after_a_run_in_it_that_failed(tmp_path: Path, cli: Cli) -> None:
    with FakeModelApi(keys=frozenset({"right"})) as api:
        done = cli.run(*run_words(api, "--in-checkout"))
    assert done.status == 1
    assert "removed" not in done.stderr
    assert (cli.folder / "app.py").is_file()


def test_a_service_that_refuses_the_request_gives_status_1(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(http_failure(400, "invalid_request_error", "bad thing"))
    done = cli.run(*run_words(model_api))
    assert done.status == 1
    assert isinstance(cli.log()[-1].event, TurnEnded)


def test_a_retry_is_announced_and_then_succeeds(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(http_failure(529, "overloaded_error"), text_turn("Here."))
    done = cli.run(*run_words(model_api))
    assert (done.status, done.stdout) == (0, "Here.\n")
    assert "Trying again (2 of 5)." in done.stderr


# On a terminal


def test_an_approval_can_be_given_on_a_terminal(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch made.txt"), text_turn("Done."))
    with cli.terminal(*run_words(model_api)) as terminal:
        shown = terminal.until("[n]o: ")
        assert "touch made.txt" in shown
        terminal.type("y\n")
        terminal.until("Done.")
        assert terminal.status() == 0
    (resolved,) = [e.event for e in cli.log() if isinstance(e.event, InputResolved)]
    assert (resolved.answer.outcome, resolved.person) == ("allow_once", "person")


@pytest.mark.parametrize("typed", ["n\n", "\n", "what?\n"])
def test_anything_but_yes_declines_on_a_terminal(cli: Cli, model_api: FakeModelApi, typed: str) -> None:
    model_api.script(tool_turn("bash", command="touch made.txt"), text_turn("Fine."))
    with cli.terminal(*run_words(model_api)) as terminal:
        terminal.until("[n]o: ")
        terminal.type(typed)
        terminal.until("Fine.")
        assert terminal.status() == 0
    (finished,) = [e.event for e in cli.log() if isinstance(e.event, ToolCallFinished)]
    assert finished.outcome == "declined"


def test_the_end_of_input_declines(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch made.txt"), text_turn("Fine."))
    with cli.terminal(*run_words(model_api)) as terminal:
        terminal.until("[n]o: ")
        terminal.type("\x04")
        terminal.until("Fine.")
        assert terminal.status() == 0


QUESTIONS = {
    "questions": [
        {"question": "Which colour?", "header": "Colour", "options": [{"label": "Red"}, {"label": "Blue"}]},
        {"question": "Which sizes?", "header": "Size", "options": [{"label": "S"}, {"label": "M"}],
         "multi_select": True},
    ]
}  # fmt: skip


def test_questions_can_be_answered_on_a_terminal(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("ask_user", **QUESTIONS), text_turn("Thank you."))
    with cli.terminal(*run_words(model_api)) as terminal:
        assert "2. Blue" in terminal.until("Your answer: ")
        terminal.type("2\n")
        assert "Which sizes?" in terminal.until("answers, separated by commas: ")
        terminal.type("1, ²\n")
        terminal.until("Thank you.")
        assert terminal.status() == 0
    told = str(model_api.requests[1].messages[-1])
    assert "Blue" in told
    assert "S" in told


def test_control_c_on_a_terminal_ends_an_open_approval(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch made.txt"))
    with cli.terminal(*run_words(model_api)) as terminal:
        terminal.until("[n]o: ")
        terminal.type("\x03")
        assert terminal.status() == 130
    log = cli.log()
    (resolved,) = [e.event for e in log if isinstance(e.event, InputResolved)]
    assert resolved.reason == "interrupted"
    assert not faults(to_messages(log))


def test_hostile_text_is_shown_as_text_on_a_terminal(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="echo \x1b[2J\u202e hi"), text_turn("ok \x1b[31m"))
    with cli.terminal(*run_words(model_api)) as terminal:
        shown = terminal.until("[n]o: ")
        terminal.type("n\n")
        shown += terminal.until("ok ")
        assert terminal.status() == 0
        assert "\x1b" not in shown + terminal.shown
        assert "\u202e" not in shown
    assert terminal.shown.strip()


# What cannot start: one sentence, status 2


def assert_refused(cli: Cli, words: list[str], *parts: str) -> None:
    """The program says why in one line and starts nothing."""
    done = cli.run(*words)
    assert (done.status, done.stdout) == (2, "")
    said = [line for line in done.stderr.splitlines() if not line.startswith("Full auto")]
    assert len(said) == 1, done.stderr
    assert "Traceback" not in done.stderr
    for part in parts:
        assert part in said[0]


def test_a_folder_without_a_repository_is_refused(cli: Cli, model_api: FakeModelApi, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    words = run_words(model_api, "--repo", str(tmp_path / "plain"))
    assert_refused(cli, words, "plain' is not a git repository", "git init")


def test_a_folder_that_is_not_there_is_refused(cli: Cli, model_api: FakeModelApi, tmp_path: Path) -> None:
    for folder in (str(tmp_path / "none"), "~no-such-user/none"):
        assert_refused(cli, run_words(model_api, "--repo", folder), "none' is not a folder")


def test_a_repository_without_commit_is_refused(cli: Cli, model_api: FakeModelApi, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    git(tmp_path / "empty", "init", "-q", "-b", "main")
    assert_refused(cli, run_words(model_api, "--repo", str(tmp_path / "empty")), "no commit yet")


@pytest.mark.parametrize("text", ["a = 1\nb = = 2\n", 'max_steps = 5\n\nmode = "x\n'])
def test_settings_that_are_no_toml_name_the_line(cli: Cli, model_api: FakeModelApi, text: str) -> None:
    file = cli.folders().settings_file
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert_refused(cli, run_words(model_api), str(file), f"line {len(text.splitlines())}")


def test_a_wrong_setting_names_its_line(cli: Cli, model_api: FakeModelApi) -> None:
    file = cli.folders().settings_file
    file.parent.mkdir(parents=True)
    file.write_text('# mine\nmax_attempts = "many"\n')
    assert_refused(cli, run_words(model_api), f"{file}, line 2", "max_attempts")


def test_a_store_in_use_names_the_process(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("never", fault="stall_before"))
    first = cli.start(*run_words(model_api))
    try:
        model_api.wait_for_requests(1)
        assert_refused(cli, run_words(model_api, "--wait", "0"), str(first.pid))
    finally:
        first.send_signal(signal.SIGINT)
        assert finish(first).status == 130


def test_a_store_of_a_newer_version_is_refused(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("ok"))
    assert cli.run(*run_words(model_api)).status == 0
    database = sqlite3.connect(cli.folders().store / "banksman.db")
    database.execute("PRAGMA user_version = 999")
    database.commit()
    database.close()
    assert_refused(cli, run_words(model_api), "newer")


def test_a_mode_that_is_not_there_is_refused(cli: Cli, model_api: FakeModelApi) -> None:
    assert_refused(cli, run_words(model_api, "--mode", "yolo"), "yolo", "plan", "edit", "full-auto")


def test_an_empty_task_is_refused(cli: Cli, model_api: FakeModelApi) -> None:
    assert_refused(cli, ["run", "  ", "--endpoint", model_api.url], "nothing")


def test_no_task_is_refused(cli: Cli) -> None:
    assert_refused(cli, ["run"], "task")


def test_a_missing_key_is_refused_before_anything_is_made(cli: Cli) -> None:
    assert_refused(cli, ["run", "Say hi"], "no key for Anthropic", "ANTHROPIC_API_KEY")
    assert not (cli.folders().lanes).exists()


def test_an_unknown_endpoint_is_refused(cli: Cli) -> None:
    assert_refused(cli, ["run", "Say hi", "--endpoint", "nobody"], "nobody")


@pytest.mark.parametrize(
    "address",
    ["http://example.org", "ftp://127.0.0.1", "https://", "http://127.0.0.1.example.org", "https://user:pw@host",
     "http://localhost@example.org/", "https://host:99999", "https://host/?key=1", "http://[::1"],
)  # fmt: skip
def test_an_address_that_cannot_be_used_is_refused(cli: Cli, address: str) -> None:
    assert_refused(cli, ["run", "Say hi", "--endpoint", address], f"'{address}' cannot be used as an endpoint. ")
    assert not cli.home.exists()


@pytest.mark.promise("guests-R8")
def test_an_agent_that_is_installed_does_the_task(cli: Cli, tmp_path: Path) -> None:
    written_program(tmp_path / "tools" / "bin", "mine-acp", PROGRAM)
    script = json.dumps({"prompts": [[{"write": "made.txt", "content": "x"}, {"say": " and that is all"}]]})
    folders = folders_below(cli.home)
    folders.config.mkdir(parents=True)
    table = f"[[guest]]\nid = 'mine'\nlabel = 'Mine'\nprograms = ['mine-acp']\nargs = [{json.dumps(script)}]\n"
    (folders.config / "guests.toml").write_text(table, encoding="utf-8")
    path = os.pathsep.join((str(tmp_path / "tools" / "bin"), os.environ["PATH"]))
    at_work = Cli(cli.home, cli.folder, {"PATH": path, "SHELL": ""})
    done = finish(at_work.start("run", "Make it", "--driver", "mine", "--mode", "full-auto", "--json"))
    assert done.status == 0, done.stderr
    assert "and that is all" in done.stdout
    missing = finish(at_work.start("run", "Make it", "--driver", "other"))
    assert (missing.status, "There is no agent 'other' here." in missing.stderr) == (2, True)
    mixed = finish(at_work.start("run", "Make it", "--driver", "mine", "--model", "m"))
    assert mixed.status == 2


@pytest.mark.promise("sessions-SV4")
def test_a_gateway_of_the_environment_is_used_and_named_and_no_child_sees_it(cli: Cli, model_api: FakeModelApi) -> None:
    cli.environ |= {"ANTHROPIC_BASE_URL": model_api.url, "ANTHROPIC_AUTH_TOKEN": "token-of-the-gateway"}
    model_api.script(tool_turn("bash", command="env | sort; echo asked"), text_turn("Done."))
    done = cli.run("run", "Look around", "--mode", "full-auto", "--without-sandbox")
    assert done.status == 0, done.stderr
    assert f"Model requests go to {model_api.url}, found in ANTHROPIC_BASE_URL and ANTHROPIC_AUTH_TOKEN." in done.stderr
    assert {request.key for request in model_api.requests} == {"token-of-the-gateway"}
    (finished,) = (one.event for one in cli.log() if isinstance(one.event, ToolCallFinished))
    assert isinstance(finished.content, str)
    assert "asked" in finished.content
    assert "ANTHROPIC" not in finished.content


@pytest.mark.promise("sessions-SV4")
def test_a_service_of_the_settings_goes_before_one_of_the_environment(cli: Cli, model_api: FakeModelApi) -> None:
    write_settings(cli.folders(), model_api.url)
    cli.environ |= {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_AUTH_TOKEN": "token-of-the-gateway"}
    model_api.script(text_turn("Done."))
    done = cli.run("run", "Say hi")
    assert done.status == 0, done.stderr
    assert "Model requests go to" not in done.stderr
    assert [request.key for request in model_api.requests] == [""]
    assert_refused(cli, ["run", "Say hi", "--endpoint", "env-anthropic"], "no endpoint 'env-anthropic'")


@pytest.mark.promise("guests-R8")
def test_an_agent_that_wants_a_sign_in_first_ends_the_run_with_status_2(cli: Cli, tmp_path: Path) -> None:
    written_program(tmp_path / "tools" / "bin", "mine-acp", PROGRAM)
    script = json.dumps({"signed_out": True, "prompts": [[{"say": "Done."}]]})
    folders = folders_below(cli.home)
    folders.config.mkdir(parents=True)
    table = f"[[guest]]\nid = 'mine'\nlabel = 'Mine'\nprograms = ['mine-acp']\nargs = [{json.dumps(script)}]\n"
    (folders.config / "guests.toml").write_text(table, encoding="utf-8")
    path = os.pathsep.join((str(tmp_path / "tools" / "bin"), os.environ["PATH"]))
    at_work = Cli(cli.home, cli.folder, {"PATH": path, "SHELL": ""})
    done = finish(at_work.start("run", "Make it", "--driver", "mine", "--mode", "full-auto", "--json"))
    last = done.lines[-1]
    assert (done.status, last["type"], last["exit_status"]) == (2, "run_ended", 2), done.stderr
    assert "Mine wants you to sign in first. Sign in under Settings › Agents." in last["detail"]
    assert "wants you to sign in first" in done.stderr
