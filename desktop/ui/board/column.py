"""BoardColumn: the chats of one state as painted cards, reached by keys."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.ui.board.cards import BoardCard, BoardModel, Column
from desktop.ui.chats.transcript.painting.layout import Recent
from desktop.ui.models.keyed_rows import KEY_ROLE, ROW_ROLE
from desktop.ui.sidebar.delegate import age_kept, broken_title
from desktop.ui.text.direction import paint_as_read
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, ICON_LINE, RADIUS_CARD, SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.layouts.edge_fade import EdgeFade

_PICTURES_KEPT = 30
_Index = QModelIndex | QPersistentModelIndex


class _CardDelegate(QStyledItemDelegate):
    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view
        self._hints: dict[tuple[str, int], QSize] = {}
        self._pictures: Recent[tuple[object, QPixmap]] = Recent(_PICTURES_KEPT)
        theme().changed.connect(self._hints.clear)
        theme().changed.connect(self._pictures.clear)

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Asked for every card of a column in which one comes or goes."""
        card: BoardCard = index.data(ROW_ROLE)
        width = self._view.width()
        hint = self._hints.get((card.title, width))
        if hint is None:
            look = theme()
            first, second = QFontMetrics(look.font()).height(), QFontMetrics(look.font(CAPTION)).height()
            height = len(self._title(card)) * first + 3 * second
            hint = self._hints[card.title, width] = QSize(0, height + look.px(2 * SPACE_2 + 3 * SPACE_1 + SPACE_2))
        return hint

    def _title(self, card: BoardCard) -> tuple[str, ...]:
        """In the width beside a scroll bar, so that one that comes moves no word."""
        bar, px = self._view.verticalScrollBar().sizeHint().width(), theme().px
        return broken_title(card.title, self._view.width() - bar - px(SPACE_3 + ICON_LINE + 2 * SPACE_2), bold=True)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """From its picture: all cards below one that comes or goes are painted elsewhere."""
        card: BoardCard = index.data(ROW_ROLE)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        focused = chosen and bool(option.state & QStyle.StateFlag.State_HasFocus)
        ratio = option.widget.devicePixelRatio() if option.widget is not None else 1.0
        shown = card, option.rect.size(), chosen, focused, ratio
        kept = self._pictures.get(card.key)
        if kept is None or kept[0] != shown:
            kept = shown, self._picture(*shown)
            self._pictures.put(card.key, kept)
        painter.drawPixmap(option.rect.topLeft(), kept[1])

    def _picture(self, card: BoardCard, size: QSize, chosen: bool, focused: bool, ratio: float) -> QPixmap:
        picture = QPixmap(size * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(theme().color("surface"))
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint(painter, card, QRect(QPoint(), size), "accent" if focused else "border", chosen)
        painter.end()
        return picture

    def _paint(self, painter: QPainter, card: BoardCard, area: QRect, edge: str, chosen: bool) -> None:
        look = theme()
        px = look.px
        rect = area.adjusted(0, px(SPACE_1), 0, -px(SPACE_1))
        painter.setPen(look.color(edge))
        painter.setBrush(look.color("selection" if chosen else "raised"))
        painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), px(RADIUS_CARD), px(RADIUS_CARD))
        inner = rect.adjusted(px(SPACE_3), px(SPACE_2), -px(SPACE_2), -px(SPACE_2))
        side, gap = px(ICON_LINE), px(SPACE_1)
        bold, small = look.font(semibold=True), look.font(CAPTION)
        height, low = QFontMetrics(bold).height(), QFontMetrics(small).height()
        ratio = painter.device().devicePixelRatio()
        at = inner.left(), inner.top() + (height - side) // 2
        painter.drawPixmap(*at, pixmap(card.icon, card.token, ICON_LINE, ratio))
        left = inner.left() + side + px(SPACE_2)
        width, top = max(0, inner.right() + 1 - left), inner.top()
        for text in self._title(card):
            self._line(painter, QRect(left, top, width, height), text, "text", bold)
            top += height
        left, width = inner.left(), inner.width()
        top += gap
        for text, token in ((age_kept(card.words, width), "text"), (card.lane, "muted"), (card.figures, "muted")):
            self._line(painter, QRect(left, top, width, low), text, token, small)
            top += low + gap

    def _line(self, painter: QPainter, rect: QRect, text: str, token: str, font: QFont) -> None:
        painter.setFont(font)
        painter.setPen(theme().color(token))
        paint_as_read(painter, text)
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(rect, side | Qt.TextFlag.TextSingleLine, shown)


class BoardColumn(QListView):
    """`opened`: the chat that a person wants to see; `stepped`: the keys go to the column at the left (-1) or the
    right (1)."""

    opened = Signal(str)
    stepped = Signal(int)

    def __init__(self, column: Column, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.heading = title
        self.cards = BoardModel(column, self)
        self.setObjectName(f"board_{column}")
        self.setAccessibleName(title)
        self.setModel(self.cards)
        self.setItemDelegate(_CardDelegate(self))
        self.setWordWrap(True)  # laid out anew at another width, where titles may need fewer lines
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setFrameShape(QListView.Shape.NoFrame)
        EdgeFade(self, "surface")
        self.clicked.connect(self._open)
        theme().changed.connect(self.doItemsLayout)

    def take_focus(self) -> None:
        """The keys go here, to the first card where none is chosen."""
        self.setFocus()
        if not self.currentIndex().isValid() and self.cards.rows:
            self.setCurrentIndex(self.cards.index(0, 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens; Left and Right go to the next column."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open(self.currentIndex())
        elif event.key() in steps:
            self.stepped.emit(steps[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def _open(self, index: QModelIndex) -> None:
        if index.isValid():
            self.opened.emit(str(index.data(KEY_ROLE)).removeprefix("session:"))
