"""Dialog: a window over another one, in the middle of it."""

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QWidget

from desktop.ui.widgets.scrim import shade_while_blocked

_NEAR = 4  # pixels: what halves of odd sizes come to


class Dialog(QDialog):
    """As QDialog, which stands 40 pixels above the middle where nobody frames windows: it takes such a place for one
    whose frame is not known yet. It darkens while another dialog stands over it. One that becomes larger while it is
    shown grows to all sides, where Qt lets it grow downwards alone, over the edge of the screen. When its window takes
    another size it stays in that: in the middle, unless somebody moved it, and smaller for as long as it must be."""

    _own = QSize()  # what it has where the window leaves it room
    _held = QSize()  # what the window makes of that
    _middle = QPoint()  # where that was put

    def event(self, event: QEvent) -> bool:
        """A dialog over this one shades it."""
        shade_while_blocked(self, event)
        return super().event(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Take the place before anything is on screen."""
        super().showEvent(event)
        over = self._stood_over()
        if over is None or event.spontaneous():
            return
        over.installEventFilter(self)
        if not over.isFullScreen() and over.frameGeometry() == over.geometry():
            place = QRect(QPoint(0, 0), self.size())
            place.moveCenter(over.geometry().center())
            self._stand(place, self.screen().availableGeometry())
        self._middle = self.frameGeometry().center()

    def hideEvent(self, event: QHideEvent) -> None:
        """The window's size is nothing to it any more."""
        super().hideEvent(event)
        if (over := self._stood_over()) is not None and not event.spontaneous():
            over.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the window; a dialog below this one is moved, too, when its own window becomes smaller."""
        over = self._stood_over()
        if over is watched and isinstance(over, QWidget):
            moved = event.type() is QEvent.Type.Move and over.parentWidget() is not None
            if moved or event.type() is QEvent.Type.Resize:
                self._follow(over.frameGeometry())
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another size by what it says, not by a person's hand: the middle stays where it is."""
        super().resizeEvent(event)
        if event.size() != self._held:
            self._own = event.size()
        if event.spontaneous() or not self.isVisible() or not event.oldSize().isValid():
            return
        grown = event.size() - event.oldSize()
        place = QRect(self.pos() - QPoint(grown.width() // 2, grown.height() // 2), self.frameGeometry().size())
        self._stand(place, self.screen().availableGeometry())

    def _follow(self, room: QRect) -> None:
        in_place = (self.frameGeometry().center() - self._middle).manhattanLength() <= _NEAR
        frame = self.frameGeometry().size() - self.size()
        self._held = self._wanted().boundedTo(room.size() - frame).expandedTo(self.minimumSize())
        self.resize(self._held)
        place = self.frameGeometry()
        if in_place:
            self._middle = room.center()
            place.moveCenter(self._middle)
        self._stand(place, room)

    def _wanted(self) -> QSize:
        """The size that it takes where the window leaves it room."""
        return self._own

    def _stood_over(self) -> QWidget | None:
        parent = self.parentWidget()
        return parent.window() if parent is not None else None

    def _stand(self, place: QRect, room: QRect) -> None:
        """There, as far as the room reaches; whoever shows it again begins anew."""
        place.moveRight(min(place.right(), room.right()))
        place.moveBottom(min(place.bottom(), room.bottom()))
        self.move(max(place.left(), room.left()), max(place.top(), room.top()))
        self.setAttribute(Qt.WidgetAttribute.WA_Moved, False)
