"""Rows of the event table as envelopes."""

from desktop.domain.event_json import load_event
from desktop.domain.events import Envelope
from desktop.store.history.event_body import parse_at
from desktop.store.sqlite.connection import Row

EVENT_COLUMNS = "event_id, session_id, seq, parent_id, at, type, body, prev_hash, hash"
SELECT_EVENT = f"SELECT {EVENT_COLUMNS} FROM event"  # noqa: S608  # a constant


def stored_envelope(row: Row) -> Envelope:
    """The envelope of one row of `SELECT_EVENT`; its event is read when it is asked for."""
    event_id, session_id, seq, parent_id, at, kind, body, prev_hash, digest = row
    place = {
        "event_id": event_id if isinstance(event_id, str) else str(event_id),
        "session_id": session_id if isinstance(session_id, str) else str(session_id),
        "seq": seq if isinstance(seq, int) else -1,
        "parent_id": parent_id if parent_id is None or isinstance(parent_id, str) else str(parent_id),
        "at": parse_at(at if isinstance(at, str) else str(at)),
        "prev_hash": prev_hash if isinstance(prev_hash, str) else str(prev_hash),
        "hash": digest if isinstance(digest, str) else str(digest),
    }
    return Envelope.late(place, str(kind), body if isinstance(body, str) else "", load_event)
