"""History: the message list of the next model request, rebuilt from the events of a session.

A pure function of the path (an event and all its ancestors): the same path gives the same list, byte for byte, and
every prefix of a log gives a list that a model service accepts. Rule numbers stand at the code that carries them out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from pydantic import JsonValue

from desktop.domain.errors import CorruptLog, UnknownEventId, UnknownSession
from desktop.domain.events import (
    AssistantMessage,
    Compacted,
    ContextCleared,
    DeletionUndone,
    Envelope,
    MessageDeleted,
    ToolCallFinished,
    ToolCallStarted,
    UserMessage,
)
from desktop.domain.parts import (
    THINKING_TYPES,
    Part,
    assistant_parts,
    embedded_results,
    input_object,
    is_blank,
    is_marker,
    result_part,
    user_parts,
)

UNKNOWN_OUTCOME = (
    "[Banksman] This call was started, but its result was not recorded. It may have taken effect fully, partly or not "
    "at all. Check the current state before repeating it."
)
NOT_EXECUTED = "[Banksman] This call was not executed. It changed nothing. Make it again if it is still needed."
RESULT_REMOVED = "[Banksman] The user removed the result of this call from the conversation."
EMPTY_ERROR = "[Banksman] The call failed without a message."
SUMMARY_PREFIX = "[Banksman] The earlier part of this conversation was replaced by this summary:"
SUMMARY_ACK = "Understood. I continue from this summary."
OPENING = "[Banksman] The beginning of this conversation is not included."
WORDING: dict[str, str] = {
    "unknown_outcome": UNKNOWN_OUTCOME,
    "not_executed": NOT_EXECUTED,
    "result_removed": RESULT_REMOVED,
    "empty_error": EMPTY_ERROR,
    "summary_prefix": SUMMARY_PREFIX,
    "summary_ack": SUMMARY_ACK,
    "opening": OPENING,
}
"""The seven texts that no event contains, by name. Changing one changes old requests."""

Message = dict[str, Any]
"""One message: `role` (user or assistant) and `content`, a list of content blocks. Plain JSON data."""

SyntheticKind = Literal["unknown_outcome", "not_executed", "result_removed"]


@dataclass(frozen=True)
class Reconstruction:
    """A message list and where it comes from.

    `spans`: (message, block) index → id of the event that holds the block; None: the block is synthetic.
    `synthetic`: call id → why its result is synthetic. `unrecoverable`: ids of calls whose input is lost, in order of
    the list. `dropped_results`: call ids of visible results in the effective context that answer no call in it.
    `warnings`: sentences about the log, for the log file.
    """

    messages: list[Message]
    spans: dict[tuple[int, int], str | None]
    synthetic: dict[str, SyntheticKind]
    unrecoverable: tuple[str, ...]
    dropped_results: tuple[str, ...]
    warnings: tuple[str, ...]


def to_messages(log: Iterable[Envelope], *, at: str | None = None, session_id: str | None = None) -> list[Message]:
    """`reconstruct(…).messages`."""
    return reconstruct(log, at=at, session_id=session_id).messages


def reconstruct(log: Iterable[Envelope], *, at: str | None = None, session_id: str | None = None) -> Reconstruction:
    """The message list at event `at`, else at the last event of `session_id`; the order of `log` does not matter.

    `session_id` defaults to the only session of the log, else `main`.

    Raises:
        UnknownEventId: `at` names no event of the log.
        UnknownSession: the log is not empty, and `session_id` names no session of it.
        ValueError: the log holds several sessions, none is `main`, and neither `at` nor `session_id` is given.
        CorruptLog: the parents form a cycle.
    """
    events = {envelope.event_id: envelope for envelope in log}
    fold, _, warnings = _fold_at(events, _head(events, at, session_id))
    return _render(fold, warnings)


class HistoryBuilder:
    """The message list of a live session, one event at a time: equals `to_messages` over all events added so far.

    `add` costs the same at any length of the log as long as events follow the last one; a rewind or an event out of
    order makes the next `messages` walk the path again. Belongs to one task.
    """

    def __init__(self, session_id: str | None = None) -> None:
        self._session_id = session_id
        self._events: dict[str, Envelope] = {}
        self._fold: _Fold | None = None
        self._head: Envelope | None = None
        self._warnings: tuple[str, ...] = ()
        self._missing: str | None = None

    def add(self, envelope: Envelope) -> None:
        """Take in one more event of the session, or of a session it descends from."""
        known = envelope.event_id in self._events
        self._events[envelope.event_id] = envelope
        head = self._head
        follows = (
            not known
            and head is not None
            and envelope.session_id == head.session_id
            and envelope.parent_id == head.event_id
            and envelope.seq > head.seq
            and envelope.event_id != self._missing
        )
        if follows and self._fold is not None:
            self._fold.add(envelope)
            self._head = envelope
        else:
            self._fold = None

    def messages(self) -> list[Message]:
        """The list as it is now; the caller's to change. Raises as `reconstruct` does."""
        return self.reconstruction().messages

    def reconstruction(self) -> Reconstruction:
        """The list as it is now, with where it comes from. Raises as `reconstruct` does."""
        if self._fold is None:
            self._head = _head(self._events, None, self._session_id)
            self._fold, self._missing, self._warnings = _fold_at(self._events, self._head)
        return _render(self._fold, self._warnings)


