import copy
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.events import ThinkingLevel
from desktop.providers import wire
from desktop.providers.base import Request, ToolSchema
from desktop.providers.clean import clean_text
from desktop.providers.wire import WireMessage, thinking_budget, wire_call_id, wire_message

TOOLS = tuple(ToolSchema(name=name, description="d", input_schema={"type": "object"}) for name in ("a", "b"))
CONVERSATION: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "text", "text": "first"}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "call.1/ü", "name": "a", "input": {"x": "\ud83d"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call.1/ü", "content": "ok \udc00"}]},
    {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "t", "signature": "s"}, {"type": "text", "text": "x"}],
    },
    {"role": "user", "content": [{"type": "text", "text": "second"}, {"type": "text", "text": "  "}]},
]


def ask(**fields: Any) -> Request:
    return Request(**{"model": "m", "system": "s", "messages": CONVERSATION, "tools": TOOLS, **fields})


def wire_messages(messages: list[dict[str, Any]]) -> list[WireMessage]:
    return [wire_message(message) for message in messages]


def request_body(request: Request) -> dict[str, Any]:
    """The body as a service reads it."""
    body: dict[str, Any] = json.loads(wire.request_body(request))
    return body


def marked(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        own = [value] if "cache_control" in value else []
        return own + [block for item in value.values() for block in marked(item)]
    return [block for item in value for block in marked(item)] if isinstance(value, list) else []


def test_call_and_result_get_the_same_id_that_services_accept() -> None:
    sent = wire_messages(CONVERSATION)
    call, result = sent[1]["content"][0]["id"], sent[2]["content"][0]["tool_use_id"]
    assert call == result == wire_call_id("call.1/ü")
    assert re.fullmatch(r"t_[0-9a-f]{24}", call)


@pytest.mark.parametrize("call_id", ["toolu_01-x", "a", "x" * 64])
def test_an_id_that_is_accepted_stays(call_id: str) -> None:
    assert wire_call_id(call_id) == call_id


@pytest.mark.parametrize("call_id", ["", "x" * 65, "a.b", "a\n", "\ud83d"])
def test_an_id_that_is_not_accepted_is_mapped(call_id: str) -> None:
    assert re.fullmatch(r"t_[0-9a-f]{24}", wire_call_id(call_id))


def test_only_lone_surrogates_are_replaced() -> None:
    assert clean_text("a\ud83db") == "a\ufffdb"
    assert clean_text("\ud83d\ude00") == "😀"
    assert clean_text("😀 ü \u2028 \x00") == "😀 ü \u2028 \x00"
    sent = wire_messages(CONVERSATION)
    assert sent[1]["content"][0]["input"] == {"x": "\ufffd"}
    assert sent[2]["content"][0]["content"] == "ok \ufffd"


@given(st.text(st.characters()), st.text(st.characters(categories=["Cs"]), max_size=3))
def test_any_text_can_be_sent(text: str, odd: str) -> None:
    body = request_body(ask(messages=[{"role": "user", "content": text + odd}], system=odd + text + "."))
    assert clean_text(text + odd) == body["messages"][0]["content"]
    assert clean_text(odd + text + ".") == body["system"][0]["text"]


def test_nothing_given_is_changed_and_the_same_request_gives_the_same_bytes() -> None:
    before = copy.deepcopy(CONVERSATION)
    first, second = (wire.request_body(ask(cache=True)) for _ in range(2))
    assert first == second
    assert before == CONVERSATION


def test_four_markers_stand_at_the_right_places() -> None:
    body = request_body(ask(cache=True))
    assert len(marked(body)) == 4
    assert "cache_control" in body["tools"][-1]
    assert "cache_control" in body["system"][-1]
    assert "cache_control" in body["messages"][4]["content"][0]
    assert "cache_control" in body["messages"][2]["content"][-1]
    assert all(block["cache_control"] == {"type": "ephemeral"} for block in marked(body))


def test_without_caching_there_is_no_marker() -> None:
    assert marked(request_body(ask())) == []


def test_a_message_of_blank_or_thinking_blocks_gets_no_marker() -> None:
    blocks = [{"type": "thinking", "thinking": "t", "signature": "s"}, {"type": "text", "text": " "}]
    body = request_body(ask(messages=[{"role": "user", "content": blocks}], cache=True))
    assert marked(body["messages"]) == []


def test_a_message_that_is_a_string_can_carry_a_marker() -> None:
    body = request_body(ask(messages=[{"role": "user", "content": "hi"}], cache=True))
    assert body["messages"][0]["content"] == [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]


def test_the_list_without_markers_is_a_prefix_of_the_next_one() -> None:
    def plain(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        body = request_body(ask(messages=messages, cache=True))
        for block in marked(body["messages"]):
            del block["cache_control"]
        return list(body["messages"])

    earlier, later = plain(CONVERSATION[:3]), plain(CONVERSATION)
    assert later[:2] == earlier[:2]


def test_signed_thinking_goes_back_as_it_came() -> None:
    assert request_body(ask())["messages"][3]["content"][0] == CONVERSATION[3]["content"][0]


def test_no_tools_and_a_blank_system_are_left_out() -> None:
    body = request_body(ask(tools=(), system=" "))
    assert "tools" not in body
    assert "system" not in body


@pytest.mark.parametrize(
    ("level", "max_tokens", "budget"),
    [
        ("off", 8192, 0),
        ("low", 8192, 4000),
        ("medium", 16_384, 12_000),
        ("high", 64_000, 32_000),
        ("high", 8192, 6144),
        ("low", 2048, 1024),
        ("low", 1024, 0),
        ("high", 256, 0),
    ],
)
def test_thinking_stays_below_the_output_limit(level: ThinkingLevel, max_tokens: int, budget: int) -> None:
    assert thinking_budget(level, max_tokens) == budget
    body = request_body(ask(thinking=level, max_tokens=max_tokens))
    assert body.get("thinking") == ({"type": "enabled", "budget_tokens": budget} if budget else None)


@pytest.mark.parametrize(
    ("name", "sent"),
    [("bash", "bash"), ("", "unnamed"), ("b ash\n", "b_ash_"), ("mcp__a__b-c", "mcp__a__b-c"), ("é" * 200, "_" * 128)],
)
def test_a_name_that_no_service_takes_is_sent_as_one_that_it_does(name: str, sent: str) -> None:
    use = {"type": "tool_use", "id": "call_1", "name": name, "input": {}}
    (message,) = wire_messages([{"role": "assistant", "content": [use]}])
    assert message["content"][0]["name"] == sent
    assert use["name"] == name
