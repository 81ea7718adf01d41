"""ContextDialogs: what is said of a chat's context: a summary that waits for a word, and a chat that spends fast."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.chats.updates import CompactionOffered, SpendAlarm
from desktop.ui.context.compaction import CompactionDialog
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests


class ContextDialogs(QObject):
    """One dialog at most. A summary of a chat that is not on screen is shown when that chat is.

    `note`: a sentence for a toast, and whether it stays until it is closed.
    """

    note = Signal(str, bool)

    def __init__(self, requests: Requests, owner: QWidget) -> None:
        super().__init__(owner)
        self._requests, self._owner = requests, owner
        self._over = Hearing()
        self.hearing = Hearing(self._over).on(CompactionOffered, self._on_offered).on(SpendAlarm, self._on_alarm)
        self._session_id = ""
        self._offers: dict[str, CompactionOffered] = {}
        self._dialog: CompactionDialog | None = None

    def show(self, session_id: str) -> None:
        """This chat is on screen now."""
        self._session_id = session_id
        self._open()

    def _on_offered(self, update: CompactionOffered) -> None:
        self._offers[update.session_id] = update
        self._open()

    def _on_alarm(self, update: SpendAlarm) -> None:
        self.note.emit(update.text, True)

    def _open(self) -> None:
        offer = self._offers.get(self._session_id)
        if offer is None or self._dialog is not None:
            return
        del self._offers[self._session_id]
        self._dialog = CompactionDialog(self._requests, offer, self._owner)
        self._over.join(self._dialog.hearing, self._dialog)
        self._dialog.finished.connect(self._on_closed)
        self._dialog.open()

    def _on_closed(self, _result: int) -> None:
        self._dialog = None
