"""The list of chats: one row per session, derived from its events on each append, rebuilt when in doubt."""

import sqlite3
from collections.abc import Callable, Iterable

from desktop.domain.chats.library_events import Imported, SessionFlagChanged
from desktop.domain.context.events import Rewound
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import (
    Envelope,
    LaneAttached,
    ModeChanged,
    ModelChanged,
    SessionForked,
    SessionResumed,
    SessionStarted,
    TitleChanged,
    TurnEnded,
    TurnStarted,
)
from desktop.domain.history.state import AT_A_LIMIT, CUT_OFF
from desktop.domain.history.state_of import closes_after_restart
from desktop.store.core.session_row import SessionRow
from desktop.store.history.event_body import format_at
from desktop.store.sqlite.connection import Database, Row, Value

INDEX_VERSION = "7"
INDEXED_TYPES = (
    "session_started",
    "session_forked",
    "title_changed",
    "session_flag_changed",
    "lane_attached",
    "mode_changed",
    "model_changed",
    "turn_started",
    "turn_ended",
    "session_resumed",
    "input_resolved",
    "imported",
    "rewound",
    "child_begun",
    "child_ended",
)
"""The events that change more of a row than its newest event and time, or that may leave its time as it is; a rebuild
reads those, and of each session the newest event and the newest one of another type."""


_REST: dict[str, object] = {"failed": "", "limited": False, "interrupted": False}
_COLUMNS = tuple(SessionRow.model_fields)
_NAMES = ", ".join(f"[{column}]" for column in _COLUMNS)
_CREATE = f"CREATE TABLE session (activity INTEGER NOT NULL, {_NAMES}, PRIMARY KEY (session_id))"
_INSERT = f"INSERT INTO session VALUES (?{', ?' * len(_COLUMNS)})"  # noqa: S608
_UPDATE = f"UPDATE session SET (activity, {_NAMES}) = (?{', ?' * len(_COLUMNS)}) WHERE session_id = ?"  # noqa: S608
_SELECT = f"SELECT {_NAMES} FROM session"  # noqa: S608  # the names are those of the model's fields


def advance(row: SessionRow | None, envelope: Envelope) -> SessionRow:
    """The row after one more event. For the first event of a fork, `row` is the source's as of the fork point."""
    event = envelope.event
    if isinstance(event, SessionStarted):
        row = _started(envelope, event)
    elif isinstance(event, SessionForked):
        row = _forked(row, envelope, event)
    elif row is None:  # the log lost its beginning; it is still listed
        row = SessionRow(session_id=envelope.session_id, created_at=envelope.at, last_activity_at=envelope.at)
    place: dict[str, object] = {"head_seq": envelope.seq, "head_event_id": envelope.event_id}
    if not closes_after_restart(event):
        place["last_activity_at"] = envelope.at
    return row.model_copy(update={**_changes(row, envelope), **place})


def _started(envelope: Envelope, event: SessionStarted) -> SessionRow:
    return SessionRow(
        session_id=envelope.session_id,
        project_id=_storable(event.project_id),
        kind=event.kind,
        title=_storable(event.title),
        mode=event.mode,
        endpoint_id=_storable(event.endpoint_id),
        model=_storable(event.model),
        lane_id=_storable(event.lane_id),
        branch=_storable(event.branch),
        primary=event.primary,
        parent_session_id=_storable(event.parent_session_id),
        created_at=envelope.at,
        last_activity_at=envelope.at,
    )


def _forked(source: SessionRow | None, envelope: Envelope, event: SessionForked) -> SessionRow:
    return SessionRow(
        session_id=envelope.session_id,
        project_id=source.project_id if source else "",
        kind=source.kind if source and source.kind != "subagent" else "interactive",
        endpoint_id=source.endpoint_id if source else "",
        model=source.model if source else "",
        title=_storable(event.title),
        mode=event.mode,
        lane_id=_storable(event.lane_id),
        source_session_id=_storable(event.source_session_id),
        created_at=envelope.at,
        last_activity_at=envelope.at,
    )


