"""StreamFold: text and thinking as they arrive, and the final message that takes their rows over."""

from collections.abc import Callable
from dataclasses import field, replace
from datetime import datetime
from typing import Any, Literal, Protocol

from desktop.domain import events as ev
from desktop.domain.core.clock import utc_now
from desktop.domain.core.event_base import Parts
from desktop.domain.updates import TextDelta, ThinkingDelta
from desktop.domain.web.vendor import is_call
from desktop.records import dataclass
from desktop.ui.chats.folds.row_store import RowStore
from desktop.ui.chats.folds.rows import Row
from desktop.ui.text.format import duration


@dataclass(frozen=True)
class Spec:
    """One thing in an answer: a text, thinking, or a call (`text` is then its id)."""

    kind: Literal["assistant", "thinking", "call"]
    text: str


@dataclass
class _Stream:
    """What was streamed of one message: rows in order, the part each ends with, and the newest revisions."""

    keys: list[str] = field(default_factory=list)
    part: int = -1
    blank: str = ""
    seen: dict[tuple[str, int], int] = field(default_factory=dict)
    thinking_since: datetime | None = None
    thought_ms: int = 0


class _Calls(Protocol):
    def place_before(self, call_id: str, key: str) -> None:
        """The call's row goes before this row."""


class StreamContext(Protocol):
    """What the parts of a fold share."""

    store: RowStore
    turn_id: str

    @property
    def calls(self) -> _Calls:
        """The calls of the session."""

    def append(self, row: Row) -> None:
        """Add a row at the end."""

    def update(self, key: str, **changes: Any) -> None:
        """Change a row."""

    def settle_retry(self) -> None:
        """A waiting retry is over."""


def message_specs(parts: Parts) -> list[Spec]:
    """The parts of an answer that people see, in order; neighbours of one kind are one, blank texts are none."""
    specs: list[Spec] = []
    for part in parts:
        if not isinstance(part, dict):
            continue
        kind = part.get("type")
        text, thought, call = part.get("text"), part.get("thinking"), part.get("id")
        if kind == "text" and isinstance(text, str):
            _join(specs, "assistant", text)
        elif kind == "thinking" and isinstance(thought, str):
            _join(specs, "thinking", thought)
        elif (kind == "tool_use" or is_call(part)) and isinstance(call, str):
            specs.append(Spec("call", call))
    return [spec for spec in specs if spec.text.strip()]


def _join(specs: list[Spec], kind: Literal["assistant", "thinking"], text: str) -> None:
    if not text.strip():
        return
    if specs and specs[-1].kind == kind:
        specs[-1] = Spec(kind, f"{specs[-1].text}\n\n{text}")
    else:
        specs.append(Spec(kind, text))


