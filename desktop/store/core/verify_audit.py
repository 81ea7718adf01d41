"""Verify the record of a Banksman store without Banksman: Python's standard library only, everything is only read.

    python verify_audit.py STORE [--anchors FILE] [--session ID] [--json]

STORE is the folder of a store, its banksman.db, or a file that `banksman audit export` or the Audit tab wrote. Every
entry carries the SHA-256 over its place, its content and the hash of the entry before it, so a changed, removed, added
or exchanged entry shows. A tail that was cut off, and a chain that somebody wrote anew to its end, show by the anchors:
a file in the log folder that names the newest entries of former days and runs.

Exit status: 0 whole, 1 something was changed, 2 cannot be read, 3 whole as far as can be seen without anchors.

The program and `packaging/verify_audit.py` are the same file; a test compares them.
"""

import argparse
import hashlib
import json
import sqlite3
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

ZEROS = "0" * 64
EXPORT_FORMAT = 1
ANCHOR_KEYS = {"v", "at", "store", "session", "seq", "hash", "prev", "mac", "closing", "sum"}
_DECODE = json.JSONDecoder().decode  # half the time of json.loads, which looks for the encoding first
_DECODE_AT_ONCE = json.JSONDecoder().raw_decode  # and no looking for blanks around
_SELECT = (
    "SELECT event_id, session_id, seq, parent_id, at, type, body, prev_hash, hash, typeof(body) = 'text' FROM event "
)
Row = Sequence[Any]


class Finding(NamedTuple):
    """One thing that is not as it was recorded. `seq`: the entry it was seen at, in anchors the line, -1: the whole.
    `kind`: hash_mismatch, prev_mismatch, seq_gap, seq_duplicate, cut_before_anchor, anchor_without_session,
    anchor_chain, blob_mismatch, blob_missing, child_missing, child_head_mismatch or body_not_json. `type`: what the
    entry says it is."""

    session_id: str
    seq: int
    kind: str
    type: str
    text: str


class Anchor(NamedTuple):
    """One line of the anchors: so many entries a session had, and the hash of the last. `closing`: it was deleted."""

    line: int
    store: str
    session_id: str
    seq: int
    hash: str
    at: str
    closing: bool


class Report(NamedTuple):
    """What came of verifying: entries that were checked, anchors that they were held against, findings in order.
    `others`: the stores that other anchors of the file are of, and how many entries these name."""

    events: int
    anchors: int
    findings: list[Finding]
    others: tuple[tuple[str, int], ...] = ()


class Unreadable(Exception):
    """The file is there, but neither a store nor an export, or it does not hold what was asked for."""


def main(argv: Sequence[str] | None = None, prog: str | None = None) -> int:
    """Check, print, and return the exit status."""
    parser = argparse.ArgumentParser(prog=prog, description="Verify the record of a Banksman store.")
    parser.add_argument("store", type=Path, help="the store's folder, its banksman.db, or an export")
    parser.add_argument("--anchors", type=Path, help="anchors.jsonl of the log folder: shows a tail that was cut off")
    parser.add_argument("--session", help="check this session only")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    try:
        report = verify(options.store, options.anchors, options.session)
    except (sqlite3.Error, OSError, Unreadable) as error:
        sys.stderr.write(f"Cannot verify {options.store}: {error}.\n")
        return 2
    sys.stdout.write(as_json(report) if options.json else as_text(report))
    if report.findings:
        return 1
    return 0 if report.anchors else 3


def as_json(report: Report) -> str:
    """One JSON object."""
    found = [finding._asdict() for finding in report.findings]
    others = [{"store": store, "entries": entries} for store, entries in report.others]
    return (
        json.dumps({"events": report.events, "anchors": report.anchors, "findings": found, "other_stores": others})
        + "\n"
    )


