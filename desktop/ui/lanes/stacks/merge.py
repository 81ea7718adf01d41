"""MergeLaneDialog: what merging a lane into its base would give, done as it was shown, and what can follow."""

from typing import Protocol

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import MergeLane, MergeMethod, PlanMerge
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LaneMerged, LaneStatusChanged, MergePlanned
from desktop.domain.updates import CommandFailed
from desktop.language import said, tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Ask, Request, answer
from desktop.ui.gate.cards.guard import GUARD_S
from desktop.ui.text.format import count
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.dialogs.file_list import FileList
from desktop.ui.widgets.fact_list import FactList
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.line_list import LineList

_METHODS: dict[MergeMethod, tuple[str, str]] = {
    "merge": (tr("Merge commit"), tr("All commits come, and one that joins them.")),
    "squash": (tr("Squash"), tr("Everything comes as one commit.")),
    "rebase": (tr("Rebase"), tr("The commits come one after the other, on top of the base.")),
}
_PLANNING, _MERGING = tr("Working out what it would give…"), tr("Merging…")
_RENEWED = tr("The lane or its base changed. This is the new plan.")
_RENEW_MS = 5000
_INTRO = tr("Nothing is changed before you press Merge, and then only the branch below. The lane stays as it is.")


class MergeParts(Protocol):
    """What the dialog works with."""

    ask: Ask

    def push(self, over: QWidget, lane_ids: tuple[str, ...], branch: str = "") -> None:
        """Show over this dialog what pushing this branch would do."""

    def archive(self) -> None:
        """Ask how the lane is to be archived."""

    def rebase_children(self) -> None:
        """Put the lanes that stack on this one on the base."""


class MergeLaneDialog(AskDialog):
    """Plans when it opens, when another method is chosen, and again and again while it is open: the lane and its base
    can move meanwhile. `children`: how many lanes stack on this one."""

    def __init__(self, lane: Lane, children: int, parts: MergeParts, parent: QWidget) -> None:
        title = tr("Merge lane “{name}”", name=display_text(lane.name))
        question = Question(
            "lane_merge_dialog",
            title,
            _INTRO,
            (tr("Cancel"), "lane_merge_cancel"),
            (tr("Merge"), "lane_merge_go"),
            dangerous=False,
        )
        super().__init__(question, parent)
        self.go.setProperty("kind", "primary")
        self._lane, self._children, self._parts = lane, children, parts
        self._method: MergeMethod = "merge"
        self._planning, self._merging = Request(), False
        self._refused = False
        self._plan: MergePlanned | None = None
        self._body: _Plan | None = None
        self._renew = QTimer(self, singleShot=True, interval=_RENEW_MS)
        self._renew.setObjectName("lane_merge_renew")
        self._renew.timeout.connect(self._plan_again)
        self._swapped = QTimer(self, singleShot=True, interval=round(GUARD_S * 1000))
        self._swapped.timeout.connect(self._fit)
        self._choice = Segmented(
            "lane_merge_method", tr("How to merge"), [(key, label) for key, (label, _) in _METHODS.items()], self
        )
        self._choice.chosen.connect(self._on_method)
        self._means = plain_label(self, "muted", "lane_merge_means")
        self._state = plain_label(self, "", "lane_merge_state")
        for widget in (self._choice, self._means, self._state):
            self.details.addWidget(widget)
        self.hearing = Hearing().on(LaneStatusChanged, self._on_status)
        self._ask("merge")

    def _on_status(self, update: LaneStatusChanged) -> None:
        if any(one.lane_id == self._lane.id for one in update.statuses):
            self._plan_again()

    def _on_method(self, value: str) -> None:
        self._ask(next(method for method in _METHODS if method == value))

    def _ask(self, method: MergeMethod) -> None:
        self._method = method
        self._choice.set_value(method)
        self._means.setText(_METHODS[method][1])
        self._plan = None
        say(self._state, _PLANNING)
        self._fit()
        self._send_plan()

    def _plan_again(self) -> None:
        """Work the shown plan out anew, unless that is being done, or it is too late for it."""
        if self._plan is not None and not self._merging and not self._planning.is_waiting:
            self._send_plan()

    def _send_plan(self) -> None:
        self._planning.drop()
        command = PlanMerge(lane_id=self._lane.id, method=self._method)
        self._planning = self._parts.ask(command, self, answer(MergePlanned, self._take), failed=self._on_no_plan)

    def _take(self, plan: MergePlanned) -> None:
        """A plan that differs from the one on screen is shown, and cannot be agreed to in the same moment."""
        self._refused = False
        self._renew.start()
        plan = plan.model_copy(update={"command_id": ""})
        if plan == self._plan:
            self._fit()
            return
        renewed = self._plan is not None
        if renewed:
            self._swapped.start()
        self._show(plan)
        say(self._state, _RENEWED if renewed else "")

    def _show(self, plan: MergePlanned) -> None:
        self._plan = plan
        self._replace(_Plan(plan, self))
        self._fit()

    def _replace(self, body: "_Plan | None") -> None:
        if self._body is not None:
            self._body.hide()
            self._body.deleteLater()
        self._body = body
        if body is not None:
            body.update_checkout.toggled.connect(self._fit)
            self.details.addWidget(body)
            body.show()
        self.adjustSize()

    def _fit(self) -> None:
        plan, body = self._plan, self._body
        waits = UNDER_WAY if plan is None or body is None or self._merging or self._swapped.isActive() else ""
        no_checkout = body is not None and body.asks_checkout and not body.update_checkout.isChecked()
        problem = display_text(said(plan.problem)) if plan is not None else ""
        refused = tr("It was refused; the reason stands above.") if self._refused else ""
        set_off(
            self.go, waits or problem or refused or (tr("Tick that your checkout is updated.") if no_checkout else "")
        )

    def _on_go(self) -> None:
        plan, body = self._plan, self._body
        if plan is None or body is None or not self.go.isEnabled():
            return
        self._planning.drop()
        self._merging = True
        self._renew.stop()
        say(self._state, _MERGING)
        self._fit()
        update = body.asks_checkout and body.update_checkout.isChecked()
        command = MergeLane(lane_id=self._lane.id, digest=plan.digest, method=self._method, update_checkout=update)
        self._parts.ask(command, self, answer(LaneMerged, self._finish), failed=self._on_refused)

    def _on_no_plan(self, failed: CommandFailed) -> None:
        """A plan that could not be made leaves none to agree to."""
        self._refused, self._plan = False, None
        say(self._state, display_text(failed.text))
        self._fit()

    def _on_refused(self, failed: CommandFailed) -> None:
        """A merge that was refused is planned anew."""
        self._refused, self._merging = True, False
        self._send_plan()
        say(self._state, display_text(failed.text))
        self._fit()

    def _finish(self, merged: LaneMerged) -> None:
        """What can follow, each by itself; nothing of it takes the merge back."""
        self._replace(None)
        for widget in (self._choice, self._means, self.go, self.text):
            widget.hide()
        self._state.setMinimumWidth(self.text.minimumWidth())
        say(
            self._state, tr("Merged. {base} stands at {commit}.", base=display_text(merged.base), commit=merged.oid[:7])
        )
        self.stay.setText(tr("Close"))
        row = QHBoxLayout()
        set_gaps(row, spacing=SPACE_2)
        push = self._offer(row, tr("Push {base}…", base=display_text(merged.base)), "lane_merge_push")
        push.clicked.connect(lambda: self._parts.push(self, (self._lane.id,), merged.base))
        if self._children:
            words = tr("Rebase {lanes} on top of it", lanes=count(self._children, "lane"))
            children = self._offer(row, words, "lane_merge_children")
            children.clicked.connect(lambda: self._rebase(children))
        archive = self._offer(row, tr("Archive the lane…"), "lane_merge_archive")
        archive.clicked.connect(self._archive)
        row.addStretch(1)
        self.details.addLayout(row)
        self.stay.setFocus()
        self.adjustSize()

    def _offer(self, row: QHBoxLayout, text: str, name: str) -> QPushButton:
        button = push_button(text, name, self)
        row.addWidget(button)
        button.show()
        return button

    def _archive(self) -> None:
        self.accept()
        self._parts.archive()

    def _rebase(self, button: QPushButton) -> None:
        """Once; a refusal is told by the window."""
        set_off(button, UNDER_WAY)
        self._parts.rebase_children()


