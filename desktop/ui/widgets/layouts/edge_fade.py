"""EdgeFade: what scrolls fades at the edge behind which there is more of it."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QAbstractItemView, QAbstractScrollArea, QListView, QWidget
from shiboken6 import isValid

from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_5


class EdgeFade(QWidget):
    """Lies over the viewport of `area` and takes no press. `ground`: the token of what the area stands on. `ends`: says
    whether the end is on screen, where that is so a little before the last pixel."""

    def __init__(self, area: QAbstractScrollArea, ground: str, ends: Callable[[], bool] = lambda: False) -> None:
        super().__init__(area)
        self._area, self._ends = area, ends
        self._viewport, self._bar, self._ground = area.viewport(), area.verticalScrollBar(), ground
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._viewport.installEventFilter(self)
        self._bar.valueChanged.connect(self._settle)
        self._bar.rangeChanged.connect(self._settle)
        self._settle()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Towards the ground at the top, the bottom, or both, around the row that is chosen."""
        painter = QPainter(self)
        high = min(theme().px(SPACE_5), self.height() // 3)
        ends = QRect(0, 0, self.width(), high), QRect(0, self.height() - high, self.width(), high)
        value = self._bar.value()
        painter.setClipRegion(QRegion(self.rect()) - self._chosen())
        more = value > self._bar.minimum(), value < self._bar.maximum() and not self._ends()
        for end, there, at_top in zip(ends, more, (True, False), strict=True):
            if there:
                painter.fillRect(end, self._gradient(end, at_top=at_top))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay over the viewport."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._settle()
        return super().eventFilter(watched, event)

    def _chosen(self) -> QRect:
        """The place of the chosen row, which does not fade; empty without one."""
        area = self._area
        if not isinstance(area, QAbstractItemView) or area.selectionModel() is None:
            return QRect()
        current = area.currentIndex()
        if not area.selectionModel().isSelected(current):
            return QRect()
        place = area.visualRect(current)
        return place if isinstance(area, QListView) else QRect(0, place.top(), self.width(), place.height())

    def _gradient(self, end: QRect, *, at_top: bool) -> QLinearGradient:
        full = theme().color(self._ground)
        none = QColor(full)
        none.setAlpha(0)
        gradient = QLinearGradient(end.topLeft(), end.bottomLeft())
        gradient.setColorAt(0.0 if at_top else 1.0, full)
        gradient.setColorAt(1.0 if at_top else 0.0, none)
        return gradient

    def _settle(self) -> None:
        if not isValid(self._viewport):
            return  # the model of a list may go before the list does, which it hears of
        self.setGeometry(self._viewport.geometry())
        self.setVisible(self._bar.maximum() > self._bar.minimum())
        self.raise_()
        self.update()
