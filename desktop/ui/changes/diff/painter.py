"""How the rows of a diff are painted: grounds, numbers, signs, text, ticks, and the heads of hunks."""

from collections.abc import Callable
from functools import lru_cache
from typing import Protocol

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPixmap, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QScrollBar

from desktop.domain.changes.values import DiffLine, FileDiff
from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.changes.diff.hits import Columns, DiffHit, HeadFacts
from desktop.ui.changes.diff.line_layouts import LineLayouts, format_range
from desktop.ui.changes.diff.rows import DiffRow, Side
from desktop.ui.models.line_key import LineKey, line_key
from desktop.ui.text.format import MINUS, count
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, ICON_LINE, SPACE_1, SPACE_2

_GROUND = {"+": "diff_add", "-": "diff_del"}
_SIGN = {"+": "+", "-": MINUS, " ": " "}
_BOX = 12
_INKS = (
    "canvas",
    "sunken",
    "border",
    "text",
    "muted",
    "accent",
    "selection",
    "diff_add",
    "diff_del",
    "warning",
    "warning_bg",
)


class DiffShown(Protocol):
    """What is to be painted: the rows, where they stand, and what of them is chosen, found, ticked or under the mouse.
    Each member says what it means in DiffCanvas."""

    diff: FileDiff
    rows: list[DiffRow]
    layouts: LineLayouts
    current: int
    hovered: tuple[int, str]
    can_comment: bool
    ticked: Callable[[LineKey], bool]
    found: dict[tuple[int, int], list[tuple[int, int]]]

    @property
    def columns(self) -> Columns:
        """Where numbers and text stand."""

    def line(self, hunk: int, at: int) -> DiffLine:
        """A line of the diff."""

    def hits(self, index: int) -> list[DiffHit]:
        """What the head of a hunk offers."""

    def head_facts(self, row: DiffRow) -> HeadFacts:
        """What the head of a hunk says."""

    def in_range(self, index: int) -> bool:
        """Whether a row is chosen with others."""

    def selected_part(self, hunk: int, at: int) -> tuple[int, int] | None:
        """Which characters of a line are selected."""

    def hunk_state(self, hunk: int) -> int:
        """How many of a hunk's lines are ticked: 0 none, 1 some, 2 all."""

    def hasFocus(self) -> bool:  # noqa: N802 - Qt's name
        """Whether keys go there."""

    def devicePixelRatioF(self) -> float:  # noqa: N802 - Qt's name
        """How many dots of the screen a pixel has."""

    def horizontalScrollBar(self) -> QScrollBar:  # noqa: N802 - Qt's name
        """How far the text is moved to the left."""


