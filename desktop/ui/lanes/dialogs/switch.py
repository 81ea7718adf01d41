"""SwitchBranchDialog: another branch for a lane in which nothing can be lost."""

from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import LoadLaneBases, SwitchLaneBranch
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LaneBasesListed, LanesChanged
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import progress
from desktop.ui.lanes.base_words import branch_items
from desktop.ui.lanes.host import LaneHost
from desktop.ui.widgets.buttons.choice_button import ChoiceButton
from desktop.ui.widgets.card_parts import say
from desktop.ui.widgets.dialogs.form import LaneForm

_NONE_FREE = tr("No branch is free: each is open somewhere.")
_WORDS = tr("Everything in the lane must be committed. A branch of a remote gets a local one that follows it.")


class SwitchBranchDialog(LaneForm):
    """Stays open until the lane is on the branch, or says why it is not."""

    def __init__(self, lane: Lane, host: LaneHost) -> None:
        title = tr("Switch branch of {name}", name=display_text(lane.name))
        super().__init__("lane_switch_dialog", title, (tr("Switch"), "lane_switch"), host.window)
        self._lane, self._host = lane, host
        words = self.words("lane_switch_words")
        say(words, _WORDS)
        self.branch = ChoiceButton("lane_switch_branch", tr("Branch"), self)
        self.add_field("", words)
        self._nothing = self.words("lane_switch_nothing", "caption")
        self.add_field(tr("Branch"), self.branch, self._nothing)
        self.branch.chosen.connect(self._refresh)
        self.submitted.connect(self._on_submitted)
        self._refresh()
        self.hearing = Hearing().on(LanesChanged, self._on_lanes)
        host.requests.ask(LoadLaneBases(), self, progress(LaneBasesListed, self._on_bases), failed=self._on_failed)

    def _on_bases(self, update: LaneBasesListed) -> None:
        self.branch.set_items(branch_items(update.bases))
        say(self._nothing, "" if self.branch.value else _NONE_FREE)
        self._refresh()
        self.fit()

    def _on_lanes(self, update: LanesChanged) -> None:
        if self.working and self._lane not in update.lanes:
            self.accept()

    def _on_failed(self, failed: CommandFailed) -> None:
        self.fail(failed.text)
        self._refresh()

    def _refresh(self) -> None:
        self.set_go(tr("Switch"), enabled=bool(self.branch.value), why=_NONE_FREE)

    def _on_submitted(self) -> None:
        if not self.working and self.branch.value:
            command = SwitchLaneBranch(lane_id=self._lane.id, branch=self.branch.value)
            self.set_working(True, tr("Switching…"))
            self._host.requests.ask(command, self, failed=self._on_failed)
