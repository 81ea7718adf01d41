"""CreatePullDialog: what a new request will say and where it goes; what is in the way; a failure keeps every field."""

from collections.abc import Callable

from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QStackedWidget,
    QWidget,
)

from desktop.domain.display.text import display_text
from desktop.domain.lanes.lane import Lane
from desktop.domain.proofs.commands import LoadProofs
from desktop.domain.proofs.updates import ProofsChanged
from desktop.domain.pulls.commands import CreatePullRequest, PlanPullRequest, SuggestPullText, UseOwnFork
from desktop.domain.pulls.updates import OwnForkUsed, PullRequestCreated, PullRequestPlanned, PullTextSuggested
from desktop.domain.updates import CommandFailed
from desktop.language import said, tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.pulls.dialogs.form import PullForm
from desktop.ui.pulls.dialogs.proof_ticks import ProofTicks
from desktop.ui.pulls.hindrances import USE_FORK, HindranceRows
from desktop.ui.pulls.pages.body import PullProse
from desktop.ui.pulls.parts import line_of
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT, SPACE_2
from desktop.ui.widgets.buttons.choice_button import ChoiceButton
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import BodyScroll, plain_label, say
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.pick_list import PickItem

LEAVE_OUT, REWRITE = "dirty", "rewritten"
_TICKS = {LEAVE_OUT: tr("Leave out uncommitted changes"), REWRITE: tr("Replace what was pushed before")}
_PLANNING = tr("Looking at the lane…")
_BODY_HEIGHT = 190


