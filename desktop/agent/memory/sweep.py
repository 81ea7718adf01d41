"""MemorySweep: what time takes away of the memory, once a day while a repository is open (memory-ME17)."""

import asyncio
import logging
from collections.abc import Callable
from datetime import timedelta

from desktop.agent.memory.book import MemoryBook
from desktop.domain.core.errors import StoreError
from desktop.domain.memory.values import MOST_ENTRIES
from desktop.policy.memory.ranking import surplus, swept
from desktop.store.core.memory import Owner

logger = logging.getLogger(__name__)

EVERY = timedelta(hours=24)
AFTER_S = 60.0
AT_ONCE = 250


class MemorySweep:
    """An attendant. `owners`: whose entries are looked at now; `tell`: something changed."""

    def __init__(self, book: MemoryBook, owners: Callable[[], tuple[Owner, ...]], tell: Callable[[], None]) -> None:
        self._book = book
        self._owners = owners
        self._tell = tell
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    def project_opened(self) -> None:
        """Sweep a minute later, when a day has passed since, and then each day."""
        self._begin_after(AFTER_S)

    def _begin_after(self, delay_s: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(delay_s, self._begin)

    async def close(self) -> None:
        """It is not begun any more, and what runs ends."""
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _begin(self) -> None:
        self._begin_after(EVERY.total_seconds())
        self._task = asyncio.create_task(self._run(), name="memory sweep")

    async def _run(self) -> None:
        try:
            await self.sweep_when_due()
        except StoreError as error:
            logger.warning("the memory could not be swept: %s", error)

    async def sweep_when_due(self) -> bool:
        """Sweep if nobody did for a day. Whether it was due.

        Raises:
            StoreError: the store cannot be read or written.
        """
        now, last = self._book.now(), self._book.store.swept_at()
        if last is not None and now - last < EVERY:
            return False
        await self.sweep()
        return True

    async def sweep(self) -> int:
        """Sweep now; how many entries are another by it.

        Raises:
            StoreError: the store cannot be read or written.
        """
        store, now, done = self._book.store, self._book.now(), 0
        for scope, owner in self._owners():
            entries = store.of_owner(scope, owner)
            after = [swept(one, now) for one in entries]
            left = [one for one in after if one.status != "archived"]
            gone = {one.id for one in surplus(left, MOST_ENTRIES[scope], now)}
            after = [one.model_copy(update={"status": "archived"}) if one.id in gone else one for one in after]
            changed = [(old, new) for old, new in zip(entries, after, strict=True) if new != old]
            for start in range(0, len(changed), AT_ONCE):
                part = [new for old, new in changed[start : start + AT_ONCE] if store.get(old.id) == old]
                store.sweep(part)
                done += len(part)
                await asyncio.sleep(0)  # meanwhile somebody may change an entry, which is left alone then
        store.purge(now)
        store.note_sweep(now)
        if done:
            self._book.forget_counts()
            self._tell()
        return done


class MemoryTeller:
    """An attendant: the window is told how much there is as soon as a repository is open."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell

    def project_opened(self) -> None:
        """Tell it."""
        self._tell()

    async def close(self) -> None:
        """Nothing of it runs."""
