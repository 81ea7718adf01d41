"""ChatReader: the chunks of a chat completions answer as events of one collector, whoever made them.

Servers differ: calls without an index, or all with index 0 and ids of their own; arguments as an object; thinking as
`reasoning_content` or `reasoning`; text as a list of parts; usage in each chunk, in a last one, or never.
"""

import json
from collections.abc import Iterator
from typing import Any

from desktop.providers.base import Delta
from desktop.providers.collector import MessageCollector
from desktop.providers.errors import BadEvent, ErrorEvent
from desktop.providers.event_stream import ServerEvent
from desktop.providers.streamed import event_object

Event = dict[str, Any]
END = "[DONE]"
_REASONS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "content_filter": "refusal",
}
_TEXT_FIELDS = {"text": "text", "thinking": "thinking"}


class ChatReader:
    """Reads one answer, an `AnswerReader`."""

    def __init__(self) -> None:
        self.collector = MessageCollector()
        self._started = False
        self._count = 0
        self._open: tuple[str, int] | None = None
        self._calls: list[tuple[int, str, int]] = []
        """Of each call: the service's index, its id, and the part that it is."""
        self._refused = False

    def feed(self, event: ServerEvent, request_id: str) -> list[Delta]:
        """As `AnswerReader.feed`."""
        if self.collector.stopped:
            return []
        if event.data.strip() == END:
            return self._fed([{"type": "message_stop"}])
        data = event_object(event.name, event.data)
        if data is None:
            return []
        if data.get("error") or data.get("object") == "error" or event.name == "error":
            raise ErrorEvent(data, request_id)
        return self._fed(self._events(data))

    def take_whole(self, value: dict[str, Any]) -> list[Delta]:
        """As `AnswerReader.take_whole`."""
        if value.get("error") or value.get("object") == "error":
            raise ErrorEvent(value)
        if _choice(value) is None:
            raise BadEvent("the service answered with JSON that is no message")
        return self._fed([*self._events(value), {"type": "message_stop"}])

    def _fed(self, events: list[Event]) -> list[Delta]:
        return [delta for event in events for delta in self.collector.feed(event)]

    def _events(self, chunk: Event) -> list[Event]:
        """What a chunk says, in order."""
        events: list[Event] = []
        model, usage, choice = chunk.get("model"), _usage(chunk.get("usage")), _choice(chunk)
        if not self._started and isinstance(model, str) and choice is not None:
            self._started = True
            events.append({"type": "message_start", "message": {"model": model}})
        if choice is not None:
            given = choice.get("delta") or choice.get("message") or {}
            events += self._grown(given if isinstance(given, dict) else {})
            reason = choice.get("finish_reason")
            if isinstance(reason, str) and reason:
                events += self._ended(reason)
        return [*events, {"type": "message_delta", "usage": usage}] if usage else events

    def _grown(self, delta: Event) -> list[Event]:
        events: list[Event] = []
        for kind, text in _texts(delta):
            events += self._text(kind, text)
        if isinstance(delta.get("refusal"), str) and delta["refusal"]:
            self._refused = True
            events += self._text("text", delta["refusal"])
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            events += self._call(call)
        return events

    def _text(self, kind: str, text: str) -> list[Event]:
        if not text:
            return []
        events: list[Event] = []
        if self._open is None or self._open[0] != kind:
            events += self._closed()
            self._open = (kind, self._count)
            events.append(self._begun({"type": kind, _TEXT_FIELDS[kind]: ""}))
        delta = {"type": f"{kind}_delta", _TEXT_FIELDS[kind]: text}
        return [*events, {"type": "content_block_delta", "index": self._open[1], "delta": delta}]

    def _call(self, call: object) -> list[Event]:
        if not isinstance(call, dict) or not isinstance(call.get("function") or {}, dict):
            raise BadEvent("the service sent a call that is no object")
        function = call.get("function") or {}
        name, given, call_id = function.get("name") or "", function.get("arguments"), call.get("id") or ""
        if not isinstance(name, str) or not isinstance(call_id, str):
            raise BadEvent("the service sent a call whose name or id is no text")
        events: list[Event] = []
        place = self._place(call.get("index"), call_id, name)
        if place is None:
            events += self._closed()
            place = self._count
            index = call.get("index")
            self._calls.append((index if isinstance(index, int) else len(self._calls), call_id, place))
            events.append(self._begun({"type": "tool_use", "id": call_id, "name": name, "input": {}}))
        text = given if isinstance(given, str) else json.dumps(given) if isinstance(given, dict) else ""
        delta = {"type": "input_json_delta", "partial_json": text}
        return [*events, {"type": "content_block_delta", "index": place, "delta": delta}] if text else events

    def _place(self, index: object, call_id: str, name: str) -> int | None:
        """The part of the call that a piece belongs to, None: it begins one. An id decides, then the index."""
        known = next((place for _, one, place in self._calls if call_id and one == call_id), None)
        if known is not None:
            return known
        if call_id and name:
            return None
        if isinstance(index, int):
            return next((place for at, _, place in reversed(self._calls) if at == index), None)
        return self._calls[-1][2] if self._calls and not name else None

    def _begun(self, block: Event) -> Event:
        self._count += 1
        return {"type": "content_block_start", "index": self._count - 1, "content_block": block}

    def _closed(self) -> list[Event]:
        opened, self._open = self._open, None
        return [{"type": "content_block_stop", "index": opened[1]}] if opened is not None else []

    def _ended(self, reason: str) -> list[Event]:
        """Local servers end an answer with calls by "stop" as well."""
        said = "refusal" if self._refused else _REASONS.get(reason, "end_turn")
        said = "tool_use" if self._calls and said == "end_turn" else said
        closed = [{"type": "content_block_stop", "index": place} for _, _, place in self._calls]
        return [*self._closed(), *closed, {"type": "message_delta", "delta": {"stop_reason": said}}]


def _choice(chunk: Event) -> Event | None:
    choices = chunk.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else None


def _texts(delta: Event) -> Iterator[tuple[str, str]]:
    """Pieces of thinking and of text, in that order but for a list, which has its own."""
    for name in ("reasoning_content", "reasoning"):
        if isinstance(delta.get(name), str) and delta[name]:
            yield "thinking", delta[name]
            break
    content = delta.get("content")
    if isinstance(content, str):
        yield "text", content
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            yield "text", part["text"]
        thought = part.get("thinking") if isinstance(part, dict) else None
        for piece in thought if isinstance(thought, list) else ():
            if isinstance(piece, dict) and isinstance(piece.get("text"), str):
                yield "thinking", piece["text"]


def _usage(usage: object) -> Event:
    """The counts under the names of the collector, {} for none. What was read from the cache is part of the prompt."""
    if not isinstance(usage, dict):
        return {}
    details = usage.get("prompt_tokens_details")
    prompt, cached = usage.get("prompt_tokens"), details.get("cached_tokens") if isinstance(details, dict) else None
    fresh = max(0, prompt - cached) if isinstance(prompt, int) and isinstance(cached, int) else prompt
    counts = {
        "input_tokens": fresh,
        "output_tokens": usage.get("completion_tokens"),
        "cache_read_input_tokens": cached,
    }
    return {name: count for name, count in counts.items() if isinstance(count, int)}
