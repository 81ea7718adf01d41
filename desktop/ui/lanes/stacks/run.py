"""StackRunDialog: bringing a lane, and those that stack on it, up to their base; lane by lane, and undone again."""

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QWidget

from desktop.domain.core.command import Command
from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import LoadBehind, RebaseLanes, UndoStackRun
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import BehindLoaded, StackLane, StackRunChanged
from desktop.domain.updates import CommandFailed
from desktop.language import number, said, tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Ask, Request, answer
from desktop.ui.text.format import count
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.line_list import LineList
from desktop.ui.widgets.pick_list import PickItem, PickList

_ROWS = 6
_ICONS = {
    "pending": "circle",
    "running": "loader-circle",
    "succeeded": "circle-check",
    "skipped": "minus",
    "conflict": "triangle-alert",
    "blocked": "octagon-x",
}
_WORDS = {
    "pending": tr("waiting"),
    "running": tr("being rebased"),
    "succeeded": tr("rebased"),
    "skipped": tr("up to date"),
    "conflict": tr("conflict"),
    "blocked": tr("not rebased"),
}
_ENDS = {
    "completed": tr("Every lane stands on its newest base."),
    "failed": tr("Not every lane could be rebased."),
    "aborted": tr("The run did not come to its end."),
    "undone": tr("The lanes stand where they stood before the run."),
    "running": tr("Rebasing…"),
}
_INTRO = tr(
    "The lane's own commits are put on top of the newest commit of its base. Where one does not fit, the lane stays "
    "exactly as it is."
)


class StackParts(Protocol):
    """What the dialog works with. `order` tells of a refusal elsewhere too, `ask` does not."""

    order: Ask
    ask: Ask

    def resolve(self, lane_id: str) -> None:
        """Show the files in conflict of a lane."""

    def name(self, lane_id: str) -> str:
        """The name of a lane, "" when it is gone."""

    def push(self, over: QWidget, lane_ids: tuple[str, ...]) -> None:
        """Show over this dialog what pushing these lanes would do."""


