"""Decisions of the shown chat: what was asked of the gate or of a person, who decided, and what came of it."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel, Qt

from desktop.domain.core.update import Update
from desktop.domain.events import Envelope
from desktop.domain.updates import SessionOpened
from desktop.ui.audit.fold import FOLDED, AuditRow, Word, audit_rows
from desktop.ui.models.keyed_rows import KEY_ROLE, ROW_ROLE, Index, KeyedRows
from desktop.ui.text.format import full_time
from desktop.ui.theme.theme import theme

COLUMNS = ("Time", "What", "Decision", "Rule", "By", "Result")
TO_REVIEW = "to review"
_ROLES = Qt.ItemDataRole
_DECISION = COLUMNS.index("Decision")
_COLORS: dict[Word, str] = {"allowed": "success", "asked": "warning", "declined": "danger", "refused": "danger"}


class AuditModel(KeyedRows[AuditRow]):
    """Latest last. Folded from the chat's events; a later event completes the row of its call."""

    columns = COLUMNS

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
            if isinstance(envelope.event, FOLDED):
                self._envelopes[envelope.seq] = envelope
                kept = True
        return kept


class AuditFilter(QSortFilterProxyModel):
    """The decisions that a person wants to see: of one kind, of one rule, with one text in any column."""

    def __init__(self, model: AuditModel, parent: QObject) -> None:
        super().__init__(parent)
        self.setSourceModel(model)
        self._model = model
        self._decision = self._rule = self._text = ""

    @property
    def text(self) -> str:
        """What is searched for."""
        return self._text

    @property
    def shown(self) -> tuple[AuditRow, ...]:
        """The rows that pass, top to bottom."""
        return tuple(row for row in self._model.rows if self._passes(row))

    def choose(self, decision: str, rule: str, text: str) -> None:
        """Show these only; "" is any. `decision` is a word of a row, or TO_REVIEW."""
        wanted = (decision, rule, text.strip())
        if wanted != (self._decision, self._rule, self._text):
            self.beginFilterChange()
            self._decision, self._rule, self._text = wanted
            self.endFilterChange()

    def filterAcceptsRow(self, row: int, parent: QModelIndex | QPersistentModelIndex) -> bool:
        """Whether a row of the model passes."""
        return self._passes(self._model.rows[row])

    def _passes(self, row: AuditRow) -> bool:
        decided = bool(row.review) if self._decision == TO_REVIEW else self._decision in ("", row.decision)
        words = self._text.casefold()
        return decided and self._rule in ("", row.rule) and any(words in cell.casefold() for cell in row.cells)
