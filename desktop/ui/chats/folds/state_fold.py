"""StateFold: events about what is in force (todos, mode, context, files, prompt) into quiet rows and dividers."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from desktop.domain import events as ev
from desktop.domain.chats.library_events import Imported, InstructionFilesLoaded
from desktop.domain.context.events import Compacted, ContextCleared, DeletionUndone, MessageDeleted
from desktop.domain.core.checkpoint_events import CheckpointMade, CheckpointSkipped, FilesRestored
from desktop.domain.core.work_events import TodosChanged
from desktop.domain.display.text import display_text
from desktop.domain.guests.events import GuestNoticed, GuestSessionEnded
from desktop.domain.mcp.events import McpSampled
from desktop.domain.memory.events import MemorySearched, MemoryWritten
from desktop.language import number, said, tr
from desktop.ui.chats.folds import turn_words, words
from desktop.ui.chats.folds.call_fold import CallFold
from desktop.ui.chats.folds.row_store import RowStore
from desktop.ui.chats.folds.rows import Row

_RUN_AGAIN, _FORKED = "run_again", "forked"
_WARNING_OF_GUESTS = frozenset({"mode", "unasked", "leftovers", "home_changed", "unexplained_change"})


class StateContext(Protocol):
    """What the parts of a fold share."""

    store: RowStore
    turn_id: str
    calls: CallFold

    def append(self, row: Row) -> None:
        """Add a row at the end."""

    def update(self, key: str, **changes: Any) -> None:
        """Change a row."""

    def runs_again(self, call_id: str) -> None:
        """A person wants a call run again."""


class StateFold:
    """`front_todos`: a todos row of the turn stands in this part, though the turn began in an older one."""

    def __init__(self, fold: StateContext) -> None:
        self._fold = fold
        self.front_todos = False
        self.named = (-1, "")

    def handlers(self) -> dict[type, Callable[[ev.Envelope, Any], None]]:
        """The events it folds."""
        return {
            TodosChanged: self._on_todos,
            ev.Notice: self._on_notice,
            ev.UnknownEvent: self._on_unknown,
            Compacted: self._on_compacted,
            ContextCleared: self._on_cleared,
            ev.ModeChanged: self._on_mode,
            ev.SessionForked: self._on_forked,
            ev.TitleChanged: self._on_title,
            FilesRestored: self._on_restored,
            InstructionFilesLoaded: self._on_instructions,
            Imported: self._on_imported,
            CheckpointSkipped: self._on_skipped,
            CheckpointMade: self._on_kept,
            MessageDeleted: self._on_deleted,
            MemorySearched: self._on_memory,
            MemoryWritten: self._on_remembered,
            McpSampled: self._on_sampled,
            GuestNoticed: self._on_guest_noticed,
            GuestSessionEnded: self._on_guest_ended,
            DeletionUndone: self._on_deleted,
        }

    def line(self, envelope: ev.Envelope, text: str, icon: str, detail: str = "", level: str = "info") -> None:
        """One quiet line."""
        row = Row(f"row:{envelope.seq}", "notice", envelope.seq, envelope.at, self._fold.turn_id, said(text), detail)
        self._fold.append(replace(row, icon=icon, level=level, event_id=envelope.event_id))

    def _on_memory(self, envelope: ev.Envelope, event: MemorySearched) -> None:
        """What was looked up before a turn; a search by a call has the call's own row."""
        if event.automatic:
            self.line(envelope, turn_words.memory_words(event), "book-open")
        elif event.ran and event.problem:
            self.line(envelope, tr("Memory: {problem}", problem=display_text(said(event.problem))), "book-open")

    def _on_remembered(self, envelope: ev.Envelope, event: MemoryWritten) -> None:
        self.line(envelope, turn_words.remembered_words(event), "book-open", display_text(event.content))

    def _on_sampled(self, envelope: ev.Envelope, event: McpSampled) -> None:
        """A server had the model asked: with all that was sent."""
        self.line(envelope, turn_words.sampled_words(event), "server", turn_words.sampled_text(event))

    def _on_guest_noticed(self, envelope: ev.Envelope, event: GuestNoticed) -> None:
        row = event.data.get("call_id") if event.kind == "unexplained_change" else None
        if isinstance(row, str) and self._fold.calls.get(row) is not None:
            return  # its row says it
        warns = event.kind in _WARNING_OF_GUESTS
        icon, level = ("triangle-alert", "warning") if warns else ("bot", "info")
        self.line(envelope, event.text, icon, level=level)

    def _on_guest_ended(self, envelope: ev.Envelope, event: GuestSessionEnded) -> None:
        """An agent that ended by itself, with its last lines."""
        if event.why == "crash":
            status = event.exit_status
            text = tr("The agent ended by itself with status {status}", status=status)
            text = text if status is not None else tr("The agent ended by itself")
            detail = display_text(event.detail, multiline=True)
            self.line(envelope, text, "octagon-x", detail, "danger")

    def drop_todos(self) -> Row | None:
        """Take out the todos row of the present turn: a newer list stands further down. None: there was none."""
        store = self._fold.store
        index = store.index_of(f"todos:{self._fold.turn_id}")
        if index < 0:
            return None
        row = store.rows[index]
        store.remove(index)
        self._fold.calls.join(index)
        return row

    def _on_todos(self, envelope: ev.Envelope, event: TodosChanged) -> None:
        done = sum(todo.status == "completed" for todo in event.todos)
        now = next((todo.content for todo in event.todos if todo.status == "in_progress"), "")
        text = tr("Todos {done} of {total}", done=number(done), total=number(len(event.todos)))
        if event.call_id:
            self._fold.calls.hide(event.call_id)
        former = self.drop_todos()
        turn = self._fold.turn_id
        self.front_todos = self.front_todos or not turn
        key = former.key if former is not None else f"row:{envelope.seq}"
        row = Row(key, "todos", envelope.seq, envelope.at, turn, text, now)
        alias = f"todos:{turn}"
        self._fold.append(replace(row, todos=event.todos, aliases=(alias,), event_id=envelope.event_id))

    def _on_title(self, envelope: ev.Envelope, event: ev.TitleChanged) -> None:
        """An automatic title is the work of the call that finishes next."""
        if event.by == "auto":
            self.named = (envelope.seq, event.title)

    def _on_notice(self, envelope: ev.Envelope, event: ev.Notice) -> None:
        if event.kind == _RUN_AGAIN:
            self._fold.runs_again(event.detail)
        if event.kind == _FORKED:
            self._on_forked_from(envelope, event)
            return
        icon = {"info": "info", "warning": "triangle-alert", "error": "octagon-x"}[event.level]
        self.line(envelope, event.text, icon, said(event.detail), {"error": "danger"}.get(event.level, event.level))

    def _on_mode(self, envelope: ev.Envelope, event: ev.ModeChanged) -> None:
        self.line(envelope, words.mode_sentence(event), "sliders-horizontal", said(event.reason))

    def _on_forked(self, envelope: ev.Envelope, event: ev.SessionForked) -> None:
        self._fold.turn_id = ""
        self.line(envelope, tr("Forked from another chat"), "git-fork")
        self._fold.update(f"row:{envelope.seq}", aliases=("forked",))

    def _on_forked_from(self, envelope: ev.Envelope, event: ev.Notice) -> None:
        """The fork's first row names its source."""
        index = self._fold.store.index_of("forked")
        if index >= 0:
            self._fold.update(self._fold.store.rows[index].key, text=said(event.text))
        else:
            self.line(envelope, event.text, "git-fork")

    def _on_compacted(self, envelope: ev.Envelope, event: Compacted) -> None:
        summary = event.summary if isinstance(event.summary, str) else ""
        text = turn_words.compacted_words(event)
        row = Row(f"row:{envelope.seq}", "compaction", envelope.seq, envelope.at, self._fold.turn_id, text, summary)
        self._fold.append(replace(row, event_id=envelope.event_id, actions=(turn_words.GO_BACK,)))

    def _on_cleared(self, envelope: ev.Envelope, event: ContextCleared) -> None:
        text = turn_words.cleared_words(event)
        row = Row(f"row:{envelope.seq}", "compaction", envelope.seq, envelope.at, self._fold.turn_id, text)
        self._fold.append(replace(row, event_id=envelope.event_id))

    def _on_restored(self, envelope: ev.Envelope, event: FilesRestored) -> None:
        level = "danger" if event.failed else "info"
        icon = "octagon-x" if event.failed else "undo-2"
        self.line(envelope, turn_words.restored_sentence(event), icon, turn_words.restored_detail(event), level)

    def _on_instructions(self, envelope: ev.Envelope, event: InstructionFilesLoaded) -> None:
        text, detail = turn_words.instructions_words(event)
        self.line(envelope, text, "book-open", detail)

    def _on_imported(self, envelope: ev.Envelope, event: Imported) -> None:
        text, detail = turn_words.imported_words(event)
        level = "warning" if event.chain == "broken" else "info"
        self.line(envelope, text, "corner-down-right", detail, level)

    def _on_skipped(self, envelope: ev.Envelope, event: CheckpointSkipped) -> None:
        if event.call_id:
            self._fold.calls.unkept(event.call_id, said(event.reason) or tr("No checkpoint could be made."))

    def _on_kept(self, envelope: ev.Envelope, event: CheckpointMade) -> None:
        if event.call_id and event.partial:
            self._fold.calls.unkept(event.call_id, said(event.partial))

    def _on_unknown(self, envelope: ev.Envelope, event: ev.UnknownEvent) -> None:
        text = tr("Unknown entry (type {kind})", kind=event.original_type or tr("unreadable"))
        row = Row(f"row:{envelope.seq}", "unknown", envelope.seq, envelope.at, self._fold.turn_id, text, event.raw)
        self._fold.append(replace(row, event_id=envelope.event_id))

    def _on_deleted(self, envelope: ev.Envelope, event: MessageDeleted | DeletionUndone) -> None:
        removed = isinstance(event, MessageDeleted)
        for row in [row for row in self._fold.store.rows if row.event_id and row.event_id == event.target_id]:
            self._fold.update(row.key, muted=removed)
        self._fold.calls.removed(event.target_id, removed=removed)
