"""PickList: entries to choose from, one or two lines each, drawn the same in every picker and popup."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.text.direction import paint_as_read
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.row_ground import paint_chosen_edge
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import (
    BODY,
    CAPTION,
    CONTROL_HEIGHT,
    ICON_LINE,
    RADIUS_CONTROL,
    SIDEBAR_ROW,
    SPACE_1,
    SPACE_2,
    SPACE_3,
)
from desktop.ui.widgets.layouts.edge_fade import EdgeFade

_KEY_ROLE = Qt.ItemDataRole.UserRole + 1
_ITEM_ROLE = Qt.ItemDataRole.UserRole + 2
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class PickItem:
    """One entry of a picker. `detail` stands muted after the title, `keys` at the right, `below` in a second line: all
    entries of a picker have one or none has. All texts are display-safe."""

    key: str
    title: str
    detail: str = ""
    keys: str = ""
    icon: str = ""
    chosen: bool = False
    below: str = ""

    @property
    def height(self) -> int:
        """The height of its row at 100 %."""
        return SIDEBAR_ROW if self.below else CONTROL_HEIGHT


class _Items(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.items: list[PickItem] = []

    def take(self, items: list[PickItem]) -> None:
        if self.items:
            self.beginRemoveRows(QModelIndex(), 0, len(self.items) - 1)
            self.items = []
            self.endRemoveRows()
        if items:
            self.beginInsertRows(QModelIndex(), 0, len(items) - 1)
            self.items = items
            self.endInsertRows()

    def rowCount(self, parent: _Index | None = None) -> int:
        return len(self.items)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not 0 <= index.row() < len(self.items):
            return None
        item = self.items[index.row()]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(part for part in (item.title, item.detail, item.below, item.keys) if part)
        return {Qt.ItemDataRole.DisplayRole: item.title, _KEY_ROLE: item.key, _ITEM_ROLE: item}.get(role)


class _PickDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        item: PickItem = index.data(_ITEM_ROLE)
        return QSize(0, theme().px(item.height))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        item: PickItem = index.data(_ITEM_ROLE)
        px = theme().px
        rect = option.rect.adjusted(px(SPACE_1), 0, -px(SPACE_1), 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme().color("selection"))
            painter.drawRoundedRect(rect, px(RADIUS_CONTROL), px(RADIUS_CONTROL))
        if option.state & QStyle.StateFlag.State_Selected:
            paint_chosen_edge(painter, QRectF(rect))
        rect = rect.adjusted(px(SPACE_2), 0, -px(SPACE_2), 0)
        side = px(ICON_LINE)
        name = "check" if item.chosen else item.icon
        if name:
            ratio = option.widget.devicePixelRatio() if option.widget is not None else 1.0
            shape = pixmap(name, "accent" if item.chosen else "muted", ICON_LINE, ratio)
            painter.drawPixmap(rect.left(), rect.top() + (rect.height() - side) // 2, shape)
        rect.setLeft(rect.left() + side + px(SPACE_2))
        rect.setRight(rect.right() - self._text(painter, rect, item.keys, "muted", right=True))
        if item.below:
            rect = self._two_lines(painter, rect, item.below)
        rect.setLeft(rect.left() + self._text(painter, rect, item.title, "text"))
        self._text(painter, rect, item.detail, "muted")
        painter.restore()

    def _two_lines(self, painter: QPainter, rect: QRect, below: str) -> QRect:
        """Draw the second line; where the first one goes."""
        first, second = QFontMetrics(theme().font()).height(), QFontMetrics(theme().font(CAPTION)).height()
        top = rect.top() + (rect.height() - first - second) // 2
        self._text(painter, QRect(rect.left(), top + first, rect.width(), second), below, "muted", scale=CAPTION)
        return QRect(rect.left(), top, rect.width(), first)

    def _text(
        self, painter: QPainter, rect: QRect, text: str, token: str, *, right: bool = False, scale: float = BODY
    ) -> int:
        """Draw one elided line; the width it took with a gap."""
        if not text or rect.width() <= 0:
            return 0
        font = theme().font(scale)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setPen(theme().color(token))
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        paint_as_read(painter, shown)
        side |= Qt.AlignmentFlag.AlignAbsolute
        painter.drawText(rect, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
        return metrics.horizontalAdvance(shown) + theme().px(SPACE_3)


class PickList(QListView):
    """Takes no focus: a field beside it has the keys. A click on an entry is `clicked`."""

    def __init__(self, object_name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._items = _Items(self)
        self.setObjectName(object_name)
        self.setAccessibleName(tr("Results"))
        self.setProperty("kind", "list")
        self.setModel(self._items)
        self.setItemDelegate(_PickDelegate(self))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setUniformItemSizes(True)
        EdgeFade(self, "raised")

    @property
    def items(self) -> list[PickItem]:
        """The entries that are listed."""
        return self._items.items

    def show_items(self, items: Sequence[PickItem]) -> None:
        """List these, the first one chosen."""
        self._items.take(list(items))
        self.setCurrentIndex(self._items.index(0, 0))

    def step(self, step: int) -> None:
        """Choose an entry further down, or up."""
        count = self._items.rowCount()
        if count:
            at = min(max(self.currentIndex().row() + step, 0), count - 1)
            self.setCurrentIndex(self._items.index(at, 0))

    def key_at(self, index: _Index) -> str:
        """The key of an entry, "" for none."""
        key = index.data(_KEY_ROLE)
        return key if isinstance(key, str) else ""
