"""Failed requests through the real engine: what is tried again, what is kept, what never runs twice (sessions-SY2 to
sessions-SY7)."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from desktop.agent.core.session import Session
from desktop.agent.turns.turn import Turn
from desktop.domain.chats.commands import RetryNow
from desktop.domain.commands import ContinueTurn, Interrupt, SaveSettings
from desktop.domain.events import (
    AssistantMessage,
    Notice,
    ProviderFailed,
    ToolCallFinished,
    ToolCallStarted,
    UserMessage,
)
from desktop.domain.history.state_of import message_text
from desktop.domain.updates import RetryScheduled
from tests.agent.rig import Rig
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import Call, FakeModelApi, http_failure, text_turn, tool_turn, turn

pytestmark = pytest.mark.asyncio
TOO_LONG = http_failure(400, "invalid_request_error", "prompt is too long: 9 > 8")


@pytest.fixture(params=["compatible", "openai_compatible"])
def model_api(request: pytest.FixtureRequest) -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        api.kind = request.param
        yield api


async def no_wait(rig: Rig, session_id: str, times: int = 1) -> None:
    """Press Try now at each of the next waits."""
    for number in range(1, times + 1):
        await rig.until(lambda updates, n=number: len(scheduled(rig)) >= n)  # type: ignore[misc]
        await rig.engine.handle(RetryNow(session_id=session_id))


def scheduled(rig: Rig) -> list[RetryScheduled]:
    """The waits that were announced."""
    return [update for update in rig.updates if isinstance(update, RetryScheduled)]


def notes(rig: Rig) -> list[str]:
    """The kinds of the notes, in order."""
    return [event.note_kind for event in rig.events(UserMessage) if event.origin == "note"]


@pytest.mark.promise("sessions-SY5")
@pytest.mark.parametrize("fault", ["drop_before", "status 503", "drop_in_input"])
async def test_a_failure_before_any_text_sends_the_same_bytes_again(
    rig: Rig, model_api: FakeModelApi, fault: str
) -> None:
    if fault == "status 503":
        model_api.script(http_failure(503), text_turn("done"))
    else:
        model_api.script(turn("", [("read_file", {"file_path": "app.py"})], fault=fault), text_turn("done"))
    session_id = await rig.new("Read")
    await no_wait(rig, session_id)
    assert (await rig.ended()).status == "completed"
    assert model_api.requests[0].raw == model_api.requests[1].raw
    assert not rig.events(ToolCallStarted)
    whole(rig, session_id)


@pytest.mark.promise("sessions-SY6")
@pytest.mark.parametrize("fault", ["drop_in_text", "eof_in_text", "drop_before_stop", "malformed"])
async def test_a_failure_in_the_text_keeps_it_and_goes_on(rig: Rig, model_api: FakeModelApi, fault: str) -> None:
    model_api.script(text_turn("First half of the answer", fault=fault), text_turn(" and the rest."))
    session_id = await rig.new("Tell")
    await no_wait(rig, session_id)
    assert (await rig.ended()).status == "completed"
    assert [message.interrupted for message in rig.events(AssistantMessage)] == [True, False]
    assert notes(rig) == ["stream_cut"]
    whole(rig, session_id)


async def test_an_answer_that_broke_after_its_stop_reason_is_whole(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("All of it.", fault="drop_after_stop_reason"))
    await rig.new("Tell")
    assert (await rig.ended()).status == "completed"
    assert not rig.events(ProviderFailed)
    assert message_text(rig.events(AssistantMessage)[0]) == "All of it."


async def test_errors_inside_a_stream_are_judged_by_their_type(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        text_turn("x" * 90, fault="error:overloaded_error"),
        text_turn("y" * 90, fault="error:invalid_request_error"),
    )
    session_id = await rig.new("Tell")
    await no_wait(rig, session_id)
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("failed", "bad_request")
    assert [(e.category, e.will_retry) for e in rig.events(ProviderFailed)] == [
        ("overloaded", True), ("bad_request", False),
    ]  # fmt: skip


async def test_a_page_of_a_proxy_is_told_and_not_tried_again(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("", fault="html"))
    await rig.new("Tell")
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("failed", "not_an_api")
    assert "does not answer like a model service" in ended.detail


@pytest.mark.promise("sessions-SY2")
@pytest.mark.parametrize("how", ["seconds", "milliseconds", "date"])
async def test_the_wait_a_service_asks_for_is_kept_and_a_stop_ends_it(
    rig: Rig, model_api: FakeModelApi, how: str
) -> None:
    until = datetime.now(UTC) + timedelta(seconds=60)
    headers = {
        "seconds": {"retry-after": "60"}, "milliseconds": {"retry-after-ms": "60000"},
        "date": {"retry-after": format_datetime(until, usegmt=True)},
    }[how]  # fmt: skip
    model_api.script(http_failure(429, "rate_limit_error", headers=headers), text_turn("never"))
    session_id = await rig.new("Tell")
    await rig.until(lambda updates: scheduled(rig))
    assert scheduled(rig)[0].retry_at >= until - timedelta(seconds=2)
    await rig.engine.handle(Interrupt(session_id=session_id))
    assert (await rig.ended()).reason == "stop"
    assert len(model_api.requests) == 1
    whole(rig, session_id)


async def test_a_wait_of_an_hour_fails_with_the_time(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(http_failure(429, "rate_limit_error", headers={"retry-after": "3600"}))
    before = datetime.now(UTC) + timedelta(hours=1)
    await rig.new("Tell")
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("failed", "rate_limited")
    times = [(before + timedelta(minutes=n)).astimezone().strftime("Possible again at %H:%M") for n in (0, 1)]
    assert any(time in ended.detail for time in times)
    assert not scheduled(rig)


async def test_try_now_skips_each_wait_and_the_sentence_counts_the_attempts(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(*(http_failure(529, "overloaded_error") for _ in range(5)))
    session_id = await rig.new("Tell")
    await rig.engine.handle(RetryNow(session_id=session_id))
    await no_wait(rig, session_id, 4)
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("failed", "overloaded")
    assert "5 attempts in" in ended.detail
    assert [event.will_retry for event in rig.events(ProviderFailed)] == [True] * 4 + [False]
    assert not rig.failures()


@pytest.mark.promise("sessions-SY4")
async def test_a_tool_that_ran_is_not_run_again_by_five_failures_and_a_continue(
    rig: Rig, model_api: FakeModelApi
) -> None:
    write = tool_turn("write_file", file_path="once.txt", content="1")
    model_api.script(write, *(http_failure(500, "api_error") for _ in range(5)))
    session_id = await rig.new("Write once")
    await no_wait(rig, session_id, 4)
    assert (await rig.ended()).status == "failed"
    model_api.script(text_turn("done"))
    await rig.engine.handle(ContinueTurn(session_id=session_id))
    assert (await rig.ended(2)).status == "completed"
    assert len(rig.events(ToolCallStarted)) == 1
    call_id = rig.events(ToolCallFinished)[0].call_id
    assert all(call_id in str(request.messages) for request in model_api.requests[1:])
    assert len(model_api.requests) == 7
    whole(rig, session_id)


async def test_each_step_has_its_own_attempts(rig: Rig, model_api: FakeModelApi) -> None:
    settings = rig.engine.settings.current.model_copy(update={"max_attempts": 2})
    await rig.engine.handle(SaveSettings(settings=settings))
    busy = http_failure(529, "overloaded_error")
    model_api.script(busy, tool_turn("read_file", file_path="app.py"), busy, text_turn("done"))
    session_id = await rig.new("Read")
    await no_wait(rig, session_id, 2)
    assert (await rig.ended()).status == "completed"


# The reasons for which an answer ends


@pytest.mark.promise("sessions-SL5")
async def test_a_call_cut_at_the_output_limit_is_dropped_and_the_next_answer_may_be_longer(
    rig: Rig, model_api: FakeModelApi
) -> None:
    cut = Call("write_file", raw='{"file_path": "a.txt", "content": "half of')
    model_api.script(turn("I write.", [cut], stop_reason="max_tokens"), text_turn("done"))
    session_id = await rig.new("Write")
    assert (await rig.ended()).status == "completed"
    assert not rig.events(ToolCallFinished)
    assert notes(rig) == ["output_limit"]
    assert [request.body["max_tokens"] for request in model_api.requests] == [8192, 16384]
    whole(rig, session_id)


async def test_whole_calls_of_an_answer_at_the_output_limit_run(rig: Rig, model_api: FakeModelApi) -> None:
    calls = [Call("read_file", {"file_path": "app.py"}), Call("read_file", raw='{"file_path": ')]
    model_api.script(turn("I read.", calls, stop_reason="max_tokens"), text_turn("done"))
    session_id = await rig.new("Read")
    assert (await rig.ended()).status == "completed"
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["ok"]
    sent = str(model_api.requests[1].messages)
    assert sent.count("hello") == 1
    assert notes(rig) == ["output_limit"]
    whole(rig, session_id)


async def test_the_output_limit_three_times_fails(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(*(text_turn(f"part {n}", stop_reason="max_tokens") for n in range(3)))
    await rig.new("Write")
    ended = await rig.ended()
    assert (ended.status, ended.reason, notes(rig)) == ("failed", "output_limit", ["output_limit"] * 2)


@pytest.mark.promise("sessions-SL6")
async def test_two_empty_answers_fail_and_one_after_text_is_the_end(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn(""), text_turn(""))
    await rig.new("Say")
    ended = await rig.ended()
    assert (ended.status, ended.reason, ended.detail) == ("failed", "empty", "The model returned an empty answer.")
    model_api.script(turn("All done.", [("report_completion", {})]), text_turn(""))
    await rig.new("Say")
    assert (await rig.ended(2)).status == "completed"


async def test_a_refusal_is_told_and_leaves_no_words(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(turn("I will n", stop_reason="refusal"))
    session_id = await rig.new("Do")
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("completed", "refusal")
    assert rig.events(AssistantMessage)[0].parts == ()
    assert rig.events(Notice)[-1].text == "The model declined to answer."
    assert notes(rig) == ["refusal"]
    whole(rig, session_id)


@pytest.mark.parametrize("reason", [None, "stop_sequence", "something_new"])
async def test_other_stop_reasons_end_by_what_the_answer_holds(
    rig: Rig, model_api: FakeModelApi, reason: str | None
) -> None:
    model_api.script(
        turn("", [("read_file", {"file_path": "app.py"})], stop_reason=reason), text_turn("done", stop_reason=reason)
    )
    await rig.new("Read")
    ended = await rig.ended()
    assert (ended.status, ended.steps) == ("completed", 2)


# A conversation that does not fit


class Shortener:
    """Stands where a conversation is shortened; says whether it was."""

    def __init__(self, rig: Rig, *, works: bool = True) -> None:
        self.times = 0
        self._works = works
        rig.engine.parts.chats.turns.commands.driver.own.compact_overflow = self

    async def __call__(self, session: Session, turn: Turn) -> bool:
        self.times += 1
        return self._works


@pytest.mark.parametrize(
    "full", [TOO_LONG, text_turn("x", fault="error:invalid_request_error", error_message="maximum context length is 9")]
)
async def test_a_chat_that_does_not_fit_is_shortened_once_and_asked_again(
    rig: Rig, model_api: FakeModelApi, full: Any
) -> None:
    shortener = Shortener(rig)
    model_api.script(full, text_turn("done"))
    session_id = await rig.new("Say")
    assert (await rig.ended()).status == "completed"
    assert (shortener.times, notes(rig)) == (1, [] if full is TOO_LONG else ["stream_cut"])
    whole(rig, session_id)


@pytest.mark.parametrize("model_api", ["compatible"], indirect=True)
async def test_an_answer_that_ends_where_the_window_does_shortens_the_chat(rig: Rig, model_api: FakeModelApi) -> None:
    shortener = Shortener(rig)
    model_api.script(text_turn("cut in", stop_reason="model_context_window_exceeded"), text_turn("done"))
    session_id = await rig.new("Say")
    assert (await rig.ended()).status == "completed"
    assert (shortener.times, notes(rig)) == (1, ["output_limit"])
    whole(rig, session_id)


@pytest.mark.parametrize("works", [True, False])
async def test_a_chat_that_still_does_not_fit_fails(rig: Rig, model_api: FakeModelApi, works: bool) -> None:
    shortener = Shortener(rig, works=works)
    model_api.script(TOO_LONG, TOO_LONG)
    await rig.new("Say")
    ended = await rig.ended()
    assert (ended.status, ended.reason, shortener.times) == ("failed", "context_overflow", 1)
    assert len(model_api.requests) == (2 if works else 1)
