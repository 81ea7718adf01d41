"""One bash command from its start to its end: pipe, limits, time-out, what it leaves behind."""

import asyncio
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

from desktop.services.command_output import CommandOutput
from desktop.services.process_tree import CALL_VARIABLE, end_tree, members

PIPE_GRACE_S = 2.0
PROGRESS_EVERY_S = 0.25
MAX_FILE_SIZE = 1024**3
MAX_OPEN_FILES = 4096

OnOutput = Callable[[str, int], None]
Ending = Literal["exited", "timed_out", "output_limit", "stopped"]


@dataclass(frozen=True)
class Completed:
    """How a command ended. `exit_code` None: it was ended by a signal (`signal_name`) or its status is unknown.

    `output` still holds what it printed. `leftovers`: processes that kept the pipe after the shell had ended.
    `survivors`: processes that could not be ended. `processes`: how many were ended, 0 when it ended by itself.
    """

    ending: Ending
    exit_code: int | None
    signal_name: str
    duration_s: float
    output: CommandOutput
    leftovers: tuple[int, ...] = ()
    survivors: tuple[int, ...] = ()
    processes: int = 0

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with exit code 0."""
        return self.ending == "exited" and self.exit_code == 0


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _set_limits(pid: int) -> None:
    """No core files, 1 GiB a file, 4,096 open files (gate-S21). Linux only; elsewhere nothing is done."""
    if sys.platform != "linux":
        return
    try:
        process = psutil.Process(pid)
        process.rlimit(psutil.RLIMIT_CORE, (0, 0))
        process.rlimit(psutil.RLIMIT_FSIZE, (MAX_FILE_SIZE, MAX_FILE_SIZE))
        hard = process.rlimit(psutil.RLIMIT_NOFILE)[1]
        most = MAX_OPEN_FILES if hard == psutil.RLIM_INFINITY else min(MAX_OPEN_FILES, hard)
        process.rlimit(psutil.RLIMIT_NOFILE, (most, most))
    except (psutil.Error, OSError, ValueError):
        return


class _Pipe(asyncio.SubprocessProtocol):
    """Feeds the output and tells when the shell has ended and when nobody holds the pipe any more."""

    def __init__(self, output: CommandOutput) -> None:
        self.exited = asyncio.Event()
        self.closed = asyncio.Event()
        self.full = asyncio.Event()
        self._output = output

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._output.add(data)
        if self._output.full:
            self.full.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self.closed.set()

    def process_exited(self) -> None:
        self.exited.set()


class RunningCommand:
    """A started command. Make it with `start`; `finish` must be awaited once, by one task."""

    def __init__(self, command: str, call_mark: str, output: CommandOutput) -> None:
        self.command = command
        self.call_mark = call_mark
        self.output = output
        self.pid = 0
        self.started = time.monotonic()
        self._pipe = _Pipe(output)
        self._transport: asyncio.SubprocessTransport | None = None
        self._stop = asyncio.Event()

    @classmethod
    async def start(
        cls, bash: str, command: str, *, cwd: Path, env: Mapping[str, str], call_mark: str, output: CommandOutput
    ) -> "RunningCommand":
        """Run `command` as one argument of bash, unchanged, standard input closed, in a process group of its own.

        Raises:
            OSError: bash or the folder cannot be used.
        """
        running = cls(command, call_mark, output)
        argv = (bash, "--noprofile", "--norc", "-c", "--", command)
        transport, _ = await asyncio.get_running_loop().subprocess_exec(
            lambda: running._pipe,
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=cwd,
            env={**env, CALL_VARIABLE: call_mark},
            start_new_session=sys.platform != "win32",
        )
        running._transport = transport
        running.pid = transport.get_pid()
        _set_limits(running.pid)
        return running

    def stop(self) -> None:
        """Let `finish` end the tree and return with ending `stopped`."""
        self._stop.set()

    async def finish(self, timeout_s: float, on_output: OnOutput | None = None) -> Completed:
        """Wait for the end, at most `timeout_s`; a tree that has to be ended is ended before this returns.

        `on_output` gets the last characters and the byte count, at most four times a second. When the waiting task is
        cancelled the tree is ended first and CancelledError raised then.
        """
        try:
            ending = await self._wait(timeout_s, on_output)
            leftovers: tuple[int, ...] = ()
            ended, survivors = 0, tuple[int, ...]()
            if ending == "exited":
                leftovers = await self._release_pipe()
                if self.output.full:
                    ending = "output_limit"
            if ending != "exited":
                ended, survivors = await end_tree(self.pid, self.call_mark)
            return self._completed(ending, leftovers, ended, survivors)
        except asyncio.CancelledError:
            await self._end_shielded()
            raise
        finally:
            self._close()

    async def _wait(self, timeout_s: float, on_output: OnOutput | None) -> Ending:
        events: tuple[tuple[asyncio.Event, Ending], ...] = (
            (self._pipe.exited, "exited"),
            (self._pipe.full, "output_limit"),
            (self._stop, "stopped"),
        )
        waits = {asyncio.create_task(event.wait()): ending for event, ending in events}
        deadline = self.started + timeout_s
        shown = 0
        try:
            while (left := deadline - time.monotonic()) > 0:
                done, _ = await asyncio.wait(waits, timeout=min(left, PROGRESS_EVERY_S) if on_output else left,
                                             return_when=asyncio.FIRST_COMPLETED)  # fmt: skip
                if on_output is not None and self.output.total != shown:
                    shown = self.output.total
                    on_output(self.output.recent, shown)
                for task, ending in waits.items():
                    if task in done:
                        return ending
            return "timed_out"
        finally:
            for task in waits:
                task.cancel()

    async def _release_pipe(self) -> tuple[int, ...]:
        """Wait for the last output; a child that keeps the pipe does not hold the call for longer than 2 s."""
        try:
            async with asyncio.timeout(PIPE_GRACE_S):
                await self._pipe.closed.wait()
            return ()
        except TimeoutError:
            left = await asyncio.to_thread(members, self.pid, self.call_mark)
            return tuple(sorted(process.pid for process in left))

    async def _end_shielded(self) -> None:
        ending = asyncio.create_task(end_tree(self.pid, self.call_mark))
        while not ending.done():
            try:
                await asyncio.shield(ending)
            except asyncio.CancelledError:
                continue

    def _completed(
        self, ending: Ending, leftovers: tuple[int, ...], ended: int, survivors: tuple[int, ...]
    ) -> Completed:
        status = self._transport.get_returncode() if self._transport is not None else None
        return Completed(
            ending=ending,
            exit_code=status if status is not None and status >= 0 else None,
            signal_name=_signal_name(-status) if status is not None and status < 0 else "",
            duration_s=time.monotonic() - self.started,
            output=self.output,
            leftovers=leftovers,
            survivors=survivors,
            processes=ended,
        )

    def _close(self) -> None:
        self.output.close()
        if self._transport is not None:
            self._transport.close()
