"""StoreStrip: at the top of the window while the chats can only be read, or the newest entry could not be recorded."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from desktop.domain.chats.updates import StoreDamaged
from desktop.domain.core.update import Update
from desktop.domain.display.text import display_text
from desktop.domain.events import Envelope
from desktop.domain.updates import CommandFailed
from desktop.ui.widgets.strip import Strip

FROZEN = "frozen"
"""The code of the failure that says that an entry waits to be recorded."""


class StoreStrip(Strip):
    """Red while the store is damaged or not writable; amber while a chat waits to be recorded, until it is."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("store_strip", parent)
        self._problems: tuple[str, ...] = ()
        self._frozen: dict[str, str] = {}

    def apply(self, updates: Sequence[Update]) -> None:
        """Take updates in order."""
        before = (self._problems, tuple(self._frozen.values()))
        for update in updates:
            if isinstance(update, StoreDamaged):
                self._problems = update.problems
            elif isinstance(update, CommandFailed) and update.code == FROZEN:
                self._frozen[update.session_id] = update.text
            elif isinstance(update, Envelope):
                self._frozen.pop(update.session_id, None)
        if (self._problems, tuple(self._frozen.values())) != before:
            self._show()

    def _show(self) -> None:
        if self._problems:
            self.say(display_text(" ".join(self._problems)))
        else:
            self.say(display_text(next(iter(self._frozen.values()), "")), "warning")
