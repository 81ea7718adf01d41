"""ChatStrips: what stays between the header of a chat and its transcript until it is over."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.ui.chats.book import ChatFacts
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.chats.record_strip import RecordStrip
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.lanes.setup_strip import SetupStrip
from desktop.ui.lanes.stacks.behind_strip import BehindStrip
from desktop.ui.lanes.stacks.operation_strip import OperationStrip
from desktop.ui.lanes.strip import LaneStrip
from desktop.ui.theme.tokens import SPACE_1
from desktop.ui.widgets.layouts.gaps import set_gaps


class ChatStrips(QWidget):
    """`details_asked`: show what is recorded. `lane_asked`: an entry of the lane's menu, and the lane."""

    details_asked = Signal()
    lane_asked = Signal(str, str)

    def __init__(self, engine: EngineFacts, commands: ChatCommands, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("chat_strips")
        self._record = RecordStrip(engine, commands, self)
        self._record.details_asked.connect(self.details_asked)
        self._setup = SetupStrip(self)
        self._setup.asked.connect(self.lane_asked)
        self._operation = OperationStrip(self)
        self._operation.asked.connect(self.lane_asked)
        self._lane = LaneStrip(self)
        self._lane.asked.connect(self.lane_asked)
        self.behind = BehindStrip(self)
        self.behind.asked.connect(self.lane_asked)
        self.behind.hushed.connect(self._fit)
        self._all = (self._record, self._lane, self._operation, self._setup, self.behind)
        layout = QVBoxLayout(self)
        set_gaps(layout, (0, 0, 0, 0), SPACE_1)
        for strip in self._all:
            layout.addWidget(strip)
        self.hide()

    def show_chat(self, session_id: str, facts: ChatFacts | None) -> None:
        """This chat is on screen, "" for none."""
        self._record.show_chat(session_id)
        self._lane.show_facts(facts)
        self._operation.show_facts(facts)
        self._setup.show_facts(facts)
        self.behind.show_facts(facts)
        self._fit()

    def _fit(self) -> None:
        self.setVisible(not all(strip.isHidden() for strip in self._all))

    def room(self, width: int) -> int:
        """How high they are at this width, 0 while nothing is said."""
        return sum(strip.room(width) for strip in self._all)
