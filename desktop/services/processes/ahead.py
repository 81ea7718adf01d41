"""A frame in bubblewrap that is made ready before its command is known."""

import asyncio
from collections.abc import Awaitable, Callable

from desktop.services.processes.running import RunningCommand
from desktop.services.processes.sandbox.guard import Setting
from desktop.services.processes.sandbox.standing import Standing, look_inside, still_stands

READY_LIMIT_S = 10.0
GONE_LIMIT_S = 2.0

Start = Callable[[], Awaitable[tuple[Setting, RunningCommand] | None]]


class FrameAhead:
    """One frame for one command that is not known yet; made, it starts at once. `start` gives the setting and the
    frame that waits in it, None: none can wait there. Exactly one of `take` and `close` ends its use."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._setting: Setting | None = None
        self._running: RunningCommand | None = None
        self._standing: Standing | None = None
        self._making = asyncio.create_task(self._make(), name="frame ahead")

    async def made(self) -> bool:
        """Wait until it is ready or is known not to be. False: it is not."""
        await asyncio.wait({self._making})
        return self._standing is not None

    def take(self, setting: Setting, command: str) -> RunningCommand | None:
        """Run the command in it, if it is what a frame of this setting would be that is made now. None: it is not, the
        command did not run, and this is to be closed. Blocking (about half a millisecond)."""
        running, standing = self._running, self._standing
        if running is None or standing is None or self._setting != setting:
            return None
        if not still_stands(standing, setting.mounts, setting.cwd) or not running.begin(command):
            return None
        self._running = None
        return running

    async def close(self) -> None:
        """End it, if it was not taken, and wait until it is gone."""
        self._making.cancel()
        await asyncio.wait({self._making})
        if self._running is not None:
            self._running.close()
            await self._running.wait_gone(GONE_LIMIT_S)
            if self._running.lingers:
                await self._running.end()

    async def _make(self) -> None:
        try:
            started = await self._start()
        except OSError:
            return
        if started is not None:
            self._setting, self._running = started
            if await self._running.is_ready(READY_LIMIT_S):
                self._standing = look_inside(self._running.pid)
