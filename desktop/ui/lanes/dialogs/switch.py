"""SwitchBranchDialog: another branch for a lane in which nothing can be lost."""

from collections.abc import Sequence

from desktop.domain.core.update import Update
from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import LoadLaneBases, SwitchLaneBranch
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LaneBasesListed, LanesChanged
from desktop.domain.updates import CommandFailed
from desktop.ui.lanes.base_words import branch_items
from desktop.ui.lanes.host import LaneHost
from desktop.ui.widgets.buttons.choice_button import ChoiceButton
from desktop.ui.widgets.card_parts import say
from desktop.ui.widgets.dialogs.form import LaneForm

_NONE_FREE = "No branch is free: each is open somewhere."
_WORDS = "Everything in the lane must be committed. A branch of a remote gets a local one that follows it."


class SwitchBranchDialog(LaneForm):
    """Stays open until the lane is on the branch, or says why it is not."""

    def __init__(self, lane: Lane, host: LaneHost) -> None:
        title = f"Switch branch of {display_text(lane.name)}"
        super().__init__("lane_switch_dialog", title, ("Switch", "lane_switch"), host.window)
        self._lane, self._host = lane, host
        self._load, self._sent = LoadLaneBases(), ""
        words = self.words("lane_switch_words")
        say(words, _WORDS)
        self.branch = ChoiceButton("lane_switch_branch", "Branch", self)
        self.add_field("", words)
        self._nothing = self.words("lane_switch_nothing", "caption")
        self.add_field("Branch", self.branch, self._nothing)
        self.branch.chosen.connect(self._refresh)
        self.submitted.connect(self._on_submitted)
        self._refresh()
        host.ask(self._load)

    def apply(self, updates: Sequence[Update]) -> None:
        """Take the branches, and what came of it."""
        for update in updates:
            if isinstance(update, LaneBasesListed) and update.command_id == self._load.command_id:
                self.branch.set_items(branch_items(update.bases))
                say(self._nothing, "" if self.branch.value else _NONE_FREE)
                self._refresh()
                self.fit()
            elif isinstance(update, LanesChanged) and self.working and self._lane not in update.lanes:
                self.accept()
            elif isinstance(update, CommandFailed) and update.command_id in (self._sent, self._load.command_id):
                self.fail(update.text)
                self._refresh()

    def _refresh(self) -> None:
        self.set_go("Switch", enabled=bool(self.branch.value), why=_NONE_FREE)

    def _on_submitted(self) -> None:
        if not self.working and self.branch.value:
            command = SwitchLaneBranch(lane_id=self._lane.id, branch=self.branch.value)
            self._sent = command.command_id
            self.set_working(True, "Switching…")
            self._host.ask(command)
