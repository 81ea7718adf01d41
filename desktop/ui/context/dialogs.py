"""ContextDialogs: what is said of a chat's context: a summary that waits for a word, and a chat that spends fast."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.chats.updates import CompactionOffered, SpendAlarm
from desktop.domain.core.update import Update
from desktop.ui.context.compaction import CompactionDialog
from desktop.ui.core.sink import CommandSink


class ContextDialogs(QObject):
    """One dialog at most. A summary of a chat that is not on screen is shown when that chat is.

    `note`: a sentence for a toast, and whether it stays until it is closed.
    """

    note = Signal(str, bool)

    def __init__(self, sink: CommandSink, owner: QWidget) -> None:
        super().__init__(owner)
        self._sink, self._owner = sink, owner
        self._session_id = ""
        self._offers: dict[str, CompactionOffered] = {}
        self._dialog: CompactionDialog | None = None

    def show(self, session_id: str) -> None:
        """This chat is on screen now."""
        self._session_id = session_id
        self._open()

    def apply(self, updates: Sequence[Update]) -> None:
        """Take updates in order."""
        if self._dialog is not None:
            self._dialog.apply(updates)
        for update in updates:
            if isinstance(update, CompactionOffered):
                self._offers[update.session_id] = update
                self._open()
            elif isinstance(update, SpendAlarm):
                self.note.emit(update.text, True)

    def _open(self) -> None:
        offer = self._offers.get(self._session_id)
        if offer is None or self._dialog is not None:
            return
        del self._offers[self._session_id]
        self._dialog = CompactionDialog(self._sink, offer, self._owner)
        self._dialog.finished.connect(self._on_closed)
        self._dialog.open()

    def _on_closed(self, _result: int) -> None:
        self._dialog = None
