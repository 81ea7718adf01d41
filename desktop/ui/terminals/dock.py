"""TerminalDock: the chat above, the drawer of terminals below it, and the line between them."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QVBoxLayout, QWidget

from desktop.ui.theme.theme import theme

LEAST, DEFAULT, SHARE = 120, 260, 0.6
_GRAB, _STEP = 3, 16


class _Handle(QSplitterHandle):
    """One pixel drawn, seven to grab; Up and Down move it, a double click resets it."""

    moved = Signal(int)

    def __init__(self, splitter: QSplitter) -> None:
        super().__init__(Qt.Orientation.Vertical, splitter)
        self.setObjectName("terminal_splitter")
        self.setAccessibleName("Height of the terminals")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The grab area reaches over the neighbours, only the line is painted."""
        self.setAttribute(Qt.WidgetAttribute.WA_MouseNoMask)
        self.setContentsMargins(0, _GRAB, 0, _GRAB)
        self.setMask(self.contentsRect())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The line."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme().color("accent" if self.hasFocus() else "border"))
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up and Down by 16, Home and End to the limits."""
        steps = {Qt.Key.Key_Up: _STEP, Qt.Key.Key_Down: -_STEP, Qt.Key.Key_Home: 10_000, Qt.Key.Key_End: -10_000}
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.moved.emit(step)


class _Splitter(QSplitter):
    def createHandle(self) -> QSplitterHandle:  # noqa: N802  (a name of Qt)
        return _Handle(self)


class TerminalDock(QWidget):
    """`height_px`: that of the drawer at 100 % zoom, as the person chose it: at least 120, at most 60 % of the room."""

    def __init__(self, chat: QWidget, drawer: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.height_px = DEFAULT
        self._drawer = drawer
        self._splitter = _Splitter(Qt.Orientation.Vertical, self)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        for at, widget in enumerate((chat, drawer)):
            self._splitter.addWidget(widget)
            self._splitter.setStretchFactor(at, 1 - at)
        drawer.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._splitter)
        self.setFocusProxy(chat)
        self._splitter.splitterMoved.connect(self._on_moved)
        handle = self._splitter.handle(1)
        if isinstance(handle, _Handle):
            handle.moved.connect(self._move)
        theme().changed.connect(self.fit)

    def show_drawer(self, shown: bool) -> None:
        """Open or close the drawer."""
        self._drawer.setVisible(shown)
        self.fit()

    def set_height(self, height: int) -> None:
        """Give the drawer this height at 100 % zoom, within its limits."""
        most = max(round(self.height() * SHARE / theme().zoom), LEAST) if self.isVisible() else max(height, LEAST)
        self.height_px = min(max(height, LEAST), most)
        self.fit()

    def fit(self) -> None:
        """Share the room that there is."""
        least = theme().px(LEAST)
        most = max(round(self.height() * SHARE), least)
        self._drawer.setMinimumHeight(least)
        self._drawer.setMaximumHeight(most)
        if not self._drawer.isHidden():
            wanted = min(max(theme().px(self.height_px), least), most)
            self._splitter.setSizes([max(self.height() - wanted - 1, 0), wanted])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The drawer keeps its height while there is room."""
        super().resizeEvent(event)
        self.fit()

    def _on_moved(self, _position: int, _index: int) -> None:
        self.height_px = round(self._splitter.sizes()[1] / theme().zoom)

    def _move(self, step: int) -> None:
        self.set_height(self.height_px + step)
