"""A process of a peer: its pipes, its end, and the end of all it started (guests-M3, guests-A39)."""

import asyncio
import contextlib
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from desktop.services.peers.frames import MIB, Frames
from desktop.services.peers.ring import LogRing
from desktop.services.processes.sandbox.frame import FrameEnds, Launch
from desktop.services.processes.tree import CALL_VARIABLE, ProcessFacts, end_others, end_tree, running_below

QUIT_GRACE_S = 2.0
MOST_UNREAD = 64 * MIB


class PeerChild:
    """A started program that we talk with. `frames`: what it writes to its output; `log`: what it writes to its error
    stream. `done` is set when the program itself has ended, `gone` when nothing of it runs any more. `exit_status`: how
    it ended, None while it runs or where nobody knows. `begin` and `close` must be awaited once each."""

    def __init__(
        self, launch: Launch, mark: str, log: LogRing, temp: Path, *, errors: tuple[int, int], longest: int
    ) -> None:
        """`mark`: names all that it starts. `temp`: its own passing folder, which goes with it. `errors`: both ends of
        the pipe for its error stream. `longest`: how many bytes a line of its output may have."""
        self.frames, self.log = Frames(longest), log
        self.gone, self.done = asyncio.Event(), asyncio.Event()
        self.pid = 0
        self.limit = ""
        self.exit_status: int | None = None
        self.launch, self._mark, self._temp, self._errors = launch, mark, temp, errors
        self._transport: asyncio.SubprocessTransport | None = None
        self._room = asyncio.Event()
        self._room.set()
        self._pipes: list[asyncio.BaseTransport] = []
        self._then: list[Callable[[], None]] = []
        self.when_told: Callable[[], None] = _nothing
        """Called with each line that is written to its input."""

    async def send(self, line: bytes) -> None:
        """Write a line to its input; waits while it does not read. Raises BrokenPipeError, as `write`."""
        self.write(line)
        await self._room.wait()

    def write(self, line: bytes) -> None:
        """Write a line to its input.

        Raises:
            BrokenPipeError: it has ended, or closed its input, or left 64 MiB unread.
        """
        pipe = self._transport.get_pipe_transport(0) if self._transport is not None else None
        if not isinstance(pipe, asyncio.WriteTransport) or pipe.is_closing() or self.gone.is_set():
            raise BrokenPipeError
        if pipe.get_write_buffer_size() > MOST_UNREAD:
            raise BrokenPipeError
        pipe.write(line)
        self.when_told()

    def when_closed(self, then: Callable[[], None]) -> None:
        """Call this once nothing of it runs any more."""
        self._then.append(then)

    def end_input(self) -> None:
        """Close its input, which asks it to end."""
        pipe = self._transport.get_pipe_transport(0) if self._transport is not None else None
        if pipe is not None:
            pipe.close()

    async def running(self) -> frozenset[ProcessFacts]:
        """What runs of it now, itself included."""
        return await asyncio.to_thread(running_below, self.pid, self._mark) if self.pid else frozenset()

    async def end_others(self, kept: frozenset[ProcessFacts]) -> tuple[ProcessFacts, ...]:
        """End what runs of it and is not among `kept`, unless it ends by itself within 2 s; what was ended."""
        if self.done.is_set() or not self.pid:
            return ()
        return await end_others(self.pid, self._mark, kept)

    async def close(self) -> None:
        """End it with all it started: asked first, made after 2 s."""
        self.end_input()
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(QUIT_GRACE_S):
                    await self.done.wait()
        finally:
            await asyncio.shield(self._end())

    async def _end(self) -> None:
        ends = self.launch.ends
        if self._transport is not None and not self.gone.is_set():
            await end_tree(self.pid, self._mark, framed=ends is not None)
        if ends is not None:
            asyncio.get_running_loop().remove_reader(ends.control)
            ends.close()
        if self._transport is None:
            self.done.set()
            self.gone.set()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(QUIT_GRACE_S):
                await self.gone.wait()
        self.frames.close()
        for pipe in self._pipes:
            pipe.close()
        if self._transport is not None:
            self._transport.close()
        while self._then:
            self._then.pop()()
        await asyncio.to_thread(shutil.rmtree, self._temp, True)

    def why_ended(self) -> str:
        """What is known of an end that nobody asked for, with its last words."""
        framed = self.launch.ends
        refused = framed.error_text() if framed is not None and not self.log.lines() else ""
        said = refused or self.log.last()
        how = self.how_ended()
        return f"{how.removesuffix('.')}: {said}" if said and not self.limit else how

    def how_ended(self) -> str:
        """The same without words of the program."""
        if self.limit:
            return f"It {self.limit}."
        status = self._transport.get_returncode() if self._transport is not None else None
        if status and self.launch.ends is None:
            return f"It ended with status {status}."
        return "It ended." if self.log.last() else "It ended without a word."

    async def begin(self, cwd: Path) -> None:
        """Start the process and read its pipes. Raises OSError: nothing of it is left then."""
        try:
            await self._begin(cwd)
        except BaseException:
            await asyncio.shield(self._end())
            raise

    async def _begin(self, cwd: Path) -> None:
        ends, loop = self.launch.ends, asyncio.get_running_loop()
        pipe = asyncio.subprocess.PIPE
        reading, writing = self._errors
        file = os.fdopen(reading, "rb", buffering=0)
        try:
            log, _ = await loop.connect_read_pipe(lambda: _Errors(self.log), file)
            self._pipes.append(log)
            transport, _ = await loop.subprocess_exec(
                lambda: _Pipes(self),
                *self.launch.argv,
                stdin=pipe,
                stdout=pipe if ends is None else asyncio.subprocess.DEVNULL,
                stderr=writing if ends is None else ends.errors_end,
                cwd=cwd,
                env={**self.launch.env, CALL_VARIABLE: self._mark},
                start_new_session=sys.platform != "win32",
                pass_fds=() if ends is None else (*ends.inherited, writing),
            )
        finally:
            os.close(writing)
        self._transport, self.pid = transport, transport.get_pid()
        if ends is not None:
            ends.release()
            loop.add_reader(ends.control, self._told, ends)
            await loop.connect_read_pipe(lambda: self.frames, os.fdopen(ends.take_output(), "rb", buffering=0))

    def ended(self) -> None:
        """The process has ended, with all that was in its frame."""
        ends = self.launch.ends
        if ends is not None and ends.control.fileno() >= 0:  # else it was ended here, which the loop tells late
            self._told(ends)
        elif ends is None and self._transport is not None:
            self.exit_status = self._transport.get_returncode()
        self.done.set()
        self.gone.set()
        self._room.set()

    def _told(self, ends: FrameEnds) -> None:
        """Its frame says how the program ended, or has ended itself."""
        asyncio.get_running_loop().remove_reader(ends.control)
        if not self.done.is_set():
            self.exit_status = ends.told_status()
            self.done.set()

    def pause(self, full: bool) -> None:
        """Whether what was written to it is not read for the moment."""
        if full:
            self._room.clear()
        else:
            self._room.set()


class _Pipes(asyncio.SubprocessProtocol):
    """The pipes that the process itself has: its input, and without a frame its output."""

    def __init__(self, child: PeerChild) -> None:
        self._child = child
        self.pause: Callable[[bool], None] = child.pause

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Without a frame: its output."""
        if fd == 1:
            self._child.frames.data_received(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Without a frame: the end of its output."""
        if fd == 1:
            self._child.frames.connection_lost(exc)

    def pause_writing(self) -> None:
        """It does not read what was written."""
        self._child.pause(True)

    def resume_writing(self) -> None:
        """It reads again."""
        self._child.pause(False)

    def process_exited(self) -> None:
        """It has ended."""
        self._child.ended()


class _Errors(asyncio.Protocol):
    """The error stream of a peer."""

    def __init__(self, log: LogRing) -> None:
        self._log = log

    def data_received(self, data: bytes) -> None:
        """More of it."""
        self._log.feed(data)


def _nothing() -> None:
    """Nobody wants to know."""
