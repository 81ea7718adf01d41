"""LaneLock: one at a time changes a lane, and the others can see who does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

LANE_BUSY = "Something changes the files of this lane right now. Wait until it is done, or stop it."
"""Why a person's own change of a lane is refused while its lock is held, by a call or by another change of theirs."""


class LaneLock(asyncio.Lock):
    """`holder`: the title of the chat that changes the lane now, "" when none does or something else than a chat."""

    def __init__(self) -> None:
        super().__init__()
        self.holder = ""

    @asynccontextmanager
    async def held_by(self, title: str) -> AsyncIterator[None]:
        """Hold the lock in the name of a chat."""
        async with self:
            self.holder = title
            try:
                yield
            finally:
                self.holder = ""


def lane_in_use(holder: str) -> str:
    """What a chat that waits for its lane shows. `holder`: see LaneLock."""
    who = f"“{holder}”" if holder else "another piece of work"
    return f"Waiting for {who} in the same lane"
