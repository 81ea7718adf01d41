"""Removing a chat for good: its events, what was derived from them, and the bytes that only it named."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from desktop.domain.core.errors import StoreError
from desktop.store.core.events import Orphans
from desktop.store.history.blobs import blob_file
from desktop.store.sqlite.connection import Database, connect_reading

_DIGEST = re.compile(r"[0-9a-f]{64}")
_DERIVED = ("session", "session_state")
_NUMBERS_COME_AGAIN = """UPDATE meta SET value = CAST((SELECT coalesce(max(rowid), 0) FROM event) AS TEXT)
    WHERE key = 'search_upto' AND CAST(value AS INTEGER) > (SELECT coalesce(max(rowid), 0) FROM event)"""
"""The next entries get the row numbers of those that went; the search must not take them for known."""
_SEARCH = ("search_text", "search_three")


class ChatHasForks(StoreError):
    """A chat cannot be removed, because other chats continue it."""


def refuse_forked(database: Database, session_id: str) -> None:
    """Refuse to go on when another chat continues this one.

    Raises:
        ChatHasForks: another does; says what to do.
    """
    if database.rows(
        "SELECT 1 FROM session WHERE source_session_id = ? AND session_id <> ? LIMIT 1", (session_id,) * 2
    ):
        raise ChatHasForks("Other chats were forked from this one and stand on it. Archive it instead.")


def find_orphans(file: Path, session_id: str) -> Orphans:
    """The blobs that no other chat names. Reads the whole store: for a worker thread.

    Raises:
        StoreError: the store cannot be read.
    """
    try:
        with closing(connect_reading(file)) as connection:
            connection.execute("BEGIN")
            (upto,) = connection.execute("SELECT coalesce(max(rowid), 0) FROM event").fetchone()
            named = _named(connection, "SELECT body FROM event WHERE session_id = ?", (session_id,))
            blobs = {row[0] for row in connection.execute("SELECT sha256 FROM blob")}
            own = set(named) & blobs
            own -= set(_of_proofs(connection))
            if own:
                own -= set(_named(connection, "SELECT body FROM event WHERE session_id <> ?", (session_id,)))
    except sqlite3.Error as error:
        raise StoreError(f"The chats in {file.parent} cannot be read: {error}.") from error
    return Orphans(frozenset(own), int(upto))


def remove_rows(connection: sqlite3.Connection, session_id: str, orphans: Orphans) -> frozenset[str]:
    """Remove the chat inside the caller's transaction; the blobs that went with it."""
    later = set(
        _named(connection, "SELECT body FROM event WHERE rowid > ? AND session_id <> ?", (orphans.upto, session_id))
    )
    gone = orphans.digests - later - set(_of_proofs(connection))
    connection.execute("INSERT OR IGNORE INTO deletion (session_id, keep_upto_seq) VALUES (?, -1)", (session_id,))
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for table in tables.intersection(_SEARCH):
        inside = "rowid IN (SELECT rowid FROM event WHERE session_id = ?)"
        connection.execute(f"DELETE FROM {table} WHERE {inside}", (session_id,))  # noqa: S608  # our own names
    connection.execute("DELETE FROM event WHERE session_id = ?", (session_id,))
    for table in tables.intersection(_DERIVED):
        connection.execute(f"DELETE FROM {table} WHERE session_id = ?", (session_id,))  # noqa: S608  # our own names
    connection.execute(_NUMBERS_COME_AGAIN)
    connection.executemany("DELETE FROM blob WHERE sha256 = ?", [(sha256,) for sha256 in gone])
    return gone


def clean_up(database: Database, gone: frozenset[str]) -> None:
    """After the commit: the files of large blobs, and what the write-ahead log still holds."""
    for sha256 in gone:
        blob_file(database.folder, sha256).unlink(missing_ok=True)
    database.rows("PRAGMA wal_checkpoint(TRUNCATE)")


def _of_proofs(connection: sqlite3.Connection) -> Iterator[str]:
    """The digests that proofs name: these outlive the chat."""
    for content, thumb in connection.execute("SELECT sha256, thumb_sha256 FROM proof"):
        yield from (str(content), str(thumb))


def _named(connection: sqlite3.Connection, query: str, parameters: tuple[str | int, ...]) -> Iterator[str]:
    for (body,) in connection.execute(query, parameters):
        yield from _DIGEST.findall(body if isinstance(body, str) else "")
