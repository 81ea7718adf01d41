"""The catalogue of a MySQL database, read with queries written here."""

from desktop.services.databases.base import TableLine
from desktop.services.databases.mysql.connections import Server

_TABLES = """
SELECT t.table_name, t.table_type, t.table_rows, (SELECT count(*) FROM information_schema.columns AS c
WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name)
FROM information_schema.tables AS t WHERE t.table_schema = %s ORDER BY 1
"""
_FIND = """
SELECT table_schema, table_name, table_type FROM information_schema.tables
WHERE (table_schema = %s AND table_name = %s) OR concat(table_schema, '.', table_name) = %s LIMIT 1
"""
_WRITES = """
SELECT 1 FROM information_schema.user_privileges WHERE privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'SUPER')
UNION SELECT 1 FROM information_schema.schema_privileges WHERE privilege_type IN ('INSERT', 'UPDATE', 'DELETE')
UNION SELECT 1 FROM information_schema.table_privileges WHERE privilege_type IN ('INSERT', 'UPDATE', 'DELETE')
"""


def list_tables(server: Server, database: str) -> tuple[TableLine, ...]:
    """Tables and views of the database; rows as the server estimates them."""
    with server.cursor() as cursor:
        cursor.execute(_TABLES, (database,))
        rows = cursor.fetchall()
    return tuple(
        TableLine(
            name=name,
            kind="view" if kind == "VIEW" else "table",
            columns=columns,
            rows=None if count is None or kind == "VIEW" else int(count),
        )
        for name, kind, count, columns in rows
    )


def describe_table(server: Server, database: str, table: str) -> str:
    """The server's own CREATE statement. "": no such table."""
    with server.cursor() as cursor:
        cursor.execute(_FIND, (database, table, table))
        found = cursor.fetchone()
        if found is None:
            return ""
        schema, name, kind = found
        cursor.execute(f"SHOW CREATE {'VIEW' if kind == 'VIEW' else 'TABLE'} {quoted(schema)}.{quoted(name)}")
        row = cursor.fetchone()
    return f"{row[1]};"


def may_write(server: Server) -> bool:
    """Whether any right to change rows is held."""
    with server.cursor() as cursor:
        cursor.execute(_WRITES)
        return cursor.fetchone() is not None


def quoted(name: str) -> str:
    """A name as MySQL takes it literally."""
    return "`" + name.replace("`", "``") + "`"
