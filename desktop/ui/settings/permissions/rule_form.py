"""RuleForm: a rule that a person makes by hand: what it decides, where it counts, and what it is about."""

import shlex
from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.domain.commands import SaveRule
from desktop.domain.core.work import Project
from desktop.domain.display.text import display_text
from desktop.domain.gate.rules import Rule, RuleDecision, RuleScope
from desktop.domain.updates import CommandFailed, RulesListed
from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests
from desktop.ui.gate.rules_model import WRITABLE, typed_words
from desktop.ui.settings.fields import ChoiceField, TextField
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.chip import Chip
from desktop.ui.widgets.dialogs.ask import Question, ask_first
from desktop.ui.widgets.layouts.flow_layout import FlowLayout
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAME = "settings_permissions_new"
_DECISIONS: dict[RuleDecision, str] = {"allow": tr("Allow"), "ask": tr("Ask"), "deny": tr("Deny")}
_OPS: dict[str, tuple[Literal["read", "write"], ...]] = {
    "both": ("read", "write"),
    "read": ("read",),
    "write": ("write",),
}
EFFECTS = {
    "ask": tr("What it is about no longer asks for this reason. Other rules and the mode still count."),
    "deny": tr("What it is about is no longer refused for this reason. Other rules and the mode still count."),
}
"""What it means to take an ask or deny rule away."""

_EMPTY = tr("A rule needs something that it is about.")
_MOST_WORDS = 12


def can_edit(rule: Rule | None) -> bool:
    """Whether a rule stands in a file of the person's, and the form has fields for its kind."""
    return rule is not None and rule.scope in WRITABLE and rule.kind in ("command", "path", "tool")


