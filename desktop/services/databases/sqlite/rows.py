"""The rows of a SQLite database from before a write, by temporary triggers; and how they are put back."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from desktop.services.databases.base import DatabaseError, Stop
from desktop.services.databases.kept_rows import (
    BY_KEYS,
    CHANGED,
    MOST_BYTES,
    MOST_ROWS,
    OTHER_TABLE,
    TOO_LARGE,
    TOO_MANY,
    KeptRow,
    KeptTable,
    Row,
    dumped,
    net,
    same,
)
from desktop.services.databases.sqlite.connections import FAILURES, failure, open_reading, open_writing, quoted
from desktop.services.databases.sqlite.meter import MAX_TABLES, PREFIX

_COLUMNS = "SELECT name, pk FROM pragma_table_info(?) ORDER BY cid"
_TABLES = (
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
    "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name LIMIT ?"
)


class RowKeeper:
    """Keeps what happens to the rows of all ordinary tables of `main`, from `install` on. The triggers are temporary:
    the file is not changed. `saw`: whether there was anything, once `kept` was asked."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._tables: list[KeptTable] = []
        self.saw = False

    def install(self) -> None:
        """Begin to keep. Raises DatabaseError when there are too many tables."""
        names = [name for (name,) in self._connection.execute(_TABLES, (MAX_TABLES + 1,)).fetchall()]
        if len(names) > MAX_TABLES:
            raise DatabaseError(f"the database has more than {MAX_TABLES} tables")
        for name in names:
            self._tables.append(KeptTable(name, *_columns(self._connection, name), ()))
            self._watch(len(self._tables) - 1)

    def kept(self) -> tuple[KeptTable, ...]:
        """What it came to.

        Raises:
            DatabaseError: it was too much, or a row has no key; the text says why nothing is kept.
        """
        self._connection.text_factory = str
        found: list[KeptTable] = []
        for number, table in enumerate(self._tables):
            width = len(table.columns)
            rows = self._connection.execute(f"SELECT * FROM temp.{PREFIX}kept_{number} ORDER BY n").fetchall()  # noqa: S608
            self.saw = self.saw or bool(rows)
            if rows and not table.keys:
                raise DatabaseError(f"the table {table.name} has no key")
            if len(rows) > MOST_ROWS:
                raise DatabaseError(TOO_MANY)
            changes = [
                (row[2 : 2 + width] if row[1] != "I" else None, row[2 + width :] if row[1] != "D" else None)
                for row in rows
            ]
            places = [table.columns.index(key) for key in table.keys]
            kept = net(changes, partial(_picked, places))
            if any(None in row.key for row in kept):
                raise DatabaseError(f"a row of {table.name} has no key")
            if kept:
                found.append(table._replace(rows=kept))
        if sum(len(table.rows) for table in found) > MOST_ROWS:
            raise DatabaseError(TOO_MANY)
        return tuple(found)

    def _watch(self, number: int) -> None:
        table = self._tables[number]
        width = len(table.columns)
        columns = ", ".join(f"{side}{at}" for side in "on" for at in range(width))
        self._connection.execute(f"CREATE TEMP TABLE {PREFIX}kept_{number} (n INTEGER PRIMARY KEY, op, {columns})")
        for op, event in (("I", "INSERT"), ("U", "UPDATE"), ("D", "DELETE")):
            old = [f"OLD.{quoted(name)}" if op != "I" else "NULL" for name in table.columns]
            new = [f"NEW.{quoted(name)}" if op != "D" else "NULL" for name in table.columns]
            self._connection.execute(
                f"CREATE TEMP TRIGGER {PREFIX}keep_{op}_{number} AFTER {event} ON main.{quoted(table.name)} BEGIN "  # noqa: S608
                f"INSERT INTO {PREFIX}kept_{number} SELECT NULL, '{op}', {', '.join([*old, *new])} "
                f"WHERE (SELECT ifnull(max(n), 0) FROM {PREFIX}kept_{number}) <= {MOST_ROWS}; END"
            )


def kept_of(keeper: RowKeeper, changed: int | None) -> tuple[bytes | None, str]:
    """The rows as bytes, or why they are not kept. `changed`: how many rows the database says it changed."""
    try:
        tables = keeper.kept()
    except (DatabaseError, *FAILURES) as error:
        return None, str(error)
    if changed and not keeper.saw:
        return None, "what changed is in a virtual table"
    data = dumped(tables)
    return (data, "") if len(data) <= MOST_BYTES else (None, TOO_LARGE)


