"""The pipes of a running command: its output as it comes, the end of its shell, the end of all it started."""

import asyncio
import os
from collections.abc import Callable

from desktop.services.processes.output import CommandOutput
from desktop.services.processes.sandbox.frame import ALONE, FRAME_NAME, READY, FrameEnds

MAX_REPORT_BYTES = 256
_LAUNCH_ERRORS = ("bwrap: ", f"{FRAME_NAME} failed: ", "banksman-overlay failed: ")
_EXIT_OF_SIGNAL = 128


class CommandPipes(asyncio.SubprocessProtocol):
    """Feeds `output` and tells by events what has happened. With `ends` the process is a frame around the command.

    `ready`: a frame waits for its command, or never will. `exited`: the shell has ended. `closed`: nobody holds the
    output any more. `full`: the output's bound is reached. `news`: whoever waits for the end should look. `gone`: the
    process itself has ended, a frame with everything in it. `status`: what the frame told of the shell's end, negative
    for a signal; None while it told nothing. `alone`: it told that nothing of the command runs any more.
    """

    def __init__(self, output: CommandOutput, ends: FrameEnds | None) -> None:
        self.ready = asyncio.Event()
        self.exited = False
        self.closed = asyncio.Event()
        self.full = False
        self.news = asyncio.Event()
        self.gone = asyncio.Event()
        self._then: list[Callable[[], None]] = []
        self.status: int | None = None
        self.alone = False
        self.output = output
        self._ends = ends
        self._reader: asyncio.ReadTransport | None = None
        self._listening = False

    def when_gone(self, then: Callable[[], None]) -> None:
        """Call this as soon as the process itself has ended, now if it has."""
        if self.gone.is_set():
            then()
        else:
            self._then.append(then)

    async def listen(self) -> None:
        """Begin to read a frame's pipes; to be called once it was started."""
        if self._ends is None:
            return
        self._ends.release()
        loop = asyncio.get_running_loop()
        loop.add_reader(self._ends.control.fileno(), self._told)
        self._listening = True
        file = os.fdopen(self._ends.take_output(), "rb", buffering=0)
        self._reader, _ = await loop.connect_read_pipe(lambda: _Output(self), file)

    def take(self, data: bytes) -> None:
        """The next bytes of the output."""
        self.output.add(data)
        if self.output.full:
            self.full = True
            self.news.set()

    def launch_error(self) -> str:
        """Why a frame ended before it could start the command, "" when it did start it."""
        if self._ends is None:
            return ""
        text = self._ends.error_text() if self.status is None else self._error_seen
        return text if text.startswith(_LAUNCH_ERRORS) else ""

    async def wait_gone(self, limit_s: float) -> None:
        """Wait for the end of the process, at most `limit_s`."""
        try:
            async with asyncio.timeout(limit_s):
                await self.gone.wait()
        except TimeoutError:
            return

    def close(self) -> None:
        """Close all pipes; a frame that still runs ends the processes in it."""
        self._stop_listening()
        if self._reader is not None:
            self._reader.close()
        if self._ends is not None:
            self._ends.close()

    _error_seen = ""

    def _told(self) -> None:
        ends = self._ends
        if ends is None:
            return
        try:
            words = ends.control.recv(MAX_REPORT_BYTES).decode("ascii", "replace").split()
        except BlockingIOError:
            return
        except OSError:
            words = []
        self.ready.set()
        if words == [READY]:
            return
        if not words:
            self._stop_listening()
            return
        if self.status is None:
            self._error_seen = ends.error_text()
            self.alone = words[-1] == ALONE
            self.status = _status_of(words[:-1] if self.alone else words, self._error_seen)
            self._exit()

    def _exit(self) -> None:
        self.exited = True
        self.news.set()

    def _stop_listening(self) -> None:
        if self._listening and self._ends is not None:
            asyncio.get_running_loop().remove_reader(self._ends.control.fileno())
            self._listening = False

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Without a frame: the output."""
        self.take(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Without a frame: the end of the output."""
        self.closed.set()

    def process_exited(self) -> None:
        """The process has ended: with a frame all that was in it, else the shell."""
        self._told()
        self.ready.set()
        self.gone.set()
        self._exit()
        for then in self._then:
            then()
        self._then.clear()


class _Output(asyncio.Protocol):
    """The reading end of a frame's output."""

    def __init__(self, pipes: CommandPipes) -> None:
        self._pipes = pipes

    def data_received(self, data: bytes) -> None:
        self._pipes.take(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._pipes.closed.set()


def _status_of(words: list[str], errors: str) -> int | None:
    """`exit 3`, `signal 9`, or bash's own number, where its words on the error output tell a signal from an exit."""
    try:
        if words[0] == "signal":
            return -int(words[1])
        number = int(words[-1])
    except (ValueError, IndexError):
        return None
    if words[0] != "exit" and number > _EXIT_OF_SIGNAL and errors:
        return _EXIT_OF_SIGNAL - number
    return number
