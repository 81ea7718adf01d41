"""What people answered, in any chat: requests that were closed since a moment, with what was asked."""

from datetime import datetime

from desktop.domain.events import Envelope
from desktop.store.history.event_body import format_at
from desktop.store.history.event_rows import SELECT_EVENT, stored_envelope
from desktop.store.sqlite.connection import Database

_ACTIVE = """
    SELECT session.session_id FROM session
    JOIN event ON event.session_id = session.session_id AND event.seq = session.head_seq WHERE event.at >= ?"""
_CLOSED = f"{SELECT_EVENT} WHERE session_id = ? AND type = 'input_resolved' AND at >= ? ORDER BY seq"
_ASKED = f"{SELECT_EVENT} WHERE session_id = ? AND type IN ('input_requested', 'input_revised') ORDER BY seq"


def answers(database: Database, since: datetime) -> list[Envelope]:
    """The requests of each chat in which one was closed since then, in order, behind them those that were closed."""
    after = format_at(since)
    found: list[Envelope] = []
    for (session_id,) in database.rows(_ACTIVE, (after,)):
        closed = [stored_envelope(row) for row in database.rows(_CLOSED, (session_id, after))]
        if closed:
            found += [stored_envelope(row) for row in database.rows(_ASKED, (session_id,))]
            found += closed
    return found
