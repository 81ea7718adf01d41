"""What a fake model service answers: scripted turns, and the ways in which an answer can fail."""

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_CALL_NUMBERS = itertools.count(1)
DEFAULT_USAGE: dict[str, Any] = {
    "input_tokens": 100,
    "output_tokens": 20,
    "cache_read_input_tokens": 0,
    "cache_creation_input_tokens": 0,
}


@dataclass(frozen=True)
class Call:
    """One tool call. `raw`: sent as the input's text instead of the JSON of `args`. `id` "" → one is made."""

    name: str
    args: dict[str, Any] = field(default_factory=dict)
    id: str = ""
    raw: str | None = None


@dataclass(frozen=True)
class Turn:
    """One answer. `usage` None: none is reported. `stop_reason` "": the fitting one; None: null is sent.

    `fault`, one of:
    drop_before (TCP reset, nothing sent) · drop_in_text · drop_in_input · drop_before_stop (all parts closed, no stop
    reason) · drop_after_stop_reason · eof_in_text · eof_before_stop (both end cleanly) · stall_before (no headers) ·
    stall_before_event (headers only) · stall (in the text) · hold (in the text, until `FakeModelApi.go_on`) ·
    stall_pings (pings for ever) · error:<type> (event in the stream after some text) · malformed (a data line that is
    no JSON) · html (a page with status 200) · json (the message as JSON) · json_garbage · one_chunk (whole stream in
    one write, text in the block start) · no_event_lines (data lines only) · raw:<content type> (`text` as the whole
    body).
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    thinking: str = ""
    signature: str = "sig-of-thinking"
    stop_reason: str | None = ""
    usage: dict[str, Any] | None = field(default_factory=lambda: dict(DEFAULT_USAGE))
    model: str = ""
    fault: str = ""
    error_message: str = ""
    piece: int = 24
    delay_s: float = 0.0
    events: tuple[dict[str, Any], ...] | None = None


@dataclass(frozen=True)
class HttpFailure:
    """An answer with a status that is no success. `body`: sent as it is; "" → the structured form of `type`."""

    status: int
    type: str = ""
    message: str = "no"
    headers: dict[str, str] = field(default_factory=dict)
    body: str = ""


Answer = Turn | HttpFailure


def text_turn(text: str, **options: Any) -> Turn:
    """An answer of text only."""
    return Turn(text=text, **options)


def tool_turn(name: str, /, **args: Any) -> Turn:
    """An answer of one call."""
    return Turn(calls=(Call(name, args),))


def turn(text: str = "", calls: list[tuple[str, dict[str, Any]] | Call] | None = None, **options: Any) -> Turn:
    """An answer of thinking, text and calls; `calls` as (name, args) or Call."""
    made = tuple(call if isinstance(call, Call) else Call(call[0], call[1]) for call in calls or ())
    return Turn(text=text, calls=made, **options)


def http_failure(status: int, type: str = "", message: str = "no", **options: Any) -> HttpFailure:
    """A refusal of the whole request, as `{"type":"error","error":{"type":…}}` if a type is given."""
    return HttpFailure(status, type, message, **options)


def answer_from_json(value: dict[str, Any]) -> Answer:
    """One answer of a script file: the fields of HttpFailure if it has a status, else those of Turn."""
    if "status" in value:
        return HttpFailure(**value)
    calls = tuple(Call(**call) for call in value.get("calls", ()))
    return Turn(**{**value, "calls": calls})


def message_of(turn: Turn, model: str, number: int) -> dict[str, Any]:
    """The whole answer as the service would send it without streaming."""
    content: list[dict[str, Any]] = []
    if turn.thinking:
        content.append({"type": "thinking", "thinking": turn.thinking})
        if turn.signature:
            content[0]["signature"] = turn.signature
    if turn.text:
        content.append({"type": "text", "text": turn.text})
    for call in turn.calls:
        call_id = call.id or f"toolu_{next(_CALL_NUMBERS):08d}"
        content.append({"type": "tool_use", "id": call_id, "name": call.name, "input": call.args})
    stop = ("tool_use" if turn.calls else "end_turn") if turn.stop_reason == "" else turn.stop_reason
    message: dict[str, Any] = {
        "id": f"msg_{number:08d}",
        "type": "message",
        "role": "assistant",
        "model": turn.model or model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
    }
    if turn.usage is not None:
        message["usage"] = turn.usage
    return message


def events_of(turn: Turn, message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The events of a stream that carries `message`."""
    if turn.events is not None:
        yield from turn.events
        return
    start = {**message, "content": [], "stop_reason": None}
    if turn.usage is not None:
        start["usage"] = {**turn.usage, "output_tokens": 1}
    yield {"type": "message_start", "message": start}
    raws = iter(turn.calls)
    for index, block in enumerate(message["content"]):
        call = next(raws) if block["type"] == "tool_use" else None
        yield from _block_events(turn, index, block, call)
    delta: dict[str, Any] = {
        "type": "message_delta",
        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
    }
    if turn.usage is not None:
        delta["usage"] = {"output_tokens": turn.usage.get("output_tokens", 0)}
    yield delta
    yield {"type": "message_stop"}


def _block_events(turn: Turn, index: int, block: dict[str, Any], call: Call | None) -> Iterator[dict[str, Any]]:
    kind = block["type"]
    if turn.fault == "one_chunk" and kind == "text":
        yield {"type": "content_block_start", "index": index, "content_block": block}
        yield {"type": "content_block_stop", "index": index}
        return
    empty = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}}}[kind]
    yield {"type": "content_block_start", "index": index, "content_block": {**block, **empty}}
    if call is not None:
        text = json.dumps(call.args) if call.raw is None else call.raw
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in _pieces(text, turn.piece)]
    elif kind == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": p} for p in _pieces(block["thinking"], turn.piece)]
        if turn.signature:
            deltas.append({"type": "signature_delta", "signature": turn.signature})
    else:
        deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"], turn.piece)]
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]
