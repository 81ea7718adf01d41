"""`banksman` as child processes: a home below tmp_path, a repository, a model service, with and without a terminal."""

import codecs
import json
import os
import pty
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop.config.folders import Folders
from desktop.domain.events import Envelope
from desktop.services.settings.environment import VARIABLES as SERVICE_VARIABLES
from desktop.store.database import open_store
from tests.agent.rig import folders_below
from tests.forking import Forked, fork, fork_on_terminal

ROOT = Path(__file__).parents[2]
WAIT_S = 60.0
PROGRAM = "tests.cli.program"
WINDOW_PROGRAM = "tests.cli.window_program"
_UNSET = (*SERVICE_VARIABLES, "PYTHONWARNINGS")


def environment(home: Path, **more: str) -> dict[str, str]:
    """What a child inherits: no key, no keyring, everything of the product below `home`."""
    kept = {name: value for name, value in os.environ.items() if name not in _UNSET}
    own = {"BANKSMAN_HOME": str(home), "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring", "LANGUAGE": "en"}
    return {**kept, **own, "PYTHONPATH": str(ROOT), "GIT_CONFIG_GLOBAL": os.devnull, **more}


@dataclass(frozen=True)
class Finished:
    """A child that has ended."""

    status: int
    stdout: str
    stderr: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Standard output as the JSON objects that its lines are."""
        return [json.loads(line) for line in self.stdout.splitlines()]


@dataclass
class Cli:
    """Runs `python -m desktop` with the home and in the folder given."""

    home: Path
    folder: Path
    environ: dict[str, str] = field(default_factory=dict)

    def start(self, *words: str) -> Forked:
        """A child without a terminal, forked from one that has loaded everything."""
        return fork(PROGRAM, list(words), self.folder, environment(self.home, **self.environ))

    def start_anew(self, *words: str) -> "subprocess.Popen[bytes]":
        """A child without a terminal, from its first import."""
        return subprocess.Popen(
            [sys.executable, "-m", "desktop", *words],
            cwd=self.folder,
            env=environment(self.home, **self.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *words: str) -> Finished:
        """A child without a terminal, to its end."""
        return finish(self.start(*words))

    def terminal(self, *words: str) -> "Terminal":
        """A child on a terminal of its own."""
        return Terminal(list(words), self.folder, environment(self.home, **self.environ))

    def folders(self) -> Folders:
        """Where the child keeps things."""
        return folders_below(self.home)

    def log(self) -> list[Envelope]:
        """The one chat of a run in the store; empty if there is none."""
        store = open_store(self.folders().store)
        try:
            (row,) = [row for row in store.events.rows(None) if row.kind == "hosted"] or (None,)
            return store.events.path(row.session_id) if row is not None else []
        finally:
            store.close()


def finish(child: "Forked | subprocess.Popen[bytes]") -> Finished:
    """Wait for the end of a child; what it printed."""
    with child:
        stdout, stderr = child.communicate(timeout=WAIT_S)
        assert child.returncode is not None
    return Finished(child.returncode, (stdout or b"").decode(), (stderr or b"").decode())


class Terminal:
    """A child whose input, output and errors are one pseudo-terminal. Close it, or use it as a context manager."""

    def __init__(self, words: list[str], folder: Path, environ: dict[str, str]) -> None:
        self.shown = ""
        self._read = codecs.getincrementaldecoder("utf-8")()
        self._handle, end = pty.openpty()
        self._child = fork_on_terminal(PROGRAM, words, folder, environ, end)
        os.close(end)
        os.set_blocking(self._handle, False)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._child.pid

    def until(self, text: str) -> str:
        """Wait until the text was shown since the last call of this; what was shown up to there."""
        self._wait(lambda: text in self.shown, f"{text!r} was not shown")
        seen, _, self.shown = self.shown.partition(text)
        return seen + text

    def type(self, text: str) -> None:
        """Type on the keyboard."""
        os.write(self._handle, text.encode())

    def status(self) -> int:
        """Wait for the end and for all that was shown; the exit status."""
        self._wait(lambda: self._child.poll() is not None, "the program did not end")
        while self._shows_more():
            pass
        return self._child.wait()

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *error: object) -> None:
        with self._child:
            os.close(self._handle)

    def _wait(self, holds: Callable[[], bool], problem: str) -> None:
        limit = time.monotonic() + WAIT_S
        while not holds():
            if time.monotonic() > limit:
                raise AssertionError(f"{problem}; on screen:\n{self.shown}")
            if not self._shows_more():
                time.sleep(0.01)

    def _shows_more(self) -> bool:
        try:
            self.shown += self._read.decode(os.read(self._handle, 65536)).replace("\r", "")
        except OSError:  # nothing is there now, or nobody writes any more
            return False
        return True
