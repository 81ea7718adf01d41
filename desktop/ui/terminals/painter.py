"""Paints rows of a terminal: cells of one size, colours of the theme, selection, marks of the find bar, cursor."""

from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from desktop.domain.display.cell_width import cell_width, narrow_runs
from desktop.domain.terminals.updates import BOLD, FAINT, HIDDEN, ITALIC, REVERSED, STRUCK, UNDERLINED, Row, Span
from desktop.records import dataclass
from desktop.ui.terminals.text import row_cells
from desktop.ui.theme.terminal_colors import ground, least_contrast, readable, terminal_color
from desktop.ui.theme.theme import theme

Range = tuple[int, int]
_BRIGHT = 8


@dataclass(frozen=True)
class CellSize:
    """The size of a cell in pixels, and where its base line is."""

    width: int
    height: int
    ascent: float


class TerminalPainter:
    """Knows the font. Made anew when the theme or the zoom changes."""

    def __init__(self) -> None:
        self.fonts = {style: self._font(style) for style in (0, BOLD, ITALIC, BOLD | ITALIC)}
        metrics = QFontMetricsF(self.fonts[0])
        self.cell = CellSize(max(round(metrics.horizontalAdvance("M")), 1), round(metrics.height()), metrics.ascent())
        for font in self.fonts.values():  # every character takes whole pixels, so that runs stay in their cells
            spacing = self.cell.width - QFontMetricsF(font).horizontalAdvance("M")
            font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, spacing)
        self._fits = lru_cache(maxsize=4096)(self._measure)

    def paint_row(
        self, painter: QPainter, row: Row, top: int, *, chosen: Range | None = None, found: Sequence[Range] = ()
    ) -> None:
        """Paint a row whose upper edge is at `top`. `chosen`: selected cells; `found`: those looked for."""
        x = 0
        for span in row:
            count = _cells(span[0])
            self._paint_ground(painter, span, QRectF(x, top, count * self.cell.width, self.cell.height))
            x += count * self.cell.width
        for cells, token in (*((one, "warning_bg") for one in found), *(((chosen, "selection"),) if chosen else ())):
            painter.fillRect(self._rect(cells, top), theme().color(token))
        for cells in found:
            under = self._rect(cells, top)
            painter.fillRect(under.adjusted(0, under.height() - theme().px(1), 0, 0), theme().color("warning"))
        x = 0
        for span in row:
            x = self._paint_span(painter, span, x, top, over=chosen is not None or bool(found))
        for one in found:
            self._frame(painter, one, top, strong=chosen == one)

    def paint_cursor(self, painter: QPainter, row: Row, x: int, top: int, *, focused: bool) -> None:
        """A block in the accent colour with the character on it; an outline while the keys go elsewhere."""
        cells = row_cells(row)
        text = cells[x] if x < len(cells) else " "
        rect = self._rect((x, x + max(_cells(text), 1)), top)
        if not focused:
            painter.setPen(theme().color("accent"))
            painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))
            return
        painter.fillRect(rect, theme().color("accent"))
        painter.setPen(theme().color("on_accent"))
        painter.setFont(self.fonts[0])
        painter.drawText(QPointF(rect.left(), top + self.cell.ascent), text)

    def paint_line_under(self, painter: QPainter, cells: Range, top: int) -> None:
        """Underline cells: a link under the mouse."""
        rect = self._rect(cells, top)
        painter.setPen(theme().color("accent"))
        painter.drawLine(QPointF(rect.left(), rect.bottom() - 1), QPointF(rect.right(), rect.bottom() - 1))

    def _frame(self, painter: QPainter, cells: Range, top: int, *, strong: bool) -> None:
        """A line around what was found, thick around the place that is shown: grounds are told by colour alone."""
        painter.setPen(QPen(theme().color("text" if strong else "warning"), 2 if strong else 1))
        inset = 1 if strong else 0.5
        painter.drawRect(self._rect(cells, top).adjusted(inset, inset, -inset, -inset))

    def _rect(self, cells: Range, top: int) -> QRectF:
        return QRectF(cells[0] * self.cell.width, top, (cells[1] - cells[0]) * self.cell.width, self.cell.height)

    def _paint_ground(self, painter: QPainter, span: Span, rect: QRectF) -> None:
        if span[3] & REVERSED or span[2] >= 0:
            painter.fillRect(rect, _colors(span)[1])

    def _paint_span(self, painter: QPainter, span: Span, x: int, top: int, *, over: bool) -> int:
        content, foreground, background, look = span
        count = _cells(content)
        end = x + count * self.cell.width
        if content.isspace() and not look & (UNDERLINED | STRUCK):
            return end
        ink, back = _colors(span)
        back = theme().color("selection") if over and back == ground() else back
        least = least_contrast(background if look & REVERSED else foreground)
        pen = QColor(readable(ink.rgb(), back.rgb(), least))
        painter.setPen(pen)
        painter.setFont(self.fonts[look & (BOLD | ITALIC)])
        base = top + self.cell.ascent
        at = x
        for text in self._pieces(content):
            painter.drawText(QPointF(at, base), text)
            at += _cells(text) * self.cell.width
        for bit, height in ((UNDERLINED, base + 2), (STRUCK, top + self.cell.height / 2)):
            if look & bit:
                painter.fillRect(QRectF(x, height, end - x, 1), pen)
        return end

    def _pieces(self, text: str) -> list[str]:
        """The text in pieces that keep to their cells by themselves."""
        if text.isascii():
            return [text]
        pieces: list[str] = []
        for piece, narrow in narrow_runs(text):
            if narrow and self._fits(piece):
                pieces.append(piece)
            elif narrow:
                pieces.extend(piece)
            elif cell_width(piece) == 0 and pieces:
                pieces[-1:] = [pieces[-1][:-1], pieces[-1][-1] + piece] if len(pieces[-1]) > 1 else [pieces[-1] + piece]
            else:
                pieces.append(piece)
        return pieces

    def _measure(self, text: str) -> bool:
        advance = QFontMetricsF(self.fonts[0]).horizontalAdvance(text)
        return abs(advance - len(text) * self.cell.width) < 0.5

    @staticmethod
    def _font(style: int) -> QFont:
        font = theme().mono(semibold=bool(style & BOLD))
        font.setItalic(bool(style & ITALIC))
        font.setKerning(False)
        font.setStyleStrategy(QFont.StyleStrategy.PreferAntialias)
        return font


def _cells(text: str) -> int:
    return len(text) if text.isascii() else sum(map(cell_width, text))


def _colors(span: Span) -> tuple[QColor, QColor]:
    """Ink and ground. Bold makes the eight dark colours bright; hidden text is only faint, so that it can be read."""
    _text, foreground, background, look = span
    fore = foreground + _BRIGHT if look & BOLD and 0 <= foreground < _BRIGHT else foreground
    faint = look & (FAINT | HIDDEN) and fore < 0
    ink = terminal_color(fore, fallback="muted" if faint else "text")
    back = terminal_color(background, fallback="sunken")
    return (back, ink) if look & REVERSED else (ink, back)
