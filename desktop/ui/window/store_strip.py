"""StoreStrip: at the top of the window while the chats can only be read, or the newest entry could not be recorded."""

from PySide6.QtWidgets import QWidget

from desktop.domain.chats.updates import StoreDamaged
from desktop.domain.display.text import display_text
from desktop.domain.events import Envelope
from desktop.domain.updates import CommandFailed
from desktop.language import said
from desktop.ui.core.hearing import Hearing
from desktop.ui.widgets.strip import Strip

FROZEN = "frozen"
"""The code of the failure that says that an entry waits to be recorded."""


class StoreStrip(Strip):
    """Red while the store is damaged or not writable; amber while a chat waits to be recorded, until it is."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("store_strip", parent)
        self._problems: tuple[str, ...] = ()
        self._frozen: dict[str, str] = {}
        self._shown: tuple[str, str] = ("", "")
        self.hearing = (
            Hearing()
            .on(StoreDamaged, self._on_damaged)
            .on(CommandFailed, self._on_failed)
            .on(Envelope, self._on_recorded)
            .then(self._show)
        )

    def _on_damaged(self, update: StoreDamaged) -> None:
        self._problems = update.problems

    def _on_failed(self, failed: CommandFailed) -> None:
        if failed.code == FROZEN:
            self._frozen[failed.session_id] = failed.text

    def _on_recorded(self, update: Envelope) -> None:
        self._frozen.pop(update.session_id, None)

    def _show(self) -> None:
        waiting = next(iter(self._frozen.values()), "")
        words = (" ".join(self._problems), "danger") if self._problems else (waiting, "warning")
        if words != self._shown:
            self._shown = words
            self.say(display_text(said(words[0])), words[1])
