"""The event store: the append-only, hash-chained log of every session. Engine thread only."""

import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial, reduce
from pathlib import Path
from typing import NamedTuple

from desktop.domain.context.events import Rewound
from desktop.domain.core.errors import RefusedEvent, UnknownEventId, UnknownSession
from desktop.domain.core.ids import new_event_id, new_session_id
from desktop.domain.events import Envelope, Event, SessionForked, SessionStarted
from desktop.domain.history.fold_state import fold_log
from desktop.domain.history.state_of import SessionState
from desktop.store.core.events import Beside, Listener, OpenedChat, Orphans
from desktop.store.core.imports import ImportRefused, ImportReport
from desktop.store.core.session_row import SessionRow
from desktop.store.core.verify_audit import Finding, verify_session
from desktop.store.history.blobs import SqliteBlobs
from desktop.store.history.event_body import FIRST_PREV_HASH, encode_body, event_hash, event_type, format_at, parse_at
from desktop.store.history.event_rows import EVENT_COLUMNS
from desktop.store.history.event_rows import SELECT_EVENT as SELECT_EVENT
from desktop.store.history.event_rows import stored_envelope as stored_envelope
from desktop.store.history.lineage import Lineage
from desktop.store.history.listeners import EventListeners
from desktop.store.history.paths import read_path
from desktop.store.history.pictures import take_out
from desktop.store.history.removal import clean_up, refuse_forked, remove_rows
from desktop.store.history.session_index import INDEXED_TYPES, SessionIndex, advance
from desktop.store.history.state_keeper import StateKeeper, opened_chat
from desktop.store.sqlite.connection import Database, Row

_INSERT = f"INSERT INTO event ({EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
_SELECT_INDEXED = (
    f"SELECT {EVENT_COLUMNS}, rowid FROM event WHERE type IN (?{', ?' * (len(INDEXED_TYPES) - 1)}) "  # noqa: S608
    "OR rowid IN (SELECT max(rowid) FROM event GROUP BY session_id) OR rowid IN (SELECT max(rowid) FROM event "
    "WHERE type NOT IN ('turn_ended', 'input_resolved') GROUP BY session_id) ORDER BY rowid"
)
_INHERITED_FROM = "('session_started', 'session_forked', 'model_changed', 'imported', 'session_resumed')"
_MAX_SESSION_ID = 200


class _Place(NamedTuple):
    """Where the newest event of a session stands."""

    seq: int
    event_id: str
    hash: str


