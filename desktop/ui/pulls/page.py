"""PullPage: what every page of the PR tab has."""

from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop.domain.pulls.pull_request import PullSnapshot
from desktop.ui.pulls.fold import PullFold
from desktop.ui.pulls.parts import PullList
from desktop.ui.pulls.shown import ShownPull


class PullPage(QWidget):
    """A page is made when it is first shown, and filled while it is. `key` is its name, `label` stands on its tab,
    `letter` after a `g` goes there."""

    key: ClassVar[str]
    label: ClassVar[str]
    letter: ClassVar[Qt.Key | None] = None

    def __init__(self, shown: ShownPull, parent: QWidget) -> None:
        super().__init__(parent)
        self._shown = shown

    @classmethod
    def number(cls, snapshot: PullSnapshot, fold: PullFold) -> int:
        """The number beside the label, 0 for none; asked also while the page is not made."""
        return 0

    def refresh(self) -> None:
        """Show what is known."""
        raise NotImplementedError

    def take_ages(self) -> None:
        """Bring the ages up to date, because time has passed."""

    def main_list(self) -> PullList | None:
        """The list that the keys of the tab move in."""
        return None
