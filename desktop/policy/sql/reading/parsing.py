"""The parser, with its errors as results and its log kept to itself (gate-Q5)."""

import logging

from sqlglot import exp
from sqlglot.dialects import Dialect as ParserDialect
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.tokenizer_core import Token

from desktop.policy.sql.reading.dialects import Dialect

# Beside its own errors the parser lets out the built-in ones when it meets text that nobody tried on it.
PARSER_PROBLEMS = (
    SqlglotError,
    RecursionError,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    AssertionError,
    ArithmeticError,
    NotImplementedError,
)

_parser_log = logging.getLogger("sqlglot")
_parser_log.addHandler(logging.NullHandler())
_parser_log.propagate = False


def tokens_of(text: str, dialect: Dialect) -> list[Token] | None:
    """The parser's tokens; None where it cannot cut the text."""
    try:
        found: list[Token] = ParserDialect.get_or_raise(dialect.parser).tokenize(text)
    except PARSER_PROBLEMS:
        return None
    return found


def trees_of(found: list[Token], text: str, dialect: Dialect) -> list[exp.Expr] | None:
    """The trees of the tokens, without empty statements; None where it cannot read them."""
    try:
        parser = ParserDialect.get_or_raise(dialect.parser).parser(error_level=ErrorLevel.IMMEDIATE)
        trees = parser.parse(found, text)
    except PARSER_PROBLEMS:
        return None
    return [tree for tree in trees if tree is not None and not isinstance(tree, exp.Semicolon)]
