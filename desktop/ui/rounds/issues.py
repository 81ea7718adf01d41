"""The Issues page of the PR tab: what the request waits for, a person's word about it, and the rounds of work on it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop.domain.core.command import Command
from desktop.domain.pulls.pull_request import PullSnapshot
from desktop.domain.rounds.commands import LoadInventory, ResumeResolution, SetItemState, StopResolution
from desktop.domain.rounds.items import ItemState, PipelineSettings
from desktop.domain.rounds.updates import RoundChanged
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.pulls.fold import PullFold
from desktop.ui.pulls.page import PullPage
from desktop.ui.pulls.parts import column_in, line_of
from desktop.ui.pulls.shown import ShownPull
from desktop.ui.rounds.issue_list import IssueList
from desktop.ui.rounds.issue_rows import run_words
from desktop.ui.rounds.round_list import RoundList
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.strip import Strip

_ROLES = {"danger": "danger", "warning": "warning"}
_STOPPABLE = ("launching", "running", "polling", "paused")
_ENDED = ("paused", "failed", "stopped", "cancelled", "converged")


class IssuesPage(PullPage):
    """Items of the lane's request, or the rounds of work on them."""

    key, label, letter = "issues", tr("Issues"), Qt.Key.Key_I

    def __init__(self, shown: ShownPull, parent: QWidget) -> None:
        super().__init__(shown, parent)
        self.setObjectName("pr_issues")
        self._lane_id = ""
        self._strip = Strip("pr_round_state", self, "accent")
        self._resume = self._strip.add_button(tr("Go on"), "round_resume")
        self._stop = self._strip.add_button(tr("Stop"), "round_stop")
        self._view = Segmented(
            "issues_view",
            tr("What of the issues"),
            [("items", tr("Items")), ("rounds", tr("Rounds"))],
            self,
            compact=True,
        )
        self._settings = IconButton("settings", tr("How rounds go…"), self)
        self._settings.setObjectName("issues_settings")
        self.items = IssueList(shown, self)
        self.rounds = RoundList(self)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.items)
        self._stack.addWidget(self.rounds)
        top = line_of(self._view, self._settings, margins=(SPACE_3, SPACE_2, SPACE_2, 0))
        top.insertStretch(1, 1)
        column_in(self, self._strip, top, self._stack, spacing=SPACE_1)
        self._connect()
        self.show_view("items")
        self.refresh()

    @classmethod
    def number(cls, snapshot: PullSnapshot, fold: PullFold) -> int:
        """The new items of the inventory."""
        inventory = fold.inventory
        return sum(item.state == "new" for item in inventory.items) if inventory is not None else 0

    # for the tab

    def show_view(self, value: str) -> None:
        """Show the items or the rounds."""
        self._view.set_value(value)
        self._stack.setCurrentIndex(0 if value == "items" else 1)

    def refresh(self) -> None:
        """Show what is known of the tab's lane."""
        self._follow()
        told, rounds = self._shown.fold.inventory, self._shown.fold.rounds
        self.items.show_inventory(told)
        self.rounds.show_rounds(rounds)
        new = sum(item.state == "new" for item in told.items) if told is not None else 0
        number = len(rounds.rounds) if rounds is not None else 0
        self._view.set_label("rounds", tr("Rounds {number}", number=number) if number else tr("Rounds"))
        self._view.set_label("items", tr("Items {new}", new=new) if new else tr("Items"))
        set_off(self._settings, "" if rounds is not None and rounds.number else tr("The lane has no pull request yet."))
        self._say_run(rounds)

    def showEvent(self, event: QShowEvent) -> None:
        """On screen: what is kept is asked for."""
        super().showEvent(event)
        self._follow(again=True)

    # inside

    def _connect(self) -> None:
        self._view.chosen.connect(self.show_view)
        self._settings.clicked.connect(self._on_settings)
        self._resume.clicked.connect(lambda: self._send(ResumeResolution(lane_id=self._lane_id)))
        self._stop.clicked.connect(lambda: self._send(StopResolution(lane_id=self._lane_id)))
        self.items.state_asked.connect(self._set_state)
        self.items.fix_asked.connect(self._shown.fix_asked)
        self.rounds.chat_asked.connect(self._shown.chat_asked)

    def _follow(self, *, again: bool = False) -> None:
        """Take the tab's lane; on screen, ask for what is kept of another one."""
        lane_id = self._shown.lane_id
        changed = lane_id != self._lane_id
        self._lane_id = lane_id
        if lane_id and (changed or again) and self.isVisible():
            self._shown.send(LoadInventory(lane_id=lane_id))

    def _say_run(self, rounds: RoundChanged | None) -> None:
        words, role = run_words(rounds.run, rounds.rounds) if rounds is not None else ("", "")
        state = rounds.run.state if rounds is not None else "idle"
        self._strip.say(words, _ROLES.get(role, "accent"))
        self._resume.setVisible(state in _ENDED)
        self._stop.setVisible(state in _STOPPABLE)

    def _set_state(self, ids: tuple[str, ...], to: ItemState, reason: str) -> None:
        self._send(SetItemState(lane_id=self._lane_id, item_ids=ids, to=to, reason=reason))

    def _on_settings(self) -> None:
        rounds = self._shown.fold.rounds
        self._shown.rounds_asked.emit(rounds.settings if rounds is not None else PipelineSettings())

    def _send(self, command: Command) -> None:
        self._shown.requests.ask(command, self, failed=self._on_refused)

    def _on_refused(self, failed: CommandFailed) -> None:
        self._shown.noted.emit(failed.text, True)
