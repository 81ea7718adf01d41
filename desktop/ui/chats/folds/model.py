"""TranscriptModel: the rows of the open chat as a list model, kept up to date by updates."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal

from desktop.domain import updates as up
from desktop.domain.core.clock import utc_now
from desktop.domain.core.work import Activity
from desktop.domain.events import Envelope
from desktop.domain.reports.updates import ReportsChanged
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.chats.folds import words
from desktop.ui.chats.folds.children_below import ChildrenBelow
from desktop.ui.chats.folds.fold import TranscriptFold
from desktop.ui.chats.folds.row_store import RowStore
from desktop.ui.chats.folds.row_words import accessible_text
from desktop.ui.chats.folds.rows import Row, holds
from desktop.ui.chats.folds.turn_fold import CONTINUE
from desktop.ui.chats.folds.turn_words import RETRY_NOW, STOP_TRYING
from desktop.ui.core.hearing import Hearing

KEY_ROLE = int(Qt.ItemDataRole.UserRole) + 1
ROW_ROLE = KEY_ROLE + 1
FIRST_SLICE, OLDER_SLICE = 200, 240
SLICE_S, EVENTS_A_STEP = 0.005, 30
INHERITED = 10_000_000
_Index = QModelIndex | QPersistentModelIndex
INTERRUPTED_KEY = "row:interrupted"


class _SignallingStore(RowStore):
    """A row store that tells the model's views of each change; changed rows are told once per batch."""

    def __init__(self, model: "TranscriptModel") -> None:
        super().__init__()
        self._model = model
        self.changed: set[str] = set()

    def insert(self, index: int, row: Row) -> None:
        self._model.flush_changed()
        self._model.beginInsertRows(QModelIndex(), index, index)
        super().insert(index, row)
        self._model.endInsertRows()

    def replace(self, index: int, row: Row) -> None:
        super().replace(index, row)
        self.changed.add(row.key)

    def remove(self, first: int, count: int = 1) -> None:
        self._model.flush_changed()
        self._model.beginRemoveRows(QModelIndex(), first, first + count - 1)
        super().remove(first, count)
        self._model.endRemoveRows()

    def prepend(self, rows: list[Row]) -> None:
        self._model.flush_changed()
        if not rows:
            return
        self._model.beginInsertRows(QModelIndex(), 0, len(rows) - 1)
        super().prepend(rows)
        self._model.endInsertRows()


@dataclass
class _Partial:
    """An older slice of which some events are folded, and what is left of it."""

    fold: TranscriptFold
    envelopes: deque[Envelope]


