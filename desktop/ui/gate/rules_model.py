"""Rules as Settings lists them: a heading for each file and a row for each rule, in words."""

import shlex
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal

from PySide6.QtCore import Qt

from desktop.domain.display.surfaces import path_text
from desktop.domain.display.text import display_text
from desktop.domain.gate.rules import Rule, RuleDecision, RuleFile, RuleKind, RuleScope, RuleState
from desktop.language import said, tr
from desktop.records import dataclass
from desktop.ui.models.keyed_rows import Index, KeyedRows
from desktop.ui.text.format import ago, count, local_date
from desktop.ui.text.places import short_path

UNUSED_AFTER = timedelta(days=60)
WRITABLE: tuple[RuleScope, ...] = ("user", "project")
DECISIONS: dict[RuleDecision, tuple[str, str]] = {
    "allow": (tr("Allow"), "success"),
    "ask": (tr("Ask"), "warning"),
    "deny": (tr("Deny"), "danger"),
}
_KINDS: dict[RuleKind, str] = {
    "command": tr("command"),
    "path": tr("files"),
    "network": tr("host"),
    "mcp": tr("MCP tool"),
    "tool": tr("tool"),
    "sql": tr("database"),
}
_MADE = {
    "card": tr("from a card"),
    "settings": tr("in Settings"),
    "chip": tr("from a suggestion"),
    "hand": tr("by hand"),
    "taint": tr("after a secret was read"),
}
NOTES = {
    "off": (tr("off"), "danger"),
    "unused": (tr("unused"), "warning"),
    "waits": (tr("waits"), "warning"),
    "expired": (tr("expired"), ""),
}
"""The note of a rule, in words and with its role."""
_OPS: dict[tuple[str, ...], str] = {("read",): tr("reading files"), ("write",): tr("writing files")}


@dataclass(frozen=True)
class RuleRow:
    """A heading or a rule. `key`: `file:` or `rule:` with scope and id. Texts may be shown as they are.

    `note`: unused, expired, waits or off, and `facts` everything that is known of the rule, as label and text.
    """

    key: str
    kind: Literal["file", "rule", "none"]
    words: str
    detail: str = ""
    chip: str = ""
    role: str = ""
    note: str = ""
    off: bool = False
    facts: tuple[tuple[str, str], ...] = ()
    rule: Rule | None = None

    @property
    def spoken(self) -> str:
        """The row for assistive programs."""
        note = NOTES.get(self.note, ("", ""))[0]
        return ", ".join(part for part in (self.chip, self.words, note, self.detail) if part)


