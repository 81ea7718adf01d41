"""ChangesTab: the Changes tab of the inspector: what is shown of the changes, and what a person does with them."""

from PySide6.QtWidgets import QWidget

from desktop.language import tr
from desktop.ui.changes.panel import ChangesPanel
from desktop.ui.changes.review_actions import ReviewActions
from desktop.ui.core.panel import PanelSpec
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock


class ChangesTab(ChangesPanel):
    """The panel with its actions. A diff that lies over the chat goes back to the side when a chat is opened."""

    def __init__(self, requests: Requests, clock: Clock, parent: QWidget) -> None:
        super().__init__(requests, clock, parent)
        self.review = ReviewActions(self, requests)
        self.hearing.inside(self.review.commits.hearing)

    def give_back(self) -> None:
        """The large diff goes back to the side."""
        self.review.close_large()


CHANGES = PanelSpec("changes", tr("Changes"), tr("Show changes"), ("Alt+1",), "file-diff", ChangesTab)
