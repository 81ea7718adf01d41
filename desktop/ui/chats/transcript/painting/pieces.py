"""Pieces: what a transcript row is painted from, stacked from top to bottom, each with its height and hit areas."""

from collections.abc import Hashable

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import (
    QFontMetrics,
    QPainter,
    QPixmap,
)

from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.chats.transcript.painting.icons import RUNNING_ICON
from desktop.ui.text.direction import paint_as_read
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
class PieceHit:
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
    `lasting`: a later layout took it over, so it probably stays as it is; `picture`: how it then looks.
    """

    def __init__(self, x: int, width: int, height: int, gap: int = 0) -> None:
        self.x, self.y, self.width, self.height, self.gap = x, 0, width, height, gap
        self.reuse: Hashable | None = None
        self.lasting = False
        self.picture: QPixmap | None = None

    def paint(self, painter: QPainter, selection: tuple[int, int] | None, ratio: float) -> None:
        """Paint with the row's top left at (0, 0). `selection`: selected characters of its document."""

    def paint_kept(self, painter: QPainter, ratio: float) -> None:
        """Paint without a selection, on the plain ground, from the picture; it is made if it is not there."""
        edge = theme().px(SPACE_1)
        if self.picture is None or self.picture.devicePixelRatio() != ratio:
            self.picture = QPixmap(round((self.width + 2 * edge) * ratio), round(self.height * ratio))
            self.picture.setDevicePixelRatio(ratio)
            self.picture.fill(theme().color("surface"))
            inner = QPainter(self.picture)
            inner.setRenderHint(QPainter.RenderHint.Antialiasing)
            inner.translate(edge - self.x, -self.y)
            self.paint(inner, None, ratio)
            inner.end()
        painter.drawPixmap(QPoint(self.x - edge, self.y), self.picture)

    def hits(self) -> list[PieceHit]:
        """What can be clicked, in row coordinates."""
        return []


def _elided(painter: QPainter, text: str, width: int) -> str:
    return painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, max(0, width))


def draw_text(painter: QPainter, rect: QRect, text: str, *, right: bool = False) -> None:
    """One line of text, centred in the rectangle's height, at its left or right."""
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    paint_as_read(painter, text)
    side |= Qt.AlignmentFlag.AlignAbsolute
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
    painter.setBrush(look.color(ground))
    paint_edge(painter, rect, height / 2)
    painter.setPen(look.color(ink))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
    return rect.left()


def paint_edge(painter: QPainter, rect: QRect, radius: float) -> None:
    """A rounded box in the painter's brush; where lines tell what tints tell elsewhere, with a line around it."""
    if theme().tokens.is_outlined:
        painter.setPen(theme().color("border"))
        painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(rect, radius, radius)


