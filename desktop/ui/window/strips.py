"""WindowStrips: what stays at the top of the window until it is over: a damaged store, a lane in the checkout."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.ui.core.hearing import Hearing
from desktop.ui.core.lane_book import LaneBook
from desktop.ui.lanes.stacks.handover_strip import HandoverStrip
from desktop.ui.window.store_strip import StoreStrip


class WindowStrips(QWidget):
    """`back_asked`: the lane in the checkout is to be brought back. `book` has the updates already."""

    back_asked = Signal()

    def __init__(self, book: LaneBook, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("window_strips")
        self._store = StoreStrip(self)
        self._handover = HandoverStrip(book, self)
        self._handover.back_asked.connect(self.back_asked)
        layout = self._rows = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.add(self._store)
        self.add(self._handover)
        self.hearing = Hearing(self._store.hearing).then(self._handover.refresh)

    def add(self, strip: QWidget) -> None:
        """One more, below those that are there."""
        strip.setProperty("across", True)
        self._rows.addWidget(strip)
