"""Lines of a terminal that it broke at its right edge, broken anew at another width."""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from desktop.domain.display.cell_width import cell_width
from desktop.domain.terminals.looks import Look
from desktop.domain.terminals.updates import WRAPPED, Row, is_wrapped, row_text
from desktop.services.terminals.line import Line
from desktop.services.terminals.screen import Cursor, Screen


def wrap_anew(screen: Screen, history: deque[Row], columns: int, rows: int) -> Callable[[int], int]:
    """Give the first screen another size: what stands in it and in its scroll-back keeps all its text. Gives where a
    row, counted from the first that ever was, stands afterwards."""
    above = [*history, *screen.scrolled]
    dropped, was = screen.moved - len(above), Cursor(**vars(screen.cursor))
    used = max((at for at, line in enumerate(screen.lines) if line.chars), default=0)
    kept = above + [line.row() for line in screen.lines[: max(used, was.y) + 1]]
    screen.resize(columns, rows)
    broken = _Broken(kept, screen.columns)
    at, x, full = broken.place(len(above) + was.y, was)
    broken.reach(at)
    top = min(max(broken.starts[len(above)], len(broken.rows) - screen.rows), at)
    history.clear()
    history.extend(broken.rows[:top])
    shown = [_line_of(row) for row in broken.rows[top : top + screen.rows]]
    screen.take_lines(shown, dropped + top)
    screen.cursor.x, screen.cursor.y, screen.cursor.full = x, at - top, full
    return lambda row: dropped + broken.starts[row - dropped] if 0 <= row - dropped < len(broken.starts) else row


class _Broken:
    """`rows` as they stand at this width; `starts`: of each row as it was, the one in which it begins now."""

    def __init__(self, rows: Sequence[Row], columns: int) -> None:
        self.rows: list[Row] = []
        self.starts: list[int] = []
        self._columns = columns
        self._cells: dict[int, tuple[int, int, list[int]]] = {}
        group: list[Row] = []
        for row in rows:
            group.append(row)
            if not is_wrapped(row):
                self._take(group)
                group = []
        if group:
            self._take(group)

    def place(self, row: int, cursor: Cursor) -> tuple[int, int, bool]:
        """Where a cursor of this row, as it was, stands now: row, column, and whether the next character wraps."""
        first, before, ends = self._cells[row]
        cell = before + cursor.x + cursor.full
        piece = min(bisect_right(ends, cell), len(ends) - 1)
        x = cell - (ends[piece - 1] if piece else 0)
        while x > self._columns or (x == self._columns and not cursor.full):
            piece, x = piece + 1, x - self._columns
        return first + piece, min(x, self._columns - 1), x == self._columns

    def reach(self, row: int) -> None:
        """A row of this number is there."""
        self.rows += [()] * (row + 1 - len(self.rows))

    def _take(self, group: list[Row]) -> None:
        text = row_text(group[0])
        if len(group) == 1 and text.isascii() and len(text) <= self._columns and not is_wrapped(group[0]):
            self._cells[len(self.starts)] = (len(self.rows), 0, [len(text)])
            self.starts.append(len(self.rows))
            self.rows.append(group[0])
            return
        chars, looks, before = _cells_of(group)
        size = max(_seen(chars), min(len(chars), self._columns)) if len(group) == 1 else len(chars)
        first, ends = len(self.rows), list(_ends(chars[:size], self._columns))
        start = 0
        for end in ends:
            line = Line()
            line.chars, line.looks, line.wrapped = chars[start:end], looks[start:end], end < size
            self.rows.append(line.row())
            start = end
        for offset in before:
            piece = min(bisect_right(ends, offset), len(ends) - 1)
            self._cells[len(self.starts)] = (first, offset, ends)
            self.starts.append(first + piece)


def _ends(chars: list[str], columns: int) -> Iterator[int]:
    """Behind which cell each row ends; a wide character is not parted."""
    start = 0
    while len(chars) - start > columns:
        start += columns - (chars[start + columns] == "" and columns > 1)
        yield start
    yield len(chars)


def _seen(chars: list[str]) -> int:
    return next((at + 1 for at in range(len(chars) - 1, -1, -1) if chars[at] != " "), 0)


def _cells_of(rows: Sequence[Row]) -> tuple[list[str], list[Look], list[int]]:
    """Characters and looks of the cells, and before which of them each row begins."""
    chars: list[str] = []
    looks: list[Look] = []
    before: list[int] = []
    for row in rows:
        before.append(len(chars))
        for text, foreground, background, look in row:
            size = len(chars)
            if text.isascii():
                chars += text
                looks += [(foreground, background, look & ~WRAPPED)] * len(text)
                continue
            for char in text:
                width = cell_width(char)
                if width == 0 and len(chars) > before[-1]:
                    chars[-2 if chars[-1] == "" and len(chars) > 1 else -1] += char
                else:
                    chars += [char, ""][: max(width, 1)]
            looks += [(foreground, background, look & ~WRAPPED)] * (len(chars) - size)
    return chars, looks, before


def _line_of(row: Row) -> Line:
    line = Line()
    line.chars, line.looks, _ = _cells_of([row])
    line.wrapped = is_wrapped(row)
    return line
