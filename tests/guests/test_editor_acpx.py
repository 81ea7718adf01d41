"""Whole tasks at `banksman acp` with acpx, a program in which people drive agents from their terminal."""

import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.domain.events import InputResolved
from desktop.store.database import open_store
from tests.acp_editor import WAIT_S
from tests.agent.rig import folders_below, git
from tests.cli.running import environment
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.guests.ground import PROGRAMS

pytest_plugins = ("tests.acp_plugin",)
pytestmark = [pytest.mark.guests, pytest.mark.timeout(300)]
AGENT = f"{sys.executable} -m desktop acp"
COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Acpx:
    """The program in one folder, with a home of its own."""

    def __init__(self, home: Path, folder: Path) -> None:
        person = home / "person"
        person.mkdir(parents=True)
        path = os.pathsep.join((str(PROGRAMS), os.environ["PATH"]))
        self._environ = environment(home, HOME=str(person), PATH=path, TERM="dumb")
        self._folder = folder

    def run(self, *words: str) -> str:
        """Run it to its end without a terminal; what it printed."""
        done = subprocess.run(
            self._line(*words), cwd=self._folder, env=self._environ, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=WAIT_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done
        return done.stdout

    def end(self) -> None:
        """End the process that it leaves for its next start, where there is one."""
        subprocess.run(
            self._line("sessions", "close"), cwd=self._folder, env=self._environ, capture_output=True, timeout=WAIT_S,
            check=False,
        )  # fmt: skip

    @contextmanager
    def on_terminal(self, *words: str) -> "Iterator[Terminal]":
        """Run it on a terminal, whose person answers what it asks."""
        mine, its = pty.openpty()
        try:
            with subprocess.Popen(
                self._line(*words), cwd=self._folder, env=self._environ, stdin=its, stdout=its, stderr=its
            ) as process:
                os.close(its)
                try:
                    yield Terminal(mine)
                    assert process.wait(WAIT_S) == 0
                finally:
                    process.kill()
        finally:
            os.close(mine)

    def _line(self, *words: str) -> list[str]:
        return [str(PROGRAMS / "acpx"), "--agent", AGENT, *words]


class Terminal:
    """What is shown on a terminal, and its keyboard."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self.shown = ""

    def until(self, text: str) -> str:
        """Wait until this is shown; all that was shown up to there, since the last call of this."""
        while text not in self.shown:
            assert self.more(WAIT_S), f"{text!r} was not shown: {self.shown}"
        before, _, self.shown = self.shown.partition(text)
        return before

    def more(self, limit_s: float) -> bool:
        """Wait for what is shown next; whether something was."""
        if not select.select([self._handle], [], [], limit_s)[0]:
            return False
        try:
            shown = os.read(self._handle, 65_536)
        except OSError:  # the program has ended
            return False
        self.shown = COLOURS.sub("", self.shown + shown.decode(errors="replace"))
        return True

    def type(self, text: str) -> None:
        """Type on the keyboard."""
        os.write(self._handle, text.encode())


@pytest.fixture
def acpx(home: Path, shop: Path) -> Iterator[Acpx]:
    made = Acpx(home, shop)
    yield made
    made.end()


@pytest.mark.promise("guests-R13")
def test_a_person_allows_one_command_and_declines_another(
    acpx: Acpx, home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(
        tool_turn("write_file", file_path="new.txt", content="one\n"),
        tool_turn("bash", command="touch made"),
        tool_turn("bash", command="rm -rf build"),
        text_turn("All is done."),
    )
    with acpx.on_terminal("exec", "Work on it") as terminal:
        before = terminal.until("[permission] Allow touch made [execute]? (y/N)")
        lane = Path(before.partition("Working in ")[2].partition(", on the branch")[0])
        assert (lane / "new.txt").read_text() == "one\n"
        assert not (lane / "made").exists()
        terminal.type("y\n")
        terminal.until("[permission] Allow rm -rf build [execute]? (y/N)")
        assert (lane / "made").exists()
        terminal.type("n\n")
        assert "All is done." in terminal.until("[done] end_turn")
    assert sorted(one[3:] for one in git(lane, "status", "--porcelain").splitlines()) == ["made", "new.txt"]
    assert git(shop, "status", "--porcelain") == ""
    assert _answers(home) == [("acp:acpx", "allow_once"), ("acp:acpx", "reject")]


@pytest.mark.promise("guests-R9")
def test_a_chat_goes_on_through_several_starts_of_the_program_until_it_is_cancelled(
    acpx: Acpx, shop: Path, model_api: FakeModelApi
) -> None:
    acpx.run("sessions", "new")
    model_api.script(tool_turn("bash", command="touch made"), text_turn("It is made."))
    said = acpx.run("--approve-all", "prompt", "Make it")
    assert "It is made." in said
    lane = Path(said.partition("Working in ")[2].partition(", on the branch")[0])
    assert (lane / "made").exists()
    model_api.script(tool_turn("bash", command="rm -rf made"), text_turn("I leave it."))
    assert "I leave it." in acpx.run("--deny-all", "prompt", "Clean up")
    assert (lane / "made").exists()
    chat, title, place, *_ = acpx.run("sessions", "list").split("\t")
    assert (title, place) == ("Make it", str(lane))
    assert acpx.run("set-mode", "plan") == "mode set: plan\n"
    acpx.run("sessions", "close")
    model_api.script(text_turn("Welcome back."))
    acpx.run("sessions", "new", "--resume-session", chat)
    assert "Welcome back." in acpx.run("prompt", "Go on")
    assert "Make it" in str(model_api.requests[-1].messages)
    model_api.script(tool_turn("bash", command="touch begun; sleep 600"))
    acpx.run("set-mode", "edit")
    with acpx.on_terminal("--approve-all", "prompt", "Wait") as terminal:
        terminal.until("[client] session/request_permission")
        while not (lane / "begun").exists():
            terminal.more(0.05)
        assert "[done]" not in terminal.shown
        acpx.run("cancel")
        terminal.until("[done] cancelled")
    acpx.run("sessions", "close")


def _answers(home: Path) -> list[tuple[str, str]]:
    """Who answered what in the one chat; once no process holds it."""
    store = open_store(folders_below(home).store)
    try:
        (chat,) = store.events.rows()
        log = [one.event for one in store.events.path(chat.session_id)]
    finally:
        store.close()
    return [(one.person, one.answer.outcome) for one in log if isinstance(one, InputResolved)]
