"""Scrim: a shade over what cannot be used now."""

from PySide6.QtCore import Signal
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
