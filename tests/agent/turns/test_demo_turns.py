"""The shipped demos through the real engine, gate, tools and store, in the sample repository."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.agent.options import EngineOptions
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.events import (
    AssistantMessage,
    InputRequested,
    ProviderFailed,
    TitleChanged,
    TodosChanged,
    ToolCallFinished,
    TurnEnded,
)
from desktop.domain.gate.pending import Answer
from desktop.domain.reports.updates import ReportsChanged
from desktop.domain.reports.values import ReportView
from desktop.services.sample_repository import create_sample_repository
from tests.agent.rig import Rig, folders_below

pytestmark = pytest.mark.asyncio
Person = Callable[[InputRequested], Answer]


@pytest_asyncio.fixture
async def demo(tmp_path: Path) -> AsyncIterator[Rig]:
    repository = create_sample_repository(tmp_path / "shop")
    rig = await Rig(folders_below(tmp_path / "home"), EngineOptions(demo_pace_s=0)).open(repository)
    yield rig
    await rig.engine.stop()


def willing(choice: str) -> Person:
    def answer(requested: InputRequested) -> Answer:
        if requested.request.kind == "question":
            return Answer(outcome="answered", choices={"rounding": (choice,)})
        return Answer(outcome="allow_once")

    return answer


def unwilling(requested: InputRequested) -> Answer:
    return Answer(outcome="reject", note="not now")


async def play(
    rig: Rig, text: str, person: Person, mode: PermissionMode = PermissionMode.EDIT
) -> tuple[str, TurnEnded]:
    """One demo from its first message to the end of the turn, with a person who answers every card."""
    session_id = await rig.new(text, mode, endpoint_id="demo", model="demo")

    async def answer_cards() -> None:
        for number in range(1, 30):
            requested = await rig.asked(number)
            await rig.answer(session_id, requested, person(requested))

    answering = asyncio.ensure_future(answer_cards())
    try:
        return session_id, await rig.ended()
    finally:
        answering.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await answering


def last_reports(updates: list[Update]) -> list[ReportView]:
    """The last report of the chat, each time that the window was told of it."""
    return [one.reports[-1] for one in updates if isinstance(one, ReportsChanged) and one.reports]


def outcomes(rig: Rig) -> list[str]:
    return [event.outcome for event in rig.events(ToolCallFinished)]


@pytest.mark.parametrize(
    ("choice", "line"),
    [
        ("Once, on the sum", "discounted(self.subtotal(), discount_percent) + shipping_cents"),
        ("Each line", "return self.subtotal(discount_percent) + shipping_cents"),
    ],
)
async def test_the_tour_fixes_the_bug_as_the_person_chose(demo: Rig, choice: str, line: str) -> None:
    session_id, ended = await play(demo, "Fix the discount", willing(choice))
    assert ended.status == "completed"
    assert line in (demo.lane(session_id) / "shop" / "cart.py").read_text()
    assert outcomes(demo) == ["ok", "ok", "ok", "error", "ok", "ok", "ok", "ok", "ok", "ok"]
    told = await demo.until(lambda updates: next((one for one in last_reports(updates) if one.done), None))
    assert (told.title, told.count, told.done) == ("Completed", "2 of 2 claims proved", True)
    assert {todo.status for todo in demo.events(TodosChanged)[-1].todos} == {"completed"}
    assert demo.events(TitleChanged)[-1].title == "Discount is taken once, not twice"
    assert demo.events(AssistantMessage)[-1].cost_microusd == 0
    assert not demo.failures()


async def test_the_tour_says_what_it_could_not_do_when_everything_is_declined(demo: Rig) -> None:
    session_id, ended = await play(demo, "tour", unwilling)
    assert ended.status == "completed"
    assert "declined" in outcomes(demo)
    last = demo.events(AssistantMessage)[-1].parts[0]
    assert isinstance(last, dict)
    assert str(last["text"]).startswith("The change is made; the tests have not confirmed it")
    assert "self.subtotal(), discount_percent" in (demo.lane(session_id) / "shop" / "cart.py").read_text()


async def test_the_tour_in_plan_mode_does_not_claim_a_change(demo: Rig) -> None:
    session_id, ended = await play(demo, "tour", willing("Each line"), PermissionMode.PLAN)
    assert ended.status == "completed"
    last = demo.events(AssistantMessage)[-1].parts[0]
    assert isinstance(last, dict)
    assert str(last["text"]).startswith("That is as far as I get")
    assert "discounted(self.subtotal(discount_percent)" in (demo.lane(session_id) / "shop" / "cart.py").read_text()


async def test_the_plan_is_refused_a_change_and_then_carried_out(demo: Rig) -> None:
    session_id, ended = await play(demo, "plan", willing(""), PermissionMode.PLAN)
    assert ended.status == "completed"
    assert outcomes(demo) == ["ok", "ok", "refused", "ok", "ok", "ok", "ok"]
    assert "self.subtotal(), discount_percent" in (demo.lane(session_id) / "shop" / "cart.py").read_text()


async def test_a_plan_that_is_declined_changes_nothing(demo: Rig) -> None:
    session_id, ended = await play(demo, "plan", unwilling, PermissionMode.PLAN)
    assert ended.status == "completed"
    assert "discounted(self.subtotal(discount_percent)" in (demo.lane(session_id) / "shop" / "cart.py").read_text()


async def test_the_retry_survives_an_overloaded_service_and_a_cut(demo: Rig) -> None:
    _, ended = await asyncio.wait_for(play(demo, "retry", willing("")), 25)
    assert ended.status == "completed"
    assert [event.category for event in demo.events(ProviderFailed)] == ["overloaded", "overloaded", "network"]
    texts = [str(p["text"]) for m in demo.events(AssistantMessage)[1:] for p in m.parts if isinstance(p, dict)]
    assert "".join(texts).startswith("This answer was cut in its middle once.")
    assert "".join(texts).endswith("nothing ran twice.")
