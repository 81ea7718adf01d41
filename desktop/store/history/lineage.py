"""Ancestry across sessions: which events a fork inherits."""

from desktop.domain.core.errors import CorruptLog
from desktop.records import dataclass
from desktop.store.sqlite.connection import Database


@dataclass(frozen=True)
class Segment:
    """The part of a path that lies in one session."""

    session_id: str
    seqs: frozenset[int]


class Lineage:
    """Follows parents through the stored events."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ancestors(self, event_id: str | None) -> list[Segment]:
        """The event and all its ancestors, oldest session first; an event that is missing ends the walk.

        Raises:
            CorruptLog: the parents form a cycle.
        """
        segments: list[Segment] = []
        seen: set[str] = set()
        while event_id is not None:
            found = self._database.rows("SELECT session_id FROM event WHERE event_id = ?", (event_id,))
            if not found:
                break
            session_id = str(found[0][0])
            if session_id in seen:
                raise _cycle(session_id)
            seen.add(session_id)
            segment, event_id = self._segment(session_id, event_id)
            segments.append(segment)
        return segments[::-1]

    def inherited(self, session_id: str) -> list[Segment]:
        """The events that a fork inherits: its fork point and all ancestors of it. Empty for a session that is no
        fork."""
        root = self._database.rows(
            "SELECT parent_id FROM event WHERE session_id = ? ORDER BY seq LIMIT 1", (session_id,)
        )
        return self.ancestors(str(root[0][0])) if root and root[0][0] is not None else []

    def holds(self, session_id: str, event_id: str) -> bool:
        """Whether the event is one of the session's own, or one that it inherits."""
        found = self._database.rows("SELECT session_id, seq FROM event WHERE event_id = ?", (event_id,))
        if not found:
            return False
        owner, seq = found[0]
        if owner == session_id:
            return True
        return any(owner == part.session_id and seq in part.seqs for part in self.inherited(session_id))

    def _segment(self, session_id: str, event_id: str) -> tuple[Segment, str | None]:
        """The ancestors of an event inside its session, and the parent that lies outside (None: there is none)."""
        found = self._database.rows("SELECT event_id, seq, parent_id FROM event WHERE session_id = ?", (session_id,))
        links = {str(own): (seq, parent) for own, seq, parent in found if isinstance(seq, int)}
        seqs: set[int] = set()
        current: str | None = event_id
        while current in links:
            seq, parent = links.pop(current)
            seqs.add(seq)
            current = None if parent is None else str(parent)
        return Segment(session_id, frozenset(seqs)), current


def _cycle(session_id: str) -> CorruptLog:
    return CorruptLog(f"The record of chat {session_id} is damaged: its entries follow one another in a circle.")