class CreatePullDialog(PullForm):
    """Plans when it opens and when another base is chosen; what a person wrote is never replaced by a plan.

    `kept`: title and body of an earlier try. `act`: carries out an action against a hindrance; `done` is given the
    number and the notices.
    """

    def __init__(
        self,
        lane: Lane,
        requests: Requests,
        act: Callable[[str], None],
        parent: QWidget,
        *,
        kept: tuple[str, str] = ("", ""),
        done: Callable[[PullRequestCreated], None] | None = None,
    ) -> None:
        super().__init__("pr_create_dialog", tr("Open a pull request"), (tr("Open draft"), "pr_submit"), parent)
        self._lane, self._requests, self._act, self._done = lane, requests, act, done
        self._plan: PullRequestPlanned | None = None
        self._planning, self._suggesting, self._forking = Request(), Request(), Request()
        self.hearing = Hearing().on(ProofsChanged, self._on_proofs)
        self._planned = ("", "")
        self.title = _line("pr_title", tr("Title"), self)
        self.body = _Body(self)
        self.base = ChoiceButton("pr_base", tr("Into"), self)
        self.draft = QCheckBox(tr("As a draft: nobody is asked for a review yet"), self)
        self.draft.setObjectName("pr_draft")
        self.draft.setChecked(True)
        self.reviewers = _line("pr_reviewers", tr("Reviewers"), self, tr("Separated by commas"))
        self.labels = _line("pr_labels", tr("Labels"), self, tr("Separated by commas"))
        self.proofs = ProofTicks(self)
        self.rows = HindranceRows("pr_create_hindrance", self, lambda one: _TICKS.get(one.kind, ""))
        self._where = self.words("muted", "pr_where")
        self._suggest = small_button(tr("Suggest with the model"), "pr_suggest", self)
        self._suggest_note = plain_label(self, "caption", "pr_suggest_note")
        self._lay_out()
        self._connect()
        self.title.setText(kept[0])
        self.body.set_text(kept[1])
        self._ask("")
        requests.send(LoadProofs(lane_id=lane.id))
        self.title.setFocus()

    @property
    def written(self) -> tuple[str, str]:
        """Title and body as they are now."""
        return self.title.text(), self.body.text

    def _on_proofs(self, update: ProofsChanged) -> None:
        if update.lane_id == self._lane.id:
            self._proof_field.setVisible(self.proofs.show_proofs(update))
            self.fit()

    # planning

    def _ask(self, base: str) -> None:
        command = PlanPullRequest(lane_id=self._lane.id, base=base)
        self.say(_PLANNING)
        self._planning.drop()
        planned = answer(PullRequestPlanned, self._take)
        self._planning = self._requests.ask(command, self, planned, failed=self._on_failed)
        self._refresh()

    def _take(self, plan: PullRequestPlanned) -> None:
        first = self._plan is None
        self._plan = plan
        self.base.set_items([PickItem(name, display_text(name)) for name in dict.fromkeys((plan.base, *plan.bases))])
        self.base.set_value(plan.base)
        title, body = self.written
        if not title.strip() or title == self._planned[0]:
            self.title.setText(plan.title)
        if not body.strip() or body == self._planned[1]:
            self.body.set_text(plan.body)
        self._planned = (plan.title, plan.body)
        if first:
            self.reviewers.setText(", ".join(plan.reviewers))
            self.labels.setText(", ".join(plan.labels))
        self.rows.show_hindrances(plan.hindrances)
        self.say("")
        say(self._where, _where(plan))
        self._refresh()
        self.fit()

    def _take_words(self, suggested: PullTextSuggested) -> None:
        if suggested.problem:
            say(self._suggest_note, display_text(said(suggested.problem)))
        else:
            self.title.setText(suggested.title or self.title.text())
            self.body.set_text(suggested.body or self.body.text)
            say(self._suggest_note, tr("Written by the model from the commits. Read it before you open the request."))
        self._refresh()
        self.fit()

    def _refresh(self) -> None:
        why = self._why()
        exists = self._plan is not None and any(one.kind == "exists" for one in self._plan.hindrances)
        words = tr("Link it") if exists else tr("Open draft") if self.draft.isChecked() else tr("Open pull request")
        self.set_go(words, enabled=not why, why=why)
        self._suggest.setText(tr("Writing…") if self._suggesting.is_waiting else tr("Suggest with the model"))
        waits = UNDER_WAY if self._suggesting.is_waiting else ""
        set_off(self._suggest, waits or ("" if self._plan is not None else _PLANNING))
        for field in (self.title, self.body.field, self.base, self.draft, self.reviewers, self.labels):
            set_off(field, UNDER_WAY if self.working else "")

    def _why(self) -> str:
        if self._plan is None or self._planning.is_waiting:
            return _PLANNING
        if any(one.blocks for one in self.rows.hindrances):
            return tr("What is marked red above comes first.")
        if not self.rows.is_clear:
            return tr("Tick what you accept.")
        return "" if self.title.text().strip() else tr("A pull request needs a title.")

    # creating

    def _on_go(self) -> None:
        if self._why() or self.working:
            return
        names = tuple(name.lstrip("@") for name in self.reviewers.text().replace(",", " ").split())
        labels = tuple(label.strip() for label in self.labels.text().split(",") if label.strip())
        command = CreatePullRequest(
            lane_id=self._lane.id,
            title=self.title.text().strip(),
            body=self.body.text,
            base=self.base.value,
            draft=self.draft.isChecked(),
            reviewers=tuple(dict.fromkeys(names)),
            labels=tuple(dict.fromkeys(labels)),
            proofs=self.proofs.chosen,
            leave_out=LEAVE_OUT in self.rows.ticks,
            after_rewrite=REWRITE in self.rows.ticks,
        )
        self.set_working(True, tr("Opening…"))
        self._refresh()
        created = answer(PullRequestCreated, self._finish)
        self._requests.ask(command, self, created, failed=self._on_not_created)

    def _finish(self, created: PullRequestCreated) -> None:
        self.set_working(False)
        if self._done is not None:
            self._done(created)
        self.accept()

    def _on_not_created(self, failed: CommandFailed) -> None:
        self.set_working(False)
        self.fail(failed.text)
        self._refresh()
        self.fit()

    def _on_failed(self, failed: CommandFailed) -> None:
        """There is no plan, or no fork."""
        self.say("")
        self.fail(failed.text)
        self._refresh()
        self.fit()

    def _on_not_suggested(self, failed: CommandFailed) -> None:
        say(self._suggest_note, display_text(failed.text))
        self._refresh()
        self.fit()

    def _on_fork_used(self, _used: OwnForkUsed) -> None:
        self._ask(self.base.value)

    def _on_suggest(self) -> None:
        command = SuggestPullText(lane_id=self._lane.id, base=self.base.value)
        say(self._suggest_note, "")
        words = answer(PullTextSuggested, self._take_words)
        self._suggesting = self._requests.ask(command, self, words, failed=self._on_not_suggested)
        self._refresh()

    def _on_act(self, name: str) -> None:
        if name == "refresh":
            self._ask(self.base.value)
        elif name == USE_FORK:
            self.use_fork()
        else:
            self.reject()
            self._act(name)

    def use_fork(self) -> None:
        """Have the person's own fork added as a remote; what a request would do is then worked out again."""
        if self._forking.is_waiting:
            return
        command = UseOwnFork(lane_id=self._lane.id)
        self.fail("")
        self.say(tr("Adding your fork as a remote…"))
        used = answer(OwnForkUsed, self._on_fork_used)
        self._forking = self._requests.ask(command, self, used, failed=self._on_failed)

    # making

    def _lay_out(self) -> None:
        self.add(self.rows)
        self.rows.hide()
        self.add(self._where)
        self.add_field(tr("Title"), self.title)
        self.add_field(tr("Description"), self.body, self._suggest_note)
        self.body.add_beside(self._suggest)
        say(self._suggest_note, "")
        pair = QWidget(self)
        row = QHBoxLayout(pair)
        set_gaps(row, (0, 0, 0, 0), SPACE_2)
        for part in (
            self.add_field(tr("Into"), self.base),
            self.add_field(tr("Reviewers"), self.reviewers),
            self.add_field(tr("Labels"), self.labels),
        ):
            row.addWidget(part, 1)
        self.add(pair)
        self._proof_field = self.add_field(tr("Attach proofs"), self.proofs)
        self._proof_field.hide()
        self.add_choice(self.draft)

    def _connect(self) -> None:
        self.title.textChanged.connect(self._refresh)
        self.draft.toggled.connect(self._refresh)
        self.base.chosen.connect(self._ask)
        self.rows.changed.connect(self._refresh)
        self.rows.acted.connect(self._on_act)
        self._suggest.clicked.connect(self._on_suggest)
        self.submitted.connect(self._on_go)