def _changes(row: SessionRow, envelope: Envelope) -> dict[str, object]:  # noqa: PLR0911  # one line per event type
    match envelope.event:
        case TitleChanged(title=title):
            return {"title": _storable(title)}
        case SessionFlagChanged(flag=flag, value=value):
            return {flag: value}
        case LaneAttached(lane_id=lane_id, branch=branch):
            return {"lane_id": _storable(lane_id), "branch": _storable(branch)}
        case ModeChanged(mode=mode):
            return {"mode": mode}
        case ModelChanged(endpoint_id=endpoint_id, model=model):
            return {"endpoint_id": _storable(endpoint_id), "model": _storable(model)}
        case TurnStarted(turn_id=turn_id):
            started = {"unfinished_turn_id": _storable(turn_id), **_REST}
            return {"turns": row.turns + 1, **started}
        case TurnEnded(status=status, reason=reason):
            failed = (_storable(reason) or status) if status == "failed" else ""
            ended = {"failed": failed, "limited": status in AT_A_LIMIT, "interrupted": reason in CUT_OFF}
            return {"unfinished_turn_id": "", **ended}
        case Imported(project_id=project_id):
            here = {"lane_id": "", "branch": "", "primary": False, "mode": PermissionMode.EDIT, "kind": "interactive"}
            over = {"unfinished_turn_id": "", **_REST, "endpoint_id": "", "model": ""}
            return {**here, **over, "project_id": _storable(project_id) or row.project_id}
        case SessionResumed() | Rewound() as event:
            here = {"project_id": _storable(event.project_id)} if isinstance(event, SessionResumed) else {}
            over = {"unfinished_turn_id": "", **_REST}
            return {**over, **(here if here.get("project_id") else {})}
    return _of_children(row, envelope)


def _of_children(row: SessionRow, envelope: Envelope) -> dict[str, object]:
    more = {"child_begun": 1, "child_ended": -1}.get(envelope.kind, 0)
    return {"open_children": max(row.open_children + more, 0)} if more else {}


def _storable(text: str) -> str:
    """The text as SQLite can hold it: a lone surrogate becomes U+FFFD. The log keeps the original."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class SessionIndex:
    """The table of rows. Written only inside the transaction of the append that changes them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._read: dict[Value, tuple[Row, SessionRow]] = {}

    def row(self, session_id: str) -> SessionRow | None:
        """The row of one session; None when there is none."""
        found = self._database.rows(f"{_SELECT} WHERE session_id = ?", (session_id,))
        return _row(found[0]) if found else None

    def rows(self, project_id: str | None) -> list[SessionRow]:
        """The rows of a project (None: of all), newest activity first; of those that did not change, the same objects
        as last time."""
        every = "ORDER BY activity DESC"
        if project_id is None:
            return [self._known(values) for values in self._database.rows(f"{_SELECT} {every}")]
        found = self._database.rows(f"{_SELECT} WHERE project_id = ? {every}", (_storable(project_id),))
        return [self._known(values) for values in found]

    def save(self, connection: sqlite3.Connection, row: SessionRow, activity: int) -> None:
        """Write the row inside the caller's transaction. `activity` grows with every append to any session."""
        values = _values(row)
        if not connection.execute(_UPDATE, (activity, *values, row.session_id)).rowcount:
            connection.execute(_INSERT, (activity, *values))

    def forget(self, session_id: str) -> None:
        """The session is gone."""
        self._read.pop(session_id, None)

    def _known(self, values: Row) -> SessionRow:
        """The row of these values; the same object as last time while they are the same."""
        kept = self._read.get(values[0])
        if kept is None or kept[0] != values:
            kept = self._read[values[0]] = (values, _row(values))
        return kept[1]

    def is_current(self) -> bool:
        """Whether the table is of this version, whole, and as far as the log."""
        version = self._database.rows("SELECT value FROM meta WHERE key = 'index_version'")
        if version != [(INDEX_VERSION,)]:
            return False
        try:
            newest = self._database.connection.execute("SELECT max(activity) FROM session").fetchone()
            self._database.connection.execute(f"{_SELECT} LIMIT 1").fetchone()
        except sqlite3.Error:
            return False
        return [newest] == self._database.rows("SELECT max(rowid) FROM event")

    def rebuild(self, log: Iterable[tuple[int, Envelope]], inherited: Callable[[Envelope], SessionRow | None]) -> None:
        """Empty the table and fill it from the log, given in order of writing, in one transaction.

        `inherited` gives the source's row as of the point from which a fork's first event forks.
        """
        found: dict[str, tuple[SessionRow, int]] = {}
        for activity, envelope in log:
            before = found[envelope.session_id][0] if envelope.session_id in found else None
            if isinstance(envelope.event, SessionForked):
                before = inherited(envelope)
            found[envelope.session_id] = (advance(before, envelope), activity)
        with self._database.transaction() as connection:
            connection.execute("DROP TABLE IF EXISTS session")
            connection.execute(_CREATE)
            for row, activity in found.values():
                self.save(connection, row, activity)
            connection.execute("DELETE FROM meta WHERE key = 'index_version'")
            connection.execute("INSERT INTO meta VALUES ('index_version', ?)", (INDEX_VERSION,))


def _values(row: SessionRow) -> tuple[str | int, ...]:
    fields = row.__dict__
    times = {"created_at": format_at(row.created_at), "last_activity_at": format_at(row.last_activity_at)}
    return tuple(times[column] if column in times else fields[column] for column in _COLUMNS)


def _row(values: tuple[object, ...]) -> SessionRow:
    return SessionRow.model_validate(dict(zip(_COLUMNS, values, strict=True)))
