"""AnswerUse: the tokens of one answer of a model service, read from its bytes while they pass (guests-A49).

Nothing is held back or changed: the reader is fed with copies, holds a line or a body of bounded length, and what it
does not understand leaves it silent.
"""

import json
from collections.abc import Callable, Mapping

from pydantic import JsonValue

from desktop.domain.core.service_kinds import Dialect
from desktop.domain.core.usage import Usage

MOST_HELD = 4 * 1024 * 1024
_MOST_HEAD = 64 * 1024
_TELLS = (b'"usage"', b'"usageMetadata"')
_OVER: dict[Dialect, tuple[bytes, ...]] = {
    "anthropic": (b'"message_stop"',),
    "openai": (b"[DONE]",),
    "responses": (b'"response.completed"', b'"response.incomplete"', b'"response.failed"'),
    "gemini": (),
}
_Fields = Mapping[str, JsonValue]


class AnswerUse:
    """`usage`, `model`: as the service told them so far. `over`: the answer is whole, or no more of it comes. `wanted`:
    the service answered the request, so it should have told them; then `counted` is told once it is over."""

    def __init__(self, dialect: Dialect, counted: Callable[["AnswerUse"], object] = lambda _: None) -> None:
        self.usage, self.model = Usage(), ""
        self._counted = counted
        self.over = self.wanted = False
        self._dialect = dialect
        self._head: bytearray | None = bytearray()
        self._chunks: _Chunks | None = None
        self._left: int | None = None
        self._held = bytearray()
        self._events = self._skips = False

    def feed(self, piece: bytes) -> None:
        """More bytes of it came. Never raises."""
        if self.over:
            return
        try:
            self._take(piece)
        except (ValueError, RecursionError):
            self.end()

    def end(self) -> None:
        """No more of it comes."""
        if not self.over:
            self.over = True
            if not self._events and not self._skips:
                self._read(bytes(self._held))
            self._held.clear()
            if self.wanted:
                self._counted(self)

    def _take(self, piece: bytes) -> None:
        if self._head is not None:
            self._head += piece
            head, found, piece = bytes(self._head).partition(b"\r\n\r\n")
            if not found:
                if len(self._head) > _MOST_HEAD:
                    self.end()
                return
            status, *fields = head.split(b"\r\n")
            if status[9:10] == b"1":  # such as 103, before the answer itself
                self._head = bytearray()
                self._take(piece)
                return
            self._head = None
            self._begin(status, dict(_field(one) for one in fields))
        if self.over:
            return
        if self._chunks is not None:
            piece = self._chunks.feed(piece)
        elif self._left is not None:
            piece = piece[: self._left]
            self._left -= len(piece)
        self._body(piece)
        if self._left == 0 or (self._chunks is not None and self._chunks.over):
            self.end()

    def _begin(self, status: bytes, fields: Mapping[bytes, bytes]) -> None:
        self.wanted = status[9:10] == b"2"
        if not self.wanted or fields.get(b"content-encoding", b"identity").lower() != b"identity":
            self._skips = True
            self.end()
            return
        self._events = fields.get(b"content-type", b"").lower().startswith(b"text/event-stream")
        if fields.get(b"transfer-encoding", b"").lower() == b"chunked":
            self._chunks = _Chunks()
        elif b"content-length" in fields:
            self._left = int(fields[b"content-length"])

    def _body(self, piece: bytes) -> None:
        """A piece of the body: of one that tells events, line by line; of another, held to its end."""
        if not self._events:
            self._hold(piece)
            return
        *lines, rest = piece.split(b"\n")
        for line in lines:
            self._hold(line)
            whole, skipped = bytes(self._held), self._skips
            self._held.clear()
            self._skips = False
            if not skipped and whole.startswith(b"data:"):
                self._line(whole[5:].strip())
        self._hold(rest)

    def _hold(self, piece: bytes) -> None:
        if self._skips or len(self._held) + len(piece) > MOST_HELD:
            self._skips = True
            self._held.clear()
        else:
            self._held += piece

    def _line(self, data: bytes) -> None:
        if any(word in data for word in _TELLS):
            self._read(data)
        if any(word in data for word in _OVER[self._dialect]):
            self.end()

    def _read(self, data: bytes) -> None:
        try:
            found = json.loads(data)
        except (ValueError, RecursionError):
            return
        for one in found if isinstance(found, list) else (found,):
            if isinstance(one, dict):
                self._count(one)

    def _count(self, told: _Fields) -> None:
        inner = _fields(told.get("message")) or _fields(told.get("response")) or told
        used = _fields(inner.get("usage")) or _fields(told.get("usage")) or _fields(inner.get("usageMetadata"))
        model = inner.get("model", inner.get("modelVersion"))
        if isinstance(model, str) and model:
            self.model = model[:200]
        new = {name: count for name, count in _COUNTS[self._dialect](used).items() if count is not None}
        self.usage = self.usage.model_copy(update=new)