def rows_now(path: Path, tables: tuple[KeptTable, ...], stop: Stop) -> tuple[tuple[Row | None, ...], ...]:
    """Each kept row as it is now, table by table, None where there is none. Raises DatabaseError."""
    with closing(open_reading(path, stop)) as connection:
        try:
            connection.text_factory = str
            _check(connection, tables)
            return tuple(tuple(_row(connection, table, kept.key) for kept in table.rows) for table in tables)
        except FAILURES as error:
            raise failure(error, stop) from error


def put_rows_back(path: Path, tables: tuple[KeptTable, ...], stop: Stop) -> None:
    """Each row becomes what it was before, in one transaction; nothing else changes, or nothing does.

    Raises:
        DatabaseError: a row is not as it was left, or more would change; nothing was changed.
    """
    with closing(open_writing(path, stop)) as connection:
        try:
            connection.text_factory = str
            keeper = RowKeeper(connection)
            keeper.install()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("PRAGMA defer_foreign_keys = ON")
            with _without_triggers(connection):
                _put_back(connection, tables)
            wanted = {repr((table.name, row.turned())) for table in tables for row in table.rows}
            if wanted != {repr((table.name, row)) for table in keeper.kept() for row in table.rows}:
                raise DatabaseError(BY_KEYS)
            connection.execute("COMMIT")
        except FAILURES as error:
            raise failure(error, stop) from error
        finally:
            if connection.in_transaction:
                connection.set_progress_handler(None, 0)
                connection.execute("ROLLBACK")


@contextmanager
def _without_triggers(connection: sqlite3.Connection) -> Iterator[None]:
    """The database's own triggers do not run meanwhile: what they did is among the rows. Within the transaction only:
    nobody else sees the database without them."""
    triggers = connection.execute("SELECT name, sql FROM main.sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER main.{quoted(name)}")
    yield
    for _, sql in triggers:
        connection.execute(sql)


def _put_back(connection: sqlite3.Connection, tables: tuple[KeptTable, ...]) -> None:
    """The newest change first: so no row is in the way of another that was not there before."""
    _check(connection, tables)
    for table in tables:
        for kept in table.rows:
            if not same(_row(connection, table, kept.key), kept.after):
                raise DatabaseError(CHANGED.format(table=table.name))
    for table in tables:
        gone = [kept for kept in table.rows if kept.before is None]
        deleting = f"DELETE FROM main.{quoted(table.name)} WHERE {_where(table)}"  # noqa: S608
        connection.executemany(deleting, [kept.key for kept in gone])
    for table in tables:
        for kept in reversed(table.rows):
            if kept.before is not None:
                _write(connection, table, kept, kept.before)


def _columns(connection: sqlite3.Connection, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of a table, and those of its key in order."""
    found = connection.execute(_COLUMNS, (name,)).fetchall()
    keys = [column for column, pk in sorted(found, key=lambda one: one[1]) if pk]
    return tuple(column for column, _ in found), tuple(keys)


def _check(connection: sqlite3.Connection, tables: Iterable[KeptTable]) -> None:
    """A table that was dropped and made again may look the same by what is kept of it alone."""
    for table in tables:
        if _columns(connection, table.name) != (table.columns, table.keys):
            raise DatabaseError(OTHER_TABLE.format(table=table.name))


def _write(connection: sqlite3.Connection, table: KeptTable, kept: KeptRow, row: Row) -> None:
    name = quoted(table.name)
    if kept.after is None:
        columns, marks = ", ".join(map(quoted, table.columns)), ", ".join("?" * len(table.columns))
        connection.execute(f"INSERT INTO main.{name} ({columns}) VALUES ({marks})", row)  # noqa: S608
        return
    sides = zip(table.columns, row, kept.after, strict=True)
    changed = [(quoted(column), then) for column, then, now in sides if repr(then) != repr(now)]
    assigned = ", ".join(f"{column} = ?{at}" for at, (column, _) in enumerate(changed, len(table.keys) + 1))
    values = [value for _, value in changed]
    connection.execute(f"UPDATE main.{name} SET {assigned} WHERE {_where(table)}", (*kept.key, *values))  # noqa: S608


def _row(connection: sqlite3.Connection, table: KeptTable, key: Row) -> Row | None:
    columns = ", ".join(map(quoted, table.columns))
    asked = f"SELECT {columns} FROM main.{quoted(table.name)} WHERE {_where(table)}"  # noqa: S608
    found: Row | None = connection.execute(asked, key).fetchone()
    return found


def _picked(places: list[int], row: Row) -> Row:
    return tuple(row[at] for at in places)


def _where(table: KeptTable) -> str:
    """By its key to the letter, whatever the table takes for the same; `?NNN` is filled twice."""
    return " AND ".join(
        f"{quoted(key)} IS ?{at} AND {quoted(key)} IS ?{at} COLLATE BINARY" for at, key in enumerate(table.keys, 1)
    )
