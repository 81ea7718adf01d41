"""The list of changed files: folders and files with ticks, icons, words and counts, painted row by row."""

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QHelpEvent, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.changes.changed_tree import ChangedTree, TreeRow
from desktop.ui.changes.diff.painter import paint_tick
from desktop.ui.models.keyed_rows import ROW_ROLE
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.row_ground import paint_row_ground
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, ICON_LINE, SPACE_1, SPACE_2, SPACE_3, TABLE_ROW
from desktop.ui.widgets.elided_label import plain_tooltip
from desktop.ui.widgets.layouts.edge_fade import EdgeFade

_INDENT, _BOX, _INSET = 14, 22, 4
_LEAST_NAME = 90


class ChangedFilesDelegate(QStyledItemDelegate):
    """Paints one row. Where there is little room the words go first; the icon says the same."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """A fixed height at the zoom in force."""
        return QSize(theme().px(TABLE_ROW * 2), theme().px(theme().dense(TABLE_ROW)))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row; the selected one is filled."""
        row: TreeRow = index.data(ROW_ROLE)
        rect: QRect = option.rect
        px = theme().px
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(rect).adjusted(px(_INSET), 1, -px(_INSET), -1)
        paint_row_ground(painter, option, box)
        places = RowPlaces(rect, row)
        if row.tick >= 0:
            paint_tick(painter, places.tick, row.tick)
        self._icon(painter, row, places)
        self._texts(painter, row, places, selected=selected)
        painter.restore()

    def _icon(self, painter: QPainter, row: TreeRow, places: "RowPlaces") -> None:
        name, token = row.icon
        if row.file is None:
            name, token = ("chevron-right" if row.closed else "chevron-down"), "muted"
        side = theme().px(ICON_LINE)
        middle = places.rect.center().y()
        painter.drawPixmap(places.icon, middle - side // 2, pixmap(name, token, ICON_LINE))
        if row.file is not None:
            viewed = pixmap("eye", "accent" if row.viewed else "control", ICON_LINE)
            painter.drawPixmap(places.viewed.center().x() - side // 2, middle - side // 2, viewed)

    def _texts(self, painter: QPainter, row: TreeRow, places: "RowPlaces", *, selected: bool) -> None:
        px, color = theme().px, theme().color
        right, rect = places.viewed.left(), places.rect
        caption, body = theme().font(CAPTION), theme().font(semibold=selected)
        small, name_room = QFontMetrics(caption), QFontMetrics(body).horizontalAdvance(row.name) + px(SPACE_2)
        painter.setFont(caption)
        if row.comments:
            right = self._right(painter, places, right, f"{row.comments} ✎", "warning")
        right = self._figures(painter, row, places, right)
        wide = small.horizontalAdvance(row.words) + px(SPACE_2)
        if row.words and right - places.text - wide >= max(min(name_room, px(_LEAST_NAME * 3)), px(_LEAST_NAME)):
            right = self._right(painter, places, right, row.words, "muted")
        painter.setFont(body)
        painter.setPen(color("muted" if row.viewed or row.file is None else "text"))
        place = QRect(places.text, rect.top(), max(0, right - places.text), rect.height())
        mode = Qt.TextElideMode.ElideMiddle
        painter.drawText(
            place, Qt.AlignmentFlag.AlignVCenter, QFontMetrics(body).elidedText(row.name, mode, place.width())
        )

    def _figures(self, painter: QPainter, row: TreeRow, places: "RowPlaces", right: int) -> int:
        if row.file is None:
            return self._right(painter, places, right, row.figures, "muted") if row.figures else right
        for part in reversed(row.figures.split()):
            right = self._right(painter, places, right, part, "success" if part[0] == "+" else "danger")
        return right

    @staticmethod
    def _right(painter: QPainter, places: "RowPlaces", right: int, text: str, token: str) -> int:
        """Draw a text that ends at `right`; where it begins."""
        width = painter.fontMetrics().horizontalAdvance(text)
        painter.setPen(theme().color(token))
        place = QRect(right - width, places.rect.top(), width, places.rect.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)
        return right - width - theme().px(SPACE_1 + 2)


class RowPlaces:
    """Where the parts of a row stand."""

    def __init__(self, rect: QRect, row: TreeRow) -> None:
        px = theme().px
        self.rect = rect
        left = rect.left() + px(SPACE_2)
        box = px(_BOX) if row.tick >= 0 else 0
        self.tick = QRect(left, rect.top(), box, rect.height())
        self.icon = left + box + px(_INDENT) * row.depth + px(SPACE_1)
        self.text = self.icon + px(ICON_LINE + SPACE_2 - 2)
        size = px(_BOX + SPACE_1) if row.file is not None else 0
        self.viewed = QRect(rect.right() - size - px(SPACE_2), rect.top(), size, rect.height())
        if not size:
            self.viewed.moveLeft(rect.right() - px(SPACE_3))


class ChangedFilesView(QListView):
    """`tick_asked` (path, on), `viewed_asked` (path, viewed), `menu_asked` (path, where on the screen), `entered`: the
    person goes on to the diff."""

    tick_asked = Signal(str, bool)
    viewed_asked = Signal(str, bool)
    menu_asked = Signal(str, QPoint)

    def __init__(self, model: ChangedTree, parent: QWidget) -> None:
        super().__init__(parent)
        self._tree = model
        self.setObjectName("changes_tree")
        self.setAccessibleName(tr("Changed files"))
        self.setProperty("kind", "side")
        self.setModel(model)
        self.setItemDelegate(ChangedFilesDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        EdgeFade(self, "canvas")
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._on_menu)

    @property
    def row(self) -> TreeRow | None:
        """The current row."""
        found = self.currentIndex().data(ROW_ROLE)
        return found if isinstance(found, TreeRow) else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and Right close and open folders, Space ticks; no search by typing, as letters are commands."""
        row = self.row
        if row is not None and event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._fold(row, closed=event.key() == Qt.Key.Key_Left)
        elif row is not None and event.key() == Qt.Key.Key_Space and row.tick >= 0:
            self.tick_asked.emit(row.path, row.tick != 2)
        elif event.text() and event.text().isprintable():
            event.ignore()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A tick, the eye, or a folder; else the row is chosen."""
        index = self.indexAt(event.position().toPoint())
        row = index.data(ROW_ROLE)
        if not isinstance(row, TreeRow) or event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        places, point = RowPlaces(self.visualRect(index), row), event.position().toPoint()
        if row.tick >= 0 and places.tick.contains(point):
            self.tick_asked.emit(row.path, row.tick != 2)
        elif row.file is not None and places.viewed.contains(point):
            self.viewed_asked.emit(row.path, not row.viewed)
        else:
            super().mousePressEvent(event)
            if row.file is None:
                self._tree.set_closed(row.path, not row.closed)

    def viewportEvent(self, event: QEvent) -> bool:
        """The tooltip of a row: its whole path and what happened to it."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self.indexAt(event.pos())
            row = index.data(ROW_ROLE)
            if isinstance(row, TreeRow):
                on_eye = row.file is not None and RowPlaces(self.visualRect(index), row).viewed.contains(event.pos())
                words = (tr("Viewed") if row.viewed else tr("Mark as viewed")) if on_eye else ""
                told = words or f"{display_text(row.path)}\n{row.words}".strip()
                QToolTip.showText(event.globalPos(), plain_tooltip(told), self)
            return True
        return super().viewportEvent(event)

    def _fold(self, row: TreeRow, *, closed: bool) -> None:
        if row.file is None and row.closed != closed:
            self._tree.set_closed(row.path, closed)
        elif closed and row.depth:
            above = range(self.currentIndex().row() - 1, -1, -1)
            parent = next((at for at in above if self._tree.rows[at].depth < row.depth), -1)
            if parent >= 0:
                self.setCurrentIndex(self._tree.index(parent, 0))

    def _on_menu(self, point: QPoint) -> None:
        row = self.indexAt(point).data(ROW_ROLE)
        if isinstance(row, TreeRow) and row.file is not None:
            self.menu_asked.emit(row.path, self.viewport().mapToGlobal(point))
