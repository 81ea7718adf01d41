"""What no model service takes: each fault alone, and the same verdict as the tests' own reading of the rules."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.agent.providers.request import sendable
from desktop.domain.core.errors import CommandError
from desktop.providers.base import Request
from desktop.providers.request_faults import MessageCheck
from tests.validity import request_faults

Message = dict[str, Any]


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(call_id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "read_file", "input": {}}


def result(call_id: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "ok"}


def user(*blocks: dict[str, Any]) -> Message:
    return {"role": "user", "content": list(blocks)}


def model(*blocks: dict[str, Any]) -> Message:
    return {"role": "assistant", "content": list(blocks)}


THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
NO_OBJECT = "message 2 of 2 holds a call whose input is no object"
MISPLACED = "message 2 of 2 holds thinking where it may not stand"
WHOLE = [
    user(text("Read both")),
    model(THOUGHT, text("Yes."), call("a"), call("b")),
    user(result("a"), result("b"), text("And then?")),
    model(text("Done.")),
    user(text("Thanks")),
]


def first_fault(messages: list[Message], *, resumes: bool) -> str:
    return MessageCheck().fault(messages, resumes=resumes)


def test_a_whole_conversation_can_be_sent() -> None:
    assert first_fault(WHOLE, resumes=False) == ""
    assert first_fault([{"role": "user", "content": "plain"}], resumes=False) == ""


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([], "there is no message"),
        ([model(text("Hi"))], "message 1 of 1 should be the user's"),
        ([user(text("a")), user(text("b"))], "message 2 of 2 is of the same role as the one before"),
        ([*WHOLE, model()], "message 6 of 6 is empty"),
        ([user(text(" \n"))], "message 1 of 1 holds a blank text"),
        ([*WHOLE[:2], user(result("b"), result("a"))], "message 3 of 3 does not answer the calls before it"),
        ([*WHOLE[:2], user(result("a"))], "message 3 of 3 does not answer the calls before it"),
        ([user(result("x"))], "message 1 of 1 does not answer the calls before it"),
        ([*WHOLE[:2], user(text("no"), result("a"), result("b"))], "message 3 of 3 has words before the results"),
        ([user(text("q")), model(call("a"), call("a"))], "message 2 of 2 repeats the id of a call"),
        ([*WHOLE, model(call("a")), user(result("a"))], "message 6 of 7 repeats the id of a call"),
        (WHOLE[:2], "the last message has calls without results"),
        (WHOLE[:4], "it ends with words of the model, so that nothing asks it to go on"),
        ([user(text("q")), model({**call("a"), "input": "cut"})], NO_OBJECT),
        ([user(text("q")), model(text("Yes."), THOUGHT)], MISPLACED),
        ([user(text("q")), model(text("A."), THOUGHT, text("B."))], MISPLACED),
    ],
)
def test_each_fault_is_said_with_its_place(messages: list[Message], said: str) -> None:
    assert first_fault(messages, resumes=False) == said


def test_an_answer_in_which_the_service_paused_may_stand_last() -> None:
    assert first_fault(WHOLE[:4], resumes=True) == ""
    assert first_fault(WHOLE[:2], resumes=True) == "the last message has calls without results"


def test_a_request_that_no_service_takes_is_not_made_and_people_are_told_why() -> None:
    with pytest.raises(CommandError) as raised:
        sendable(Request(model="m", system="s", messages=WHOLE[:4]))
    assert raised.value.code == "invalid_request"
    assert "it ends with words of the model" in str(raised.value)
    assert "fork the chat" in str(raised.value)


def test_a_conversation_that_grows_is_rewound_and_changed_is_judged_as_if_seen_anew() -> None:
    check = MessageCheck()
    for end in (1, 3, 5, 3, 4, 1, 5):
        assert check.fault(WHOLE[:end], resumes=True) == ""
    assert check.fault([*WHOLE, model(call("a")), user(result("a"))], resumes=False) == (
        "message 6 of 7 repeats the id of a call"
    )
    assert check.fault([*WHOLE[:2], user(result("a"))], resumes=False) == (
        "message 3 of 3 does not answer the calls before it"
    )
    other = [user(text("Read a")), model(call("a")), user(result("a"))]
    assert check.fault(other, resumes=False) == ""
    assert check.fault(WHOLE, resumes=False) == ""


@given(st.data())
def test_both_readings_of_the_rules_agree_on_lists_that_were_cut_and_mixed(data: st.DataObject) -> None:
    messages = copy.deepcopy(WHOLE)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(messages) - 1))
        blocks = messages[at]["content"]
        change = data.draw(st.sampled_from(["drop", "twice", "block", "turn", "role", "end"]))
        if change == "drop" and len(messages) > 1:
            del messages[at]
        elif change == "twice":
            messages.insert(at, copy.deepcopy(messages[at]))
        elif change == "block" and blocks:
            del blocks[data.draw(st.integers(0, len(blocks) - 1))]
        elif change == "turn":
            blocks.reverse()
        elif change == "end":
            del messages[at + 1 :]
        elif all(block["type"] == "text" for block in blocks):
            messages[at]["role"] = "user" if messages[at]["role"] == "assistant" else "assistant"
    assert bool(first_fault(messages, resumes=False)) == bool(request_faults(messages))
