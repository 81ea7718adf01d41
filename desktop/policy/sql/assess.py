"""`assess_sql`: the only function that judges SQL (gate-Q1)."""

from desktop.policy.sql.fragments import MAX_FRAGMENT
from desktop.policy.sql.reading.dialects import Dialect, find_dialect
from desktop.policy.sql.reading.lexer import Reading, read
from desktop.policy.sql.reading.parsing import PARSER_PROBLEMS
from desktop.policy.sql.reasons import REASONS
from desktop.policy.sql.screens import MAX_PIECES, Fault, screen
from desktop.policy.sql.statement import Judged, judge_statement
from desktop.policy.sql.verdict import SqlVerdict


def assess_sql(text: str, dialect: str) -> SqlVerdict:
    """Judge a whole text in a dialect; it is proven only if each of its statements is. Never raises.

    A text at the limits of length takes up to a second, so call it from a thread.
    """
    try:
        return _assessed(text, dialect)
    except PARSER_PROBLEMS:
        return _refused(text, dialect, Fault("parse_error", 0, len(text)))


def _assessed(text: str, dialect: str) -> SqlVerdict:
    if not text.strip(" \t\r\n"):
        return _refused(text, dialect, Fault("empty", 0, 0))
    known = find_dialect(dialect)
    if known is None:
        return _refused(text, dialect, Fault("unknown_dialect", 0, 0))
    fault = screen(text, known)
    if fault:
        return _refused(text, dialect, fault)
    reading = read(text, known)
    if isinstance(reading, Fault):
        return _refused(text, dialect, reading)
    if len(reading.lexemes) > MAX_PIECES:
        return _refused(text, dialect, Fault("too_long", 0, 0))
    return _judged(text, reading, known, dialect)


def _judged(text: str, reading: Reading, known: Dialect, dialect: str) -> SqlVerdict:
    judged: list[Judged] = [judge_statement(text, lexemes, known) for lexemes in reading.statements()]
    if not judged:
        return _refused(text, dialect, Fault("empty", 0, 0))
    statements = tuple(one.statement for one in judged)
    fault = next((one.fault for one in judged if one.fault), None)
    if fault:
        return _refused(text, dialect, fault).model_copy(update={"statements": statements})
    return SqlVerdict(
        proven_read=True,
        code="proven_read",
        reason=REASONS["proven_read"],
        dialect=dialect,
        statements=statements,
    )


def _refused(text: str, dialect: str, fault: Fault) -> SqlVerdict:
    end = min(fault.end, fault.start + MAX_FRAGMENT)
    return SqlVerdict(
        proven_read=False,
        code=fault.code,
        reason=REASONS[fault.code],
        fragment=text[fault.start : end],
        span=(fault.start, end),
        dialect=dialect,
    )
