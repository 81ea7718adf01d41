"""Verify the record of a Banksman store without Banksman: Python's standard library only, the store is only read.

    python verify_audit.py STORE [--session ID] [--json]

STORE is the folder of the store, or its banksman.db. Every event carries the SHA-256 over its place, its content and
the hash of the event before it, so a changed, removed, added or exchanged event shows. What cannot show here: a tail
that was cut off, and a chain that somebody wrote anew from some event to its end.

Exit status: 0 whole, 1 something was changed, 2 cannot be read.
"""

import argparse
import hashlib
import json
import sqlite3
import sys
import zlib
from contextlib import closing
from pathlib import Path

ZEROS = "0" * 64
DECODE = json.JSONDecoder().decode  # half the time of json.loads, which looks for the encoding first
COLUMNS = "event_id, session_id, seq, parent_id, at, type, body, prev_hash, hash"


def main(argv=None):
    """Check, print, and return the exit status."""
    parser = argparse.ArgumentParser(description="Verify the record of a Banksman store.")
    parser.add_argument("store", type=Path, help="the store's folder, or its banksman.db")
    parser.add_argument("--session", help="check this session only")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args(argv)
    file = arguments.store / "banksman.db" if arguments.store.is_dir() else arguments.store
    try:
        with closing(open_reading(file)) as connection:
            connection.execute("BEGIN")
            events, findings = verify_store(connection, file.parent, arguments.session)
            if arguments.session and not events:
                raise LookupError(f"there is no session {arguments.session}")
    except (sqlite3.Error, OSError, LookupError) as error:
        print(f"Cannot verify {file}: {error}.", file=sys.stderr)
        return 2
    report(events, findings, arguments.json)
    return 1 if findings else 0


def report(events, findings, as_json):
    """Print the findings, one a line, and a sentence; or one JSON object."""
    if as_json:
        print(json.dumps({"events": events, "findings": findings}))
        return
    for finding in findings:
        words = "{session_id} entry {seq} ({type}): {kind}: {text}".format(**finding)
        print(ascii(words)[1:-1])
    print(f"{events} entries checked, {len(findings)} findings." if findings else f"{events} entries checked: whole.")


def open_reading(file):
    """A connection that cannot change the file."""
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=5.0, isolation_level=None)


def fetch(connection, sql, parameters=()):
    """All rows. Text that is not UTF-8 comes with surrogate escapes; only then each text is decoded here, slowly."""
    try:
        return connection.execute(sql, parameters).fetchall()
    except sqlite3.OperationalError as error:
        if "decode" not in str(error):
            raise
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    return connection.execute(sql, parameters).fetchall()


def verify_store(connection, folder, only=None):
    """(number of events checked, findings) of all sessions or one, in order of session id."""
    counts = fetch(connection, "SELECT session_id, count(*) FROM event GROUP BY session_id ORDER BY session_id")
    events, findings = 0, []
    for session_id, count in counts:
        if only in (None, session_id):
            events += count
            findings += verify_session(connection, folder, session_id)
    return events, findings


def verify_session(connection, folder, session_id):
    """The findings of one session: the chain by seq, then the blobs its events name."""
    rows = fetch(connection, f"SELECT {COLUMNS} FROM event WHERE session_id = ? ORDER BY seq, rowid", (session_id,))
    expected_prev = ZEROS
    if rows and rows[0][5] == "session_forked":
        source = fetch(connection, "SELECT hash FROM event WHERE event_id = ?", (rows[0][3],))
        expected_prev = str(source[0][0]) if source else ""
    findings, blobs, before = [], [], -1
    for row in rows:
        seq = row[2] if isinstance(row[2], int) else before + 1
        raw = row[6] if isinstance(row[6], bytes) else str(row[6]).encode("utf-8", "surrogateescape")
        fields = parse(raw)
        found = [check_place(row, seq, before, expected_prev), *check_content(row, raw, fields)]
        findings += [describe(row, seq, *one) for one in found if one]
        blobs += [(row, digest) for digest in blob_digests(fields or {})]
        before, expected_prev = seq, str(row[8])
    return findings + check_blobs(connection, folder, blobs)


