"""Hard stops through the real engine: steps, tokens, money, running time; what goes on after them (sessions-SK6 to
sessions-SK9)."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from desktop.config.folders import Folders
from desktop.config.settings import Endpoint, Settings
from desktop.config.settings_file import save_settings
from desktop.domain.boundaries.commands import DismissBoundary, KeepBoundary
from desktop.domain.chats.commands import RaiseLimits, SetLimits
from desktop.domain.chats.queue_events import Limits, LimitsChanged
from desktop.domain.chats.updates import SpendAlarm
from desktop.domain.commands import ContinueTurn, SaveSettings, SendMessage, SetModel
from desktop.domain.core.clock import utc_now
from desktop.domain.events import Notice, ProviderFailed, ToolCallFinished, TurnEnded, TurnStarted, UserMessage
from desktop.domain.gate.pending import Answer
from tests.agent.rig import Rig
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import FakeModelApi, http_failure, text_turn, tool_turn, turn

pytestmark = pytest.mark.asyncio
USAGE = {"input_tokens": 10_000, "output_tokens": 1_000}
"""Costs 45,000 microdollars with the model below."""

COST = 45_000
MODEL = "claude-sonnet-4-6"
BEGAN = datetime.now(UTC)


def since_noon() -> datetime:
    """A clock that no day ends on while tests run."""
    return BEGAN.replace(hour=12, minute=0) + (datetime.now(UTC) - BEGAN)


@pytest_asyncio.fixture
async def priced(folders: Folders, repository: Path, model_api: FakeModelApi) -> AsyncIterator[Rig]:
    """An engine whose model has a price."""
    endpoint = Endpoint(
        id="paid", label="Paid", kind="anthropic", base_url=model_api.url, auth="none", default_model=MODEL
    )
    save_settings(folders.settings_file, Settings(endpoints=(endpoint,), default_endpoint="paid"))
    rig = await Rig(folders, clock=since_noon).open(repository)
    yield rig
    await rig.engine.stop()


async def limit(rig: Rig, **values: int) -> None:
    """Set limits in the settings."""
    settings = rig.engine.settings.current.model_copy(update={"limits": Limits(**values)})
    await rig.engine.handle(SaveSettings(settings=settings))


def reads(number: int, **options: Any) -> list[Any]:
    """Answers that each make another read."""
    return [turn("", [("read_file", {"file_path": "app.py", "limit": n})], **options) for n in range(1, number + 1)]


def notes(rig: Rig) -> list[str]:
    """The kinds of the notes, in order."""
    return [event.note_kind for event in rig.events(UserMessage) if event.origin == "note"]


@pytest.mark.promise("sessions-SK9")
async def test_at_the_step_limit_nothing_dangles_and_raising_it_goes_on(rig: Rig, model_api: FakeModelApi) -> None:
    await limit(rig, steps=2)
    model_api.script(*reads(3), text_turn("done"))
    session_id = await rig.new("Read on")
    ended = await rig.ended()
    assert (ended.status, ended.reason, ended.steps) == ("limit", "steps", 2)
    assert ended.detail == "Stopped at the limit of 2 steps. The task may be unfinished."
    assert notes(rig) == ["step_limit"]
    assert len(rig.events(ToolCallFinished)) == 2
    await rig.engine.handle(RaiseLimits(session_id=session_id, limits=Limits(steps=50)))
    assert (await rig.ended(2)).status == "completed"
    assert [event.scope for event in rig.events(LimitsChanged)] == ["turn"]
    assert [event.limits["steps"] for event in rig.events(TurnStarted)] == [2, 50]
    assert rig.engine.sessions.get(session_id).state.turn_limits is None
    whole(rig, session_id)


async def test_a_natural_end_exactly_at_the_limit_is_one(rig: Rig, model_api: FakeModelApi) -> None:
    await limit(rig, steps=3)
    model_api.script(*reads(2), text_turn("done"))
    await rig.new("Read two")
    ended = await rig.ended()
    assert (ended.status, ended.steps, notes(rig)) == ("completed", 3, [])


async def test_raising_limits_without_a_limit_is_refused(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hi"))
    session_id = await rig.new("Hi")
    await rig.ended()
    await rig.engine.handle(RaiseLimits(session_id=session_id, limits=Limits()))
    assert rig.failures()[-1].code == "no_limit"
    assert not rig.events(LimitsChanged)


async def test_failed_attempts_are_no_steps(rig: Rig, model_api: FakeModelApi) -> None:
    await limit(rig, steps=2)
    model_api.script(http_failure(529, "overloaded_error"), *reads(1), text_turn("done"))
    await rig.new("Read")
    assert (await rig.ended()).status == "completed"


async def test_the_limits_of_the_chat_come_before_those_of_the_settings(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hi"), *reads(3))
    session_id = await rig.new("Hi")
    await rig.ended()
    await rig.engine.handle(SetLimits(session_id=session_id, limits=Limits(tokens=5)))
    assert rig.failures()[-1].code == "limits"
    await rig.engine.handle(SetLimits(session_id=session_id, limits=Limits(steps=1)))
    await rig.engine.handle(SendMessage(session_id=session_id, text="read"))
    assert ((await rig.ended(2)).status, rig.events(TurnEnded)[-1].steps) == ("limit", 1)


@pytest.mark.promise("sessions-SK6")
@pytest.mark.parametrize(
    ("line", "word"),
    [("steps = 0", "steps"), ('steps = "abc"', "steps"), ("steps = -3", "steps"), ("tokens = 12", "tokens")],
)
async def test_a_limit_that_cannot_be_used_is_the_default_and_is_told(
    folders: Folders, repository: Path, model_api: FakeModelApi, line: str, word: str
) -> None:
    text = folders.settings_file.read_text()
    folders.settings_file.write_text(f"{text}\n[limits]\n{line}\nrunning_s = 3600\n")
    rig = await Rig(folders).open(repository)
    try:
        assert rig.engine.settings.current.limits == Limits(running_s=3600)
        model_api.script(text_turn("hi"), text_turn("again"))
        session_id = await rig.new("Hi")
        await rig.ended()
        await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
        await rig.ended(2)
        told = [notice.text for notice in rig.events(Notice) if notice.kind == "limits"]
        assert len(told) == 1
        assert f"limits.{word}" in told[0]
    finally:
        await rig.engine.stop()


@pytest.mark.promise("sessions-SK7")
async def test_a_token_limit_lowers_the_answer_and_then_stops(rig: Rig, model_api: FakeModelApi) -> None:
    await limit(rig, tokens=30_000)
    model_api.script(*reads(5, usage=USAGE))
    session_id = await rig.new("Read on")
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("limit", "tokens")
    assert notes(rig) == ["cost_limit"]
    sizes = [request.body["max_tokens"] for request in model_api.requests]
    assert sizes[0] == 8192
    assert 1024 <= sizes[1] < 8192
    assert len(sizes) == 2
    assert ended.usage.total_input + (ended.usage.output or 0) <= 30_000
    whole(rig, session_id)


@pytest.mark.promise("sessions-SK7")
async def test_a_cost_limit_stops_before_the_request_that_would_pass_it(priced: Rig, model_api: FakeModelApi) -> None:
    await limit(priced, cost_microusd=100_000)
    model_api.script(*reads(9, usage=USAGE))
    session_id = await priced.new("Read on")
    ended = await priced.ended()
    assert (ended.status, ended.reason, ended.cost_microusd) == ("limit", "cost", 2 * COST)
    assert len(model_api.requests) == 2
    assert "$0.10 per turn" in ended.detail
    warned = [notice.text for notice in priced.events(Notice) if notice.kind == "limit"]
    assert warned == ["90 % of the limit of $0.10 per turn is used."]
    await priced.engine.handle(ContinueTurn(session_id=session_id))
    assert (await priced.ended(2)).reason == "cost"
    whole(priced, session_id)


async def test_the_limit_of_a_chat_counts_all_its_turns(priced: Rig, model_api: FakeModelApi) -> None:
    await limit(priced, chat_microusd=100_000)
    model_api.script(text_turn("one", usage=USAGE), text_turn("two", usage=USAGE))
    session_id = await priced.new("One")
    await priced.ended()
    await priced.engine.handle(SendMessage(session_id=session_id, text="two"))
    await priced.ended(2)
    await priced.engine.handle(SendMessage(session_id=session_id, text="three"))
    ended = await priced.ended(3)
    assert (ended.status, ended.reason, ended.steps) == ("limit", "chat_cost", 0)
    more = Limits(chat_microusd=500_000)
    model_api.script(text_turn("three", usage=USAGE))
    await priced.engine.handle(RaiseLimits(session_id=session_id, limits=more))
    assert (await priced.ended(4)).status == "completed"


@pytest.mark.promise("memory-SB9")
@pytest.mark.parametrize("others", [0, 500_000])
async def test_what_a_person_said_a_chat_may_cost_holds_until_they_lift_it(
    priced: Rig, model_api: FakeModelApi, others: int
) -> None:
    await limit(priced, chat_microusd=others)
    model_api.script(*reads(9, usage=USAGE))
    session_id = await priced.new("Read on, but spend at most $0.10")
    ended = await priced.ended()
    assert (ended.status, ended.reason, ended.cost_microusd) == ("limit", "chat_cost", 2 * COST)
    (one,) = priced.engine.sessions.get(session_id).state.boundaries
    assert (one.title, one.rules, one.holds) == ("Spend at most $0.10", (), True)
    for scope in ("project", "session"):
        keep = KeepBoundary(session_id=session_id, boundary_id=one.boundary_id, scope=scope)
        await priced.engine.handle(keep)
    assert [failed.code for failed in priced.failures()] == ["limit"]
    assert priced.engine.sessions.get(session_id).state.boundaries[0].state == "kept"
    await priced.engine.handle(ContinueTurn(session_id=session_id))
    assert (await priced.ended(2)).reason == "chat_cost"
    await priced.engine.handle(DismissBoundary(session_id=session_id, boundary_id=one.boundary_id))
    model_api.script(text_turn("done", usage=USAGE))
    await priced.engine.handle(ContinueTurn(session_id=session_id))
    assert (await priced.ended(3)).status == "completed"


async def test_the_limit_of_a_day_counts_all_chats_and_survives_a_restart(
    priced: Rig, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    await limit(priced, day_microusd=100_000)
    model_api.script(text_turn("one", usage=USAGE), text_turn("two", usage=USAGE))
    await priced.new("One")
    await priced.ended()
    await priced.new("Two")
    await priced.ended(2)
    await priced.new("Three")
    assert (await priced.ended(3)).reason == "day_cost"
    await priced.engine.stop()
    again = await Rig(folders, clock=since_noon).open(repository)
    try:
        await again.new("Four")
        assert (await again.ended()).reason == "day_cost"
        assert len(model_api.requests) == 2
    finally:
        await again.engine.stop()


async def test_two_chats_at_once_share_the_limit_of_the_day(priced: Rig, model_api: FakeModelApi) -> None:
    await limit(priced, day_microusd=150_000)
    model_api.script(*reads(20, usage=USAGE))
    await asyncio.gather(priced.new("One"), priced.new("Two"))
    await priced.ended(2)
    assert {event.reason for event in priced.events(TurnEnded)} == {"day_cost"}
    assert len(model_api.requests) <= 4


@pytest.mark.promise("sessions-SK8")
async def test_without_a_price_a_cost_limit_keeps_the_turn_from_starting(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hi"))
    session_id = await rig.new("Hi")
    await rig.ended()
    await limit(rig, cost_microusd=100_000)
    await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
    await rig.new("Another")
    assert [failure.code for failure in rig.failures()] == ["no_price", "no_price"]
    assert rig.failures()[0].text.startswith("There is no price for fake-model, so the cost limit cannot be kept.")
    assert len(rig.events(TurnStarted)) == 1
    assert len(rig.engine.sessions.opened()) == 1


async def test_a_model_without_a_price_chosen_in_the_turn_ends_it(priced: Rig, model_api: FakeModelApi) -> None:
    await limit(priced, cost_microusd=1_000_000)
    model_api.script(tool_turn("bash", command="touch x"))
    session_id = await priced.new("Touch")
    asked = await priced.asked()
    await priced.engine.handle(SetModel(session_id=session_id, endpoint_id="paid", model="nobody-knows-it"))
    await priced.answer(session_id, asked, Answer(outcome="allow_once"))
    assert ((await priced.ended()).status, priced.events(TurnEnded)[0].reason) == ("failed", "no_price")


@pytest.mark.promise("sessions-SK1")
async def test_what_failed_attempts_used_counts(priced: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("half", fault="error:overloaded_error", usage=USAGE), text_turn("whole", usage=USAGE))
    session_id = await priced.new("Say")
    ended = await priced.ended()
    failed = priced.events(ProviderFailed)[0]
    assert failed.usage.input == 10_000
    assert failed.cost_microusd
    assert ended.usage.input == 20_000
    assert ended.cost_microusd == COST + failed.cost_microusd
    state = priced.engine.sessions.get(session_id).state
    assert (state.cost_microusd, state.cost_unknown) == (ended.cost_microusd, False)


async def test_running_time_does_not_count_waiting_for_people(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    ahead = timedelta()
    rig = await Rig(folders, clock=lambda: utc_now() + ahead).open(repository)
    try:
        await limit(rig, running_s=60)
        model_api.script(tool_turn("bash", command="touch x"), tool_turn("bash", command="touch y"), text_turn("done"))
        session_id = await rig.new("Touch")
        asked = await rig.asked()
        ahead = timedelta(hours=5)
        await rig.answer(session_id, asked, Answer(outcome="allow_once"))
        asked = await rig.asked(2)
        await rig.answer(session_id, asked, Answer(outcome="allow_once"))
        assert (await rig.ended()).status == "completed"

        model_api.script(*reads(2), text_turn("never"))
        await rig.engine.handle(SendMessage(session_id=session_id, text="more"))
        await rig.until(lambda updates: len(rig.events(TurnStarted)) == 2)
        ahead = timedelta(hours=6)
        ended = await rig.ended(2)
        assert (ended.status, ended.reason) == ("limit", "time")
        assert notes(rig)[-1] == "step_limit"
        whole(rig, session_id)
    finally:
        await rig.engine.stop()


async def test_money_that_goes_fast_is_told_once_in_a_turn(priced: Rig, model_api: FakeModelApi) -> None:
    model_api.script(*reads(4, usage={"input_tokens": 100_000, "output_tokens": 10_000}), text_turn("done"))
    await priced.new("Read")
    await priced.ended()
    alarms = [update.text for update in priced.updates if isinstance(update, SpendAlarm)]
    assert alarms == ["This chat spent $1.35 in its last 5 minutes of running."]
