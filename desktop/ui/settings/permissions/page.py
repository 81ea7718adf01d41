"""Permissions & rules: what agents may do unasked, must ask for and may not do, and what the sandbox stops."""

from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.domain.commands import LoadRules, LoadTools, ProbeSandbox, RemoveRule, SaveRule, TrustRules
from desktop.domain.core.command import Command
from desktop.domain.display.text import display_text
from desktop.domain.gate.rules import Rule
from desktop.domain.updates import CommandFailed, RulesListed, SandboxReported, ToolsListed
from desktop.language import tr
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.gate.probe_list import ProbeList
from desktop.ui.gate.rules_model import WRITABLE, faults, rule_rows
from desktop.ui.settings.page import SettingsPage
from desktop.ui.settings.permissions.asked_lately import AskedCard
from desktop.ui.settings.permissions.rule_facts import RuleFacts
from desktop.ui.settings.permissions.rule_form import EFFECTS, RuleForm, can_edit
from desktop.ui.settings.permissions.rules_list import RulesList
from desktop.ui.settings.permissions.tool_table import ToolTable
from desktop.ui.settings.permissions.trust_card import TrustCard
from desktop.ui.settings.permissions.try_command import TryField
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.theme.tokens import SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.ask import Question, ask_first
from desktop.ui.widgets.fact_list import FactList
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAME = "settings_permissions"
_LOADING = tr("Loading rules…")
_TOOLS_NOTE = tr(
    "As decided with the sandbox above, before your rules. Some calls of a tool with * are treated otherwise; choose "
    "it to read which."
)


