"""InboxAnswering: answers given in the inbox: for other lanes too, to all requests of a chat, and to go on with one."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.commands import ContinueTurn
from desktop.domain.display.text import prose_text
from desktop.domain.gate.pending import Answer
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.requests import Requests
from desktop.ui.gate.input_fold import PendingItem
from desktop.ui.inbox.open_inputs import OpenInputs
from desktop.ui.inbox.pane import InboxPane
from desktop.ui.inbox.same import lane_of
from desktop.ui.text.format import count
from desktop.ui.widgets.dialogs.ask import Question, ask_first


class InboxAnswering(QObject):
    """`answered`: the card on the right was."""

    answered = Signal()

    def __init__(self, pane: InboxPane, inputs: OpenInputs, requests: Requests, place: QWidget) -> None:
        super().__init__(place)
        self._pane, self._inputs, self._requests, self._place = pane, inputs, requests, place
        self._joint: dict[str, str] = {}
        self._left: list[str] = []
        inputs.resolved.connect(self._on_resolved)
        pane.stage.answered.connect(self._on_answered)
        pane.stage.sent.failed.connect(self._on_failed)
        pane.continue_asked.connect(self._continue)
        pane.decline_all_asked.connect(self._ask_decline_all)

    def _on_answered(self, _item: PendingItem, given: Answer) -> None:
        """The answer counts in other lanes too where that was ticked: each has its own, with the digest of its own."""
        self.answered.emit()
        for other in self._pane.same.also_for(given):
            self._joint[other.input_id] = lane_of(other)
            self._pane.stage.sent.answer(other, given)

    def _on_resolved(self, input_id: str) -> None:
        self._pane.stage.input_resolved(input_id)
        if self._joint.pop(input_id, None) is not None:
            self._tell_joint()

    def _on_failed(self, input_id: str, _code: str, _sentence: str) -> None:
        lane = self._joint.pop(input_id, None)
        if lane is not None:
            self._left.append(lane)
            self._tell_joint()

    def _tell_joint(self) -> None:
        """Once all of them are known: which were left open because something changed meanwhile."""
        if not self._joint and self._left:
            lanes, self._left = ", ".join(self._left), []
            self._pane.note.tell(tr("Left open, because it changed meanwhile: {lanes}. Look at it again.", lanes=lanes))

    def _continue(self) -> None:
        entry = self._pane.entry
        if entry is not None:
            command = ContinueTurn(session_id=entry.session_id)
            self._requests.ask(command, self, failed=self._on_not_continued)

    def _on_not_continued(self, failed: CommandFailed) -> None:
        self._pane.note.tell(prose_text(failed.text))

    def _ask_decline_all(self) -> None:
        entry = self._pane.entry
        if entry is None:
            return
        mine = [item.input_id for item in self._inputs.items() if item.session_id == entry.session_id]
        what = count(len(mine), "request")
        question = Question(
            name="inbox_decline_all_dialog",
            title=tr("Decline {what} of this chat?", what=what),
            text=tr("Its agent hears that you said no to each, and goes on."),
            stay=(tr("Keep them"), "inbox_decline_all_keep"),
            go=(tr("Decline {what}", what=what), "inbox_decline_all_go"),
        )
        ask_first(question, self._place, lambda: self._decline(mine))

    def _decline(self, input_ids: Sequence[str]) -> None:
        for input_id in input_ids:
            item = self._inputs.item(input_id)
            if item is not None:
                self._pane.stage.sent.answer(item, Answer(outcome="reject"))
