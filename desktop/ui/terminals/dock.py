"""TerminalDock: the chat above, the drawer of terminals below it, and the line between them."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.layouts.key_splitter import UPWARDS, KeySplitter, SplitterHandle

LEAST, DEFAULT, SHARE = 120, 260, 0.6


class TerminalDock(QWidget):
    """`height_px`: that of the drawer at 100 % zoom, as the person chose it: at least 120, at most 60 % of the room."""

    def __init__(self, chat: QWidget, drawer: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.height_px = DEFAULT
        self._drawer = drawer
        self._splitter = KeySplitter(Qt.Orientation.Vertical, UPWARDS, self)
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
        if isinstance(handle, SplitterHandle):
            handle.setObjectName("terminal_splitter")
            handle.setAccessibleName(tr("Height of the terminals"))
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