def as_text(report: Report) -> str:
    """The findings, one a line, and a sentence."""
    lines = []
    for found in report.findings:
        place = f"{found.session_id} entry {found.seq} ({found.type})" if found.type else found.session_id
        lines.append(ascii(f"{place}: {found.kind}: {found.text}")[1:-1])
    if report.findings:
        lines.append(f"{report.events} entries checked, {len(report.findings)} findings.")
    elif report.anchors:
        lines.append(f"{report.events} entries checked: whole. {report.anchors} anchors hold.")
    else:
        lines.append(f"{report.events} entries checked: whole. No anchors: an end that was cut off would not show.")
    return "\n".join([*lines, *map(other_store, report.others)]) + "\n"


def other_store(other: tuple[str, int]) -> str:
    """The sentence for anchors that this store cannot be held against."""
    store, entries = other
    return ascii(
        f"Anchors of another store ({store[:12]}, {entries} entries) lie here. If you did not remove or replace it, "
        "the chats of that store are missing."
    )[1:-1]


def other_stores(anchors: list[Anchor], store_id: str) -> tuple[tuple[str, int], ...]:
    """The other stores that anchors are of, and how many entries the anchors say they hold; none for one of which all
    was deleted."""
    sizes: dict[str, dict[str, int]] = {}
    for anchor in anchors:
        if anchor.store != store_id:
            sizes.setdefault(anchor.store, {})[anchor.session_id] = 0 if anchor.closing else anchor.seq + 1
    found = ((store, sum(sessions.values())) for store, sessions in sizes.items())
    return tuple((store, entries) for store, entries in found if entries)


def verify(store: Path, anchors: Path | None = None, session_id: str | None = None) -> Report:
    """Check a store or an export, and the anchors if there are any.

    Raises:
        OSError, sqlite3.Error, Unreadable: it cannot be read, or holds no such session.
    """
    file = store / "banksman.db" if store.is_dir() else store
    known, faults = read_anchors(anchors) if anchors is not None else ([], [])
    with file.open("rb") as head:
        is_database = head.read(15) == b"SQLite format 3"
    if not is_database:
        return _verify_export(file, known, faults, session_id)
    with closing(open_reading(file)) as connection:
        connection.execute("BEGIN")
        return verify_database(connection, file.parent, (known, faults), session_id)


def open_reading(file: Path) -> sqlite3.Connection:
    """A connection that cannot change the file."""
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=5.0, isolation_level=None)


@contextmanager
def _bytes(connection: sqlite3.Connection) -> Iterator[None]:
    """Text comes as its bytes: no time is lost on decoding, and none of it can be wrong."""
    before = connection.text_factory
    connection.text_factory = bytes
    try:
        yield
    finally:
        connection.text_factory = before


# A store


def verify_database(
    connection: sqlite3.Connection, folder: Path, anchors: tuple[list[Anchor], list[Finding]], only: str | None = None
) -> Report:
    """All sessions in order of their id, or one; then the anchors of this store."""
    with _bytes(connection):
        counts = connection.execute("SELECT session_id, count(*) FROM event GROUP BY session_id ORDER BY 1").fetchall()
        names = connection.execute("SELECT value FROM meta WHERE key = 'store_id'").fetchall()
    store_id = _text(names[0][0]) if names else ""
    sizes = {_text(session_id): count for session_id, count in counts if only in (None, _text(session_id))}
    blobs: dict[str, tuple[str, str] | None] = {}
    findings: list[Finding] = []
    for session_id in sizes:
        findings += verify_session(connection, folder, session_id, blobs=blobs)
    own = [anchor for anchor in anchors[0] if anchor.store == store_id and only in (None, anchor.session_id)]
    if only and not sizes and not own:
        raise Unreadable(f"there is no session {only}")

    def entry(session_id: str, seq: int) -> tuple[int, str | None]:
        found = connection.execute(
            "SELECT max(seq), (SELECT hash FROM event WHERE session_id = CAST(?1 AS TEXT) AND seq = ?2) FROM event "
            "WHERE session_id = CAST(?1 AS TEXT)",
            (_raw(session_id), seq),
        )
        last, digest = found.fetchone()
        return (last if isinstance(last, int) else -1), None if digest is None else _text(digest)

    findings += _check_children(connection, entry, only)
    findings += [*anchors[1], *_against_anchors(own, sizes, entry)]
    return Report(sum(sizes.values()), len(own), findings, other_stores(anchors[0], store_id) if only is None else ())


