"""How the rows of a diff are painted: grounds, numbers, signs, text, ticks, and the heads of hunks."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen, QTextCharFormat, QTextLayout

from desktop.domain.display import display_text
from desktop.domain.review import DiffLine
from desktop.ui.format import MINUS, count
from desktop.ui.models.line_key import line_key
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, ICON_LINE, SPACE_1, SPACE_2
from desktop.ui.views.diff.diff_hits import Columns
from desktop.ui.views.diff.diff_rows import Row, Side

if TYPE_CHECKING:
    from desktop.ui.views.diff.diff_canvas import DiffCanvas

_GROUND = {"+": "diff_add", "-": "diff_del"}
_SIGN = {"+": "+", "-": MINUS, " ": " "}
_BOX = 12
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop


class DiffPainter:
    """Paints what a canvas shows."""

    def __init__(self, canvas: "DiffCanvas") -> None:
        self._canvas = canvas

    def paint(self, painter: QPainter, index: int, area: QRect) -> None:
        """One row."""
        row = self._canvas.rows[index]
        if row.kind == "line":
            self._line(painter, index, row, area)
        elif row.kind in ("head", "tail"):
            self._head(painter, index, row, area)
        else:
            painter.fillRect(area, theme().color("canvas"))
        if index == self._canvas.current and self._canvas.hasFocus():
            painter.setPen(QPen(theme().color("accent"), max(1, theme().px(1))))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(area.adjusted(0, 0, -1, -1))

    # lines

    def _line(self, painter: QPainter, index: int, row: Row, area: QRect) -> None:
        canvas = self._canvas
        columns = canvas.columns
        chosen = canvas.in_range(index)
        if not columns.split:
            self._side(painter, (row, row.line, "new" if row.right >= 0 else "old"), area, columns, chosen)
            return
        for side, at in (("old", row.left), ("new", row.right)):
            left = columns.left(side)
            place = QRect(left, area.top(), columns.half, area.height())
            if at < 0:
                painter.fillRect(place, theme().color("sunken"))
                continue
            painter.save()
            painter.setClipRect(place, Qt.ClipOperation.IntersectClip)
            self._side(painter, (row, at, "old" if side == "old" else "new"), place, columns, chosen)
            painter.restore()
        painter.fillRect(QRect(columns.half, area.top(), max(1, theme().px(1)), area.height()), theme().color("border"))

    def _side(
        self, painter: QPainter, what: tuple[Row, int, Side], place: QRect, columns: Columns, chosen: bool
    ) -> None:
        row, at, side = what
        canvas, look = self._canvas, theme()
        line = canvas.line(row.hunk, at)
        if line.kind != " ":
            painter.fillRect(place, look.color(_GROUND[line.kind]))
        gutter = QRect(place.left(), place.top(), columns.text - columns.sign, place.height())
        if chosen:
            painter.fillRect(gutter, look.color("selection"))
        painter.setFont(canvas.layouts.font)
        self._numbers(painter, line, gutter, columns, side)
        if columns.tick and line.kind != " ":
            state = 2 if canvas.ticked(line_key(line)) else 0
            first = QRect(gutter.left(), gutter.top(), columns.tick, canvas.layouts.line_height)
            paint_tick(painter, first, state)
        found = canvas.layouts.of(row.hunk, at)
        left, base = gutter.right() + 1, canvas.layouts.line_height
        painter.setPen(look.color("text" if line.kind != " " else "muted"))
        sign = QRect(left, place.top() + self._rise, columns.sign - 2, base)
        painter.drawText(sign, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, _SIGN[line.kind])
        text = QRect(left + columns.sign, place.top(), place.right() - left - columns.sign + 1, place.height())
        painter.save()
        painter.setClipRect(text, Qt.ClipOperation.IntersectClip)
        painter.setPen(look.color("text"))
        origin = QPointF(text.left() - canvas.horizontalScrollBar().value(), text.top())
        found.layout.draw(painter, origin, self._selected(row, at), QRectF(text))
        painter.restore()

    @property
    def _rise(self) -> int:
        metrics = QFontMetrics(self._canvas.layouts.font)
        return (self._canvas.layouts.line_height - metrics.height()) // 2

    def _numbers(self, painter: QPainter, line: DiffLine, gutter: QRect, columns: Columns, side: Side) -> None:
        painter.setPen(theme().color("muted"))
        top, gap = gutter.top() + self._rise, theme().px(SPACE_1)
        left = gutter.left() + columns.tick
        numbers = (line.old if side == "old" else line.new,) if columns.split else (line.old, line.new)
        for number in numbers:
            if number:
                place = QRect(left, top, columns.number - gap, gutter.height())
                painter.drawText(place, _RIGHT, str(number))
            left += columns.number

    def _selected(self, row: Row, at: int) -> list[QTextLayout.FormatRange]:
        span = self._canvas.selected_part(row.hunk, at)
        if span is None:
            return []
        part = QTextLayout.FormatRange()
        part.start, part.length = span[0], span[1] - span[0]
        look = QTextCharFormat()
        look.setBackground(theme().color("selection"))
        look.setForeground(theme().color("text"))
        part.format = look
        return [part]

    # heads

    def _head(self, painter: QPainter, index: int, row: Row, area: QRect) -> None:
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

    def head_words(self, row: Row) -> str:
        """What a head says: how many lines are not shown, and git's words about the place."""
        facts = self._canvas.head_facts(row)
        if row.kind == "tail":
            return "More lines may follow" if facts.hidden else ""
        hunk = self._canvas.diff.hunks[row.hunk]
        parts = [f"{count(facts.hidden, 'line')} not shown"] if facts.hidden > 0 else []
        parts += [display_text(hunk.heading.strip())] if hunk.heading.strip() else []
        return " · ".join(parts)


def paint_tick(painter: QPainter, area: QRect, state: int) -> None:
    """A box in the middle of an area: 0 empty, 1 in part, 2 ticked."""
    look = theme()
    side = look.px(_BOX)
    box = QRectF(0, 0, side, side)
    box.moveCenter(QRectF(area).center())
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(look.color("accent" if state else "control"), max(1, look.px(1))))
    painter.setBrush(look.color("accent" if state else "surface"))
    painter.drawRoundedRect(box, look.px(2), look.px(2))
    if state:
        painter.drawPixmap(box.toRect(), pixmap("check" if state == 2 else "minus", "on_accent", _BOX))
    painter.restore()