class SqliteEvents:
    """Appends are on the disk when they return, unless they are lazy; listeners are told of each, in order of writing.

    Every method raises `WrongThread` on another thread than the one that opened the store, and `StoreError` once it is
    closed or when the file cannot be read.
    """

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock
        self._index = SessionIndex(database)
        self._lineage = Lineage(database)
        self._states = StateKeeper(database)
        self._put = partial(SqliteBlobs(database).put, lazy=True)
        self._heads: dict[str, _Place] = {}
        self._index_rows: dict[str, SessionRow] = {}
        self._listeners = EventListeners()
        if not self._index.is_current():
            self.rebuild_index()

    def append(self, session_id: str, event: Event) -> Envelope:
        """Record one event; it is on the disk when this returns, then the listeners have been told.

        The first event of a session is `SessionStarted` or `SessionForked` and makes the session. The parent is the
        newest event, for `Rewound` its `to_event_id`, for `SessionForked` its `source_event_id`.

        Raises:
            RefusedEvent: NaN, nested over 200 levels, over 64 MiB, or a second beginning. Nothing was recorded.
            UnknownSession: the session has not begun.
            UnknownEventId: there is no such event to rewind to or fork from.
            StoreWriteFailed: it did not reach the disk; the same event may be appended again.
        """
        return self.append_many(session_id, (event,))[0]

    def append_many(
        self, session_id: str, events: Sequence[Event], *, lazy: bool = False, beside: Beside | None = None
    ) -> list[Envelope]:
        """Record all of the events or none, in one commit; then tell the listeners of each. Raises as `append`.

        `lazy`: they are on the disk after the next `barrier`, or with the next append that is not. `beside`: as in
        `EventStore`.
        """
        self._database.check()
        if not events:
            return []
        at = format_at(self._clock())
        head, row = self._head(session_id), self._index_row(session_id)
        envelopes: list[Envelope] = []
        stored: list[Row] = []
        for event in (take_out(one, self._put) for one in events):
            envelope, values = self._next(session_id, event, head, at, envelopes)
            row = self._advanced(row, envelope)
            head = _Place(envelope.seq, envelope.event_id, envelope.hash)
            envelopes.append(envelope)
            stored.append(values)
        if head is None or row is None:  # pragma: no cover  # one event was placed at least
            raise UnknownSession(session_id)
        self._heads.pop(session_id, None)  # read again from the disk unless the commit is known to stand
        self._index_rows.pop(session_id, None)
        with self._database.transaction(synced=not lazy) as connection:
            for values in stored:
                activity = connection.execute(_INSERT, values).lastrowid or 0
            self._index.save(connection, row, activity)
            if beside is not None:
                beside()
        self._heads[session_id] = head
        self._index_rows[session_id] = row
        self._listeners.tell(envelopes)
        return envelopes

    async def barrier(self) -> None:
        """Return once everything that was appended before is on the disk.

        Raises:
            StoreWriteFailed: it is not known to be there, and nothing can be recorded until the store is opened again.
        """
        await self._database.barrier()

    def flush(self) -> None:
        """As `barrier`, and the thread waits."""
        self._database.flush()

    def fork(self, session_id: str, at_event_id: str, forked: SessionForked) -> Envelope:
        """Begin a new session that continues `session_id` from `at_event_id`; the source does not change.

        `forked` gets the source's ids filled in. The new session's id is the envelope's. Raises as `append`.
        """
        if not self._lineage.holds(session_id, at_event_id):
            raise UnknownEventId(f"There is no entry {at_event_id} in this chat to fork from.")
        source = {"source_session_id": session_id, "source_event_id": at_event_id}
        return self.append(new_session_id(), forked.model_copy(update=source))

    def read(self, session_id: str, after: int = -1) -> list[Envelope]:
        """The session's own events with seq > after, oldest first; those left behind by a rewind included.

        Raises:
            UnknownSession: there is no such session.
        """
        self._known(session_id)
        return self._envelopes("WHERE session_id = ? AND seq > ? ORDER BY seq", (session_id, after))

    def path(self, session_id: str) -> list[Envelope]:
        """As `read_path`.

        Raises:
            UnknownSession: there is no such session.
            CorruptLog: the parents form a cycle.
        """
        self._known(session_id)
        return read_path(self._database, session_id)

    def opened(self, session_id: str, ahead: OpenedChat | None = None) -> tuple[list[Envelope], SessionState]:
        """`path`, and the state after all of it. A chat whose state was kept is not folded from its beginning. `ahead`:
        the chat as it was read before, up to an own event."""
        if ahead is None:
            chat = opened_chat(self._database, session_id, self.path(session_id))
        else:
            later = self.read(session_id, ahead.path[-1].seq)
            chat = OpenedChat(ahead.path + later, fold_log(ahead.state, later), ahead.kept_seq)
        return chat.path, self._states.opened(chat)

    def keep_state(self, state: SessionState, head_hash: str) -> None:
        """Save a state for `opened`, if that spares much; a failure is logged."""
        self._states.keep(state, head_hash)

    def adopt(self, staging: Path, report: ImportReport) -> None:
        """Take over what `prepare_import` made of a file, in one commit; each chat ends with an `Imported`.

        Raises:
            ImportRefused: the database at `staging` cannot be opened. Nothing was imported.
            StoreWriteFailed: it did not reach the disk. Nothing was imported.
        """
        self._database.check()
        connection = self._database.connection
        try:
            connection.execute("ATTACH ? AS incoming", (str(staging),))
        except sqlite3.Error as error:
            raise ImportRefused(str(error)) from error
        try:
            with self._database.transaction():
                connection.execute(
                    f"INSERT INTO main.event ({EVENT_COLUMNS}) SELECT {EVENT_COLUMNS} FROM incoming.event ORDER BY ord"  # noqa: S608
                )
                self._index_imported(connection, report.sessions)
        finally:
            connection.execute("DETACH incoming")
        self._tell_imported(report.sessions)

    def refuse_forked(self, session_id: str) -> None:
        """Refuse to go on when another chat continues this one. Raises ChatHasForks, which says what to do."""
        refuse_forked(self._database, session_id)

    def delete(self, session_id: str, orphans: Orphans) -> Envelope:
        """Remove a chat for good; its newest entry, for a closing anchor. `orphans`: what `find_orphans` found.

        Raises:
            ChatHasForks: another chat continues it. Nothing was removed.
            UnknownSession: there is no such session.
            StoreWriteFailed: it could not be removed; all of it is there.
        """
        self._known(session_id)
        self.refuse_forked(session_id)
        last = self.head(session_id)
        if last is None:  # pragma: no cover  # it is known
            raise UnknownSession(session_id)
        with self._database.transaction() as connection:
            gone = remove_rows(connection, session_id, orphans)
        self._heads.pop(session_id, None)
        self._index_rows.pop(session_id, None)
        self._states.forget(session_id)
        self._index.forget(session_id)
        clean_up(self._database, gone)
        return last

    def _index_imported(self, connection: sqlite3.Connection, session_ids: Sequence[str]) -> None:
        kinds = f"({', '.join('?' * len(INDEXED_TYPES))})"
        for session_id in session_ids:
            first, *later = self._envelopes(
                f"WHERE session_id = ? AND type IN {kinds} ORDER BY seq", (session_id, *INDEXED_TYPES)
            )
            newest = self._database.rows("SELECT max(rowid) FROM event WHERE session_id = ?", (session_id,))
            row = reduce(self._advanced, later, self._advanced(None, first))
            self._index.save(connection, row, int(str(newest[0][0])))

    def _tell_imported(self, session_ids: Sequence[str]) -> None:
        self._listeners.tell([head for session_id in session_ids if (head := self.head(session_id)) is not None])

    def session_ids(self, project_id: str | None = None) -> list[str]:
        """The sessions of a project (None: of all), newest activity first."""
        return [row.session_id for row in self._index.rows(project_id)]

    def rows(self, project_id: str | None = None) -> list[SessionRow]:
        """The rows that a list shows of the sessions of a project (None: of all), newest activity first. Reads no
        log."""
        return self._index.rows(project_id)

    def head(self, session_id: str) -> Envelope | None:
        """The newest event of a session; None when there is no such session."""
        found = self._envelopes("WHERE session_id = ? ORDER BY seq DESC LIMIT 1", (session_id,))
        return found[0] if found else None

    def is_empty(self) -> bool:
        """Whether no event stands here."""
        return not self._database.rows("SELECT 1 FROM event LIMIT 1")

    def recent(self, types: tuple[str, ...], since: datetime) -> list[Envelope]:
        """The events of these types since then, of all sessions, newest first. What was written days before is not
        read, unless the clock was set back meanwhile."""
        marks = ", ".join("?" * len(types))
        older = "SELECT coalesce(max(rowid), 0) FROM event WHERE at < ?"
        wanted = f"WHERE rowid > ({older}) AND at >= ? AND type IN ({marks}) ORDER BY rowid DESC"  # the marks alone
        return self._envelopes(wanted, (format_at(since - timedelta(days=2)), format_at(since), *types))

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` with each envelope after its commit, on the engine thread. What it raises is logged."""
        self._database.check()
        self._listeners.add(listener)

    def verify(self, session_id: str, last: int | None = None) -> list[Finding]:
        """The faults in the record of a session, or in its newest `last` events; empty when it is whole.

        Raises:
            UnknownSession: there is no such session.
        """
        self._known(session_id)
        return verify_session(self._database.connection, self._database.folder, session_id, last)

    def rebuild_index(self) -> None:
        """Empty the derived tables and fill them from the log again. The log is not touched."""
        self._database.check()
        numbered = self._database.rows(_SELECT_INDEXED, INDEXED_TYPES)
        self._index.rebuild(((int(str(row[-1])), stored_envelope(row[:-1])) for row in numbered), self._inherited)
        self._index_rows.clear()

    def close(self) -> None:
        """No listener is told anything any more. The store itself closes the file."""
        self._listeners.clear()

    def _next(
        self, session_id: str, event: Event, head: _Place | None, at: str, batch: list[Envelope]
    ) -> tuple[Envelope, Row]:
        parent_id, prev_hash = self._parent(session_id, event, head, batch)
        event_id, kind = new_event_id(), event_type(event)
        seq = head.seq + 1 if head else 0
        body = encode_body(event, event_id, parent_id)
        digest = event_hash(prev_hash, session_id, seq, at, kind, body.encode())
        envelope = Envelope(
            event_id=event_id,
            session_id=session_id,
            seq=seq,
            parent_id=parent_id,
            at=parse_at(at),
            event=event,
            prev_hash=prev_hash,
            hash=digest,
        )
        return envelope, (event_id, session_id, seq, parent_id, at, kind, body, prev_hash, digest)

    def _parent(
        self, session_id: str, event: Event, head: _Place | None, batch: list[Envelope]
    ) -> tuple[str | None, str]:
        if head is None:
            return self._root(session_id, event)
        if isinstance(event, SessionStarted | SessionForked):
            raise RefusedEvent(f"Session {session_id} has begun already.")
        if not isinstance(event, Rewound):
            return head.event_id, head.hash
        target = event.to_event_id
        if all(e.event_id != target for e in batch) and not self._lineage.holds(session_id, target):
            raise UnknownEventId(f"There is no entry {target} in this chat to go back to.")
        return target, head.hash

    def _root(self, session_id: str, event: Event) -> tuple[str | None, str]:
        printable = session_id.isascii() and session_id.isprintable()
        if not printable or not 0 < len(session_id) <= _MAX_SESSION_ID:
            raise RefusedEvent(f"{session_id!r} cannot name a session.")
        if self._database.rows("SELECT 1 FROM deletion WHERE session_id = ?", (session_id,)):
            raise UnknownSession(f"The chat {session_id} was deleted.")
        if isinstance(event, SessionStarted):
            return None, FIRST_PREV_HASH
        if not isinstance(event, SessionForked):
            raise UnknownSession(f"There is no chat {session_id}; it begins with SessionStarted.")
        source = self._database.rows("SELECT hash FROM event WHERE event_id = ?", (event.source_event_id,))
        if not source:
            raise UnknownEventId(f"There is no entry {event.source_event_id} to fork from.")
        return event.source_event_id, str(source[0][0])

    def _head(self, session_id: str) -> _Place | None:
        if session_id not in self._heads:
            found = self._database.rows(
                "SELECT seq, event_id, hash FROM event WHERE session_id = ? AND typeof(seq) = 'integer' "
                "ORDER BY seq DESC LIMIT 1",
                (session_id,),
            )
            if not found:
                return None
            seq, event_id, digest = found[0]
            self._heads[session_id] = _Place(int(str(seq)), str(event_id), str(digest))
        return self._heads[session_id]

    def _index_row(self, session_id: str) -> SessionRow | None:
        return self._index_rows.get(session_id) or self._index.row(session_id)

    def _advanced(self, row: SessionRow | None, envelope: Envelope) -> SessionRow:
        """The row after one more event of a log; a fork begins with what its source was."""
        return advance(self._inherited(envelope) if isinstance(envelope.event, SessionForked) else row, envelope)

    def _inherited(self, first: Envelope) -> SessionRow | None:
        row: SessionRow | None = None
        for segment in self._lineage.ancestors(first.parent_id):
            wanted = f"WHERE session_id = ? AND seq <= ? AND type IN {_INHERITED_FROM} ORDER BY seq"
            for envelope in self._envelopes(wanted, (segment.session_id, max(segment.seqs))):
                if envelope.seq in segment.seqs:
                    row = advance(row, envelope)
        return row

    def _known(self, session_id: str) -> None:
        self._database.check()
        if self._head(session_id) is None:
            raise UnknownSession(f"There is no chat {session_id} in {self._database.folder}.")

    def _envelopes(self, where: str, parameters: Sequence[str | int]) -> list[Envelope]:
        return [stored_envelope(row) for row in self._database.rows(f"{SELECT_EVENT} {where}", parameters)]
