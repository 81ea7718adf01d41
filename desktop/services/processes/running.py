"""One bash command from its start to its end: pipe, limits, time-out, what it leaves behind."""

import asyncio
import contextlib
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from desktop.domain.core.errors import BanksmanError
from desktop.records import dataclass
from desktop.services.processes.output import CommandOutput
from desktop.services.processes.pipes import CommandPipes
from desktop.services.processes.sandbox.frame import Launch
from desktop.services.processes.sandbox.profile import SandboxProfile
from desktop.services.processes.sandbox.resource_watch import ResourceWatch, Watched, enough_disk
from desktop.services.processes.tree import CALL_VARIABLE, end_tree, members, without_frame

PIPE_GRACE_S = 2.0
FRAME_GRACE_S = 0.1
PROGRESS_EVERY_S = 0.25

OnOutput = Callable[[str, int], None]
Ending = Literal["exited", "timed_out", "output_limit", "stopped"]


class LaunchFailed(BanksmanError):
    """The sandbox around a command did not come up; the command did not run."""


@dataclass(frozen=True)
class Completed:
    """The end of a command. `exit_code` None: it was ended by a signal (`signal_name`) or its status is unknown.

    `output` still holds what it printed. `leftovers`: processes that kept the pipe after the shell had ended.
    `survivors`: processes that could not be ended. `processes`: how many were ended, 0 when it ended by itself.
    `blocked`: what the sandbox kept it from, in words, "" when that cannot be told or nothing was. `limit`: which limit
    it reached, as `used more than 8 GiB of memory`, "" for none; it was ended for that when `ending` is `stopped`.
    """

    ending: Ending
    exit_code: int | None
    signal_name: str
    duration_s: float
    output: CommandOutput
    leftovers: tuple[int, ...] = ()
    survivors: tuple[int, ...] = ()
    processes: int = 0
    blocked: str = ""
    limit: str = ""

    @property
    def ok(self) -> bool:
        """Whether the command ended by itself with exit code 0."""
        return self.ending == "exited" and self.exit_code == 0


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _raw(text: str) -> str | bytes:
    """A word as a program is given it: UTF-8, whatever the language of the system is."""
    return text if sys.platform == "win32" else text.encode("utf-8", "surrogateescape")


