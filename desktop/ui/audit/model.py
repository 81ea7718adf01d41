"""Decisions of the shown chat: what was asked of the gate or of a person, who decided, and what came of it."""

import math
import time
from collections import deque
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel, Qt, QTimer, Signal

from desktop.domain.core.update import Update
from desktop.domain.egress.updates import SeenTraffic
from desktop.domain.events import Envelope
from desktop.domain.updates import SessionOpened
from desktop.language import tr
from desktop.ui.audit.fold import DECISIONS, FOLDED, AuditFold, AuditRow, Word
from desktop.ui.models.keyed_rows import Index, KeyedRows
from desktop.ui.text.format import full_time
from desktop.ui.theme.theme import theme

COLUMNS = (tr("Time"), tr("What"), tr("Decision"), tr("Rule"), tr("By"), tr("Result"))
TO_REVIEW = tr("to review")
LEFT = tr("network")
AT_ONCE, EVENTS_A_STEP, ROWS_A_STEP, SLICE_S = 600, 30, 200, 0.004
_ROLES = Qt.ItemDataRole
_DECISION = COLUMNS.index(tr("Decision"))
_COLORS: dict[Word, str] = {
    "allowed": "success",
    "asked": "warning",
    "declined": "danger",
    "refused": "danger",
    "unasked": "warning",
    "noted": "muted",
}


