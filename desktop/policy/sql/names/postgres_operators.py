"""Operators of PostgreSQL: each run of signs must be one of the server's own, for anybody can define others.

The server takes the longest run of operator signs for one operator, where the parser may see two: `a <@-b` calls the
operator `<@-`. From `pg_operator` of PostgreSQL 18 and of the vector and trigram extensions.
"""

from collections.abc import Iterator, Sequence

from desktop.policy.sql.reading.lexer import Lexeme
from desktop.policy.sql.screens import Fault

_SIGNS = frozenset("+-*/<>=~!@#%^&|`?")
_MAY_END_IN_MINUS = frozenset("~!@#%^&|`?")
_OWN = frozenset({
    "!!", "!=", "!~", "!~*", "!~~", "!~~*", "#", "##", "#-", "#>", "#>>", "%", "&", "&&", "&<", "&<|", "&>", "*",
    "*<", "*<=", "*<>", "*=", "*>", "*>=", "+", "-", "->", "->>", "-|-", "/", "<", "<->", "<<", "<<=", "<<|", "<=",
    "<>", "<@", "<^", "=", "=>", ">", ">=", ">>", ">>=", ">^", "?", "?#", "?&", "?-", "?-|", "?|", "?||", "@", "@-@",
    "@>", "@?", "@@", "@@@", "^", "^@", "|", "|&>", "|/", "|>>", "||", "||/", "~", "~*", "~<=~", "~<~", "~=", "~>=~",
    "~>~", "~~", "~~*", "<=>", "<#>", "<+>", "<%", "%>", "<<%", "%>>",
})  # fmt: skip


def foreign_operator(lexemes: Sequence[Lexeme]) -> Fault | None:
    """The first run of signs that is no operator of the server."""
    for start, run in _runs(lexemes):
        operator = run
        while len(operator) > 1 and operator[-1] in "+-" and not _MAY_END_IN_MINUS & set(operator):
            operator = operator[:-1]
        if operator not in _OWN:
            return Fault("function_not_listed", start, start + len(operator), operator)
    return None


def _runs(lexemes: Sequence[Lexeme]) -> Iterator[tuple[int, str]]:
    start, run = 0, ""
    for lexeme in lexemes:
        sign = lexeme.kind == "mark" and lexeme.text in _SIGNS
        if run and (not sign or lexeme.start != start + len(run)):
            yield start, run
            run = ""
        if sign:
            start = start if run else lexeme.start
            run += lexeme.text
    if run:
        yield start, run
