"""Text from outside, shown to people as it is: with everything invisible or misleading made visible.

Every label, card, list, tab, title and notification that shows such text takes it from here.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.domain.display.own_use import NOTHING, own_use
from desktop.patterns import Pattern
from desktop.records import dataclass


class Run(Frozen):
    """A piece of shown text. `token`: it stands for something that would not be seen (`⟦U+202E⟧`, `⟦12 blanks⟧`), or
    is the ASCII name of the host before it. `marked`: text to underline, because it is not what it looks like."""

    kind: Literal["text", "token"]
    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters `start` to `end` of a text, no blanks among them, to underline. `note`: a token to draw behind them.
    `why`: a sentence that names them."""

    start: int
    end: int
    why: str
    note: str = ""


TAB_WIDTH = 4
MAX_MARKS, MAX_OWN_MARKS = 4, 8
"""Combining marks on one base letter that are drawn, those of a script of its own in prose; further ones become tokens.
Burmese, Tibetan and Lanna stack more than four."""

_PLAIN_LINE = Pattern(r"[ -~]*")
_BLANKS = Pattern(r"[ \t]{8,}")
_WORD = Pattern(
    "[!-~\u00a1-\u00ac\u00ae-\u02ff\u0400-\u0481\u048a-\u052f\u05d0-\u05ea\u0621-\u063a\u2010-\u2027\u3041-\u3096"
    "\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3]+"
)
"""Letters and signs that are drawn as they are, so that common scripts are read by the word."""
_OBEYED = Pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_INDENT = Pattern(r"[+\- ]?[ \t]{0,60}(?![ \t])(?=.)", re.DOTALL)
_DRAWN_AS_NOTHING = frozenset(
    chr(point)
    for first, last in (
        (0x034F, 0x034F),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0x2800, 0x2800),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFFA0, 0xFFA0),
        (0xFFFC, 0xFFFC),
        (0xE0000, 0xE01EF),
    )
    for point in range(first, last + 1)
)
"""Fillers, variation selectors, tags and the object placeholder; their category alone does not tell."""
_BRACKETS = frozenset("⟦⟧")
_SHARED_MARKS = Pattern("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs", "Co", "Cs", "Cn"})


def display_safe(
    text: str, *, multiline: bool, marks: Sequence[Mark] = (), own: frozenset[int] | None = None
) -> tuple[Run, ...]:
    """The text as runs to draw one after the other; nothing is shortened, nothing reordered, nothing drawn as nothing.

    Controls, format and bidirectional characters, unusual blanks, surrogates, unassigned characters, stray combining
    marks and the token brackets themselves become tokens. A TAB is drawn as an arrow up to the next multiple of 4
    columns; 8 or more blanks in a row are counted instead of drawn. With `multiline` LF starts a new line, and 3 or
    more blank lines in a row are counted; without it LF is a token. `marks` are underlined, each followed by its note.
    `own` says that the text is prose, and at which of its places stand characters that are drawn although alone they
    would not be seen.
    """
    if not marks and _is_plain(text, multiline=multiline):
        return (Run(kind="text", text=text),) if text else ()
    writer = _Writer(_Cuts(marks), own=own)
    if multiline:
        _write_lines(writer, text.split("\n"))
    else:
        _write_line(writer, text, 0)
    return writer.runs()


def prose_safe(text: str, *, multiline: bool, marks: Sequence[Mark] = ()) -> tuple[Run, ...]:
    """The words that a person wrote to be read, as runs: every script and emoji as it is written, all else as
    `display_safe`. Never for commands, paths, hosts, code and names that something is found by."""
    return display_safe(text, multiline=multiline, marks=marks, own=own_use(text))


def prose_text(text: str, *, multiline: bool = False) -> str:
    """The runs of `prose_safe` joined: what labels show of titles, messages, notes and questions."""
    if _is_plain(text, multiline=multiline):
        return text
    return joined(prose_safe(text, multiline=multiline))


def display_text(text: str, *, multiline: bool = False) -> str:
    """The runs of `display_safe` joined: what labels show."""
    if _is_plain(text, multiline=multiline):
        return text
    return joined(display_safe(text, multiline=multiline))


def stream_text(text: str) -> str:
    """Text as it is written to standard output, where it is copied and piped: blanks, tabs and lines as they are, every
    script as it is; what a terminal would obey, and controls of the writing direction, as tokens."""
    return _OBEYED.sub(lambda match: f"⟦{_code_point(match[0])}⟧", text.replace("\r\n", "\n"))


def code_runs(text: str, *, marks: Sequence[Mark] = ()) -> tuple[Run, ...]:
    """Source code over several lines, as diffs and code blocks draw it: the indentation of a line, up to 60 blanks
    behind the sign of a diff, is drawn as it is; all else is as `display_safe` says."""
    writer = _Writer(_Cuts(marks), indented=True)
    _write_lines(writer, text.split("\n"))
    return writer.runs()


def joined(runs: Sequence[Run]) -> str:
    """The text of the runs, one after the other."""
    return "".join(run.text for run in runs)


def has_tokens(text: str, *, multiline: bool) -> bool:
    """Would a token or a counted run be drawn?"""
    return any(run.kind == "token" for run in display_safe(text, multiline=multiline))


def is_hidden(char: str) -> bool:
    """Whether a character, alone, is drawn as a token: it would not be seen, or only look like something else."""
    return char != "\t" and _is_hidden(char)


def _is_plain(text: str, *, multiline: bool) -> bool:
    """Text that is drawn as it is, told quickly: printable ASCII without long runs of blanks."""
    if not text.isascii() or "        " in text:
        return False
    return text.isprintable() or (multiline and "\n\n\n" not in text and _is_plain_lines(text))


