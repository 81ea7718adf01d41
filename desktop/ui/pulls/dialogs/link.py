"""LinkPullDialog: which existing request is the lane's, by its number; none is an answer too."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.domain.core.command import Command
from desktop.domain.core.update import Update
from desktop.domain.display.text import display_text
from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls.commands import LinkPullRequest
from desktop.domain.pulls.updates import PullRequestChanged
from desktop.domain.updates import CommandFailed
from desktop.ui.pulls.dialogs.form import NumberField
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.dialogs.form import LaneForm


class LinkPullDialog(LaneForm):
    """Stays open until the lane has the request, or says why not. `linked`: the number of the present one, 0: none."""

    def __init__(self, lane: Lane, linked: int, send: Callable[[Command], None], parent: QWidget) -> None:
        super().__init__("pr_link_dialog", "Link a pull request", ("Link", "pr_link_go"), parent)
        self._lane, self._send = lane, send
        self._sent = ""
        self.number = NumberField("pr_link_number", "Number of the pull request", self)
        self.number.setPlaceholderText("Number, such as 214")
        words = self.words("pr_link_words")
        words.setText(f"Its branch has to be {display_text(lane.branch)}.")
        words.show()
        self.add_field("Pull request", self.number, words)
        self.none = push_button("This lane has no request", "pr_link_none", self)
        self.none.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.none.setVisible(linked > 0)
        self.add_field("", self.none).setVisible(linked > 0)
        self.number.textChanged.connect(self._refresh)
        self.submitted.connect(lambda: self._link(int(self.number.text() or 0)))
        self.none.clicked.connect(lambda: self._link(0))
        self._refresh()
        self.number.setFocus()

    def apply(self, updates: Sequence[Update]) -> None:
        """Take what came of it."""
        for update in updates:
            if isinstance(update, CommandFailed) and update.command_id and update.command_id == self._sent:
                self._sent = ""
                self.fail(update.text)
                self._refresh()
            elif isinstance(update, PullRequestChanged) and self._is_answer(update):
                self.accept()

    def _is_answer(self, update: PullRequestChanged) -> bool:
        return bool(self._sent) and update.snapshot.lane_id == self._lane.id and not update.loading

    def _link(self, number: int) -> None:
        if self._sent:
            return
        command = LinkPullRequest(lane_id=self._lane.id, number=number)
        self._sent = command.command_id
        self.set_working(True, "Linking…")
        self._refresh()
        self._send(command)

    def _refresh(self) -> None:
        self.set_go("Link", enabled=self.number.hasAcceptableInput(), why="Type a number.")
