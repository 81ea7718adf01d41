"""What a server may have a model asked for."""

from typing import Any

import pytest

from desktop.policy.mcp import sampling
from desktop.policy.mcp.sampling import HourlyTokens, Wanted, wanted_of
from desktop.policy.network.hosts import Refused


def message(text: Any = "hi", role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": {"type": "text", "text": text}}


def test_texts_are_taken_in_their_order_and_the_answer_is_bounded() -> None:
    blocks = {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
    wanted = wanted_of({"messages": [message("x", "assistant"), blocks], "maxTokens": 9, "systemPrompt": "s" * 7})
    assert wanted == Wanted((("assistant", "x"), ("user", "a\nb")), "s" * 7, 9)
    assert wanted.size == 9 + 11 // 4
    for most in (None, 0, -1, 2_001, "9"):
        found = wanted_of({"messages": [message()], "maxTokens": most})
        assert isinstance(found, Wanted)
        assert found.most == sampling.MOST_TOKENS


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"tools": [{}]}, sampling.TOOLS),
        ({"toolChoice": {"mode": "auto"}}, sampling.TOOLS),
        ({"messages": [{"role": "user", "content": {"type": "image", "data": ""}}]}, sampling.NO_TEXT),
        ({"messages": [message(3)]}, sampling.NO_TEXT),
        ({"messages": ["hi"]}, sampling.NO_TEXT),
        ({"messages": [message("x" * 20_001)]}, sampling.TOO_LONG),
        ({"messages": [message()] * 51}, sampling.TOO_LONG),
        ({"messages": []}, sampling.NOTHING),
        ({"messages": None}, sampling.NOTHING),
        ({"messages": [message(role="assistant")]}, sampling.NOTHING),
        ({"messages": [message(" "), message()]}, sampling.NOTHING),
    ],
)
def test_what_is_out_of_bounds_is_refused(params: dict[str, Any], reason: str) -> None:
    assert wanted_of(params) == Refused(reason)


def test_tokens_are_counted_for_an_hour() -> None:
    took = HourlyTokens()
    assert took.has_room(20_000, 0)
    assert not took.has_room(20_001, 0)
    took.take(15_000, 0)
    took.take(4_000, 1_000)
    assert took.has_room(1_000, 3_599)
    assert not took.has_room(1_001, 3_599)
    assert took.has_room(16_000, 3_600)
