"""PictureView: one picture, as large as fits, at its own size, or larger; moved with the mouse and with keys."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QGraphicsPixmapItem, QGraphicsScene, QGraphicsView, QWidget

from desktop.language import tr
from desktop.ui.theme.theme import theme

_STEP, _LEAST, _MOST = 1.25, 0.05, 16.0


class PictureView(QGraphicsView):
    """`zoomed` tells the share of its own size, 1.0 for 100 %. It fits until a person zooms."""

    zoomed = Signal(float)

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(tr("Picture"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._scene = QGraphicsScene(self)
        self._item = QGraphicsPixmapItem()
        self._item.setTransformationMode(Qt.TransformationMode.SmoothTransformation)
        self._scene.addItem(self._item)
        self.setScene(self._scene)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        self._fits = True
        self._take_theme()
        theme().changed.connect(self._take_theme)

    @property
    def share(self) -> float:
        """The scale at which the picture is shown, 1.0 for its own size."""
        return self.transform().m11()

    @property
    def picture(self) -> QPixmap:
        """The picture that is shown, null for none."""
        return self._item.pixmap()

    def set_picture(self, picture: QPixmap) -> None:
        """Show this one, whole."""
        self._item.setPixmap(picture)
        self._scene.setSceneRect(self._item.boundingRect())
        self.fit()

    def fit(self) -> None:
        """Show the picture as large as fits, never larger than it is."""
        self._fits = True
        size, room = self._item.pixmap().size(), self.viewport().size()
        if size.isEmpty():
            return
        self._set(min(room.width() / size.width(), room.height() / size.height(), 1.0))

    def actual_size(self) -> None:
        """Show the picture in its own size."""
        self._fits = False
        self._set(1.0)

    def zoom(self, steps: int) -> None:
        """Larger or smaller by so many steps."""
        self._fits = False
        self._set(min(max(self.share * _STEP**steps, _LEAST), _MOST))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """+ and − zoom, 0 fits, 1 is its own size; arrows move it where it is larger than the window."""
        plain = {Qt.Key.Key_Plus: 1, Qt.Key.Key_Equal: 1, Qt.Key.Key_Minus: -1}
        key = Qt.Key(event.key())
        if key in plain:
            self.zoom(plain[key])
        elif key == Qt.Key.Key_0:
            self.fit()
        elif key == Qt.Key.Key_1:
            self.actual_size()
        elif self._fits and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            event.ignore()  # there is nothing to move; the viewer goes to another picture
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ctrl and the wheel zoom."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
        else:
            super().wheelEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the picture again, if it was fitted before."""
        super().resizeEvent(event)
        if self._fits:
            self.fit()

    def sizeHint(self) -> QSize:
        """A size that is as large as the dialog lets the view be."""
        return QSize(theme().px(800), theme().px(500))

    def _set(self, share: float) -> None:
        self.resetTransform()
        self.scale(share, share)
        self.zoomed.emit(share)

    def _take_theme(self) -> None:
        self.setBackgroundBrush(theme().color("sunken"))
