"""One line of a terminal: a cell holds a character with its combining marks; the second cell of a wide one holds ""."""

from collections.abc import Sequence
from itertools import groupby

from desktop.domain.terminals.looks import PLAIN, Look
from desktop.domain.terminals.updates import REVERSED, STRUCK, UNDERLINED, WRAPPED, Row, Span

_SEEN_ON_BLANKS = UNDERLINED | STRUCK | REVERSED
MAX_MARKS = 4


def plain_row(text: str, look: Look) -> Row:
    """The row of a line that holds a text in one look."""
    shown = text.rstrip(" ") if look[1] == -1 and not look[2] & _SEEN_ON_BLANKS else text
    return ((shown, *look),) if shown else ()


class Line:
    """Cells from the left; those behind the last one are blank. `wrapped`: its text goes on in the next line."""

    __slots__ = ("chars", "looks", "wrapped")

    def __init__(self, blanks: int = 0, look: Look = PLAIN) -> None:
        self.chars: list[str] = [" "] * blanks
        self.looks: list[Look] = [look] * blanks
        self.wrapped = False

    @classmethod
    def of(cls, text: str, look: Look) -> "Line":
        """A line of characters that take one cell each, in one look."""
        line = cls()
        line.chars = list(text)
        line.looks = [look] * len(text)
        return line

    def put(self, at: int, cells: Sequence[str], look: Look) -> None:
        """Write cells over what stands there; half of a wide character becomes a blank."""
        chars, looks = self.chars, self.looks
        size, end = len(chars), at + len(cells)
        if at > size:
            chars.extend(" " * (at - size))
            looks.extend([PLAIN] * (at - size))
        elif at < size:
            if chars[at] == "":
                chars[at - 1] = " "
            if end < size and chars[end] == "":
                chars[end] = " "
        chars[at:end] = cells
        looks[at:end] = [look] * len(cells)

    def join(self, at: int, mark: str) -> None:
        """Add a combining mark to the character at or before this cell."""
        while 0 < at < len(self.chars) and self.chars[at] == "":
            at -= 1
        if 0 <= at < len(self.chars) and len(self.chars[at]) <= MAX_MARKS:
            self.chars[at] += mark

    def insert(self, at: int, count: int, look: Look, columns: int) -> None:
        """Move what stands from here to the right; what leaves the line is gone."""
        if at < len(self.chars):
            if self.chars[at] == "":
                self.chars[at - 1] = self.chars[at] = " "
            self.chars[at:at] = " " * count
            self.looks[at:at] = [look] * count
            self.cut(columns)
        elif look != PLAIN:
            self.put(at, " " * min(count, columns - at), look)

    def delete(self, at: int, count: int, look: Look, columns: int) -> None:
        """Take cells out; what stands behind them moves to the left."""
        if at < len(self.chars):
            self.blank(at, min(at + count, len(self.chars)), look)
            del self.chars[at : at + count]
            del self.looks[at : at + count]
        if look != PLAIN:
            self.put(columns - count, " " * count, look)

    def blank(self, start: int, end: int, look: Look) -> None:
        """Make cells blank, in the background of this look."""
        if start <= 0 and end >= len(self.chars) and look == PLAIN:
            self.chars.clear()
            self.looks.clear()
        elif end >= len(self.chars) and look == PLAIN:
            if start < len(self.chars) and self.chars[start] == "":
                self.chars[start - 1] = " "
            del self.chars[start:]
            del self.looks[start:]
        else:
            self.put(start, " " * (end - start), look)

    def cut(self, columns: int) -> None:
        """Leave out what stands behind this many cells."""
        if len(self.chars) > columns:
            if self.chars[columns] == "":
                self.chars[columns - 1] = " "
            del self.chars[columns:]
            del self.looks[columns:]

    def row(self) -> Row:
        """The line as spans of equal look, without blanks at its end that nobody would see."""
        chars, looks = self.chars, self.looks
        if not chars:
            return ()
        first = looks[0]
        if not self.wrapped and looks.count(first) == len(looks):
            return plain_row("".join(chars), first)
        spans = self._spans()
        text, foreground, background, look = spans[-1]
        if self.wrapped:
            spans[-1] = (text, foreground, background, look | WRAPPED)
            return tuple(spans)
        while spans and (last := spans.pop())[0]:
            kept = plain_row(last[0], last[1:])
            if kept:
                return (*spans, *kept)
        return ()

    def _spans(self) -> list[Span]:
        spans: list[Span] = []
        at = 0
        for look, cells in groupby(self.looks):
            end = at + len(tuple(cells))
            spans.append(("".join(self.chars[at:end]), *look))
            at = end
        return spans
