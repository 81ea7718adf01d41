"""AddGitHub: the form for a GitHub Enterprise host."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.github.commands import SaveGitHubHost
from desktop.domain.updates import CommandFailed, SettingsChanged
from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests
from desktop.ui.settings.fields import TextField
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps


class AddGitHub(QFrame):
    """`ended`: it was added, or nothing is to be added."""

    ended = Signal()

    def __init__(self, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self._requests = requests
        self._sent, self._wanted = Request(), ""
        self.hearing = Hearing().on(SettingsChanged, self._on_settings)
        self.setObjectName("github_new")
        self.setAccessibleName(tr("Add a GitHub Enterprise host"))
        self.setProperty("kind", "card")
        title = plain_label(self, "title")
        title.setText(tr("Add a GitHub Enterprise host"))
        self.host = TextField(tr("Host"), "github_new_host", self, tr("As in the addresses of its repositories."))
        self.host.edit.setPlaceholderText("github.example.com")
        self.address = TextField(tr("Address"), "github_new_address", self, tr("Empty: https://host/api/v3."))
        self._add = push_button(tr("Add"), "github_new_add", self, self._on_add)
        self._add.setProperty("kind", "primary")
        self._cancel = push_button(tr("Cancel"), "github_new_cancel", self, self._end)
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addStretch(1)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._add)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_4, SPACE_4), SPACE_3)
        layout.addWidget(title)
        layout.addWidget(self.host)
        layout.addWidget(self.address)
        layout.addLayout(buttons)

    def begin(self) -> None:
        """Show it, empty."""
        self._clear()
        self.show()
        self.host.edit.setFocus()

    def _on_settings(self, update: SettingsChanged) -> None:
        if self._sent.is_waiting and update.settings.github_host(self._wanted):
            self._end()

    def _on_failed(self, failed: CommandFailed) -> None:
        field = self.address if failed.code == "github_address" else self.host
        field.set_problem(display_text(failed.text))

    def _on_add(self) -> None:
        host = self.host.edit.text().strip().lower()
        self.host.set_problem("" if host else tr("Write the host, such as github.example.com."))
        self.address.set_problem("")
        if host:
            command = SaveGitHubHost(host=host, api_url=self.address.edit.text().strip())
            self._sent.drop()
            self._sent, self._wanted = self._requests.ask(command, self, failed=self._on_failed), host

    def _end(self) -> None:
        self._clear()
        self.ended.emit()

    def _clear(self) -> None:
        self._sent.drop()
        self._wanted = ""
        for field in (self.host, self.address):
            field.edit.clear()
            field.discard()