class DiffPainter:
    """Paints what a canvas shows. What is the same in all rows is looked up once, by `begin`."""

    def __init__(self, canvas: DiffShown) -> None:
        self._canvas = canvas
        self._inks: dict[str, QColor] = {}
        self._columns = Columns(0, 0, 0, 0, split=False)
        self._base = 0
        self._gap = 0
        self._offers_comment = False
        self._selected_look = QTextCharFormat()
        self._found_look = QTextCharFormat()

    def begin(self) -> None:
        """Rows are painted from here on."""
        look, metrics = theme(), QFontMetrics(self._canvas.layouts.font)
        self._inks = {name: look.color(name) for name in _INKS}
        self._columns = self._canvas.columns
        self._base = (self._canvas.layouts.line_height - metrics.height()) // 2 + metrics.ascent()
        self._gap = look.px(SPACE_1)
        self._selected_look = QTextCharFormat()
        self._selected_look.setBackground(self._inks["selection"])
        self._selected_look.setForeground(self._inks["text"])
        self._found_look = QTextCharFormat()
        self._found_look.setBackground(self._inks["warning_bg"])
        self._found_look.setForeground(self._inks["warning"])
        self._found_look.setFontUnderline(True)

    def paint(self, painter: QPainter, index: int, area: QRect) -> None:
        """One row."""
        row = self._canvas.rows[index]
        if row.kind == "line":
            self._line(painter, index, row, area)
        elif row.kind in ("head", "tail"):
            self._head(painter, index, row, area)
        else:
            painter.fillRect(area, self._inks["canvas"])
        if index == self._canvas.current and self._canvas.hasFocus():
            painter.setPen(QPen(self._inks["accent"], max(1, theme().px(1))))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(area.adjusted(0, 0, -1, -1))

    # lines

    def _line(self, painter: QPainter, index: int, row: DiffRow, area: QRect) -> None:
        columns = self._columns
        chosen = self._canvas.in_range(index)
        self._offers_comment = self._canvas.can_comment and self._canvas.hovered == (index, "number")
        if not columns.split:
            self._side(painter, (row, row.line, "new" if row.right >= 0 else "old"), area, chosen)
            return
        sides: tuple[tuple[Side, int], ...] = (("old", row.left), ("new", row.right))
        for side, at in sides:
            place = QRect(columns.left(side), area.top(), columns.half, area.height())
            if at < 0:
                painter.fillRect(place, self._inks["sunken"])
            else:
                self._side(painter, (row, at, side), place, chosen)
        painter.fillRect(QRect(columns.half, area.top(), max(1, theme().px(1)), area.height()), self._inks["border"])

    def _side(self, painter: QPainter, what: tuple[DiffRow, int, Side], place: QRect, chosen: bool) -> None:
        row, at, side = what
        canvas, columns = self._canvas, self._columns
        line = canvas.line(row.hunk, at)
        if line.kind != " ":
            painter.fillRect(place, self._inks[_GROUND[line.kind]])
        left, top, text = place.left(), place.top(), place.left() + columns.text
        if chosen:
            painter.fillRect(left, top, columns.text - columns.sign, place.height(), self._inks["selection"])
        if columns.tick and line.kind != " ":
            state = 2 if canvas.ticked(line_key(line)) else 0
            paint_tick(painter, QRect(left, top, columns.tick, canvas.layouts.line_height), state)
        painter.setFont(canvas.layouts.font)
        painter.setPen(self._inks["muted"])
        self._numbers(painter, line, left + columns.tick, top, side)
        found = canvas.layouts.of(row.hunk, at)
        room = QRect(text, top, place.right() - text + 1, place.height())
        painter.setPen(self._inks["text"])
        if self._offers_comment:
            side_px = theme().px(_BOX)
            corner = QPoint(text - columns.sign, top + (canvas.layouts.line_height - side_px) // 2)
            painter.drawPixmap(corner, pixmap("message-square", "accent", _BOX, canvas.devicePixelRatioF()))
        elif line.kind != " ":
            painter.drawText(text - columns.sign + round(columns.sign / 4), top + self._base, _SIGN[line.kind])
        shift = canvas.horizontalScrollBar().value()
        painter.setClipRect(room)
        found.layout.draw(painter, QPointF(text - shift, top), self._selected(row, at), QRectF(room))
        painter.setClipping(False)

    def _numbers(self, painter: QPainter, line: DiffLine, left: int, top: int, side: Side) -> None:
        columns, cell = self._columns, self._canvas.layouts.cell
        numbers = (line.old if side == "old" else line.new,) if columns.split else (line.old, line.new)
        for number in numbers:
            left += columns.number
            if number:
                words = str(number)
                painter.drawText(round(left - self._gap - cell * len(words)), top + self._base, words)

    def _selected(self, row: DiffRow, at: int) -> list[QTextLayout.FormatRange]:
        """What is found in a line, and what is selected of it."""
        canvas = self._canvas
        ranges: list[QTextLayout.FormatRange] = []
        for first, end in canvas.found.get((row.hunk, at), ()):
            shown = canvas.layouts.of(row.hunk, at).shown
            start = shown.place(first)
            ranges.append(format_range(start, shown.place(end) - start, self._found_look))
        span = canvas.selected_part(row.hunk, at)
        if span is not None:
            ranges.append(format_range(span[0], span[1] - span[0], self._selected_look))
        return ranges

    # heads

    def _head(self, painter: QPainter, index: int, row: DiffRow, area: QRect) -> None:
        look, canvas = theme(), self._canvas
        facts = canvas.head_facts(row)
        if row.kind == "tail" and not facts.hidden:
            return
        painter.fillRect(area, look.color("sunken"))
        font = look.font(CAPTION)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        hits = canvas.hits(index)
        end = area.right()
        for hit in hits:
            place = hit.rect.translated(0, area.top())
            if hit.name == "changes_tick_hunk":
                paint_tick(painter, place, canvas.hunk_state(row.hunk))
                continue
            end = min(end, place.left())
            hovered = canvas.hovered == (index, hit.name)
            painter.setPen(look.color("text" if hovered else "accent"))
            if hit.text:
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, hit.text)
            else:
                side = look.px(ICON_LINE)
                corner = place.center() - QRect(0, 0, side, side).center()
                ratio = canvas.devicePixelRatioF()
                painter.drawPixmap(corner, pixmap(hit.icon, "text" if hovered else "muted", ICON_LINE, ratio))
        left = area.left() + canvas.columns.tick + look.px(SPACE_2)
        painter.setPen(look.color("muted"))
        words = metrics.elidedText(self.head_words(row), Qt.TextElideMode.ElideRight, max(0, end - left))
        painter.drawText(QRect(left, area.top(), end - left, area.height()), Qt.AlignmentFlag.AlignVCenter, words)

    def head_words(self, row: DiffRow) -> str:
        """What a head says: how many lines are not shown, and git's words about the place."""
        facts = self._canvas.head_facts(row)
        if row.kind == "tail":
            return tr("More lines may follow") if facts.hidden else ""
        diff = self._canvas.diff
        if bool(diff.base_sha256) != bool(diff.sha256):
            return tr("New file") if diff.sha256 else tr("Deleted file")
        hunk = diff.hunks[row.hunk]
        parts = [tr("{lines} not shown", lines=count(facts.hidden, "line"))] if facts.hidden > 0 else []
        parts += [display_text(hunk.heading.strip())] if hunk.heading.strip() else []
        return " · ".join(parts)


def paint_tick(painter: QPainter, area: QRect, state: int) -> None:
    """A box in the middle of an area: 0 empty, 1 in part, 2 ticked."""
    ratio = painter.device().devicePixelRatioF()
    tokens = theme().tokens
    made = _tick(state, theme().px(_BOX), ratio, (tokens.accent, tokens.control, tokens.surface, tokens.on_accent))
    side = theme().px(_BOX)
    corner = area.center() - QPoint(side // 2, side // 2)
    painter.drawPixmap(corner, made)


@lru_cache(maxsize=64)
def _tick(state: int, side: int, ratio: float, inks: tuple[str, str, str, str]) -> QPixmap:
    accent, control, surface, _on = inks
    made = QPixmap(round(side * ratio), round(side * ratio))
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(accent if state else control), 1))
    painter.setBrush(QColor(accent if state else surface))
    painter.drawRoundedRect(QRectF(0.5, 0.5, side - 1, side - 1), 2, 2)
    if state:
        painter.drawPixmap(0, 0, pixmap("check" if state == 2 else "minus", "on_accent", _BOX, ratio))
    painter.end()
    return made
