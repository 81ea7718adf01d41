"""SessionTree: the list of the sidebar, with its keys and context menu."""

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QTreeView, QWidget

from desktop.language import tr
from desktop.ui.core.sidebar_row import SidebarRow
from desktop.ui.sidebar.delegate import SidebarDelegate, clash_rect
from desktop.ui.sidebar.tree_model import ROW_ROLE, SessionTreeModel
from desktop.ui.widgets.layouts.edge_fade import EdgeFade

_LANE_KEYS = {Qt.Key.Key_F2: "edit", Qt.Key.Key_Delete: "archive"}


class SessionTree(QTreeView):
    """The list itself; emits what a person asks of a row."""

    activated_row = Signal(object)
    rename_asked = Signal(str)
    archive_asked = Signal(str, bool)
    chat_action = Signal(str, str)
    lane_menu_asked = Signal(str, QPoint)
    clash_asked = Signal(str)
    lane_action = Signal(str, str)

    def __init__(self, model: SessionTreeModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar_tree")
        self.setAccessibleName(tr("Chats and lanes"))
        self.setProperty("kind", "side")
        self.setModel(model)
        self.setItemDelegate(SidebarDelegate(self))
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setExpandsOnDoubleClick(False)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QTreeView.ScrollMode.ScrollPerPixel)
        EdgeFade(self, "canvas")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._on_menu)

    def row_at(self, index: QModelIndex) -> SidebarRow | None:
        """The Row of an index, None for no row."""
        row = index.data(ROW_ROLE) if index.isValid() else None
        return row if isinstance(row, SidebarRow) else None

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Titles of two lines may need one at another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click opens a chat or a lane's chat; on a heading it folds the section."""
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() != Qt.MouseButton.LeftButton or not index.isValid():
            return
        row = self.row_at(index)
        at = event.position().toPoint()
        if row is not None and row.clash and clash_rect(self.visualRect(index), row).contains(at):
            self.clash_asked.emit(row.lane_id)
        else:
            self._activate(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens, F2 renames or edits, Del asks to archive; arrows and letters are Qt's."""
        index = self.currentIndex()
        row = self.row_at(index)
        key = event.key()
        if row is not None and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._activate(index)
        elif row is not None and row.single and key == Qt.Key.Key_F2:
            self.rename_asked.emit(row.session_id)
        elif row is not None and row.kind == "lane" and key in _LANE_KEYS:
            self.lane_action.emit(row.lane_id, _LANE_KEYS[Qt.Key(key)])
        elif row is not None and row.kind == "chat" and key == Qt.Key.Key_F2:
            self.rename_asked.emit(row.session_id)
        elif row is not None and row.kind == "chat" and key == Qt.Key.Key_Delete:
            self.archive_asked.emit(row.session_id, True)
        else:
            super().keyPressEvent(event)

    def _activate(self, index: QModelIndex) -> None:
        row = self.row_at(index)
        if row is None:
            return
        if row.kind == "section" or (row.kind == "lane" and len(self._chats(index)) > 1 and self.isExpanded(index)):
            self.setExpanded(index, not self.isExpanded(index))
            return
        if row.kind == "lane" and len(self._chats(index)) > 1:
            self.setExpanded(index, True)
        self.activated_row.emit(row)

    def _chats(self, index: QModelIndex) -> range:
        return range(self.model().rowCount(index))

    def _on_menu(self, at: QPoint) -> None:
        row = self.row_at(self.indexAt(at))
        place = self.viewport().mapToGlobal(at)
        if row is not None and row.kind == "lane" and not row.single:
            self.lane_menu_asked.emit(row.lane_id, place)
            return
        if row is None or not row.session_id:
            return
        menu = QMenu(self)
        menu.setObjectName("sidebar_menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Open")).triggered.connect(lambda: self.activated_row.emit(row))
        if row.kind in ("chat", "lane"):
            self._offer(menu, row, (("beside", tr("Open beside")), ("window", tr("Open in new window"))))
            archived = row.chat is not None and row.chat.archived
            menu.addAction(tr("Rename")).triggered.connect(lambda: self.rename_asked.emit(row.session_id))
            pinned = row.chat is not None and row.chat.pinned
            muted = row.chat is not None and row.chat.muted
            self._offer(
                menu,
                row,
                (
                    ("mute", tr("Unmute notifications") if muted else tr("Mute notifications")),
                    ("pin", tr("Unpin") if pinned else tr("Pin")),
                    ("fork", tr("Fork")),
                    ("export", tr("Export…")),
                ),
            )
            archive = menu.addAction(tr("Bring back") if archived else tr("Archive"))
            archive.triggered.connect(lambda: self.archive_asked.emit(row.session_id, not archived))
            self._offer(menu, row, (("delete", tr("Delete…")),))
        if row.lane_id:
            menu.addSeparator()
            lane = menu.addAction(tr("Lane…"))
            lane.setObjectName("sidebar_lane")
            lane.triggered.connect(lambda: self.lane_menu_asked.emit(row.lane_id, place))
        menu.popup(place)

    def _offer(self, menu: QMenu, row: SidebarRow, entries: tuple[tuple[str, str], ...]) -> None:
        for name, title in entries:
            action = menu.addAction(title)
            action.setObjectName(f"sidebar_{name}")
            action.triggered.connect(lambda _checked=False, name=name: self.chat_action.emit(row.session_id, name))
