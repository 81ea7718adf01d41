"""The tables of the search index: made, thrown away whatever state they are in, and known to be damaged by an error."""

import sqlite3

TABLES = ("search_text", "search_three")
_CREATE = (
    "CREATE VIRTUAL TABLE search_text USING fts5(text, kind UNINDEXED, tokenize = 'unicode61 remove_diacritics 2')",
    "CREATE VIRTUAL TABLE search_three USING fts5(text, kind UNINDEXED, tokenize = 'trigram')",
)
_OWN = ("data", "idx", "content", "docsize", "config")
"""The tables in which FTS5 keeps a virtual table: https://sqlite.org/fts5.html#fts5_data_structures"""

_FAMILY = 0xFF


def make_tables_anew(connection: sqlite3.Connection) -> None:
    """Throw the tables of the index away, damaged or not, and make empty ones. Inside a transaction.

    Raises:
        sqlite3.Error: the store cannot be written.
    """
    for name in TABLES:
        try:
            connection.execute(f"DROP TABLE IF EXISTS {name}")
        except sqlite3.Error:
            _remove_unopened(connection, name)
    for statement in _CREATE:
        connection.execute(statement)
    for name in TABLES:
        connection.execute(f"INSERT INTO {name}({name}, rank) VALUES ('automerge', 4)")  # noqa: S608


def is_damage(error: object) -> bool:
    """Whether an error at the tables of the index is their own: not a full disk, a lock, or a mistake of the caller."""
    if isinstance(error, sqlite3.OperationalError):
        code: int = vars(error).get("sqlite_errorcode", 0)  # none where Python itself raises it
        return code & _FAMILY == sqlite3.SQLITE_ERROR
    other = sqlite3.DataError | sqlite3.ProgrammingError | sqlite3.NotSupportedError
    return isinstance(error, sqlite3.DatabaseError) and not isinstance(error, other)


def _remove_unopened(connection: sqlite3.Connection, name: str) -> None:
    """SQLite opens a virtual table before it drops it; one too damaged for that is taken out of the schema by hand."""
    connection.execute("PRAGMA writable_schema=ON")
    try:
        connection.execute("DELETE FROM sqlite_schema WHERE type = 'table' AND name = ?", (name,))
    finally:
        connection.execute("PRAGMA writable_schema=RESET")
    for own in _OWN:
        connection.execute(f"DROP TABLE IF EXISTS {name}_{own}")
