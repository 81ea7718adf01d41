"""The screens that look at the raw characters of a text of SQL before anything reads it (gate-Q4)."""

import re
import unicodedata

from desktop.policy.sql.reading.dialects import Dialect
from desktop.policy.sql.verdict import SqlCode
from desktop.records import dataclass

MAX_BYTES = 64 * 1024
MAX_DEPTH = 200
MAX_PIECES = 10_000  # the parser takes up to 0.1 ms for each, and has 2 s
_ODD_CLASSES = frozenset({"Cf", "Zl", "Zp", "Co", "Cn", "Cs"})
_PLAIN = re.compile(r"[ -~\t\n]*\Z")
_EXECUTABLE = re.compile(r"/\*[MT]?!", re.IGNORECASE)
_HINT = re.compile(r"/\*\+")
_ESCAPED_QUOTE = re.compile(r"\\['\"`]")
_BRACKET = re.compile(r"[()\[\]{}]")


@dataclass(frozen=True)
class Fault:
    """Why a text or a statement is not proven, and which characters of the text are to blame."""

    code: SqlCode
    start: int
    end: int
    detail: str = ""


def screen(text: str, dialect: Dialect) -> Fault | None:
    """The first thing in the raw text that ends the judgement; None: it may be read."""
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        return Fault("too_long", 0, 0)
    return _odd_characters(text) or _too_deep(text) or _comments(text, dialect) or _hidden_mode(text, dialect)


def _odd_characters(text: str) -> Fault | None:
    if _PLAIN.match(text):
        return None
    for index, char in enumerate(text):
        if (char < " " or char > "~") and _is_odd(text, index, char):
            return Fault("odd_characters", index, index + 1, f"U+{ord(char):04X}")
    return None


def _is_odd(text: str, index: int, char: str) -> bool:
    if char in "\t\n":
        return False
    if char == "\r":
        return text[index + 1 : index + 2] != "\n"
    kind = unicodedata.category(char)
    return kind == "Cc" or kind in _ODD_CLASSES or kind == "Zs"


def _too_deep(text: str) -> Fault | None:
    depth = 0
    for found in _BRACKET.finditer(text):
        depth += 1 if found.group() in "([{" else -1
        if depth > MAX_DEPTH:
            return Fault("too_deep", found.start(), found.end())
    return None


def _comments(text: str, dialect: Dialect) -> Fault | None:
    if dialect.family == "mysql":
        found = _EXECUTABLE.search(text)
        if found:
            return Fault("executable_comment", *_comment_at(text, found.start()))
    found = _HINT.search(text)
    return Fault("hint_comment", *_comment_at(text, found.start())) if found else None


def _comment_at(text: str, start: int) -> tuple[int, int]:
    end = text.find("*/", start)
    return start, len(text) if end < 0 else end + 2


def _hidden_mode(text: str, dialect: Dialect) -> Fault | None:
    if dialect.backslash != "mode" or dialect.family == "postgres":
        return None
    found = _ESCAPED_QUOTE.search(text)
    return Fault("hidden_mode", found.start(), found.end()) if found else None