def verify_session(
    connection: sqlite3.Connection,
    folder: Path,
    session_id: str,
    last: int | None = None,
    *,
    blobs: dict[str, tuple[str, str] | None] | None = None,
) -> list[Finding]:
    """The findings of one session, or of its newest `last` entries: the chain by number, then the blobs they name.

    `blobs`: what is known of blobs already.
    """
    known = {} if blobs is None else blobs
    with _bytes(connection):
        if last is None:
            rows: Iterable[Row] = connection.execute(
                f"{_SELECT} WHERE session_id = CAST(? AS TEXT) ORDER BY seq, rowid", (_raw(session_id),)
            )
            before: tuple[int, str | None] = (-1, ZEROS)
        else:
            newest = connection.execute(
                f"{_SELECT} WHERE session_id = CAST(? AS TEXT) ORDER BY seq DESC, rowid DESC LIMIT ?",
                (_raw(session_id), last + 1),
            ).fetchall()[::-1]
            rows, before = (
                (newest[1:], (newest[0][2], _text(newest[0][8]))) if len(newest) > last else (newest, (-1, ZEROS))
            )
        findings: list[Finding] = []
        named: list[tuple[Row, str]] = []
        for row in rows:
            if before == (-1, ZEROS) and row[5] == b"session_forked":
                source = connection.execute(
                    "SELECT hash FROM event WHERE event_id = CAST(? AS TEXT)", (row[3],)
                ).fetchone()
                before = (-1, _text(source[0]) if source else "")
            fields = _check_row(row, before, findings)
            if fields is not None:
                named += [(row, digest) for digest in blob_digests(fields)]
            before = row[2] if isinstance(row[2], int) else before[0] + 1, _text(row[8])
        return findings + list(_check_blobs(connection, folder, named, known))


def _check_row(row: Row, before: tuple[int, str | None], findings: list[Finding]) -> dict[str, Any] | None:
    """Note what is wrong with one row; its fields, if it may name blobs and can be read."""
    event_id, session_id, number, parent_id, at, kind, body, prev_hash, digest, is_text = row
    seq = number if isinstance(number, int) else before[0] + 1
    if fault := check_place(seq, _text(prev_hash), before):
        findings.append(_found(row, seq, *fault))
    raw = body if isinstance(body, bytes) else str(body).encode()
    inner = hashlib.sha256(raw).hexdigest()
    whole = _hash(prev_hash, session_id, number, at, kind, inner) == _text(digest)
    names_blobs = kind in _NAMES_BLOBS or (kind in _MAY_NAME_BLOBS and b'"$blob"' in raw)
    if whole and is_text and not names_blobs and raw.startswith(_head(event_id, parent_id, kind)):
        return None
    fields = parse(raw) if is_text else None
    if fields is None:
        findings.append(_found(row, seq, "body_not_json", "its content is not a JSON object"))
    if not whole:
        findings.append(_found(row, seq, "hash_mismatch", "its content, time, type or number was changed"))
    elif fields is not None:
        columns = tuple(None if value is None else _text(value) for value in (event_id, parent_id, kind))
        if (fields.get("id"), fields.get("parent"), fields.get("type")) != columns:
            findings.append(_found(row, seq, "hash_mismatch", "its id, parent or type differs from its content"))
    return fields


def _hash(*covered: object) -> str:
    """The hash of an entry: over prev_hash, session, number, time, type, and the hash of the body."""
    return _sha256("\n".join(["banksman-event-v1", *map(_text, covered)]))


def _sha256(text: str) -> str:
    return hashlib.sha256(_raw(text)).hexdigest()


