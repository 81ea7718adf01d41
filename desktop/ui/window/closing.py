"""Closing: whether a window may close now: the last one asks while a turn works."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.ui.chats.book import ChatBook
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.window.dialogs.close import CloseDialog


class Closing(QObject):
    """`siblings`: the other windows of the program; `programs`: in how many terminals one runs. `closed`: the window is
    gone from the screen for good."""

    closed = Signal()

    def __init__(
        self,
        window: QWidget,
        book: ChatBook,
        engine: EngineFacts,
        siblings: Callable[[], Sequence[QWidget]],
        programs: Callable[[], int],
    ) -> None:
        super().__init__(window)
        self.siblings, self._programs = siblings, programs
        self._window, self._book, self._engine = window, book, engine
        self._agreed = False

    def must_ask(self) -> bool:
        """Whether a person has to agree first; then they are asked, and the window closes when they do.

        A window that is not the last one stops no turn, so it never asks.
        """
        if self.siblings() or not self._works():
            return False
        self._ask(self._close)
        return True

    def quit(self) -> None:
        """Close every window, after asking once."""
        if self._works():
            self._ask(self._close_all)
        else:
            self._close_all()

    def _works(self) -> bool:
        return bool(self._book.running() or self._programs()) and not self._agreed and not self._engine.stopped

    def _ask(self, go: Callable[[], None]) -> None:
        dialog = CloseDialog(len(self._book.running()), self._window, programs=self._programs())
        dialog.agreed.connect(go)
        dialog.open()

    def _close(self) -> None:
        self._agreed = True
        self._window.close()

    def _close_all(self) -> None:
        self._agreed = True
        for window in self.siblings():
            window.close()
        self._window.close()
