"""The path of a session, whole or its newest part, over any connection."""

from desktop.domain.events import Envelope
from desktop.store.history.event_rows import SELECT_EVENT, stored_envelope
from desktop.store.history.lineage import Lineage
from desktop.store.sqlite.connection import Database, Row


def read_path(database: Database, session_id: str) -> list[Envelope]:
    """The own events of a session, and before them, for a fork, the events it inherits; empty: there is none.

    Inherited are the fork point and its ancestors by `parent_id`, oldest first. Own events are all there, in order,
    also those that a rewind left behind; following `parent_id` from the last one tells them apart.

    Raises:
        StoreError: they cannot be read.
        CorruptLog: the parents form a cycle.
    """
    return read_inherited(database, session_id) + [stored_envelope(row) for row in own_rows(database, session_id)]


def read_inherited(database: Database, session_id: str) -> list[Envelope]:
    """What a session that is a fork inherits, oldest first. Raises as `read_path`."""
    path: list[Envelope] = []
    upto = f"{SELECT_EVENT} WHERE session_id = ? AND seq <= ? ORDER BY seq"
    for segment in Lineage(database).inherited(session_id):
        read = (stored_envelope(row) for row in database.rows(upto, (segment.session_id, max(segment.seqs))))
        path += [envelope for envelope in read if envelope.seq in segment.seqs]
    return path


def own_rows(database: Database, session_id: str) -> list[Row]:
    """The rows of a session's own events, in order, as they are stored. Raises StoreError."""
    return database.rows(f"{SELECT_EVENT} WHERE session_id = ? AND seq > -1 ORDER BY seq", (session_id,))


def read_newest(database: Database, session_id: str, most: int) -> list[Envelope]:
    """The newest of a session's own events, at most so many, oldest first: the end of its path.

    Raises:
        StoreError: they cannot be read.
    """
    newest = f"{SELECT_EVENT} WHERE session_id = ? ORDER BY seq DESC LIMIT ?"
    return [stored_envelope(row) for row in database.rows(newest, (session_id, most))][::-1]
