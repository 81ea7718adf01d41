"""Verification of a store: is every event, and every blob an event names, what was recorded? Only reads.

`packaging/verify_audit.py` does the same without the product; a test holds the two together.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from desktop.domain.base import Frozen
from desktop.store.blob_store import blob_content
from desktop.store.connection import Row, Value, fetch
from desktop.store.event_body import FIRST_PREV_HASH, event_hash

FindingKind = Literal[
    "hash_mismatch", "prev_mismatch", "seq_gap", "seq_duplicate", "body_not_json", "blob_mismatch", "blob_missing"
]
COLUMNS = "event_id, session_id, seq, parent_id, at, type, body, prev_hash, hash"
_SELECT = f"SELECT {COLUMNS} FROM event"  # noqa: S608  # a constant
_DECODE = json.JSONDecoder().decode  # half the time of json.loads, which looks for the encoding first


class Finding(Frozen):
    """One thing that is not as it was recorded. `seq`: the entry it was seen at. `type`: what its column says it is."""

    session_id: str
    seq: int
    kind: FindingKind
    type: str
    text: str


@dataclass
class _Before:
    """What the next row of a session must follow. `hash` None: not known, so it is not compared."""

    seq: int
    hash: str | None


def verify_rows(rows: Iterable[Row], before: tuple[int, str | None]) -> Iterator[Finding]:
    """Check the chain of one session. Rows hold the columns `COLUMNS`, ordered by seq.

    `before`: seq and hash of the event before the first row; (-1, 64 zeros) for a session, (-1, hash of the source
    event) for a fork; None as hash is not compared.
    """
    last = _Before(*before)
    for row in rows:
        yield from _verify_row(row, last)


def _verify_row(row: Row, last: _Before) -> Iterator[Finding]:
    event_id, session_id, seq, parent_id, at, kind, body, prev_hash, digest = row
    number = seq if isinstance(seq, int) else last.seq + 1
    raw = body if isinstance(body, bytes) else str(body).encode("utf-8", "surrogateescape")

    def finding(what: FindingKind, text: str) -> Finding:
        return Finding(session_id=str(session_id), seq=number, kind=what, type=str(kind), text=text)

    if number == last.seq:
        yield finding("seq_duplicate", "there are two entries with this number")
    elif number != last.seq + 1:
        yield finding(
            "seq_gap",
            f"the entry before this one is number {last.seq}" if last.seq >= 0 else "the first entries are missing",
        )
    elif last.hash is not None and prev_hash != last.hash:
        yield finding("prev_mismatch", "it does not follow the entry before it")
    fields = parse_body(raw)
    if fields is None:
        yield finding("body_not_json", "its content is not a JSON object")
    if event_hash(str(prev_hash), str(session_id), str(seq), str(at), str(kind), raw) != digest:
        yield finding("hash_mismatch", "its content, time, type or number was changed")
    elif fields is not None and _columns_differ(fields, event_id, parent_id, kind):
        yield finding("hash_mismatch", "its id, parent or type differs from its content")
    last.seq, last.hash = number, str(digest)


def _columns_differ(fields: dict[str, JsonValue], event_id: Value, parent_id: Value, kind: Value) -> bool:
    return (fields.get("id"), fields.get("parent"), fields.get("type")) != (event_id, parent_id, kind)


def parse_body(raw: bytes) -> dict[str, JsonValue] | None:
    """The fields of a stored body; None when it is not a JSON object."""
    try:
        fields = _DECODE(raw.decode())
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def blob_digests(fields: dict[str, JsonValue]) -> list[str]:
    """The blobs an event names in its own fields, in order; never what merely looks like one in a tool's input."""
    references: list[JsonValue] = []
    match fields.get("type"):
        case "prompt_changed":
            references = [fields.get("system"), fields.get("tools")]
        case "tool_call_finished":
            references = [fields.get("full"), *_pictures(fields.get("blocks"))]
        case "tool_call_decided":
            references = _pictures(_member(fields.get("card"), "blocks"))
        case "input_requested":
            references = _pictures(_member(_member(fields.get("request"), "card"), "blocks"))
    digests = [_member(reference, "sha256") for reference in references]
    return [digest for digest in digests if isinstance(digest, str)]


def _pictures(blocks: JsonValue) -> list[JsonValue]:
    return [_member(block, "blob") for block in blocks] if isinstance(blocks, list) else []


def _member(value: JsonValue, name: str) -> JsonValue:
    return value.get(name) if isinstance(value, dict) else None


def verify_session(
    connection: sqlite3.Connection, folder: Path, session_id: str, last: int | None = None
) -> list[Finding]:
    """The findings of one session, or of its newest `last` events: by seq, blobs after the chain.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    ordered = f"{_SELECT} WHERE session_id = ? ORDER BY seq, rowid"
    if last is None:
        rows = fetch(connection, ordered, (session_id,))
    else:
        newest = f"{_SELECT} WHERE session_id = ? ORDER BY seq DESC, rowid DESC LIMIT ?"
        rows = fetch(connection, newest, (session_id, last + 1))[::-1]
    before = _start(connection, rows)
    if last is not None and len(rows) > last:
        first, rows = rows[0], rows[1:]
        before = (first[2] if isinstance(first[2], int) else -1, str(first[8]))
    return [*verify_rows(rows, before), *_verify_blobs(connection, folder, rows)]


def _start(connection: sqlite3.Connection, rows: list[Row]) -> tuple[int, str | None]:
    if not rows or rows[0][5] != "session_forked":
        return -1, FIRST_PREV_HASH
    source = fetch(connection, "SELECT hash FROM event WHERE event_id = ?", (rows[0][3],))
    return -1, str(source[0][0]) if source else ""


def _verify_blobs(connection: sqlite3.Connection, folder: Path, rows: list[Row]) -> Iterator[Finding]:
    known: dict[str, FindingKind | None] = {}
    for row in rows:
        body = row[6] if isinstance(row[6], bytes) else str(row[6]).encode("utf-8", "surrogateescape")
        if b'"sha256":"' not in body:
            continue
        for digest in blob_digests(parse_body(body) or {}):
            if digest not in known:
                known[digest] = _verify_blob(connection, folder, digest)
            kind = known[digest]
            if kind is not None:
                text = f"the stored content {digest[:12]} it names {_BLOB_WORDS[kind]}"
                seq = row[2] if isinstance(row[2], int) else -1
                yield Finding(session_id=str(row[1]), seq=seq, kind=kind, type=str(row[5]), text=text)


_BLOB_WORDS = {"blob_missing": "is missing", "blob_mismatch": "was changed"}


def _verify_blob(connection: sqlite3.Connection, folder: Path, digest: str) -> FindingKind | None:
    found = fetch(connection, "SELECT stored, encoding, content FROM blob WHERE sha256 = ?", (digest,))
    if not found:
        return "blob_missing"
    stored, encoding, content = found[0]
    data = blob_content(folder, digest, stored, encoding, content)
    if data is None:
        return "blob_mismatch" if stored == "row" else "blob_missing"
    return None if hashlib.sha256(data).hexdigest() == digest else "blob_mismatch"


def verify_store(
    connection: sqlite3.Connection, folder: Path, session_id: str | None = None
) -> tuple[int, list[Finding]]:
    """The number of events checked and the findings of all sessions, or of one, in order of session id.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    found = fetch(connection, "SELECT session_id, count(*) FROM event GROUP BY session_id ORDER BY session_id")
    chosen = [(str(name), int(str(count))) for name, count in found if session_id in (None, name)]
    findings = [finding for name, _ in chosen for finding in verify_session(connection, folder, name)]
    return sum(count for _, count in chosen), findings