class StreamFold:
    """The messages that are being written. `clock` times the thinking."""

    def __init__(self, fold: StreamContext, clock: Callable[[], datetime] = utc_now) -> None:
        self._fold = fold
        self.clock = clock
        self._streams: dict[str, _Stream] = {}

    def delta(self, update: TextDelta | ThinkingDelta) -> None:
        """New text. A revision that was seen already is dropped; blank text makes no row.

        A message whose beginning was written before the chat was opened begins with "…" until it is whole.
        """
        kind: Literal["assistant", "thinking"] = "assistant" if isinstance(update, TextDelta) else "thinking"
        missed = update.message_id not in self._streams and update.revision > 1
        stream = self._streams.setdefault(update.message_id, _Stream())
        if missed:
            stream.part, stream.blank = update.part_index, "…"
        place = (kind, update.part_index)
        if update.revision <= stream.seen.get(place, -1):
            return
        stream.seen[place] = update.revision
        self._time(stream, kind)
        key = stream.keys[-1] if stream.keys else ""
        index = self._fold.store.index_of(key) if key else -1
        if index >= 0 and self._fold.store.rows[index].kind == kind:
            row = self._fold.store.rows[index]
            joint = "\n\n" if update.part_index != stream.part and update.text.strip() else ""
            self._fold.update(key, text=row.text + joint + update.text)
            stream.part = update.part_index
            return
        stream.blank = update.text if update.part_index != stream.part else stream.blank + update.text
        stream.part = update.part_index
        if stream.blank.strip():
            self._begin(update.message_id, stream, kind)

    def _time(self, stream: _Stream, kind: str) -> None:
        if kind == "thinking" and stream.thinking_since is None:
            stream.thinking_since = self.clock()
        if kind == "assistant" and stream.thinking_since is not None and not stream.thought_ms:
            stream.thought_ms = int((self.clock() - stream.thinking_since).total_seconds() * 1000)

    def _begin(self, message_id: str, stream: _Stream, kind: Literal["assistant", "thinking"]) -> None:
        self._fold.settle_retry()
        if stream.keys:
            self._fold.update(stream.keys[-1], live=False)
        key = f"row:{message_id}.{len(stream.keys)}"
        stream.keys.append(key)
        self._fold.append(
            Row(key, kind, -1, self.clock(), self._fold.turn_id, stream.blank, live=True, message_id=message_id)
        )
        stream.blank = ""

    def discard(self, message_id: str) -> None:
        """What was streamed of this message does not count; its rows go."""
        stream = self._streams.pop(message_id, None)
        for key in stream.keys if stream else ():
            index = self._fold.store.index_of(key)
            if index >= 0:
                self._fold.store.remove(index)

    def close(self) -> None:
        """Nothing is being written any more: carets go, what was shown stays."""
        for stream in self._streams.values():
            for key in stream.keys:
                self._fold.update(key, live=False)
        self._streams.clear()

    def finish(self, envelope: ev.Envelope, event: ev.AssistantMessage) -> None:
        """The whole message: it takes over the streamed rows, kind by kind, and adds or removes what differs."""
        stream = self._streams.pop(event.message_id, _Stream())
        if stream.thinking_since is not None and not stream.thought_ms:
            stream.thought_ms = int((self.clock() - stream.thinking_since).total_seconds() * 1000)
        left = [key for key in stream.keys if self._fold.store.index_of(key) >= 0]
        waiting: list[str] = []
        number = 0
        for spec in message_specs(event.parts):
            if spec.kind == "call":
                waiting.append(spec.text)
                continue
            key = self._take(left, spec.kind)
            row = self._final_row(envelope, event, spec, number)
            number += 1
            if spec.kind == "thinking" and stream.thought_ms:
                row = replace(row, detail=duration(stream.thought_ms))
            if key:
                self._fold.update(
                    key,
                    text=row.text,
                    detail=row.detail,
                    seq=row.seq,
                    at=row.at,
                    live=False,
                    event_id=row.event_id,
                    aliases=(row.key,),
                    turn_id=row.turn_id,
                    before_id=envelope.parent_id or "",
                    last_id=envelope.event_id,
                )
            else:
                self._fold.append(row)
            for call_id in waiting:
                self._fold.calls.place_before(call_id, key or row.key)
            waiting = []
        for key in left:
            self._fold.store.remove(self._fold.store.index_of(key))

    def _take(self, left: list[str], kind: str) -> str:
        """The next streamed row of this kind; those before it did not make it into the message."""
        store = self._fold.store
        for place, key in enumerate(left):
            if store.rows[store.index_of(key)].kind == kind:
                del left[place]
                return key
        return ""

    def _final_row(self, envelope: ev.Envelope, event: ev.AssistantMessage, spec: Spec, number: int) -> Row:
        key = f"row:{envelope.seq}" if number == 0 else f"row:{envelope.seq}.{number}"
        turn = event.turn_id or self._fold.turn_id
        kind: Literal["assistant", "thinking"] = "thinking" if spec.kind == "thinking" else "assistant"
        row = Row(key, kind, envelope.seq, envelope.at, turn, spec.text, event_id=envelope.event_id)
        alias = (f"row:{event.message_id}.{number}",) if event.message_id else ()
        return replace(row, message_id=event.message_id, aliases=alias)
