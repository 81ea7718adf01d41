"""Making a foreign log one of this store's: what it becomes is written beside the store, then taken over in one go."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path

from pydantic import JsonValue

from desktop.domain.chats.library_events import Imported
from desktop.domain.children.events import ChildEnded
from desktop.domain.core.ids import new_event_id, new_session_id
from desktop.domain.event_json import dump_event, load_event
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    SessionForked,
    SessionStarted,
    ToolCallStarted,
    UnknownEvent,
)
from desktop.domain.history.neutral import placed_envelope
from desktop.domain.history.parts import input_object, is_marker
from desktop.store.core.imports import Chain, ImportRefused, ImportReport, Where
from desktop.store.history.event_body import (
    FIRST_PREV_HASH,
    MAX_BODY_BYTES,
    MAX_NESTING,
    event_hash,
    format_at,
    nesting,
)
from desktop.store.history.import_file import ReadFile, read_file

_REFERENCES = (
    "to_event_id",
    "abandoned_head_id",
    "undo_of",
    "source_event_id",
    "source_session_id",
    "target_id",
    "keep_from",
    "parent_session_id",
    "sender_session_id",
    "child_id",
)
_CREATE = (
    "CREATE TABLE event (ord INTEGER PRIMARY KEY, event_id TEXT, session_id TEXT, seq INTEGER, parent_id TEXT, at TEXT,"
    " type TEXT, body TEXT, prev_hash TEXT, hash TEXT)"
)
_NO_TYPE = "unreadable"
_INSERT = "INSERT INTO event VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_TAKEN = (
    "SELECT 1 FROM raw JOIN store.event USING (event_id) LIMIT 1",
    "SELECT 1 FROM raw JOIN store.event USING (session_id) LIMIT 1",
    "SELECT 1 FROM raw JOIN store.deletion USING (session_id) LIMIT 1",
)


def prepare_import(source: Path, database: Path, staging: Path, where: Where, now: datetime) -> ImportReport:
    """Write what the file's chats become here into a new database at `staging`. Any thread; the store is only read.

    Raises:
        ImportRefused: a line is not usable, the entries follow one another in a circle, or one continues a chat that
            its own does not come from.
    """
    with closing(sqlite3.connect(staging, isolation_level=None, uri=True)) as connection:
        connection.execute("PRAGMA journal_mode=OFF")
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("ATTACH ? AS store", (f"{database.absolute().as_uri()}?mode=ro",))
        connection.execute("BEGIN")
        found = read_file(source, connection)
        taken = any(connection.execute(query).fetchone() for query in _TAKEN)
        report = _stage(connection, found, _envelopes(connection), taken=taken, where=where, now=now)
        connection.execute("DROP TABLE raw")
        connection.execute("COMMIT")
    return report


def _envelopes(connection: sqlite3.Connection) -> Iterator[tuple[Envelope, str | None]]:
    """The events of the file in order, each with its exact body where the file says it."""
    previous: dict[str, str] = {}
    cursor = connection.execute("SELECT session_id, seq, event_id, text FROM raw ORDER BY rank, seq")
    for session, seq, event_id, text in cursor:
        event = json.loads(text)
        extra = event.get("x_banksman")
        body = extra.get("body") if isinstance(extra, dict) else None
        yield (
            placed_envelope(event, (session, seq, event_id), previous.get(session)),
            body if isinstance(body, str) else None,
        )
        previous[session] = event_id


def _stage(
    connection: sqlite3.Connection,
    found: ReadFile,
    log: Iterable[tuple[Envelope, str | None]],
    *,
    taken: bool,
    where: Where,
    now: datetime,
) -> ImportReport:
    report = ImportReport(redacted=found.header.get("redacted") is True, renamed=taken)
    connection.execute(_CREATE)
    chain = _ChainCheck()
    inputs = _Inputs()
    parents = _Parents()
    for envelope, body in log:
        exact = body if body is not None else _body(envelope.event, envelope.event_id, envelope.parent_id)
        _refuse_limits(envelope, exact)
        chain.see(envelope, exact)
        inputs.see(envelope)
        parents.see(envelope)
        report.events += 1
        report.unknown += isinstance(envelope.event, UnknownEvent)
        values = (envelope.event_id, envelope.session_id, envelope.seq, envelope.parent_id, format_at(envelope.at))
        connection.execute(_INSERT, (*values, _type(exact, envelope), exact, envelope.prev_hash, envelope.hash))
    parents.refuse()
    report.chain = "absent" if report.redacted else chain.verdict()
    report.restored, report.unrecoverable = inputs.account()
    names = {session: new_session_id() if taken else session for session in found.sessions}
    if taken or report.chain != "verified":
        _rewrite(connection, names, {event_id: new_event_id() if taken else event_id for event_id in parents.of})
    depths = _depths(connection)
    report.sessions = sorted((names[session] for session in found.sessions), key=lambda one: -depths.get(one, 0))
    head = str(found.header.get("head_hash") or "")
    mark = Imported(
        source_name=where.name,
        source_sha256=found.sha256,
        events=report.events,
        unknown=report.unknown,
        restored_inputs=report.restored,
        unrecoverable_calls=report.unrecoverable,
        chain=report.chain,
        source_head_hash=head,
        project_id=where.project_id,
        project_path=where.project_path,
    )
    for session in report.sessions:
        _mark(connection, session, mark, format_at(now))
    return report


def _mark(connection: sqlite3.Connection, session: str, mark: Imported, at: str) -> None:
    last = "SELECT seq, event_id, hash FROM event WHERE session_id = ? ORDER BY seq DESC LIMIT 1"
    seq, parent, prev_hash = connection.execute(last, (session,)).fetchone()
    event_id = new_event_id()
    body = dump_event(mark, event_id, parent)
    digest = event_hash(prev_hash, session, seq + 1, at, "imported", body.encode())
    values = (event_id, session, seq + 1, parent, at, "imported", body, prev_hash, digest)
    connection.execute(_INSERT, values)


def _rewrite(connection: sqlite3.Connection, sessions: dict[str, str], ids: dict[str, str]) -> None:
    """Give every event its new ids, a gap-free number, and a hash of this store."""
    heads: dict[str, tuple[int, str]] = {}
    hashes: dict[str, str] = {}
    placed: dict[tuple[str, int], tuple[int, str]] = {}
    depths = _depths(connection)
    connection.execute("ALTER TABLE event RENAME TO given")
    connection.execute(_CREATE)
    connection.create_function("depth_of", 1, lambda session: depths.get(session, 0), deterministic=True)
    ordered = "SELECT * FROM given ORDER BY depth_of(session_id) DESC, ord"  # the ends of sub-agents name their heads
    for _, event_id, session, given, parent, at, kind, body, _, _ in connection.execute(ordered):
        event = load_event(body)
        renamed = {**sessions, **ids}
        changed: dict[str, object] = {name: renamed[value] for name, value in _named(event) if value in renamed}
        if isinstance(event, ChildEnded):
            changed |= _new_head(event, placed)
        own, above = ids[event_id], ids.get(parent, parent)
        text = _body(event.model_copy(update=changed) if changed else event, own, above)
        first = FIRST_PREV_HASH
        if isinstance(event, SessionForked):
            first = hashes.get(above or "", "")
        seq, prev_hash = heads.get(session, (-1, first))
        digest = event_hash(prev_hash, sessions[session], seq + 1, at, kind, text.encode())
        values = (own, sessions[session], seq + 1, above, at, kind, text, prev_hash, digest)
        connection.execute(_INSERT, values)
        heads[session] = placed[session, given] = (seq + 1, digest)
        hashes[own] = digest
    connection.execute("DROP TABLE given")


def _depths(connection: sqlite3.Connection) -> dict[str, int]:
    """How deep below a chat of a person each sub-agent of the log stands."""
    rows = connection.execute("SELECT session_id, body FROM event WHERE type = 'session_started'")
    started = ((str(session), load_event(body)) for session, body in rows)
    return {session: event.depth for session, event in started if isinstance(event, SessionStarted)}


def _new_head(event: ChildEnded, placed: dict[tuple[str, int], tuple[int, str]]) -> dict[str, object]:
    """The end of a sub-agent's log as it stands here; none for one that is not in the file."""
    found = placed.get((event.child_id, event.head_seq))
    return {"head_seq": found[0], "head_hash": found[1]} if found is not None else {}


