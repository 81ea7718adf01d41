"""From a reconstructed message list to the body of one request: ids, surrogates, cache markers, thinking budgets.

Pure: the same request gives the same body, byte for byte, and nothing given is changed. A message and a tool are
written as JSON once; a body is these pieces joined, so that it costs what is new in it, however long the chat is.
"""

import hashlib
import re
from itertools import islice
from typing import Any

from desktop.domain.events import ThinkingLevel
from desktop.providers.base import Request
from desktop.providers.clean import clean_text, clean_value, json_bytes

Message = dict[str, Any]

THINKING_BUDGETS: dict[ThinkingLevel, int] = {"low": 4_000, "medium": 12_000, "high": 32_000}
SMALLEST_BUDGET = 1_024
ANSWER_RESERVE = 2_048
CACHE_MARKER = {"type": "ephemeral"}
SEARCH_TOOL = {"type": "web_search_20250305", "name": "web_search"}
"""The tool with which the service searches by itself. https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/web-search-tool"""

_CALL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
TOOL_NAME_CHARS = 128
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_NO_NAME_CHARACTER = re.compile(r"[^a-zA-Z0-9_-]")
_UNMARKED = ("thinking", "redacted_thinking")


class WireMessage(dict[str, Any]):
    """A message that went through `wire_message` and was not changed since, so that it need not go again. `json`: it as
    it stands in a body, b"" until it is written; kept as long as the message. `chat`: the same for the chat completions
    protocol (`chat_request`)."""

    __slots__ = ("chat", "json")

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.json = b""
        self.chat = b""

    def write(self) -> bytes:
        """Its JSON.

        Raises:
            ValueError: a number in it is none of JSON's.
        """
        self.json = json_bytes(self)
        return self.json


def wire_message(message: Message) -> WireMessage:
    """The message as it may be sent: odd call ids and tool names mapped, lone surrogates replaced by U+FFFD."""
    return message if isinstance(message, WireMessage) else WireMessage(_wire(message))


def wire_call_id(call_id: str) -> str:
    """The id itself if the service accepts it, else `t_` and 24 hex digits of its SHA-256."""
    if _CALL_ID.fullmatch(call_id):
        return call_id
    return "t_" + hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def thinking_budget(level: ThinkingLevel, max_tokens: int) -> int:
    """Tokens to think with, always below `max_tokens` and with room for an answer. 0: thinking is off."""
    if level == "off" or max_tokens <= SMALLEST_BUDGET:
        return 0
    return min(THINKING_BUDGETS[level], max(SMALLEST_BUDGET, max_tokens - ANSWER_RESERVE))


def request_body(request: Request) -> bytes:
    """The JSON body of a streamed request; with `request.cache`, at most four cache markers are in it.

    Raises:
        ValueError: a number in it is none of JSON's.
    """
    messages = [one if isinstance(one, WireMessage) else wire_message(one) for one in request.messages]
    if request.cache:
        _mark_messages(messages)
    written = [message.json or message.write() for message in messages] or [b""]
    written[0] = b'%s,"messages":[%s' % (_beginning(request), written[0])
    written[-1] += b"]}"
    return b",".join(written)


def _beginning(request: Request) -> bytes:
    """The body up to its messages."""
    marker = {"cache_control": CACHE_MARKER} if request.cache else {}
    pieces = [b'{"model":%s,"max_tokens":%d,"stream":true' % (json_bytes(request.model), request.max_tokens)]
    tools = [tool.wire_json for tool in request.tools]
    if request.searches:
        tools.insert(0, json_bytes({**SEARCH_TOOL, "max_uses": request.searches}))
    if tools:
        if marker:
            tools[-1] = b"%s,%s" % (tools[-1].removesuffix(b"}"), json_bytes(marker).removeprefix(b"{"))
        pieces.append(b'"tools":[%s]' % b",".join(tools))
    if request.system.strip():
        pieces.append(b'"system":%s' % json_bytes([{"type": "text", "text": clean_text(request.system), **marker}]))
    if budget := thinking_budget(request.thinking, request.max_tokens):
        pieces.append(b'"thinking":%s' % json_bytes({"type": "enabled", "budget_tokens": budget}))
    return b",".join(pieces)


def _wire(message: Message) -> Message:
    content = message["content"]
    blocks = [_wire_block(block) for block in content] if isinstance(content, list) else content
    return {**message, "content": clean_value(blocks)}


def wire_tool_name(name: str) -> str:
    """The name itself if the service accepts it, else one made of what is usable in it. It names no tool either way."""
    if _TOOL_NAME.fullmatch(name):
        return name
    return _NO_NAME_CHARACTER.sub("_", name)[:TOOL_NAME_CHARS] or "unnamed"


def _wire_block(block: dict[str, Any]) -> dict[str, Any]:
    kind, mapped = block.get("type"), dict[str, str]()
    if kind == "tool_use" and isinstance(block.get("id"), str):
        mapped["id"] = wire_call_id(block["id"])
    if kind == "tool_result" and isinstance(block.get("tool_use_id"), str):
        mapped["tool_use_id"] = wire_call_id(block["tool_use_id"])
    if kind == "tool_use" and isinstance(block.get("name"), str):
        mapped["name"] = wire_tool_name(block["name"])
    return block if all(block[field] is text for field, text in mapped.items()) else {**block, **mapped}


def _mark_messages(messages: list[WireMessage]) -> None:
    """Put marked copies in the place of the two newest user messages."""
    users = (at for at in reversed(range(len(messages))) if messages[at]["role"] == "user")
    for at in islice(users, 2):
        content = messages[at]["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
        for place in reversed(range(len(blocks))):
            if blocks[place].get("type") not in _UNMARKED and not _is_blank(blocks[place]):
                blocks[place] = {**blocks[place], "cache_control": dict(CACHE_MARKER)}
                break
        messages[at] = WireMessage({**messages[at], "content": blocks})


def _is_blank(block: dict[str, Any]) -> bool:
    return block.get("type") == "text" and not str(block.get("text", "")).strip()