class TypedWords(QWidget):
    """The words of a command as the rule will have them, one chip each."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(f"{_NAME}_words")
        self._flow = FlowLayout(self, gap_x=theme().px(SPACE_1), gap_y=theme().px(SPACE_1))
        self.hide()

    def show_words(self, words: Sequence[str]) -> None:
        """Show these words."""
        while (item := self._flow.takeAt(0)) is not None:
            chip = item.widget()
            if chip is not None:
                chip.hide()
                chip.deleteLater()
        for word in words[:_MOST_WORDS]:
            chip = Chip(display_text(word) or "''", "accent", self)
            chip.setFont(theme().mono())
            self._flow.addWidget(chip)
            chip.show()
        said = " ".join(map(display_text, words))
        self.setAccessibleName(tr("Commands that begin with {words}", words=said) if said else tr("No word"))
        self.setVisible(bool(words))
        self.updateGeometry()


class RuleForm(QFrame):
    """Makes a rule, or changes one in place. Sends SaveRule and stays open with the engine's reason when the rule is
    refused. `ended`: saved or cancelled; whether a rule was being changed."""

    ended = Signal(bool)

    def __init__(self, requests: Requests, project: Project | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(_NAME)
        self.setAccessibleName(tr("Add a rule"))
        self.setProperty("kind", "card")
        self._requests = requests
        self._sent = Request()
        self.hearing = Hearing().on(RulesListed, self._on_rules)
        self._old: Rule | None = None
        self._title = plain_label(self, "title", f"{_NAME}_title")
        kinds = [("command", tr("Command")), ("path", tr("Files")), ("tool", tr("Tool"))]
        scopes = [("project", tr("In {name}", name=display_text(project.name)))] if project is not None else []
        self._kind = ChoiceField(tr("About", context="a rule"), f"{_NAME}_kind", kinds, self)
        self._decision = ChoiceField(
            tr("Agents"),
            f"{_NAME}_decision",
            [
                ("allow", tr("May, unasked")),
                ("ask", tr("Must ask")),
                ("deny", tr("May not")),
            ],
            self,
        )
        self._scope = ChoiceField(
            tr("Counts", context="a rule"), f"{_NAME}_scope", [*scopes, ("user", tr("In every project"))], self
        )
        self._first_scope = "project" if scopes else "user"
        self._command = TextField(
            tr("Begins with"), f"{_NAME}_command", self, tr("Whole words: npm run build covers npm run build --watch.")
        )
        self._command.edit.setPlaceholderText("npm run build")
        self._command.edit.setFont(theme().mono())
        self._words = TypedWords(self._command)
        self._path = TextField(
            tr("Files"),
            f"{_NAME}_path",
            self,
            tr("A pattern from the root of the repository; ** stands for any folders."),
        )
        self._path.edit.setPlaceholderText("docs/**")
        self._path.edit.setFont(theme().mono())
        self._ops = ChoiceField(
            tr("For"),
            f"{_NAME}_ops",
            [
                ("both", tr("Reading and writing")),
                ("read", tr("Reading")),
                ("write", tr("Writing")),
            ],
            self,
        )
        self._tool = TextField(tr("Tool"), f"{_NAME}_tool", self, tr("The name of a tool as the transcript shows it."))
        self._tool.edit.setPlaceholderText("create_lane")
        self._tool.edit.setFont(theme().mono())
        self._reason = TextField(tr("Reason"), f"{_NAME}_reason", self, tr("For you and the agent; may stay empty."))
        self._save = push_button(tr("Save rule"), f"{_NAME}_save", self)
        self._save.setProperty("kind", "primary")
        self._cancel = push_button(tr("Cancel"), f"{_NAME}_cancel", self)
        self._lay_out(self._title)
        for choice in (self._decision, self._scope, self._ops):
            choice.chosen.connect(choice.set_value)
        self._kind.chosen.connect(self._on_kind)
        self._command.edit.textChanged.connect(self._on_typed)
        self._save.clicked.connect(self._on_save)
        self._cancel.clicked.connect(self._end)

    def begin(self) -> None:
        """Empty the form and show it."""
        self._open(None)

    def begin_with(self, rule: Rule) -> None:
        """Show a new rule for a command with these words in it."""
        self._open(None)
        self._on_kind("command")
        self._command.edit.setText(shlex.join(rule.tokens))
        self._command.edit.setFocus()

    def begin_editing(self, rule: Rule) -> None:
        """Show a rule that `can_edit` to change it. It stays in its file and about the same kind of thing."""
        self._open(rule)
        self._on_kind(rule.kind)
        self._decision.set_value(rule.decision)
        self._scope.set_value(rule.scope)
        self._command.edit.setText(shlex.join(rule.tokens))
        self._path.edit.setText(rule.glob)
        self._ops.set_value(next((name for name, ops in _OPS.items() if ops == rule.ops), "both"))
        self._tool.edit.setText(rule.name)
        self._reason.edit.setText(rule.reason)
        self._subject.edit.setFocus()

    def _open(self, rule: Rule | None) -> None:
        self._clear()
        self._old = rule
        words = tr("Add a rule") if rule is None else tr("Change the rule")
        self._title.setText(words)
        self.setAccessibleName(words)
        self._save.setText(tr("Save rule") if rule is None else tr("Save changes"))
        for choice in (self._kind, self._scope):
            choice.setVisible(rule is None)
        self.show()
        self._command.edit.setFocus()

    def _on_failed(self, failed: CommandFailed) -> None:
        set_off(self._save, "")
        self._subject.set_problem(display_text(failed.text))
        self._subject.edit.setFocus()

    def _on_rules(self, _update: RulesListed) -> None:
        if self._sent.is_waiting:
            self._sent.drop()
            set_off(self._save, "")
            self._end()

    @property
    def _subject(self) -> TextField:
        """The field for what the rule is about."""
        return {"command": self._command, "path": self._path}.get(self._kind.value, self._tool)

    def _on_kind(self, kind: str) -> None:
        self._kind.set_value(kind)
        for field, name in (
            (self._command, "command"),
            (self._path, "path"),
            (self._ops, "path"),
            (self._tool, "tool"),
        ):
            field.setVisible(name == kind)

    def _on_typed(self, text: str) -> None:
        words, problem = typed_words(text)
        self._command.set_problem(problem if text.strip() else "")
        self._words.show_words(words)

    def _on_save(self) -> None:
        words, problem = typed_words(self._command.edit.text())
        subject = self._subject
        if not subject.edit.text().strip():
            problem = _EMPTY
        subject.set_problem(problem)
        if problem:
            return
        rule = self._rule(words)
        old = self._old
        if old is not None and old.decision in EFFECTS and _loosens(old, rule):
            self._ask_first(old, rule)
        else:
            self._send(rule)

    def _ask_first(self, old: Rule, rule: Rule) -> None:
        name = f"{_NAME}_loosen"
        words = Question(
            name=f"{name}_dialog",
            title=tr("Change the rule for {rule}?", rule=display_text(old.text)),
            text=EFFECTS[old.decision],
            stay=(tr("Keep"), f"{name}_keep"),
            go=(tr("Change"), f"{name}_go"),
        )
        ask_first(words, self, lambda: self._send(rule))

    def _send(self, rule: Rule) -> None:
        set_off(self._save, UNDER_WAY)
        self._sent = self._requests.ask(SaveRule(rule=rule), self, failed=self._on_failed)

    def _rule(self, words: tuple[str, ...]) -> Rule:
        """What stands in the fields. Of a rule that is changed, its origin and what the form does not show stay; its
        own tests and the code it is bound to were about what it said before."""
        decision = next(one for one in _DECISIONS if one == self._decision.value)
        scope: RuleScope = "project" if self._scope.value == "project" else "user"
        reason = self._reason.edit.text().strip()
        shared = {"id": "", "decision": decision, "scope": scope, "reason": reason, "created_by": "settings"}
        if self._kind.value == "command":
            about: dict[str, object] = {"kind": "command", "tokens": words}
        elif self._kind.value == "path":
            about = {"kind": "path", "glob": self._path.edit.text().strip(), "ops": _OPS[self._ops.value]}
        else:
            about = {"kind": "tool", "name": self._tool.edit.text().strip()}
        if self._old is None:
            return Rule.model_validate({**shared, **about})
        changed = self._old.model_copy(update={"decision": decision, "reason": reason, **about})
        if _about(changed) != _about(self._old):
            changed = changed.model_copy(update={"match": (), "not_match": (), "binds": ()})
        return changed

    def _end(self) -> None:
        edited, self._old = self._old is not None, None
        self._clear()
        self.hide()
        self.ended.emit(edited)

    def _clear(self) -> None:
        for field in (self._command, self._path, self._tool, self._reason):
            field.edit.clear()
            field.discard()
        self._decision.set_value("allow")
        self._scope.set_value(self._first_scope)
        self._ops.set_value("both")
        self._on_kind("command")

    def _lay_out(self, title: QWidget) -> None:
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addStretch(1)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._save)
        self._command.below.addWidget(self._words)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_4, SPACE_4), SPACE_3)
        layout.addWidget(title)
        for field in (self._kind, self._command, self._path, self._ops, self._tool, self._decision, self._scope):
            layout.addWidget(field)
        layout.addWidget(self._reason)
        layout.addLayout(buttons)


def _about(rule: Rule) -> tuple[object, ...]:
    return (rule.tokens, rule.glob, rule.ops, rule.name)


def _loosens(old: Rule, new: Rule) -> bool:
    """Whether a rule that asks or forbids would do less, or the same about something else."""
    order = ("allow", "ask", "deny")
    return order.index(new.decision) < order.index(old.decision) or _about(old) != _about(new)
