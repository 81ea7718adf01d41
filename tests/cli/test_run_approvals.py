"""`banksman run --approvals DIR` in real processes: cards as files, answers that count, and those that do not."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.domain.events import InputResolved, ToolCallFinished
from desktop.domain.gate.events import RuleSaved
from tests.agent.rig import make_repository
from tests.cli.running import WAIT_S, Cli, Finished, finish
from tests.cli.test_run_lines import ended
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.forking import Forked

BASH = tool_turn("bash", command="touch made.txt")
AGAIN = tool_turn("bash", command="touch second.txt")


@pytest.fixture
def model_api() -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        yield api


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "home", make_repository(tmp_path / "shop"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "approvals"
    made.mkdir(mode=0o700)
    return made


class Pipeline:
    """A run with a folder of approvals, and who answers in it."""

    def __init__(self, cli: Cli, api: FakeModelApi, folder: Path, *more: str, task: str = "Go") -> None:
        self.folder = folder
        words = ["run", *([task] if task else []), "--endpoint", api.url, "--json", "--approvals", str(folder), *more]
        self._child: Forked = cli.start(*words)

    def card(self, after: str = "") -> dict[str, Any]:
        """The next card, not the one of the id `after`."""
        file = self._wait(lambda: next((one for one in self.folder.glob("inp_*[!r].json") if one.stem != after), None))
        card: dict[str, Any] = json.loads(file.read_text())
        return card

    def answer(self, card: dict[str, Any], **said: object) -> None:
        """Answer it, by a rename as is asked for."""
        passing = self.folder / "passing"
        passing.write_text(json.dumps({"digest": card["digest"], **said}))
        passing.rename(self.answer_file(card))

    def answer_file(self, card: dict[str, Any]) -> Path:
        """The file that answers it."""
        return self.folder / f"{card['input_id']}.answer.json"

    def error(self, card: dict[str, Any]) -> str:
        """Why an answer was refused; it is forgotten then, so that the next one can be told."""
        file = self.folder / f"{card['input_id']}.error"
        self._wait(lambda: file if file.exists() and not os.path.lexists(self.answer_file(card)) else None)
        said: str = json.loads(file.read_text())["error"]
        file.unlink()
        return said

    def stop(self) -> None:
        """A polite kill."""
        self._child.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """An end without any notice."""
        self._child.send_signal(signal.SIGKILL)
        self.done()

    def done(self) -> Finished:
        """The end of the run."""
        return finish(self._child)

    def _wait(self, found: Callable[[], Path | None]) -> Path:
        limit = time.monotonic() + WAIT_S
        while (file := found()) is None:
            if self._child.poll() is not None:
                refuse_without_sandbox(done := self.done())
                raise AssertionError(f"the run ended: {done.stderr}")
            assert time.monotonic() < limit
            time.sleep(0.02)
        return file


def refuse_without_sandbox(done: Finished) -> None:
    """Skip where nothing hides the folder from commands."""
    if "Commands of agents can see" in done.stderr:
        pytest.skip("no sandbox works on this machine")


def finished(cli: Cli) -> list[ToolCallFinished]:
    """How the calls of the one chat ended."""
    return [e.event for e in cli.log() if isinstance(e.event, ToolCallFinished)]


@pytest.mark.promise("guests-R4")
def test_a_card_is_a_file_and_a_file_allows_it(cli: Cli, model_api: FakeModelApi, folder: Path) -> None:
    model_api.script(BASH, text_turn("Done."))
    run = Pipeline(cli, model_api, folder)
    card = run.card()
    assert card["title"] == "touch made.txt"
    assert "touch made.txt" in card["text"]
    assert card["request"]["arguments"]["command"] == "touch made.txt"
    assert (folder / f"{card['input_id']}.json").stat().st_mode & 0o777 == 0o600
    run.answer(card, outcome="allow_once")
    done = run.done()
    last = ended(done)
    assert (last["status"], last["declined"]) == ("completed", 0)
    assert (Path(last["lane"]) / "made.txt").exists()
    (waiting,) = [line for line in done.lines if line["type"] == "waiting"]
    assert (waiting["input_id"], waiting["digest"]) == (card["input_id"], card["digest"])
    (resolved,) = [e.event for e in cli.log() if isinstance(e.event, InputResolved)]
    assert (resolved.answer.outcome, resolved.person, resolved.digest) == ("allow_once", "person", card["digest"])
    assert list(folder.iterdir()) == []


def test_a_decline_with_its_reason_reaches_the_model(cli: Cli, model_api: FakeModelApi, folder: Path) -> None:
    model_api.script(BASH, text_turn("Fine."))
    run = Pipeline(cli, model_api, folder, "--strict")
    run.answer(run.card(), outcome="reject", note="Not on a Friday.")
    last = ended(run.done())
    assert (last["exit_status"], last["declined"], last["unanswered"]) == (0, 1, 0)
    assert "Not on a Friday." in str(model_api.requests[1].messages[-1])


def test_an_answer_for_the_run_saves_the_second_question(cli: Cli, model_api: FakeModelApi, folder: Path) -> None:
    model_api.script(BASH, AGAIN, text_turn("Done."))
    run = Pipeline(cli, model_api, folder)
    run.answer(run.card(), outcome="allow_always", scope="session")
    assert ended(run.done())["declined"] == 0
    assert [call.outcome for call in finished(cli)] == ["ok", "ok"]
    assert [e.event.rule.scope for e in cli.log() if isinstance(e.event, RuleSaved)] == ["session"]


@pytest.mark.promise("guests-R4")
def test_a_card_that_nobody_answers_in_time_is_declined_as_that(
    cli: Cli, model_api: FakeModelApi, folder: Path
) -> None:
    model_api.script(BASH, text_turn("Fine."))
    run = Pipeline(cli, model_api, folder, "--approval-timeout", "1", "--strict")
    done = run.done()
    refuse_without_sandbox(done)
    last = ended(done)
    assert (last["exit_status"], last["declined"], last["unanswered"]) == (4, 1, 1)
    (resolved,) = [e.event for e in cli.log() if isinstance(e.event, InputResolved)]
    assert (resolved.reason, resolved.person) == ("no_person", "")
    assert "nobody can answer here" in str(model_api.requests[1].messages[-1])
    assert list(folder.iterdir()) == []


@pytest.mark.promise("guests-R4")
def test_answers_that_do_not_fit_are_refused_and_the_card_stays(
    cli: Cli, model_api: FakeModelApi, folder: Path
) -> None:
    model_api.script(BASH, text_turn("Done."))
    run = Pipeline(cli, model_api, folder)
    card = run.card()
    run.answer({**card, "digest": "0" * 64}, outcome="allow_once")
    assert "digest is not that of the request" in run.error(card)
    run.answer(card, outcome="yes")
    assert "outcome" in run.error(card)
    run.answer(card, outcome="allow_once", more=1)
    assert "more" in run.error(card)
    run.answer(card, outcome="allow_once", scope="project")
    assert "allow_always" in run.error(card)
    run.answer(card, outcome="cancelled")
    assert "outcome of an answer" in run.error(card)
    run.answer(card, outcome="answered")
    assert "does not fit the request" in run.error(card)
    run.answer_file(card).write_bytes(b"\xff" * 70_000)
    assert "64 KiB" in run.error(card)
    run.answer_file(card).write_text("{")
    assert "cannot be read" in run.error(card)
    os.mkfifo(run.answer_file(card))
    assert "no plain file" in run.error(card)
    run.answer_file(card).write_bytes(b"[" * 60_000)
    assert "cannot be read" in run.error(card)
    os.link(folder / f"{card['input_id']}.json", run.answer_file(card))
    assert "by another name too" in run.error(card)
    with run.answer_file(card).open("wb") as huge:
        huge.truncate(1 << 40)
    assert "64 KiB" in run.error(card)
    assert (folder / f"{card['input_id']}.json").exists()
    run.answer(card, outcome="allow_once")
    assert ended(run.done())["declined"] == 0


@pytest.mark.promise("guests-R4")
def test_an_answer_that_is_a_link_or_older_than_its_card_is_refused(
    cli: Cli, model_api: FakeModelApi, folder: Path, tmp_path: Path
) -> None:
    model_api.script(BASH, text_turn("Done."))
    run = Pipeline(cli, model_api, folder)
    card = run.card()
    elsewhere = tmp_path / "answer.json"
    elsewhere.write_text(json.dumps({"digest": card["digest"], "outcome": "allow_once"}))
    run.answer_file(card).symlink_to(elsewhere)
    assert "link" in run.error(card)
    assert elsewhere.exists()
    os.utime(elsewhere, (1, 1))
    elsewhere.rename(run.answer_file(card))
    assert "older than the request" in run.error(card)
    run.answer(card, outcome="reject")
    assert ended(run.done())["declined"] == 1


@pytest.mark.promise("guests-R4")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_an_answer_and_a_folder_of_somebody_else_are_refused(
    cli: Cli, model_api: FakeModelApi, folder: Path, tmp_path: Path
) -> None:
    model_api.script(BASH, text_turn("Done."))
    run = Pipeline(cli, model_api, folder)
    card = run.card()
    theirs = tmp_path / "theirs.json"
    theirs.write_text(json.dumps({"digest": card["digest"], "outcome": "allow_once"}))
    os.chown(theirs, 65534, 65534)
    theirs.rename(run.answer_file(card))
    assert "somebody else" in run.error(card)
    run.answer(card, outcome="reject")
    run.done()
    os.chown(folder, 65534, 65534)
    done = cli.run("run", "Go", "--endpoint", model_api.url, "--json", "--approvals", str(folder))
    assert (ended(done)["exit_status"], "belongs to somebody else" in done.stderr) == (2, True)


def test_what_cannot_be_undone_needs_its_word(cli: Cli, model_api: FakeModelApi, folder: Path) -> None:
    model_api.script(tool_turn("bash", command="git clean -fdx"), text_turn("Done."))
    run = Pipeline(cli, model_api, folder)
    card = run.card()
    if not card["confirm_word"]:
        pytest.skip("this call can be undone here")
    run.answer(card, outcome="allow_once")
    assert card["confirm_word"] in run.error(card)
    run.answer(card, outcome="allow_once", confirm=card["confirm_word"])
    assert ended(run.done())["declined"] == 0


def test_a_question_is_answered_by_its_options(cli: Cli, model_api: FakeModelApi, folder: Path) -> None:
    asked = {"question": "Which colour?", "header": "Colour", "options": [{"label": "Red"}, {"label": "Blue"}]}
    model_api.script(tool_turn("ask_user", questions=[asked]), text_turn("Thank you."))
    run = Pipeline(cli, model_api, folder)
    card = run.card()
    (question,) = card["request"]["questions"]
    run.answer(card, outcome="answered", choices={question["id"]: [question["options"][1]["value"]]})
    assert ended(run.done())["status"] == "completed"
    assert "Blue" in str(model_api.requests[1].messages[-1])


def test_a_stop_takes_the_card_away(cli: Cli, model_api: FakeModelApi, folder: Path) -> None:
    model_api.script(BASH)
    run = Pipeline(cli, model_api, folder)
    run.card()
    run.stop()
    assert ended(run.done())["status"] == "interrupted"
    assert list(folder.iterdir()) == []


# Folders that commands could reach


@pytest.mark.promise("guests-R4")
@pytest.mark.parametrize("place", ["shop/approvals", "home/data/lanes/approvals", "home/data/approvals"])
def test_a_folder_where_agents_work_is_refused(cli: Cli, model_api: FakeModelApi, tmp_path: Path, place: str) -> None:
    (tmp_path / place).mkdir(mode=0o700, parents=True)
    done = cli.run("run", "Go", "--endpoint", model_api.url, "--json", "--approvals", str(tmp_path / place))
    last = ended(done)
    assert (last["exit_status"], last["lane"]) == (2, "")
    assert "where agents work" in last["detail"]
    assert model_api.requests == []


@pytest.mark.promise("guests-R4")
def test_a_folder_that_commands_see_is_refused(cli: Cli, model_api: FakeModelApi) -> None:
    place = Path("/opt/banksman-approvals-of-a-test")
    try:
        place.mkdir(mode=0o700)
    except OSError:
        pytest.skip("no folder can be made there")
    try:
        done = cli.run("run", "Go", "--endpoint", model_api.url, "--json", "--approvals", str(place))
        assert "can see the approvals folder" in ended(done)["detail"]
    finally:
        place.rmdir()


def test_a_folder_that_is_a_link_open_to_others_or_absent_is_refused(
    cli: Cli, model_api: FakeModelApi, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(folder)
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o750)
    for name, why in (("link", "it is a link or no folder"), ("open", "chmod 700"), ("none", "no such file")):
        done = cli.run("run", "Go", "--endpoint", model_api.url, "--json", "--approvals", str(tmp_path / name))
        assert (ended(done)["exit_status"], why in done.stderr) == (2, True), done.stderr


@pytest.mark.promise("guests-R4")
def test_a_folder_that_an_mcp_server_sees_is_refused(
    cli: Cli, model_api: FakeModelApi, folder: Path, tmp_path: Path
) -> None:
    tools = tmp_path / "tools"
    (tools / "bin").mkdir(parents=True)
    (tools / "bin" / "server").write_text("#!/bin/sh\n")
    (tools / "bin" / "server").chmod(0o755)
    (tools / "bin" / "approvals").mkdir(mode=0o700)
    own = cli.folders().config / "mcp.toml"
    own.parent.mkdir(parents=True, exist_ok=True)
    for place, server in (
        (folder, f'command = ["true"]\nread = ["{tmp_path}"]\n'),
        (tools / "bin" / "approvals", f'command = ["{tools}/bin/server"]\n'),
    ):
        own.write_text(f'[[server]]\nid = "files"\n{server}')
        done = cli.run("run", "Go", "--endpoint", model_api.url, "--json", "--approvals", str(place))
        last = ended(done)
        assert (last["exit_status"], "MCP server files can see the approvals folder" in last["detail"]) == (2, True)
    assert model_api.requests == []
    own.write_text(f'[[server]]\nid = "files"\ncommand = ["true"]\nread = ["{tools}"]\n')
    model_api.script(text_turn("Done."))
    assert (
        ended(cli.run("run", "Go", "--endpoint", model_api.url, "--json", "--approvals", str(folder)))["exit_status"]
        == 0
    )


@pytest.mark.promise("guests-R4")
def test_neither_a_hook_nor_a_command_can_answer_a_card(cli: Cli, model_api: FakeModelApi, folder: Path) -> None:
    place = cli.folders().config
    place.mkdir(parents=True, exist_ok=True)
    (place / "hooks.toml").write_text(
        '[[hook]]\nid = "bell"\non = "on_card"\ncommand = "echo x > ' + f'{folder}/planted"\n'
        '[[hook]]\nid = "look"\non = "before_call"\ncommand = "test ! -e ' + f'{folder}"\n'
    )
    model_api.script(tool_turn("bash", command=f"mkdir -p {folder}; echo x > {folder}/planted"), text_turn("Done."))
    run = Pipeline(cli, model_api, folder)
    card = run.card()
    run.answer(card, outcome="allow_once")
    assert ended(run.done())["declined"] == 0, "the hook before the call saw no folder, so it passed"
    assert not (folder / "planted").exists()
