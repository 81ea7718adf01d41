"""Checks that run beside another one: quietly, and what they said is shown when it has ended. Standard library only."""

import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path


def title(command: list[str]) -> str:
    """The line above what a check says."""
    return f"— {Path(command[0]).name} {' '.join(command[1:])}"


class Beside:
    """Runs commands in a folder one after the other, to the first that fails. A context manager: none of them runs
    after it."""

    def __init__(self, commands: list[list[str]], folder: Path, environment: dict[str, str]) -> None:
        self.status = 0
        self._commands, self._folder, self._environment = commands, folder, environment
        self._said: list[str] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._cancelled = False
        self._thread: threading.Thread | None = None

    def start(self, at_failure: Callable[[], None]) -> None:
        """Begin with the first; `at_failure` is called from another thread, once."""
        self._thread = threading.Thread(target=self._run, args=(at_failure,))
        self._thread.start()

    def wait(self) -> int:
        """Wait for the last and show what all of them said; the status of the one that failed, or 0."""
        if self._thread is not None:
            self._thread.join()
        print("\n".join(self._said), flush=True)
        return self.status

    def __enter__(self) -> "Beside":
        return self

    def __exit__(self, *_: object) -> None:
        self._cancelled = True
        self._end_process()
        if self._thread is not None:
            self._thread.join()

    def _run(self, at_failure: Callable[[], None]) -> None:
        for command in self._commands:
            status = self._run_one(command)
            if self._cancelled:
                return
            if status:
                self.status = status
                at_failure()
                return

    def _run_one(self, command: list[str]) -> int:
        with tempfile.TemporaryFile() as output:
            self._process = subprocess.Popen(
                command,
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # what it starts ends with it
            )
            if self._cancelled:
                self._end_process()
            status = self._process.wait()
            output.seek(0)
            self._said += [title(command), output.read().decode(errors="replace").rstrip()]
        return status

    def _end_process(self) -> None:
        process = self._process
        if process is None or process.poll() is not None:
            return
        if os.name == "nt":
            process.terminate()
        else:
            os.killpg(process.pid, signal.SIGTERM)


def ask_to_end(process: "subprocess.Popen[bytes]") -> None:
    """As Ctrl+C does, where that can be done: what it began is cleaned up."""
    if os.name == "nt":
        process.terminate()
    else:
        process.send_signal(signal.SIGINT)
