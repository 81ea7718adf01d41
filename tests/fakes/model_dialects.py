"""A model service on 127.0.0.1 for agents of others: it speaks four dialects and says the same in each.

A person tells it what to call, a line each: `run-this: COMMAND`, `read-this: PATH`, `write-this: PATH => TEXT`,
`edit-this: PATH => OLD => NEW`, `plan-this: STEP; STEP`, `fetch-this: ADDRESS`. It makes these calls in order, one in
an answer, with the tools that it was given; what it has no tool for it leaves out. After the last one, and else, it
answers `Done.`.
"""

import itertools
import json
import re
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from desktop.records import dataclass
from tests.fakes.guest_tools import Wanted, wanted_calls

TEXT = "Done."
USAGE = {"input_tokens": 100, "output_tokens": 20}
_NUMBERS = itertools.count(1)
"""Of answers and calls: agents join those that share an id."""
_LINE = re.compile(r"^(run|read|write|edit|plan|fetch)-this: (.+)$", re.MULTILINE)
_WORDS_OF_PROGRAMS = "<"
"""What agents add to what a person said begins so."""
_NOTE = re.compile(r"<banksman-note [^>]*>.*?</banksman-note>\s*", re.DOTALL)
"""What Banksman adds before it."""


@dataclass(frozen=True)
class Part:
    """Something of a conversation. `text`: what a person said, None for the result of a call."""

    text: str | None = None


class ModelDialects:
    """The service, on the running loop: `async with` it. `base` is its address; `asked` are the paths that were asked,
    `told` what it was told there, `keys` what came as a key."""

    def __init__(self) -> None:
        self.base = ""
        self.asked: list[str] = []
        self.told: list[str] = []
        self.keys: set[str] = set()
        self.strange: list[str] = []
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024**2)
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.base = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(f"{request.method} {request.path}")
        named = (request.headers.get(name, "") for name in ("x-api-key", "authorization", "x-goog-api-key"))
        self.keys |= {key.removeprefix("Bearer ") for key in named if key}
        body = await request.json() if request.body_exists else {}
        self.told.append(json.dumps(body))
        path = request.path
        if path.endswith("/count_tokens"):
            return web.json_response({"input_tokens": 100})
        if path.endswith("/messages"):
            return await self._stream(request, messages(body)) if body.get("stream") else web.json_response(whole(body))
        if path.endswith("/responses"):
            return await self._stream(request, responses(body))
        if path.endswith("/chat/completions"):
            return await self._stream(request, chunks(body)) if body.get("stream") else web.json_response(chat(body))
        if path.endswith(":streamGenerateContent"):
            return await self._stream(request, iter([("", gemini(body))]))
        if path.endswith(":generateContent"):
            return web.json_response(gemini(body))
        if path.endswith("/models"):
            return web.json_response({"data": [], "models": []})
        self.strange.append(self.asked[-1])
        return web.json_response({"error": {"message": "no such path"}}, status=404)

    async def _stream(self, request: web.Request, events: Iterator[tuple[str, dict[str, Any]]]) -> web.StreamResponse:
        answered = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answered.prepare(request)
        for name, event in events:
            line = f"event: {name}\n" if name else ""
            await answered.write(f"{line}data: {json.dumps(event)}\n\n".encode())
        await answered.write_eof()
        return answered


def next_call(parts: list[Part], tools: set[str]) -> Wanted | None:
    """The call that is made now, None for text."""
    said, done = "", 0
    for part in parts:
        if part.text is None:
            done += 1
            continue
        text = _NOTE.sub("", part.text).strip()
        if text and (_LINE.search(text) or not text.startswith(_WORDS_OF_PROGRAMS)):
            said, done = text, 0
    calls = wanted_calls(_LINE.findall(said), tools)
    return calls[done] if done < len(calls) else None


def _of_messages(body: dict[str, Any]) -> Wanted | None:
    parts: list[Part] = []
    for one in body["messages"]:
        content = [{"type": "text", "text": one["content"]}] if isinstance(one["content"], str) else one["content"]
        of_person = content if one["role"] == "user" else []
        parts += [Part() for part in of_person if part["type"] == "tool_result"]
        parts += [Part(part["text"]) for part in of_person if part["type"] == "text"]
    return next_call(parts, {tool.get("name", "") for tool in body.get("tools", [])})


