"""LinkPullDialog: which existing request is the lane's, by its number; none is an answer too."""

from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls.commands import LinkPullRequest
from desktop.domain.pulls.updates import PullRequestChanged
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests
from desktop.ui.pulls.dialogs.form import NumberField
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.dialogs.form import LaneForm


class LinkPullDialog(LaneForm):
    """Stays open until the lane has the request, or says why not. `linked`: the number of the present one, 0: none."""

    def __init__(self, lane: Lane, linked: int, requests: Requests, parent: QWidget) -> None:
        super().__init__("pr_link_dialog", tr("Link a pull request"), (tr("Link"), "pr_link_go"), parent)
        self._lane, self._requests = lane, requests
        self._sent = Request()
        self.hearing = Hearing().on(PullRequestChanged, self._on_changed)
        self.number = NumberField("pr_link_number", tr("Number of the pull request"), self)
        self.number.setPlaceholderText(tr("Number, such as 214"))
        words = self.words("pr_link_words")
        words.setText(tr("Its branch has to be {branch}.", branch=display_text(lane.branch)))
        words.show()
        self.add_field(tr("Pull request"), self.number, words)
        self.none = push_button(tr("This lane has no request"), "pr_link_none", self)
        self.none.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.none.setVisible(linked > 0)
        self.add_field("", self.none).setVisible(linked > 0)
        self.number.textChanged.connect(self._refresh)
        self.submitted.connect(lambda: self._link(int(self.number.text() or 0)))
        self.none.clicked.connect(lambda: self._link(0))
        self._refresh()
        self.number.setFocus()

    def _on_changed(self, update: PullRequestChanged) -> None:
        if self._sent.is_waiting and update.snapshot.lane_id == self._lane.id and not update.loading:
            self.accept()

    def _on_failed(self, failed: CommandFailed) -> None:
        self.fail(failed.text)
        self._refresh()

    def _link(self, number: int) -> None:
        if self._sent.is_waiting:
            return
        command = LinkPullRequest(lane_id=self._lane.id, number=number)
        self.set_working(True, tr("Linking…"))
        self._refresh()
        self._sent = self._requests.ask(command, self, failed=self._on_failed)

    def _refresh(self) -> None:
        self.set_go(tr("Link"), enabled=self.number.hasAcceptableInput(), why=tr("Type a number."))