class _Body(QWidget):
    """Markdown to write, and how it will look."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._choice = Segmented(
            "pr_body_view",
            tr("Write or preview"),
            [("write", tr("Write")), ("preview", tr("Preview"))],
            self,
            compact=True,
        )
        self.field = QPlainTextEdit(self)
        self.field.setObjectName("pr_body")
        self.field.setAccessibleName(tr("Description, Markdown"))
        self.field.setTabChangesFocus(True)
        self.field.document().setDocumentMargin(theme().px(SPACE_2))
        scroll = BodyScroll(self)
        self._preview = PullProse(self, "pr_body_preview", tr("Preview"))
        scroll.column.addWidget(self._preview)
        scroll.column.addStretch(1)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.field)
        self._stack.addWidget(scroll)
        self._stack.setFixedHeight(theme().px(_BODY_HEIGHT))
        self._top = line_of(self._choice, margins=(0, 0, 0, 0))
        self._top.addStretch(1)
        column = line_of(margins=(0, 0, 0, 0))
        column.setDirection(QHBoxLayout.Direction.TopToBottom)
        column.addLayout(self._top)
        column.addWidget(self._stack)
        self.setLayout(column)
        self._choice.chosen.connect(self._show)
        self._show("write")

    @property
    def text(self) -> str:
        """What is written."""
        return self.field.toPlainText()

    def add_beside(self, widget: QWidget) -> None:
        """Something at the end of the line over the field."""
        self._top.addWidget(widget)

    def set_text(self, text: str) -> None:
        """Write this."""
        self.field.setPlainText(text)
        self._preview.show_text(text)

    def _show(self, value: str) -> None:
        self._choice.set_value(value)
        self._preview.show_text(self.text)
        self._stack.setCurrentIndex(0 if value == "write" else 1)


def _where(plan: PullRequestPlanned) -> str:
    """Where it goes: "lane/fix → robin/shop-api (public) · 3 files · 2 commits to push"."""
    repository = display_text(plan.repository)
    if plan.private is not None:
        private = tr("{repository} (private)", repository=repository)
        repository = private if plan.private else tr("{repository} (public)", repository=repository)
    pushes = (
        tr("a new branch to push")
        if plan.pushes is None
        else tr("{commits} to push", commits=count(plan.pushes, "commit"))
    )
    pushes = "" if plan.pushes == 0 else pushes
    parts = [
        f"{display_text(plan.branch)} → {repository}",
        count(plan.files, "file") if plan.files else "",
        pushes,
    ]
    return " · ".join(part for part in parts if part)


def _line(name: str, title: str, parent: QWidget, placeholder: str = "") -> QLineEdit:
    field = QLineEdit(parent)
    field.setObjectName(name)
    field.setAccessibleName(title)
    field.setPlaceholderText(placeholder)
    field.setMinimumHeight(theme().px(CONTROL_HEIGHT))
    return field