def check_place(row, seq, before, expected_prev):
    """(kind, text) of what is wrong with the place of a row after the one before it, or None."""
    if seq == before:
        return "seq_duplicate", "there are two entries with this number"
    if seq != before + 1:
        missing = f"the entry before this one is number {before}" if before >= 0 else "the first entries are missing"
        return "seq_gap", missing
    if row[7] != expected_prev:
        return "prev_mismatch", "it does not follow the entry before it"
    return None


def check_content(row, raw, fields):
    """Yield (kind, text) of what is wrong with a row by itself."""
    event_id, session_id, number, parent_id, at, kind, _, prev_hash, digest = row
    if fields is None:
        yield "body_not_json", "its content is not a JSON object"
    inner = hashlib.sha256(raw).hexdigest()
    covered = f"banksman-event-v1\n{prev_hash}\n{session_id}\n{number}\n{at}\n{kind}\n{inner}"
    if hashlib.sha256(covered.encode("utf-8", "surrogateescape")).hexdigest() != digest:
        yield "hash_mismatch", "its content, time, type or number was changed"
    elif fields is not None and (fields.get("id"), fields.get("parent"), fields.get("type")) != (
        event_id,
        parent_id,
        kind,
    ):
        yield "hash_mismatch", "its id, parent or type differs from its content"


def describe(row, seq, kind, text):
    """One finding as it is printed."""
    return {"session_id": str(row[1]), "seq": seq, "kind": kind, "type": str(row[5]), "text": text}


def parse(raw):
    """The fields of a body; None when it is no JSON object."""
    try:
        fields = DECODE(raw.decode())
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def blob_digests(fields):
    """The blobs an event names in its own fields, in order; never what merely looks like one in a tool's input."""
    kind = fields.get("type")
    references = []
    if kind == "prompt_changed":
        references = [fields.get("system"), fields.get("tools")]
    elif kind == "tool_call_finished":
        references = [fields.get("full"), *pictures(fields.get("blocks"))]
    elif kind == "tool_call_decided":
        references = pictures(member(fields.get("card"), "blocks"))
    elif kind == "input_requested":
        references = pictures(member(member(fields.get("request"), "card"), "blocks"))
    digests = [member(reference, "sha256") for reference in references]
    return [digest for digest in digests if isinstance(digest, str)]


def pictures(blocks):
    """What the image blocks of a list refer to."""
    return [member(block, "blob") for block in blocks] if isinstance(blocks, list) else []


def member(value, name):
    """The value under `name`; None when there is none."""
    return value.get(name) if isinstance(value, dict) else None


def check_blobs(connection, folder, named):
    """The findings on the blobs that events name, in order of the events."""
    known, findings = {}, []
    for row, digest in named:
        if digest not in known:
            known[digest] = check_blob(connection, folder, digest)
        if known[digest]:
            kind, words = known[digest]
            seq = row[2] if isinstance(row[2], int) else -1
            findings.append(describe(row, seq, kind, f"the stored content {digest[:12]} it names {words}"))
    return findings


def check_blob(connection, folder, digest):
    """(kind, words) of what is wrong with one blob, or None."""
    found = fetch(connection, "SELECT stored, encoding, content FROM blob WHERE sha256 = ?", (digest,))
    missing, changed = ("blob_missing", "is missing"), ("blob_mismatch", "was changed")
    if not found:
        return missing
    stored, encoding, data = found[0]
    if stored == "file":
        file = folder / "blobs" / digest[:2] / digest
        data = file.read_bytes() if file.is_file() and len(digest) == 64 and digest.isalnum() else None
    elif stored == "row" and isinstance(data, bytes) and encoding == "zlib":
        try:
            data = zlib.decompress(data)
        except zlib.error:
            return changed
    elif stored == "row" and not isinstance(data, bytes):
        return changed
    if stored not in ("row", "file") or data is None:
        return missing
    return None if hashlib.sha256(data).hexdigest() == digest else changed


if __name__ == "__main__":
    sys.exit(main())