class AuditModel(KeyedRows[AuditRow]):
    """Latest last. Folded from the chat's events; a later event completes the row of its call.

    A few events are folded as they come. Those of a long chat are folded a few milliseconds at a time, when all are
    here and somebody looks; until `is_whole` again there are no rows or not all, and nothing is to be done with them.
    """

    columns = COLUMNS
    whole_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session_id = ""
        self._is_seen = False
        self._beside: tuple[SeenTraffic, ...] = ()
        self._slices = QTimer(self, singleShot=True, interval=0)
        self._slices.timeout.connect(self._go_on)
        self._restart()

    @property
    def is_whole(self) -> bool:
        """Whether all that was told is in the rows."""
        return self._all_told and not self._waiting and not self._unshown

    def set_seen(self, seen: bool) -> None:
        """Whether somebody looks."""
        self._is_seen = seen
        self._soon()

    def show_session(self, session_id: str) -> None:
        """Forget the former chat's decisions."""
        if session_id != self.session_id:
            self.session_id = session_id
            self._restart()
            self.set_rows(())

    def apply(self, updates: Sequence[Update]) -> None:
        """Take what concerns the shown chat."""
        for update in updates:
            if isinstance(update, SessionOpened) and update.session_id == self.session_id:
                self._take_part(update)
            elif isinstance(update, Envelope) and update.session_id == self.session_id:
                self._take_live(update)
        if self._all_told and not self._unshown and len(self._waiting) <= AT_ONCE:
            self._fold()
            self._show()
        else:
            self._soon()

    def show_beside(self, seen: Sequence[SeenTraffic]) -> None:
        """Show what went out for the repository outside of any chat."""
        self._beside = tuple(seen)
        self._folded.beside(self._beside)
        if self.is_whole:
            self._show()

    def _restart(self) -> None:
        self._slices.stop()
        self._folded = AuditFold()
        self._folded.beside(self._beside)
        self._places: dict[str, int] = {}
        self._all_told, self._last_seq = True, -1
        self._parts: list[tuple[Envelope, ...]] = []
        self._later: list[Envelope] = []
        self._waiting: deque[Envelope] = deque()
        self._unshown: list[AuditRow] = []

    def _take_part(self, update: SessionOpened) -> None:
        if update.first:
            self._restart()
            self._last_seq = update.envelopes[-1].seq if update.envelopes else -1
            if not update.complete:
                self.set_rows(())
        self._parts.append(update.envelopes)
        self._all_told = update.complete
        if update.complete:
            self._waiting.extend(envelope for part in reversed(self._parts) for envelope in part)
            self._waiting.extend(self._later)
            self._parts, self._later = [], []

    def _take_live(self, envelope: Envelope) -> None:
        if envelope.seq > self._last_seq:
            self._last_seq = envelope.seq
            (self._waiting if self._all_told else self._later).append(envelope)

    # a long chat, bit by bit

    def _soon(self) -> None:
        if self._is_seen and self._all_told and not self.is_whole:
            self._slices.start()

    def _go_on(self) -> None:
        """Fold for some milliseconds, or put some rows in front when all is folded."""
        if self._unshown:
            self._put_in(0, self._unshown[-ROWS_A_STEP:])
            del self._unshown[-ROWS_A_STEP:]
        else:
            self._fold(time.perf_counter() + SLICE_S)
            if not self._waiting:
                self._show()
        if self.is_whole:
            self.whole_changed.emit()
        self._soon()

    def _fold(self, until: float = math.inf) -> None:
        while self._waiting and time.perf_counter() < until:
            for _ in range(min(EVENTS_A_STEP, len(self._waiting))):
                envelope = self._waiting.popleft()
                if isinstance(envelope.event, FOLDED):
                    self._folded.add(envelope.event, envelope.at)

    def _show(self) -> None:
        """Bring the rows up to what is folded; many new ones come bit by bit."""
        changed, self._folded.changed = self._folded.changed, {}
        rows = self._folded.rows
        if not self._places:
            self._places = {call_id: at for at, call_id in enumerate(rows)}
            if len(rows) > ROWS_A_STEP and not self._rows:
                self._unshown = list(rows.values())
            else:
                self.set_rows(tuple(rows.values()))
            return
        for call_id in changed:
            at = self._places.setdefault(call_id, len(self._places))
            if at < len(self._rows):
                self._change(at, rows[call_id])
            else:
                self._put_in(at, [rows[call_id]])

    def data(self, index: Index, role: int = _ROLES.DisplayRole) -> object:
        """The colour of a decision, and what all rows have."""
        if role == _ROLES.ForegroundRole:
            decides = index.isValid() and index.column() == _DECISION
            return theme().color(_COLORS[self.row_at(index.row()).decision]) if decides else None
        return super().data(index, role)

    def text_of(self, row: AuditRow, column: int) -> str:
        """A cell."""
        return row.cells[column]

    def sentence_of(self, row: AuditRow) -> str:
        """The row, read out."""
        return ", ".join(text for text in row.cells if text)

    def tooltip(self, index: Index) -> str:
        """What a cell says when the pointer rests on it."""
        row = self.row_at(index.row())
        if index.column() == 0:
            return full_time(row.at)
        if index.column() == 1:
            rule = tr("rule {rule}", rule=row.rule) if row.rule else ""
            digest = tr("digest {digest}", digest=row.digest[:12]) if row.digest else ""
            return "\n".join(part for part in (row.what, row.outcome, rule, digest) if part)
        return row.cells[index.column()]


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
        """Show these only; "" is any. `decision` is a word of a row, TO_REVIEW, or LEFT."""
        wanted = (decision, rule, text.strip())
        if wanted != (self._decision, self._rule, self._text):
            self.beginFilterChange()
            self._decision, self._rule, self._text = wanted
            self.endFilterChange()

    def filterAcceptsRow(self, row: int, parent: QModelIndex | QPersistentModelIndex) -> bool:
        """Whether a row of the model passes."""
        return self._passes(self._model.row_at(row))

    def _passes(self, row: AuditRow) -> bool:
        special = {TO_REVIEW: bool(row.review), LEFT: row.traffic is not None}
        decided = special.get(self._decision, self._decision in ("", DECISIONS[row.decision]))
        words = self._text.casefold()
        if not decided or self._rule not in ("", row.rule):
            return False
        return not words or any(words in cell.casefold() for cell in row.cells)
