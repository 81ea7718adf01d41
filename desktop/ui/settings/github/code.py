"""CodeBox: the code that a person types on the host's own page, and the way there."""

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.github.updates import SignInProgress
from desktop.language import said, tr
from desktop.ui.text.format import clock_time
from desktop.ui.theme.tokens import SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.layouts.gaps import set_gaps


class CodeBox(QFrame):
    """Hidden until there is a code. `stopped`: the person does not want to go on; `again`: a new code is wanted."""

    stopped = Signal()
    again = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("github_code_box")
        self.setProperty("kind", "banner")
        self._address = self._shown_code = ""
        self._words = plain_label(self, name="github_device_words")
        self._code = plain_label(self, "page", "github_device_code", wrap=False)
        self._code.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._until = plain_label(self, "caption", "github_device_until")
        self._copy = push_button(tr("Copy code"), "github_device_copy", self, self._on_copy)
        self._open = push_button(tr("Open the page"), "github_device_open", self, self._on_open)
        self._stop = push_button(tr("Stop"), "github_device_stop", self, self.stopped.emit)
        self._again = push_button(tr("New code"), "github_device_again", self, self.again.emit)
        head, row = QHBoxLayout(), QHBoxLayout()
        set_gaps(head, spacing=SPACE_2)
        head.addWidget(self._words, 1)
        head.addWidget(self._again)
        set_gaps(row, spacing=SPACE_2)
        row.addWidget(self._code)
        row.addStretch(1)
        for button in (self._copy, self._open, self._stop):
            row.addWidget(button)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_3, SPACE_2, SPACE_3, SPACE_2), SPACE_2)
        layout.addLayout(head)
        layout.addLayout(row)
        layout.addWidget(self._until)
        self.hide()

    def show_step(self, told: SignInProgress) -> None:
        """Show a code, that it has expired, or nothing."""
        waits = told.step == "code"
        self._shown_code, self._address = told.user_code, told.address
        self._words.setText(display_text(said(told.text)))
        self._code.setText(display_text(told.user_code))
        self._code.setAccessibleName(tr("Code {code}", code=display_text(" ".join(told.user_code))))
        say(
            self._until,
            tr("It is valid until {time}.", time=clock_time(told.expires_at)) if told.expires_at is not None else "",
        )
        for part in (self._code, self._copy, self._open, self._stop):
            part.setVisible(waits)
        self._again.setVisible(told.step == "expired")
        self.setVisible(waits or told.step == "expired")
        if waits:
            self._copy.setText(tr("Copy code"))
            self._copy.setFocus()
        elif told.step == "expired":
            self._again.setFocus()

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._shown_code)
        self._copy.setText(tr("Copied"))

    def _on_open(self) -> None:
        QDesktopServices.openUrl(QUrl(self._address))
