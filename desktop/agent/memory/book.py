"""MemoryBook: the entries of the memory as the engine writes them, each change on record."""

import asyncio
import os
from collections.abc import Callable
from datetime import datetime
from typing import Literal, Protocol

from desktop.agent.core.session import Session
from desktop.domain.core.errors import BanksmanError
from desktop.domain.events import Event
from desktop.domain.gate.redaction import Redactor
from desktop.domain.memory.events import MemoryChange, MemoryWritten
from desktop.domain.memory.values import (
    MOST_ENTRIES,
    MOST_PINNED,
    MOST_PINNED_CHARS,
    Entry,
    Scope,
)
from desktop.policy.memory.dedup import said_again
from desktop.records import dataclass
from desktop.store.core.events import Beside
from desktop.store.core.memory import MemoryStore, Owner
from desktop.store.core.readings import Readings

By = Literal["person", "agent", "app"]
_TRIES = 3


class NotRemembered(BanksmanError):
    """An entry was not changed; the text is a sentence that says why."""


@dataclass(frozen=True)
class Written:
    """Who changes the memory, and in which chat (None: in none), by which call."""

    by: By
    session: Session | None = None
    call_id: str = ""


def new_memory_id() -> str:
    """`mem_` + 12 hex digits."""
    return f"mem_{os.urandom(6).hex()}"


class Record(Protocol):
    """Records what was done in no chat, in one commit with what is written beside."""

    def __call__(self, *events: Event, beside: Beside | None = None) -> None:
        """Raises StoreError: nothing was written."""


class MemoryBook:
    """Engine thread only. `log`: records what was done in no chat. `changed`: told of each owner whose entries
    changed."""

    def __init__(
        self,
        store: MemoryStore,
        log: Record,
        clock: Callable[[], datetime],
        redactor: Callable[[], Redactor],
        changed: Callable[[Owner], None],
    ) -> None:
        self.store = store
        self.now = clock
        self.redactor = redactor
        self._log = log
        self._changed = changed
        self._counts: dict[Owner, int] = {}
        self._written = 0

    def count(self, scope: Scope, owner: str) -> int:
        """How many entries that are not archived there are; asked of the store once after each change."""
        known = self._counts.get((scope, owner))
        if known is None:
            known = self._counts[scope, owner] = self.store.count(scope, owner)
        return known

    def forget_counts(self) -> None:
        """Ask the store again how many entries there are."""
        self._counts.clear()

    async def alike(self, readings: Readings, owner: Owner, content: str) -> tuple[Entry, ...]:
        """The entries that say this already or nearly so, for `duplicate`. Thousands are compared, on a worker thread,
        and again if one was written meanwhile, a few times."""
        for _ in range(_TRIES):
            written = self._written
            found = await asyncio.to_thread(readings.alike, *owner, content)
            if written == self._written:
                break
        return found

    def duplicate(self, entry: Entry, alike: tuple[Entry, ...]) -> Entry | None:
        """What becomes of the first of these that still stands and can take it in, None where none does
        (memory-ME7)."""
        stand = (there for one in alike if (there := self.store.get(one.id)) is not None and _is_same(there, one))
        return next((merged for there in stand if (merged := said_again(there, entry)) is not None), None)

    def add(self, entry: Entry, written: Written, change: MemoryChange = "added") -> Entry:
        """Keep a new entry.

        Raises:
            NotRemembered: its owner has as many as there may be.
        """
        most = MOST_ENTRIES[entry.scope]
        if self.count(entry.scope, entry.owner) >= most:
            raise NotRemembered(f"there are {most:,} entries. A person can archive some in the panel Memory")
        self._record(entry, written, change, lambda: self.store.add(entry))
        return entry

    def change(self, entry: Entry, written: Written, change: MemoryChange) -> Entry:
        """Keep the next version of an entry; the version that it has now is counted up here."""
        before = self.store.get(entry.id)
        number = before.version + 1 if before is not None else entry.version
        later = entry.model_copy(update={"version": number, "updated_at": self.now()})
        self._record(later, written, change, lambda: self.store.change(later))
        return later

    def pin(self, entry: Entry, pinned: bool, written: Written) -> Entry:
        """Pin or unpin an entry.

        Raises:
            NotRemembered: as many are pinned as there may be.
        """
        if pinned:
            self.refuse_pin(entry)
            update: dict[str, object] = {"tier": 1, "status": "promoted", "confidence": 100}
        else:
            update = {"tier": 2}
        return self.change(entry.model_copy(update=update), written, "pinned" if pinned else "unpinned")

    def refuse_pin(self, entry: Entry) -> None:
        """Raises NotRemembered where no further entry of its owner may be pinned (memory-ME10)."""
        there = self.store.of_owner(entry.scope, entry.owner)
        pinned = [one for one in there if one.tier == 1 and one.id != entry.id]
        if len(pinned) >= MOST_PINNED:
            raise NotRemembered(f"There are {MOST_PINNED} pinned entries. Unpin one first.")
        if sum(len(one.content) for one in pinned) + len(entry.content) > MOST_PINNED_CHARS:
            raise NotRemembered(f"The pinned entries have {MOST_PINNED_CHARS:,} characters together. Unpin one first.")

    def delete(self, entry: Entry, written: Written) -> None:
        """The entry is gone; its versions stay for 30 days."""
        self._record(entry, written, "deleted", lambda: self.store.delete(entry.id, self.now()))

    def _record(self, entry: Entry, written: Written, change: MemoryChange, write: Beside) -> None:
        """Write it, in one commit with what the log says of it. What an agent has remembered is on the disk with the
        result of its call, all else at once."""
        self._counts.pop((entry.scope, entry.owner), None)
        self._written += 1
        event = MemoryWritten(
            memory_id=entry.id,
            version=entry.version,
            change=change,
            by=written.by,
            scope=entry.scope,
            category=entry.category,
            status=entry.status,
            tier=entry.tier,
            content=entry.content,
            call_id=written.call_id,
        )
        if written.session is not None:
            written.session.append_many([event], lazy=written.by == "agent", beside=write)
        else:
            self._log(event, beside=write)
        self._changed((entry.scope, entry.owner))


def _is_same(there: Entry, read: Entry) -> bool:
    """Whether an entry is as it was read: the same text, and still one that counts."""
    return (there.version, there.status) == (read.version, read.status)
