"""Pane: one chat beside another: a line that tells whether keys act on it, and a button that closes it."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.chats.page import ChatPage
from desktop.ui.core.actions import key_text
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.buttons.icon_button import IconButton

PANE_LEAST = 374
"""The width that a pane needs at 100 % zoom; where there is less for each of the two, one is shown."""
_LINE = 3


class PaneLine(QWidget):
    """In the accent over the active pane, grey over the other."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._active = False
        self._take_theme()
        theme().changed.connect(self._take_theme)

    def set_active(self, active: bool) -> None:
        """Become the line of the active pane, or of the other."""
        if active != self._active:
            self._active = active
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A line."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme().color("accent" if self._active else "sunken"))
        painter.end()

    def _take_theme(self) -> None:
        self.setFixedHeight(theme().px(_LINE))


class Pane(QWidget):
    """Holds a page. `close_asked`: the person wants the other one alone."""

    close_asked = Signal()

    def __init__(self, page: ChatPage, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("pane")
        self.page = page
        self._line = PaneLine(self)
        self._line.hide()
        self._beside = False
        self._close: IconButton | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._line)
        layout.addWidget(page, 1)

    def minimumSizeHint(self) -> QSize:
        """Beside another one always the same, whatever the page tries in order to fit: else two of them would push each
        other about for ever."""
        hint = super().minimumSizeHint()
        return QSize(theme().px(PANE_LEAST), hint.height()) if self._beside else hint

    def mark(self, *, active: bool, one_of_two: bool, line: bool) -> None:
        """Tell whether it is the active one; `line`: the other one is seen beside it."""
        if line != self._beside:
            self._beside = line
            self.updateGeometry()
        self._line.setVisible(line)
        self._line.set_active(active)
        self.page.setAccessibleName((tr("Active chat") if active else tr("Other chat")) if one_of_two else "")
        self.page.setFocusPolicy(Qt.FocusPolicy.ClickFocus if one_of_two else Qt.FocusPolicy.NoFocus)
        if one_of_two and self._close is None:
            self._close = self._make_close()
        if self._close is not None:
            self._close.setVisible(one_of_two)
        self.page.header.set_quiet(line and not active)

    def _make_close(self) -> IconButton:
        button = IconButton("x", tr("Close this pane"), self.page.header)
        button.setObjectName("pane_close")
        button.set_name(tr("Close this pane"), key_text("close_pane"))
        button.clicked.connect(self.close_asked)
        if (row := self.page.header.layout()) is not None:
            row.addWidget(button)
        return button
