"""The names that stand before a bracket in the text itself, whatever the parser made of them (gate-Q8, second net).

The parser knows functions of all dialects under one set of names, folds letters that servers do not fold and takes
quoted names for plain ones. So the names are read from the text again: a quoted name or a letter outside ASCII never
passes, and where the list of a dialect is closed, each name must be on it.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sqlglot import exp

from desktop.policy.sql.dialects import Dialect
from desktop.policy.sql.lexer import Lexeme
from desktop.policy.sql.names import listed_name, listed_type, names_are_closed
from desktop.policy.sql.screens import Fault

_WORDS_BEFORE_BRACKETS = frozenset({
    "ALL", "AND", "ANY", "AS", "BERNOULLI", "BETWEEN", "BY", "CASE", "COLUMNS", "CONFLICT", "CROSS", "CUBE",
    "DISTINCT", "ELSE", "END", "EXCEPT", "EXCLUDE", "EXISTS", "EXPLAIN", "FILTER", "FOR", "FROM", "GLOB", "GROUP",
    "GROUPING", "HAVING", "ILIKE", "IN", "INDEX", "INTERSECT", "INTO", "IS", "JOIN", "KEY", "KEYS", "LATERAL", "LIKE",
    "LIMIT", "MATERIALIZED", "NOT", "OF", "OFFSET", "ON", "OR", "ORDER", "ORDINALITY", "OVER", "OVERLAPS", "PARTITION",
    "PASSING", "PATH", "RECURSIVE", "REGEXP", "REPLACE", "RETURNING", "RLIKE", "ROLLUP", "ROW", "ROWS", "SELECT",
    "SET", "SETS", "SIMILAR", "SOME", "SYMMETRIC", "SYSTEM", "TABLESAMPLE", "THEN", "TO", "UNION", "UNIQUE", "USING",
    "VALUES", "VARIADIC", "WHEN", "WHERE", "WITH", "WITHIN", "ARRAY", "DIV", "MOD", "XOR", "BINARY", "ESCAPE", "MATCH",
    "AGAINST", "MEMBER", "NATURAL", "NULL", "ONLY", "DEFAULT", "USE", "FORCE", "IGNORE", "COLLATE", "INTERVAL",
    "ISNULL", "NOTNULL", "STRAIGHT_JOIN",
})  # fmt: skip


def called_problem(lexemes: Sequence[Lexeme], trees: Sequence[exp.Expr], offset: int, dialect: Dialect) -> Fault | None:
    """The first name before a bracket that may not be called; names of aliases and of column lists are none."""
    aliases = {place + offset for tree in trees for place in _alias_places(tree)}
    for current, following in pairwise(lexemes):
        called = following.text == "(" and following.kind == "mark" and current.start not in aliases
        if called and not _may_stand(current, dialect):
            return Fault("function_not_listed", current.start, current.end, current.text[:80])
    return None


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
