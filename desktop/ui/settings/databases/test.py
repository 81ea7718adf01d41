"""ConnectionTest: a button that tries a database, and what came of it."""

from collections.abc import Sequence

from pydantic import SecretStr
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from desktop.config.databases import DatabaseConnection
from desktop.domain.commands import TestDatabase
from desktop.domain.core.update import Update
from desktop.domain.display.text import display_text
from desktop.domain.updates import CommandFailed, DatabaseTested
from desktop.ui.core.sink import CommandSink
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.widgets.card_parts import plain_label, say

_CONNECTING = "Connecting…"


class ConnectionTest:
    """`button` and `result` are laid out by the owner, who calls `run` when the button is clicked."""

    def __init__(self, name: str, sink: CommandSink, parent: QWidget) -> None:
        self._sink = sink
        self._sent = ""
        self._had_focus = False
        self.button = QPushButton("Test", parent)
        self.button.setObjectName(f"{name}_test")
        self.button.setAutoDefault(False)
        self.result: QLabel = plain_label(parent, "", f"{name}_test_result")
        self.result.hide()

    def run(self, connection: DatabaseConnection, password: SecretStr | None = None) -> None:
        """Try it; `password` None: the one that is kept."""
        command = TestDatabase(connection=connection, password=password)
        self._sent = command.command_id
        self._had_focus = self.button.hasFocus()
        self.button.setEnabled(False)
        restyle(self.result, kind="muted", role="")
        say(self.result, _CONNECTING)
        self._sink.send(command)

    def forget(self) -> None:
        """What was found counts no more."""
        self._show("", "")

    def apply(self, updates: Sequence[Update]) -> None:
        """Take updates in order."""
        for update in updates:
            if isinstance(update, DatabaseTested) and update.command_id == self._sent:
                self._show(display_text(update.text), "success" if update.ok else "danger")
            elif isinstance(update, CommandFailed) and update.command_id == self._sent:
                self._show(display_text(update.text), "danger")

    def _show(self, text: str, role: str) -> None:
        self._sent = ""
        self.button.setEnabled(True)
        if self._had_focus:
            self._had_focus = False
            self.button.setFocus()
        restyle(self.result, kind="", role=role)
        say(self.result, text)
