"""The Issues page of the PR tab: what the request waits for, a person's word about it, and the rounds of work on it."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop.domain.commands import Command
from desktop.domain.pr_items import Availability, ItemState, PipelineSettings, Scope
from desktop.domain.resolution_commands import LoadInventory, ResumeResolution, SetItemState, StopResolution
from desktop.domain.resolution_updates import InventoryChanged, RoundChanged
from desktop.domain.updates import CommandFailed, Update
from desktop.ui.models.pr_issue_rows import run_words
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.views.panels.pr_desk import PullDesk
from desktop.ui.views.panels.pr_fix_button import FixButton
from desktop.ui.views.panels.pr_issue_list import IssueList
from desktop.ui.views.panels.pr_parts import column_in, line_of
from desktop.ui.views.panels.pr_round_list import RoundList
from desktop.ui.widgets.icon_button import IconButton
from desktop.ui.widgets.segmented import Segmented
from desktop.ui.widgets.strip import Strip

_ROLES = {"danger": "danger", "warning": "warning"}
_STOPPABLE = ("launching", "running", "polling", "paused")
_ENDED = ("paused", "failed", "stopped", "cancelled", "converged")


class IssuesPage(QWidget):
    """Follows the lane of the PR tab. `fix_asked`: a scope and the ids of ticked items (none: all that are new);
    `settings_asked`: how rounds go; `chat_asked`: a round's chat; `counted`: how many items are new."""

    fix_asked = Signal(str, object)
    settings_asked = Signal(object)
    chat_asked = Signal(str)
    counted = Signal(int)

    def __init__(self, desk: PullDesk, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("pr_issues")
        self._desk = desk
        self._inventories: dict[str, InventoryChanged] = {}
        self._rounds: dict[str, RoundChanged] = {}
        self._lane_id = ""
        self._sent: set[str] = set()
        self._buttons: tuple[FixButton, ...] = ()
        self._strip = Strip("pr_round_state", self, "accent")
        self._resume = self._strip.add_button("Go on", "round_resume")
        self._stop = self._strip.add_button("Stop", "round_stop")
        self._view = Segmented(
            "issues_view", "What of the issues", [("items", "Items"), ("rounds", "Rounds")], self, compact=True
        )
        self._settings = IconButton("settings", "How rounds go…", self)
        self._settings.setObjectName("issues_settings")
        self.items = IssueList(desk, self)
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

    # for the window

    def apply(self, updates: Sequence[Update]) -> None:
        """Take a batch of updates, in order; follow the lane of the tab."""
        changed = self._follow()
        for update in updates:
            if isinstance(update, InventoryChanged):
                self._inventories[update.lane_id] = update
                changed = changed or update.lane_id == self._lane_id
            elif isinstance(update, RoundChanged):
                self._rounds[update.lane_id] = update
                changed = changed or update.lane_id == self._lane_id
            elif isinstance(update, CommandFailed) and update.command_id in self._sent:
                self._sent.discard(update.command_id)
                self._desk.noted.emit(update.text, True)
        if changed:
            self.refresh()

    def fix(self, scope: Scope | str, item_ids: Sequence[str] = ()) -> None:
        """Begin a round with these items, or all that are new in the scope: asks first, with the exact prompt."""
        self.fix_asked.emit(scope, tuple(item_ids))

    def why_not(self, scope: Scope) -> str:
        """Why that scope cannot be given to an agent now, "" when it can."""
        told = self._inventories.get(self._desk.lane_id)
        return told.availability.why(scope) if told is not None else "It is not known yet what there is to fix."

    def show_view(self, value: str) -> None:
        """Show the items or the rounds."""
        self._view.set_value(value)
        self._stack.setCurrentIndex(0 if value == "items" else 1)

    @property
    def inventory(self) -> InventoryChanged | None:
        """What was told of the shown lane last."""
        return self._inventories.get(self._lane_id)

    def refresh(self) -> None:
        """Show what is known."""
        told, rounds = self.inventory, self._rounds.get(self._lane_id)
        self.items.show_inventory(told)
        self.rounds.show_rounds(rounds)
        new = sum(1 for item in told.items if item.state == "new") if told is not None else 0
        self.counted.emit(new)
        number = len(rounds.rounds) if rounds is not None else 0
        self._view.set_label("rounds", f"Rounds {number}" if number else "Rounds")
        self._view.set_label("items", f"Items {new}" if new else "Items")
        self._settings.setEnabled(rounds is not None and bool(rounds.number))
        self._say_run(rounds)
        for button in self._buttons:
            found = told.availability if told is not None else Availability()
            there = found.failing if button.scope == "checks" else (found.open_threads or 0) + (found.new_comments or 0)
            button.show_hindrance(self.why_not(button.scope), any_there=bool(there))

    def serve(self, *buttons: FixButton) -> None:
        """These buttons of other pages are kept in step."""
        self._buttons = buttons
        self.refresh()

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
        self.items.fix_asked.connect(self.fix)
        self._desk.fix_asked.connect(self.fix)
        self.rounds.chat_asked.connect(self.chat_asked)

    def _follow(self, *, again: bool = False) -> bool:
        """Take the tab's lane; whether it is another one than before."""
        lane_id = self._desk.lane_id
        changed = lane_id != self._lane_id
        self._lane_id = lane_id
        if lane_id and (changed or again) and self.isVisible():
            self._desk.sink.send(LoadInventory(lane_id=lane_id))
        return changed

    def _say_run(self, rounds: RoundChanged | None) -> None:
        words, role = run_words(rounds.run, rounds.rounds) if rounds is not None else ("", "")
        state = rounds.run.state if rounds is not None else "idle"
        self._strip.say(words, _ROLES.get(role, "accent"))
        self._resume.setVisible(state in _ENDED)
        self._stop.setVisible(state in _STOPPABLE)

    def _set_state(self, ids: tuple[str, ...], to: ItemState, reason: str) -> None:
        self._send(SetItemState(lane_id=self._lane_id, item_ids=ids, to=to, reason=reason))

    def _on_settings(self) -> None:
        rounds = self._rounds.get(self._lane_id)
        self.settings_asked.emit(rounds.settings if rounds is not None else PipelineSettings())

    def _send(self, command: Command) -> None:
        self._sent.add(command.command_id)
        self._desk.sink.send(command)
