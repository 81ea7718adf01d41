"""Bodies are joined from pieces that were written before: the same bytes as the body written whole, at any step."""

import json
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.providers.base import Request, ToolSchema
from desktop.providers.clean import clean_text, clean_value
from desktop.providers.wire import CACHE_MARKER, WireMessage, request_body, thinking_budget, wire_message

Message = dict[str, Any]
TEXT = st.text(st.characters(), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
BLOCKS = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, TEXT),
    st.builds(lambda call, name, value: {"type": "tool_use", "id": call, "name": name, "input": value},
              TEXT, TEXT, st.dictionaries(TEXT, VALUES, max_size=3)),
    st.builds(lambda call, said: {"type": "tool_result", "tool_use_id": call, "content": said}, TEXT, TEXT),
    st.builds(lambda text: {"type": "thinking", "thinking": text, "signature": "s"}, TEXT),
)  # fmt: skip
MESSAGES = st.builds(
    lambda role, content: {"role": role, "content": content},
    st.sampled_from(["user", "assistant"]),
    st.lists(BLOCKS, max_size=4) | TEXT,
)
TOOLS = st.lists(
    st.builds(
        lambda name, said, schema: ToolSchema(name=name, description=said, input_schema=schema),
        st.sampled_from(["a", "b", "c"]),
        TEXT,
        st.dictionaries(TEXT, VALUES, max_size=3),
    ),
    max_size=3,
)


def written_whole(request: Request) -> bytes:
    """The body made as one value and written at once, with nothing kept from any other."""
    messages: list[Message] = [dict(wire_message(dict(message))) for message in request.messages]
    system: dict[str, Any] = {"type": "text", "text": clean_text(request.system)}
    tools = [
        {
            "name": tool.name,
            "description": clean_text(tool.description),
            "input_schema": clean_value(tool.input_schema),
        }
        for tool in request.tools
    ]
    if request.cache:
        for marked in (system, *tools[-1:]):
            marked["cache_control"] = dict(CACHE_MARKER)
        users = (at for at in reversed(range(len(messages))) if messages[at]["role"] == "user")
        for at in islice(users, 2):
            messages[at]["content"] = marked_content(messages[at]["content"])
    body: dict[str, Any] = {"model": request.model, "max_tokens": request.max_tokens, "stream": True}
    body |= {"tools": tools} if tools else {}
    body |= {"system": [system]} if request.system.strip() else {}
    budget = thinking_budget(request.thinking, request.max_tokens)
    body |= {"thinking": {"type": "enabled", "budget_tokens": budget}} if budget else {}
    return json.dumps({**body, "messages": messages}, ensure_ascii=False, separators=(",", ":")).encode()


def marked_content(content: Any) -> list[Message]:
    """A user message's content, the last block that is neither thinking nor blank marked."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    for at in reversed(range(len(blocks))):
        blank = blocks[at]["type"] == "text" and not blocks[at]["text"].strip()
        if not blank and blocks[at]["type"] != "thinking":
            blocks[at] = {**blocks[at], "cache_control": dict(CACHE_MARKER)}
            break
    return blocks


@given(st.lists(MESSAGES, max_size=6), TOOLS, TEXT, st.booleans(), st.sampled_from(["off", "low", "high"]))
def test_at_each_step_the_bytes_are_those_of_the_body_written_whole(
    messages: list[Message], tools: list[ToolSchema], system: str, cache: bool, thinking: Any
) -> None:
    kept: list[Message] = []
    for message in messages:
        kept.append(wire_message(message))
        request = Request(
            model="m-1",
            system=system,
            messages=kept,
            tools=tuple(tools),
            cache=cache,
            thinking=thinking,
            max_tokens=4096,
        )
        assert request_body(request) == written_whole(request)
        raw = request.model_copy(update={"messages": messages[: len(kept)]})
        assert request_body(raw) == request_body(request)


def test_what_was_written_is_not_written_again_and_a_marker_stays_in_its_request() -> None:
    kept: list[Message] = []
    before: bytes = b""
    for number in range(4):
        kept.append(wire_message({"role": "user", "content": [{"type": "text", "text": str(number)}]}))
        marked = request_body(Request(model="m", system="s", messages=kept, cache=True))
        plain = request_body(Request(model="m", system="s", messages=kept))
        assert marked.count(b"cache_control") == min(number + 1, 2) + 1
        assert b"cache_control" not in plain
        assert plain.startswith(before)
        before = plain.removesuffix(b"]}")
    first = kept[0]
    assert isinstance(first, WireMessage)
    assert first.json


@given(MESSAGES)
def test_what_can_be_sent_as_it_is_is_not_copied(message: Message) -> None:
    sent = wire_message(message)
    again = wire_message(dict(sent))
    assert again == sent
    pairs = zip(sent["content"], again["content"], strict=True) if isinstance(sent["content"], list) else ()
    assert all(block is same for block, same in pairs)


def test_a_number_that_is_none_of_jsons_is_refused() -> None:
    odd = {"role": "user", "content": [{"type": "tool_use", "id": "c", "name": "n", "input": {"x": float("inf")}}]}
    with pytest.raises(ValueError, match="JSON compliant"):
        request_body(Request(model="m", system="s", messages=[odd]))