class _Plan(QWidget):
    """What a plan says."""

    def __init__(self, plan: MergePlanned, parent: QWidget) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        set_gaps(column, spacing=SPACE_2)
        problem = display_text(said(plan.problem)) or (display_text(plan.checkout) if plan.in_checkout else "")
        if problem:
            facts = FactList("lane_merge_problem", tr("Why it cannot be merged"), ("triangle-alert", "warning"), self)
            facts.show_lines([problem])
            column.addWidget(facts)
        if plan.conflicts:
            lines = [display_text(path) for path in plan.conflicts]
            column.addWidget(LineList("lane_merge_conflicts", tr("Files in conflict"), lines, self, "file"))
        base = display_text(plan.base)
        if plan.commits:
            self._title(column, tr("{commits} for {base}", commits=count(len(plan.commits), "commit"), base=base))
            lines = [display_text(line) for line in plan.commits]
            column.addWidget(LineList("lane_merge_commits", tr("Commits"), lines, self, "commit"))
        if plan.files:
            self._title(column, tr("{files} · result {id}", files=count(len(plan.files), "file"), id=plan.tree[:7]))
            column.addWidget(FileList("lane_merge_files", plan.files, (), self))
        self.asks_checkout = plan.in_checkout and not plan.problem
        self.update_checkout = QCheckBox(tr("Update my checkout, which has {base} open", base=base), self)
        self.update_checkout.setObjectName("lane_merge_checkout")
        self.update_checkout.setToolTip(
            tr("Your files are moved forward with the branch. Nothing of yours is replaced.")
        )
        set_off(self.update_checkout, display_text(plan.checkout))
        self.update_checkout.setVisible(self.asks_checkout)
        column.addWidget(self.update_checkout)

    def _title(self, column: QVBoxLayout, text: str) -> None:
        label = plain_label(self, "strong")
        label.setText(text)
        column.addWidget(label)
