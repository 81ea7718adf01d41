"""HandoverStrip: at the top of the window while the person's own checkout shows a lane."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.core.lane_book import LaneBook
from desktop.ui.widgets.strip import Strip


class HandoverStrip(Strip):
    """`back_asked`: what was edited there is to come into the lane, and the checkout to return."""

    back_asked = Signal()

    def __init__(self, book: LaneBook, parent: QWidget) -> None:
        super().__init__("handover_strip", parent, role="warning")
        self._book = book
        back = self.add_button(tr("Bring back"), "handover_bring_back")
        back.setToolTip(tr("What you edited there comes into the lane, and your checkout returns to its branch."))
        back.clicked.connect(self.back_asked)

    def refresh(self) -> None:
        """Say what is so by now."""
        lane_id = self._book.handover.lane_id
        lane = self._book.lane(lane_id) if lane_id else None
        text = tr("Your checkout shows lane that is gone.") if lane_id else ""
        if lane is not None:
            text = tr("Your checkout shows lane {name}.", name=display_text(lane.name))
        if text != self.text.text():
            self.say(text, "warning")