class PermissionsPage(SettingsPage):
    """Asks for the rules each time it is shown, so that counts are fresh."""

    name, title, icon = "permissions", tr("Permissions & rules"), "shield"

    def __init__(self, saver: SettingsSaver, requests: Requests, clock: Clock, parent: QWidget) -> None:
        super().__init__(parent)
        self._facts, self._requests, self._clock = saver.facts, requests, clock
        self._removed: Rule | None = None
        inside = self.contents
        self._trust = TrustCard(inside)
        self._asked = AskedCard(inside)
        self._faults = FactList(f"{_NAME}_faults", tr("Faults in rule files"), ("triangle-alert", "danger"), inside)
        self._list = RulesList(inside)
        self._state = plain_label(inside, "muted", f"{_NAME}_state")
        self._rule = RuleFacts(inside)
        self._problem = plain_label(inside, "", f"{_NAME}_problem", role="danger")
        self._undo_bar = self._make_undo_bar()
        self._form = RuleForm(requests, saver.facts.project, inside)
        self._form.hide()
        self._add = push_button(tr("Add a rule…"), f"{_NAME}_add", inside)
        self._try = TryField(requests, saver.facts, inside)
        self._sandbox = ProbeList(f"{_NAME}_sandbox", inside)
        self._tools = ToolTable(inside)
        self._tools_note = plain_label(inside, "muted", f"{_NAME}_tools_note")
        self._tools_note.setText(_TOOLS_NOTE)
        self._varies = plain_label(inside, "", f"{_NAME}_tools_varies")
        self._lay_out()
        self._connect()
        self.hearing.inside(self._form.hearing, self._try.hearing).on(RulesListed, self._on_rules)
        self.hearing.on(SandboxReported, self._on_sandbox).on(ToolsListed, self._on_tools)
        self._faults.show_lines([])
        say(self._problem, "")
        say(self._varies, "")
        self.refresh()

    def refresh(self) -> None:
        """Show rules and sandbox as the engine last told them."""
        files, project = self._facts.rules, self._facts.project
        say(self._state, _LOADING if files is None and not self._problem.text() else "")
        self._list.setVisible(files is not None)
        self._trust.show_files(files or ())
        self._faults.show_lines(faults(files or ()))
        name = display_text(project.name) if project is not None else ""
        self._list.show_rows(rule_rows(files or (), name, self._clock()))

    def _on_rules(self, update: RulesListed) -> None:
        self._asked.show_asked(update.asked)
        say(self._problem, "")
        self.refresh()

    def _on_sandbox(self, update: SandboxReported) -> None:
        self._sandbox.show_report(update.report)
        self._ask_for_tools()

    def _on_tools(self, update: ToolsListed) -> None:
        self._tools.show_rows(update.rows)

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for the rules and how often they were used."""
        super().showEvent(event)
        self._sandbox.show_report(self._facts.sandbox)
        if self._facts.ready and not self._facts.stopped:
            self._send(LoadRules())
            self._ask_for_tools()

    def _ask_for_tools(self) -> None:
        if self.isVisible():
            self._send(LoadTools())

    def _on_failed(self, failed: CommandFailed) -> None:
        self._sandbox.show_report(self._facts.sandbox)
        say(self._problem, display_text(failed.text))
        self.refresh()

    def _send(self, command: Command) -> None:
        self._requests.ask(command, self, failed=self._on_failed)

    # removing

    def _on_remove(self) -> None:
        row = self._list.row
        rule = row.rule if row is not None else None
        if row is None or rule is None or rule.scope not in WRITABLE:
            return
        if rule.decision == "allow":
            self._remove(rule)
            return
        name = f"{_NAME}_remove"
        words = Question(
            name=f"{name}_dialog",
            title=tr("Remove the rule for {rule}?", rule=row.words),
            text=EFFECTS[rule.decision],
            stay=(tr("Keep"), f"{name}_keep"),
            go=(tr("Remove"), f"{name}_go"),
        )
        ask_first(words, self, lambda: self._remove(rule))

    def _remove(self, rule: Rule) -> None:
        self._removed = rule
        self._undo_words.setText(tr("Removed: {rule}", rule=display_text(rule.text)))
        self._undo_bar.show()
        command, failed = RemoveRule(rule_id=rule.id, scope=rule.scope), partial(self._on_not_removed, rule)
        self._requests.ask(command, self, failed=failed)

    def _on_not_removed(self, rule: Rule, failed: CommandFailed) -> None:
        if self._removed is rule:
            self._forget_removed()
        self._on_failed(failed)

    def _on_undo(self) -> None:
        if self._removed is not None:
            self._send(SaveRule(rule=self._removed.model_copy(update={"id": ""})))
            self._forget_removed()
            self._list.setFocus()

    def _forget_removed(self) -> None:
        self._removed = None
        self._undo_bar.hide()

    # adding, trusting, probing

    def _on_add(self) -> None:
        self._forget_removed()
        self._add.hide()
        self._form.begin()
        self.ensureWidgetVisible(self._form)

    def _on_wanted(self, rule: Rule) -> None:
        self._forget_removed()
        self._add.hide()
        self._form.begin_with(rule)
        self.ensureWidgetVisible(self._form)

    def _on_edit(self) -> None:
        row = self._list.row
        rule = row.rule if row is not None else None
        if rule is None or not can_edit(rule):
            return
        self._forget_removed()
        self._add.hide()
        self._form.begin_editing(rule)
        self.ensureWidgetVisible(self._form)

    def _end_adding(self, edited: bool) -> None:
        self._add.show()
        (self._list if edited else self._add).setFocus()

    def _on_trust(self, sha256: str) -> None:
        self._send(TrustRules(sha256=sha256))

    def _on_probe(self) -> None:
        self._sandbox.show_probing()
        self._send(ProbeSandbox())

    def _say_varies(self, varies: str) -> None:
        say(self._varies, varies)
        if varies:
            QTimer.singleShot(0, self, lambda: self.ensureWidgetVisible(self._varies, 0, SPACE_3))

    # making

    def _make_undo_bar(self) -> QFrame:
        bar = QFrame(self.contents)
        bar.setProperty("kind", "banner")
        self._undo_words = plain_label(bar, "", f"{_NAME}_removed")
        self._undo = push_button(tr("Undo"), f"{_NAME}_undo", bar)
        inside = QHBoxLayout(bar)
        set_gaps(inside, (SPACE_3, SPACE_2, SPACE_2, SPACE_2), SPACE_3)
        inside.addWidget(self._undo_words, 1)
        inside.addWidget(self._undo)
        bar.hide()
        return bar

    def _heading(self, text: str) -> QWidget:
        label = plain_label(self.contents, "title")
        label.setText(text)
        return label

    def _lay_out(self) -> None:
        rules = QVBoxLayout()
        set_gaps(rules, spacing=SPACE_2)
        head = QHBoxLayout()
        set_gaps(head, spacing=SPACE_2)
        head.addWidget(self._heading(tr("Rules")), 1)
        head.addWidget(self._add)
        rules.addLayout(head)
        for part in (self._state, self._faults, self._form, self._list, self._problem, self._undo_bar, self._rule):
            rules.addWidget(part)
        self.column.addWidget(self._trust)
        self.column.addWidget(self._asked)
        self.column.addLayout(rules)
        self.column.addWidget(self._try)
        self.column.addSpacing(SPACE_2)
        self.column.addWidget(self._heading(tr("Sandbox of this computer")))
        self.column.addWidget(self._sandbox)
        self.column.addSpacing(SPACE_2)
        self.column.addWidget(self._heading(tr("What each tool may do")))
        self.column.addWidget(self._tools_note)
        self.column.addWidget(self._tools)
        self.column.addWidget(self._varies)

    def _connect(self) -> None:
        self._list.chosen.connect(self._rule.show_row)
        self._list.remove_asked.connect(self._on_remove)
        self._list.edit_asked.connect(self._on_edit)
        self._rule.edit_asked.connect(self._on_edit)
        self._rule.remove_asked.connect(self._on_remove)
        self._undo.clicked.connect(self._on_undo)
        self._asked.wanted.connect(self._on_wanted)
        self._add.clicked.connect(self._on_add)
        self._form.ended.connect(self._end_adding)
        self._trust.trusted.connect(self._on_trust)
        self._sandbox.again.clicked.connect(self._on_probe)
        self._tools.chosen.connect(self._say_varies)
