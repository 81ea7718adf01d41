"""PullPage: what every page of the PR tab has."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from desktop.domain.core.update import Update
from desktop.ui.pulls.desk import PullDesk
from desktop.ui.pulls.parts import PullList


class PullPage(QWidget):
    """A page is made when it is first shown, and filled while it is."""

    def __init__(self, desk: PullDesk, parent: QWidget) -> None:
        super().__init__(parent)
        self._desk = desk

    def refresh(self) -> None:
        """Show what is known."""
        raise NotImplementedError

    def apply(self, updates: Sequence[Update]) -> None:
        """Take what came of the page's own questions, in order."""

    def take_ages(self) -> None:
        """Time has passed."""

    def main_list(self) -> PullList | None:
        """The list that the keys of the tab move in."""
        return None
