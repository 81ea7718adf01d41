"""The fold of a path's events to its messages, one event at a time."""

from dataclasses import field
from typing import Literal, NamedTuple

from pydantic import JsonValue

from desktop.domain.context.events import Compacted, ContextCleared, DeletionUndone, MessageDeleted
from desktop.domain.events import AssistantMessage, Envelope, Event, ToolCallFinished, ToolCallStarted, UserMessage
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
from desktop.domain.history.unread import SPEAKING, call_of, is_mute
from desktop.records import dataclass

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
    `put_off`: by call, begins and results that are read when somebody asks for the call.
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
    put_off: dict[str, list[Envelope]] = field(default_factory=dict)

    def skim(self, envelope: Envelope) -> None:
        """Take in an event of the path behind which the context is left: what it says of calls and removals."""
        call_id = call_of(envelope)
        if call_id is not None:
            self._put_off(call_id, envelope)
        elif not is_mute(envelope):
            self.add(envelope)

    def add(self, envelope: Envelope) -> None:
        """Take in the next event of the path. Kinds that say nothing of messages are not read."""
        event_id, kind = envelope.event_id, envelope.kind
        entry = Entry(event_id)
        begun = call_of(envelope) if kind == "tool_call_started" else None
        if begun is not None:
            self._put_off(begun, envelope)
        match envelope.glance() if kind in SPEAKING and begun is None else None:
            case UserMessage(parts=parts):
                found = embedded_results(parts)
                for part, placeholder in found:
                    self._settle(part["tool_use_id"])
                    self._add_result(RecordedResult(event_id, part, placeholder))
                    self.touched.append(part["tool_use_id"])
                entry = Entry(event_id, "user", user_parts(parts), tuple(p["tool_use_id"] for p, _ in found))
            case AssistantMessage(parts=parts):
                entry = Entry(event_id, "assistant", assistant_parts(parts))
            case ToolCallStarted() | ToolCallFinished() as event:
                self._settle(event.call_id)
                self._record(event_id, event)
                self.touched.append(event.call_id)
                entry = Entry(event_id, answers=(event.call_id,) if isinstance(event, ToolCallFinished) else ())
            case MessageDeleted(target_id=target_id):
                self.hidden.add(target_id)
                self.removals += 1
            case DeletionUndone(target_id=target_id):
                self.hidden.discard(target_id)
                self.removals += 1
            case ContextCleared():
                self.context, self.summary, self.summary_id = [], None, None
                return
            case Compacted(summary=str() as summary, keep_from=keep_from) if not is_blank(summary):
                self.context = self._kept(keep_from)
                self.summary, self.summary_id = summary, event_id
                return
        self.context.append(entry)

    def answer(self, call_id: str) -> RecordedResult | SyntheticKind:
        """The result of a call: the first real one, else the first placeholder, else why there is none."""
        self._settle(call_id)
        recorded = self.results.get(call_id, [])
        visible = [result for result in recorded if result.event_id not in self.hidden]
        if visible:
            return next((result for result in visible if not result.placeholder), visible[0])
        if recorded:
            return "result_removed"
        return "unknown_outcome" if call_id in self.started else "not_executed"

    def full_input(self, call_id: str) -> dict[str, JsonValue] | None:
        """The input of a call as its begin recorded it; None: it was too long there too, or there is none."""
        self._settle(call_id)
        return self.inputs.get(call_id)

    def _put_off(self, call_id: str, envelope: Envelope) -> None:
        self.put_off.setdefault(call_id, []).append(envelope)
        self.touched.append(call_id)

    def _settle(self, call_id: str) -> None:
        """Read what was put off of a call, before anything else is recorded of it."""
        for envelope in self.put_off.pop(call_id, ()):
            self._record(envelope.event_id, envelope.glance())

    def _record(self, event_id: str, event: Event) -> None:
        """A call began or ended. What is no such event, when it was read, says nothing."""
        if isinstance(event, ToolCallFinished):
            part = result_part(event.call_id, event.content, is_error=event.is_error)
            self._add_result(RecordedResult(event_id, part, event.interrupted))
        elif isinstance(event, ToolCallStarted):
            self.started.add(event.call_id)
            full = None if event.input is None else input_object(event.input)
            if full is not None and not is_marker(full):
                self.inputs.setdefault(event.call_id, full)

    def _add_result(self, result: RecordedResult) -> None:
        self.results.setdefault(result.part["tool_use_id"], []).append(result)

    def _kept(self, keep_from: JsonValue) -> list[Entry]:
        """What a compaction leaves of the context."""
        ids = [entry.event_id for entry in self.context]
        return self.context[ids.index(keep_from) :] if isinstance(keep_from, str) and keep_from in ids else []
