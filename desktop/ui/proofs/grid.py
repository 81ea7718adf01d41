"""ProofsGrid: the tiles, two to a row at 360 pixels, reached by keys; files and pictures are dropped and pasted."""

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyleOptionViewItem, QWidget

from desktop.language import tr
from desktop.ui.proofs.model import ProofsModel
from desktop.ui.proofs.screen_capture import png_of
from desktop.ui.proofs.tiles import LEAST_WIDTH, TileDelegate
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2
from desktop.ui.widgets.layouts.edge_fade import EdgeFade


class ProofsGrid(QListView):
    """`opened` carries the id of a proof; `dropped` a list of paths; `pasted` the bytes of a picture as PNG."""

    opened = Signal(str)
    dropped = Signal(list)
    pasted = Signal(bytes)

    def __init__(self, model: ProofsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._tiles = TileDelegate(model)
        self.setObjectName("proofs_grid")
        self.setAccessibleName(tr("Proofs, newest first"))
        self.setProperty("kind", "side")
        self.setModel(model)
        self.setItemDelegate(self._tiles)
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setViewportMargins(theme().px(SPACE_2), 0, 0, 0)
        EdgeFade(self, "canvas")
        self.doubleClicked.connect(self._open)

    @property
    def chosen(self) -> list[str]:
        """The ids of the selected proofs, the newest first."""
        model = self.model()
        rows = sorted(index.row() for index in self.selectionModel().selectedIndexes())
        return [model.rows[row].proof_id for row in rows if isinstance(model, ProofsModel) and row < len(model.rows)]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place as many tiles in a row as have room, at least two."""
        super().resizeEvent(event)
        # Qt lays out as if the scroll bar were there, whether it is or not
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent, None, self)
        room = self.maximumViewportSize().width() - bar - 2 * self.frameWidth() - theme().px(SPACE_1)
        columns = max(2, room // theme().px(LEAST_WIDTH + 20))
        width = room // columns
        if width != self._tiles.width:
            self._tiles.width = width
            self.setGridSize(QSize(width, self._tiles.sizeHint(self._plain_option(), QModelIndex()).height()))
            self.scheduleDelayedItemsLayout()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens, Ctrl+V adds what was copied."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self.currentIndex().isValid():
            self._open(self.currentIndex())
        elif event.matches(QKeySequence.StandardKey.Paste):
            self.paste()
        else:
            super().keyPressEvent(event)

    def paste(self) -> None:
        """Add the picture or the files of the clipboard."""
        mime = QGuiApplication.clipboard().mimeData()
        paths = [url.toLocalFile() for url in mime.urls() if url.isLocalFile()]
        if paths:
            self.dropped.emit(paths)
        elif mime.hasImage():
            image = mime.imageData()
            if isinstance(image, QImage) and not image.isNull():
                self.pasted.emit(png_of(image))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files may be dropped."""
        accept_files(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Files may be dropped anywhere."""
        accept_files(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Add the files that were dropped."""
        paths = dropped_paths(event)
        if paths:
            event.acceptProposedAction()
            self.dropped.emit(paths)

    def _open(self, index: QModelIndex) -> None:
        model = self.model()
        if isinstance(model, ProofsModel) and index.row() < len(model.rows):
            self.opened.emit(model.rows[index.row()].proof_id)

    def _plain_option(self) -> QStyleOptionViewItem:
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        return option


def accept_files(event: QDragEnterEvent | QDragMoveEvent) -> None:
    """Say whether what is dragged holds files."""
    if any(url.isLocalFile() for url in event.mimeData().urls()):
        event.acceptProposedAction()
    else:
        event.ignore()


def dropped_paths(event: QDropEvent) -> list[str]:
    """The files that were dropped."""
    return [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
