"""Reading a file in the neutral form, piece by piece, into a table beside the store: nothing is taken over yet."""

import base64
import binascii
import hashlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path
from typing import BinaryIO, NoReturn

from pydantic import JsonValue

from desktop.domain.core.errors import NeutralError
from desktop.domain.history.neutral import place_of
from desktop.records import dataclass
from desktop.store.core.imports import ImportRefused

MAX_FILE_BYTES = 1024 * 1024 * 1024
MAX_LINE_CHARS = 128 * 1024 * 1024
_CHUNK = 1024 * 1024
_BLANK = " \t\r\n"
_TABLES = (
    "CREATE TABLE raw (rank INTEGER, seq INTEGER, session_id TEXT, event_id TEXT UNIQUE, line INTEGER, text TEXT,"
    " UNIQUE (session_id, seq))",
    "CREATE TABLE blob (sha256 TEXT PRIMARY KEY, media_type TEXT, content BLOB)",
)


@dataclass
class ReadFile:
    """The facts that a file says of itself. `header`: its first line if it is a copy made by Banksman, else empty."""

    sha256: str = ""
    events: int = 0
    header: dict[str, JsonValue] = field(default_factory=dict)
    sessions: list[str] = field(default_factory=list)


def read_file(source: Path, staging: sqlite3.Connection) -> ReadFile:
    """Put every event and blob of the file into the tables `raw` and `blob` of `staging`.

    Raises:
        ImportRefused: it is too large, cannot be read, or a line is not usable.
    """
    for table in _TABLES:
        staging.execute(table)
    found = ReadFile()
    ranks: dict[str, int] = {}
    try:
        if source.stat().st_size > MAX_FILE_BYTES:
            raise ImportRefused(f"{source.name} is larger than 1 GiB. Nothing was imported.")
        with source.open("rb") as file:
            digest = _Digest(file)
            for number, text in _elements(digest):
                _take(text, number, staging, ranks, found)
            found.sha256 = digest.hexdigest()
    except OSError as error:
        raise ImportRefused(f"{source} cannot be read: {error.strerror or error}.") from error
    if not found.events:
        raise ImportRefused(f"{source.name} holds no chat. Nothing was imported.")
    found.sessions = list(ranks)
    return found


def _take(text: str, number: int, staging: sqlite3.Connection, ranks: dict[str, int], found: ReadFile) -> None:
    try:
        event: JsonValue = json.loads(text, parse_constant=_no_constant)
        kind = event.get("type") if isinstance(event, dict) else None
        if isinstance(event, dict) and kind == "banksman.header" and not found.events and not found.header:
            found.header = event
            return
        if isinstance(event, dict) and kind == "banksman.blob":
            staging.execute("INSERT OR REPLACE INTO blob VALUES (?, ?, ?)", _blob(event))
            return
        session, seq, event_id = place_of(event, number)
        rank = ranks.setdefault(session, len(ranks))
        staging.execute("INSERT INTO raw VALUES (?, ?, ?, ?, ?, ?)", (rank, seq, session, event_id, number, text))
        found.events += 1
    except NeutralError as error:
        raise _refused(number, error.reason) from error
    except sqlite3.IntegrityError as error:
        raise _refused(number, "its number or its id is taken by another entry") from error
    except RecursionError as error:
        raise _refused(number, "it is nested too deeply") from error
    except (ValueError, OverflowError, sqlite3.Error) as error:
        raise _refused(number, str(error).partition(":")[0] or "it cannot be read") from error


def _blob(line: dict[str, JsonValue]) -> tuple[str, str, bytes]:
    sha256, media_type, encoded = line.get("sha256"), line.get("media_type"), line.get("base64")
    if not isinstance(sha256, str) or not isinstance(media_type, str) or not isinstance(encoded, str):
        raise ValueError("it is no whole blob")
    try:
        data = base64.b64decode(encoded, validate=True)
    except binascii.Error as error:
        raise ValueError("its bytes cannot be decoded") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ValueError("its bytes are not those that were exported")
    return sha256, media_type, data


def _refused(number: int, reason: str) -> ImportRefused:
    return ImportRefused(f"Line {number} cannot be used: {reason}. Nothing was imported.")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


class _Digest:
    """A file that is hashed while it is read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self._number = 0

    def read(self) -> str:
        """The next piece as text, "" at the end. A line is never parted inside of a character."""
        data = self._file.read(_CHUNK)
        if data and data[-1] >= 0x80:
            data += self._file.readline()
        self._hash.update(data)
        try:
            return data.decode("utf-8-sig" if not self._number else "utf-8")
        except UnicodeDecodeError as error:
            raise ImportRefused("The file is not UTF-8 text. Nothing was imported.") from error
        finally:
            self._number += 1

    def hexdigest(self) -> str:
        """Of what was read."""
        return self._hash.hexdigest()


def _elements(file: _Digest) -> Iterator[tuple[int, str]]:
    """The JSON texts of a file of lines, or of one list, each with its line, in a list its place, from 1."""
    first = file.read()
    while first and not first.strip(_BLANK):
        first = file.read()
    yield from _listed(first, file) if first.lstrip(_BLANK).startswith("[") else _lines(first, file)


def _lines(first: str, file: _Digest) -> Iterator[tuple[int, str]]:
    number, rest = 0, first
    while rest:
        *whole, rest = rest.split("\n")
        for line in whole:
            number += 1
            if line.strip(_BLANK):
                yield number, line
        more = file.read()
        if not more:
            break
        rest += more
        if len(rest) > MAX_LINE_CHARS:
            raise _refused(number + 1, "it is too long")
    if rest.strip(_BLANK):
        yield number + 1, rest


def _listed(first: str, file: _Digest) -> Iterator[tuple[int, str]]:
    """The elements of a list, found by their brackets."""
    decode = json.JSONDecoder().raw_decode
    rest, number = first.lstrip(_BLANK)[1:], 0
    while True:
        rest = rest.lstrip(_BLANK + ("," if number else ""))
        if rest.startswith("]"):
            return
        try:
            _, end = decode(rest)
        except (ValueError, RecursionError) as error:
            more = file.read()
            if not more or len(rest) > MAX_LINE_CHARS or isinstance(error, RecursionError):
                raise _refused(number + 1, "it is no JSON" if rest.strip(_BLANK) else "the list has no end") from error
            rest += more
            continue
        number += 1
        yield number, rest[:end]
        rest = rest[end:]
