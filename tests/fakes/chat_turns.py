"""A scripted answer in chunks of chat completions: what each event of the other protocol says."""

import json
from typing import Any

_REASONS = {
    "end_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "refusal": "content_filter",
    None: None,
}


class ChatWords:
    """The chunks of one answer."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._calls: dict[int, int] = {}
        self._usage: dict[str, Any] | None = None

    def wire(self, event: dict[str, Any]) -> bytes:
        """The event as it is sent, b"" for what has no words here."""
        kind = event["type"]
        if kind == "message_stop":
            return b"data: [DONE]\n\n"
        if kind == "ping":
            return b": PROCESSING\n\n"
        if kind == "error":
            return _line({"error": {**event["error"], "code": None}})
        if kind == "message_start":
            self._usage = event["message"].get("usage")
            return self._chunk({"role": "assistant", "content": ""})
        if kind == "message_delta":
            return self._end(event)
        said = self._said(event)
        return self._chunk(said) if said else b""

    def _said(self, event: dict[str, Any]) -> dict[str, Any]:
        if event["type"] == "content_block_start":
            return self._begun(event["index"], event["content_block"])
        delta = event.get("delta", {})
        if delta.get("type") == "input_json_delta":
            call = {"index": self._calls[event["index"]], "function": {"arguments": delta["partial_json"]}}
            return {"tool_calls": [call]}
        if delta.get("type") == "thinking_delta":
            return {"reasoning_content": delta["thinking"]}
        return {"content": delta["text"]} if delta.get("type") == "text_delta" else {}

    def _begun(self, index: int, block: dict[str, Any]) -> dict[str, Any]:
        if block["type"] != "tool_use":
            return {"content": block["text"]} if block.get("text") else {}
        self._calls[index] = len(self._calls)
        function = {"name": block["name"], "arguments": ""}
        call = {"index": self._calls[index], "id": block["id"], "type": "function", "function": function}
        return {"tool_calls": [call]}

    def _end(self, event: dict[str, Any]) -> bytes:
        reason = _REASONS.get(event["delta"]["stop_reason"], "stop")
        last = self._chunk({}, reason)
        if self._usage is None:
            return last
        usage = {**self._usage, **event.get("usage", {})}
        return last + _line({"object": "chat.completion.chunk", "choices": [], "usage": chat_usage(usage)})

    def _chunk(self, delta: dict[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return _line({"object": "chat.completion.chunk", "model": self._model, "choices": [choice]})


def chat_message(message: dict[str, Any]) -> dict[str, Any]:
    """A whole answer, as it is sent without streaming."""
    blocks = message["content"]
    said: dict[str, Any] = {"role": "assistant", "content": "".join(one.get("text", "") for one in blocks) or None}
    if thoughts := "".join(one.get("thinking", "") for one in blocks):
        said["reasoning_content"] = thoughts
    calls = [one for one in blocks if one["type"] == "tool_use"]
    if calls:
        functions = ({"name": one["name"], "arguments": json.dumps(one["input"])} for one in calls)
        pairs = zip(calls, functions, strict=True)
        said["tool_calls"] = [{"id": one["id"], "type": "function", "function": what} for one, what in pairs]
    choice = {"index": 0, "message": said, "finish_reason": _REASONS.get(message["stop_reason"], "stop")}
    whole = {"object": "chat.completion", "model": message["model"], "choices": [choice]}
    return {**whole, "usage": chat_usage(message["usage"])} if "usage" in message else whole


def chat_usage(usage: dict[str, Any]) -> dict[str, Any]:
    """Counts by their names here; what came from a cache is part of the prompt."""
    cached = usage.get("cache_read_input_tokens", 0)
    prompt = usage.get("input_tokens", 0) + cached
    counts = {"prompt_tokens": prompt, "completion_tokens": usage.get("output_tokens", 0)}
    return {**counts, "prompt_tokens_details": {"cached_tokens": cached}}


def _line(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()
