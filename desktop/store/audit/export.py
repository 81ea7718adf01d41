"""A session's record as JSON lines: a header, the entries with their hashes, and the hash over all of it (gate-A7).

`verify_audit.py` checks such a file. A body from which secrets were removed is marked `redacted`; the chain still
verifies, because it covers the hash of the original body, which stands beside it.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from pydantic import JsonValue

from desktop.domain.core.errors import StoreError
from desktop.store.core.library import Redact
from desktop.store.core.verify_audit import EXPORT_FORMAT
from desktop.store.sqlite.connection import Row, connect_reading, fetch

_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode
_parse = json.JSONDecoder().decode
_SELECT = "SELECT seq, at, type, body, prev_hash, hash FROM event WHERE session_id = ? ORDER BY seq, rowid"


def export_session(database: Path, session_id: str, out: Path, redact: Redact) -> int:
    """Write the record of one session to a new file; the number of entries. `redact` takes secrets out of a text.

    May be called from any thread.

    Raises:
        StoreError: there is no such session, the file exists, its folder is missing, or it cannot be written. Nothing
            is left behind.
    """
    if not out.parent.is_dir():
        raise StoreError(f"The folder {out.parent} does not exist. Choose another one.")
    try:
        with closing(connect_reading(database)) as connection:
            connection.execute("BEGIN")
            rows = fetch(connection, _SELECT, (session_id,))
            store_id = fetch(connection, "SELECT value FROM meta WHERE key = 'store_id'")[0][0]
    except sqlite3.Error as error:
        raise StoreError(f"The record in {database} cannot be read: {error}.") from error
    if not rows:
        raise StoreError(f"There is no chat {session_id} in {database}.")
    try:
        with out.open("xb") as file:
            try:
                _write(file, rows, session_id, str(store_id), redact)
            except BaseException:
                out.unlink(missing_ok=True)
                raise
    except FileExistsError:
        raise StoreError(f"{out} exists already. Choose another name.") from None
    except OSError as error:
        raise StoreError(f"{out} could not be written: {error.strerror or error}.") from error
    return len(rows)


def _write(file: BinaryIO, rows: list[Row], session_id: str, store_id: str, redact: Redact) -> None:
    header = {
        "type": "banksman.header",
        "format": EXPORT_FORMAT,
        "store": store_id,
        "session": session_id,
        "fork": rows[0][2] == "session_forked",
        "records": len(rows),
        "redacted": True,
        "head_hash": rows[-1][5],
    }
    whole = hashlib.sha256()
    for line in chain((header,), (_line(row, session_id, redact) for row in rows)):
        written = f"{_encode(line)}\n".encode()
        whole.update(written)
        file.write(written)
    file.write(f"{_encode({'type': 'banksman.end', 'sha256': whole.hexdigest()})}\n".encode())


def _line(row: Row, session_id: str, redact: Redact) -> dict[str, JsonValue]:
    seq, at, kind, stored, prev_hash, digest = row
    raw = stored if isinstance(stored, bytes) else str(stored).encode("utf-8", "surrogateescape")
    body = raw.decode("utf-8", "surrogateescape")
    clean = redacted_body(body, redact)
    return {
        "type": "banksman.event",
        "session": session_id,
        "seq": seq if isinstance(seq, int) else str(seq),
        "at": str(at),
        "event": str(kind),
        "body_sha256": hashlib.sha256(raw).hexdigest(),
        "prev_hash": str(prev_hash),
        "hash": str(digest),
        **({"redacted": True} if clean != body else {}),
        "body": clean,
    }


def redacted_body(body: str, redact: Redact) -> str:
    """A JSON text, such as a body, without secrets: itself when there is none."""
    try:
        fields: JsonValue = _parse(body)
    except (ValueError, RecursionError):
        return redact(body)
    texts = "\n".join(_texts(fields))
    if redact(texts) == texts:
        return body
    clean = _clean(fields, redact)
    return body if clean == fields else _encode(clean)


def _texts(whole: JsonValue) -> Iterator[str]:
    """All texts and names of a body, and each text behind its name as `_clean_named` joins them.

    One look at them, a line each, tells what a look at each one would: nothing that is removed can be hidden by a line
    break before or after it. Nearly all bodies hold no secret, and this look is all they cost.
    """
    waiting = [whole]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            for key, item in value.items():
                yield key
                if isinstance(item, str):
                    yield f"{key}: {item}"
                else:
                    waiting.append(item)


def _clean(value: JsonValue, redact: Redact) -> JsonValue:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [_clean(item, redact) for item in value]
    if isinstance(value, dict):
        return {redact(key): _clean_named(key, item, redact) for key, item in value.items()}
    return value


def _clean_named(key: str, value: JsonValue, redact: Redact) -> JsonValue:
    """A value may be a secret by its name alone."""
    if not isinstance(value, str):
        return _clean(value, redact)
    named = f"{key}: "
    clean = redact(named + value)
    return clean.removeprefix(named) if clean.startswith(named) else redact(value)
