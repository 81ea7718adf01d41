"""SharedLaneLock: the lock of a lane as the calls of one guest hold it together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

from desktop.agent.core.lane_lock import LaneLock


class SharedLaneLock(LaneLock):
    """A guest may ask for several things at once and do none before all are answered, and has a file written in the
    middle of a call of its own. So its calls do not wait for one another, but everything else waits for all of them."""

    def __init__(self, lane: LaneLock) -> None:
        super().__init__()
        self._lane = lane
        self._door = asyncio.Lock()
        self._inside = 0

    async def acquire(self) -> Literal[True]:
        """Hold it alone."""
        return await self._lane.acquire()

    def release(self) -> None:
        """Hold it no more."""
        self._lane.release()

    def locked(self) -> bool:
        """Whether anybody else holds it."""
        return self._lane.locked() and not self._inside

    @asynccontextmanager
    async def held_by(self, title: str) -> AsyncIterator[None]:
        """Hold it together with the other calls of the guest."""
        async with self._door:
            if not self._inside:
                await self._lane.acquire()
                self._lane.holder = title
            self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1
            if not self._inside:
                self._lane.holder = ""
                self._lane.release()
