"""MergePullDialog: how a request is merged, what is in the way, what is deleted afterwards; bound to the head seen."""

from collections.abc import Callable

from PySide6.QtWidgets import QCheckBox, QWidget

from desktop.domain.display.text import display_text, prose_text
from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls.commands import MergePullRequest, PlanPullMerge
from desktop.domain.pulls.pull_request import ForgeMergeMethod, Hindrance, PullRequest
from desktop.domain.pulls.updates import PullMergePlanned, PullRequestMerged
from desktop.domain.updates import CommandFailed
from desktop.language import said, tr
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.pulls.dialogs.form import NumberField, PullForm
from desktop.ui.pulls.hindrances import HindranceRows
from desktop.ui.pulls.words import METHODS
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import say

BYPASS = "bypass"
_TYPED = ("checks_failing", "checks_pending", "checks_none")
_TICKS = {
    BYPASS: tr("Merge past the rules of the branch"),
    "open_threads": tr("Merge with open threads"),
    "unpushed": tr("Merge without these commits"),
    "dirty": tr("Merge without these changes"),
    "head_ahead": tr("Merge these commits too"),
}
_PLANNING = tr("Asking GitHub how it stands…")


class MergePullDialog(PullForm):
    """Asks for a fresh plan when it opens. `acted`: an action against a hindrance was chosen; `archive_asked`."""

    def __init__(
        self,
        lane: Lane,
        pull: PullRequest,
        requests: Requests,
        act: Callable[[str], None],
        parent: QWidget,
    ) -> None:
        super().__init__(
            "pr_merge_dialog", tr("Merge #{number}", number=pull.number), (tr("Merge"), "pr_merge_confirm"), parent
        )
        self._lane, self._pull, self._requests, self._act = lane, pull, requests, act
        self._plan: PullMergePlanned | None = None
        self._method: ForgeMergeMethod = "merge"
        self._planning = Request()
        self._add_title()
        self._choice = Segmented(
            "pr_merge_method", tr("How to merge"), [(key, words) for key, (words, _) in METHODS.items()], self
        )
        self._means = self.words("muted", "pr_merge_means")
        self._method_field = self.add_field(tr("Method"), self._choice, self._means)
        self._rows = HindranceRows("pr_merge_hindrance", self, _tick_words, (BYPASS,))
        self.add(self._rows)
        self._evidence = self.words("muted", "pr_merge_evidence")
        self.add(self._evidence)
        self._number = NumberField(
            "pr_merge_number", tr("Type {number}, the number of the pull request", number=pull.number), self
        )
        self._number_field = self.add_field(
            tr("Type {number} to merge although its checks did not pass", number=pull.number), self._number
        )
        self._delete = _tick(
            tr("Delete the branch {branch} on GitHub", branch=display_text(pull.head)), "pr_merge_delete", self
        )
        self._archive = _tick(tr("Archive the lane {name}", name=display_text(lane.name)), "pr_merge_archive", self)
        self._after = self.add_field(tr("Afterwards"), self._delete, self._archive)
        self.pages.column.addStretch(1)
        self._archive_now = self.add_button(tr("Archive lane…"), "pr_merged_archive")
        self._archive_now.hide()
        self._connect()
        self._ask()

    def _add_title(self) -> None:
        title, where = self.words("strong", "pr_merge_title"), self.words("muted", "pr_merge_where")
        title.setText(prose_text(self._pull.title))
        where.setText(
            tr("{branch} into {base}", branch=display_text(self._pull.head), base=display_text(self._pull.base))
        )
        self.add(title)
        self.add(where)

    def _ask(self) -> None:
        command = PlanPullMerge(lane_id=self._lane.id)
        self._plan = None
        self.say(_PLANNING)
        self._planning.drop()
        planned = answer(PullMergePlanned, self._take)
        self._planning = self._requests.ask(command, self, planned, failed=self._on_not_planned)
        self._refresh()

    def _take(self, plan: PullMergePlanned) -> None:
        self._plan = plan
        methods = plan.methods or (plan.method,)
        for method, (words, _means) in METHODS.items():
            self._choice.set_enabled(
                method, method in methods, tr("{method} is not allowed in this repository.", method=words)
            )
        self._method = plan.method if plan.method in methods else methods[0]
        self.say("")
        self._rows.show_hindrances(plan.hindrances)
        say(self._evidence, display_text(said(plan.evidence), multiline=True))
        self._refresh()
        self.fit()
        (self._number if plan.typed else self.cancel).setFocus()

    def _refresh(self) -> None:
        plan = self._plan
        self._choice.set_value(self._method)
        self._means.setText(METHODS[self._method][1])
        shown = plan is not None
        for part in (self._method_field, self._after):
            part.setVisible(shown)
        self._rows.setVisible(shown and bool(self._rows.hindrances))
        self._evidence.setVisible(bool(self._evidence.text()))
        self._number_field.setVisible(plan is not None and plan.typed)
        self._delete.setVisible(plan is not None and plan.can_delete_branch)
        why = self._why()
        words = {"merge": tr("Merge"), "squash": tr("Squash and merge"), "rebase": tr("Rebase and merge")}[self._method]
        self.set_go(words, enabled=not why, why=why)
        self.set_danger(plan is not None and (plan.typed or BYPASS in self._rows.ticks))

    def _why(self) -> str:
        plan = self._plan
        if plan is None:
            return _PLANNING
        if any(one.blocks for one in self._rows.hindrances):
            return tr("What is marked red above comes first.")
        if not self._rows.is_clear:
            return tr("Tick what you accept.")
        if plan.typed and self._number.text().strip() != str(plan.number):
            return tr("Type {number} first.", number=plan.number)
        return ""

    def _on_go(self) -> None:
        plan = self._plan
        if plan is None or self._why() or self.working:
            return
        command = MergePullRequest(
            lane_id=self._lane.id,
            head_oid=plan.head_oid,
            method=self._method,
            ticks=self._rows.ticks,
            typed_number=plan.number if plan.typed else 0,
            delete_branch=plan.can_delete_branch and self._delete.isChecked(),
            archive_lane=self._archive.isChecked(),
        )
        self.set_working(True, tr("Merging…"))
        self._refresh()
        merged = answer(PullRequestMerged, self._finish)
        self._requests.ask(command, self, merged, failed=self._on_not_merged)

    def _on_not_planned(self, failed: CommandFailed) -> None:
        self.say("")
        self.fail(failed.text)

    def _on_not_merged(self, failed: CommandFailed) -> None:
        self.set_working(False)
        self.fail(failed.text)
        self._ask()

    def _finish(self, merged: PullRequestMerged) -> None:
        self.set_working(False)
        for part in (self._method_field, self._rows, self._evidence, self._number_field, self._after):
            part.hide()
        notices = [display_text(said(notice)) for notice in merged.notices]
        self.heading.setText(tr("#{number} is merged", number=merged.number))
        told = [tr("Merged.")]
        told += [tr("It stands at {commit}.", commit=display_text(merged.merge_oid[:7]))] if merged.merge_oid else []
        told += [tr("The lane is archived.")] if merged.archived else []
        self.say("\n".join([" ".join(told), *notices]))
        self._archive_now.setVisible(not merged.archived and self._lane.state == "active")
        self.hide_buttons(close=tr("Close"))
        self.adjustSize()

    def _on_method(self, value: str) -> None:
        self._method = next(method for method in METHODS if method == value)
        self._refresh()

    def _on_archive(self) -> None:
        self.accept()
        self._act("archive")

    def _on_act(self, name: str) -> None:
        if name == "refresh":
            self._ask()
            return
        self.reject()
        self._act(name)

    def _connect(self) -> None:
        self._choice.chosen.connect(self._on_method)
        self._rows.changed.connect(self._refresh)
        self._rows.acted.connect(self._on_act)
        self._number.textChanged.connect(self._refresh)
        self._number.returnPressed.connect(self._on_go)
        self.submitted.connect(self._on_go)
        self._archive_now.clicked.connect(self._on_archive)


def _tick_words(one: Hindrance) -> str:
    """Checks that did not pass are accepted by typing the number, all else by a tick."""
    return "" if one.kind in _TYPED else _TICKS.get(one.kind, tr("Merge all the same"))


def _tick(words: str, name: str, parent: QWidget) -> QCheckBox:
    box = QCheckBox(words.replace("&", "&&"), parent)
    box.setObjectName(name)
    return box
