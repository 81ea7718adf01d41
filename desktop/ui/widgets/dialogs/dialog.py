"""Dialog: a window over another one, in the middle of it."""

from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDialog

from desktop.ui.widgets.scrim import shade_while_blocked


class Dialog(QDialog):
    """As QDialog, which stands 40 pixels above the middle where nobody frames windows: it takes such a place for one
    whose frame is not known yet. It darkens while another dialog stands over it. One that becomes larger while it is
    shown grows to all sides, where Qt lets it grow downwards alone, over the edge of the screen."""

    def event(self, event: QEvent) -> bool:
        """A dialog over this one shades it."""
        shade_while_blocked(self, event)
        return super().event(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Take the place before anything is on screen."""
        super().showEvent(event)
        parent = self.parentWidget()
        over = parent.window() if parent is not None else None
        if over is None or event.spontaneous() or over.isFullScreen() or over.frameGeometry() != over.geometry():
            return
        place = QRect(QPoint(0, 0), self.size())
        place.moveCenter(QRect(over.mapToGlobal(QPoint(0, 0)), over.size()).center())
        self._stand(place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another size by what it says, not by a person's hand: the middle stays where it is."""
        super().resizeEvent(event)
        if event.spontaneous() or not self.isVisible() or not event.oldSize().isValid():
            return
        grown = event.size() - event.oldSize()
        self._stand(QRect(self.pos() - QPoint(grown.width() // 2, grown.height() // 2), self.frameGeometry().size()))

    def _stand(self, place: QRect) -> None:
        """There, as far as the screen reaches; whoever shows it again begins anew."""
        room = self.screen().availableGeometry()
        place.moveRight(min(place.right(), room.right()))
        place.moveBottom(min(place.bottom(), room.bottom()))
        self.move(max(place.left(), room.left()), max(place.top(), room.top()))
        self.setAttribute(Qt.WidgetAttribute.WA_Moved, False)
