"""The names that stand before a bracket in the text itself, whatever the parser made of them (gate-Q8, second net).

The parser knows functions of all dialects under one set of names, folds letters that servers do not fold and takes
quoted names for plain ones. So the names are read from the text again: a quoted name or a letter outside ASCII never
passes, and where the list of a dialect is closed, each name must be on it.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sqlglot import exp

from desktop.policy.sql.names.allowed import listed_name, listed_type, names_are_closed
from desktop.policy.sql.reading.dialects import Dialect
from desktop.policy.sql.reading.lexer import Lexeme
from desktop.policy.sql.screens import Fault

_WORDS_BEFORE_BRACKETS = frozenset({
    "ALL", "AND", "ANY", "AS", "BERNOULLI", "BETWEEN", "BY", "CASE", "COLUMNS", "CONFLICT", "CROSS", "CUBE",
    "DISTINCT", "ELSE", "END", "EXCEPT", "EXCLUDE", "EXISTS", "EXPLAIN", "FILTER", "FOR", "FROM", "GLOB", "GROUP",
    "GROUPING", "HAVING", "ILIKE", "IN", "INDEX", "INTERSECT", "INTO", "IS", "JOIN", "KEY", "KEYS", "LATERAL", "LIKE",
    "LIMIT", "MATERIALIZED", "NOT", "OF", "OFFSET", "ON", "OR", "ORDER", "ORDINALITY", "OVER", "OVERLAPS", "PARTITION",
    "PASSING", "PATH", "RECURSIVE", "REGEXP", "REPEATABLE", "REPLACE", "RETURNING", "RLIKE", "ROLLUP", "ROW", "ROWS",
    "SELECT",
    "SET", "SETS", "SIMILAR", "SOME", "SYMMETRIC", "SYSTEM", "TABLESAMPLE", "THEN", "TO", "UNION", "UNIQUE", "USING",
    "VALUES", "VARIADIC", "WHEN", "WHERE", "WITH", "WITHIN", "ARRAY", "DIV", "MOD", "XOR", "BINARY", "ESCAPE", "MATCH",
    "AGAINST", "MEMBER", "NATURAL", "NULL", "ONLY", "DEFAULT", "USE", "FORCE", "IGNORE", "COLLATE", "INTERVAL",
    "ISNULL", "NOTNULL", "STRAIGHT_JOIN",
})  # fmt: skip


_COMMANDS = frozenset({
    "ABORT", "ALTER", "ANALYZE", "ATTACH", "BEGIN", "CALL", "CHECKPOINT", "CLUSTER", "COMMIT", "COPY", "CREATE",
    "DEALLOCATE", "DECLARE", "DELETE", "DETACH", "DISCARD", "DO", "DROP", "END", "EXEC", "EXECUTE", "EXPLAIN", "FLUSH",
    "GO", "GRANT", "HANDLER", "INSERT", "KILL", "LISTEN", "LOAD", "LOCK", "MERGE", "NOTIFY", "OPTIMIZE", "PRAGMA",
    "PREPARE", "REFRESH", "REINDEX", "RELEASE", "RENAME", "REPAIR", "RESET", "REVOKE", "ROLLBACK", "SAVEPOINT", "SET",
    "SHUTDOWN", "START", "TRUNCATE", "UNLISTEN", "UPDATE", "USE", "VACUUM",
})  # fmt: skip
_OPERATORS = frozenset(
    {
        "IS",
        "IN",
        "LIKE",
        "ILIKE",
        "BETWEEN",
        "AND",
        "OR",
        "NOT",
        "AS",
        "COLLATE",
        "ASC",
        "DESC",
        "GLOB",
        "REGEXP",
        "RLIKE",
        "SIMILAR",
        "DIV",
        "MOD",
        "XOR",
        "OVER",
        "AT",
        "ISNULL",
        "NOTNULL",
    }
)
_VALUES = frozenset({"string", "number"})
_BEFORE_A_QUERY = frozenset(
    {"FROM", "SELECT", "AS", "IN", "EXISTS", "JOIN", "ALL", "UNION", "EXCEPT", "INTERSECT", "("}
)


def wrapped_command(lexemes: Sequence[Lexeme]) -> Fault | None:
    """A word that begins a command, alone in brackets where a query may stand: `SELECT * FROM (VACUUM)`."""
    for before, bracket, word, after in zip(lexemes, lexemes[1:], lexemes[2:], lexemes[3:], strict=False):
        opens = bracket.kind == "mark" and bracket.text == "(" and (before.word or before.text) in _BEFORE_A_QUERY
        goes_on = after.kind != "mark" and after.word not in _OPERATORS
        if opens and word.word in _COMMANDS and (after.text == ")" or goes_on):
            return Fault("root_not_read", word.start, word.end, word.text)
    return None


def string_as_table(lexemes: Sequence[Lexeme], trees: Sequence[exp.Expr], offset: int) -> Fault | None:
    """A string where a table is named: a file for some servers, an error for most."""
    strings = {lexeme.start: lexeme for lexeme in lexemes if lexeme.kind == "string"}
    for tree in trees:
        for table in tree.find_all(exp.Table):
            place = table.this.meta.get("start") if isinstance(table.this, exp.Identifier) else None
            lexeme = strings.get(place + offset) if isinstance(place, int) else None
            if lexeme:
                return Fault("external_source", lexeme.start, lexeme.end, lexeme.text[:80])
    return None


_SPACE_MATTERS = frozenset({
    "ADDDATE", "BIT_AND", "BIT_OR", "BIT_XOR", "CAST", "COUNT", "CURDATE", "CURTIME", "DATE_ADD", "DATE_SUB", "EXTRACT",
    "GROUP_CONCAT", "MAX", "MID", "MIN", "NOW", "POSITION", "SESSION_USER", "STD", "STDDEV", "STDDEV_POP",
    "STDDEV_SAMP", "SUBDATE", "SUBSTR", "SUBSTRING", "SUM", "SYSDATE", "SYSTEM_USER", "TRIM", "VARIANCE", "VAR_POP",
    "VAR_SAMP",
})  # fmt: skip


def stored_call(lexemes: Sequence[Lexeme]) -> Fault | None:
    """A function of MySQL whose name stands apart from its bracket: as the server is set up at first, `now ()` calls
    the stored function of that name (manual 9.2.5)."""
    for name, bracket in pairwise(lexemes):
        if bracket.text == "(" and name.word in _SPACE_MATTERS and name.end != bracket.start:
            return Fault("function_not_listed", name.start, name.end, name.text)
    return None


def called_problem(lexemes: Sequence[Lexeme], trees: Sequence[exp.Expr], offset: int, dialect: Dialect) -> Fault | None:
    """The first name before a bracket that may not be called; names of aliases and of column lists are none."""
    found = next(called_names(lexemes, trees, offset, dialect), None)
    if found is None:
        return None
    current = lexemes[found]
    return Fault("function_not_listed", current.start, current.end, current.text[:80])


def called_names(lexemes: Sequence[Lexeme], trees: Sequence[exp.Expr], offset: int, dialect: Dialect) -> Iterator[int]:
    """The places in `lexemes` of the names before a bracket that may not be called."""
    aliases = {place + offset for tree in trees for place in _alias_places(tree)}
    for index, (current, following) in enumerate(pairwise(lexemes)):
        opens = following.text == "(" and following.kind == "mark"
        named = current.start in aliases and lexemes[min(index + 2, len(lexemes) - 1)].kind not in _VALUES
        if opens and not named and (current.start in aliases or not _may_stand(current, dialect)):
            yield index


def _may_stand(lexeme: Lexeme, dialect: Dialect) -> bool:
    if lexeme.kind == "name":
        return False
    if lexeme.kind != "word":
        return True
    if not lexeme.text.isascii():
        return False
    if not names_are_closed(dialect) or lexeme.word in _WORDS_BEFORE_BRACKETS:
        return True
    return listed_name(lexeme.text, dialect) or listed_type(lexeme.text, dialect)


def _alias_places(tree: exp.Expr) -> Iterator[int]:
    for node in tree.find_all(exp.TableAlias, exp.Schema):
        named = node.this.this if isinstance(node.this, exp.Table) else node.this
        if isinstance(named, exp.Identifier):
            place = named.meta.get("start")
            if isinstance(place, int):
                yield place
