"""RowPictures: rows that do not change, painted once into pictures, so that scrolling copies pixels."""

from collections import deque

from PySide6.QtCore import QPoint
from PySide6.QtGui import QPainter, QPixmap

from desktop.ui.chats.transcript.painting.row_layout import MOST_PIXELS, RowLayout
from desktop.ui.theme.theme import theme

PICTURES_KEPT = 60


def fits(layout: RowLayout, width: int) -> bool:
    """Whether a picture of the row is small enough to keep."""
    return 0 < layout.height * width < MOST_PIXELS


class RowPictures:
    """Keeps the pictures made last; a layout that changes its look drops its own (`pixmap` None)."""

    def __init__(self) -> None:
        self._kept: deque[RowLayout] = deque()

    def paint(self, painter: QPainter, layout: RowLayout, width: int, ratio: float) -> None:
        """Paint the row with its top left at (0, 0), from its picture, which is made if it is not there."""
        if layout.pixmap is None or layout.pixmap.devicePixelRatio() != ratio:
            picture = QPixmap(round(width * ratio), round(layout.height * ratio))
            picture.setDevicePixelRatio(ratio)
            picture.fill(theme().color("surface"))
            inner = QPainter(picture)
            inner.setRenderHint(QPainter.RenderHint.Antialiasing)
            layout.paint(inner, lambda piece: None, ratio)
            inner.end()
            layout.forget_look()
            layout.pixmap = picture
            self._keep(layout)
        painter.drawPixmap(QPoint(0, 0), layout.pixmap)

    def _keep(self, layout: RowLayout) -> None:
        self._kept.append(layout)
        if len(self._kept) > PICTURES_KEPT:
            self._kept.popleft().pixmap = None
