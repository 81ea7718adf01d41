"""The catalogue of a SQLite database, read with queries written here."""

import sqlite3

from desktop.services.databases.base import TableLine
from desktop.services.databases.sqlite.connections import quoted

_TABLES = """
SELECT l.name, l.type, l.ncol FROM pragma_table_list AS l
WHERE l.schema = 'main' AND l.type IN ('table', 'view', 'virtual') AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
ORDER BY l.name
"""
_OBJECTS = """
SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL
ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'view' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, name
"""
_FOREIGN_KEYS = """
SELECT "from", "table", "to", on_update, on_delete FROM pragma_foreign_key_list(?) ORDER BY id, seq
"""


def list_tables(connection: sqlite3.Connection) -> tuple[TableLine, ...]:
    """Tables, views and virtual tables. Rows are the estimates of ANALYZE, where it was run."""
    estimates = _estimates(connection)
    rows = connection.execute(_TABLES).fetchall()
    return tuple(
        TableLine(name=name, kind=kind, columns=columns, rows=estimates.get(name)) for name, kind, columns in rows
    )


def describe_table(connection: sqlite3.Connection, table: str) -> str:
    """The statements that made the table, its indexes and triggers, and what it refers to. "": no such table."""
    name = table.removeprefix("main.")
    found = connection.execute(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND lower(name) = lower(?)", (name,)
    ).fetchone()
    if found is None:
        return ""
    name = found[0]
    parts = [f"{sql.strip()};" for (sql,) in connection.execute(_OBJECTS, (name,))]
    for column, other, key, on_update, on_delete in connection.execute(_FOREIGN_KEYS, (name,)):
        target = f"{quoted(other)} ({quoted(key)})" if key else quoted(other)
        parts.append(f"-- {quoted(column)} refers to {target}, on update {on_update}, on delete {on_delete}")
    return "\n".join(parts)


def _estimates(connection: sqlite3.Connection) -> dict[str, int]:
    try:
        rows = connection.execute("SELECT tbl, max(CAST(stat AS INTEGER)) FROM sqlite_stat1 GROUP BY tbl").fetchall()
    except sqlite3.Error:
        return {}
    return {name: rows_ for name, rows_ in rows if rows_ is not None}
