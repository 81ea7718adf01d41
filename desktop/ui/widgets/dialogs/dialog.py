"""Dialog: a window over another one, in the middle of it."""

from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog

from desktop.ui.widgets.scrim import shade_while_blocked


class Dialog(QDialog):
    """As QDialog, which stands 40 pixels above the middle where nobody frames windows: it takes such a place for one
    whose frame is not known yet. It darkens while another dialog stands over it."""

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
        room = self.screen().availableGeometry()
        place.moveRight(min(place.right(), room.right()))
        place.moveBottom(min(place.bottom(), room.bottom()))
        self.move(max(place.left(), room.left()), max(place.top(), room.top()))
        self.setAttribute(Qt.WidgetAttribute.WA_Moved, False)
