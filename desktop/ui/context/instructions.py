"""InstructionsOpener: opens the list of instruction files for the chat on screen and lets a person trust commands."""

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from desktop.domain.chats.commands import LoadInstructions, TrustCommands
from desktop.domain.chats.updates import InstructionsListed
from desktop.domain.updates import CommandFailed
from desktop.ui.context.instructions_dialog import InstructionsDialog
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests


class InstructionsOpener(QObject):
    """`here`: the id of the chat on screen, "" for none. One dialog at most."""

    def __init__(self, requests: Requests, here: Callable[[], str], window: QWidget) -> None:
        super().__init__(window)
        self._requests, self._here, self._window = requests, here, window
        self._dialog: InstructionsDialog | None = None
        self._session_id = ""
        self.hearing = Hearing().on(InstructionsListed, self._on_listed)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """For each action that this object carries out, what to call."""
        return {"instructions": self.open}

    def open(self) -> None:
        """Show what counts for the chat on screen; it is read anew."""
        if not self._here() or self._dialog is not None:
            return
        self._session_id = self._here()
        self._dialog = InstructionsDialog(self._window)
        self._dialog.trust_asked.connect(self._on_trust)
        self._dialog.finished.connect(self._on_closed)
        self._dialog.open()
        self._send(LoadInstructions(session_id=self._session_id))

    def _on_listed(self, update: InstructionsListed) -> None:
        if self._dialog is not None and update.session_id == self._session_id:
            self._dialog.show_listed(update)

    def _on_failed(self, failed: CommandFailed) -> None:
        if self._dialog is not None:
            self._dialog.show_problem(failed.text)

    def _on_trust(self, digest: str) -> None:
        self._send(TrustCommands(session_id=self._session_id, sha256=digest))

    def _send(self, command: LoadInstructions | TrustCommands) -> None:
        if self._dialog is not None:
            self._requests.ask(command, self._dialog, failed=self._on_failed)

    def _on_closed(self, _result: int) -> None:
        self._dialog = None
