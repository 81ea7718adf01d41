"""OperationStrip: over a chat in whose lane a rebase or merge is open: its files, going on, and taking it back."""

from PySide6.QtWidgets import QWidget

from desktop.language import tr
from desktop.ui.chats.book import ChatFacts
from desktop.ui.chats.strips import ChatStrip
from desktop.ui.lanes.state import operation_words
from desktop.ui.text.format import count


class OperationStrip(ChatStrip):
    """The open rebase or merge of the lane, with how many files are in conflict."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("operation_strip", parent, role="warning")
        self._lane_id = ""
        self._show = self.add_button(tr("Show conflicts…"), "operation_strip_show")
        self._show.clicked.connect(lambda: self._ask("conflicts"))
        self._continue = self.add_button(tr("Continue"), "operation_strip_continue")
        self._continue.clicked.connect(lambda: self._ask("continue"))
        self._abort = self.add_button(tr("Abort…"), "operation_strip_abort")
        self._abort.clicked.connect(lambda: self._ask("abort"))

    def show_facts(self, facts: ChatFacts | None) -> None:
        """The chat on screen, None for none."""
        operation = facts.operation if facts is not None and not facts.primary else ""
        self._lane_id = facts.lane_id if facts is not None else ""
        files = facts.conflicted if facts is not None else 0
        self._show.setVisible(bool(files))
        self._continue.setVisible(not files and operation != "bisect")
        self._abort.setVisible(operation != "bisect")
        named = operation_words(operation)
        words = tr("A {operation} is open in this lane. Nothing is in conflict.", operation=named)
        if files:
            told = count(files, "file")
            words = tr("A {operation} is open in this lane: {files} in conflict.", operation=named, files=told)
        self.say(words if operation else "", "warning")

    def _ask(self, action: str) -> None:
        self.asked.emit(action, self._lane_id)
