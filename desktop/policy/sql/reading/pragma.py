"""PRAGMA and SHOW, read from the text itself, since calls and settings look alike in the tree (gate-Q11, gate-Q12)."""

from collections.abc import Sequence

from desktop.policy.sql.names.sqlite import PRAGMAS, PRAGMAS_WITHOUT_VALUE
from desktop.policy.sql.reading.dialects import Dialect
from desktop.policy.sql.reading.lexer import Lexeme
from desktop.policy.sql.screens import Fault

_DUCKDB = frozenset({"table_info", "show", "storage_info"})
_DUCKDB_WITHOUT_VALUE = frozenset(
    {"show_tables", "show_tables_expanded", "database_list", "database_size", "version", "collations", "functions"}
)
_FILE_SIGNS = frozenset("./\\:*@")  # DuckDB opens a file of such a name wherever it looks for a table
_LISTINGS = frozenset({"FIELDS", "INDEXES", "KEYS"})
_RESTRICTS = frozenset({"WHERE", "INTO"})
_DESCRIBES = frozenset({"DESCRIBE", "DESC"})
_NO_TABLES = frozenset(
    {
        "SELECT",
        "INSERT",
        "UPDATE",
        "DELETE",
        "REPLACE",
        "TABLE",
        "VALUES",
        "WITH",
        "ANALYZE",
        "FORMAT",
        "EXTENDED",
        "PARTITIONS",
        "FOR",
        "INTO",
        "CALL",
    }
)
_SHOW_WORDS = (("ALL",), ("TIME", "ZONE"), ("TRANSACTION", "ISOLATION", "LEVEL"))


def pragma_fault(lexemes: Sequence[Lexeme], dialect: Dialect) -> Fault | None:
    """Why a PRAGMA statement is not known to only read; None: it is."""
    fault = Fault("pragma_not_listed", lexemes[0].start, lexemes[-1].end)
    rest = list(lexemes[1:])
    if len(rest) > 2 and rest[1].text == "." and rest[0].kind in ("word", "name"):
        rest = rest[2:]
    if not rest or rest[0].kind != "word" or not rest[0].text.isascii():
        return fault
    name = rest[0].text.lower()
    duckdb = dialect.family == "duckdb"
    callable_, bare = (_DUCKDB, _DUCKDB_WITHOUT_VALUE) if duckdb else (PRAGMAS, PRAGMAS_WITHOUT_VALUE)
    if len(rest) == 1:
        return None if name in callable_ | bare else fault
    called = [lexeme.text for lexeme in (rest[1], rest[-1])] == ["(", ")"]
    inside = rest[2:-1]
    plain = len(inside) == 1 and inside[0].kind in ("word", "name", "string", "number")
    plain = plain and not (duckdb and _FILE_SIGNS & set(inside[0].text))
    return None if name in callable_ and called and plain else fault


def postgres_show_passes(lexemes: Sequence[Lexeme]) -> bool:
    """Whether it is one of the four forms of PostgreSQL's SHOW."""
    words = tuple(lexeme.word for lexeme in lexemes[1:])
    if words in _SHOW_WORDS:
        return True
    named = [lexeme for lexeme in lexemes[1:] if lexeme.text != "."]
    return 0 < len(named) <= 2 and len(lexemes) == 2 * len(named) and all(piece.kind == "word" for piece in named)


def mysql_listing_passes(lexemes: Sequence[Lexeme]) -> bool:
    """Whether it is a listing of columns or indexes that the parser has no form for: `SHOW KEYS FROM t`, `DESC t a`."""
    words = [lexeme.word for lexeme in lexemes if lexeme.text != "."]
    names = all(piece.kind in ("word", "name", "string") or piece.text == "." for piece in lexemes)
    if words[0] == "SHOW":
        subject = words[2:3] if words[1:2] in (["FULL"], ["EXTENDED"]) else words[1:2]
        return names and set(subject) & _LISTINGS != set() and not _RESTRICTS & set(words)
    return names and words[0] in _DESCRIBES and len(words) in (3, 4) and not _NO_TABLES & set(words[1:])
