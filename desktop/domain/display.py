"""What a person is shown is what is there: text from outside, with everything invisible or misleading made visible.

Every label, card, list, tab, title and notification that shows such text takes it from here.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Literal

from desktop.domain.base import Frozen


class Run(Frozen):
    """A piece of shown text. `token`: it stands for something that would not be seen (`⟦U+202E⟧`, `⟦12 blanks⟧`)."""

    kind: Literal["text", "token"]
    text: str


TAB_WIDTH = 4
MAX_MARKS = 4
"""Combining marks on one base letter that are drawn; the fifth and later become tokens."""

_PLAIN_LINE = re.compile(r"[ -~]*")
_BLANKS = re.compile(r"[ \t]{8,}")
_WORD = re.compile(r"[!-~]+")
_DRAWN_AS_NOTHING = frozenset(
    chr(point)
    for first, last in (
        (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2800, 0x2800), (0x3164, 0x3164),
        (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xFFFC, 0xFFFC), (0xE0000, 0xE01EF),
    )
    for point in range(first, last + 1)
)  # fmt: skip
"""Fillers, variation selectors, tags and the object placeholder; their category alone does not tell."""
_BRACKETS = frozenset("⟦⟧")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs", "Co", "Cs", "Cn"})


def display_safe(text: str, *, multiline: bool) -> tuple[Run, ...]:
    """The text as runs to draw one after the other; nothing is shortened, nothing reordered, nothing drawn as nothing.

    Controls, format and bidirectional characters, unusual blanks, surrogates, unassigned characters, stray combining
    marks and the token brackets themselves become tokens. A TAB is drawn as an arrow up to the next multiple of 4
    columns; 8 or more blanks in a row are counted instead of drawn. With `multiline` LF starts a new line, and 3 or
    more blank lines in a row are counted; without it LF is a token.
    """
    if _is_plain(text, multiline=multiline):
        return (Run(kind="text", text=text),) if text else ()
    writer = _Writer()
    if multiline:
        _write_lines(writer, text.split("\n"))
    else:
        _write_line(writer, text)
    return writer.runs()


def display_text(text: str, *, multiline: bool = False) -> str:
    """The runs of `display_safe` joined: what labels show."""
    if _is_plain(text, multiline=multiline):
        return text
    return "".join(run.text for run in display_safe(text, multiline=multiline))


def has_tokens(text: str, *, multiline: bool) -> bool:
    """Would a token or a counted run be drawn?"""
    return any(run.kind == "token" for run in display_safe(text, multiline=multiline))


def _is_plain(text: str, *, multiline: bool) -> bool:
    """Text that is drawn as it is, told quickly: printable ASCII without long runs of blanks."""
    if not text.isascii() or "        " in text:
        return False
    return text.isprintable() or (multiline and "\n\n\n" not in text and _is_plain_lines(text))


def _is_plain_lines(text: str) -> bool:
    return all(_PLAIN_LINE.fullmatch(line) and (line.strip() or not line) for line in text.split("\n"))


class _Writer:
    """Gathers runs and knows the column."""

    def __init__(self) -> None:
        self._runs: list[Run] = []
        self._text: list[str] = []
        self.column = 0

    def text(self, text: str) -> None:
        self._text.append(text)
        self.column += len(text)

    def token(self, name: str) -> None:
        self._flush()
        self._runs.append(Run(kind="token", text=f"⟦{name}⟧"))
        self.column += len(name) + 2

    def tab(self) -> None:
        self.text("→".ljust(TAB_WIDTH - self.column % TAB_WIDTH))

    def new_line(self) -> None:
        self._text.append("\n")
        self.column = 0

    def runs(self) -> tuple[Run, ...]:
        self._flush()
        return tuple(self._runs)

    def _flush(self) -> None:
        if self._text:
            self._runs.append(Run(kind="text", text="".join(self._text)))
            self._text = []


def _write_lines(writer: _Writer, lines: list[str]) -> None:
    """Lines with their ends; runs of blank ones counted. A text that ends with LF has no further line behind it."""
    ended = len(lines) > 1 and not lines[-1]
    if ended:
        lines = lines[:-1]
    index = 0
    while index < len(lines):
        if index:
            writer.new_line()
        blank = index
        while blank < len(lines) and not lines[blank].strip(" \t"):
            blank += 1
        if blank - index >= 3:
            writer.token(f"{blank - index} blank lines")
            index = blank
        else:
            _write_line(writer, lines[index])
            index += 1
    if ended:
        writer.new_line()


def _write_line(writer: _Writer, line: str) -> None:
    """One line, without its end; LF inside it is a token."""
    index = 0
    base, marks = "", 0
    while index < len(line):
        if match := _BLANKS.match(line, index):
            writer.token(f"{match.end() - index} blanks")
            base, index = "", match.end()
            continue
        if match := _WORD.match(line, index):
            writer.text(match[0])
            base, index = "", match.end()
            continue
        char = line[index]
        index += 1
        if char == "\t":
            writer.tab()
            base = ""
        elif _is_mark(char) and not _is_hidden(char):
            marks += 1
            writer.text(char) if base and marks <= MAX_MARKS else writer.token(_code_point(char))
        elif _is_hidden(char):
            writer.token(_code_point(char))
            base = ""
        else:
            writer.text(char)
            base, marks = "" if char.isascii() else char, 0


@lru_cache(maxsize=4096)
def _is_hidden(char: str) -> bool:
    if char == " ":
        return False
    return char in _BRACKETS or char in _DRAWN_AS_NOTHING or unicodedata.category(char) in _HIDDEN_CATEGORIES


@lru_cache(maxsize=4096)
def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in ("Mn", "Mc", "Me")


def _code_point(char: str) -> str:
    return f"U+{ord(char):04X}"
