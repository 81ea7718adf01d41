"""How a row of two lines is painted in a list of the inspector: a changed file, a checkpoint."""

from typing import Protocol

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.ui.models.keyed_rows import ROW_ROLE
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.row_ground import paint_row_ground
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, ICON_LINE, SIDEBAR_ROW, SPACE_3
from desktop.ui.widgets.layouts.edge_fade import EdgeFade

_INSET, _GAP = 6, 2
_ICON_LEFT, _TEXT_LEFT = 14, 38
_TITLE_MIDDLE, _DETAIL_MIDDLE = 14, 31
TITLE_LINE = _GAP + _TITLE_MIDDLE
"""From the top of a row to the middle of its upper line."""


class TwoLines(Protocol):
    """A row of a list: an icon with its colour, a line, and a small one under it."""

    @property
    def icon(self) -> tuple[str, str]:
        """Icon and colour."""

    @property
    def title(self) -> str:
        """The upper line, as it may be shown."""

    @property
    def detail(self) -> str:
        """The lower line, as it may be shown."""


class FileDelegate(QStyledItemDelegate):
    """Paints one row of two lines, as high as a row of the sidebar. `cut`: where a title goes that has no
    room; the end of a path says more than its middle."""

    cut = Qt.TextElideMode.ElideMiddle

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """A fixed height at the zoom in force."""
        return QSize(theme().px(SIDEBAR_ROW * 2), theme().px(theme().dense(SIDEBAR_ROW)))

    def reserved(self, index: QModelIndex | QPersistentModelIndex) -> int:
        """Pixels at the right end of the upper line that are for something else."""
        return 0

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row; the selected one is filled and bold."""
        row: TwoLines = index.data(ROW_ROLE)
        rect: QRect = option.rect
        px = theme().px
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(rect).adjusted(px(_INSET), px(_GAP), -px(_INSET), -px(_GAP))
        paint_row_ground(painter, option, box)
        icon_name, token = row.icon
        side = px(ICON_LINE)
        middle = rect.top() + px(theme().dense(TITLE_LINE))
        painter.drawPixmap(rect.left() + px(_ICON_LEFT), middle - side // 2, pixmap(icon_name, token, ICON_LINE))
        free = QRect(rect).adjusted(0, 0, -self.reserved(index), 0)
        self._line(painter, free, middle, (row.title, "text"), selected=selected)
        middle = rect.top() + px(theme().dense(_GAP + _DETAIL_MIDDLE))
        self._line(painter, rect, middle, (row.detail, "muted"), caption=True)
        painter.restore()

    def _line(
        self,
        painter: QPainter,
        rect: QRect,
        middle: int,
        words: tuple[str, str],
        *,
        selected: bool = False,
        caption: bool = False,
    ) -> None:
        text, token = words
        font = theme().font(CAPTION) if caption else theme().font(semibold=selected)
        metrics = QFontMetrics(font)
        left = rect.left() + theme().px(_TEXT_LEFT)
        width = rect.right() - theme().px(SPACE_3) - left
        painter.setFont(font)
        painter.setPen(theme().color(token))
        place = QRect(left, middle - metrics.height() // 2, width, metrics.height())
        mode = Qt.TextElideMode.ElideRight if caption else self.cut
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, metrics.elidedText(text, mode, width))


def row_list(
    owner: QWidget, name: str, says: str, model: QAbstractItemModel, delegate: type[FileDelegate] = FileDelegate
) -> QListView:
    """A list of such rows. `name` is that of the object, `says` what it lists, for assistive technology."""
    view = QListView(owner)
    view.setObjectName(name)
    view.setAccessibleName(says)
    view.setProperty("kind", "side")
    view.setModel(model)
    view.setItemDelegate(delegate(view))
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setUniformItemSizes(True)
    view.setMouseTracking(True)
    EdgeFade(view, "canvas")
    return view
