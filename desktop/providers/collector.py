"""MessageCollector: events of a stream into deltas and one message, tolerant of servers that are nearly right."""

import json
from dataclasses import field
from typing import Any

from pydantic import JsonValue

from desktop.domain.core.ids import new_id
from desktop.domain.core.usage import Usage
from desktop.domain.events import AssistantMessage
from desktop.domain.web.vendor import is_call, is_result
from desktop.providers.base import Delta, TextDelta, ThinkingDelta, ToolInputDelta, VendorPart
from desktop.providers.errors import BadEvent
from desktop.records import dataclass

MAX_INPUT_DEPTH = 200
_OF_DELTA = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "thinking",
    "input_json_delta": "tool_use",
}


@dataclass
class _Part:
    """One content block while it arrives. `text`: text, thinking or the JSON of a call's input."""

    block: dict[str, Any]
    text: str = ""
    signature: str = ""
    closed: bool = False
    pieces: list[str] = field(default_factory=list)
    citations: list[JsonValue] = field(default_factory=list)

    @property
    def kind(self) -> str:
        return str(self.block.get("type", ""))

    def joined(self) -> str:
        if self.pieces:
            self.text += "".join(self.pieces)
            self.pieces.clear()
        return self.text


class MessageCollector:
    """Collects one answer. Feed it each event's data in order; it keeps no more than the answer itself."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.model = ""
        self.stop_reason: str | None = None
        self._parts: dict[int, _Part] = {}
        self._latest = 0
        self._stopped = False

    @property
    def complete(self) -> bool:
        """Whether the answer is whole: the end was announced, or a stop reason came after all parts were closed."""
        closed = all(part.closed for part in self._parts.values())
        return self._stopped or (self.stop_reason is not None and closed)

    @property
    def stopped(self) -> bool:
        """Whether the end was announced; nothing of use can follow."""
        return self._stopped

    def feed(self, event: dict[str, Any]) -> list[Delta]:
        """The deltas that an event of the stream brings. Unknown events are passed over.

        Raises:
            BadEvent: an event of a known type has the wrong form.
        """
        kind = event.get("type")
        if kind == "message_start":
            return self._start(_mapping(event, "message"))
        if kind == "content_block_start":
            return self._open(_index(event, len(self._parts)), _mapping(event, "content_block"))
        if kind == "content_block_delta":
            return self._grow(_index(event, self._latest), _mapping(event, "delta"))
        if kind == "content_block_stop":
            return self._close(_index(event, self._latest), event.get("content_block"))
        if kind == "message_delta":
            return self._finish(event)
        if kind == "message_stop":
            self._stopped = True
            return self._snapshot(event.get("message"))
        return []

    def take_whole(self, message: dict[str, Any]) -> list[Delta]:
        """A message that came as one JSON object. Raises BadEvent if it is none."""
        if not isinstance(message.get("content"), list):
            raise BadEvent("the service answered with JSON that is no message")
        deltas = self._start(message) + self._snapshot(message)
        reason = message.get("stop_reason")
        self.stop_reason = reason if isinstance(reason, str) else None
        self._stopped = True
        return deltas

    def message(self) -> AssistantMessage:
        """The whole answer. Where the service gave no stop reason, the one that fits its parts."""
        parts = tuple(part for _, entry in sorted(self._parts.items()) if (part := self._part(entry)) is not None)
        calls = any(isinstance(part, dict) and part.get("type") == "tool_use" for part in parts)
        reason = self.stop_reason or ("tool_use" if calls else "end_turn")
        return AssistantMessage(parts=_with_distinct_ids(parts), stop_reason=reason, usage=self.usage, model=self.model)

    def partial(self) -> AssistantMessage | None:
        """The message that had arrived when an answer broke off: no calls, no thinking at the end; None without visible
        text."""
        kept: list[JsonValue] = []
        visible = False
        for _, entry in sorted(self._parts.items()):
            part = self._part(entry) if entry.kind in ("text", "thinking", "redacted_thinking") else None
            if part is not None:
                kept.append(part)
                visible = visible or (entry.kind == "text" and bool(entry.joined().strip()))
        while kept and isinstance(kept[-1], dict) and kept[-1].get("type") != "text":
            kept.pop()
        if not visible:
            return None
        return AssistantMessage(parts=tuple(kept), interrupted=True, usage=self.usage, model=self.model)

    def _start(self, message: dict[str, Any]) -> list[Delta]:
        self.model = str(message.get("model") or self.model)
        self._count(message.get("usage"))
        return []

    def _open(self, index: int, block: dict[str, Any]) -> list[Delta]:
        self._latest = index
        if index in self._parts:
            return self._extend(index, block)
        self._parts[index] = _Part(block=dict(block))
        return self._extend(index, block)

    def _extend(self, index: int, block: dict[str, Any]) -> list[Delta]:
        """What a whole block holds beyond the text that has come already."""
        part = self._parts[index]
        if part.kind == "tool_use" or is_call(part.block):
            given = block.get("input")
            if given and not part.joined():
                part.block["input"] = given
            return []
        if block.get("signature"):
            part.block["signature"] = block["signature"]
        whole = block.get(part.kind)
        had = part.joined()
        if part.kind not in ("text", "thinking") or not isinstance(whole, str) or not whole.startswith(had):
            return []
        return self._add(index, part, whole[len(had) :])

    def _grow(self, index: int, delta: dict[str, Any]) -> list[Delta]:
        kind = delta.get("type")
        if kind == "citations_delta":
            return self._cite(index, delta.get("citation"))
        if kind not in _OF_DELTA:
            return []
        part = self._parts.get(index)
        if part is None or (part.kind != _OF_DELTA[kind] and _OF_DELTA[kind] != "tool_use"):
            index = self._home_of(index, _OF_DELTA[kind])
            part = self._parts[index]
        self._latest = index
        if kind == "signature_delta":
            part.signature += str(delta.get("signature") or "")
            return []
        value = delta.get({"text": "text", "thinking": "thinking", "tool_use": "partial_json"}[_OF_DELTA[kind]])
        if value is not None and not isinstance(value, str):
            raise BadEvent(f"a {kind} without text")
        return self._add(index, part, value or "")

    def _cite(self, index: int, citation: JsonValue) -> list[Delta]:
        """A text says where its words come from."""
        part = self._parts.get(index)
        if part is not None and part.kind == "text" and _shallow(citation) is citation:
            part.citations.append(citation)
        return []

    def _home_of(self, index: int, kind: str) -> int:
        """The part of this kind that a delta without a fitting index belongs to; a new one if there is none."""
        latest = self._parts.get(self._latest)
        if latest is not None and latest.kind == kind and not latest.closed:
            return self._latest
        home = index if index not in self._parts else max(self._parts) + 1
        self._parts[home] = _Part(block={"type": kind})
        return home

    def _add(self, index: int, part: _Part, text: str) -> list[Delta]:
        if not text:
            return []
        part.pieces.append(text)
        if part.kind == "text":
            return [TextDelta(part_index=index, text=text)]
        if part.kind == "thinking":
            return [ThinkingDelta(part_index=index, text=text)]
        return [ToolInputDelta(part_index=index, tool=str(part.block.get("name") or ""), text=text)]

    def _close(self, index: int, block: object) -> list[Delta]:
        if index not in self._parts:
            return []
        deltas = self._extend(index, block) if isinstance(block, dict) else []
        entry = self._parts[index]
        entry.closed = True
        part = self._part(entry) if is_call(entry.block) or is_result(entry.block) else None
        return [*deltas, VendorPart(part_index=index, part=part)] if isinstance(part, dict) else deltas

    def _finish(self, event: dict[str, Any]) -> list[Delta]:
        delta = event.get("delta")
        if isinstance(delta, dict) and isinstance(delta.get("stop_reason"), str):
            self.stop_reason = delta["stop_reason"]
        self._count(event.get("usage"))
        return self._snapshot(event.get("message"))

    def _snapshot(self, message: object) -> list[Delta]:
        content = message.get("content") if isinstance(message, dict) else None
        deltas: list[Delta] = []
        for index, block in enumerate(content if isinstance(content, list) else ()):
            if isinstance(block, dict) and (index not in self._parts or self._parts[index].kind == block.get("type")):
                deltas += self._open(index, block)
                self._parts[index].closed = True
        return deltas

    def _count(self, usage: object) -> None:
        if not isinstance(usage, dict):
            return
        made = usage.get("cache_creation")
        split = made if isinstance(made, dict) else {}
        asked = usage.get("server_tool_use")
        own = asked if isinstance(asked, dict) else {}
        total = _count_of(usage, "cache_creation_input_tokens")
        five, hour = _count_of(split, "ephemeral_5m_input_tokens"), _count_of(split, "ephemeral_1h_input_tokens")
        new = {
            "input": _count_of(usage, "input_tokens"),
            "output": _count_of(usage, "output_tokens"),
            "cache_read": _count_of(usage, "cache_read_input_tokens"),
            "cache_write_5m": total if five is None and hour is None else five,
            "cache_write_1h": hour,
            "web_searches": _count_of(own, "web_search_requests"),
        }
        self.usage = self.usage.model_copy(update={name: count for name, count in new.items() if count is not None})

    def _part(self, part: _Part) -> JsonValue | None:
        text = part.joined()
        if part.kind == "text":
            given = part.block.get("citations")
            cited = part.citations or (given if isinstance(given, list) and _shallow(given) is given else [])
            said: dict[str, JsonValue] = {"type": "text", "text": text}
            return (said | {"citations": cited} if cited else said) if text else None
        if part.kind == "thinking":
            thought: dict[str, JsonValue] = {"type": "thinking", "thinking": text}
            signature = part.signature or str(part.block.get("signature") or "")
            if signature:
                thought["signature"] = signature
            return thought if text or signature else None
        if part.kind == "tool_use":
            value = parse_input(text) if text.strip() else _shallow(part.block.get("input") or {})
            call_id, name = part.block.get("id"), part.block.get("name")
            return {"type": "tool_use", "id": str(call_id or ""), "name": str(name or ""), "input": value}
        if is_call(part.block) and text.strip():
            value = parse_input(text)
            return {**part.block, "input": value if isinstance(value, dict) else {}}
        return dict(part.block) if _shallow(part.block) is part.block else None


def parse_input(text: str) -> JsonValue:
    """The object that a call's input text is, or the text itself if it is no usable JSON object."""
    if _depth(text) > MAX_INPUT_DEPTH:
        return text
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def _shallow(value: JsonValue) -> JsonValue:
    """The value itself, or its text when it is nested deeper than a message can be."""
    try:
        text = json.dumps(value)
    except RecursionError:
        return ""
    return text if _depth(text) > MAX_INPUT_DEPTH else value


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _depth(text: str) -> int:
    if text.count("{") + text.count("[") <= MAX_INPUT_DEPTH:
        return 0
    depth = deepest = 0
    quoted = escaped = False
    for char in text:
        if escaped:
            escaped = False
        elif quoted:
            escaped = char == "\\"
            quoted = char != '"'
        elif char == '"':
            quoted = True
        elif char in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "}]":
            depth -= 1
    return deepest


def _with_distinct_ids(parts: tuple[JsonValue, ...]) -> tuple[JsonValue, ...]:
    seen: set[str] = set()
    out: list[JsonValue] = []
    for part in parts:
        if isinstance(part, dict) and part.get("type") == "tool_use":
            call_id = str(part["id"])
            if not call_id or call_id in seen:
                call_id = new_id("call_")
            seen.add(call_id)
            out.append({**part, "id": call_id})
        else:
            out.append(part)
    return tuple(out)


def _index(event: dict[str, Any], default: int) -> int:
    value = event.get("index")
    return value if isinstance(value, int) and 0 <= value < 10_000 else default


def _mapping(event: dict[str, Any], name: str) -> dict[str, Any]:
    value = event.get(name)
    if not isinstance(value, dict):
        raise BadEvent(f"a {event['type']} event without {name}")
    return value


def _count_of(usage: dict[str, Any], name: str) -> int | None:
    value = usage.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