# -- the path (R1) -----------------------------------------------------------------------------------------------------


def _head(events: dict[str, Envelope], at: str | None, session_id: str | None) -> Envelope | None:
    """The event to reconstruct at; None: there are no events."""
    if at is not None:
        if at not in events:
            raise UnknownEventId(f"There is no event {at} in this log.")
        return events[at]
    if not events:
        return None
    sessions = {envelope.session_id for envelope in events.values()}
    if session_id is None:
        if len(sessions) > 1 and "main" not in sessions:
            raise ValueError("The log holds several sessions: say which one is meant.")
        session_id = "main" if len(sessions) > 1 else next(iter(sessions))
    elif session_id not in sessions:
        raise UnknownSession(f"There is no session {session_id} in this log.")
    return max((e for e in events.values() if e.session_id == session_id), key=lambda envelope: envelope.seq)


def _path(events: dict[str, Envelope], head: Envelope) -> tuple[list[Envelope], str | None]:
    """`head` and its ancestors, the oldest first, and the id of the parent that is not in the log, if one is not."""
    path = [head]
    seen = {head.event_id}
    parent_id = head.parent_id
    while parent_id is not None and parent_id in events:
        if parent_id in seen:
            raise CorruptLog(f"The parents of event {head.event_id} form a cycle at event {parent_id}.")
        seen.add(parent_id)
        path.append(events[parent_id])
        parent_id = path[-1].parent_id
    path.reverse()
    return path, parent_id


def _fold_at(events: dict[str, Envelope], head: Envelope | None) -> tuple["_Fold", str | None, tuple[str, ...]]:
    """The state at `head`, the parent that is missing, and the sentences about it."""
    fold = _Fold()
    if head is None:
        return fold, None, ()
    path, missing = _path(events, head)
    for envelope in path:
        fold.add(envelope)
    warning = f"Event {path[0].event_id} follows event {missing}, which is not in this log. The list starts at it."
    return fold, missing, (warning,) if missing is not None else ()


# -- what the path says (R2 to R5) -------------------------------------------------------------------------------------


class _Entry(NamedTuple):
    """One event of the effective context; `role` is "" when it gives no blocks. `answers`: ids of results in it."""

    event_id: str
    role: Literal["", "user", "assistant"] = ""
    parts: tuple[Part, ...] = ()
    answers: tuple[str, ...] = ()


class _Result(NamedTuple):
    """One recorded result of a call; `placeholder`: it only says that the call was cut off."""

    event_id: str
    part: Part
    placeholder: bool


@dataclass
class _Fold:
    """The state after a path, one event at a time. Calls and results come from the whole path (SH3)."""

    started: set[str] = field(default_factory=set)
    inputs: dict[str, dict[str, JsonValue]] = field(default_factory=dict)
    results: dict[str, list[_Result]] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    context: list[_Entry] = field(default_factory=list)
    summary: str | None = None
    summary_id: str | None = None

    def add(self, envelope: Envelope) -> None:
        event_id, event = envelope.event_id, envelope.event
        entry = _Entry(event_id)
        match event:
            case UserMessage():
                found = embedded_results(event.parts)
                for part, placeholder in found:
                    self._add_result(_Result(event_id, part, placeholder))
                entry = _Entry(event_id, "user", user_parts(event.parts), tuple(p["tool_use_id"] for p, _ in found))
            case AssistantMessage():
                entry = _Entry(event_id, "assistant", assistant_parts(event.parts))
            case ToolCallStarted():
                self._add_start(event)
            case ToolCallFinished():
                part = result_part(event.call_id, event.content, is_error=event.is_error)
                self._add_result(_Result(event_id, part, event.interrupted))
                entry = _Entry(event_id, answers=(event.call_id,))
            case MessageDeleted():
                self.hidden.add(event.target_id)
            case DeletionUndone():
                self.hidden.discard(event.target_id)
            case ContextCleared():
                self.context, self.summary, self.summary_id = [], None, None
                return
            case Compacted(summary=str() as summary) if not is_blank(summary):
                self.context = self._kept(event.keep_from)
                self.summary, self.summary_id = summary, event_id
                return
        self.context.append(entry)

    def answer(self, call_id: str) -> _Result | SyntheticKind:
        """The result of a call: the first real one, else the first placeholder, else why there is none (R4, R11)."""
        recorded = self.results.get(call_id, [])
        visible = [result for result in recorded if result.event_id not in self.hidden]
        if visible:
            return next((result for result in visible if not result.placeholder), visible[0])
        if recorded:
            return "result_removed"
        return "unknown_outcome" if call_id in self.started else "not_executed"

    def _add_start(self, event: ToolCallStarted) -> None:
        self.started.add(event.call_id)
        full = None if event.input is None else input_object(event.input)
        if full is not None and not is_marker(full):
            self.inputs.setdefault(event.call_id, full)

    def _add_result(self, result: _Result) -> None:
        self.results.setdefault(result.part["tool_use_id"], []).append(result)

    def _kept(self, keep_from: JsonValue) -> list[_Entry]:
        """What a compaction leaves of the context (R5)."""
        ids = [entry.event_id for entry in self.context]
        return self.context[ids.index(keep_from) :] if isinstance(keep_from, str) and keep_from in ids else []


