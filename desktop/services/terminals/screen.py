"""The screen of a terminal: lines, cursor, margins, scroll-back, and everything that changes them."""

import unicodedata
from collections import deque

from desktop.domain.display.cell_width import cell_width, narrow_runs
from desktop.domain.terminals.looks import PLAIN, Look
from desktop.domain.terminals.updates import Row
from desktop.records import dataclass
from desktop.services.terminals.line import Line, plain_row

SCROLL_BACK = 10_000
MAX_COLUMNS, MAX_ROWS = 500, 300
_TAB = 8
_JOINED, _JOINER = ("Mn", "Me"), "\u200d"


@dataclass
class Cursor:
    """The place and the look of the next character. `full`: the last column was written, the next one wraps."""

    x: int = 0
    y: int = 0
    look: Look = PLAIN
    full: bool = False
    origin: bool = False


class Screen:
    """Columns and rows are counted from 0. `scrolled`: rows that left at the top since they were last taken; `moved`:
    how many ever did. `before`: rows that stand in the scroll-back from the beginning."""

    def __init__(self, columns: int, rows: int, before: tuple[Row, ...] = ()) -> None:
        self.columns, self.rows = _sized(columns, rows)
        self.lines = [Line() for _ in range(self.rows)]
        self.cursor = Cursor()
        self.top, self.bottom = 0, self.rows - 1
        self.autowrap, self.inserting = True, False
        self.scrolled: deque[Row] = deque(maxlen=SCROLL_BACK)
        self.moved = len(before)
        self.erased = False
        self._main: list[Line] | None = None
        self._saved = Cursor()
        self._saved_main = Cursor()
        self._tabs: set[int] | None = None
        self._last = ""

    @property
    def alternate(self) -> bool:
        """Whether the second screen is shown, which has no scroll-back."""
        return self._main is not None

    # writing

    def write(self, text: str) -> None:
        """Printable characters, at the cursor."""
        if text.isascii():
            self._write_narrow(text)
            return
        for piece, narrow in narrow_runs(text):
            if narrow:
                self._write_narrow(piece)
            elif (width := cell_width(piece)) == 0:
                if unicodedata.category(piece) in _JOINED or piece == _JOINER:  # others only mislead, and are not kept
                    self._join(piece)
            else:
                self._write_cells([piece, ""][:width])

    @property
    def takes_lines(self) -> bool:
        """Whether `write_lines` may be used: the cursor is at the beginning of the last line, nothing is out of the
        ordinary."""
        cursor = self.cursor
        return (
            cursor.x == 0
            and cursor.y == self.rows - 1 == self.bottom
            and self.top == 0
            and self._main is None
            and self.autowrap
            and not self.inserting
            and not self.lines[-1].chars
        )

    def write_lines(self, texts: list[str]) -> None:
        """Many lines of plain ASCII at once, each followed by a line break: what a flood is made of."""
        look, columns = self.cursor.look, self.columns
        if any(len(text) > columns for text in texts):
            for text in texts:
                self._write_narrow(text)
                self.carriage_return()
                self.line_feed()
            return
        stay = self.rows - 1
        leave = texts[: len(texts) - stay] if len(texts) > stay else []
        gone = min(len(texts), stay) if not leave else stay
        self.scrolled.extend(line.row() for line in self.lines[:gone])
        self.scrolled.extend(plain_row(text, look) for text in leave)
        self.moved += gone + len(leave)
        self.lines[:gone] = []
        self.lines[-1:] = [Line.of(text, look) for text in texts[len(leave) :]]
        self.lines.append(self._blank_line())
        self._last = texts[-1][-1:] or self._last

    def repeat(self, count: int) -> None:
        """The last character once more, so many times."""
        if self._last:
            self.write(self._last * min(count, self.columns * self.rows))

    def _write_narrow(self, text: str) -> None:
        at, size = 0, len(text)
        while at < size:
            room = self._make_room()
            piece = text[at : at + room]
            self._put(piece)
            at += len(piece)
        self._last = text[-1:] or self._last

    def _write_cells(self, cells: list[str]) -> None:
        if self._make_room() < len(cells):
            if not self.autowrap or self.columns < len(cells):
                return
            self.cursor.full = True
            self._make_room()
        self._put(cells)
        self._last = cells[0]

    def _make_room(self) -> int:
        """Wrap if that is due; how many cells are left in the line."""
        cursor = self.cursor
        if cursor.full:
            cursor.full = False
            self.lines[cursor.y].wrapped = True
            self.line_feed()
            cursor.x = 0
        return self.columns - cursor.x

    def _put(self, cells: str | list[str]) -> None:
        cursor, line, size = self.cursor, self.lines[self.cursor.y], len(cells)
        if self.inserting:
            line.insert(cursor.x, size, cursor.look, self.columns)
        line.put(cursor.x, cells, cursor.look)
        cursor.x += size
        if cursor.x >= self.columns:
            line.cut(self.columns)
            cursor.x, cursor.full = self.columns - 1, self.autowrap
            if not self.autowrap:
                line.wrapped = False

    def _join(self, mark: str) -> None:
        cursor = self.cursor
        self.lines[cursor.y].join(cursor.x if cursor.full else cursor.x - 1, mark)

    # the cursor

    def carriage_return(self) -> None:
        """To the first column."""
        self.cursor.x, self.cursor.full = 0, False

    def line_feed(self) -> None:
        """Move the cursor one line down; at the lower margin the lines between the margins move up."""
        cursor = self.cursor
        if cursor.y == self.bottom:
            self.scroll_up(1)
        elif cursor.y < self.rows - 1:
            cursor.y += 1
        cursor.full = False

    def reverse_feed(self) -> None:
        """Move the cursor one line up; at the upper margin the lines between the margins move down."""
        if self.cursor.y == self.top:
            self.scroll_down(1)
        else:
            self.move(0, -1)

    def backspace(self) -> None:
        """Move the cursor one column to the left."""
        self.cursor.x, self.cursor.full = max(self.cursor.x - 1, 0), False

    def move(self, right: int, down: int) -> None:
        """Relative, no further than the edges; from between the margins, no further than these."""
        cursor = self.cursor
        low = self.top if cursor.y >= self.top else 0
        high = self.bottom if cursor.y <= self.bottom else self.rows - 1
        cursor.x = min(max(cursor.x + right, 0), self.columns - 1)
        if down:
            cursor.y = min(max(cursor.y + down, low), high)
        cursor.full = False

    def go(self, x: int | None = None, y: int | None = None) -> None:
        """To a column, a row, or both; rows count from the upper margin in origin mode."""
        cursor = self.cursor
        if x is not None:
            cursor.x = min(max(x, 0), self.columns - 1)
        if y is not None:
            low, high = (self.top, self.bottom) if cursor.origin else (0, self.rows - 1)
            cursor.y = min(max(y + low, low), high)
        cursor.full = False

    def save(self) -> None:
        """Remember cursor and look."""
        self._saved = Cursor(**vars(self.cursor))

    def restore(self) -> None:
        """Back to what was remembered."""
        self.cursor = Cursor(**vars(self._saved))
        self._keep_inside()

    # tabs

    def tab(self, count: int = 1) -> None:
        """To the next stops, or before (negative)."""
        stops = self._tabs if self._tabs is not None else set(range(0, self.columns, _TAB))
        for _ in range(min(abs(count), self.columns)):
            x = self.cursor.x
            if count > 0:
                self.cursor.x = min((stop for stop in stops if stop > x), default=self.columns - 1)
            else:
                self.cursor.x = max((stop for stop in stops if stop < x), default=0)
        self.cursor.full = False

    def set_tab(self) -> None:
        """A stop at the cursor."""
        self._tabs = self._tabs if self._tabs is not None else set(range(0, self.columns, _TAB))
        self._tabs.add(self.cursor.x)

    def clear_tabs(self, everything: bool) -> None:
        """Take the stop at the cursor away, or all."""
        stops = self._tabs if self._tabs is not None else set(range(0, self.columns, _TAB))
        self._tabs = set() if everything else stops - {self.cursor.x}

    # lines and characters

    def set_margins(self, top: int, bottom: int) -> None:
        """Set the lines between which the screen scrolls; nonsense is left alone."""
        if 0 <= top < bottom < self.rows:
            self.top, self.bottom = top, bottom
            self.go(0, 0)

    def scroll_up(self, count: int) -> None:
        """Lines between the margins move up; those that leave the screen's top go to the scroll-back."""
        lines, kept = self.lines, self.top == 0 and self._main is None
        for _ in range(min(count, self.bottom - self.top + 1)):
            line = lines.pop(self.top)
            if kept:
                self.scrolled.append(line.row())
                self.moved += 1
            lines.insert(self.bottom, self._blank_line())

    def scroll_down(self, count: int) -> None:
        """Lines between the margins move down."""
        for _ in range(min(count, self.bottom - self.top + 1)):
            del self.lines[self.bottom]
            self.lines.insert(self.top, self._blank_line())

    def insert_lines(self, count: int) -> None:
        """Blank lines at the cursor; those pushed over the lower margin are gone."""
        cursor = self.cursor
        if self.top <= cursor.y <= self.bottom:
            for _ in range(min(count, self.bottom - cursor.y + 1)):
                del self.lines[self.bottom]
                self.lines.insert(cursor.y, self._blank_line())
            self.carriage_return()

    def delete_lines(self, count: int) -> None:
        """Take lines out at the cursor; they do not go to the scroll-back."""
        cursor = self.cursor
        if self.top <= cursor.y <= self.bottom:
            for _ in range(min(count, self.bottom - cursor.y + 1)):
                del self.lines[cursor.y]
                self.lines.insert(self.bottom, self._blank_line())
            self.carriage_return()

    def insert_chars(self, count: int) -> None:
        """Blanks at the cursor."""
        cursor = self.cursor
        self._here().insert(cursor.x, min(count, self.columns - cursor.x), self._ground(), self.columns)
        cursor.full = False

    def delete_chars(self, count: int) -> None:
        """Take characters out at the cursor."""
        cursor = self.cursor
        self._here().delete(cursor.x, min(count, self.columns - cursor.x), self._ground(), self.columns)
        cursor.full = False

    def erase_chars(self, count: int) -> None:
        """Blank characters from the cursor on, nothing moves."""
        cursor = self.cursor
        self._here().blank(cursor.x, min(cursor.x + count, self.columns), self._ground())
        cursor.full = False

    def erase_line(self, part: int) -> None:
        """From the cursor to the end (0), from the beginning to the cursor (1), all (2)."""
        x = self.cursor.x
        start, end = {0: (x, self.columns), 1: (0, x + 1), 2: (0, self.columns)}.get(part, (0, 0))
        if end:
            self._here().blank(start, end, self._ground())
        self.cursor.full = False

    def erase_screen(self, part: int) -> None:
        """Erase a part of the screen, as `erase_line` does of a line; 3 forgets the scroll-back."""
        if part == 3:
            self.scrolled.clear()
            self.erased = True
            return
        y = self.cursor.y
        if part in (0, 1):
            self.erase_line(part)
        lines = {0: range(y + 1, self.rows), 1: range(y), 2: range(self.rows)}.get(part, range(0))
        for at in lines:
            self.lines[at] = self._blank_line()
        self.cursor.full = False

    def fill(self, char: str) -> None:
        """The whole screen full of one character."""
        for line in self.lines:
            line.put(0, char * self.columns, PLAIN)
        self.set_margins(0, self.rows - 1)

    # the whole

    def show_alternate(self, on: bool, *, clear: bool = True, cursor: bool = False) -> None:
        """Change to the second screen, empty, or back to the first as it was; `cursor`: with the cursor it had."""
        if on and self._main is None:
            self._main, self._saved_main = self.lines, Cursor(**vars(self.cursor))
            self.lines = [Line() for _ in range(self.rows)] if clear else [_copied(line) for line in self.lines]
        elif not on and self._main is not None:
            self.lines, self._main = self._main, None
            if cursor:
                self.cursor = self._saved_main
            self._fit(self.lines)
        self._free_margins()
        self._keep_inside()

    def resize(self, columns: int, rows: int) -> None:
        """Give the screen another size. Lines above go to the scroll-back when there is less room; long lines keep
        their ends."""
        columns, rows = _sized(columns, rows)
        if (columns, rows) == (self.columns, self.rows):
            return
        self.columns, self.rows = columns, rows
        self._fit(self.lines)
        self._free_margins()
        self._keep_inside()

    def take_lines(self, lines: list[Line], moved: int) -> None:
        """Show these from the top, with so many rows that ever left there."""
        self.lines = lines + [Line() for _ in range(self.rows - len(lines))]
        self.scrolled.clear()
        self.moved = moved

    def reset(self) -> None:
        """Put the screen in the state in which it began; the scroll-back stays."""
        self.show_alternate(False)
        self.cursor, self._saved = Cursor(), Cursor()
        self.autowrap, self.inserting, self._tabs = True, False, None
        self.lines = [Line() for _ in range(self.rows)]
        self._free_margins()

    def _fit(self, lines: list[Line]) -> None:
        """As many lines as the screen has rows: blank ones below the cursor go first, then the upper ones."""
        while len(lines) > self.rows and len(lines) - 1 > self.cursor.y and not lines[-1].chars:
            lines.pop()
        while len(lines) > self.rows:
            line = lines.pop(0)
            if self._main is None:
                self.scrolled.append(line.row())
                self.moved += 1
            self.cursor.y = max(self.cursor.y - 1, 0)
        lines.extend(Line() for _ in range(self.rows - len(lines)))

    def _free_margins(self) -> None:
        self.top, self.bottom = 0, self.rows - 1

    def _keep_inside(self) -> None:
        self.cursor.x = min(self.cursor.x, self.columns - 1)
        self.cursor.y = min(self.cursor.y, self.rows - 1)

    def _here(self) -> Line:
        line = self.lines[self.cursor.y]
        line.wrapped = False
        return line

    def _ground(self) -> Look:
        background = self.cursor.look[1]
        return PLAIN if background == -1 else (-1, background, 0)

    def _blank_line(self) -> Line:
        look = self._ground()
        return Line() if look == PLAIN else Line(self.columns, look)


def _copied(line: Line) -> Line:
    copy = Line()
    copy.chars, copy.looks, copy.wrapped = list(line.chars), list(line.looks), line.wrapped
    return copy


def _sized(columns: int, rows: int) -> tuple[int, int]:
    return min(max(columns, 2), MAX_COLUMNS), min(max(rows, 2), MAX_ROWS)