def _head(event_id: object, parent_id: object, kind: object) -> bytes:
    """How a body begins as the program writes it: then its id, parent and type are those of its row."""
    parent = b"null" if parent_id is None else b'"%b"' % parent_id if isinstance(parent_id, bytes) else b"?"
    if not isinstance(event_id, bytes) or not isinstance(kind, bytes):
        return b"?"
    return b'{"id":"%b","parent":%b,"v":1,"type":"%b"' % (event_id, parent, kind)


def check_place(seq: int, prev_hash: str, before: tuple[int, str | None]) -> tuple[str, str] | None:
    """(kind, text) of what is wrong with an entry's place after the one before it, or None. Hash None: unknown."""
    if seq == before[0]:
        return "seq_duplicate", "there are two entries with this number"
    if seq != before[0] + 1:
        missing = f"the entry before this one is number {before[0]}" if before[0] >= 0 else "the first are missing"
        return "seq_gap", missing
    if before[1] is not None and prev_hash != before[1]:
        return "prev_mismatch", "it does not follow the entry before it"
    return None


def _found(row: Row, seq: int, kind: str, text: str) -> Finding:
    return Finding(_text(row[1]), seq, kind, _text(row[5]), text)


def _text(value: object) -> str:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)


def _raw(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character that no byte gave
        return text.encode("utf-8", "surrogatepass")


def parse(raw: bytes) -> dict[str, Any] | None:
    """The fields of a body; None when it is no JSON object."""
    try:
        text = raw.decode()
        fields, end = _DECODE_AT_ONCE(text) if text.startswith("{") else (None, -1)
        if end != len(text):
            fields = _DECODE(text)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


# Blobs

_MAY_NAME_BLOBS = {b"user_message", b"assistant_message"}
_NAMES_BLOBS = {
    b"prompt_changed",
    b"tool_call_finished",
    b"tool_call_decided",
    b"input_requested",
    b"input_resolved",
    b"notice",
}


def blob_digests(fields: dict[str, Any]) -> list[str]:
    """The blobs an entry names in its own fields, in order; never what merely looks like one in a tool's input."""
    references: list[Any] = []
    match fields.get("type"):
        case "prompt_changed":
            references = [fields.get("system"), fields.get("tools")]
        case "tool_call_finished":
            touched = fields.get("touched")
            before = [_member(file, "before") for file in touched] if isinstance(touched, list) else []
            references = [fields.get("full"), *_pictures(fields.get("blocks")), *before]
            references += _taken_out(fields.get("content"))
        case "user_message" | "assistant_message":
            references = _taken_out(fields.get("parts"))
        case "tool_call_decided":
            references = _pictures(_member(fields.get("card"), "blocks"))
        case "input_requested":
            references = _pictures(_member(_member(fields.get("request"), "card"), "blocks"))
        case "notice":
            kept = fields.get("kept")
            references = kept if isinstance(kept, list) else []
        case "input_resolved":
            references = [{"sha256": fields.get("shown_sha256") or None}]
    digests = [_member(reference, "sha256") for reference in references]
    return [digest for digest in digests if isinstance(digest, str)]


def _pictures(blocks: Any) -> list[Any]:
    return [_member(block, "blob") for block in blocks] if isinstance(blocks, list) else []


def _taken_out(parts: Any) -> list[Any]:
    """Pictures and documents whose bytes stand beside the log."""
    sources = (
        [_member(part, "source") for part in parts if _member(part, "type") in ("image", "document")]
        if (isinstance(parts, list))
        else []
    )
    return [{"sha256": _member(_member(source, "data"), "$blob")} for source in sources]


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _check_blobs(
    connection: sqlite3.Connection,
    folder: Path,
    named: list[tuple[Row, str]],
    known: dict[str, tuple[str, str] | None],
) -> Iterator[Finding]:
    for row, digest in named:
        if digest not in known:
            known[digest] = _check_blob(connection, folder, digest)
        if fault := known[digest]:
            seq = row[2] if isinstance(row[2], int) else -1
            yield _found(row, seq, fault[0], f"the stored content {digest[:12]} it names {fault[1]}")


def _check_blob(connection: sqlite3.Connection, folder: Path, digest: str) -> tuple[str, str] | None:
    missing, changed = ("blob_missing", "is missing"), ("blob_mismatch", "was changed")
    if len(digest) != 64 or not digest.isascii() or not digest.isalnum():
        return missing
    row = connection.execute("SELECT stored, encoding, content FROM blob WHERE sha256 = ?", (digest,)).fetchone()
    if not row or _text(row[0]) not in ("row", "file"):
        return missing
    data = row[2]
    if _text(row[0]) == "file":
        file = folder / "blobs" / digest[:2] / digest
        if not file.is_file():
            return missing
        data = file.read_bytes()
    elif _text(row[1]) == "zlib":
        try:
            data = zlib.decompress(data)
        except (zlib.error, TypeError):
            return changed
    return None if isinstance(data, bytes) and hashlib.sha256(data).hexdigest() == digest else changed


def _check_children(connection: sqlite3.Connection, entry: Any, only: str | None) -> Iterator[Finding]:
    """What the log of a chat says of the end of a sub-agent must be so: its log is there, and has that entry. The log
    of a chat from a file comes alone. `entry(session, seq)`: see `_against_anchors`."""
    with _bytes(connection):
        rows = connection.execute(f"{_SELECT} WHERE type = 'child_ended' ORDER BY session_id, seq").fetchall()
        imported = set(connection.execute("SELECT DISTINCT session_id FROM event WHERE type = 'imported'").fetchall())
    for row in rows:
        fields = parse(row[6] if isinstance(row[6], bytes) else str(row[6]).encode()) or {}
        child_id, seq, digest = str(fields.get("child_id")), fields.get("head_seq"), fields.get("head_hash")
        if only not in (None, _text(row[1])) or not isinstance(seq, int) or seq < 0 or (row[1],) in imported:
            continue
        last, found = entry(child_id, seq)
        place = row[2] if isinstance(row[2], int) else -1
        if last < 0:
            yield _found(row, place, "child_missing", f"the log of the sub-agent {child_id} is missing")
        elif last < seq or found != digest:
            what = f"entry {seq} of the sub-agent {child_id} is not the one with which its run ended"
            yield _found(row, place, "child_head_mismatch", what)


# An export: a header, the entries, and the hash over all lines before the last


def _verify_export(file: Path, anchors: list[Anchor], faults: list[Finding], only: str | None) -> Report:
    data = file.read_bytes()
    lines = data.split(b"\n")
    header = parse(lines[0])
    if header is None or header.get("type") != "banksman.header" or header.get("format") != EXPORT_FORMAT:
        raise Unreadable("it is neither a store nor an export of Banksman")
    session_id = str(header.get("session"))
    if only not in (None, session_id):
        raise Unreadable(f"there is no session {only}")
    end = parse(lines[-2]) if len(lines) > 2 and not lines[-1] else None
    findings: list[Finding] = []
    entries = lines[1:]
    if end is not None and end.get("type") == "banksman.end":
        entries = lines[1:-2]
        if hashlib.sha256(memoryview(data)[: -len(lines[-2]) - 1]).hexdigest() != end.get("sha256"):
            findings.append(Finding(session_id, -1, "hash_mismatch", "", "the file is not as it was exported"))
    else:
        findings.append(Finding(session_id, -1, "seq_gap", "", "the end of the file is missing"))
    hashes: dict[int, str] = {}
    before: tuple[int, str | None] = (-1, None if header.get("fork") else ZEROS)
    for line in entries:
        before = _check_line(line, session_id, before, findings)
        hashes[before[0]] = str(before[1])
    own = [anchor for anchor in anchors if anchor.session_id == session_id and anchor.store == header.get("store")]
    checked = _against_anchors(own, {session_id: len(entries)}, lambda _id, seq: (before[0], hashes.get(seq)))
    return Report(len(entries), len(own), [*findings, *faults, *checked])


def _check_line(
    line: bytes, session_id: str, before: tuple[int, str | None], findings: list[Finding]
) -> tuple[int, str | None]:
    """Note what is wrong with one line of an export; its number and hash."""
    entry = parse(line) or {}
    seq, kind, digest = entry.get("seq"), str(entry.get("event", "")), str(entry.get("hash"))
    number = seq if isinstance(seq, int) else before[0] + 1
    prev_hash, inner, body = str(entry.get("prev_hash")), str(entry.get("body_sha256")), entry.get("body")
    faults: list[tuple[str, str]] = []
    if fault := check_place(number, prev_hash, before):
        faults.append(fault)
    if not isinstance(body, str):
        faults.append(("body_not_json", "its content is missing"))
    elif not entry.get("redacted") and _sha256(body) != inner:
        faults.append(("hash_mismatch", "its content was changed"))
    covered = f"banksman-event-v1\n{prev_hash}\n{entry.get('session')}\n{seq}\n{entry.get('at')}\n{kind}\n{inner}"
    if _sha256(covered) != digest:
        faults.append(("hash_mismatch", "its content, time, type or number was changed"))
    findings += [Finding(session_id, number, what, kind, text) for what, text in faults]
    return number, digest


# Anchors


def read_anchors(file: Path) -> tuple[list[Anchor], list[Finding]]:
    """The anchors in a file, and where its lines do not follow one another.

    Raises:
        OSError: it cannot be read.
    """
    anchors: list[Anchor] = []
    faults: list[Finding] = []
    previous = ZEROS
    lines = file.read_bytes().split(b"\n")
    if lines[-1]:
        faults.append(Finding("anchors", len(lines), "anchor_chain", "", "the last line has no end"))
    for number, line in enumerate(lines if lines[-1] else lines[:-1], 1):
        fields = parse(line) or {}
        anchor = _anchor(fields, number)
        checked = line.rpartition(b',"sum":')[0] if "sum" in fields else b""
        if anchor is None or fields.keys() - ANCHOR_KEYS:
            faults.append(Finding("anchors", number, "anchor_chain", "", "this line is no anchor"))
        elif fields.get("prev") != previous:
            faults.append(Finding("anchors", number, "anchor_chain", "", "it does not follow the line before it"))
        elif checked and hashlib.sha256(checked).hexdigest() != fields["sum"]:
            faults.append(Finding("anchors", number, "anchor_chain", "", "this line was changed"))
        anchors += [anchor] if anchor is not None else []
        previous = hashlib.sha256(line).hexdigest()
    return anchors, faults


def _anchor(fields: dict[str, Any], line: int) -> Anchor | None:
    texts = [fields.get(name) for name in ("store", "session", "hash", "at")]
    seq = fields.get("seq")
    if fields.get("v") != 1 or not isinstance(seq, int) or not all(isinstance(text, str) for text in texts):
        return None
    store, session_id, digest, at = map(str, texts)
    return Anchor(line, store, session_id, seq, digest, at, fields.get("closing") is True)


def _against_anchors(anchors: list[Anchor], sizes: dict[str, int], entry: Any) -> Iterator[Finding]:
    """What the anchors name must be there. `entry(session, seq)`: the last number of a session, and the hash at seq."""
    valid: dict[str, list[Anchor]] = {}
    for anchor in anchors:
        if anchor.closing:
            valid[anchor.session_id] = []
        else:
            valid.setdefault(anchor.session_id, []).append(anchor)
    for session_id, named in valid.items():
        for anchor in named:
            if session_id not in sizes:
                text = f"the anchor of {anchor.at} names it, and it is gone"
                yield Finding(session_id, anchor.seq, "anchor_without_session", "", text)
                break
            last, digest = entry(session_id, anchor.seq)
            if last < anchor.seq:
                text = f"the anchor of {anchor.at} names it, and the record ends at number {last}"
                yield Finding(session_id, anchor.seq, "cut_before_anchor", "", text)
            elif digest is not None and digest != anchor.hash:
                text = f"it is not the one that the anchor of {anchor.at} names"
                yield Finding(session_id, anchor.seq, "hash_mismatch", "", text)


if __name__ == "__main__":  # pragma: no cover  # run by tests as a process
    sys.exit(main())
