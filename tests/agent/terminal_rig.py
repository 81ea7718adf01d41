"""Terminals of a real engine, as a window sees them: a person's typing and what stands on the screen."""

import asyncio
from collections import deque

from desktop.domain.changes.commands import SIGN_IN_LANE, OpenTerminal, TerminalInput, TerminalShown
from desktop.domain.core.ids import new_id
from desktop.domain.core.update import Update
from desktop.domain.lanes.commands import CreateLane
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LanesChanged
from desktop.domain.terminals.updates import Row, TerminalClosed, TerminalScreen, row_text
from tests.agent.rig import Rig


async def make_lane(rig: Rig, name: str = "fix") -> Lane:
    """A new lane that can be used."""
    lane_id = f"ln_{new_id('')[-12:]}"
    await rig.engine.handle(CreateLane(lane_id=lane_id, name=name, run_setup=False))

    def find(updates: list[Update]) -> Lane | None:
        lanes = [lane for one in updates if isinstance(one, LanesChanged) for lane in one.lanes]
        return next((lane for lane in lanes if lane.id == lane_id and lane.state == "active"), None)

    return await rig.until(find)


class Shell:
    """One terminal. `acknowledge` False: the window that shows it does not keep up."""

    def __init__(self, rig: Rig, lane: Lane | None = None) -> None:
        """Without a lane it is one in which an agent is signed in."""
        self.rig, self.lane_id = rig, lane.id if lane is not None else SIGN_IN_LANE
        self.terminal_id = new_id("trm_")
        self.acknowledge = True
        self._taken = 0
        self.rows: list[Row] = []
        self.back: deque[Row] = deque(maxlen=10_000)
        self.last: TerminalScreen | None = None
        self.frames = 0

    async def open(self, reopen: str = "", columns: int = 120, guest_id: str = "", method_id: str = "") -> "Shell":
        """Start it and wait for a prompt."""
        command = OpenTerminal(
            lane_id=self.lane_id,
            terminal_id=self.terminal_id,
            columns=columns,
            rows=24,
            reopen=reopen,
            guest_id=guest_id,
            method_id=method_id,
        )
        await self.rig.engine.handle(command)
        return self

    async def enter(self, text: str) -> None:
        """Type a line."""
        await self.rig.engine.handle(TerminalInput(terminal_id=self.terminal_id, text=text + "\r"))

    async def sees(self, text: str, timeout_s: float = 25.0) -> str:
        """Wait until that stands on the screen or above it; all of it."""
        async with asyncio.timeout(timeout_s):
            while text not in self.text:
                await self._take()
        return self.text

    async def closed(self) -> TerminalClosed:
        """Its end."""
        return await self.rig.until(
            lambda updates: next(
                (u for u in updates if isinstance(u, TerminalClosed) and u.terminal_id == self.terminal_id), None
            )
        )

    @property
    def text(self) -> str:
        """Scroll-back and screen."""
        return "\n".join(row_text(row) for row in (*self.back, *self.rows))

    async def _take(self) -> None:
        for update in self.rig.updates[self._taken :]:
            self._taken += 1
            if isinstance(update, TerminalScreen) and update.terminal_id == self.terminal_id:
                self._show(update)
                if self.acknowledge:
                    shown = TerminalShown(terminal_id=self.terminal_id, frame=update.frame)
                    await self.rig.engine.handle(shown)
        await asyncio.sleep(0.01)

    def _show(self, update: TerminalScreen) -> None:
        self.frames += 1
        self.last = update
        if update.change.cleared:
            self.back.clear()
            self.rows = []
        self.back.extend(update.change.scrolled)
        self.rows = (self.rows + [()] * update.height)[: update.height]
        for at, row in update.change.rows:
            self.rows[at] = row
