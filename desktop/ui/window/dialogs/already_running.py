"""Asked when another process holds the chats and opened no window for this start."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from desktop.language import tr
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH = 420


class AlreadyRunningDialog(Dialog):
    """`again`: try once more; every way to close it leaves the program (`rejected`)."""

    again = Signal()

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self.setObjectName("already_running_dialog")
        self.setWindowTitle(tr("Banksman"))
        title = QLabel(sentence, self)
        title.setObjectName("already_running_sentence")
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setProperty("kind", "title")
        title.setWordWrap(True)
        title.setMinimumWidth(theme().px(_WIDTH))
        self._text = QLabel(
            tr("It opened no window when it was asked. Close it, or wait until its work is done."), self
        )
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setProperty("kind", "muted")
        self._text.setWordWrap(True)
        self.try_again = QPushButton(tr("Try again"), self)
        self.try_again.setObjectName("already_running_again")
        self.try_again.clicked.connect(self._on_again)
        leave = QPushButton(tr("Quit"), self)
        leave.setObjectName("already_running_quit")
        leave.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addStretch(1)
        buttons.addWidget(leave)
        buttons.addWidget(self.try_again)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        layout.addWidget(title)
        layout.addWidget(self._text)
        layout.addSpacing(SPACE_3)
        layout.addLayout(buttons)

    def set_waiting(self, waiting: bool) -> None:
        """Whether the other process is being asked now."""
        set_off(self.try_again, UNDER_WAY if waiting else "")
        self.try_again.setText(tr("Trying…") if waiting else tr("Try again"))

    def _on_again(self) -> None:
        self.set_waiting(True)
        self.again.emit()