def whole(body: dict[str, Any]) -> dict[str, Any]:
    """A message that is not streamed."""
    content = [{"type": "text", "text": TEXT}]
    head = {"id": f"msg_{next(_NUMBERS)}", "type": "message", "role": "assistant", "model": body["model"]}
    return {**head, "content": content, "stop_reason": "end_turn", "stop_sequence": None, "usage": USAGE}


def messages(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of an answer in the dialect of Anthropic."""
    call, start = _of_messages(body), {**whole(body), "content": [], "stop_reason": None}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta: dict[str, Any] = {"type": "text_delta", "text": TEXT}
    if call is not None:
        block = {"type": "tool_use", "id": f"toolu_{next(_NUMBERS)}", "name": call.name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.given)}
    reason = "tool_use" if call is not None else "end_turn"
    events += [
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": USAGE},
        {"type": "message_stop"},
    ]
    return ((event["type"], event) for event in events)


def responses(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of an answer in the dialect of OpenAI's responses."""
    parts, number = list[Part](), next(_NUMBERS)
    for one in body["input"]:
        if str(one.get("type", "")).endswith("_call_output"):
            parts.append(Part())
        elif one.get("role") == "user":
            parts += [Part(part.get("text", "")) for part in one["content"]]
    call = next_call(parts, {tool.get("name", "") for tool in body.get("tools", [])})
    content = [{"type": "output_text", "text": TEXT, "annotations": []}]
    item: dict[str, Any] = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}
    if call is not None:
        about = {"call_id": f"call_{number}", "name": call.name}
        item = {"type": "function_call", "id": f"fc_{number}", **about, "arguments": json.dumps(call.given)}
        if call.text:
            item = {
                "type": "custom_tool_call",
                "id": f"ctc_{number}",
                **about,
                "input": call.text,
                "status": "completed",
            }
    usage = {**USAGE, "total_tokens": 120, "input_tokens_details": None, "output_tokens_details": None}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": f"resp_{number}"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": f"resp_{number}", "usage": usage, "output": [item]}},
    ]
    return ((event["type"], event) for event in events)


def chat(body: dict[str, Any]) -> dict[str, Any]:
    """An answer in the dialect of chat completions."""
    parts: list[Part] = []
    for one in body["messages"]:
        content = one.get("content")
        texts = content if isinstance(content, list) else [{"text": content or ""}]
        parts += [Part()] if one["role"] == "tool" else []
        parts += [Part(part.get("text", "")) for part in texts] if one["role"] == "user" else []
    call = next_call(parts, {tool["function"]["name"] for tool in body.get("tools", [])})
    message: dict[str, Any] = {"role": "assistant", "content": TEXT}
    if call is not None:
        function = {"name": call.name, "arguments": json.dumps(call.given)}
        made = {"id": f"call_{next(_NUMBERS)}", "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [made]}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if call is not None else "stop"}
    return {
        "id": f"chat_{next(_NUMBERS)}",
        "object": "chat.completion",
        "model": body["model"],
        "choices": [choice],
        "usage": usage,
    }


def chunks(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The same in pieces."""
    whole_answer = chat(body)
    (choice,) = whole_answer["choices"]
    calls = [{"index": at, **call} for at, call in enumerate(choice["message"].get("tool_calls", []))]
    delta = {**choice["message"], **({"tool_calls": calls} if calls else {})}
    head = {**whole_answer, "object": "chat.completion.chunk", "usage": None}
    yield "", {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield "", {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    yield "", {**head, "choices": [], "usage": whole_answer["usage"]}


def gemini(body: dict[str, Any]) -> dict[str, Any]:
    """An answer in the dialect of Gemini."""
    found = [part for one in body["contents"] if one.get("role") != "model" for part in one.get("parts", [])]
    parts = [Part() if "functionResponse" in part else Part(part.get("text", "")) for part in found]
    tools = {one["name"] for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])}
    call = next_call(parts, tools)
    part: dict[str, Any] = {"text": TEXT}
    if call is not None:
        part = {"functionCall": {"name": call.name, "args": call.given}}
    elif "responseJsonSchema" in body.get("generationConfig", {}):
        part = {"text": json.dumps({"reasoning": "r", "model_choice": "flash"})}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-test"}
