"""ChangesTab: the Changes tab of the inspector: what is shown of the changes, and what a person does with them."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from desktop.domain.core.update import Update
from desktop.ui.changes.panel import ChangesPanel
from desktop.ui.changes.review_actions import ReviewActions
from desktop.ui.core.panel import PanelSpec
from desktop.ui.core.sink import Clock, CommandSink


class ChangesTab(ChangesPanel):
    """The panel with its actions. A diff that lies over the chat goes back to the side when a chat is opened."""

    def __init__(self, sink: CommandSink, clock: Clock, parent: QWidget) -> None:
        super().__init__(sink, clock, parent)
        self.review = ReviewActions(self, sink)

    def apply(self, updates: Sequence[Update]) -> None:
        """Take a batch of updates, in order."""
        super().apply(updates)
        self.review.apply(updates)

    def give_back(self) -> None:
        """The large diff goes back to the side."""
        self.review.close_large()


CHANGES = PanelSpec("Changes", "Show changes", ("Alt+1",), "file-diff", ChangesTab)
