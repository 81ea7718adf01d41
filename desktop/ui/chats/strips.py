"""ChatStrips: what stays between the header of a chat and its transcript until it is over."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.ui.chats.book import ChatFacts
from desktop.ui.chats.record_strip import RecordStrip
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.theme.tokens import SPACE_1
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.strip import Strip


class ChatStrip(Strip):
    """A strip that follows the facts of the chat on screen. `asked`: an entry of the lane's menu, and the lane;
    `hushed`: a person put the strip off, so that it hid itself."""

    asked = Signal(str, str)
    hushed = Signal()

    def show_facts(self, facts: ChatFacts | None) -> None:
        """The chat on screen, None for none."""
        raise NotImplementedError


class ChatStrips(QWidget):
    """The strip of the record, and below it those that `others` makes. `details_asked`: show what is recorded;
    `lane_asked`: an entry of the lane's menu, and the lane."""

    details_asked = Signal()
    lane_asked = Signal(str, str)

    def __init__(
        self,
        engine: EngineFacts,
        others: Callable[[QWidget], Sequence[ChatStrip]],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("chat_strips")
        self._record = RecordStrip(engine, self)
        self._record.details_asked.connect(self.details_asked)
        self._others = others(self)
        for strip in self._others:
            strip.asked.connect(self.lane_asked)
            strip.hushed.connect(self._fit)
        self._all = (self._record, *self._others)
        layout = QVBoxLayout(self)
        set_gaps(layout, (0, 0, 0, 0), SPACE_1)
        for shown in self._all:
            shown.go_across()
            layout.addWidget(shown)
        self.hide()

    def show_chat(self, session_id: str, facts: ChatFacts | None) -> None:
        """This chat is on screen, "" for none."""
        self._record.show_chat(session_id)
        for strip in self._others:
            strip.show_facts(facts)
        self._fit()

    def room(self, width: int) -> int:
        """How high they are at this width, 0 while nothing is said."""
        return sum(strip.room(width) for strip in self._all)

    def _fit(self) -> None:
        self.setVisible(not all(strip.isHidden() for strip in self._all))
