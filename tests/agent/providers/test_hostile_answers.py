"""Answers no honest model gives: huge, many, nameless, without end. The chat stays usable and the log whole."""

import asyncio

import pytest

from desktop.config.folders import Folders
from desktop.domain.commands import ContinueTurn, Interrupt, SaveSettings, SendMessage
from desktop.domain.events import (
    AssistantMessage,
    ProviderFailed,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    UserMessage,
)
from desktop.domain.updates import RetryScheduled, TextDelta
from tests.agent.rig import Rig
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import Call, FakeModelApi, http_failure, text_turn, tool_turn, turn
from tests.validity import faults

pytestmark = pytest.mark.asyncio


async def finished_turn(rig: Rig, model_api: FakeModelApi, *calls: Call, **options: object) -> str:
    """A turn with one answer of these calls and one of text; the chat's id, after its checks."""
    model_api.script(turn("calls", list(calls), **options), text_turn("done"), text_turn("still here"))
    session_id = await rig.new("Go")
    assert (await rig.ended()).status == "completed"
    await rig.engine.handle(SendMessage(session_id=session_id, text="Still there?"))
    assert (await rig.ended(2)).status == "completed"
    assert not faults(model_api.requests[-1].messages)
    whole(rig, session_id)
    return session_id


async def test_an_input_of_twenty_megabytes_is_refused_and_does_not_fill_the_card(
    rig: Rig, model_api: FakeModelApi
) -> None:
    big = "x" * 20_000_000
    calls = [Call("bash", {"command": big}), Call("no_such_tool", {"text": big[:2_000_000]})]
    await finished_turn(rig, model_api, *calls, piece=4_000_000)
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["refused", "refused"]
    for event in rig.events(ToolCallDecided):
        assert event.card is not None
        assert len(event.card.model_dump_json()) < 100_000
        assert len(event.reason) < 2_000


@pytest.mark.timeout(120)
async def test_four_hundred_calls_in_one_answer_each_get_one_result(rig: Rig, model_api: FakeModelApi) -> None:
    calls = [Call("read_file", {"file_path": "app.py", "limit": n + 1}, id="same") for n in range(399)]
    model_api.script(turn("", [*calls, Call("todo_read")]), text_turn("done"))
    session_id = await rig.new("Many")
    await rig.until(lambda updates: rig.events(TurnEnded), timeout_s=100)
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["ok"] * 400
    assert len(model_api.requests[-1].messages[-1]["content"]) == 400
    whole(rig, session_id)


NAMES = ["", " ", "bash ", "BASH", "re\nad\x1b[31m", "rm -rf /", "x" * 5_000, "é\ud800", "\u202eexe"]


@pytest.mark.parametrize("name", NAMES)
async def test_a_name_that_no_tool_has_is_refused_and_can_be_sent_on(
    rig: Rig, model_api: FakeModelApi, name: str
) -> None:
    await finished_turn(rig, model_api, Call(name, {"a": 1}), Call("read_file", {"file_path": "app.py"}))
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["refused", "ok"]
    assert all(event.card is None or "\n" not in event.card.title for event in rig.events(ToolCallDecided))


@pytest.mark.parametrize("call_id", ["with blanks and\ttabs", "ü", "x" * 300, "a/b:c", "\ud800"])
async def test_an_odd_call_id_is_the_same_in_call_and_result(rig: Rig, model_api: FakeModelApi, call_id: str) -> None:
    read = {"file_path": "app.py"}
    await finished_turn(rig, model_api, Call("read_file", read, id=call_id), Call("read_file", read, id=call_id))
    asked, answered = model_api.requests[-1].messages[1:3]
    ids = [block["id"] for block in asked["content"] if block["type"] == "tool_use"]
    assert [block["tool_use_id"] for block in answered["content"] if block["type"] == "tool_result"] == ids
    assert len(set(ids)) == 2
    assert all(len(one) <= 64 and one.isascii() for one in ids)


async def test_an_answer_of_thinking_alone_ends_the_turn_and_the_chat_goes_on(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(turn("", thinking="hm"), text_turn("here"))
    session_id = await rig.new("Think")
    await rig.ended()
    await rig.engine.handle(SendMessage(session_id=session_id, text="And?"))
    await rig.ended(2)
    assert not faults(model_api.requests[-1].messages)
    whole(rig, session_id)


async def test_an_answer_that_never_fits_fails_and_can_be_continued(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(*(text_turn(f"part {n}", stop_reason="max_tokens") for n in range(3)))
    session_id = await rig.new("Write a book")
    ended = await rig.ended()
    assert (ended.status, ended.reason, len(model_api.requests)) == ("failed", "output_limit", 3)
    model_api.script(text_turn("the end"))
    await rig.engine.handle(ContinueTurn(session_id=session_id))
    assert (await rig.ended(2)).status == "completed"
    assert model_api.requests[-1].messages[-1]["role"] == "user"
    assert not faults(model_api.requests[-1].messages)
    whole(rig, session_id)


@pytest.mark.promise("sessions-SY7")
async def test_a_failed_turn_can_be_continued_with_a_valid_request(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("read_file", file_path="app.py"), http_failure(401, "authentication_error"))
    session_id = await rig.new("Read")
    assert (await rig.ended()).reason == "auth"
    model_api.script(text_turn("done"))
    await rig.engine.handle(ContinueTurn(session_id=session_id))
    assert (await rig.ended(2)).status == "completed"
    assert not faults(model_api.requests[-1].messages)
    assert len(rig.events(ToolCallStarted)) == 1
    whole(rig, session_id)


async def test_a_stop_ends_the_wait_between_two_attempts(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(http_failure(429, "rate_limit_error", headers={"retry-after": "600"}))
    session_id = await rig.new("Hi")
    await rig.until(lambda updates: [u for u in updates if isinstance(u, RetryScheduled)])
    async with asyncio.timeout(20):
        await rig.engine.handle(Interrupt(session_id=session_id))
        assert (await rig.ended()).status == "interrupted"
    assert len(model_api.requests) == 1
    whole(rig, session_id)


async def test_text_before_a_break_is_shown_and_sent_once(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Alpha beta gamma delta epsilon zeta", fault="drop_in_text"), text_turn("and omega."))
    session_id = await rig.new("Tell")
    await rig.ended()
    cut, rest = rig.events(AssistantMessage)
    assert cut.message_id != rest.message_id
    shown = "".join(update.text for update in rig.updates if isinstance(update, TextDelta))
    assert shown == f"{cut.parts[0]['text']}and omega."  # type: ignore[index, call-overload]
    order = [type(e).__name__ for e in rig.events(object) if isinstance(e, AssistantMessage | UserMessage)]
    assert order == ["UserMessage", "AssistantMessage", "UserMessage", "AssistantMessage"]
    sent = model_api.requests[-1].messages
    assert str(sent).count("Alpha") == 1
    assert sent[-1]["role"] == "user"
    whole(rig, session_id)


@pytest.mark.promise("sessions-SY2")
async def test_retries_end_at_the_limit_of_attempts(folders: Folders, rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(http_failure(529, "overloaded_error"), loop=True)
    settings = rig.engine.settings.current.model_copy(update={"max_attempts": 2})
    await rig.engine.handle(SaveSettings(settings=settings))
    session_id = await rig.new("Hi")
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("failed", "overloaded")
    assert [event.will_retry for event in rig.events(ProviderFailed)] == [True, False]
    whole(rig, session_id)
