"""ConnectionTest: a button that tries a database, and what came of it."""

from pydantic import SecretStr
from PySide6.QtWidgets import QLabel, QWidget

from desktop.config.databases import DatabaseConnection
from desktop.domain.commands import TestDatabase
from desktop.domain.display.text import display_text
from desktop.domain.updates import CommandFailed, DatabaseTested
from desktop.language import tr
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say

_CONNECTING = tr("Connecting…")


class ConnectionTest:
    """`button` and `result` are laid out by the owner, who calls `run` when the button is clicked."""

    def __init__(self, name: str, requests: Requests, parent: QWidget) -> None:
        self._requests = requests
        self._sent = Request()
        self._had_focus = False
        self.button = push_button(tr("Test"), f"{name}_test", parent)
        self.result: QLabel = plain_label(parent, "", f"{name}_test_result")
        self.result.hide()

    def run(self, connection: DatabaseConnection, password: SecretStr | None = None) -> None:
        """Try it; `password` None: the one that is kept."""
        command = TestDatabase(connection=connection, password=password)
        self._had_focus = self.button.hasFocus()
        set_off(self.button, UNDER_WAY)
        restyle(self.result, kind="muted", role="")
        say(self.result, _CONNECTING)
        tested = answer(DatabaseTested, self._on_tested)
        self._sent.drop()
        self._sent = self._requests.ask(command, self.button, tested, failed=self._on_failed)

    def forget(self) -> None:
        """What was found counts no more."""
        self._show("", "")

    def _on_tested(self, update: DatabaseTested) -> None:
        self._show(display_text(update.text), ("" if update.writes else "success") if update.ok else "danger")

    def _on_failed(self, failed: CommandFailed) -> None:
        self._show(display_text(failed.text), "danger")

    def _show(self, text: str, role: str) -> None:
        self._sent.drop()
        set_off(self.button, "")
        if self._had_focus:
            self._had_focus = False
            self.button.setFocus()
        restyle(self.result, kind="", role=role)
        say(self.result, text)
