"""Programs as people use them in a terminal, those of them that this machine has."""

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.domain.terminals.updates import TerminalScreen, row_text
from desktop.services.terminals.pty import open_terminal, start_shell
from desktop.services.terminals.terminal import Terminal, TerminalPlace

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal"),
]


class Typist:
    """A person at a terminal of 60 by 12."""

    def __init__(self) -> None:
        self.rows: list[str] = [""] * 12
        self.last: TerminalScreen | None = None
        self.terminal: Terminal | None = None

    def take(self, frame: TerminalScreen) -> None:
        self.last = frame
        for at, row in frame.change.rows:
            self.rows[at] = row_text(row)
        if self.terminal is not None:
            self.terminal.shown(frame.frame)

    async def types(self, text: str, until: str, *, mode: str = "") -> None:
        """Type and wait until that is on the screen."""
        assert self.terminal is not None
        self.terminal.send(text)
        try:
            async with asyncio.timeout(10):
                while until not in "\n".join(self.rows) or (
                    self.last is not None and mode not in (*self.last.modes, "")
                ):
                    await asyncio.sleep(0.01)
        except TimeoutError:
            raise AssertionError(f"{until!r} is not on the screen:\n" + "\n".join(self.rows)) from None


@pytest_asyncio.fixture
async def person(tmp_path: Path) -> AsyncIterator[Typist]:
    person, loop = Typist(), asyncio.get_running_loop()
    ours, theirs = open_terminal(60, 12)
    env = {"TERM": "xterm-256color", "PATH": "/usr/bin:/bin", "PS1": "$ ", "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    process = await start_shell(["/bin/sh"], theirs, cwd=tmp_path, env=env)
    ended = asyncio.Event()
    person.terminal = Terminal(
        TerminalPlace("t", "l", ours, process.pid, 60, 12),
        lambda frame: loop.call_soon_threadsafe(person.take, frame),
        lambda kept: loop.call_soon_threadsafe(ended.set),
    )
    person.terminal.start()
    await person.types("", "$")
    yield person
    person.terminal.close()
    async with asyncio.timeout(10):
        await ended.wait()
        person.terminal.release()
        await process.wait()


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program, path="/usr/bin:/bin") is None, reason=f"{program} is not here")


@needs("less")
async def test_a_pager_turns_pages_and_gives_the_screen_back(person: Typist, tmp_path: Path) -> None:
    (tmp_path / "poem").write_text("".join(f"verse {n}\n" for n in range(1, 100)))
    await person.types("less poem\r", "verse 11\n")
    assert person.rows[0] == "verse 1"
    await person.types(" ", "verse 22\n")
    await person.types("/verse 50\r", "verse 50\n")
    await person.types("q", "$ less poem")


@needs("vi")
async def test_an_editor_writes_a_file(person: Typist, tmp_path: Path) -> None:
    await person.types("vi note\r", "~", mode="alternate")
    await person.types("ihello wörld\x1b", "hello wörld")
    await person.types("yyp", "hello wörld\nhello wörld")
    await person.types(":wq\r", "$ vi note")
    assert (tmp_path / "note").read_text("utf-8") == "hello wörld\nhello wörld\n"
    assert person.last is not None
    assert "alternate" not in person.last.modes


async def test_an_interpreter_answers_and_its_interrupt_works(person: Typist) -> None:
    await person.types(f"{sys.executable} -q -I\r", ">>>")
    await person.types("6 * 7\r", "42\n")
    await person.types("while True: pass\r\r", "pass")
    await asyncio.sleep(0.2)
    await person.types("\x03", "KeyboardInterrupt")
    await person.types("\x04", "$")


async def test_the_next_command_is_known_though_it_came_at_once_after_a_long_one(person: Typist) -> None:
    """What runs is looked at once a second while it does; a command typed in that second is a command all the same."""
    assert person.terminal is not None
    await person.types("sleep 0.4; echo d$((1+1))\r", "d2")
    await person.types("echo gross\r", "\ngross")

    def found() -> bool:
        last = person.last
        return last is not None and last.command is not None and "echo gross" in person.rows[last.command[0]]

    async with asyncio.timeout(20):
        while not found():
            await asyncio.sleep(0.01)
