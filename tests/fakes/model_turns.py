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
class Search:
    """A search that the service does by itself before it writes. `pages`: (title, url); `error`: its code, in the place
    of pages; `pending`: the answer ends before its result."""

    query: str
    pages: tuple[tuple[str, str], ...] = ()
    error: str = ""
    pending: bool = False
    id: str = ""
    tool: str = "web_search"


@dataclass(frozen=True)
class Turn:
    """One answer. `searches`: what the service looked for by itself, before the text, which cites it; `results_of`:
    results, by the id of their call, of what an answer before this one began. `usage` None: none is reported.
    `stop_reason` "": the fitting one; None: null is sent.

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
    searches: tuple[Search, ...] = ()
    results_of: tuple[tuple[str, Search], ...] = ()


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
    content += [_result_block(call_id, search) for call_id, search in turn.results_of]
    cited = []
    for search in turn.searches:
        content += _search_blocks(search)
        cited += [_citation(*page) for page in search.pages]
    if turn.text:
        content.append({"type": "text", "text": turn.text, **({"citations": cited} if cited else {})})
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
    if turn.usage is not None and turn.searches:
        message["usage"] = {**turn.usage, "server_tool_use": {"web_search_requests": len(turn.searches)}}
    return message


def _search_blocks(search: Search) -> list[dict[str, Any]]:
    call_id = search.id or f"srvtoolu_{next(_CALL_NUMBERS):08d}"
    call = {"type": "server_tool_use", "id": call_id, "name": search.tool, "input": {"query": search.query}}
    return [call] if search.pending else [call, _result_block(call_id, search)]


def _result_block(call_id: str, search: Search) -> dict[str, Any]:
    found: Any = [
        {
            "type": "web_search_result",
            "title": title,
            "url": url,
            "encrypted_content": f"sealed:{url}",
            "page_age": None,
        }
        for title, url in search.pages
    ]
    if search.error:
        found = {"type": "web_search_tool_result_error", "error_code": search.error}
    return {"type": f"{search.tool}_tool_result", "tool_use_id": call_id, "content": found}


def _citation(title: str, url: str) -> dict[str, Any]:
    where = {"type": "web_search_result_location", "url": url, "title": title}
    return {**where, "encrypted_index": f"index:{url}", "cited_text": "Words of a stranger."}


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
        used = message["usage"]
        delta["usage"] = {name: used[name] for name in ("output_tokens", "server_tool_use") if name in used}
    yield delta
    yield {"type": "message_stop"}


def _block_events(turn: Turn, index: int, block: dict[str, Any], call: Call | None) -> Iterator[dict[str, Any]]:
    kind = block["type"]
    if kind.endswith("_tool_result") or (turn.fault == "one_chunk" and kind == "text"):
        yield {"type": "content_block_start", "index": index, "content_block": block}
        yield {"type": "content_block_stop", "index": index}
        return
    empty = {
        "text": {"text": ""},
        "thinking": {"thinking": "", "signature": ""},
        "tool_use": {"input": {}},
        "server_tool_use": {"input": {}},
    }[kind]
    begun = {**block, **empty} | ({"citations": []} if "citations" in block else {})
    yield {"type": "content_block_start", "index": index, "content_block": begun}
    if kind == "server_tool_use":
        pieces = _pieces(json.dumps(block["input"]), turn.piece)
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    elif call is not None:
        text = json.dumps(call.args) if call.raw is None else call.raw
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in _pieces(text, turn.piece)]
    elif kind == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": p} for p in _pieces(block["thinking"], turn.piece)]
        if turn.signature:
            deltas.append({"type": "signature_delta", "signature": turn.signature})
    else:
        deltas = [{"type": "citations_delta", "citation": one} for one in block.get("citations", ())]
        deltas += [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"], turn.piece)]
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]
