"""SqliteMemory: entries of the memory in the store's database, each version of them, and the index of their words."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from sqlite3 import Connection

from desktop.domain.memory.values import Entry, Scope, Status
from desktop.policy.memory.dedup import normal_sha256, words_of
from desktop.store.history.event_body import format_at
from desktop.store.memory import index
from desktop.store.sqlite.connection import Database, Row

KEPT_AFTER_DELETION = timedelta(days=30)
COLUMNS = "body, uses, used_at"
_ADD = (
    "INSERT INTO memory_entry (memory_id, scope, owner, status, tier, normal_sha256, words, uses, used_at, body) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_CHANGE = (
    "UPDATE memory_entry SET scope = ?, owner = ?, status = ?, tier = ?, normal_sha256 = ?, words = ?, body = ? "
    "WHERE memory_id = ?"
)


class SqliteMemory:
    """Engine thread only. What is kept is on the disk when a method returns, but for the number of uses; `beside`
    events, with them.

    Raises:
        StoreWriteFailed: it did not reach the disk; nothing changed.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, entry: Entry) -> None:
        """Keep a new entry with its first version, or one that was deleted with its next."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM memory_deleted WHERE memory_id = ?", (entry.id,))
            scope, owner, status, tier, sha256, words, body = _columns(entry)
            used_at = format_at(entry.used_at) if entry.used_at is not None else None
            values = (entry.id, scope, owner, status, tier, sha256, words, entry.uses, used_at, body)
            number = connection.execute(_ADD, values).lastrowid
            _keep_version(connection, entry, body)
            index.add(connection, number, entry)

    def change(self, *entries: Entry) -> None:
        """Keep the next version of each of these; all or none."""
        with self._database.transaction() as connection:
            for entry in entries:
                number = _unindexed(connection, entry.id)
                values = _columns(entry)
                connection.execute(_CHANGE, (*values, entry.id))
                _keep_version(connection, entry, values[-1])
                index.add(connection, number, entry)

    def sweep(self, entries: Sequence[Entry]) -> None:
        """Keep what time made of these: tier and status, without a new version."""
        with self._database.transaction() as connection:
            connection.executemany(_CHANGE, [(*_columns(entry), entry.id) for entry in entries])

    def used(self, ids: Sequence[str], at: datetime) -> None:
        """Count one use of each of these. It may be lost with a cut of power."""
        with self._database.transaction(synced=False) as connection:
            connection.executemany(
                "UPDATE memory_entry SET uses = uses + 1, used_at = ? WHERE memory_id = ?",
                [(format_at(at), memory_id) for memory_id in ids],
            )

    def delete(self, memory_id: str, at: datetime) -> None:
        """The entry is gone; its versions stay for 30 days."""
        with self._database.transaction() as connection:
            number = _unindexed(connection, memory_id)
            connection.execute("DELETE FROM memory_entry WHERE number = ?", (number,))
            connection.execute("INSERT OR REPLACE INTO memory_deleted VALUES (?, ?)", (memory_id, format_at(at)))

    def purge(self, now: datetime) -> int:
        """Remove the versions of entries that were deleted 30 days ago or earlier; of how many."""
        rows = self._database.rows(
            "SELECT memory_id FROM memory_deleted WHERE at <= ?", (format_at(now - KEPT_AFTER_DELETION),)
        )
        if rows:
            with self._database.transaction() as connection:
                connection.executemany("DELETE FROM memory_history WHERE memory_id = ?", rows)
                connection.executemany("DELETE FROM memory_deleted WHERE memory_id = ?", rows)
        return len(rows)

    def get(self, memory_id: str) -> Entry | None:
        """The entry as it is now, None for none."""
        found = self._entries("memory_id = ?", memory_id)
        return found[0] if found else None

    def versions(self, memory_id: str) -> tuple[Entry, ...]:
        """All that is kept of an entry, oldest first; also of a deleted one."""
        sql = "SELECT body FROM memory_history WHERE memory_id = ? ORDER BY version"
        return tuple(Entry.model_validate(json.loads(str(body))) for (body,) in self._database.rows(sql, (memory_id,)))

    def of_owner(self, scope: Scope, owner: str, *, archived: bool = False) -> tuple[Entry, ...]:
        """The entries of one owner, newest first, with or without those that are archived."""
        also = "" if archived else " AND status <> 'archived'"
        return self._entries(f"scope = ? AND owner = ?{also} ORDER BY number DESC", scope, owner)

    def count(self, scope: Scope, owner: str) -> int:
        """How many of one owner are not archived."""
        sql = "SELECT count(*) FROM memory_entry WHERE scope = ? AND owner = ? AND status <> 'archived'"
        return int(str(self._database.rows(sql, (scope, owner))[0][0]))

    def counts(self, scope: Scope, owner: str) -> dict[Status, int]:
        """How many entries of one owner are in each status that occurs."""
        sql = "SELECT status, count(*) FROM memory_entry WHERE scope = ? AND owner = ? GROUP BY status"
        known: tuple[Status, ...] = ("candidate", "promoted", "quarantined", "archived")
        found = {str(status): int(str(number)) for status, number in self._database.rows(sql, (scope, owner))}
        return {status: found[status] for status in known if status in found}

    def swept_at(self) -> datetime | None:
        """When the entries were swept last, None for never."""
        rows = self._database.rows("SELECT value FROM meta WHERE key = 'memory_swept_at'")
        return datetime.fromisoformat(str(rows[0][0])) if rows else None

    def note_sweep(self, at: datetime) -> None:
        """They were swept at this time. It may be lost with a cut of power."""
        with self._database.transaction(synced=False) as connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('memory_swept_at', ?)", (format_at(at),))

    def _entries(self, where: str, *values: str | int) -> tuple[Entry, ...]:
        rows = self._database.rows(f"SELECT {COLUMNS} FROM memory_entry WHERE {where}", values)  # noqa: S608
        return tuple(read_entry(row) for row in rows)


def read_entry(row: Row) -> Entry:
    """The entry of a row of `COLUMNS`."""
    body, uses, used_at = row
    return Entry.model_validate({**json.loads(str(body)), "uses": uses, "used_at": used_at})


def _columns(entry: Entry) -> tuple[str, str, str, int, str, int, str]:
    words = len(words_of(entry.content))
    body = json.dumps(entry.model_dump(mode="json", exclude={"uses", "used_at"}))
    return entry.scope, entry.owner, entry.status, entry.tier, normal_sha256(entry.content), words, body


def _keep_version(connection: Connection, entry: Entry, body: str) -> None:
    values = (entry.id, entry.version, format_at(entry.updated_at), body)
    connection.execute("INSERT INTO memory_history VALUES (?, ?, ?, ?)", values)


def _unindexed(connection: Connection, memory_id: str) -> int | None:
    """The number of an entry whose words are no more in the index."""
    sql = f"SELECT {COLUMNS}, number FROM memory_entry WHERE memory_id = ?"  # noqa: S608
    row = connection.execute(sql, (memory_id,)).fetchone()
    if row is None:
        return None
    index.remove(connection, int(row[3]), read_entry(row[:3]))
    return int(row[3])