def staged_blobs(staging: Path) -> Iterator[tuple[str, bytes]]:
    """Media type and bytes of each blob that the file carried."""
    with closing(sqlite3.connect(staging)) as connection:
        for media_type, content in connection.execute("SELECT media_type, content FROM blob"):
            yield str(media_type), bytes(content)


def _named(event: object) -> Iterator[tuple[str, str]]:
    """The fields of an event that name another event or session."""
    for name in _REFERENCES:
        value = vars(event).get(name)
        if isinstance(value, str) and value:
            yield name, value


def _body(event: object, event_id: str, parent_id: str | None) -> str:
    """The body to store; that of an unknown event begins with its id and parent as every other does."""
    if not isinstance(event, UnknownEvent):
        return dump_event(event, event_id, parent_id)  # type: ignore[arg-type]  # every other event is an EventBase
    raw = _json(event.raw)
    fields = raw if isinstance(raw, dict) else {"raw": event.raw}
    if list(fields)[:2] == ["id", "parent"] and (fields["id"], fields["parent"]) == (event_id, parent_id):
        return event.raw
    kind = event.original_type or _NO_TYPE
    head = {"id": event_id, "parent": parent_id, "v": 1, "type": kind}
    kept = {key: value for key, value in fields.items() if key not in head}
    return json.dumps({**head, **kept}, ensure_ascii=True, separators=(",", ":"))


