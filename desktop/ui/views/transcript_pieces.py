"""Pieces: what a transcript row is painted from, stacked from top to bottom, each with its height and hit areas."""

from collections.abc import Hashable
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFontMetrics,
    QPainter,
    QPalette,
    QTextCursor,
    QTextDocument,
)

from desktop.ui.markdown import StillDocument
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import (
    BODY,
    CAPTION,
    CONTROL_HEIGHT_COMPACT,
    ICON_LINE,
    LINE_HEIGHT,
    RADIUS_CHIP,
    RADIUS_CONTROL,
    SPACE_1,
    SPACE_2,
    SPACE_3,
    SPACE_4,
    SPACE_5,
    TOOL_ROW,
)

_CHIP_HEIGHT = 20


@dataclass(frozen=True)
class Hit:
    """A place in a row that can be clicked: its name, where it is, and what it says it does.

    `argument`: what it is about: the part that opens, or the text that is copied.
    """

    name: str
    rect: QRect
    label: str
    argument: str = ""


class Piece:
    """One painted part of a row. `x`, `y`: its place in the row; `width`, `height`: its size; `gap`: space under it.

    All in pixels. `reuse`: what it shows, as a key, when a later layout of the row may take it over; else None.
    """

    def __init__(self, x: int, width: int, height: int, gap: int = 0) -> None:
        self.x, self.y, self.width, self.height, self.gap = x, 0, width, height, gap
        self.reuse: Hashable | None = None

    def paint(self, painter: QPainter, selection: tuple[int, int] | None, ratio: float) -> None:
        """Paint with the row's top left at (0, 0). `selection`: selected characters of its document."""

    def hits(self) -> list[Hit]:
        """What can be clicked, in row coordinates."""
        return []


def _elided(painter: QPainter, text: str, width: int) -> str:
    return painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, max(0, width))


def _text(painter: QPainter, rect: QRect, text: str, *, right: bool = False) -> None:
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    painter.drawText(rect, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, text)