def _is_plain_lines(text: str) -> bool:
    return all(_PLAIN_LINE.fullmatch(line) and (line.strip() or not line) for line in text.split("\n"))


class _Cuts:
    """Where underlining begins and ends, and what is noted where."""

    def __init__(self, marks: Sequence[Mark]) -> None:
        changes: dict[int, int] = {}
        self._notes: dict[int, dict[str, None]] = {}
        for mark in marks:
            changes[mark.start] = changes.get(mark.start, 0) + 1
            changes[mark.end] = changes.get(mark.end, 0) - 1
            if mark.note:
                self._notes.setdefault(mark.end, {})[mark.note] = None
        self._changes = sorted(changes.items())
        self._next = 0
        self._open = 0

    def segments(self, line: str, offset: int) -> Iterator[tuple[str, bool, tuple[str, ...]]]:
        """The pieces of a line that begins at `offset`: text, whether it is underlined, and the notes behind it.
        Lines must come in order."""
        begin, end = offset, offset + len(line)
        while self._next < len(self._changes) and self._changes[self._next][0] <= end:
            place, change = self._changes[self._next]
            self._next += 1
            yield line[begin - offset : place - offset], self._open > 0, tuple(self._notes.get(place, ()))
            begin = place
            self._open += change
        yield line[begin - offset :], self._open > 0, ()


class _Writer:
    """Gathers runs and knows the column, the letter that marks would stand on, and how many stand there."""

    def __init__(self, cuts: _Cuts, *, indented: bool = False, own: frozenset[int] | None = None) -> None:
        self._runs: list[Run] = []
        self._text: list[str] = []
        self.cuts = cuts
        self.indented = indented
        self.own: frozenset[int] = own if own is not None else NOTHING
        self._is_prose = own is not None
        self.marked = False
        self.column = 0
        self.base, self.marks = "", 0

    def text(self, text: str) -> None:
        self._text.append(text)
        self.column += len(text)

    def token(self, name: str) -> None:
        self._flush()
        self._runs.append(Run(kind="token", text=f"⟦{name}⟧"))
        self.column += len(name) + 2
        self.base = ""

    def letter(self, char: str) -> None:
        self.text(char)
        self.base, self.marks = "" if char.isascii() else char, 0

    def mark(self, char: str) -> None:
        self.marks += 1
        most = MAX_OWN_MARKS if self._is_prose and not _SHARED_MARKS.match(char) else MAX_MARKS
        if not self.base or self.marks > most:
            base = self.base
            self.token(_code_point(char))
            self.base = base
        else:
            self.text(char)

    def tab(self) -> None:
        self.text("→".ljust(TAB_WIDTH - self.column % TAB_WIDTH))

    def new_line(self) -> None:
        self._text.append("\n")
        self.column = 0

    def underline(self, *, marked: bool) -> None:
        if marked != self.marked:
            self._flush()
            self.marked = marked

    def runs(self) -> tuple[Run, ...]:
        self._flush()
        return tuple(self._runs)

    def _flush(self) -> None:
        if self._text:
            self._runs.append(Run(kind="text", text="".join(self._text), marked=self.marked))
            self._text = []


def _write_lines(writer: _Writer, lines: list[str]) -> None:
    """Lines with their ends; runs of blank ones counted. A text that ends with LF has no further line behind it."""
    ended = len(lines) > 1 and not lines[-1]
    if ended:
        lines = lines[:-1]
    index = offset = 0
    while index < len(lines):
        if index:
            writer.new_line()
        blank = index
        while blank < len(lines) and not lines[blank].strip(" \t"):
            blank += 1
        if blank - index >= 3:
            writer.token(f"{blank - index} blank lines")
            offset += sum(map(len, lines[index:blank])) + blank - index
            index = blank
        else:
            _write_line(writer, lines[index], offset)
            offset += len(lines[index]) + 1
            index += 1
    if ended:
        writer.new_line()


def _write_line(writer: _Writer, line: str, offset: int) -> None:
    """One line, without its end, that begins at `offset` of the text; LF inside it is a token."""
    writer.base, writer.marks = "", 0
    indent = _INDENT.match(line) if writer.indented else None
    begin = indent.end() if indent is not None else 0
    for char in line[:begin]:
        writer.tab() if char == "\t" else writer.text(char)
    at = offset + begin
    for piece, marked, notes in writer.cuts.segments(line[begin:], at):
        writer.underline(marked=marked)
        _write_piece(writer, piece, at)
        at += len(piece)
        for note in notes:
            writer.token(note)
    writer.underline(marked=False)


def _write_piece(writer: _Writer, piece: str, at: int) -> None:
    """A piece that begins at `at` of the text."""
    index = 0
    while index < len(piece):
        if match := _BLANKS.match(piece, index):
            writer.token(f"{match.end() - index} blanks")
            index = match.end()
        elif match := _WORD.match(piece, index):
            writer.text(match[0])
            index = match.end()
            writer.base, writer.marks = "" if piece[index - 1].isascii() else piece[index - 1], 0
        else:
            if at + index in writer.own:
                _write_own(writer, piece[index])
            else:
                _write_char(writer, piece[index])
            index += 1


def _write_own(writer: _Writer, char: str) -> None:
    """A character that is drawn for what stands around it; letters before it take further marks as if it were not
    there."""
    if _is_hidden(char) or _is_mark(char):
        writer.text(char)
    else:
        writer.letter(char)


def _write_char(writer: _Writer, char: str) -> None:
    if char == "\t":
        writer.tab()
        writer.base = ""
    elif _is_hidden(char):
        writer.token(_code_point(char))
    elif _is_mark(char):
        writer.mark(char)
    else:
        writer.letter(char)


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
