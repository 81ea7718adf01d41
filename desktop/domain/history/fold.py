"""The fold of a path's events to its messages, one event at a time."""

from dataclasses import field
from typing import Literal, NamedTuple

from pydantic import JsonValue

from desktop.domain.context.events import Compacted, ContextCleared, DeletionUndone, MessageDeleted
from desktop.domain.events import AssistantMessage, Envelope, ToolCallFinished, ToolCallStarted, UserMessage
from desktop.domain.history.parts import (
    Part,
    assistant_parts,
    embedded_results,
    input_object,
    is_blank,
    is_marker,
    result_part,
    user_parts,
)
from desktop.records import dataclass

_SPEAKING = frozenset(
    {
        "user_message",
        "assistant_message",
        "tool_call_started",
        "tool_call_finished",
        "message_deleted",
        "deletion_undone",
        "context_cleared",
        "compacted",
    }
)
SyntheticKind = Literal["unknown_outcome", "not_executed", "result_removed"]


class Entry(NamedTuple):
    """One event of the effective context; `role` is "" when it gives no blocks. `answers`: ids of results in it."""

    event_id: str
    role: Literal["", "user", "assistant"] = ""
    parts: tuple[Part, ...] = ()
    answers: tuple[str, ...] = ()


class RecordedResult(NamedTuple):
    """One recorded result of a call; `placeholder`: it only says that the call was cut off."""

    event_id: str
    part: Part
    placeholder: bool


@dataclass
class PathFold:
    """The state after a path, one event at a time. Calls and results come from the whole path.

    `context` is another list after a clear or a compaction, and otherwise only grows. `touched`: calls of which
    something was recorded since it was last emptied. `removals`: how often something was removed or put back.
    """

    started: set[str] = field(default_factory=set)
    inputs: dict[str, dict[str, JsonValue]] = field(default_factory=dict)
    results: dict[str, list[RecordedResult]] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    context: list[Entry] = field(default_factory=list)
    summary: str | None = None
    summary_id: str | None = None
    touched: list[str] = field(default_factory=list)
    removals: int = 0

    def add(self, envelope: Envelope) -> None:
        """Take in the next event of the path. Kinds that say nothing of messages are not read."""
        event_id = envelope.event_id
        event = envelope.glance() if envelope.kind in _SPEAKING else None
        entry = Entry(event_id)
        match event:
            case UserMessage():
                found = embedded_results(event.parts)
                for part, placeholder in found:
                    self._add_result(RecordedResult(event_id, part, placeholder))
                entry = Entry(event_id, "user", user_parts(event.parts), tuple(p["tool_use_id"] for p, _ in found))
            case AssistantMessage():
                entry = Entry(event_id, "assistant", assistant_parts(event.parts))
            case ToolCallStarted():
                self._add_start(event)
            case ToolCallFinished():
                part = result_part(event.call_id, event.content, is_error=event.is_error)
                self._add_result(RecordedResult(event_id, part, event.interrupted))
                entry = Entry(event_id, answers=(event.call_id,))
            case MessageDeleted():
                self.hidden.add(event.target_id)
                self.removals += 1
            case DeletionUndone():
                self.hidden.discard(event.target_id)
                self.removals += 1
            case ContextCleared():
                self.context, self.summary, self.summary_id = [], None, None
                return
            case Compacted(summary=str() as summary) if not is_blank(summary):
                self.context = self._kept(event.keep_from)
                self.summary, self.summary_id = summary, event_id
                return
        self.context.append(entry)

    def answer(self, call_id: str) -> RecordedResult | SyntheticKind:
        """The result of a call: the first real one, else the first placeholder, else why there is none."""
        recorded = self.results.get(call_id, [])
        visible = [result for result in recorded if result.event_id not in self.hidden]
        if visible:
            return next((result for result in visible if not result.placeholder), visible[0])
        if recorded:
            return "result_removed"
        return "unknown_outcome" if call_id in self.started else "not_executed"

    def _add_start(self, event: ToolCallStarted) -> None:
        self.started.add(event.call_id)
        self.touched.append(event.call_id)
        full = None if event.input is None else input_object(event.input)
        if full is not None and not is_marker(full):
            self.inputs.setdefault(event.call_id, full)

    def _add_result(self, result: RecordedResult) -> None:
        self.results.setdefault(result.part["tool_use_id"], []).append(result)
        self.touched.append(result.part["tool_use_id"])

    def _kept(self, keep_from: JsonValue) -> list[Entry]:
        """What a compaction leaves of the context."""
        ids = [entry.event_id for entry in self.context]
        return self.context[ids.index(keep_from) :] if isinstance(keep_from, str) and keep_from in ids else []
