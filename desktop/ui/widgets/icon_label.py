"""IconLabel: an icon of the theme beside a text; it says nothing by itself and follows theme and zoom."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import ICON_LINE


class IconLabel(QLabel):
    """`size`: its side in logical pixels."""

    def __init__(self, icon_name: str, token: str, parent: QWidget, size: float = ICON_LINE) -> None:
        super().__init__(parent)
        self._icon_name, self._token, self._size = icon_name, token, size
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._take()
        theme().changed.connect(self._take)

    def set_icon(self, icon_name: str, token: str) -> None:
        """Another icon or colour."""
        if (icon_name, token) != (self._icon_name, self._token):
            self._icon_name, self._token = icon_name, token
            self._take()

    def _take(self) -> None:
        self.setPixmap(pixmap(self._icon_name, self._token, self._size, self.devicePixelRatio()))
        side = theme().px(self._size)
        self.setFixedSize(side, max(side, self.fontMetrics().height()))