class RunningCommand:
    """A started command. Make it with `start`; `finish` must be awaited once, by one task."""

    def __init__(self, command: str, call_mark: str, launch: Launch, pipes: CommandPipes) -> None:
        self.command = command
        self.call_mark = call_mark
        self.output = pipes.output
        self.pid = 0
        self.started = time.monotonic()
        self._launch = launch
        self._pipes = pipes
        self._transport: asyncio.SubprocessTransport | None = None
        self._limit = ""
        self._over = False

    @classmethod
    async def start(
        cls, command: str, launch: Launch, *, cwd: Path, call_mark: str, output: CommandOutput
    ) -> "RunningCommand":
        """Start what `launch` says, standard input closed, in a process group of its own. A frame that waits for its
        command is started with none, and gets it by `begin`.

        Raises:
            OSError: the program or the folder cannot be used.
        """
        ends = launch.ends
        running = cls(command, call_mark, launch, CommandPipes(output, ends))
        pipe = asyncio.subprocess.PIPE
        try:
            transport, _ = await asyncio.get_running_loop().subprocess_exec(
                lambda: running._pipes,
                *map(_raw, launch.argv),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=pipe if ends is None else asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.STDOUT if ends is None else ends.errors_end,
                cwd=cwd,
                env={_raw(name): _raw(value) for name, value in {**launch.env, CALL_VARIABLE: call_mark}.items()},
                start_new_session=sys.platform != "win32",
                pass_fds=() if ends is None else ends.inherited,
            )
        except BaseException:
            running._pipes.close()
            raise
        running._transport = transport
        running.pid = transport.get_pid()
        try:
            await running._pipes.listen()
        except BaseException:
            await running._end_shielded()
            output.close()
            raise
        return running

    async def is_ready(self, limit_s: float) -> bool:
        """Whether a frame that was started without its command waits for it, within `limit_s`."""
        try:
            async with asyncio.timeout(limit_s):
                await self._pipes.ready.wait()
        except TimeoutError:
            return False
        return not self._pipes.gone.is_set()

    def begin(self, command: str) -> bool:
        """Give it to the frame that waits for it. False: that is gone, and nothing runs once this is closed."""
        self.command, self.started = command, time.monotonic()
        return self._launch.ends is not None and not self._pipes.gone.is_set() and self._launch.ends.give(command)

    async def wait_gone(self, limit_s: float) -> None:
        """Wait until all of it has ended, at most `limit_s`."""
        await self._pipes.wait_gone(limit_s)

    def stop(self) -> None:
        """Let `finish` end the tree and return with ending `stopped`."""
        self._pipes.news.set()

    def watch_use(self, watch: ResourceWatch, disk: Path, on_leftover_ended: Callable[[str], object]) -> None:
        """Have it ended when it uses too much of the machine, and told so; what it left running is told at once."""

        def exceeded(limit: str) -> None:
            if not self._over:
                self._limit = limit
                self.stop()
            elif self.lingers and not self._pipes.alone:
                on_leftover_ended(f"What a command left running was stopped: it {limit}.")

        room = enough_disk(disk, watch.limits)
        watch.add(Watched(self.pid, disk, self._launch.private, self._launch.contained, exceeded, room))

    @property
    def profile(self) -> SandboxProfile:
        """The profile of the sandbox around the command."""
        return self._launch.profile

    @property
    def lingers(self) -> bool:
        """Whether, after `finish`, its frame is still there: with something that it started, or about to end."""
        return self._launch.ends is not None and not self._pipes.gone.is_set()

    async def has_left(self) -> bool:
        """Whether, after `finish`, something it started still runs; a frame that is about to end is waited for."""
        if self._pipes.alone:
            await self._pipes.wait_gone(FRAME_GRACE_S)
        return self.lingers

    async def finish(self, timeout_s: float, on_output: OnOutput | None = None) -> Completed:
        """Wait for the end, at most `timeout_s`; a tree that has to be ended is ended before this returns.

        `on_output` gets the last characters and the byte count, at most four times a second. When the waiting task is
        cancelled the tree is ended first and CancelledError raised then. What a command that ended by itself left
        running goes on until `end`.

        Raises:
            LaunchFailed: the frame ended before the command was started.
        """
        try:
            ending = await self._wait(timeout_s, on_output)
            leftovers: tuple[int, ...] = ()
            ended, survivors = 0, tuple[int, ...]()
            if self._limit:
                ending = "stopped"
            if ending == "exited":
                leftovers = await self._release_pipe()
                if self.output.full:
                    ending = "output_limit"
                if self._limit:
                    ending = "stopped"
            if ending != "exited":
                ended, survivors = await self.end()
            elif reason := self._pipes.launch_error():
                raise LaunchFailed(reason)
            return self._completed(ending, leftovers, ended, survivors)
        except asyncio.CancelledError:
            await self._end_shielded()
            raise
        finally:
            self._over = True
            self.output.close()
            self._pipes.when_gone(self._let_go)

    async def end(self) -> tuple[int, tuple[int, ...]]:
        """End all of it that runs: how many processes there were, and the pids that could not be ended."""
        result = await end_tree(self.pid, self.call_mark, framed=self._launch.ends is not None)
        if not result[1]:
            await self._pipes.wait_gone(PIPE_GRACE_S)
        self.close()
        return result

    async def _wait(self, timeout_s: float, on_output: OnOutput | None) -> Ending:
        deadline = self.started + timeout_s
        shown = 0
        while (left := deadline - time.monotonic()) > 0:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(left, PROGRESS_EVERY_S) if on_output else left):
                    await self._pipes.news.wait()
            if on_output is not None and self.output.total != shown:
                shown = self.output.total
                on_output(self.output.recent, shown)
            if self._pipes.news.is_set():
                return "exited" if self._pipes.exited else "output_limit" if self._pipes.full else "stopped"
        return "timed_out"

    async def _release_pipe(self) -> tuple[int, ...]:
        """Wait for the last output; a child that keeps the pipe does not hold the call for longer than 2 s."""
        try:
            async with asyncio.timeout(PIPE_GRACE_S):
                await self._pipes.closed.wait()
        except TimeoutError:
            left = await asyncio.to_thread(self._members)
            return tuple(sorted(left))
        if not self._pipes.alone:
            await self._pipes.wait_gone(FRAME_GRACE_S)
        return ()

    def _members(self) -> list[int]:
        found = members(self.pid, self.call_mark)
        return [process.pid for process in (without_frame(found, self.pid) if self._launch.ends else found)]

    async def _end_shielded(self) -> None:
        ending = asyncio.create_task(self.end())
        while not ending.done():
            try:
                await asyncio.shield(ending)
            except asyncio.CancelledError:
                continue

    def _completed(
        self, ending: Ending, leftovers: tuple[int, ...], ended: int, survivors: tuple[int, ...]
    ) -> Completed:
        status = self._pipes.status
        if status is None and self._transport is not None:
            status = self._transport.get_returncode()
        return Completed(
            ending=ending,
            exit_code=status if status is not None and status >= 0 else None,
            signal_name=_signal_name(-status) if status is not None and status < 0 else "",
            duration_s=time.monotonic() - self.started,
            output=self.output,
            leftovers=leftovers,
            survivors=survivors,
            processes=ended,
            limit=self._limit,
        )

    def close(self) -> None:
        """Let go of the pipes; for a command of which nothing runs any more."""
        self._pipes.close()
        self._pipes.when_gone(self._let_go)

    def _let_go(self) -> None:
        """Let go of everything, once the process is known to have ended. Not before: a transport that is closed earlier
        takes the exit status away from the one that waits for it."""
        self._pipes.close()
        if self._transport is not None:
            self._transport.close()