class StackRunDialog(AskDialog):
    """`behind`: how many commits the lane lacks of its base, None where that is not known. `last`: the last run of the
    repository, which can be undone here as well."""

    def __init__(
        self,
        lane: Lane,
        below: Sequence[Lane],
        parts: StackParts,
        parent: QWidget,
        facts: tuple[int | None, str, StackRunChanged | None],
    ) -> None:
        self._behind, self._base, last = facts
        title = tr("Update lane “{name}” from its base", name=display_text(lane.name))
        question = Question(
            "stack_run_dialog",
            title,
            _INTRO,
            (tr("Cancel"), "stack_run_cancel"),
            (tr("Update"), "stack_run"),
            dangerous=False,
        )
        super().__init__(question, parent)
        self.go.setProperty("kind", "primary")
        self._lane, self._below, self._parts = lane, tuple(below), parts
        self._begun, self._loading = Request(), Request()
        self._commits: LineList | None = None
        self._run: StackRunChanged | None = None
        self._before = last.run_id if last is not None else ""
        self._going = False
        self._followed = ""
        self._state = plain_label(self, "", "stack_run_state")
        self._too = QCheckBox(tr("Also {lanes} on top of it", lanes=count(len(below), "lane")), self)
        self._too.setObjectName("stack_run_children")
        self._too.setToolTip(", ".join(display_text(one.name) for one in below))
        self._too.setChecked(bool(below))
        self._too.setVisible(bool(below))
        self._push = QCheckBox(tr("Then review what to push"), self)
        self._push.setObjectName("stack_run_push")
        self._push.setToolTip(
            tr("When the run has ended, shows where each branch would be pushed and what it replaces.")
        )
        self._list = PickList("stack_run_lanes", self)
        self._list.setAccessibleName(tr("Lanes"))
        self._list.hide()
        self.details.addWidget(self._state)
        self.details.addWidget(self._too)
        self.details.addWidget(self._push)
        self.details.addWidget(self._list)
        self._undo = self._button(tr("Undo run"), "stack_undo", self._on_undo)
        self._resolve = self._button(tr("Resolve here…"), "stack_resolve", self._on_resolve)
        self._resolve.setToolTip(
            tr("Begin the rebase again and leave it open in the lane, so that it can be resolved.")
        )
        row = QHBoxLayout()
        set_gaps(row, spacing=SPACE_2)
        row.addWidget(self._undo)
        row.addWidget(self._resolve)
        row.addStretch(1)
        self.details.addLayout(row)
        shown = {one.id for one in (lane, *below)}
        if last is not None and last.can_undo and any(one.lane_id in shown for one in last.lanes):
            self._show(last)
        self._say_how_far()
        self.hearing = Hearing().on(StackRunChanged, self._on_run)

    def load(self) -> None:
        """Ask for the commits that the lane lacks: how many it lacks may have changed since that was last read."""
        self._loading.drop()
        found = answer(BehindLoaded, self._list_commits)
        self._loading = self._parts.ask(LoadBehind(lane_id=self._lane.id), self, found)

    def follow(self, run_id: str) -> None:
        """Show the steps of a run that goes on by itself."""
        self._followed, self._before, self._going = run_id, "", True
        say(self._state, _ENDS["running"])
        self._fit()

    def _on_run(self, update: StackRunChanged) -> None:
        """Take the steps of the run that was begun here."""
        if self._is_ours(update):
            ended = self._going and update.state in ("completed", "failed")
            self._show(update)
            if ended:
                self._review(update)

    def _on_failed(self, failed: CommandFailed) -> None:
        self._going = False
        say(self._state, display_text(failed.text))
        self._fit()

    def _is_ours(self, update: StackRunChanged) -> bool:
        """The run that is shown or followed, or the one that was begun here: of this lane, and none that was there
        before."""
        if update.run_id == self._followed or (self._run is not None and update.run_id == self._run.run_id):
            return True
        here = any(lane.lane_id == self._lane.id for lane in update.lanes)
        return self._going and here and update.run_id != self._before

    def _show(self, run: StackRunChanged) -> None:
        self._run = run
        if self._commits is not None:
            self._commits.hide()
        self._going = self._going and run.state == "running"
        items = [self._item(lane) for lane in run.lanes]
        self._list.show_items(items)
        rows = min(len(items), _ROWS)
        self._list.setFixedHeight(rows * self._list.sizeHintForRow(0) + 2 * self._list.frameWidth())
        self._list.setVisible(bool(items))
        ends = _ENDS[run.state] if not run.undo else f"{_ENDS[run.state]} {display_text(said(run.undo))}"
        say(self._state, ends)
        self._fit()
        self.adjustSize()

    def _list_commits(self, found: BehindLoaded) -> None:
        if self._begun.command is not None:  # a run was begun meanwhile
            return
        self._behind, self._base = len(found.commits) + found.more, found.base or self._base
        self._say_how_far()
        if not found.commits or self._run is not None:
            return
        lines = [display_text(line) for line in found.commits]
        lines += [tr("and {more} more", more=number(found.more))] if found.more else []
        self._commits = LineList("stack_run_commits", tr("Commits that come"), lines, self, "commit")
        self.details.insertWidget(1, self._commits)
        self._commits.show()
        self.adjustSize()

    def _review(self, run: StackRunChanged) -> None:
        """What a person wanted after the run: never a push that they did not look at."""
        stand = tuple(lane.lane_id for lane in run.lanes if lane.state in ("succeeded", "skipped"))
        if self._push.isChecked() and stand:
            self._parts.push(self, stand)

    def _item(self, lane: StackLane) -> PickItem:
        name = display_text(self._parts.name(lane.lane_id)) or tr("a lane")
        text = display_text(said(lane.text))
        if lane.conflicts:
            text = f"{', '.join(display_text(path) for path in lane.conflicts[:3])}. {text}"
            text = text if len(lane.conflicts) <= 3 else f"{count(len(lane.conflicts), 'file')}: {text}"
        return PickItem(lane.lane_id, name, detail=_WORDS[lane.state], icon=_ICONS[lane.state], below=text or " ")

    def _fit(self) -> None:
        run, going = self._run, self._going
        ended = run is not None and run.state != "running"
        for part in (self._too, self._push, self.go, self._undo, self._resolve):
            set_off(part, UNDER_WAY if going else "")
        self.go.setVisible(run is None or run.run_id == self._before or run.state != "completed")
        self._undo.setVisible(run is not None and ended and run.can_undo)
        self._resolve.setVisible(ended and bool(self._conflicting()))
        self.stay.setText(tr("Close") if going or run is not None else tr("Cancel"))

    def _conflicting(self) -> str:
        lanes = self._run.lanes if self._run is not None and self._run.state == "failed" else ()
        return next((lane.lane_id for lane in lanes if lane.state == "conflict"), "")

    def _on_go(self) -> None:
        with_children = self._too.isChecked() and bool(self._below)
        self._begin(RebaseLanes(lane_id=self._lane.id, with_children=with_children))

    def _on_undo(self) -> None:
        if self._run is not None:
            self._begin(UndoStackRun(run_id=self._run.run_id))

    def _on_resolve(self) -> None:
        lane_id = self._conflicting()
        if lane_id:
            self._parts.order(RebaseLanes(lane_id=lane_id, keep_conflict=True), self)
            self.accept()
            self._parts.resolve(lane_id)

    def _begin(self, command: Command) -> None:
        self._going = True
        say(self._state, _ENDS["running"])
        self._fit()
        self._begun.drop()
        self._begun = self._parts.order(command, self, failed=self._on_failed)

    def _say_how_far(self) -> None:
        undo = tr("The last run can still be undone.") if self._run is not None else ""
        say(self._state, f"{self._how_far()} {undo}".strip())

    def _how_far(self) -> str:
        if self._behind is None:
            return ""
        base = display_text(self._base) or tr("its base", context="behind it")
        return (
            tr("{commits} behind {base}.", commits=count(self._behind, "commit"), base=base)
            if self._behind
            else tr("It is up to date with {base}.", base=base)
        )

    def _button(self, text: str, name: str, act: Callable[[], None]) -> QPushButton:
        button = push_button(text, name, self)
        button.clicked.connect(act)
        button.hide()
        return button
