"""InstructionsOpener: opens the list of instruction files for the chat on screen and lets a person trust commands."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from desktop.domain.chats.commands import LoadInstructions, TrustCommands
from desktop.domain.chats.updates import InstructionsListed
from desktop.domain.core.update import Update
from desktop.domain.updates import CommandFailed
from desktop.ui.context.instructions_dialog import InstructionsDialog
from desktop.ui.core.sink import CommandSink


class InstructionsOpener(QObject):
    """`here`: the id of the chat on screen, "" for none. One dialog at most."""

    def __init__(self, sink: CommandSink, here: Callable[[], str], window: QWidget) -> None:
        super().__init__(window)
        self._sink, self._here, self._window = sink, here, window
        self._dialog: InstructionsDialog | None = None
        self._session_id = ""
        self._sent: set[str] = set()

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

    def apply(self, updates: Sequence[Update]) -> None:
        """Take updates in order."""
        dialog = self._dialog
        if dialog is None:
            return
        for update in updates:
            if isinstance(update, InstructionsListed) and update.session_id == self._session_id:
                dialog.show_listed(update)
            elif isinstance(update, CommandFailed) and update.command_id in self._sent:
                dialog.show_problem(update.text)

    def _on_trust(self, digest: str) -> None:
        self._send(TrustCommands(session_id=self._session_id, sha256=digest))

    def _send(self, command: LoadInstructions | TrustCommands) -> None:
        self._sent.add(command.command_id)
        self._sink.send(command)

    def _on_closed(self, _result: int) -> None:
        self._dialog = None
        self._sent.clear()