class TranscriptModel(QAbstractListModel):
    """All rows of one session. Opening another session resets it; everything else inserts, removes or changes rows.

    `live_line_changed` follows every change of `live_line`. `clock` gives the present, aware. `below`: the rows of
    sub-agents that a person opened.
    """

    live_line_changed = Signal()
    complete_changed = Signal()

    def __init__(self, parent: QObject | None = None, *, clock: Callable[[], datetime] = utc_now) -> None:
        super().__init__(parent)
        self.session_id = ""
        self.complete = True
        self.loading = False
        self._clock = clock
        self._activities: dict[str, up.ActivityChanged] = {}
        self._restarted: set[str] = set()
        self._older: deque[tuple[Envelope, ...]] = deque()
        self._ancestors: list[str] = []
        self._partial: _Partial | None = None
        self._retry: up.RetryScheduled | None = None
        self._last_seq = -1
        self._slices = QTimer(self, singleShot=True, interval=0)
        self._slices.timeout.connect(self._fold_older)
        self._countdown = QTimer(self, interval=1000)
        self._countdown.timeout.connect(self._show_retry)
        self.below = ChildrenBelow(lambda: self._fold)
        self._begin("")
        self.hearing = self._hears()

    # Qt

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """How many rows there are."""
        return 0 if parent.isValid() else len(self._store)

    def data(self, index: _Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Text, key (KEY_ROLE), the row value (ROW_ROLE) or the sentence for screen readers."""
        if not index.isValid() or not 0 <= index.row() < len(self._store):
            return None
        row = self._store.rows[index.row()]
        if role == KEY_ROLE:
            return row.key
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        return accessible_text(row) if role == Qt.ItemDataRole.AccessibleTextRole else None

    # reading

    @property
    def rows(self) -> Sequence[Row]:
        """The rows, oldest first. Do not keep it over a change."""
        return self._store.rows

    def index_of(self, key: str) -> int:
        """The index of the row with this key, -1 if there is none."""
        return self._store.index_of(key)

    def index_of_event(self, event_id: str, seq: int) -> int:
        """The row that shows an entry, or else the last row that is not newer than it; -1 while it is not loaded."""
        rows = self._store.rows
        for index in range(len(rows) - 1, -1, -1):
            if holds(rows[index], event_id):
                return index
        return next((index for index in range(len(rows) - 1, -1, -1) if 0 <= rows[index].seq <= seq), -1)

    def seq_of(self, event_id: str) -> int | None:
        """Where an entry stands among the rows' `seq`; None while it is not loaded."""
        return self._fold.rewinds.seq_of(event_id)

    @property
    def live_line(self) -> str:
        """What happens now, in words; "" when nothing does, the chat is still loading, or a row counts to a retry."""
        update = self._activities.get(self.session_id)
        waits = update is not None and update.activity is Activity.RETRYING and self._waiting_retry is not None
        return "" if self.loading or waits else words.live_line(update, self._store.rows)

    @property
    def running(self) -> bool:
        """Whether a turn of this session runs."""
        return not self.loading and bool(words.live_line(self._activities.get(self.session_id)))

    @property
    def _waiting_retry(self) -> Row | None:
        """The row that counts down to the next try."""
        return next((row for row in reversed(self._store.rows[-3:]) if row.kind == "retry" and row.live), None)

    def rewound_shown(self, key: str) -> bool:
        """Whether the rows that left, behind this row, are shown."""
        return self._fold.rewinds.is_shown(key)

    # changing

    def show_rewound(self, key: str, shown: bool) -> None:
        """Show or hide the rows that left when the conversation went back, under the row that stands for them."""
        self._fold.rewinds.show(key, shown)
        self.flush_changed()

    def uncover(self, event_id: str) -> None:
        """Show the rows that left, if the row of this entry is among them."""
        key = self._fold.rewinds.key_of(event_id)
        if key:
            self.show_rewound(key, True)

    def drop_actions(self, key: str) -> None:
        """Take the buttons off a row that a person has answered."""
        self._fold.update(key, actions=())
        self.flush_changed()

    def open(self, session_id: str) -> None:
        """Show this session from now on, empty until its SessionOpened, or its very first event, arrives."""
        self._begin(session_id)

    def flush_changed(self) -> None:
        """Tell views of the rows changed since the last time."""
        changed, self._store.changed = self._store.changed, set()
        for row in sorted(index for key in changed if (index := self._store.index_of(key)) >= 0):
            self.dataChanged.emit(self.index(row), self.index(row))

    def _begin(self, session_id: str) -> None:
        self._slices.stop()
        self._countdown.stop()
        self.beginResetModel()
        self.session_id, self._retry, self._last_seq = session_id, None, -1
        self._older.clear()
        self.below.clear()
        self._ancestors = [session_id]
        self._partial = None
        self._store = _SignallingStore(self)
        self._fold = TranscriptFold(self._store)
        self._fold.streams.clock = self._clock
        self.complete, self.loading, self._all_sent = True, bool(session_id), True
        self.endResetModel()
        self.live_line_changed.emit()

    def _hears(self) -> Hearing:
        """Rows change at once; views are told of each changed row once."""
        return (
            Hearing(self.below.hearing)
            .on(up.ActivityChanged, self._on_activity)
            .on(up.SessionsChanged, self._on_sessions)
            .on(Envelope, self._on_envelope)
            .on(ReportsChanged, self._on_reports)
            .on(up.SessionOpened, self._on_session)
            .on(up.TextDelta, self._on_delta)
            .on(up.ThinkingDelta, self._on_delta)
            .on(up.StreamDiscarded, self._on_discarded)
            .on(up.ToolProgress, self._on_progress)
            .on(up.RetryScheduled, self._on_retry)
            .then(self.flush_changed)
        )

    def _on_sessions(self, update: up.SessionsChanged) -> None:
        self._restarted = {s.session_id for s in update.sessions if s.interrupted}

    def _on_reports(self, update: ReportsChanged) -> None:
        if update.session_id == self.session_id:
            self._fold.reports.show(update)

    def _on_session(self, update: up.SessionOpened) -> None:
        if update.session_id == self.session_id:
            (self._on_opened if update.first else self._on_older)(update)

    def _is_shown(self, session_id: str) -> bool:
        """Whether what is never stored is taken: while the chat loads its rows are not here yet."""
        return not self.loading and session_id == self.session_id

    def _on_delta(self, update: up.TextDelta | up.ThinkingDelta) -> None:
        if self._is_shown(update.session_id):
            self._fold.streams.delta(update)

    def _on_discarded(self, update: up.StreamDiscarded) -> None:
        if self._is_shown(update.session_id):
            self._fold.streams.discard(update.message_id)

    def _on_progress(self, update: up.ToolProgress) -> None:
        if self._is_shown(update.session_id):
            self._fold.calls.progress(update)
            self.live_line_changed.emit()

    def _on_envelope(self, envelope: Envelope) -> None:
        """A live event. While the chat loads its SessionOpened will hold it, unless it is the first of a new chat."""
        if envelope.session_id != self.session_id or envelope.seq <= self._last_seq:
            return
        if self.loading:
            if envelope.seq:
                return
            self.loading = False
            self.live_line_changed.emit()
        self._last_seq = envelope.seq
        self._drop_interrupted()
        self._fold.apply(envelope)

    def _on_opened(self, update: up.SessionOpened) -> None:
        """The newest events. A long list is folded from its end; what is older follows in slices of its own."""
        if len(self._store):
            self._begin(self.session_id)
        envelopes = self._placed(update.envelopes)
        older, newest = envelopes[:-FIRST_SLICE], envelopes[-FIRST_SLICE:]
        self.beginResetModel()
        plain = RowStore()
        self._fold.store = plain
        for envelope in newest:
            self._fold.apply(envelope)
        self._fold.store = self._store
        RowStore.prepend(self._store, plain.rows)
        self.endResetModel()
        self._last_seq = newest[-1].seq if newest else -1
        self.loading, self._all_sent = False, update.complete
        self.complete = update.complete and not older
        for end in range(len(older), 0, -OLDER_SLICE):
            self._older.append(older[max(0, end - OLDER_SLICE) : end])
        self._fold_soon()
        self._show_interrupted()
        self.live_line_changed.emit()

    def _placed(self, envelopes: tuple[Envelope, ...]) -> tuple[Envelope, ...]:
        """Entries that a fork inherited count from 0 as its own do: they get places before those of its own."""
        placed: list[Envelope] = []
        for envelope in reversed(envelopes):
            if envelope.session_id not in self._ancestors:
                self._ancestors.append(envelope.session_id)
            before = self._ancestors.index(envelope.session_id) * INHERITED
            placed.append(envelope.model_copy(update={"seq": envelope.seq - before}) if before else envelope)
        return tuple(reversed(placed))

    def _on_older(self, update: up.SessionOpened) -> None:
        envelopes = self._placed(update.envelopes)
        for end in range(len(envelopes), 0, -OLDER_SLICE):
            self._older.append(envelopes[max(0, end - OLDER_SLICE) : end])
        self._all_sent = update.complete
        if self._more_to_fold and not self._slices.isActive():
            self._fold_older()
        elif not self._more_to_fold:
            self._check_complete()

    @property
    def _more_to_fold(self) -> bool:
        return bool(self._older) or self._partial is not None

    def _fold_soon(self) -> None:
        if self._more_to_fold:
            self._slices.start()

    def _fold_older(self) -> None:
        """Fold older events for a few milliseconds; put a slice in front when it is whole."""
        until = time.perf_counter() + SLICE_S
        partial = self._partial or _Partial(TranscriptFold(RowStore()), deque(self._older.popleft()))
        while partial.envelopes and time.perf_counter() < until:
            for _ in range(min(EVENTS_A_STEP, len(partial.envelopes))):
                partial.fold.apply(partial.envelopes.popleft())
        self._partial = partial if partial.envelopes else None
        if self._partial is None:
            self._store.prepend(self._fold.adopt(partial.fold))
            self._fold.reports.write()
            self.flush_changed()
            self._check_complete()
        self._fold_soon()

    def _check_complete(self) -> None:
        complete = self._all_sent and not self._more_to_fold
        if complete != self.complete:
            self.complete = complete
            self.complete_changed.emit()

    # what is going on

    def _on_activity(self, update: up.ActivityChanged) -> None:
        former = self._activities.get(update.session_id)
        if self.loading and not update.detail and former is not None and former.activity is update.activity:
            return
        self._activities[update.session_id] = update
        if update.session_id != self.session_id:
            return
        if words.live_line(update):
            self._drop_interrupted()
        self.live_line_changed.emit()

    def _show_interrupted(self) -> None:
        """A turn that began and did not end, while nothing runs: the app was closed in between."""
        if not self._fold.turn_open or self.running:
            return
        self._fold.close_turn()
        text = tr("Banksman closed while this turn was running.")
        row = Row(INTERRUPTED_KEY, "interrupted", self._last_seq, None, self._fold.turn_id, text)
        self._store.insert(len(self._store), replace(row, level="warning", actions=(CONTINUE,)))

    def _drop_interrupted(self) -> None:
        index = self._store.index_of(INTERRUPTED_KEY)
        if index >= 0:
            self._store.remove(index)

    def _on_retry(self, update: up.RetryScheduled) -> None:
        if not self._is_shown(update.session_id):
            return
        self._retry = update
        last = self._store.rows[-1] if len(self._store) else None
        if last is not None and last.kind == "retry":
            self._fold.update(last.key, live=True)
        else:
            key = f"row:retry.{update.retry_at.timestamp():.3f}"
            self._fold.append(Row(key, "retry", self._last_seq, self._clock(), self._fold.turn_id, live=True))
        self._countdown.start()
        self._show_retry()
        self.live_line_changed.emit()

    def _show_retry(self) -> None:
        """Write the seconds left; stop counting when the retry is over."""
        last, retry = self._waiting_retry, self._retry
        if retry is None or last is None:
            self._countdown.stop()
            return
        wait = (retry.retry_at - self._clock()).total_seconds()
        if wait <= 0:
            self._countdown.stop()
        text = words.retry_sentence(retry.reason, wait, retry.attempt, retry.max_attempts)
        self._fold.update(last.key, text=text, level="warning", actions=(RETRY_NOW, STOP_TRYING))
        self.flush_changed()
