"""From a reconstructed message list to the body of one chat completions request.

Pure, as `wire`. A message is translated and written once and kept with it (`WireMessage.chat`). Thinking has no place
in this protocol and is left out; a picture in a result follows as the user's, since a tool says text only.
"""

import hashlib
from typing import Any

from desktop.domain.events import ThinkingLevel
from desktop.providers.base import Request, ToolSchema
from desktop.providers.clean import clean_text, clean_value, json_bytes
from desktop.providers.wire import WireMessage, wire_message

MOST_ID_CHARS = 40
"""The vendor's own service takes no longer id of a call."""
PICTURES = "Pictures of the results above, in their order:"
_EFFORTS: dict[ThinkingLevel, str] = {"low": "low", "medium": "medium", "high": "high"}

Message = dict[str, Any]


def chat_body(request: Request, limit_name: str) -> bytes:
    """The JSON body of a streamed request. `limit_name`: what the service calls the most tokens of an answer.

    Raises:
        ValueError: a number in it is none of JSON's.
    """
    head = [b'{"model":%s,"stream":true' % json_bytes(request.model)]
    head.append(b'"stream_options":{"include_usage":true},%s:%d' % (json_bytes(limit_name), request.max_tokens))
    if request.tools:
        head.append(b'"tools":[%s]' % b",".join(_tool(tool) for tool in request.tools))
    if effort := _EFFORTS.get(request.thinking):
        head.append(b'"reasoning_effort":%s' % json_bytes(effort))
    written = [_written(message) for message in request.messages]
    if request.system.strip():
        written.insert(0, json_bytes({"role": "system", "content": clean_text(request.system)}))
    return b'%s,"messages":[%s]}' % (b",".join(head), b",".join(filter(None, written)))


def chat_call_id(call_id: str) -> str:
    """The id itself if the service takes it, else `t_` and 24 hex digits of its SHA-256."""
    return call_id if len(call_id) <= MOST_ID_CHARS else "t_" + hashlib.sha256(call_id.encode()).hexdigest()[:24]


def chat_messages(message: Message) -> list[Message]:
    """What one message of the list is here: results first, each a message of its own; none if it only thought."""
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return _assistant(blocks) if message["role"] == "assistant" else _user(blocks)


def _written(message: Message) -> bytes:
    one = message if isinstance(message, WireMessage) else wire_message(message)
    if not one.chat:
        one.chat = b",".join(json_bytes(said) for said in chat_messages(one))
    return one.chat


def _tool(tool: ToolSchema) -> bytes:
    function = {"name": tool.name, "description": clean_text(tool.description)}
    return json_bytes({"type": "function", "function": {**function, "parameters": clean_value(tool.input_schema)}})


def _assistant(blocks: list[Message]) -> list[Message]:
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    calls = [_call(block) for block in blocks if block["type"] == "tool_use"]
    if not text and not calls:
        return []
    said: Message = {"role": "assistant", "content": text or None}
    return [{**said, "tool_calls": calls} if calls else said]


def _call(block: Message) -> Message:
    function = {"name": block["name"], "arguments": json_bytes(block["input"]).decode()}
    return {"id": chat_call_id(block["id"]), "type": "function", "function": function}


def _user(blocks: list[Message]) -> list[Message]:
    said: list[Message] = []
    pictures: list[Message] = []
    for block in blocks:
        if block["type"] == "tool_result":
            said.append(_result(block))
            inside = block["content"] if isinstance(block.get("content"), list) else []
            pictures += [part for part in map(_part, inside) if part is not None and part["type"] != "text"]
    parts = [part for part in map(_part, blocks) if part is not None]
    if pictures:
        parts = [{"type": "text", "text": PICTURES}, *pictures, *parts]
    if not parts:
        return said
    plain = all(part["type"] == "text" for part in parts)
    return [*said, {"role": "user", "content": "\n\n".join(one["text"] for one in parts) if plain else parts}]


def _result(block: Message) -> Message:
    content = block.get("content", "")
    text = content if isinstance(content, str) else "\n\n".join(one["text"] for one in content if one["type"] == "text")
    text = f"Error: {text}" if block.get("is_error") else text
    return {"role": "tool", "tool_call_id": chat_call_id(block["tool_use_id"]), "content": text}


def _part(block: Message) -> Message | None:
    """A block of a user as it stands here, None for what has another place or none."""
    if block["type"] == "text":
        return {"type": "text", "text": block["text"]}
    source = block.get("source")
    if not isinstance(source, dict) or source.get("type") != "base64":
        return None
    address = f"data:{source['media_type']};base64,{source['data']}"
    if block["type"] == "image":
        return {"type": "image_url", "image_url": {"url": address}}
    return {"type": "file", "file": {"filename": str(block.get("title") or "document.pdf"), "file_data": address}}
