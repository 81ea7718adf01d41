"""Whether a statement that is no read calls a function that is not known to be harmless (gate-Q23).

A preview carries a statement out and takes it back, but what a function did outside is not taken back with it.
"""

from collections.abc import Sequence

from sqlglot import exp

from desktop.policy.sql.names.postgres_operators import foreign_operator
from desktop.policy.sql.reading.dialects import Dialect
from desktop.policy.sql.reading.lexer import Lexeme
from desktop.policy.sql.tree.calls import called_names, stored_call
from desktop.policy.sql.tree.walk import has_unlisted_call

_OF_ROWS = frozenset({"DELETE", "INSERT", "MERGE", "REPLACE", "SELECT", "UPDATE", "VALUES", "WITH"})
_NAMED_AFTER = frozenset(
    {
        "AGGREGATE",
        "EXISTS",
        "FUNCTION",
        "INDEX",
        "ON",
        "PROCEDURE",
        "REFERENCES",
        "TABLE",
        "USING",
        "VIEW",
    }
)
_WORDS_OF_TABLES = frozenset({"CHECK", "IDENTITY", "INCLUDE", "OPTIONS", "RANGE"})


def calls_unlisted(lexemes: Sequence[Lexeme], trees: Sequence[exp.Expr], dialect: Dialect) -> bool:
    """Whether any call in the statement is not on the list; both the tree and the text itself are asked."""
    if any(has_unlisted_call(tree, dialect) for tree in trees):
        return True
    offset = lexemes[0].start
    if any(not _is_a_thing(lexemes, index) for index in called_names(lexemes, trees, offset, dialect)):
        return True
    if dialect.family == "postgres":
        return foreign_operator(lexemes) is not None
    return dialect.family == "mysql" and stored_call(lexemes) is not None


def _is_a_thing(lexemes: Sequence[Lexeme], index: int) -> bool:
    """Whether the name before a bracket is that of a table or function which is only spoken of: `INTO t (a)`,
    `DROP FUNCTION f(int)`; or a word such as CHECK."""
    word, at = lexemes[index].word, index - 1
    while at > 0 and lexemes[at].text == ".":
        at -= 2
    before = lexemes[at].word if at >= 0 else ""
    if before == "INTO" or (word == "INSERT" and before == "THEN"):
        return True
    return lexemes[0].word not in _OF_ROWS and (before in _NAMED_AFTER or word in _WORDS_OF_TABLES)
