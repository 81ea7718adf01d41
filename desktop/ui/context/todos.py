"""The Todos tab: what the agent plans to do, does and has done; read-only."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QListView,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop.domain.core.update import Update
from desktop.domain.events import Envelope
from desktop.domain.updates import SessionOpened
from desktop.language import tr
from desktop.ui.context.todos_model import TodoModel, TodoRow
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.panel import Panel, PanelSpec
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.models.keyed_rows import ROW_ROLE
from desktop.ui.text.direction import paint_as_read
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.row_ground import paint_chosen_edge
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, ICON_LINE, SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.empty_state import EmptyState
from desktop.ui.widgets.layouts.edge_fade import EdgeFade
from desktop.ui.widgets.layouts.gaps import set_gaps

NOTHING = tr("Nothing planned.")
_ICONS = {
    "in_progress": ("circle-dot", "accent"),
    "pending": ("circle", "muted"),
    "completed": ("circle-check", "success"),
}
_TEXT_LEFT = 38
_WRAP, _WRAP_ANYWHERE = Qt.TextFlag.TextWordWrap, Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextWrapAnywhere


class TodoDelegate(QStyledItemDelegate):
    """Paints one TodoRow, as high as its text needs."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """The height of the wrapped text in the list's width."""
        row: TodoRow = index.data(ROW_ROLE)
        view = option.widget
        width = view.viewport().width() if isinstance(view, QListView) else option.rect.width()
        px = theme().px
        if row.kind == "heading":
            return QSize(width, QFontMetrics(theme().font(CAPTION)).height() + px(SPACE_3) + px(SPACE_1))
        room = self._text_rect(QRect(0, 0, width, 2**16))
        font = theme().font(semibold=row.status == "in_progress")
        text = QFontMetrics(font).boundingRect(room, _wrap(row.text, font, room.width()), row.text)
        return QSize(width, text.height() + px(SPACE_2))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row; what is done is struck through and muted."""
        row: TodoRow = index.data(ROW_ROLE)
        rect: QRect = option.rect
        px = theme().px
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.kind == "heading":
            font = theme().font(CAPTION, semibold=True)
            font.setCapitalization(QFont.Capitalization.AllUppercase)
            painter.setFont(font)
            painter.setPen(theme().color("muted"))
            place = rect.adjusted(px(SPACE_3), 0, 0, -px(SPACE_1))
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, row.text)
            painter.restore()
            return
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme().color("selection"))
            paint_chosen_edge(painter, QRectF(rect))
        icon_name, token = _ICONS[row.status]
        painter.drawPixmap(rect.left() + px(SPACE_3), rect.top() + px(SPACE_1) + 1, pixmap(icon_name, token, ICON_LINE))
        done = row.status == "completed"
        font = theme().font(semibold=row.status == "in_progress")
        font.setStrikeOut(done)
        painter.setFont(font)
        painter.setPen(theme().color("muted" if done else "text"))
        room = self._text_rect(rect).adjusted(0, px(SPACE_1), 0, 0)
        paint_as_read(painter, row.text)
        painter.drawText(room, _wrap(row.text, font, room.width()), row.text)
        painter.restore()

    def _text_rect(self, rect: QRect) -> QRect:
        return rect.adjusted(theme().px(_TEXT_LEFT), 0, -theme().px(SPACE_3), 0)


def _wrap(text: str, font: QFont, width: int) -> Qt.TextFlag:
    """Between words, and inside them only where one is wider than the list."""
    metrics = QFontMetrics(font)
    longest = max((metrics.horizontalAdvance(word) for word in text.split()), default=0)
    return _WRAP if longest <= width else _WRAP_ANYWHERE


class _List(QListView):
    """Lays its rows out again when its width changes."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()


class TodosPanel(Panel):
    """The list under "3 of 7"."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.hearing = Hearing().together((SessionOpened, Envelope), self._on_log)
        self.model = TodoModel(self)
        self.setObjectName("todos_panel")
        self._count = QLabel(self)
        self._count.setTextFormat(Qt.TextFormat.PlainText)
        self._count.setObjectName("todos_count")
        self._count.setProperty("kind", "strong")
        self._count.setContentsMargins(theme().px(SPACE_3), 0, 0, 0)
        self._list = _List(self)
        self._list.setObjectName("todos_list")
        self._list.setAccessibleName(tr("Todos"))
        self._list.setProperty("kind", "side")
        EdgeFade(self._list, "canvas")
        self._list.setModel(self.model)
        self._list.setItemDelegate(TodoDelegate(self._list))
        self._list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._list)
        self._stack.addWidget(EmptyState("list-todo", NOTHING, "", self))
        self._shown: tuple[int, int] | None = None
        column = QVBoxLayout(self)
        set_gaps(column, (0, SPACE_3, 0, 0))
        column.addWidget(self._count)
        column.addWidget(self._stack, 1)
        self._refresh()

    def show_session(self, session_id: str) -> None:
        """Show this chat's todos; "" for none."""
        self.model.show_session(session_id)
        self._refresh()

    def _on_log(self, updates: Sequence[Update]) -> None:
        self.model.apply(updates)
        self._refresh()

    def _refresh(self) -> None:
        done, total = self.model.done_of
        if (done, total) != self._shown:
            self._shown = (done, total)
            self._count.setText(tr("{done} of {total}", done=done, total=total) if total else "")
            self._count.setVisible(bool(total))
            self._stack.setCurrentIndex(0 if total else 1)
            self.counted.emit(total - done)


def _made(_requests: Requests, _clock: Clock, parent: QWidget) -> Panel:
    return TodosPanel(parent)


TODOS = PanelSpec("todos", tr("Todos"), tr("Show todos"), ("Alt+4",), "list-todo", _made)
