"""TranscriptFold: events of one session into rows, one at a time; the same for a stored log and for live events."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from desktop.domain import events as ev
from desktop.domain.pending import InputRequest
from desktop.ui.format import clock_time, local_date, tokens
from desktop.ui.models import transcript_words as words
from desktop.ui.models.call_fold import CallFold
from desktop.ui.models.row_store import RowStore
from desktop.ui.models.stream_fold import StreamFold, message_specs
from desktop.ui.models.transcript_rows import Row, touched_figures

CONTINUE = ("continue", "Continue")
COPY_DETAILS = ("copy_details", "Copy details")
REPLACE_KEY = ("replace_key", "Replace key…")
_Handler = Callable[[ev.Envelope, Any], None]


@dataclass
class _Late:
    """What came before the event it belongs to was known: that event stands in an older slice."""

    calls: dict[str, list[ev.Envelope]] = field(default_factory=dict)
    inputs: dict[str, list[ev.Envelope]] = field(default_factory=dict)


class TranscriptFold:
    """Applies envelopes to a row store. A fold over older events can be joined in front (`adopt`)."""

    def __init__(self, store: RowStore) -> None:
        self.store = store
        self.turn_id = ""
        self.turn_open = False
        self.calls = CallFold(self)
        self.streams = StreamFold(self)
        self.late = _Late()
        self.inputs: dict[str, InputRequest] = {}
        self._turn_calls: list[str] = []
        self._last_day: date | None = None
        self._last_head = ("", "")
        self._front_todos = False
        self._named = (-1, "")
        self._handlers: dict[type, _Handler] = {
            ev.UserMessage: self._on_user, ev.AssistantMessage: self._on_assistant,
            ev.TurnStarted: self._on_turn_started, ev.TurnEnded: self._on_turn_ended,
            ev.ToolCallDecided: self._on_call, ev.ToolCallStarted: self._on_call, ev.ToolCallFinished: self._on_call,
            ev.InputRequested: self._on_requested, ev.InputResolved: self._on_resolved,
            ev.InputRevised: self._on_revised, ev.TodosChanged: self._on_todos, ev.Notice: self._on_notice,
            ev.UnknownEvent: self._on_unknown,
            ev.ProviderFailed: self._on_provider_failed, ev.Compacted: self._on_compacted,
            ev.ContextCleared: self._on_cleared, ev.ModeChanged: self._on_mode, ev.Rewound: self._on_rewound,
            ev.SessionForked: self._on_forked, ev.SessionResumed: self._on_resumed,
            ev.TitleChanged: self._on_title, ev.MessageDeleted: self._on_deleted,
            ev.DeletionUndone: self._on_deleted,
        }  # fmt: skip

    def apply(self, envelope: ev.Envelope) -> None:
        """Fold one event. Events that people do not read change no row."""
        handler = self._handlers.get(type(envelope.event))
        if handler is not None:
            handler(envelope, envelope.event)

    def append(self, row: Row) -> None:
        """Add a row at the end, with a date divider before it when its local day is another one."""
        self.insert(len(self.store), row)

    def insert(self, index: int, row: Row) -> None:
        """Add a row before `index`; at the end, with date divider and head as its neighbours need them."""
        if index < len(self.store):
            self.store.insert(index, replace(row, head=False) if row.kind in ("assistant", "thinking") else row)
            return
        if row.at is not None:
            day = row.at.astimezone().date()
            if self._last_day is not None and day != self._last_day:
                divider = Row(f"{row.key}.day", "date", row.seq, row.at, text=local_date(row.at))
                self.store.insert(len(self.store), divider)
                self._last_head = ("", "")
            self._last_day = day
        self.store.insert(len(self.store), self._with_head(row))

    def update(self, key: str, **changes: Any) -> None:
        """Change fields of a row, if it is there."""
        index = self.store.index_of(key)
        if index >= 0:
            row = self.store.rows[index]
            self.store.replace(index, replace(row, revision=row.revision + 1, **changes))

    def adopt(self, older: "TranscriptFold") -> list[Row]:
        """Take over what a fold of older events knows; the rows to put in front of the present ones."""
        for call_id, late in self.late.calls.items():
            if older.calls.knows(call_id):
                for envelope in late:
                    older.apply(envelope)
            else:
                older.late.calls.setdefault(call_id, []).extend(late)
        for input_id, waiting in self.late.inputs.items():
            request = older.inputs.get(input_id)
            if request is None:
                older.late.inputs.setdefault(input_id, []).extend(waiting)
                continue
            for envelope in waiting:
                older.close_input(input_id, envelope.event, request)
                self.update(f"row:{envelope.seq}", **_resolved_fields(envelope, envelope.event, request))
        for call_id in self.calls.hidden:
            older.calls.hide(call_id)
        if self._front_todos:
            older.drop_todos()
        self._front_todos = older._front_todos or (self._front_todos and not older.turn_id)
        self.late = older.late
        for input_id, request in older.inputs.items():
            self.inputs.setdefault(input_id, request)
        self.calls.adopt(older.calls)
        return self._joined(older)

    def _joined(self, older: "TranscriptFold") -> list[Row]:
        rows = older.store.rows
        if not rows or not self.store.rows:
            return rows
        last, first = rows[-1].at, self.store.rows[0].at
        if last and first and last.astimezone().date() != first.astimezone().date():
            key = f"{self.store.rows[0].key}.day"
            rows.append(Row(key, "date", self.store.rows[0].seq, first, text=local_date(first)))
        return rows

    def _with_head(self, row: Row) -> Row:
        if row.kind in ("user", "agent_message"):
            self._last_head = ("", "")
            return row
        if row.kind not in ("assistant", "thinking"):
            return row
        mark = (row.turn_id, clock_time(row.at) if row.at else "")
        shown, self._last_head = self._last_head, mark
        return replace(row, head=mark != shown)

    # messages

    def _on_user(self, envelope: ev.Envelope, event: ev.UserMessage) -> None:
        text = event.display or words.parts_text(event.parts)
        row = Row(f"row:{envelope.seq}", "user", envelope.seq, envelope.at, event.turn_id or self.turn_id, text)
        row = replace(row, event_id=envelope.event_id)
        if event.origin in ("person", "queued", "import"):
            self.append(replace(row, author="You", lines=event.attachments))
        elif event.origin == "agent":
            who = event.sender_session_id or "another chat"
            self.append(replace(row, kind="agent_message", author=f"From {who} (agent)"))
        else:
            self.append(replace(row, kind="notice", text=words.note_text(text), icon="message-square"))

    def _on_assistant(self, envelope: ev.Envelope, event: ev.AssistantMessage) -> None:
        self.settle_retry()
        self.calls.note_order(message_specs(event.parts))
        self.streams.finish(envelope, event)

    # turns

    def _on_turn_started(self, envelope: ev.Envelope, event: ev.TurnStarted) -> None:
        self.turn_id, self.turn_open, self._turn_calls = event.turn_id, True, []
        self.clear_actions()

    def clear_actions(self) -> None:
        """Take the buttons off rows that offered to go on: something else began."""
        for row in reversed(self.store.rows[-8:]):
            if row.kind in ("error", "interrupted") and row.actions:
                self.update(row.key, actions=())

    def _on_turn_ended(self, envelope: ev.Envelope, event: ev.TurnEnded) -> None:
        self.close_turn()
        if event.status in ("failed", "limit", "loop"):
            level = "danger" if event.status == "failed" else "warning"
            text = words.stopped_sentence(event)
            row = Row(f"row:{envelope.seq}", "error", envelope.seq, envelope.at, event.turn_id, text, event.reason)
            actions = (REPLACE_KEY, CONTINUE, COPY_DETAILS) if event.reason == "auth" else (CONTINUE, COPY_DETAILS)
            self.append(replace(row, level=level, actions=actions, event_id=envelope.event_id))
        calls = self.calls.all_of(self._turn_calls)
        failed = sum(call.state == "error" for call in calls)
        text = words.recap(event, touched_figures(calls), failed)
        key = f"row:{envelope.seq}" if event.status in ("completed", "interrupted") else f"row:{envelope.seq}.recap"
        self.append(Row(key, "recap", envelope.seq, envelope.at, event.turn_id, text, event_id=envelope.event_id))

    def close_turn(self) -> None:
        """Nothing runs any more: open calls are interrupted, carets go."""
        self.turn_open = False
        self.settle_retry()
        self.streams.close()
        self.calls.interrupt_open()

    # calls and inputs

    def _on_call(self, envelope: ev.Envelope, event: Any) -> None:
        if isinstance(event, ev.ToolCallDecided):
            self._turn_calls.append(event.call_id)
        if isinstance(event, ev.ToolCallFinished) and self._named[0] == envelope.seq - 1:
            self.calls.hide(event.call_id)
            self._line(envelope, f"Chat named “{self._named[1]}”", "message-square")
        if not self.calls.apply(envelope, event):
            self.late.calls.setdefault(event.call_id, []).append(envelope)

    def _on_requested(self, envelope: ev.Envelope, event: ev.InputRequested) -> None:
        self.inputs[event.input_id] = event.request
        if not event.request.blocking:
            return
        self.calls.wait(event.call_id, event.request.kind)
        if event.request.kind == "plan":
            title = words.plan_title(event.request.plan)
            self.calls.hide(event.call_id)
            row = Row(f"row:{envelope.seq}", "plan", envelope.seq, envelope.at, self.turn_id, event.request.plan)
            self.append(replace(row, detail="waiting for you", lines=(title,), aliases=(f"input:{event.input_id}",)))

    def _on_revised(self, envelope: ev.Envelope, event: ev.InputRevised) -> None:
        self.inputs[event.input_id] = event.request

    def _on_resolved(self, envelope: ev.Envelope, event: ev.InputResolved) -> None:
        request = self.inputs.get(event.input_id)
        if request is None:
            self.late.inputs.setdefault(event.input_id, []).append(envelope)
        elif not request.blocking:
            return
        else:
            self.close_input(event.input_id, event, request)
        row = Row(f"row:{envelope.seq}", "resolved", envelope.seq, envelope.at, self.turn_id, icon="shield-check")
        alias = f"resolved:{event.input_id}"
        fields = _resolved_fields(envelope, event, request)
        self.append(replace(row, event_id=envelope.event_id, aliases=(alias,), **fields))

    def close_input(self, input_id: str, event: Any, request: InputRequest) -> None:
        """Write on the call, and on a plan's row, how its request was closed."""
        self.calls.answered(request.call_id, words.answer_words(event, request))
        if request.kind == "question":
            self.calls.hide(request.call_id)
        status = {"allow_once": "approved", "allow_always": "approved", "reject": "to be revised"}
        changes: dict[str, Any] = {"detail": status.get(event.answer.outcome, "withdrawn")}
        if event.answer.edited_plan is not None:
            changes["text"] = event.answer.edited_plan
        self.update(f"input:{input_id}", **changes)

    # state, shown as rows

    def _on_todos(self, envelope: ev.Envelope, event: ev.TodosChanged) -> None:
        done = sum(todo.status == "completed" for todo in event.todos)
        now = next((todo.content for todo in event.todos if todo.status == "in_progress"), "")
        text = f"Todos {done} of {len(event.todos)}"
        if event.call_id:
            self.calls.hide(event.call_id)
        former = self.drop_todos()
        self._front_todos = self._front_todos or not self.turn_id
        key = former.key if former is not None else f"row:{envelope.seq}"
        row = Row(key, "todos", envelope.seq, envelope.at, self.turn_id, text, now)
        alias = f"todos:{self.turn_id}"
        self.append(replace(row, todos=event.todos, aliases=(alias,), event_id=envelope.event_id))

    def drop_todos(self) -> Row | None:
        """Take out the todos row of the present turn: a newer list stands further down. None: there was none."""
        index = self.store.index_of(f"todos:{self.turn_id}")
        if index < 0:
            return None
        row = self.store.rows[index]
        self.store.remove(index)
        self.calls.join(index)
        return row

    def _on_title(self, envelope: ev.Envelope, event: ev.TitleChanged) -> None:
        """An automatic title is the work of the call that finishes next."""
        if event.by == "auto":
            self._named = (envelope.seq, event.title)

    def _line(self, envelope: ev.Envelope, text: str, icon: str, detail: str = "", level: str = "info") -> None:
        row = Row(f"row:{envelope.seq}", "notice", envelope.seq, envelope.at, self.turn_id, text, detail)
        self.append(replace(row, icon=icon, level=level, event_id=envelope.event_id))

    def _on_notice(self, envelope: ev.Envelope, event: ev.Notice) -> None:
        icon = {"info": "info", "warning": "triangle-alert", "error": "octagon-x"}[event.level]
        self._line(envelope, event.text, icon, event.detail, {"error": "danger"}.get(event.level, event.level))

    def _on_mode(self, envelope: ev.Envelope, event: ev.ModeChanged) -> None:
        self._line(envelope, words.mode_sentence(event), "sliders-horizontal", event.reason)

    def _on_forked(self, envelope: ev.Envelope, event: ev.SessionForked) -> None:
        self._line(envelope, "Forked from another chat", "git-fork")

    def _on_resumed(self, envelope: ev.Envelope, event: ev.SessionResumed) -> None:
        self.close_turn()
        self.clear_actions()

    def _on_provider_failed(self, envelope: ev.Envelope, event: ev.ProviderFailed) -> None:
        text = words.failed_attempt(event)
        if not event.will_retry:
            self._line(envelope, text, "octagon-x", event.error_type, "danger")
            return
        text = f"{text.rstrip('.')}. Tried again ({event.attempt + 1} of {event.max_attempts})."
        row = Row(f"row:{envelope.seq}", "retry", envelope.seq, envelope.at, self.turn_id, text, event.message)
        self.append(replace(row, level="muted", event_id=envelope.event_id))

    def settle_retry(self) -> None:
        """A waiting retry is over: its row is a plain line from now on."""
        for row in reversed(self.store.rows[-3:]):
            if row.kind == "retry" and row.live:
                self.update(row.key, live=False, actions=(), level="muted")

    def _on_compacted(self, envelope: ev.Envelope, event: ev.Compacted) -> None:
        text = "Earlier messages were summarised"
        if event.tokens_before:
            text += f" · {tokens(event.tokens_before)} → {tokens(event.tokens_after)} tokens"
        summary = event.summary if isinstance(event.summary, str) else ""
        row = Row(f"row:{envelope.seq}", "compaction", envelope.seq, envelope.at, self.turn_id, text, summary)
        self.append(replace(row, event_id=envelope.event_id))

    def _on_cleared(self, envelope: ev.Envelope, event: ev.ContextCleared) -> None:
        text = "The agent starts over here; it does not see what stands above"
        self.append(Row(f"row:{envelope.seq}", "compaction", envelope.seq, envelope.at, self.turn_id, text))

    def _on_unknown(self, envelope: ev.Envelope, event: ev.UnknownEvent) -> None:
        text = f"Unknown entry (type {event.original_type or 'unreadable'})"
        row = Row(f"row:{envelope.seq}", "unknown", envelope.seq, envelope.at, self.turn_id, text, event.raw)
        self.append(replace(row, event_id=envelope.event_id))

    def _on_deleted(self, envelope: ev.Envelope, event: ev.MessageDeleted | ev.DeletionUndone) -> None:
        for row in [row for row in self.store.rows if row.event_id and row.event_id == event.target_id]:
            self.update(row.key, muted=isinstance(event, ev.MessageDeleted))

    def _on_rewound(self, envelope: ev.Envelope, event: ev.Rewound) -> None:
        self.close_turn()
        seqs = [row.seq for row in self.store.rows if row.event_id == event.to_event_id]
        if not seqs:
            return
        first = next((i for i, row in enumerate(self.store.rows) if row.seq > seqs[-1]), len(self.store))
        if first < len(self.store):
            self.store.remove(first, len(self.store) - first)
        self._last_head = ("", "")


def _resolved_fields(envelope: ev.Envelope, event: Any, request: InputRequest | None) -> dict[str, Any]:
    level = words.resolved_level(event)
    icons = {"success": "shield-check", "danger": "shield-x", "muted": "shield"}
    if request is not None and request.kind == "question":
        icons["success"] = "message-circle-question-mark"
    return {
        "text": f"{words.resolved_sentence(event, request)} · {clock_time(envelope.at)}",
        "lines": words.resolved_lines(event, request),
        "level": level,
        "icon": icons[level],
    }