def _json(text: str) -> JsonValue:
    """The value that a text holds, None when it is no JSON."""
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def _type(body: str, envelope: Envelope) -> str:
    kind = envelope.kind
    if isinstance(envelope.event, UnknownEvent) and not kind:
        fields = _json(body)
        return str(fields.get("type")) if isinstance(fields, dict) else _NO_TYPE
    return kind


def _refuse_limits(envelope: Envelope, body: str) -> None:
    if len(body) > MAX_BODY_BYTES:
        raise ImportRefused(f"Entry {envelope.event_id} is larger than 64 MiB. Nothing was imported.")
    if nesting(body, MAX_NESTING) > MAX_NESTING:
        raise ImportRefused(f"Entry {envelope.event_id} is nested over {MAX_NESTING} levels. Nothing was imported.")


class _Parents:
    """Whether following parents stays within what a chat of this store stands on: its own entries, and those that its
    first entry was forked from."""

    def __init__(self) -> None:
        self.of: dict[str, str | None] = {}
        self._owner: dict[str, str] = {}
        self._first: dict[str, str] = {}

    def see(self, envelope: Envelope) -> None:
        self.of[envelope.event_id] = envelope.parent_id
        self._owner[envelope.event_id] = envelope.session_id
        self._first.setdefault(envelope.session_id, envelope.event_id)

    def refuse(self) -> None:
        """Raises ImportRefused for a circle, and for an entry that continues a chat which its own does not."""
        self._refuse_circles()
        inherited: dict[str, set[str]] = {}
        for event_id, parent in self.of.items():
            session = self._owner[event_id]
            if parent is None or self._owner.get(parent, session) == session or self._first[session] == event_id:
                continue
            if session not in inherited:
                inherited[session] = set(self._upwards(self.of[self._first[session]]))
            if parent not in inherited[session]:
                raise ImportRefused(
                    f"Entry {event_id} continues entry {parent} of a chat that its own does not come from. "
                    "Nothing was imported."
                )

    def _upwards(self, event_id: str | None) -> Iterator[str]:
        while event_id is not None and event_id in self.of:
            yield event_id
            event_id = self.of[event_id]

    def _refuse_circles(self) -> None:
        ends: set[str] = set()
        for start in self.of:
            walked: set[str] = set()
            at: str | None = start
            while at is not None and at in self.of and at not in ends:
                if at in walked:
                    raise ImportRefused(f"Entry {at} follows itself in a circle. Nothing was imported.")
                walked.add(at)
                at = self.of[at]
            ends |= walked


class _ChainCheck:
    """Whether the hashes that a file carries fit what stands in it."""

    def __init__(self) -> None:
        self._heads: dict[str, tuple[int, str]] = {}
        self._hashes: dict[str, str] = {}
        self._with = 0
        self._whole = True

    def see(self, envelope: Envelope, body: str) -> None:
        session, seq = envelope.session_id, envelope.seq
        self._with += bool(envelope.hash)
        first = FIRST_PREV_HASH
        if isinstance(envelope.event, SessionForked):
            first = self._hashes.get(envelope.parent_id or "", "")
        before, prev_hash = self._heads.get(session, (-1, first))
        data = body.encode("utf-8", "surrogateescape")
        digest = event_hash(envelope.prev_hash, session, seq, format_at(envelope.at), _type(body, envelope), data)
        fits = digest == envelope.hash and prev_hash == envelope.prev_hash and seq == before + 1
        self._whole = self._whole and fits
        self._heads[session] = (seq, envelope.hash)
        self._hashes[envelope.event_id] = envelope.hash

    def verdict(self) -> Chain:
        if not self._with:
            return "absent"
        return "verified" if self._whole else "broken"


class _Inputs:
    """Which shortened inputs of calls stand elsewhere in full."""

    def __init__(self) -> None:
        self._short: dict[str, None] = {}
        self._full: set[str] = set()

    def see(self, envelope: Envelope) -> None:
        event = envelope.event
        if isinstance(event, ToolCallStarted):
            given = input_object(event.input)
            if event.input is not None and given is not None and not is_marker(given):
                self._full.add(event.call_id)
        elif isinstance(event, AssistantMessage):
            for part in event.parts:
                if isinstance(part, dict) and part.get("type") == "tool_use" and isinstance(part.get("id"), str):
                    given = input_object(part.get("input"))
                    if given is not None and is_marker(given):
                        self._short[str(part["id"])] = None

    def account(self) -> tuple[int, tuple[str, ...]]:
        lost = tuple(call_id for call_id in self._short if call_id not in self._full)
        return len(self._short) - len(lost), lost