# -- the list (R6 to R15) ----------------------------------------------------------------------------------------------


@dataclass
class _Draft:
    """One message in the making; each block with the event it comes from."""

    role: Literal["user", "assistant"]
    blocks: list[tuple[Part, str | None]]


def _render(fold: _Fold, warnings: tuple[str, ...]) -> Reconstruction:
    synthetic: dict[str, SyntheticKind] = {}
    unrecoverable: list[str] = []
    seen: set[str] = set()
    drafts: list[_Draft] = []
    for entry in _visible(fold):
        if entry.role == "user":
            _join(drafts, "user", [(part, entry.event_id) for part in entry.parts])
        else:
            parts = _spoken(entry.parts, fold, seen, unrecoverable)
            _join(drafts, "assistant", [(part, entry.event_id) for part in parts])
            calls = [part["id"] for part in parts if part["type"] == "tool_use"]
            _join(drafts, "user", [_result(fold, call_id, synthetic) for call_id in calls])
    for draft in drafts:
        _drop_late_thinking(draft)
    drafts = [*_beginning(fold, drafts), *drafts]
    return Reconstruction(
        messages=[{"role": draft.role, "content": [dict(part) for part, _ in draft.blocks]} for draft in drafts],
        spans={(m, b): origin for m, draft in enumerate(drafts) for b, (_, origin) in enumerate(draft.blocks)},
        synthetic=synthetic,
        unrecoverable=tuple(unrecoverable),
        dropped_results=tuple(dict.fromkeys(_unasked(fold, seen))),
        warnings=warnings,
    )


def _visible(fold: _Fold) -> Iterator[_Entry]:
    return (entry for entry in fold.context if entry.role and entry.event_id not in fold.hidden)


def _unasked(fold: _Fold, called: set[str]) -> Iterator[str]:
    """Call ids of results in the effective context that answer no call in it (R10)."""
    for entry in fold.context:
        if entry.event_id not in fold.hidden:
            yield from (call_id for call_id in entry.answers if call_id not in called)


def _spoken(parts: tuple[Part, ...], fold: _Fold, seen: set[str], unrecoverable: list[str]) -> list[Part]:
    """The blocks of one assistant event, in the order of SH5: inputs (R8), repeated calls (R14), thinking (R9)."""
    spoken: list[Part] = []
    for part in parts:
        if part["type"] == "thinking" and not part["signature"]:
            continue
        if part["type"] != "tool_use":
            spoken.append(part)
        elif part["id"] not in seen:
            seen.add(part["id"])
            full = input_object(part["input"])
            if full is not None and is_marker(full):
                full = fold.inputs.get(part["id"])
            if full is None:
                unrecoverable.append(part["id"])
            spoken.append({**part, "input": full or {}})
    while spoken and spoken[-1]["type"] in THINKING_TYPES:
        spoken.pop()
    return spoken


def _result(fold: _Fold, call_id: str, synthetic: dict[str, SyntheticKind]) -> tuple[Part, str | None]:
    """The block that answers a call, and its event (R10 to R12)."""
    answer = fold.answer(call_id)
    if isinstance(answer, _Result):
        part = answer.part
        content = part["content"]
        if part.get("is_error") and isinstance(content, str) and is_blank(content):
            part = {**part, "content": EMPTY_ERROR}
        return part, answer.event_id
    synthetic[call_id] = answer
    return result_part(call_id, WORDING[answer], is_error=answer != "result_removed"), None


def _join(drafts: list[_Draft], role: Literal["user", "assistant"], blocks: list[tuple[Part, str | None]]) -> None:
    """Put blocks at the end of the list (R13). The message after one with calls is already there: their results."""
    if not blocks:
        return
    if drafts and drafts[-1].role == role:
        drafts[-1].blocks.extend(blocks)
    else:
        drafts.append(_Draft(role, blocks))


def _drop_late_thinking(draft: _Draft) -> None:
    """All thinking of a message goes when the message does not begin with it (R9)."""
    if draft.role == "assistant" and draft.blocks[0][0]["type"] not in THINKING_TYPES:
        draft.blocks = [block for block in draft.blocks if block[0]["type"] not in THINKING_TYPES]


def _beginning(fold: _Fold, drafts: list[_Draft]) -> list[_Draft]:
    """What goes in front of the list (R15)."""
    assistant_next = bool(drafts) and drafts[0].role == "assistant"
    if fold.summary is not None:
        text = f"{SUMMARY_PREFIX}\n\n{fold.summary}"
        opened = [_Draft("user", [({"type": "text", "text": text}, fold.summary_id)])]
        if not assistant_next:
            opened.append(_Draft("assistant", [({"type": "text", "text": SUMMARY_ACK}, None)]))
        return opened
    return [_Draft("user", [({"type": "text", "text": OPENING}, None)])] if assistant_next else []
