"""Placeholders in a text of SQL: whether there are as many values as the text needs (gate-Q13)."""

import re

from desktop.config.databases import Dialect

_SKIPPED = r"""
    --[^\n]* | /\*.*?\*/ | '(?:[^']|'')*' | "(?:[^"]|"")*" | `(?:[^`]|``)*`
"""
_DOLLAR_QUOTED = r"""| \$(?P<tag>[A-Za-z_]\w*)?\$.*?\$(?P=tag)\$ | \$\$.*?\$\$"""
_FLAGS = re.VERBOSE | re.DOTALL
_NUMBERED = re.compile(
    r"(?<!\w) [eE]'(?:[^'\\]|''|\\.)*' |" + _SKIPPED + _DOLLAR_QUOTED + r"| (?<![\w$]) (?P<mark>\$\d+)", _FLAGS
)
_QUESTION = re.compile(_SKIPPED + r"| \[[^\]]*\] | (?<![\w$:@?]) (?P<mark> \?\d* | [:@$][A-Za-z_]\w* )", _FLAGS)
_MYSQL = re.compile(
    r"""
    --[ \t][^\n]* | \#[^\n]* | /\*.*?\*/ | '(?:[^'\\]|''|\\.)*' | "(?:[^"\\]|""|\\.)*" | `(?:[^`]|``)*` | (?P<mark>\?)
    """,
    _FLAGS,
)
_PATTERNS: dict[Dialect, re.Pattern[str]] = {
    "sqlite": _QUESTION,
    "postgres": _NUMBERED,
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
}


def placeholder_problem(sql: str, dialect: Dialect, given: int) -> str:
    """Why the values do not fit the text, "" if they do."""
    marks = [found["mark"] for found in _PATTERNS[dialect].finditer(sql) if found["mark"]]
    if dialect == "sqlite" and any(mark[0] != "?" for mark in marks):
        return "Use ? for each value: the values of params have no names."
    needed = max((int(mark[1:]) for mark in marks), default=0) if dialect == "postgres" else _question_marks(marks)
    if needed == given:
        return ""
    return f"The text takes {needed} values and params has {given}."


def _question_marks(marks: list[str]) -> int:
    """As SQLite numbers them: a plain mark takes the next number."""
    highest = 0
    for mark in marks:
        highest = highest + 1 if mark == "?" else max(highest, int(mark[1:]))
    return highest
