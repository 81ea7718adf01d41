"""One line of a diff as it is painted: what would not be seen is made visible, and each character knows its origin."""

import re
from collections.abc import Iterator
from typing import Literal

from desktop.domain.changes.values import DiffLine
from desktop.domain.display.surfaces import surface_marks
from desktop.domain.display.text import TAB_WIDTH, Mark, Run, display_safe
from desktop.language import number, tr, trn
from desktop.records import dataclass

MOST_CHARS = 2_000
"""Of a longer line this much is painted; copying gives all of it."""
GAP = 60
"""Longer runs of blanks are counted, as they would push what follows out of sight."""
NO_END = tr("⟦no line end⟧")

Look = Literal["token", "marked", "blank"]
_CHUNKS = re.compile(rf"\t| {{{GAP + 1},}}|(?:[!-~]+| (?! {{{GAP}}}))+|[^\t -~]+")


@dataclass(frozen=True, slots=True)
class Shown:
    """`looks`: (start, length, look) of parts that stand out. `pieces`: (start, length, start and length in the line it
    was made from) in order; () where every character stands for itself."""

    text: str
    looks: tuple[tuple[int, int, Look], ...] = ()
    pieces: tuple[tuple[int, int, int, int], ...] = ()

    def place(self, origin: int) -> int:
        """Where a character of the original line is painted."""
        if not self.pieces:
            return min(origin, len(self.text))
        for start, length, first, count in self.pieces:
            if origin < first + count:
                return start + (origin - first if length == count else 0)
        return len(self.text)

    def origin(self, place: int, *, after: bool = False) -> int:
        """Which character of the original line is painted there; inside a token its first, or the one `after` it."""
        if not self.pieces:
            return min(place, len(self.text))
        last = 0
        for start, length, first, count in self.pieces:
            last = first + count
            if place < start + length:
                if length == count:
                    return first + place - start
                return first if place == start or not after else last
        return last


def shown_line(line: DiffLine, *, mark_end: bool = False) -> Shown:
    """The line as it is painted. `mark_end`: how it ends matters here."""
    text = line.text
    ends = _end_token(line, mark_end=mark_end)
    if not ends and len(text) <= MOST_CHARS and _is_plain(text):
        return Shown(text)
    writer = _Writer()
    body = text[:MOST_CHARS]
    kept = len(body.rstrip(" \t")) if len(text) <= MOST_CHARS else len(body)
    marks = surface_marks(body, "diff")
    for match in _CHUNKS.finditer(body, 0, kept):
        writer.chunk(match[0], match.start(), marks)
    for at in range(kept, len(body)):
        writer.put("·", at, 1, "blank") if body[at] == " " else writer.tab(at)
    if len(text) > MOST_CHARS:
        rest = len(text) - MOST_CHARS
        writer.put(tr("⟦{number} characters more⟧", number=number(rest)), MOST_CHARS, rest, "token")
    if ends:
        writer.put(ends, len(text), 0, "token")
    return writer.shown()


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and not text.endswith(" ") and " " * (GAP + 1) not in text


def _end_token(line: DiffLine, *, mark_end: bool) -> str:
    if line.ends == "":
        return NO_END
    return ("⟦CR LF⟧" if line.ends == "\r\n" else "⟦LF⟧") if mark_end else ""


class _Writer:
    """Gathers text, looks and pieces."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._looks: list[tuple[int, int, Look]] = []
        self._pieces: list[tuple[int, int, int, int]] = []
        self._column = 0

    def chunk(self, text: str, origin: int, marks: tuple[Mark, ...]) -> None:
        """A TAB, a run of spaces that is too long, printable ASCII, or a run of anything else."""
        end = origin + len(text)
        if text == "\t":
            self.tab(origin)
        elif text.startswith(" " * (GAP + 1)):
            self.put(trn(len(text), "⟦{n} blank⟧", "⟦{n} blanks⟧"), origin, len(text), "token")
        elif text.isascii() and text.isprintable() and not any(m.start < end and m.end > origin for m in marks):
            self.put(text, origin, len(text), None)
        else:
            self._words(text, origin, marks)

    def tab(self, origin: int) -> None:
        """An arrow up to the next stop."""
        self.put("→".ljust(TAB_WIDTH - self._column % TAB_WIDTH), origin, 1, "blank")

    def put(self, shown: str, origin: int, count: int, look: Look | None) -> None:
        """Text that stands for `count` characters from `origin`."""
        if look is not None:
            self._looks.append((self._column, len(shown), look))
        self._pieces.append((self._column, len(shown), origin, count))
        self._text.append(shown)
        self._column += len(shown)

    def shown(self) -> Shown:
        """What was gathered."""
        return Shown("".join(self._text), tuple(self._looks), tuple(self._pieces))

    def _words(self, text: str, origin: int, marks: tuple[Mark, ...]) -> None:
        end = origin + len(text)
        inside = [
            Mark(
                max(mark.start, origin) - origin,
                min(mark.end, end) - origin,
                mark.why,
                mark.note if mark.end <= end else "",
            )
            for mark in marks
            if mark.start < end and mark.end > origin
        ]
        for run, count in _with_counts(text, inside):
            look: Look | None = "token" if run.kind == "token" else "marked" if run.marked else None
            self.put(run.text, origin, count, look)
            origin += count


def _with_counts(text: str, marks: list[Mark]) -> Iterator[tuple[Run, int]]:
    """The runs of a text without blanks, each with how many of its characters it stands for."""
    for run in display_safe(text, multiline=False, marks=marks):
        if run.kind == "text":
            yield run, len(run.text)
        else:
            yield run, 1 if run.text.startswith("⟦U+") else 0
