"""A model service on 127.0.0.1 for agents of others: it speaks three dialects and says the same in each.

Where the last thing that a person said holds `run-this: COMMAND`, and it was given a tool that runs commands, it calls
that; after a tool's result, and else, it answers `Done.`.
"""

import json
import re
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

from aiohttp import web

SHELLS = {"Bash": "command", "run_shell_command": "command", "shell_command": "command", "exec_command": "cmd"}
TEXT = "Done."
USAGE = {"input_tokens": 100, "output_tokens": 20}


class ModelDialects:
    """The service, on the running loop: `async with` it. `base` is its address; `asked` are the paths that were asked,
    `keys` what came as a key."""

    def __init__(self) -> None:
        self.base = ""
        self.asked: list[str] = []
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
        path = request.path
        if path.endswith("/count_tokens"):
            return web.json_response({"input_tokens": 100})
        if path.endswith("/messages"):
            return await self._stream(request, messages(body)) if body.get("stream") else web.json_response(whole(body))
        if path.endswith("/responses"):
            return await self._stream(request, responses(body))
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


def wanted(texts: list[str], tools: set[str], answered: bool) -> tuple[str, dict[str, str]] | None:
    """The call that is made, None for text."""
    commands = [found for text in texts for found in re.findall(r"run-this: (.+)", text)]
    name = next((one for one in SHELLS if one in tools), "")
    return (name, {SHELLS[name]: commands[-1].strip()}) if commands and name and not answered else None


def _of_messages(body: dict[str, Any]) -> tuple[str, dict[str, str]] | None:
    last = next(one["content"] for one in reversed(body["messages"]) if one["role"] == "user")
    parts = [{"type": "text", "text": last}] if isinstance(last, str) else last
    texts = [part["text"] for part in parts if part["type"] == "text"]
    answered = any(part["type"] == "tool_result" for part in parts)
    return wanted(texts, {tool.get("name", "") for tool in body.get("tools", [])}, answered)


def whole(body: dict[str, Any]) -> dict[str, Any]:
    """A message that is not streamed."""
    content = [{"type": "text", "text": TEXT}]
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"]}
    return {**head, "content": content, "stop_reason": "end_turn", "stop_sequence": None, "usage": USAGE}


def messages(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of an answer in the dialect of Anthropic."""
    call, start = _of_messages(body), {**whole(body), "content": [], "stop_reason": None}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta: dict[str, Any] = {"type": "text_delta", "text": TEXT}
    if call is not None:
        block = {"type": "tool_use", "id": f"toolu_{len(body['messages'])}", "name": call[0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps({**call[1], "description": "Run it"})}
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
    said = body["input"]
    texts = [part.get("text", "") for one in said if one.get("role") == "user" for part in one["content"]]
    tools = {tool.get("name", "") for tool in body.get("tools", [])}
    call = wanted(texts, tools, said[-1].get("type") == "function_call_output")
    content = [{"type": "output_text", "text": TEXT, "annotations": []}]
    item: dict[str, Any] = {"type": "message", "id": "msg_1", "role": "assistant", "content": content}
    if call is not None:
        given = json.dumps(call[1])
        item = {
            "type": "function_call",
            "id": "fc_1",
            "call_id": f"call_{len(said)}",
            "name": call[0],
            "arguments": given,
        }
    usage = {**USAGE, "total_tokens": 120, "input_tokens_details": None, "output_tokens_details": None}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "resp_1", "usage": usage, "output": [item]}},
    ]
    return ((event["type"], event) for event in events)


def gemini(body: dict[str, Any]) -> dict[str, Any]:
    """An answer in the dialect of Gemini."""
    last = body["contents"][-1].get("parts", [])
    tools = {one["name"] for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])}
    call = wanted([part.get("text", "") for part in last], tools, any("functionResponse" in part for part in last))
    part: dict[str, Any] = {"text": TEXT}
    if call is not None:
        part = {"functionCall": {"name": call[0], "args": {**call[1], "description": "Run it"}}}
    elif "responseJsonSchema" in body.get("generationConfig", {}):
        part = {"text": json.dumps({"reasoning": "r", "model_choice": "flash"})}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-test"}
