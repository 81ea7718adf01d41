"""Decisions of the shown chat: what was asked of the gate or of a person, who decided, and what came of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from PySide6.QtCore import QObject, Qt

from desktop.domain.display import display_text
from desktop.domain.events import Envelope, InputRequested, InputResolved, ToolCallDecided, ToolCallFinished
from desktop.domain.pending import ApprovalRequest, InputRequest, QuestionRequest
from desktop.domain.permissions import Verdict
from desktop.domain.updates import SessionOpened, Update
from desktop.ui.format import clock_time, duration, full_time
from desktop.ui.models.keyed_rows import KEY_ROLE, ROW_ROLE, Index, KeyedRows
from desktop.ui.theme.theme import theme

Word = Literal["allowed", "asked", "declined", "refused"]
COLUMNS = ("Time", "What", "Decision", "Rule", "By", "Result")
_ROLES = Qt.ItemDataRole
_VERDICTS: dict[Verdict, Word] = {Verdict.ALLOW: "allowed", Verdict.ASK: "asked", Verdict.DENY: "refused"}
_REASONS = {
    "rule": "rule",
    "mode": "mode change",
    "interrupted": "stopped",
    "restart": "restart",
    "superseded": "newer request",
    "no_person": "nobody to ask",
    "session_deleted": "chat deleted",
}
_RESULTS = {"error": "failed"}
_DECISION = COLUMNS.index("Decision")
_COLORS: dict[Word, str] = {"allowed": "success", "asked": "warning", "declined": "danger", "refused": "danger"}


@dataclass(frozen=True)
class AuditRow:
    """One decision. `key`: `call:` and the call's id. Texts may be shown as they are."""

    key: str
    at: datetime
    what: str
    decision: Word
    rule: str = ""
    by: str = ""
    result: str = ""
    digest: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The texts of the columns."""
        return clock_time(self.at), self.what, self.decision, self.rule, self.by, self.result

    @property
    def outcome(self) -> str:
        """Who decided and what came of it, on one line."""
        return " · ".join(part for part in (f"by {self.by}" if self.by else "", self.result) if part)


class AuditModel(KeyedRows[AuditRow]):
    """Latest last. Folded from the chat's events; a later event completes the row of its call."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session_id = ""
        self._envelopes: dict[int, Envelope] = {}

    def show_session(self, session_id: str) -> None:
        """Forget the former chat's decisions."""
        if session_id != self.session_id:
            self.session_id = session_id
            self._envelopes.clear()
            self.set_rows(())

    def apply(self, updates: Sequence[Update]) -> None:
        """Take what concerns the shown chat."""
        changed = False
        for update in updates:
            if isinstance(update, SessionOpened) and update.session_id == self.session_id:
                if update.first:
                    self._envelopes.clear()
                changed = self._keep(update.envelopes) or update.first or changed
            elif isinstance(update, Envelope) and update.session_id == self.session_id:
                changed = self._keep((update,)) or changed
        if changed:
            self.set_rows(audit_rows(self._envelopes[seq] for seq in sorted(self._envelopes)))

    def columnCount(self, parent: Index | None = None) -> int:
        """Time, what, decision, rule, by, result."""
        return 0 if parent is not None and parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _ROLES.DisplayRole) -> object:
        """The names of the columns."""
        if orientation is Qt.Orientation.Horizontal and role == _ROLES.DisplayRole:
            return COLUMNS[section]
        return None

    def data(self, index: Index, role: int = _ROLES.DisplayRole) -> object:
        """Cell texts; tooltips with the full text, the date or the digest; a sentence for assistive technology."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        cell = row.cells[index.column()]
        if role == _ROLES.ForegroundRole:
            return theme().color(_COLORS[row.decision]) if index.column() == _DECISION else None
        values: dict[int, object] = {
            _ROLES.DisplayRole: cell,
            _ROLES.AccessibleTextRole: ", ".join(text for text in row.cells if text),
            KEY_ROLE: row.key,
            ROW_ROLE: row,
        }
        return values.get(role)

    def tooltip(self, index: Index) -> str:
        """What a cell says when the pointer rests on it."""
        row = self.rows[index.row()]
        if index.column() == 0:
            return full_time(row.at)
        if index.column() == 1:
            rule = f"rule {row.rule}" if row.rule else ""
            digest = f"digest {row.digest[:12]}" if row.digest else ""
            return "\n".join(part for part in (row.what, row.outcome, rule, digest) if part)
        return row.cells[index.column()]

    def _keep(self, envelopes: Iterable[Envelope]) -> bool:
        kept = False
        for envelope in envelopes:
            if isinstance(envelope.event, ToolCallDecided | InputRequested | InputResolved | ToolCallFinished):
                self._envelopes[envelope.seq] = envelope
                kept = True
        return kept


def audit_rows(envelopes: Iterable[Envelope]) -> list[AuditRow]:
    """The decisions in a chat's events, which come in order."""
    rows: dict[str, AuditRow] = {}
    calls: dict[str, str] = {}
    for envelope in envelopes:
        event = envelope.event
        if isinstance(event, ToolCallDecided):
            rows[event.call_id] = _decided(event, envelope.at)
        elif isinstance(event, InputRequested) and event.request.blocking:
            calls[event.input_id] = event.call_id
            rows.setdefault(event.call_id, _requested(event, envelope.at))
        elif isinstance(event, InputResolved) and event.input_id in calls:
            call_id = calls[event.input_id]
            rows[call_id] = _resolved(rows[call_id], event)
        elif isinstance(event, ToolCallFinished) and event.call_id in rows:
            rows[event.call_id] = replace(rows[event.call_id], result=_result(event))
    return list(rows.values())


def _decided(event: ToolCallDecided, at: datetime) -> AuditRow:
    title = event.card.title if event.card is not None else ""
    by = ""
    if event.verdict is Verdict.ALLOW:
        by = "rule" if event.lifted_by else "mode"
    elif event.verdict is Verdict.DENY:
        by = "rule"
    return AuditRow(
        key=f"call:{event.call_id}", at=at, what=display_text(title or event.tool or event.name_called),
        decision=_VERDICTS[event.verdict], rule=display_text(event.lifted_by or event.rule), by=by, digest=event.digest,
    )  # fmt: skip


def _requested(event: InputRequested, at: datetime) -> AuditRow:
    request = event.request
    rule, digest = (request.rule, request.digest) if isinstance(request, ApprovalRequest) else ("", "")
    return AuditRow(
        key=f"call:{event.call_id}", at=at, what=_request_words(request), decision="asked", rule=rule, digest=digest
    )


def _request_words(request: InputRequest) -> str:
    if isinstance(request, ApprovalRequest):
        return display_text(request.card.title) or "Unknown request"
    if isinstance(request, QuestionRequest):
        return f"Question: {display_text(request.title or request.questions[0].text)}"
    return "Plan review"


def _resolved(row: AuditRow, event: InputResolved) -> AuditRow:
    outcome = event.answer.outcome
    by = _REASONS.get(event.reason, "demo" if event.demo else "person")
    if outcome == "cancelled":
        return replace(row, by=by)
    return replace(row, decision="declined" if outcome == "reject" else "allowed", by=by)


def _result(event: ToolCallFinished) -> str:
    words = _RESULTS.get(event.outcome, event.outcome)
    parts = [words, display_text(event.summary), duration(event.duration_ms) if event.duration_ms else ""]
    return " · ".join(part for part in parts if part)
