"""KeySplitter: a splitter whose lines keys can move too; SplitterHandle: such a line."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from desktop.ui.theme.theme import theme

_GRAB, _STEP, _FAR = 3, 16, 10_000
ACROSS = {Qt.Key.Key_Left: -_STEP, Qt.Key.Key_Right: _STEP, Qt.Key.Key_Home: -_FAR, Qt.Key.Key_End: _FAR}
"""For a line between two parts side by side: Left and Right by 16, Home and End to the limits."""
UPWARDS = {Qt.Key.Key_Up: _STEP, Qt.Key.Key_Down: -_STEP, Qt.Key.Key_Home: _FAR, Qt.Key.Key_End: -_FAR}
"""For a line over a part whose height it changes: Up and Down by 16, Home and End to the limits."""


class SplitterHandle(QSplitterHandle):
    """One pixel drawn, seven to grab. `moved`: by how many pixels at 100 % zoom a key moves the line; `reset`: a double
    click asks for the usual size."""

    moved = Signal(int)
    reset = Signal()

    def __init__(self, steps: Mapping[Qt.Key, int], splitter: QSplitter) -> None:
        super().__init__(splitter.orientation(), splitter)
        self._steps = steps
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The grab area reaches over the neighbours, only the line is painted."""
        self.setAttribute(Qt.WidgetAttribute.WA_MouseNoMask)
        across = self.orientation() == Qt.Orientation.Horizontal
        self.setContentsMargins(*((_GRAB, 0, _GRAB, 0) if across else (0, _GRAB, 0, _GRAB)))
        self.setMask(self.contentsRect())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The line, in the colour of the focus while it has that."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme().color("accent" if self.hasFocus() else "border"))
        painter.end()

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """A double click asks for the usual size."""
        self.reset.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys move the line; the others are its parent's."""
        step = self._steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.moved.emit(step)


class KeySplitter(QSplitter):
    """`steps`: by how many pixels at 100 % zoom each key moves a line: ACROSS or UPWARDS."""

    def __init__(self, orientation: Qt.Orientation, steps: Mapping[Qt.Key, int], parent: QWidget) -> None:
        super().__init__(orientation, parent)
        self._steps = steps
        self.setHandleWidth(1)

    def createHandle(self) -> QSplitterHandle:  # noqa: N802  (a name of Qt)
        """A line that keys can move."""
        return SplitterHandle(self._steps, self)
