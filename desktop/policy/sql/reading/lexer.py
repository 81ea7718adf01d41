"""A second reading of SQL text, by the servers' own rules, and its comparison with the tokens of the parser.

A statement hides where two readers disagree on where a string or a comment ends. So this reader, written from the
manuals, cuts the text on its own; any disagreement with the parser's tokens means that nothing is proven.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, Protocol

from desktop.policy.sql.reading.dialects import Dialect
from desktop.policy.sql.screens import Fault
from desktop.records import dataclass

Kind = Literal["word", "number", "string", "name", "mark"]


class ParserToken(Protocol):
    """The part of a parser's token that is used: the first and the last character, counted from 0."""

    @property
    def start(self) -> int:
        """The place of its first character."""
        ...

    @property
    def end(self) -> int:
        """The place of its last character."""
        ...


@dataclass(frozen=True)
class Lexeme:
    """A piece of text that is no blank and no comment. `text` is as written, quotes included."""

    kind: Kind
    start: int
    end: int
    text: str

    @property
    def word(self) -> str:
        """The unquoted word in upper case, "" for all else."""
        return self.text.upper() if self.kind == "word" and self.text.isascii() else ""


@dataclass(frozen=True)
class Reading:
    """A whole text. `comments`: where each begins and ends; both lists are in the order of the text."""

    lexemes: tuple[Lexeme, ...]
    comments: tuple[tuple[int, int], ...]

    def statements(self) -> list[tuple[Lexeme, ...]]:
        """The lexemes between semicolons; empty statements are left out."""
        found: list[tuple[Lexeme, ...]] = []
        current: list[Lexeme] = []
        for lexeme in self.lexemes:
            if lexeme.text == ";" and lexeme.kind == "mark":
                found.append(tuple(current))
                current = []
            else:
                current.append(lexeme)
        found.append(tuple(current))
        return [lexemes for lexemes in found if lexemes]


def read(text: str, dialect: Dialect) -> Reading | Fault:
    """Cut the text; a Fault where a string or a comment does not end, or where servers differ on what is one."""
    pattern = _pattern(dialect)
    lexemes: list[Lexeme] = []
    comments: list[tuple[int, int]] = []
    position = 0
    while position < len(text):
        found = pattern.match(text, position)
        group = (found and found.lastgroup) or "mark"
        end = found.end() if found else position + 1
        if group == "block":
            closed = _block_end(text, position, dialect)
            if isinstance(closed, Fault):
                return closed
            end = closed
        fault = _problem(text, position, end, group, dialect)
        if fault:
            return fault
        if group in ("block", "line"):
            comments.append((position, end))
        elif group != "blank":
            kind: Kind = _KINDS[group]
            lexemes.append(Lexeme(kind, position, end, text[position:end]))
        position = end
    return Reading(tuple(lexemes), tuple(comments))


def readings_differ(lexemes: Sequence[Lexeme], tokens: Sequence[ParserToken], offset: int) -> Fault | None:
    """The fault that the parser's tokens (counted from `offset`) and this reading of the same statement disagree; None
    where they agree.

    Each token must cover whole lexemes, and every lexeme must lie in a token; so a quoted piece is in one token alone
    with its prefix, and what no token covers is blank or a comment for both readers.
    """
    index = 0
    for token in tokens:
        start, end = token.start + offset, token.end + offset + 1
        if index >= len(lexemes) or lexemes[index].start != start:
            return Fault("hidden_mode", start, end)
        quoted = False
        while index < len(lexemes) and lexemes[index].start < end:
            if quoted:
                return Fault("hidden_mode", start, end)
            quoted = lexemes[index].kind in ("string", "name")
            index += 1
        if lexemes[index - 1].end != end:
            return Fault("hidden_mode", start, max(end, lexemes[index - 1].end))
    return None if index == len(lexemes) else Fault("hidden_mode", lexemes[index].start, lexemes[index].end)


_KINDS: dict[str, Kind] = {
    "escaped": "string",
    "string": "string",
    "dollar": "string",
    "triple": "string",
    "other": "string",
    "double": "name",
    "name": "name",
    "bracket": "name",
    "number": "number",
    "word": "word",
    "mark": "mark",
}
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_HEX = re.compile(r"0[xX][0-9a-fA-F]+(?!\w)")


