"""DiffCanvas: one file's diff as rows painted by us. Heights are known for all rows, only what is seen is laid out."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from desktop.domain.changes.values import DiffLine, FileDiff, ReviewComment
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.changes.diff.colours import DiffColours
from desktop.ui.changes.diff.hits import HEAD_ROW, Columns, DiffHit, HeadFacts, head_hits
from desktop.ui.changes.diff.line_layouts import LineLayouts
from desktop.ui.changes.diff.painter import DiffPainter
from desktop.ui.changes.diff.rows import DiffRow, FieldPlace, build_rows, columns_in, hidden_before, may_go_on
from desktop.ui.changes.diff.selection import DiffSelection
from desktop.ui.chats.transcript.painting.layout import Heights
from desktop.ui.models.line_key import LineKey, line_key
from desktop.ui.theme.theme import theme

_TICK, _GAP, _NOTE_GUESS = 22, 6, 80
_LEAST_DIGITS = 2


@dataclass(frozen=True)
class DiffShape:
    """How a diff is shown. `split`: side by side; `wrap`: long lines are broken; `context`: lines around a change that
    were asked for, below 0 for all; `can_tick`, `can_revert`: what is offered."""

    split: bool = False
    wrap: bool = False
    context: int = 3
    can_tick: bool = False
    can_revert: bool = False


Ticked = Callable[[LineKey], bool]


class DiffCanvas(QAbstractScrollArea):
    """Shows rows of a FileDiff. `current`: the row keys act on, −1 for none; `ticked` tells which lines are picked."""

    def __init__(self, parent: QWidget, name: str, ticked: Ticked) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(tr("Difference"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.diff = FileDiff(path="")
        self.shape_of = DiffShape()
        self.rows: list[DiffRow] = []
        self.comments: tuple[ReviewComment, ...] = ()
        self.strays: frozenset[str] = frozenset()
        self.field: FieldPlace | None = None
        self.current = -1
        self.range_start = -1
        self.hovered = (-1, "")
        self.can_comment = True
        self.ticked = ticked
        self.selection = DiffSelection()
        self.found: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self.heights = Heights()
        self.colours = DiffColours(self)
        self.layouts = LineLayouts(self.colours)
        self._painter = DiffPainter(self)
        self._lengths: list[int] = []
        self._widest = 0
        self._highest = 0
        self._settling = False
        self.colours.arrived.connect(self._on_arrived)
        theme().changed.connect(self._on_theme)

    # what is shown

    def show_rows(self, diff: FileDiff, comments: Sequence[ReviewComment], shape: DiffShape) -> None:
        """Show this; the line on top stays there when it is still shown."""
        held = self._top_line() if diff.path == self.diff.path else None
        here = self._current_line() if diff.path == self.diff.path else None
        if diff is not self.diff:
            self.diff = diff
            self.selection.clear()
            self.found = {}
            self.colours.show(diff)
            self.layouts.show(diff)
            self._measure()
        self.comments, self.shape_of = tuple(comments), shape
        self.rebuild()
        self.current = self.row_of(*here) if here is not None else -1
        self.range_start = -1
        self._hold(held)

    def rebuild(self) -> None:
        """Make the rows anew: another layout, other comments, another width."""
        split = self.shape_of.split
        self.rows = build_rows(self.diff, split=split, comments=self.comments, field=self.field, strays=self.strays)
        self._lengths = [columns_in(self.diff, row) if self.shape_of.wrap else 0 for row in self.rows]
        self._reflow()

    def _reflow(self) -> None:
        """Guess all heights anew and lay out what is in view."""
        self.layouts.set_wrap(self._wrap_width())
        self.heights = Heights(self._guesses())
        self.settle()
        self.viewport().update()

    def keep_place(self, change: Callable[[], None]) -> None:
        """Make a change of the rows after which the line on top is where it was."""
        held, here = self._top_line(), self._current_line()
        change()
        self.current = self.row_of(*here) if here is not None else -1
        self._hold(held)

    # where things are

    @property
    def columns(self) -> Columns:
        """Where numbers and text stand."""
        look = theme()
        digits = max(_LEAST_DIGITS, len(str(self._highest)))
        number = round(self.layouts.cell * digits) + look.px(8)
        tick = look.px(_TICK) if self.shape_of.can_tick else 0
        sign = round(self.layouts.cell * 2)
        return Columns(self.viewport().width(), tick, number, sign, self.shape_of.split)

    def row_top(self, index: int) -> int:
        """Where a row is painted in the viewport."""
        return self.heights.top(index) - self.verticalScrollBar().value()

    def row_at(self, y: int) -> int:
        """The row painted at this height of the viewport; −1 without rows."""
        return self.heights.row_at(y + self.verticalScrollBar().value())

    def line(self, hunk: int, at: int) -> DiffLine:
        """A line of the diff."""
        return self.diff.hunks[hunk].lines[at]

    def line_of(self, index: int) -> LineKey | None:
        """What the line of a row is known by; None for a row that is none."""
        if not 0 <= index < len(self.rows) or self.rows[index].kind != "line":
            return None
        row = self.rows[index]
        return line_key(self.line(row.hunk, row.line))

    def row_of(self, key: LineKey, text: str = "") -> int:
        """The row of a line; else of the nearest one with this text, else the one nearest to where it was; −1 without
        rows."""
        best, least = -1, (9, 0)
        for index, row in enumerate(self.rows):
            if row.kind != "line":
                continue
            for at in (row.left, row.right) if row.left != row.right else (row.left,):
                if at >= 0:
                    line = self.line(row.hunk, at)
                    away = abs(line.new - key.new) if key.new and line.new else abs(line.old - key.old)
                    rank = 0 if line_key(line) == key and line.text == text else 1 if line.text == text else 2
                    if not rank:
                        return index
                    if (rank, away) < least:
                        best, least = index, (rank, away)
        return best

    def hits(self, index: int) -> list[DiffHit]:
        """What the head of a hunk offers, placed within its row."""
        row = self.rows[index]
        if row.kind not in ("head", "tail"):
            return []
        return head_hits(self.head_facts(row), self.columns)

    def head_facts(self, row: DiffRow) -> HeadFacts:
        """What the head of a hunk says and offers."""
        if row.kind == "tail":
            more = may_go_on(self.diff, self.shape_of.context)
            return HeadFacts(-1 if more else 0, can_tick=False, can_revert=False, is_tail=True)
        hidden = hidden_before(self.diff, row.hunk) if self.diff.sha256 or self.diff.base_sha256 else 0
        return HeadFacts(hidden, self.shape_of.can_tick, self.shape_of.can_revert)

    def head_words(self, row: DiffRow) -> str:
        """What the head of a hunk says."""
        return self._painter.head_words(row)

    def in_range(self, index: int) -> bool:
        """Whether a row is one of several that were chosen together."""
        if self.range_start < 0 or self.current < 0:
            return False
        return min(self.range_start, self.current) <= index <= max(self.range_start, self.current)

    def selected_part(self, hunk: int, at: int) -> tuple[int, int] | None:
        """Which characters of a line are selected."""
        if self.selection.span is None:
            return None
        return self.selection.part(self.diff, hunk, at, len(self.layouts.of(hunk, at).shown.text))

    def changed_keys(self, hunk: int) -> list[LineKey]:
        """The changed lines of a hunk."""
        return [line_key(line) for line in self.diff.hunks[hunk].lines if line.kind != " "]

    def hunk_state(self, hunk: int) -> int:
        """How many of a hunk's lines are ticked: 0 none, 1 some, 2 all."""
        ticked = [self.ticked(key) for key in self.changed_keys(hunk)]
        return 2 if all(ticked) else int(any(ticked))

    def box(self, row: DiffRow) -> QWidget | None:
        """The widget of a comment or of the field; a subclass makes it."""
        return None

    def boxes(self) -> dict[str, QWidget]:
        """All widgets that `box` made, by the comment's id."""
        return {}

    # laying out

    def settle(self) -> bool:
        """Lay out what is in view; True when a height changed."""
        if self._settling or not self.rows:
            self._take_ranges()
            return False
        self._settling = True
        changed, seen = self._settle_rows()
        for name, box in self.boxes().items():
            box.setVisible(name in seen)
        self._take_ranges()
        self._settling = False
        return changed

    def _settle_rows(self) -> tuple[bool, set[str]]:
        height, changed = self.viewport().height(), False
        seen: set[str] = set()
        index = max(0, self.row_at(0))
        y = self.row_top(index)
        wanted: dict[int, tuple[int, int]] = {}
        while index < len(self.rows) and y < height:
            row = self.rows[index]
            if row.kind == "line":
                low, high = wanted.get(row.hunk, (row.line, row.line))
                wanted[row.hunk] = (min(low, row.line), max(high, row.line))
            y += self.heights[index]
            index += 1
        self.colours.want(wanted)
        index = max(0, self.row_at(0))
        y = self.row_top(index)
        while index < len(self.rows) and y < height:
            row = self.rows[index]
            exact = self._exact(row, index, y, seen)
            changed = changed or exact != self.heights[index]
            self.heights.set(index, exact)
            y += exact
            index += 1
        return changed, seen

    def _exact(self, row: DiffRow, index: int, y: int, seen: set[str]) -> int:
        """The height of a row that is in view; a widget in it is put in its place."""
        if row.kind in ("comment", "field"):
            return self._place_box(row, y, seen)
        if row.kind != "line":
            return self.heights[index]
        if not self.layouts.wrap_width and self._widest:
            return self.layouts.line_height
        return max(self.layouts.of(row.hunk, at).height for at in {row.left, row.right} if at >= 0)

    def _place_box(self, row: DiffRow, y: int, seen: set[str]) -> int:
        box = self.box(row)
        if box is None:
            return 0
        look = theme()
        left = min(self.columns.text, look.px(_NOTE_GUESS))
        width = min(self.viewport().width() - left, look.px(_NOTE_GUESS * 9)) - look.px(_GAP)
        height = box.heightForWidth(width) if box.hasHeightForWidth() else box.sizeHint().height()
        box.setGeometry(left, y + look.px(_GAP), width, height)
        seen.add(row.comment_id)
        return height + 2 * look.px(_GAP)

    def _guesses(self) -> list[int]:
        look, one = theme(), self.layouts.line_height
        other = {"head": look.px(HEAD_ROW), "comment": look.px(_NOTE_GUESS), "field": look.px(_NOTE_GUESS * 2)}
        other["tail"] = look.px(HEAD_ROW) if may_go_on(self.diff, self.shape_of.context) else one
        guesses = self.layouts.estimates(self._lengths)
        for at, row in enumerate(self.rows):
            if row.kind != "line":
                guesses[at] = other[row.kind]
        return guesses

    def _wrap_width(self) -> int:
        if not self.shape_of.wrap:
            return 0
        columns = self.columns
        return max(round(self.layouts.cell * 8), columns.half - columns.text - theme().px(4))

    def _measure(self) -> None:
        """The highest line number, and how wide the longest line is."""
        last = [hunk for hunk in self.diff.hunks if hunk.lines]
        self._highest = max((max(h.old_start, h.new_start) + len(h.lines) for h in last[-1:]), default=0)
        longest = 0
        for hunk in self.diff.hunks:
            for line in hunk.lines:
                size = len(line.text)
                if size > longest // 4:
                    longest = max(longest, size + 3 * line.text.count("\t"))
        self._widest = round(min(longest, 10_000) * self.layouts.cell)

    def _take_ranges(self) -> None:
        page = self.viewport().height()
        bar = self.verticalScrollBar()
        bar.setPageStep(page)
        bar.setSingleStep(self.layouts.line_height)
        bar.setRange(0, max(0, self.heights.total - page))
        columns, sideways = self.columns, self.horizontalScrollBar()
        room = columns.half - columns.text
        sideways.setPageStep(max(1, room))
        sideways.setSingleStep(round(self.layouts.cell) * 4)
        widest = max(self._widest, self.layouts.widest)
        wide = 0 if self.shape_of.wrap else widest + round(self.layouts.cell) * 2
        sideways.setRange(0, max(0, wide - room))

    # keeping the place

    def _current_line(self) -> tuple[LineKey, str] | None:
        key = self.line_of(self.current)
        return (key, self._text_of(self.current)) if key is not None else None

    def _text_of(self, index: int) -> str:
        row = self.rows[index]
        return self.line(row.hunk, row.line).text

    def _top_line(self) -> tuple[LineKey, str, int] | None:
        """The first line in view, and where it is."""
        first = self.row_at(0)
        for index in range(max(0, first), min(first + 60, len(self.rows))):
            key = self.line_of(index)
            if key is not None:
                return key, self._text_of(index), self.row_top(index)
        return None

    def _hold(self, held: tuple[LineKey, str, int] | None) -> None:
        index = self.row_of(held[0], held[1]) if held is not None else -1
        self._take_ranges()
        self.verticalScrollBar().setValue(self.heights.top(index) - held[2] if held is not None and index >= 0 else 0)
        self.settle()
        self.viewport().update()

    # Qt

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Lay out what comes into view; the rest is moved, not painted again."""
        if self._settling:
            return
        moved = not dx and abs(dy) < self.viewport().height()
        if moved:
            self.viewport().scroll(0, dy)
        if self.settle() or not moved:
            self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Touch pads scroll by pixels, wheels by steps; with Shift to the side."""
        pixels = event.pixelDelta()
        if not pixels.isNull():
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() - pixels.y())
            self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() - pixels.x())
            event.accept()
            return
        super().wheelEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lines that are broken are broken elsewhere."""
        super().resizeEvent(event)
        if self.layouts.wrap_width != self._wrap_width():
            self.keep_place(self._reflow)
        else:
            self.settle()
            self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows that lie in the area."""
        painter = QPainter(self.viewport())
        area = event.rect()
        painter.fillRect(area, theme().color("surface"))
        if self.rows:
            first, last = max(0, self.row_at(area.top())), self.row_at(area.bottom())
            y = self.row_top(first)
            self._painter.begin()
            for index in range(first, last + 1):
                height = self.heights[index]
                self._painter.paint(painter, index, QRect(0, y, self.viewport().width(), height))
                y += height
        painter.end()
        if self.layouts.widest > max(self._widest, self.horizontalScrollBar().maximum() + self.columns.half):
            QTimer.singleShot(0, self, self._take_ranges)

    def _on_arrived(self, hunk: int, first: int, end: int) -> None:
        self.layouts.forget(hunk, first, end)
        top, bottom = self.row_at(0), self.row_at(self.viewport().height())
        for index in range(max(0, top), min(bottom + 1, len(self.rows))):
            row = self.rows[index]
            if row.hunk == hunk and (first <= row.left < end or first <= row.right < end):
                self.viewport().update(0, self.row_top(index), self.viewport().width(), self.heights[index])

    def _on_theme(self) -> None:
        self.layouts.take_look()
        self._measure()
        self.keep_place(self.rebuild)
