"""DocumentPiece: a text document inside a transcript row, with its box, header, selection and sideways scrolling."""

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QFontMetrics,
    QPainter,
    QPalette,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)

from desktop.ui.chats.transcript.painting.pieces import Piece, PieceHit, draw_text, line_height, paint_edge
from desktop.ui.text.markdown import StillDocument
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import (
    CAPTION,
    CONTROL_HEIGHT_COMPACT,
    ICON_LINE,
    RADIUS_CONTROL,
    SPACE_1,
    SPACE_2,
    SPACE_3,
    SPACE_5,
)


class DocumentPiece(Piece):
    """A text document; in a sunken box when `box`, with a bar at its left when `bar` names a colour.

    Text wider than the piece is scrolled sideways (`shift`), inside the piece only. `marks`: what was found,
    `marked`: the number of the one among them that a person is at, if it is one of these.
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
        self.marks: tuple[tuple[int, int], ...] = ()
        self.marked = -1
        self._hits: tuple[tuple[object, ...], list[PieceHit]] = ((), [])
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
        if self.wrap:
            self.document.setTextWidth(self._room)
        else:
            self.document.setTextWidth(-1)
            self.document.setTextWidth(max(self._room, self.document.idealWidth()))
        self._measure()

    def grown(self) -> None:
        """Take the height after something was added at the end; of code only that is laid out."""
        width = self._room if self.wrap else max(self._room, self.document.idealWidth())
        if width != self.document.textWidth():
            self.document.setTextWidth(width)
        self.lasting, self.picture = False, None
        self._measure()

    @property
    def _room(self) -> int:
        across, _ = self.padding
        return self.width - 2 * across if self.box else self.width - across

    def _measure(self) -> None:
        room, (_, above) = self._room, self.padding
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
        left = self.x if self._runs_left else self.x + across
        return QRect(left, top, self.width - across - right, bottom - top)

    @property
    def _runs_left(self) -> bool:
        """Whether a text with a bar begins at the right, where its bar stands then."""
        return bool(self.bar) and self.document.firstBlock().textDirection() == Qt.LayoutDirection.RightToLeft

    def paint(self, painter: QPainter, selection: tuple[int, int] | None, ratio: float) -> None:
        """Paint the box, its header and the text with what is selected."""
        look = theme()
        frame = QRect(self.x, self.y, self.width, self.height)
        if self.box:
            painter.setBrush(look.color("sunken"))
            paint_edge(painter, frame, look.px(RADIUS_CONTROL))
        if self.bar:
            wide = look.px(SPACE_1) // 2 + 1
            left = frame.right() + 1 - wide if self._runs_left else self.x
            painter.fillRect(QRect(left, self.y, wide, self.height), look.color(self.bar))
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
        chosen = [(span, "selection" if at == self.marked else "warning_bg") for at, span in enumerate(self.marks)]
        chosen += [(selection, "selection")] if selection else []
        if chosen:
            context.selections = [_selected(self.document, span, token) for span, token in chosen]
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
        draw_text(painter, QRect(self.x + across, self.y, self.width // 2, self.header), self.caption)
        for hit, (_, label, icon) in zip(self.hits(), self.buttons, strict=True):
            side = look.px(ICON_LINE)
            top = hit.rect.center().y() - side // 2
            painter.drawPixmap(QPoint(hit.rect.left(), top), pixmap(icon, "muted", ICON_LINE, ratio))
            text = hit.rect.adjusted(side + look.px(SPACE_1), 0, 0, 0)
            draw_text(painter, text, label)

    @staticmethod
    def _paint_tasks(painter: QPainter, document: StillDocument, ratio: float) -> None:
        look = theme()
        side = look.px(ICON_LINE)
        for number, done in document.tasks:
            block = document.findBlockByNumber(number)
            rect = document.documentLayout().blockBoundingRect(block)
            line = block.layout().lineAt(0)
            left = rect.left() + (line.x() if line.isValid() else 0) - side - look.px(SPACE_1)
            if line.isValid() and block.textDirection() == Qt.LayoutDirection.RightToLeft:
                left = rect.left() + line.x() + line.width() + look.px(SPACE_1)
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
        box = line.naturalTextRect()
        size = look.font().pixelSize()
        top = rect.top() + line.y() + (line.height() - size) / 2
        left = box.right() + look.px(2)
        if block.textDirection() == Qt.LayoutDirection.RightToLeft:
            left = box.left() - look.px(2) - look.px(SPACE_2)
        painter.fillRect(QRectF(rect.left() + left, top, look.px(SPACE_2), size), look.color("accent"))

    def _paint_scroll(self, painter: QPainter) -> None:
        look = theme()
        rect = self.text_rect
        whole = rect.width() + self.wide
        size = max(look.px(SPACE_5), rect.width() * rect.width() // whole)
        left = rect.left() + (rect.width() - size) * self.shift // max(1, self.wide)
        bar = QRectF(left, self.y + self.height - look.px(SPACE_1), size, look.px(SPACE_1) / 2)
        painter.fillRect(bar, look.color("control"))

    def hits(self) -> list[PieceHit]:
        """The buttons of the header."""
        key = (self.x, self.y, self.width, self.buttons, self.source)
        if self.buttons and self._hits[0] != key:
            self._hits = (key, self._placed_buttons())
        return self._hits[1] if self.buttons else []

    def _placed_buttons(self) -> list[PieceHit]:
        look = theme()
        metrics = QFontMetrics(look.font(CAPTION))
        right = self.x + self.width - look.px(SPACE_2)
        found: list[PieceHit] = []
        for name, label, _ in reversed(self.buttons):
            wide = look.px(ICON_LINE) + look.px(SPACE_1) + metrics.horizontalAdvance(label)
            right -= wide
            found.insert(0, PieceHit(name, QRect(right, self.y, wide, self.header), label, self.source))
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


def _selected(document: QTextDocument, selection: tuple[int, int], token: str) -> QAbstractTextDocumentLayout.Selection:
    part = QAbstractTextDocumentLayout.Selection()
    cursor = QTextCursor(document)
    last = document.characterCount() - 1
    cursor.setPosition(min(selection[0], last))
    cursor.setPosition(min(selection[1], last), QTextCursor.MoveMode.KeepAnchor)
    part.cursor = cursor
    look = part.format
    look.setBackground(theme().color(token))
    if token != "selection":
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        look.setUnderlineColor(theme().color("warning"))
    part.format = look
    return part
