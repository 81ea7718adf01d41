"""TranscriptFold: events of one session into rows, one at a time; the same for a stored log and for live events."""

from collections.abc import Callable
from dataclasses import field, replace
from datetime import date
from typing import Any

from desktop.domain import events as ev
from desktop.domain.chats.library_events import AttachmentAdded, Imported
from desktop.domain.children.events import ChildBegun, ChildEnded
from desktop.domain.context.events import Rewound
from desktop.domain.core.checkpoint_events import CheckpointMade
from desktop.domain.display.text import display_text
from desktop.domain.gate.events import InputRevised, ReviewFlagged, ReviewReverted
from desktop.domain.gate.pending import InputRequest
from desktop.domain.gate.titles import title_of
from desktop.domain.history.own_words import own_words
from desktop.domain.web.events import VendorSearched
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.chats.folds import words
from desktop.ui.chats.folds.call_fold import CallFold
from desktop.ui.chats.folds.mention_words import mention_words
from desktop.ui.chats.folds.note_words import note_words
from desktop.ui.chats.folds.report_fold import ReportFold
from desktop.ui.chats.folds.rewind_fold import RewindFold
from desktop.ui.chats.folds.row_store import RowStore
from desktop.ui.chats.folds.rows import Row, SentFile
from desktop.ui.chats.folds.state_fold import StateFold
from desktop.ui.chats.folds.stream_fold import StreamFold, message_specs
from desktop.ui.chats.folds.turn_fold import TurnFold
from desktop.ui.text.format import clock_time, local_date