class _Chunks:
    """Takes the lengths out of a body that comes in chunks. `over`: its last one came."""

    def __init__(self) -> None:
        self.over = False
        self._left = 0
        self._line = bytearray()

    def feed(self, piece: bytes) -> bytes:
        """The part of the body in these bytes. Raises ValueError: they are no chunks."""
        found, at = bytearray(), 0
        while at < len(piece) and not self.over:
            if self._left > 0:
                part = piece[at : at + self._left]
                found += part
                self._left -= len(part)
                at += len(part)
                continue
            end = piece.find(b"\n", at)
            self._line += piece[at : end + 1 or len(piece)]
            if len(self._line) > 1024:
                raise ValueError("no length of a chunk")
            if end < 0:
                break
            at = end + 1
            said = bytes(self._line).partition(b";")[0].strip()
            self._line.clear()
            if said:  # else the end of the chunk before
                self._left = int(said, 16)
                self.over = self._left == 0
                if self._left < 0:
                    raise ValueError("no length of a chunk")
        return bytes(found)


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name.strip().lower(), value.strip()


def _fields(value: JsonValue) -> _Fields:
    return value if isinstance(value, dict) else {}


def _number(fields: _Fields, name: str) -> int | None:
    value = fields.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _fresh(all_of_it: int | None, cached: int | None) -> int | None:
    """What was not read from the cache, of what was."""
    return None if all_of_it is None else max(0, all_of_it - (cached or 0))


def _messages(used: _Fields) -> dict[str, int | None]:
    made, own = _fields(used.get("cache_creation")), _fields(used.get("server_tool_use"))
    five, hour = _number(made, "ephemeral_5m_input_tokens"), _number(made, "ephemeral_1h_input_tokens")
    total = _number(used, "cache_creation_input_tokens")
    return {
        "input": _number(used, "input_tokens"),
        "output": _number(used, "output_tokens"),
        "cache_read": _number(used, "cache_read_input_tokens"),
        "cache_write_5m": total if five is None and hour is None else five,
        "cache_write_1h": hour,
        "web_searches": _number(own, "web_search_requests"),
    }


def _chat(used: _Fields) -> dict[str, int | None]:
    cached = _number(_fields(used.get("prompt_tokens_details")), "cached_tokens")
    fresh = _fresh(_number(used, "prompt_tokens"), cached)
    return {"input": fresh, "output": _number(used, "completion_tokens"), "cache_read": cached}


def _responses(used: _Fields) -> dict[str, int | None]:
    cached = _number(_fields(used.get("input_tokens_details")), "cached_tokens")
    fresh = _fresh(_number(used, "input_tokens"), cached)
    return {"input": fresh, "output": _number(used, "output_tokens"), "cache_read": cached}


def _generated(used: _Fields) -> dict[str, int | None]:
    if not used:
        return {}
    cached = _number(used, "cachedContentTokenCount")
    asked, of_tools = _number(used, "promptTokenCount"), _number(used, "toolUsePromptTokenCount")
    fresh = _fresh(asked, cached)
    said, thought = _number(used, "candidatesTokenCount"), _number(used, "thoughtsTokenCount")
    return {
        "input": None if fresh is None else fresh + (of_tools or 0),
        "output": (said or 0) + (thought or 0),
        "cache_read": cached,
    }


_COUNTS = {"anthropic": _messages, "openai": _chat, "responses": _responses, "gemini": _generated}
