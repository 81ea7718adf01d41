"""TurnSlots: how many turns run at once in this process; further ones wait their turn (sessions 10.3)."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from desktop.agent.turns.turn import Turn


class TurnSlots:
    """First come, first served. `limit`: how many there are now; it may change, and never takes a slot away."""

    def __init__(self, limit: Callable[[], int]) -> None:
        self._limit = limit
        self._taken = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self, on_wait: Callable[[], None]) -> None:
        """Have a slot, at once or later; `on_wait` is called when it will be later. One that is taken must be freed."""
        if self._taken < self._limit() and not self._waiting:
            self._taken += 1
            return
        given: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(given)
        on_wait()
        try:
            await given
        except asyncio.CancelledError:
            if given.done() and not given.cancelled():
                self.free()
            elif given in self._waiting:
                self._waiting.remove(given)
            raise

    def free(self) -> None:
        """Give a slot back."""
        self._taken -= 1
        while self._waiting and self._taken < self._limit():
            given = self._waiting.popleft()
            if not given.done():
                self._taken += 1
                given.set_result(None)

    @asynccontextmanager
    async def lent(self, turn: Turn, on_wait: Callable[[], None]) -> AsyncIterator[None]:
        """While a turn only waits for others, they have its slot, so that turns which wait for one another cannot keep
        each other out (memory-SU5). It goes on when it has one again; one that is stopped goes on without."""
        if turn.has_slot:
            turn.has_slot = False
            self.free()
            turn.lent_slot = True
        turn.waits_for += 1
        stopped = False
        try:
            yield
        except asyncio.CancelledError:
            stopped = True
            raise
        finally:
            turn.waits_for -= 1
            if turn.lent_slot and not turn.waits_for:
                turn.lent_slot = False
                if not stopped:
                    await self.take(on_wait)
                    turn.has_slot = True