def paint_chip(painter: QPainter, right: int, center: int, text: str, tokens: tuple[str, str], most: int) -> int:
    """A rounded chip that ends at `right`, its text shortened to `most` pixels; the x where it begins."""
    look = theme()
    ink, ground = tokens
    painter.setFont(look.font(semibold=ink not in ("muted", "text")))
    padding, height = look.px(RADIUS_CHIP + 2), look.px(_CHIP_HEIGHT)
    text = _elided(painter, text, most - 2 * padding)
    width = painter.fontMetrics().horizontalAdvance(text) + 2 * padding
    rect = QRect(right - width, center - height // 2, width, height)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.color(ground))
    painter.drawRoundedRect(rect, height / 2, height / 2)
    painter.setPen(look.color(ink))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
    return rect.left()


class MarkPiece(Piece):
    """An icon beside what follows; it takes no height."""

    def __init__(self, x: int, icon: str, token: str) -> None:
        super().__init__(x, 0, 0)
        self.icon, self.token = icon, token

    def paint(self, painter: QPainter, selection: tuple[int, int] | None, ratio: float) -> None:
        """Paint the icon at the height of the first line that follows."""
        top = self.y + (line_height() - theme().px(ICON_LINE)) // 2
        painter.drawPixmap(QPoint(self.x, top), pixmap(self.icon, self.token, ICON_LINE, ratio))


class HeadPiece(Piece):
    """Who speaks, and when: icon, name, time at the right."""

    def __init__(self, width: int, icon: str, name: str, time: str) -> None:
        super().__init__(0, width, theme().px(SPACE_5), gap=0)
        self.icon, self.name, self.time = icon, name, time

    def paint(self, painter: QPainter, selection: tuple[int, int] | None, ratio: float) -> None:
        """Paint icon, name and time."""
        look = theme()
        side, indent = look.px(ICON_LINE), look.px(SPACE_5)
        center = self.y + self.height // 2
        painter.drawPixmap(QPoint(0, center - side // 2), pixmap(self.icon, "accent", ICON_LINE, ratio))
        painter.setFont(look.font())
        painter.setPen(look.color("muted"))
        _text(painter, QRect(0, self.y, self.width, self.height), self.time, right=True)
        painter.setFont(look.font(semibold=True))
        painter.setPen(look.color("text"))
        _text(painter, QRect(indent, self.y, self.width - 2 * indent, self.height), self.name)


class LinePiece(Piece):
    """One line: icon, title, chips at the right; opens or closes what is under it when it has a toggle."""

    def __init__(
        self, x: int, width: int, icon: tuple[str, str], title: str, chips: tuple[tuple[str, str, str], ...] = ()
    ) -> None:
        super().__init__(x, width, theme().px(TOOL_ROW))
        self.icon, self.title, self.chips = icon, title, chips
        self.ink, self.toggle, self.opened, self.part = "text", "", False, "row"
        self.arrow = self.hovered = False

    def paint(self, painter: QPainter, selection: tuple[int, int] | None, ratio: float) -> None:
        """Paint icon, title, chevron and chips."""
        look = theme()
        side, indent = look.px(ICON_LINE), look.px(SPACE_5)
        center = self.y + self.height // 2
        name, token = self.icon
        painter.drawPixmap(QPoint(self.x, center - side // 2), pixmap(name, token, ICON_LINE, ratio))
        right = self.x + self.width
        for text, ink, ground in reversed(self.chips):
            right = paint_chip(painter, right, center, text, (ink, ground), self.width // 2) - look.px(SPACE_2)
        left = self.x + indent
        painter.setFont(look.font())
        painter.setPen(look.color(self.ink))
        room = right - left - (side + look.px(SPACE_2) if self.toggle else 0)
        title = _elided(painter, self.title, room)
        _text(painter, QRect(left, self.y, room, self.height), title)
        if self.toggle and (self.opened or self.arrow or self.hovered):
            arrow = "chevron-down" if self.opened else "chevron-right"
            end = left + painter.fontMetrics().horizontalAdvance(title) + look.px(SPACE_1)
            painter.drawPixmap(QPoint(end, center - side // 2), pixmap(arrow, "muted", ICON_LINE, ratio))

    def hits(self) -> list[Hit]:
        """The whole line, when it can be opened."""
        if not self.toggle:
            return []
        verb = "Close" if self.opened else "Open"
        return [Hit(self.toggle, QRect(self.x, self.y, self.width, self.height), f"{verb} {self.title}", self.part)]


class DividerPiece(Piece):
    """A thin line across with words in its middle."""

    def __init__(self, width: int, text: str, toggle: str = "") -> None:
        super().__init__(0, width, theme().px(TOOL_ROW))
        self.text, self.toggle = text, toggle

    def paint(self, painter: QPainter, selection: tuple[int, int] | None, ratio: float) -> None:
        """Paint the line and the words."""
        look = theme()
        painter.setFont(look.font(CAPTION))
        text = _elided(painter, self.text, self.width - 2 * look.px(SPACE_5))
        wide = painter.fontMetrics().horizontalAdvance(text) + 2 * look.px(SPACE_3)
        center, left = self.y + self.height // 2, (self.width - wide) // 2
        painter.setPen(look.color("border"))
        painter.drawLine(0, center, left, center)
        painter.drawLine(left + wide, center, self.width, center)
        painter.setPen(look.color("muted"))
        painter.drawText(QRect(left, self.y, wide, self.height), Qt.AlignmentFlag.AlignCenter, text)

    def hits(self) -> list[Hit]:
        """The whole divider, when it can be opened."""
        rect = QRect(0, self.y, self.width, self.height)
        return [Hit(self.toggle, rect, self.text, "row")] if self.toggle else []


class ButtonsPiece(Piece):
    """Buttons in a line, painted: (name, label)."""

    def __init__(
        self, x: int, width: int, buttons: tuple[tuple[str, str], ...], *, links: bool = False, part: str = ""
    ) -> None:
        look = theme()
        height = look.px(CONTROL_HEIGHT_COMPACT if links else CONTROL_HEIGHT_COMPACT + SPACE_2)
        super().__init__(x, width, height)
        self.links, self.part = links, part
        metrics = QFontMetrics(look.font())
        padding = 0 if links else look.px(SPACE_3)
        left = x
        self.boxes: list[tuple[str, str, int, int]] = []
        for name, label in buttons:
            wide = metrics.horizontalAdvance(label) + 2 * padding
            self.boxes.append((name, label, left, wide))
            left += wide + look.px(SPACE_4 if links else SPACE_2)

    def _rect(self, left: int, wide: int) -> QRect:
        height = theme().px(CONTROL_HEIGHT_COMPACT)
        return QRect(left, self.y + (self.height - height) // 2, wide, height)

    def paint(self, painter: QPainter, selection: tuple[int, int] | None, ratio: float) -> None:
        """Paint the buttons, or words in the colour of links."""
        look = theme()
        painter.setFont(look.font())
        for _, label, left, wide in self.boxes:
            rect = self._rect(left, wide)
            if not self.links:
                painter.setPen(look.color("control"))
                painter.setBrush(look.color("raised"))
                radius = look.px(RADIUS_CONTROL)
                painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
            painter.setPen(look.color("accent" if self.links else "text"))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, label)

    def hits(self) -> list[Hit]:
        """Each button."""
        return [Hit(name, self._rect(left, wide), label, self.part) for name, label, left, wide in self.boxes]


class DocumentPiece(Piece):
    """A text document; in a sunken box when `box`, with a bar at its left when `bar` names a colour.

    Text wider than the piece is scrolled sideways (`shift`), inside the piece only.
    """

    def __init__(
        self, document: QTextDocument, x: int, width: int, *, box: bool = False, bar: str = "", wrap: bool = True
    ) -> None:
        super().__init__(x, width, 0, gap=theme().px(SPACE_2))
        self.document = document
        self.box, self.bar, self.wrap, self.shift, self.header = box, bar, wrap, 0, 0
        self.caption, self.source = "", ""
        self.buttons: tuple[tuple[str, str, str], ...] = ()
        self.caret = False
        self.refit()

    @property
    def padding(self) -> tuple[int, int]:
        """Space left and right of the text, and above and below it."""
        if self.box:
            return theme().px(SPACE_3), theme().px(SPACE_2)
        return (theme().px(SPACE_3) if self.bar else 0), 0

    def set_header(self, caption: str, buttons: tuple[tuple[str, str, str], ...]) -> None:
        """A line above the text: words at the left, (name, label, icon) at the right."""
        self.caption, self.buttons = caption, buttons
        self.header = theme().px(CONTROL_HEIGHT_COMPACT)
        self.refit()

    def refit(self) -> None:
        """Lay the text out for the width and take its height."""
        across, above = self.padding
        room = self.width - 2 * across if self.box else self.width - across
        if self.wrap:
            self.document.setTextWidth(room)
        else:
            self.document.setTextWidth(-1)
            self.document.setTextWidth(max(room, self.document.idealWidth()))
        size: QSizeF = self.document.documentLayout().documentSize()
        self.wide = max(0, round(size.width()) - room)
        self.height = round(size.height()) + 2 * above + (max(self.header - above, 0) if self.header else 0)

    @property
    def text_rect(self) -> QRect:
        """Where the text is, in row coordinates."""
        across, above = self.padding
        top = self.y + (self.header or above)
        right = across if self.box else 0
        bottom = self.y + self.height - above
        return QRect(self.x + across, top, self.width - across - right, bottom - top)

    def paint(self, painter: QPainter, selection: tuple[int, int] | None, ratio: float) -> None:
        """Paint the box, its header and the text with what is selected."""
        look = theme()
        frame = QRect(self.x, self.y, self.width, self.height)
        if self.box:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.color("sunken"))
            painter.drawRoundedRect(frame, look.px(RADIUS_CONTROL), look.px(RADIUS_CONTROL))
        if self.bar:
            painter.fillRect(QRect(self.x, self.y, look.px(SPACE_1) // 2 + 1, self.height), look.color(self.bar))
        if self.header:
            self._paint_header(painter, ratio)
        rect = self.text_rect
        painter.save()
        painter.setClipRect(rect.adjusted(-1, 0, 1, 0), Qt.ClipOperation.IntersectClip)
        painter.translate(rect.left() - self.shift, rect.top())
        clip = painter.clipBoundingRect()
        context = QAbstractTextDocumentLayout.PaintContext()
        context.clip = clip
        context.palette.setColor(QPalette.ColorRole.Text, look.color("text"))
        if selection is not None:
            context.selections = [_selected(self.document, selection, look.color("selection"))]
        self.document.documentLayout().draw(painter, context)
        if isinstance(self.document, StillDocument):
            self._paint_tasks(painter, self.document, ratio)
        if self.caret:
            self._paint_caret(painter)
        painter.restore()
        if self.wide:
            self._paint_scroll(painter)

    def _paint_header(self, painter: QPainter, ratio: float) -> None:
        look = theme()
        across, _ = self.padding
        painter.setFont(look.font(CAPTION))
        painter.setPen(look.color("muted"))
        _text(painter, QRect(self.x + across, self.y, self.width // 2, self.header), self.caption)
        for hit, (_, label, icon) in zip(self.hits(), self.buttons, strict=True):
            side = look.px(ICON_LINE)
            top = hit.rect.center().y() - side // 2
            painter.drawPixmap(QPoint(hit.rect.left(), top), pixmap(icon, "muted", ICON_LINE, ratio))
            text = hit.rect.adjusted(side + look.px(SPACE_1), 0, 0, 0)
            _text(painter, text, label)

    @staticmethod
    def _paint_tasks(painter: QPainter, document: StillDocument, ratio: float) -> None:
        look = theme()
        side = look.px(ICON_LINE)
        for number, done in document.tasks:
            block = document.findBlockByNumber(number)
            rect = document.documentLayout().blockBoundingRect(block)
            line = block.layout().lineAt(0)
            left = rect.left() + (line.x() if line.isValid() else 0) - side - look.px(SPACE_1)
            spot = QPointF(left, rect.top() + (line_height() - side) / 2)
            icon = ("circle-check", "success") if done else ("circle", "muted")
            painter.drawPixmap(spot, pixmap(*icon, ICON_LINE, ratio))

    def _paint_caret(self, painter: QPainter) -> None:
        look = theme()
        block = self.document.lastBlock()
        rect = self.document.documentLayout().blockBoundingRect(block)
        line = block.layout().lineForTextPosition(max(0, block.length() - 1))
        if not line.isValid():
            return
        left = line.naturalTextWidth() + line.x()
        size = look.font().pixelSize()
        top = rect.top() + line.y() + (line.height() - size) / 2
        painter.fillRect(QRectF(rect.left() + left + look.px(2), top, look.px(SPACE_2), size), look.color("accent"))

    def _paint_scroll(self, painter: QPainter) -> None:
        look = theme()
        rect = self.text_rect
        whole = rect.width() + self.wide
        size = max(look.px(SPACE_5), rect.width() * rect.width() // whole)
        left = rect.left() + (rect.width() - size) * self.shift // max(1, self.wide)
        bar = QRectF(left, self.y + self.height - look.px(SPACE_1), size, look.px(SPACE_1) / 2)
        painter.fillRect(bar, look.color("control"))

    def hits(self) -> list[Hit]:
        """The buttons of the header."""
        look = theme()
        metrics = QFontMetrics(look.font(CAPTION))
        right = self.x + self.width - look.px(SPACE_2)
        found: list[Hit] = []
        for name, label, _ in reversed(self.buttons):
            wide = look.px(ICON_LINE) + look.px(SPACE_1) + metrics.horizontalAdvance(label)
            right -= wide
            found.insert(0, Hit(name, QRect(right, self.y, wide, self.header), label, self.source))
            right -= look.px(SPACE_3)
        return found

    def offset_at(self, point: QPoint) -> int:
        """The character position nearest to a point in row coordinates."""
        rect = self.text_rect
        place = QPointF(point - rect.topLeft()) + QPointF(self.shift, 0)
        if point.y() < rect.top():
            return 0
        if point.y() > rect.bottom():
            return self.document.characterCount() - 1
        return max(0, self.document.documentLayout().hitTest(place, Qt.HitTestAccuracy.FuzzyHit))

    def link_at(self, point: QPoint) -> str:
        """The target of the link at a point in row coordinates, "" if there is none."""
        place = QPointF(point - self.text_rect.topLeft()) + QPointF(self.shift, 0)
        return self.document.documentLayout().anchorAt(place)


def _selected(
    document: QTextDocument, selection: tuple[int, int], color: QColor
) -> QAbstractTextDocumentLayout.Selection:
    part = QAbstractTextDocumentLayout.Selection()
    cursor = QTextCursor(document)
    last = document.characterCount() - 1
    cursor.setPosition(min(selection[0], last))
    cursor.setPosition(min(selection[1], last), QTextCursor.MoveMode.KeepAnchor)
    part.cursor = cursor
    look = part.format
    look.setBackground(color)
    part.format = look
    return part


def line_height(scale: float = BODY) -> int:
    """The height of a line of text at a scale of the body size."""
    return round(theme().font(scale).pixelSize() * LINE_HEIGHT)
