"""SQLite connections: one kind that cannot write, whatever is sent to it, and one for approved writes."""

import os
import sqlite3
import time
from pathlib import Path

from desktop.policy.sql.names.sqlite import PRAGMAS, PRAGMAS_WITHOUT_VALUE
from desktop.services.databases.base import LOCK_WAIT_S, DatabaseError, Stop

_DENIED_FUNCTIONS = frozenset({"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"})
_READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})
_STEPS_BETWEEN_LOOKS = 1000
_MAX_VALUE_BYTES = 64 * 1024 * 1024
_MAX_VIRTUAL_TABLES = 500
_PROBE = "CREATE TABLE banksman_write_probe (x)"
FAILURES = (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError)
_WAL_VERSION = 2
_ERROR_FAMILY = 0xFF
_HEADER_BYTES = 100


def open_reading(path: Path, stop: Stop) -> sqlite3.Connection:
    """A connection that can only read (gate-Q15), made sure of by a write that must fail (gate-Q16).

    Raises:
        DatabaseError: the file cannot be opened, or the probe succeeded.
    """
    connection = _connect(path, reading_mode(path, folder_writable=os.access(path.parent, os.W_OK)), stop)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        _make_sure(connection)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
        _touch_virtual_tables(connection)
        connection.set_authorizer(authorize_reading)
    except FAILURES as error:
        connection.close()
        raise failure(error, stop) from error
    except DatabaseError:
        connection.close()
        raise
    return connection


def open_writing(path: Path, stop: Stop) -> sqlite3.Connection:
    """A connection for one approved write, with foreign keys enforced as the preview enforces them."""
    connection = _connect(path, "mode=rw", stop)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
    except FAILURES as error:
        connection.close()
        raise failure(error, stop) from error
    return connection


def reading_mode(path: Path, *, folder_writable: bool) -> str:
    """The mode in which the file is opened for reading. A WAL database needs a folder it can write to, or no pending
    log at all.

    Raises:
        DatabaseError: it is a WAL database with a log, in a folder that cannot be written.
    """
    if folder_writable or not _is_wal(path):
        return "mode=ro"
    if path.with_name(f"{path.name}-wal").exists():
        raise DatabaseError(
            f"{path.name} keeps a write-ahead log beside it, and its folder cannot be written, so it cannot be read "
            "safely. Let the program that writes it close it, or copy it to a folder of your own."
        )
    return "mode=ro&immutable=1"


def authorize_reading(
    action: int, first: str | None, second: str | None, database: str | None, source: str | None
) -> int:
    """SQLite's question about each part of a statement: reading is all that is allowed."""
    if action in _READING:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION:
        return sqlite3.SQLITE_DENY if (second or "").casefold() in _DENIED_FUNCTIONS else sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA:
        name = (first or "").casefold()
        allowed = name in PRAGMAS or (name in PRAGMAS_WITHOUT_VALUE and second is None)
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY
    # asked for when a table-valued function is declared; the real table cannot be changed here anyway
    declares = action == sqlite3.SQLITE_UPDATE and first == "sqlite_master"
    return sqlite3.SQLITE_OK if declares else sqlite3.SQLITE_DENY


def failure(error: BaseException, stop: Stop) -> DatabaseError:
    """SQLite's words, or that the time was over."""
    if stop.over:
        return DatabaseError(f"Stopped after {stop.time_limit_s:g} s.", "timeout")
    return DatabaseError(str(error).strip() or type(error).__name__)


def quoted(name: str) -> str:
    """A name as SQLite takes it literally."""
    return '"' + name.replace('"', '""') + '"'


def _connect(path: Path, mode: str, stop: Stop) -> sqlite3.Connection:
    if not path.is_file():
        raise DatabaseError(f"There is no file {path}.", "unreachable")
    wait_s = max(min(LOCK_WAIT_S * 5, stop.deadline - time.monotonic()), 0.0)
    try:
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?{mode}", uri=True, isolation_level=None, timeout=wait_s, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise DatabaseError(f"{path} cannot be opened: {error}", "unreachable") from error
    connection.text_factory = _text
    connection.set_progress_handler(lambda: int(stop.over), _STEPS_BETWEEN_LOOKS)
    return connection


def _make_sure(connection: sqlite3.Connection) -> None:
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    try:
        connection.execute(_PROBE)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & _ERROR_FAMILY == sqlite3.SQLITE_READONLY:
            return
        raise
    raise DatabaseError(
        "The connection could write although it was opened for reading. It is not used.", "not_read_only"
    )


def _touch_virtual_tables(connection: sqlite3.Connection) -> None:
    """Let virtual tables prepare what they prepare when first used, which the authorizer would refuse."""
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%' LIMIT ?",
        (_MAX_VIRTUAL_TABLES,),
    ).fetchall()
    for (name,) in found:
        try:
            connection.execute(f"SELECT * FROM {quoted(name)} LIMIT 0")  # noqa: S608 - a quoted name of the catalogue
        except sqlite3.Error:
            continue


def _is_wal(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except OSError as error:
        raise DatabaseError(f"{path} cannot be read: {error.strerror}", "unreachable") from error
    return len(header) == _HEADER_BYTES and _WAL_VERSION in (header[18], header[19])


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
