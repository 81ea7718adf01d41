"""MemoryStore: the entries of the memory with all their versions; and what a search of them is asked and gives."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol

from desktop.domain.core.base import Frozen
from desktop.domain.memory.values import Entry, Scope, Status

Owner = tuple[Scope, str]
Way = Literal["", "all", "newest", "rarest", "script"]


class MemoryQuery(Frozen):
    """What is looked for. `owners`: only entries of these; `statuses`: only such. `least`: how many are wanted before
    it is enough that a hit holds some of the words."""

    text: str
    owners: tuple[Owner, ...]
    statuses: tuple[Status, ...] = ("candidate", "promoted")
    tiers: tuple[int, ...] = (1, 2, 3)
    least: int = 5


class FoundEntry(Frozen):
    """An entry that the words led to. `text`: how well, above 0; `phrase`: it holds the query word for word."""

    entry: Entry
    text: float
    phrase: bool = False


class FoundEntries(Frozen):
    """`way`: how the words were looked up, "" when there was nothing to look for. `words`: those that counted."""

    entries: tuple[FoundEntry, ...] = ()
    way: Way = ""
    words: tuple[str, ...] = ()


class MemoryStore(Protocol):
    """Engine thread only. What is kept is on the disk when a method returns; `beside` events, with them.

    Raises:
        StoreWriteFailed: it did not reach the disk; nothing changed.
    """

    def add(self, entry: Entry) -> None:
        """Keep a new entry with its first version, or one that was deleted with its next."""

    def change(self, *entries: Entry) -> None:
        """Keep the next version of each of these; all or none."""

    def sweep(self, entries: Sequence[Entry]) -> None:
        """Keep what time made of these: tier and status, without a new version."""

    def used(self, ids: Sequence[str], at: datetime) -> None:
        """Count one use of each of these. It may be lost with a cut of power."""

    def delete(self, memory_id: str, at: datetime) -> None:
        """The entry is gone; its versions stay for 30 days."""

    def purge(self, now: datetime) -> int:
        """Remove the versions of entries that were deleted 30 days ago or earlier; of how many."""

    def get(self, memory_id: str) -> Entry | None:
        """The entry as it is now, None for none."""

    def versions(self, memory_id: str) -> tuple[Entry, ...]:
        """All that is kept of an entry, oldest first; also of a deleted one."""

    def of_owner(self, scope: Scope, owner: str, *, archived: bool = False) -> tuple[Entry, ...]:
        """The entries of one owner, newest first, with or without those that are archived."""

    def count(self, scope: Scope, owner: str) -> int:
        """How many of one owner are not archived."""

    def counts(self, scope: Scope, owner: str) -> dict[Status, int]:
        """How many entries of one owner are in each status that occurs."""

    def swept_at(self) -> datetime | None:
        """When the entries were swept last, None for never."""

    def note_sweep(self, at: datetime) -> None:
        """They were swept at this time. It may be lost with a cut of power."""