class RulesModel(KeyedRows[RuleRow]):
    """One column; headings cannot be chosen."""

    def text_of(self, row: RuleRow, column: int) -> str:
        """Its words."""
        return row.words

    def sentence_of(self, row: RuleRow) -> str:
        """The row, read out."""
        return row.spoken

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Only rules can be chosen."""
        flags = super().flags(index)
        if index.isValid() and self._rows[index.row()].kind != "rule":
            return flags & ~Qt.ItemFlag.ItemIsSelectable
        return flags


def rule_rows(files: Sequence[RuleFile], project: str, now: datetime) -> list[RuleRow]:
    """The rows of all files. `project`: the name of the open one, "" for none."""
    rows: list[RuleRow] = []
    for file in files:
        if file.scope not in WRITABLE and not file.rules:
            continue
        rows.append(
            RuleRow(f"file:{file.scope}", "file", scope_title(file.scope, project), path_text(short_path(file.path)))
        )
        waiting = {rule.id for rule in file.waiting}
        rows += [_rule_row(file.scope, state, _note(state, state.rule.id in waiting, now), now) for state in file.rules]
        if not file.rules:
            rows.append(RuleRow(f"none:{file.scope}", "none", tr("No rules yet.")))
    return rows


def scope_title(scope: RuleScope, project: str) -> str:
    """Where the rules of a file count."""
    return {
        "managed": tr("Set for this computer"),
        "user": tr("Yours, in every project"),
        "project": tr("Yours, in {value}", value=project or tr("this project")),
        "shared": tr("The repository's own"),
        "session": tr("This chat"),
    }[scope]


def rule_line(rule: Rule) -> str:
    """A rule in one line: "Allow command: npm run test"."""
    decision, about, text = DECISIONS[rule.decision][0], _about(rule), display_text(rule.text)
    return tr("{decision} {about}: {text}", decision=decision, about=about, text=text)


def faults(files: Sequence[RuleFile]) -> list[str]:
    """What is wrong with the files, each with its path."""
    return [f"{path_text(file.path)}: {display_text(said(file.problem))}" for file in files if file.problem]


def typed_words(text: str) -> tuple[tuple[str, ...], str]:
    """The words of what was typed, and what is wrong with it, "" for nothing."""
    try:
        return tuple(shlex.split(text)), ""
    except ValueError:
        return (), tr("A quotation mark is not closed.")


def _rule_row(scope: RuleScope, state: RuleState, note: str, now: datetime) -> RuleRow:
    rule = state.rule
    chip, role = DECISIONS[rule.decision]
    return RuleRow(
        f"rule:{scope}:{rule.id}",
        "rule",
        display_text(rule.text) or tr("(empty)"),
        _detail(state, now),
        chip,
        role,
        note,
        not state.active,
        tuple(_facts(scope, state, note, now)),
        rule,
    )


def _about(rule: Rule) -> str:
    ops = _OPS.get(rule.ops) if rule.kind == "path" else None
    return ops or _KINDS[rule.kind]


def _note(state: RuleState, waits: bool, now: datetime) -> str:
    if waits:
        return "waits"
    expires = state.rule.expires_at
    if expires is not None and expires <= now:
        return "expired"
    if not state.active:
        return "off"
    since = state.last_used or state.rule.created_at
    return "unused" if since is not None and now - since >= UNUSED_AFTER else ""


def _detail(state: RuleState, now: datetime) -> str:
    if state.problem:
        return display_text(said(state.problem))
    return " · ".join(
        [
            _about(state.rule),
            *([tr("made {made}", made=_made(state.rule))] if state.rule.created_at else []),
            _used(state, now),
        ]
    )


def _made(rule: Rule) -> str:
    made = _MADE[rule.created_by]
    return f"{made}, {local_date(rule.created_at)}" if rule.created_at is not None else made


def _used(state: RuleState, now: datetime) -> str:
    if not state.hits:
        return tr("never used")
    times = tr("used once") if state.hits == 1 else tr("used {times}", times=count(state.hits, "time"))
    return (
        tr("{times}, last {last_used}", times=times, last_used=ago(state.last_used, now))
        if state.last_used is not None
        else times
    )


def _facts(scope: RuleScope, state: RuleState, note: str, now: datetime) -> list[tuple[str, str]]:
    rule = state.rule
    facts = [
        (tr("About"), _about(rule)),
        (tr("Made"), _made(rule)),
    ]
    if note != "unused" or state.hits:
        facts.append((tr("Used"), _used(state, now)))
    if note == "unused":
        advice = tr(". Remove it if nobody needs it.") if rule.decision == "allow" else ""
        facts.append((tr("Unused"), tr("for 60 days or more{advice}", advice=advice)))
    if rule.expires_at is not None:
        facts.append((tr("Expired") if note == "expired" else tr("Expires"), local_date(rule.expires_at)))
    if rule.lane:
        facts.append((tr("Only in lane"), display_text(rule.lane)))
    if rule.reason:
        facts.append((tr("Reason"), display_text(said(rule.reason))))
    if state.problem:
        facts.append((tr("Off, because") if not state.active else tr("Look at"), display_text(said(state.problem))))
    if scope not in WRITABLE:
        facts.append((tr("Change it"), tr("in its file; Banksman does not write there.")))
    return facts
