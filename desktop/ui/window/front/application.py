"""Application: Qt's, which also takes the links that a system hands to a program that runs, as macOS does."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QUrl, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class Application(QApplication):
    """Keeps what a person opened elsewhere, from the first event on, until somebody takes it. It overrides `event` and
    filters nothing: a filter would be called for every event of every widget."""

    link_opened = Signal()

    def __init__(self, arguments: Sequence[str]) -> None:
        self._links: list[str] = []
        super().__init__(list(arguments))

    def take_links(self) -> list[str]:
        """What was opened since this was asked last, whatever it holds, oldest first."""
        taken, self._links = self._links, []
        return taken

    def event(self, event: QEvent) -> bool:
        """Take what is opened; all else goes its way."""
        if not isinstance(event, QFileOpenEvent):
            return super().event(event)
        self._links.append(event.url().toString(QUrl.ComponentFormattingOption.FullyEncoded))
        self.link_opened.emit()
        return True