def line_height(scale: float = BODY) -> int:
    """The height of a line of text at a scale of the body size."""
    return round(theme().font(scale).pixelSize() * LINE_HEIGHT)


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
    """Who speaks, and when: icon, name, time at the right. `ink` of the name: muted, where it is not said any more."""

    def __init__(self, width: int, icon: str, name: str, time: str, ink: str = "text") -> None:
        super().__init__(0, width, theme().px(SPACE_5), gap=0)
        self.icon, self.name, self.time, self.ink = icon, name, time, ink

    def paint(self, painter: QPainter, selection: tuple[int, int] | None, ratio: float) -> None:
        """Paint icon, name and time."""
        look = theme()
        side, indent = look.px(ICON_LINE), look.px(SPACE_5)
        center = self.y + self.height // 2
        token = "accent" if self.ink == "text" else self.ink
        painter.drawPixmap(QPoint(0, center - side // 2), pixmap(self.icon, token, ICON_LINE, ratio))
        painter.setFont(look.font())
        painter.setPen(look.color("muted"))
        draw_text(painter, QRect(0, self.y, self.width, self.height), self.time, right=True)
        painter.setFont(look.font(semibold=True))
        painter.setPen(look.color(self.ink))
        draw_text(painter, QRect(indent, self.y, self.width - 2 * indent, self.height), self.name)


class LinePiece(Piece):
    """One line: icon, title, chips at the right; opens or closes what is under it when it has a toggle.

    `turn`: how many eighths its ring is turned.
    """

    def __init__(
        self, x: int, width: int, icon: tuple[str, str], title: str, chips: tuple[tuple[str, str, str], ...] = ()
    ) -> None:
        super().__init__(x, width, theme().px(theme().dense(TOOL_ROW)))
        self.icon, self.title, self.chips = icon, title, chips
        self.ink, self.toggle, self.opened, self.part = "text", "", False, "row"
        self.arrow = self.hovered = False
        self.turn = 0

    def move_right(self, by: int) -> None:
        """Stand below another line, so far to the right of it."""
        self.x, self.width = self.x + by, self.width - by

    @property
    def is_ring(self) -> bool:
        """Whether the icon is the ring of something that runs."""
        return self.icon[0] == RUNNING_ICON

    @property
    def icon_rect(self) -> QRect:
        """Where the icon is, in row coordinates."""
        side = theme().px(ICON_LINE)
        return QRect(self.x, self.y + self.height // 2 - side // 2, side, side)

    def paint(self, painter: QPainter, selection: tuple[int, int] | None, ratio: float) -> None:
        """Paint icon, title, chevron and chips."""
        look = theme()
        side, indent = look.px(ICON_LINE), look.px(SPACE_5)
        center = self.y + self.height // 2
        name, token = self.icon
        self._paint_icon(painter, pixmap(name, token, ICON_LINE, ratio))
        right = self.x + self.width
        for text, ink, ground in reversed(self.chips):
            right = paint_chip(painter, right, center, text, (ink, ground), self.width // 2) - look.px(SPACE_2)
        left = self.x + indent
        painter.setFont(look.font())
        painter.setPen(look.color(self.ink))
        room = right - left - (side + look.px(SPACE_2) if self.toggle else 0)
        title = _elided(painter, self.title, room)
        draw_text(painter, QRect(left, self.y, room, self.height), title)
        if self.toggle and (self.opened or self.arrow or self.hovered):
            arrow = "chevron-down" if self.opened else "chevron-right"
            end = left + painter.fontMetrics().horizontalAdvance(title) + look.px(SPACE_1)
            painter.drawPixmap(QPoint(end, center - side // 2), pixmap(arrow, "muted", ICON_LINE, ratio))

    def _paint_icon(self, painter: QPainter, picture: QPixmap) -> None:
        rect = self.icon_rect
        if not self.turn:
            painter.drawPixmap(rect.topLeft(), picture)
            return
        middle = QRectF(rect).center()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.translate(middle)
        painter.rotate(self.turn * 45)
        painter.drawPixmap(QRectF(rect).topLeft() - middle, picture)
        painter.restore()

    def hits(self) -> list[PieceHit]:
        """The whole line, when it can be opened."""
        if not self.toggle:
            return []
        name = tr("Close {title}", title=self.title) if self.opened else tr("Open {title}", title=self.title)
        return [PieceHit(self.toggle, QRect(self.x, self.y, self.width, self.height), name, self.part)]


class DividerPiece(Piece):
    """A thin line across with words in its middle."""

    def __init__(self, width: int, text: str, toggle: str = "") -> None:
        super().__init__(0, width, theme().px(theme().dense(TOOL_ROW)))
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

    def hits(self) -> list[PieceHit]:
        """The whole divider, when it can be opened."""
        rect = QRect(0, self.y, self.width, self.height)
        return [PieceHit(self.toggle, rect, self.text, "row")] if self.toggle else []


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

    def hits(self) -> list[PieceHit]:
        """Each button."""
        return [PieceHit(name, self._rect(left, wide), label, self.part) for name, label, left, wide in self.boxes]
