"""Small parts that the pages of the PR tab share: lines and columns, the list of rows and how a row is painted."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLayout,
    QListView,
    QSplitter,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop.ui.models.keyed_rows import ROW_ROLE
from desktop.ui.pulls.rows import PullRow, PullRows
from desktop.ui.text.direction import paint_as_read
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.row_ground import paint_row_ground
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, ICON_LINE, SIDEBAR_ROW, SPACE_2, SPACE_3, TABLE_ROW
from desktop.ui.widgets.layouts.edge_fade import EdgeFade
from desktop.ui.widgets.layouts.gaps import set_gaps

_INSET, _GAP = 6, 2
_ICON_LEFT, _TEXT_LEFT = 14, 38
_TITLE_MIDDLE, _DETAIL_MIDDLE = 14, 31


def line_of(*parts: QWidget, margins: tuple[int, int, int, int] = (SPACE_3, 0, SPACE_2, 0)) -> QHBoxLayout:
    """Widgets side by side."""
    row = QHBoxLayout()
    set_gaps(row, margins, SPACE_2)
    for part in parts:
        row.addWidget(part)
    return row


def column_in(
    parent: QWidget,
    *parts: QWidget | QLayout,
    margins: tuple[int, int, int, int] = (0, 0, 0, 0),
    spacing: int = SPACE_2,
) -> QVBoxLayout:
    """Widgets and layouts one under the other; the last takes what is left."""
    column = QVBoxLayout(parent)
    set_gaps(column, margins, spacing)
    for number, part in enumerate(parts):
        stretch = int(number == len(parts) - 1)
        if isinstance(part, QLayout):
            column.addLayout(part, stretch)
        else:
            column.addWidget(part, stretch)
    return column


class PullDelegate(QStyledItemDelegate):
    """Paints a PullRow: a heading, one line, or two where it has a detail."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """A fixed height at the zoom in force, by what the row has."""
        row: PullRow = index.data(ROW_ROLE)
        return QSize(theme().px(SIDEBAR_ROW), theme().px(SIDEBAR_ROW if row.detail else TABLE_ROW))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row; the selected one is filled and bold."""
        row: PullRow = index.data(ROW_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.heading:
            self._heading(painter, option.rect, row)
        else:
            selected = bool(option.state & QStyle.StateFlag.State_Selected)
            inset = theme().px(_INSET)
            paint_row_ground(painter, option, QRectF(option.rect).adjusted(inset, 1, -inset, -1))
            self._row(painter, option.rect, row, selected=selected)
        painter.restore()

    def _heading(self, painter: QPainter, rect: QRect, row: PullRow) -> None:
        font = theme().font(CAPTION, semibold=True)
        font.setCapitalization(QFont.Capitalization.AllUppercase)
        painter.setFont(font)
        painter.setPen(theme().color("muted"))
        box = rect.adjusted(theme().px(SPACE_3), theme().px(_GAP * 2), 0, 0)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, row.title)

    def _row(self, painter: QPainter, rect: QRect, row: PullRow, *, selected: bool) -> None:
        px = theme().px
        middle = rect.top() + px(_GAP + _TITLE_MIDDLE) if row.detail else rect.center().y() + 1
        side = px(ICON_LINE)
        painter.drawPixmap(rect.left() + px(_ICON_LEFT), middle - side // 2, pixmap(*row.icon, ICON_LINE))
        right = rect.right() - px(SPACE_3)
        if row.figures:
            right = self._figures(painter, QRect(rect.left(), middle, right - rect.left(), 0), row) - px(SPACE_2)
        left = rect.left() + px(_TEXT_LEFT)
        token = "muted" if row.muted else "text"
        self._words(painter, QRect(left, middle, right - left, 0), row.title, theme().font(semibold=selected), token)
        if row.detail:
            below = QRect(left, rect.top() + px(_GAP + _DETAIL_MIDDLE), rect.right() - px(SPACE_3) - left, 0)
            self._words(painter, below, row.detail, theme().font(CAPTION), "muted")

    def _figures(self, painter: QPainter, at: QRect, row: PullRow) -> int:
        font = theme().font(CAPTION)
        metrics = QFontMetrics(font)
        right = at.right()
        painter.setFont(font)
        parts = row.figures.split(" ") if row.figures[0] in "+−" else [row.figures]
        for part in reversed(parts):
            width = metrics.horizontalAdvance(part)
            painter.setPen(theme().color({"+": "success", "−": "danger"}.get(part[0], row.role)))
            box = QRect(right - width, at.top() - metrics.height() // 2, width, metrics.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, part)
            right -= width + metrics.horizontalAdvance(" ")
        return right

    def _words(self, painter: QPainter, at: QRect, text: str, font: QFont, token: str) -> None:
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setPen(theme().color(token))
        box = QRect(at.left(), at.top() - metrics.height() // 2, at.width(), metrics.height())
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, at.width()))
        paint_as_read(painter, shown)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute
        painter.drawText(box, left | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)


class PullList(QListView):
    """A list of PullRows. Letters are left to the panel: they are its keys."""

    def __init__(self, model: PullRows, name: str, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows = model
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setProperty("kind", "side")
        self.setModel(model)
        self.setItemDelegate(PullDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)
        EdgeFade(self, "canvas")
        theme().changed.connect(self.doItemsLayout)

    @property
    def key(self) -> str:
        """The key of the current row, "" for none."""
        row = self.currentIndex().data(ROW_ROLE)
        return row.key if isinstance(row, PullRow) and not row.heading else ""

    def choose(self, key: str) -> bool:
        """Make a row the current one; False if it is not listed."""
        at = self._rows.index_of(key)
        if at >= 0:
            self.setCurrentIndex(self._rows.index(at, 0))
        return at >= 0

    def choose_first(self) -> None:
        """Make the first row that is no heading the current one."""
        first = next((row.key for row in self._rows.rows if not row.heading), "")
        if first:
            self.choose(first)

    def step(self, step: int) -> None:
        """Go to the next (1) or previous (-1) row."""
        keys = [row.key for row in self._rows.rows if not row.heading]
        if keys:
            here = keys.index(self.key) if self.key in keys else -step if step > 0 else len(keys)
            self.choose(keys[min(max(0, here + step), len(keys) - 1)])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """No search by typing."""
        if event.text() and event.text().isprintable():
            event.ignore()
        else:
            super().keyPressEvent(event)


class ListOverDetail(QSplitter):
    """A list above what is chosen in it. Until a person moves the line between them, the list is as high as its rows,
    and never more than its `share` of the room."""

    def __init__(self, name: str, listed: QListView, detail: QWidget, share: float, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._list, self._share, self._moved = listed, share, False
        self.setObjectName(name)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(max(1, theme().px(1)))
        self.addWidget(listed)
        self.addWidget(detail)
        self.splitterMoved.connect(self._on_moved)
        rows = listed.model()
        for changed in (rows.rowsInserted, rows.rowsRemoved, rows.dataChanged, rows.modelReset):
            changed.connect(self.fit)

    def set_share(self, share: float) -> None:
        """Set the part of the room (0 to 1) that the list takes at most; what is chosen in it stays in sight."""
        if share != self._share:
            self._share = share
            self.fit()
            self._list.scrollTo(self._list.currentIndex())

    def fit(self) -> None:
        """Share the room anew."""
        room = self.height() - self.handleWidth()
        if self._moved or room <= 0:
            return
        most, wanted = round(room * self._share), theme().px(SPACE_2)
        for row in range(self._list.model().rowCount()):
            wanted += self._list.sizeHintForRow(row)
            if wanted >= most:
                break
        upper = min(wanted, most)
        if self.sizes() != [upper, room - upper]:
            self.setSizes([upper, room - upper])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """More room, or less."""
        super().resizeEvent(event)
        self.fit()

    def _on_moved(self) -> None:
        self._moved = True