@cache
def _pattern(dialect: Dialect) -> re.Pattern[str]:
    escapes = dialect.backslash != "no" and dialect.family != "postgres"
    single = _quoted("'", escapes=escapes)
    double = _quoted('"', escapes=escapes and dialect.double)
    if dialect.triple:
        single, double = r"'[^'\\\n]*+(?:\\.[^'\\\n]*+)*'", r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*"'
    parts = [r"(?P<blank>[ \t\r\n]+)", _line_comments(dialect), r"(?P<block>/\*)"]
    if dialect.triple:
        parts.append(r"(?P<triple>\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?''')")
    if dialect.escape_prefix:
        parts.append(f"(?P<escaped>[eE]{_quoted(chr(39), escapes=True)})")
    if dialect.alternative:
        parts.append(r"(?P<other>[nN]?[qQ]'(?:\[.*?\]|\{.*?\}|\(.*?\)|<.*?>|(?P<q>[^\s\[{(<]).*?(?P=q))')")
    if dialect.dollar == "tag":
        parts.append(r"(?P<dollar>\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?\$(?P=tag)\$)")
    if dialect.dollar == "plain":
        parts.append(r"(?P<dollar>\$\$.*?\$\$)")
    parts.append(f"(?P<string>{single}|{double})" if dialect.double else f"(?P<string>{single})|(?P<double>{double})")
    if dialect.backtick:
        parts.append(f"(?P<name>{_quoted('`')})")
    if dialect.brackets:
        parts.append(
            r"(?P<bracket>\[[^\]]*+\])"
            if dialect.family == "sqlite"
            else r"(?P<bracket>\[[^\]]*+(?:\]\][^\]]*+)*\](?!\]))"
        )
    parts.append(r"(?P<number>\d[\d_]*+(?:\.\d*+)?(?:[eE][+-]?\d+)?)|(?P<word>[^\W\d][\w$]*+)|(?P<mark>.)")
    return re.compile("|".join(part for part in parts if part), re.DOTALL)


def _quoted(mark: str, *, escapes: bool = False) -> str:
    """A text in these marks, in which one stands for itself when it is doubled or, with `escapes`, behind a backslash:
    it ends at the first that is neither, and nowhere else."""
    plain, single = (rf"[^{mark}\\]*+", rf"{mark}{mark}|\\.") if escapes else (f"[^{mark}]*+", mark * 2)
    return f"{mark}{plain}(?:(?:{single}){plain})*{mark}(?!{mark})"


def _line_comments(dialect: Dialect) -> str:
    openers = [r"--(?=[ \t\r\n]|\Z)" if dialect.dash_needs_blank else "--"]
    openers += ["#"] if dialect.hash_comment else []
    openers += ["//"] if dialect.slash_comment else []
    return f"(?P<line>(?:{'|'.join(openers)})[^\n]*+)"


def _block_end(text: str, start: int, dialect: Dialect) -> int | Fault:
    depth = 0
    position = start
    while found := _COMMENT_EDGE.search(text, position):
        position = found.end()
        depth += 1 if found.group() == "/*" else -1
        if depth == 0 or (dialect.nesting == "flat" and found.group() == "*/"):
            return position
        if depth > 1 and dialect.nesting == "unsure":
            return Fault("hidden_mode", start, position)
    return Fault("token_error", start, len(text))


def _problem(text: str, start: int, end: int, group: str, dialect: Dialect) -> Fault | None:
    if group == "mark":
        return _mark_problem(text, start)
    if group == "string" and dialect.family == "postgres" and _escapes_quote(text[start:end]):
        return Fault("hidden_mode", start, end)
    if group == "number" and _joined(text, start, end):
        return Fault("hidden_mode", start, end + 1)
    return None


def _mark_problem(text: str, start: int) -> Fault | None:
    if text[start] in "'\"":
        return Fault("token_error", start, len(text))
    if text[start] == "\\":
        return Fault("opaque", start, start + 1)
    if text[start] == "{" and text[start + 1 : start + 2] in ("{", "%", "#"):
        return Fault("opaque", start, start + 2)
    return None


def _escapes_quote(literal: str) -> bool:
    return "\\'" in literal


def _joined(text: str, start: int, end: int) -> bool:
    """Whether a word follows a number without a blank: servers differ on how they cut `1FROM`."""
    after = text[end : end + 1]
    return (after.isalpha() or after in {"_", "$"}) and not _HEX.match(text, start)
