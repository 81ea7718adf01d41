"""LaneCommand: one command of the lane file under way in a lane: its log as it grows, its end, nothing left of it."""

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from desktop.agent.core.sessions import Sessions
from desktop.domain.lanes.lane import Lane
from desktop.services.processes.around import Around, Given, Place
from desktop.services.processes.running import Completed
from desktop.services.processes.session import Processes
from desktop.services.processes.tree import SESSION_VARIABLE, end_marked

CommandKind = Literal["setup", "run", "teardown"]
LOG_CHARS = 64 * 1024
LOOK_EVERY_S = 0.25
_WHAT_TOLD: Mapping[CommandKind, str] = {"setup": "Setup", "teardown": "The teardown", "run": "The command"}


class LaneCommand:
    """Runs in the lane's sandbox profile, once. `changed` is called when the log grew, at most four times a second.

    `log`: the last 64 KiB; `whole`: all of it, at most 64 MiB, when it has ended and was to be kept.
    """

    def __init__(
        self, sessions: Sessions, lane: Lane, kind: CommandKind, changed: Callable[[], None] = lambda: None
    ) -> None:
        self.lane = lane
        self.log = ""
        self.whole = b""
        self.stopped = False
        self.timed_out = False
        self._changed = changed
        self._shell_id = ""
        root = Path(lane.worktree_path)
        around = Around(given=Given(lambda reading: sessions.variables(lane.id)))
        self._processes = Processes(
            _mark(lane.id, kind), os.environ, lane_root=root, sandbox=sessions.sandbox, around=around
        )

    async def run(self, command: str, *, timeout_s: float, network: bool, keep: bool = True) -> Completed:
        """Run to the end, at most `timeout_s`. However this ends, nothing that the command started is left.

        Raises:
            ProcessError: it could not be started.
        """
        root = Path(self.lane.worktree_path)
        deadline = time.monotonic() + timeout_s
        try:
            self._shell_id = await self._processes.start_background(command, cwd=root, place=Place(network=network))
            if self.stopped:
                await self._processes.kill(self._shell_id)
            while (completed := await self._processes.wait(self._shell_id, LOOK_EVERY_S)) is None:
                await self._look()
                if time.monotonic() > deadline and not self.stopped:
                    self.timed_out = True
                    await self._processes.kill(self._shell_id)
            await self._look()
            self.whole = await asyncio.to_thread(completed.output.read) if keep else b""
        finally:
            await asyncio.shield(self._processes.stop_all())
        return completed

    async def stop(self) -> None:
        """End it; `run` returns then."""
        self.stopped = True
        if self._shell_id:
            await self._processes.kill(self._shell_id)

    async def _look(self) -> None:
        fresh = (await self._processes.output(self._shell_id)).text
        if fresh:
            self.log = (self.log + fresh)[-LOG_CHARS:]
            self._changed()


def command_ending(kind: CommandKind, command: LaneCommand, completed: Completed, timeout_s: float) -> str:
    """How a command ended that did not end well, as a sentence."""
    what = _WHAT_TOLD[kind]
    if command.stopped:
        return f"{what} was stopped."
    if command.timed_out:
        return f"{what} was stopped after {timeout_s:g} s, its time limit."
    if completed.limit and completed.ending == "stopped":
        return f"{what} was stopped: it {completed.limit}."
    if completed.ending == "output_limit":
        return f"{what} was stopped: it printed more than 64 MB."
    failed = f"{what} failed with exit code {completed.exit_code}."
    if completed.exit_code is None:
        failed = f"{what} failed by {completed.signal_name}."
    blocked = f"The sandbox blocked: {completed.blocked}." if completed.blocked else ""
    return f"{failed} {blocked}".strip()


async def end_left_over(lane_ids: list[str]) -> None:
    """End what commands of these lanes left running in an earlier process of this program."""
    marks = [_mark(lane_id, kind) for lane_id in lane_ids for kind in ("setup", "run", "teardown")]
    await end_marked(SESSION_VARIABLE, marks)


def _mark(lane_id: str, kind: str) -> str:
    return f"{lane_id}.{kind}"
