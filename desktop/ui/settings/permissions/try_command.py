"""TryField: a command line that nobody runs, and how it would be judged."""

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.domain.commands import TryCommand
from desktop.domain.display.text import display_text
from desktop.domain.updates import CommandFailed, CommandTried
from desktop.language import said, tr
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests
from desktop.ui.gate.rules_model import rule_line
from desktop.ui.settings.fields import Field
from desktop.ui.text.gate_words import gate_rule_words
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.chip import Chip
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAME = "settings_permissions_try"
_WORDS: dict[Literal["allow", "ask", "deny"], tuple[str, str]] = {
    "allow": (tr("Would run unasked"), "success"),
    "ask": (tr("Would ask"), "warning"),
    "deny": (tr("Would be refused"), "danger"),
}

_NAMED_ALREADY = "rule"
"""The gate's word for a person's rule that asks or forbids; its reason names that rule."""


class TryField(Field):
    """Nothing runs: the engine judges the text as in Edit mode, by the rules of the open project."""

    def __init__(self, requests: Requests, facts: EngineFacts, parent: QWidget) -> None:
        super().__init__(tr("Try a command"), _NAME, parent, tr("Nothing runs. It is judged as in Edit mode."))
        self._requests, self._facts = requests, facts
        self._sent, self._text = Request(), ""
        self.hearing = Hearing().on(CommandTried, self._on_tried)
        self.edit = QLineEdit(self)
        self.edit.setObjectName(_NAME)
        self.edit.setAccessibleName(tr("Command to try"))
        self.edit.setFont(theme().mono())
        self.edit.setPlaceholderText("git push --force")
        self._button = push_button(tr("Try"), f"{_NAME}_go", self)
        self.row.addWidget(self.edit, 1)
        self.row.addWidget(self._button)
        self._result = QWidget(self)
        self._verdict = Chip("", "neutral", self._result)
        self._verdict.setObjectName(f"{_NAME}_verdict")
        self._reason = plain_label(self._result, "", f"{_NAME}_reason")
        self._rule = plain_label(self._result, "caption", f"{_NAME}_rule")
        words = QVBoxLayout()
        set_gaps(words, spacing=SPACE_1)
        words.addWidget(self._reason)
        words.addWidget(self._rule)
        inside = QHBoxLayout(self._result)
        set_gaps(inside, (0, 0, 0, 0), SPACE_2)
        inside.addWidget(self._verdict, 0, Qt.AlignmentFlag.AlignTop)
        inside.addLayout(words, 1)
        self._result.hide()
        self.below.addWidget(self._result)
        self.edit.returnPressed.connect(self._try)
        self.edit.textEdited.connect(self._result.hide)
        self._button.clicked.connect(self._try)

    def _on_tried(self, update: CommandTried) -> None:
        if update.text == self._text:
            self._show(update)

    def _on_failed(self, failed: CommandFailed) -> None:
        self._text = ""
        self._result.hide()
        self.set_problem(display_text(failed.text))

    def _try(self) -> None:
        text = self.edit.text().strip()
        self.set_problem("")
        if text:
            self._sent.drop()
            self._sent, self._text = self._requests.ask(TryCommand(text=text), self, failed=self._on_failed), text

    def _show(self, tried: CommandTried) -> None:
        if self.edit.text().strip() == tried.text:
            self._verdict.set_chip(*_WORDS[tried.verdict])
            say(self._reason, display_text(said(tried.reason)))
            say(self._rule, self._decided_by(tried.rule))
            self._result.show()

    def _decided_by(self, rule_id: str) -> str:
        """The person's own rule in its words; the gate's own by its name."""
        states = (state for file in self._facts.rules or () for state in file.rules)
        rule = next((state.rule for state in states if state.rule.id == rule_id), None)
        if rule is not None:
            return tr("Your rule: {rule}", rule=rule_line(rule))
        return (
            tr("Gate rule: {rule}", rule=display_text(gate_rule_words(rule_id)))
            if rule_id not in ("", _NAMED_ALREADY)
            else ""
        )
