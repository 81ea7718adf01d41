"""Meter: counts what a statement does to every table of a SQLite database, by temporary triggers."""

import sqlite3

from desktop.domain.gate.effects import TableEffect
from desktop.records import dataclass
from desktop.services.databases.base import SAMPLE_ROWS, DatabaseError
from desktop.services.databases.cells import cell_text
from desktop.services.databases.sqlite.connections import quoted

MAX_TABLES = 300
PREFIX = "banksman_"
_OPERATIONS = ("inserted", "updated", "deleted")


@dataclass(frozen=True)
class MeteredTable:
    """A table with a number of its own, which names its counters. `columns` without the hidden ones."""

    number: int
    name: str
    columns: tuple[str, ...]


class Meter:
    """Watches all ordinary tables of `main`. The triggers live in the temporary database: the file is not changed.

    `samples`: also keep up to 20 rows of each table from before and after.
    """

    def __init__(self, connection: sqlite3.Connection, *, samples: bool = False) -> None:
        self._connection = connection
        self._samples = samples
        self.tables: tuple[MeteredTable, ...] = ()

    def install(self) -> None:
        """Begin to count. Raises DatabaseError when there are too many tables."""
        self.tables = self._ordinary_tables()
        if len(self.tables) > MAX_TABLES:
            raise DatabaseError(f"the database has more than {MAX_TABLES} tables")
        self._connection.execute(
            "CREATE TEMP TABLE banksman_counts (n INTEGER PRIMARY KEY, inserted INTEGER DEFAULT 0, "
            "updated INTEGER DEFAULT 0, deleted INTEGER DEFAULT 0)"
        )
        for table in self.tables:
            self._watch(table)

    def effects(self) -> tuple[TableEffect, ...]:
        """The effects that were counted, of tables with any change alone."""
        rows = self._connection.execute(
            "SELECT n, inserted, updated, deleted FROM temp.banksman_counts WHERE inserted + updated + deleted > 0"
        ).fetchall()
        return tuple(self._effect(*row) for row in rows)

    def rows_in(self, name: str) -> int | None:
        """The number of rows in a table now, None if it cannot be counted."""
        try:
            found = self._connection.execute(f"SELECT count(*) FROM main.{quoted(name)}").fetchone()  # noqa: S608
        except sqlite3.Error:
            return None
        return int(found[0])

    def _effect(self, number: int, inserted: int, updated: int, deleted: int) -> TableEffect:
        table = self.tables[number]
        rows_now = self.rows_in(table.name) if self._samples else None
        return TableEffect(
            table=table.name,
            inserted=inserted,
            updated=updated,
            deleted=deleted,
            rows_before=None if rows_now is None else rows_now - inserted + deleted,
            columns=table.columns if self._samples else (),
            before=self._sample(table, "before"),
            after=self._sample(table, "after"),
        )

    def _sample(self, table: MeteredTable, phase: str) -> tuple[tuple[str, ...], ...]:
        if not self._samples:
            return ()
        rows = self._connection.execute(
            f"SELECT * FROM temp.{PREFIX}rows_{table.number} WHERE banksman_phase = ? LIMIT ?",  # noqa: S608
            (phase, SAMPLE_ROWS),
        ).fetchall()
        return tuple(tuple(_shown(value) for value in row[1:]) for row in rows)

    def _ordinary_tables(self) -> tuple[MeteredTable, ...]:
        names = self._connection.execute(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
            "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name LIMIT ?",
            (MAX_TABLES + 1,),
        ).fetchall()
        return tuple(MeteredTable(number, name, self._columns(name)) for number, (name,) in enumerate(names))

    def _columns(self, table: str) -> tuple[str, ...]:
        rows = self._connection.execute(
            "SELECT name FROM pragma_table_xinfo(?) WHERE hidden IN (0, 2, 3) ORDER BY cid", (table,)
        ).fetchall()
        return tuple(name for (name,) in rows)

    def _watch(self, table: MeteredTable) -> None:
        number = table.number
        self._connection.execute("INSERT INTO temp.banksman_counts (n) VALUES (?)", (number,))
        if self._samples:
            columns = ", ".join(f"c{index}" for index in range(len(table.columns)))
            self._connection.execute(f"CREATE TEMP TABLE {PREFIX}rows_{number} (banksman_phase, {columns})")
        for operation, event in zip(_OPERATIONS, ("INSERT", "UPDATE", "DELETE"), strict=True):
            keep = "".join(
                f" {self._keep(table, phase)}"
                for phase, wanted in (("before", event != "INSERT"), ("after", event != "DELETE"))
                if wanted and self._samples
            )
            self._connection.execute(
                f"CREATE TEMP TRIGGER {PREFIX}{operation}_{number} AFTER {event} ON main.{quoted(table.name)} BEGIN "  # noqa: S608
                f"UPDATE banksman_counts SET {operation} = {operation} + 1 WHERE n = {number};{keep} END"
            )

    def _keep(self, table: MeteredTable, phase: str) -> str:
        version = "OLD" if phase == "before" else "NEW"
        values = ", ".join(f"{version}.{quoted(column)}" for column in table.columns)
        rows = f"{PREFIX}rows_{table.number}"
        return (
            f"INSERT INTO {rows} SELECT '{phase}', {values} "  # noqa: S608 - quoted names of the catalogue
            f"WHERE (SELECT count(*) FROM {rows} WHERE banksman_phase = '{phase}') < {SAMPLE_ROWS};"
        )


def _shown(value: object) -> str:
    text = cell_text(value)
    return "NULL" if text is None else text[:500]