_SAID_BY_THE_END = frozenset({"step_limit", "cost_limit", "memory"})
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
        self.turns = TurnFold(self)
        self.states = StateFold(self)
        self.rewinds = RewindFold(self)
        self.reports = ReportFold(self)
        self._files: dict[str, SentFile] = {}
        self._envelope: ev.Envelope | None = None
        self._above = "-"
        self._last_day: date | None = None
        self._last_head = ("", "")
        self._handlers: dict[type, _Handler] = {
            **self.turns.handlers(),
            **self.states.handlers(),
            **self.reports.handlers(),
            ev.SessionStarted: self._on_begun,
            ev.UserMessage: self._on_user,
            ev.AssistantMessage: self._on_assistant,
            AttachmentAdded: self._on_attached,
            ev.ToolCallDecided: self._on_call,
            ev.ToolCallStarted: self._on_call,
            ev.ToolCallFinished: self._on_call,
            VendorSearched: self._on_searched,
            ev.InputRequested: self._on_requested,
            ev.InputResolved: self._on_resolved,
            InputRevised: self._on_revised,
            ChildBegun: self._on_child,
            ChildEnded: self._on_child,
            Rewound: self._on_rewound,
            ReviewFlagged: self._on_reviewed,
            ReviewReverted: self._on_taken_back,
        }

    def apply(self, envelope: ev.Envelope) -> None:
        """Fold one event. Events that people do not read change no row."""
        self._envelope = envelope
        handler = self._handlers.get(type(envelope.event))
        if isinstance(envelope.event, CheckpointMade):
            self.turns.note_checkpoint(envelope.event)
        if isinstance(envelope.event, Imported):
            self.reports.imported(envelope)
        if handler is not None:
            handler(envelope, envelope.event)
        self.rewinds.note(envelope)
        self._envelope = None

    def runs_again(self, call_id: str) -> None:
        """A person wants a call run again."""
        self.turns.runs_again(call_id)

    def close_turn(self) -> None:
        """Nothing runs any more: open calls are interrupted, carets go."""
        self.turns.close()

    def clear_actions(self) -> None:
        """Take the buttons off rows that offered to go on: something else began."""
        self.turns.clear_actions()

    def settle_retry(self) -> None:
        """A waiting retry is over: its row is a plain line from now on."""
        self.turns.settle_retry()

    def append(self, row: Row) -> None:
        """Add a row at the end, with a date divider before it when its local day is another one."""
        self.insert(len(self.store), row)

    def insert(self, index: int, row: Row) -> None:
        """Add a row before `index`; at the end, with date divider and head as its neighbours need them."""
        row = self._with_place(row)
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
        self._bring_late(older)
        for call_id in self.calls.hidden:
            older.calls.hide(call_id)
        if self.states.front_todos:
            older.states.drop_todos()
        self.states.front_todos = older.states.front_todos or (self.states.front_todos and not older.turn_id)
        self.late = older.late
        for input_id, request in older.inputs.items():
            self.inputs.setdefault(input_id, request)
        self.calls.adopt(older.calls)
        self._take_files(older)
        self.rewinds.adopt(older.rewinds)
        self.reports.since = max(self.reports.since, older.reports.since)
        return self._joined(older)

    def _bring_late(self, older: "TranscriptFold") -> None:
        """Give what came before its call or request was known to those that stand in the older slice."""
        for call_id, late in self.late.calls.items():
            if older.calls.knows(call_id):
                for envelope in late:
                    if isinstance(envelope.event, ReviewReverted):
                        older.calls.reviewed(call_id, taken_back=True)
                    else:
                        older.apply(envelope)
            else:
                older.late.calls.setdefault(call_id, []).extend(late)
        for input_id, waiting in self.late.inputs.items():
            request = older.inputs.get(input_id)
            if request is None:
                older.late.inputs.setdefault(input_id, []).extend(waiting)
                continue
            for envelope in waiting:
                if isinstance(envelope.event, ReviewFlagged):
                    older.calls.reviewed(request.call_id)
                    continue
                older.close_input(input_id, envelope.event, request)
                self.update(f"row:{envelope.seq}", **_resolved_fields(envelope, envelope.event, request))

    def _joined(self, older: "TranscriptFold") -> list[Row]:
        rows = older.store.rows
        if not rows or not self.store.rows:
            return rows
        last, first = rows[-1].at, self.store.rows[0].at
        if last and first and last.astimezone().date() != first.astimezone().date():
            key = f"{self.store.rows[0].key}.day"
            rows.append(Row(key, "date", self.store.rows[0].seq, first, text=local_date(first)))
        return rows

    def _with_place(self, row: Row) -> Row:
        """The row with the entries around it, as the event says that is folded now."""
        now = self._envelope
        if now is None:
            return row
        return replace(row, before_id=row.before_id or now.parent_id or "", last_id=row.last_id or now.event_id)

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

    def _on_begun(self, _envelope: ev.Envelope, event: ev.SessionStarted) -> None:
        self._above = event.parent_session_id or "-"

    def _on_user(self, envelope: ev.Envelope, event: ev.UserMessage) -> None:
        text = event.display or own_words(event)
        row = Row(f"row:{envelope.seq}", "user", envelope.seq, envelope.at, event.turn_id or self.turn_id, text)
        row = replace(row, event_id=envelope.event_id)
        if event.origin in ("person", "queued", "import"):
            files = tuple(self._files.get(name, SentFile(name)) for name in event.attachments)
            mark = tr("sent from the queue") if event.origin == "queued" else ""
            row = replace(
                row,
                author=tr("You"),
                lines=event.attachments,
                files=files,
                mentions=tuple(one.model_copy(update={"words": mention_words(one.words)}) for one in event.mentions),
                detail=mark,
            )
            self.append(replace(row, before_id=self.turns.before or envelope.parent_id or ""))
        elif event.origin == "agent":
            above = event.sender_session_id == self._above
            sender = display_text(event.sender_session_id)
            who = tr("From {sender} (agent)", sender=sender) if sender else tr("From another chat (agent)")
            who = tr("From the chat above (agent)") if above else who
            self.append(replace(row, kind="agent_message", author=who))
        elif event.note_kind not in _SAID_BY_THE_END:
            told = note_words(event.note_kind, text)
            self.append(replace(row, kind="notice", text=told, icon="message-square"))

    def _on_attached(self, envelope: ev.Envelope, event: AttachmentAdded) -> None:
        """A file may be recorded before or after the message it goes with."""
        name = event.logical_name
        self._files[name] = SentFile(name, event.sha256, event.mime_type, event.size_bytes, event.width_px)
        for row in reversed(self.store.rows[-4:]):
            if any(file.name == name and not file.sha256 for file in row.files):
                self.update(row.key, files=tuple(self._files.get(file.name, file) for file in row.files))

    def _take_files(self, older: "TranscriptFold") -> None:
        """Know the files that were attached in older entries, and write them on the messages that name them."""
        is_news = not older._files.keys() <= self._files.keys()
        self._files = older._files = {**older._files, **self._files}
        older._name_files()
        if is_news:
            self._name_files()

    def _name_files(self) -> None:
        for row in [row for row in self.store.rows if any(not file.sha256 for file in row.files)]:
            files = tuple(self._files.get(file.name, file) for file in row.files)
            if files != row.files:
                self.update(row.key, files=files)

    def _on_assistant(self, envelope: ev.Envelope, event: ev.AssistantMessage) -> None:
        self.settle_retry()
        self.turns.before = ""
        self.calls.note_order(message_specs(event.parts))
        self.streams.finish(envelope, event)

    # calls and inputs

    def _on_call(self, envelope: ev.Envelope, event: Any) -> None:
        if isinstance(event, ev.ToolCallDecided):
            self.turns.called.append(event.call_id)
            title, verbatim = title_of(event)
            self.turns.titles[title] = verbatim
        if isinstance(event, ev.ToolCallFinished) and self.states.named[0] == envelope.seq - 1:
            self.calls.hide(event.call_id)
            self.states.line(envelope, tr("Chat named “{title}”", title=self.states.named[1]), "message-square")
        if not self.calls.apply(envelope, event):
            self.late.calls.setdefault(event.call_id, []).append(envelope)
        elif isinstance(event, ev.ToolCallFinished):
            self.turns.refresh_restart()

    def _on_searched(self, envelope: ev.Envelope, event: VendorSearched) -> None:
        self.calls.searched(envelope, event)

    def _on_child(self, envelope: ev.Envelope, event: ChildBegun | ChildEnded) -> None:
        if not self.calls.child(event):
            self.late.calls.setdefault(event.call_id, []).append(envelope)

    def _on_requested(self, envelope: ev.Envelope, event: ev.InputRequested) -> None:
        self.inputs[event.input_id] = event.request
        if not event.request.blocking:
            self.calls.flagged(event.call_id)
            return
        self.calls.wait(event.call_id, event.request.kind)
        if event.request.kind == "plan":
            title = words.plan_title(event.request.plan)
            self.calls.hide(event.call_id)
            row = Row(f"row:{envelope.seq}", "plan", envelope.seq, envelope.at, self.turn_id, event.request.plan)
            self.append(replace(row, detail="waiting for you", lines=(title,), aliases=(f"input:{event.input_id}",)))

    def _on_revised(self, envelope: ev.Envelope, event: InputRevised) -> None:
        self.inputs[event.input_id] = event.request

    def _on_resolved(self, envelope: ev.Envelope, event: ev.InputResolved) -> None:
        request = self.inputs.get(event.input_id)
        if request is None:
            self.late.inputs.setdefault(event.input_id, []).append(envelope)
        elif not request.blocking:
            return
        else:
            self.close_input(event.input_id, event, request)
        self.turns.card_goes_on |= event.reason == "restart"
        row = Row(f"row:{envelope.seq}", "resolved", envelope.seq, envelope.at, self.turn_id, icon="shield-check")
        alias = f"resolved:{event.input_id}"
        fields = _resolved_fields(envelope, event, request)
        self.append(replace(row, event_id=envelope.event_id, aliases=(alias,), **fields))

    def close_input(self, input_id: str, event: Any, request: InputRequest) -> None:
        """Write on the call, and on a plan's row, how its request was closed."""
        self.calls.answered(request.call_id, words.answer_words(event, request))
        if request.kind == "question" and not request.during:
            self.calls.hide(request.call_id)
        status = {"allow_once": "approved", "allow_always": "approved", "reject": "to be revised"}
        changes: dict[str, Any] = {"detail": status.get(event.answer.outcome, "withdrawn")}
        if event.answer.edited_plan is not None:
            changes["text"] = event.answer.edited_plan
        self.update(f"input:{input_id}", **changes)

    # looking back

    def _on_reviewed(self, envelope: ev.Envelope, event: ReviewFlagged) -> None:
        for input_id in event.input_ids:
            request = self.inputs.get(input_id)
            if request is None:
                self.late.inputs.setdefault(input_id, []).append(envelope)
            else:
                self.calls.reviewed(request.call_id)

    def _on_taken_back(self, envelope: ev.Envelope, event: ReviewReverted) -> None:
        paths = ", ".join(file.path for file in event.files) or tr("its files")
        self.states.line(envelope, tr("You took back what a call had changed: {paths}", paths=paths), "undo-2")
        if self.calls.knows(event.call_id):
            self.calls.reviewed(event.call_id, taken_back=True)
        else:
            self.late.calls.setdefault(event.call_id, []).append(envelope)

    # going back

    def _on_rewound(self, envelope: ev.Envelope, event: Rewound) -> None:
        self.turns.close()
        self.turns.before = ""
        self.rewinds.apply(envelope, event)
        self.turn_id = ""
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
