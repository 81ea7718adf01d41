"""What an agent is reminded of about its todo list, through the real engine (sessions-SL13 to sessions-SL15,
sessions-SD3)."""

from typing import Any

import pytest

from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.domain.commands import ContinueTurn, Interrupt, SendMessage, SetMode
from desktop.domain.context.events import ContextCleared
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import Todo
from desktop.domain.events import TodosChanged, TurnEnded, TurnStarted, UserMessage
from desktop.domain.gate.pending import Answer
from desktop.domain.history.state_of import message_text
from desktop.domain.updates import TextDelta
from tests.agent.rig import Rig
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import Call, FakeModelApi, http_failure, text_turn, tool_turn, turn

pytestmark = pytest.mark.asyncio


def todos(*items: tuple[str, str]) -> Any:
    """An answer that writes this list."""
    return tool_turn("todo_write", todos=[{"id": text, "content": text, "status": status} for text, status in items])


OPEN = todos(("first", "completed"), ("second", "pending"))
DONE = todos(("first", "completed"), ("second", "completed"))


def reminders(rig: Rig) -> list[UserMessage]:
    """The reminders, in order."""
    return [event for event in rig.events(UserMessage) if event.origin == "reminder"]


@pytest.mark.promise("sessions-SL14")
async def test_open_todos_at_a_natural_end_lead_to_one_more_pass(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(OPEN, text_turn("I am done."), DONE, text_turn("Now really."))
    session_id = await rig.new("Work")
    ended = await rig.ended()
    assert (ended.status, ended.passes, ended.open_todos, ended.steps) == ("completed", 2, 0, 4)
    assert len(reminders(rig)) == 1
    text = message_text(reminders(rig)[0])
    assert "second" in text
    assert "first" not in text
    assert text.startswith('<banksman-note kind="todos">')
    assert "open items" in str(model_api.requests[2].messages[-1])
    whole(rig, session_id)


@pytest.mark.promise("sessions-SL14")
async def test_todos_that_stay_open_get_no_second_reminder(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(OPEN, text_turn("I am done."), text_turn("I leave it."))
    await rig.new("Work")
    ended = await rig.ended()
    assert (ended.passes, ended.open_todos, len(reminders(rig))) == (2, 1, 1)


@pytest.mark.promise("sessions-SL13")
@pytest.mark.parametrize("order", ["before", "with"])
async def test_calls_about_the_chat_do_not_keep_the_reminder_away(
    rig: Rig, model_api: FakeModelApi, order: str
) -> None:
    summary = ("set_chat_summary", {"summary": "Working"})
    last = turn("I am done.", [summary]) if order == "with" else text_turn("I am done.")
    before = [turn("", [summary, Call("todo_read")])] if order == "before" else []
    model_api.script(OPEN, *before, last, DONE, text_turn("Now really."))
    await rig.new("Work")
    ended = await rig.ended()
    assert (ended.status, ended.passes, len(reminders(rig))) == ("completed", 2, 1)


@pytest.mark.promise("sessions-SL15")
async def test_a_pass_without_text_gets_no_reminder(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(OPEN, turn("", [("set_chat_summary", {"summary": "Working"})]))
    await rig.new("Work")
    assert ((await rig.ended()).passes, reminders(rig)) == (1, [])


async def test_a_run_that_may_not_write_gets_no_reminder_at_all(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(OPEN, text_turn("Planned."), text_turn("Still planned."))
    session_id = await rig.new("Plan", PermissionMode.PLAN)
    await rig.ended()
    await rig.engine.handle(SendMessage(session_id=session_id, text="more"))
    await rig.ended(2)
    assert reminders(rig) == []
    assert "open items" not in str([request.messages for request in model_api.requests])


async def test_a_message_that_waits_goes_first(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(OPEN, text_turn("slow " * 60, fault="hold"), text_turn("Answer."), text_turn("Rest."))
    session_id = await rig.new("Work")
    await rig.until(lambda updates: [u for u in updates if isinstance(u, TextDelta)])
    await rig.engine.handle(SendMessage(session_id=session_id, text="wait, first this"))
    model_api.go_on()
    await rig.ended(2)
    kinds = [event.origin for event in rig.events(UserMessage)]
    assert kinds == ["person", "queued", "reminder"]
    assert [event.kind for event in rig.events(TurnStarted)] == ["prompt", "queued"]
    assert [event.passes for event in rig.events(TurnEnded)] == [1, 2]


async def test_after_a_stop_a_failure_or_a_refusal_nothing_follows(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(OPEN, turn("No.", stop_reason="refusal"))
    session_id = await rig.new("Work")
    assert (await rig.ended()).status == "completed"
    model_api.script(http_failure(401, "authentication_error"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
    await rig.ended(2)
    model_api.script(tool_turn("bash", command="touch x"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
    await rig.asked()
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended(3)
    assert [event.passes for event in rig.events(TurnEnded)] == [1, 1, 1]


@pytest.mark.promise("sessions-SD3")
async def test_after_a_turn_that_was_cut_off_the_list_is_told_before_the_message(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(OPEN, tool_turn("bash", command="touch x"))
    session_id = await rig.new("Work")
    await rig.asked()
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended()
    model_api.script(DONE, text_turn("done"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="go on"))
    await rig.ended(2)
    origins = [event.origin for event in rig.events(UserMessage)]
    assert origins == ["person", "note", "reminder", "person"]
    assert "otherwise replace the list" in message_text(reminders(rig)[0])
    assert model_api.requests[2].messages[-1]["content"][-1] == {"type": "text", "text": "go on"}
    whole(rig, session_id)


async def test_continuing_a_turn_repeats_no_reminder(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(OPEN, http_failure(401, "authentication_error"))
    session_id = await rig.new("Work")
    await rig.ended()
    model_api.script(DONE, text_turn("done"))
    await rig.engine.handle(ContinueTurn(session_id=session_id))
    await rig.ended(2)
    assert reminders(rig) == []


async def test_a_list_the_model_still_sees_is_not_told_again(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(OPEN, text_turn("I am done."), text_turn("I leave it."), DONE, text_turn("done"))
    session_id = await rig.new("Work")
    await rig.ended()
    await rig.engine.handle(SendMessage(session_id=session_id, text="go on"))
    await rig.ended(2)
    assert len(reminders(rig)) == 1


@pytest.mark.parametrize("how", ["cleared", "person"])
async def test_a_list_the_model_does_not_know_is_told_at_the_start(rig: Rig, model_api: FakeModelApi, how: str) -> None:
    model_api.script(OPEN, text_turn("I am done."), text_turn("I leave it."))
    session_id = await rig.new("Work")
    await rig.ended()
    changed = TodosChanged(todos=(Todo(id="a", content="by hand", status="pending"),), by="person")
    rig.engine.sessions.get(session_id).append(ContextCleared() if how == "cleared" else changed)
    model_api.script(DONE, text_turn("done"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="go on"))
    await rig.ended(2)
    assert len(reminders(rig)) == 2
    assert ("second" if how == "cleared" else "by hand") in message_text(reminders(rig)[1])


async def test_switching_to_plan_in_the_turn_keeps_the_reminder_away(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(OPEN, tool_turn("bash", command="touch x"), text_turn("Then I plan."))
    session_id = await rig.new("Work")
    await rig.asked()
    await rig.engine.handle(SetMode(session_id=session_id, mode=PermissionMode.PLAN))
    assert (await rig.ended()).passes == 1
    assert reminders(rig) == []


async def test_a_run_without_a_window_is_reminded_too(
    folders: Folders, repository: Any, model_api: FakeModelApi
) -> None:
    rig = await Rig(folders, EngineOptions(can_ask=False, kind="hosted")).open(repository)
    try:
        model_api.script(OPEN, text_turn("I am done."), DONE, text_turn("Now really."))
        await rig.new("Work")
        assert (await rig.ended()).passes == 2
    finally:
        await rig.engine.stop()


async def test_a_declined_call_does_not_keep_the_reminder_away(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(OPEN, tool_turn("bash", command="touch x"), text_turn("Without it, done."), text_turn("Yes."))
    session_id = await rig.new("Work")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="reject"))
    assert (await rig.ended()).passes == 2
