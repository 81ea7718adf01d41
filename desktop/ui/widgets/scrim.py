"""Scrim: a shade over what cannot be used now; shade_while_blocked puts one over a window under a dialog."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop.ui.theme.theme import theme

_ALPHA = 110


class Scrim(QWidget):
    """Darkens what is under it. `clicked`: somebody clicked on it."""

    clicked = Signal()

    def mousePressEvent(self, _event: QMouseEvent) -> None:
        """Tell of it; what is below hears nothing."""
        self.clicked.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A shade of the darkest surface."""
        painter = QPainter(self)
        shade = QColor(theme().color("sunken" if theme().tokens.is_dark else "text"))
        shade.setAlpha(_ALPHA)
        painter.fillRect(self.rect(), shade)
        painter.end()


def shade_while_blocked(window: QWidget, event: QEvent) -> None:
    """Darken the window while a dialog keeps people from it. To be told of each event of the window."""
    kind = event.type()
    if kind not in (QEvent.Type.WindowBlocked, QEvent.Type.WindowUnblocked, QEvent.Type.Resize):
        return
    scrim = window.findChild(Scrim, options=Qt.FindChildOption.FindDirectChildrenOnly)
    if scrim is None:
        if kind != QEvent.Type.WindowBlocked:
            return
        scrim = Scrim(window)
    scrim.setGeometry(window.rect())
    if kind != QEvent.Type.Resize:
        scrim.setVisible(kind == QEvent.Type.WindowBlocked)
        scrim.raise_()
