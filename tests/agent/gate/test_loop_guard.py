"""An agent that makes the same call over and over: told at the third, asked before the fifth (sessions-SL22)."""

from typing import Any

import pytest

from desktop.agent.gate.calls.loop_guard import REPEATED, LoopGuard
from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.domain.commands import Interrupt, SendMessage
from desktop.domain.events import InputRequested, InputResolved, ToolCallFinished, ToolCallStarted, UserMessage
from desktop.domain.gate.pending import Answer, QuestionRequest
from tests.agent.rig import Rig
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn, turn

MISSING = {"file_path": "missing.txt"}
GO_ON = Answer(outcome="answered", choices={"repeat": ("go on",)})
STOP = Answer(outcome="answered", choices={"repeat": ("stop",)})


def missing(times: int) -> list[Any]:
    """Answers that each read the same file that is not there."""
    return [tool_turn("read_file", **MISSING) for _ in range(times)]


def results(rig: Rig) -> list[str]:
    """The results, in order."""
    return [str(event.content) for event in rig.events(ToolCallFinished)]


@pytest.mark.promise("sessions-SL22")
@pytest.mark.asyncio
async def test_the_third_result_says_so_and_the_fifth_call_waits_for_a_person(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(*missing(5), text_turn("done"))
    session_id = await rig.new("Read")
    asked = await rig.asked()
    assert isinstance(asked.request, QuestionRequest)
    assert asked.request.title == "The agent repeats the same call"
    assert [option.label for option in asked.request.questions[0].options] == ["Go on", "Stop"]
    assert [REPEATED in text for text in results(rig)] == [False, False, True, False]
    assert len(rig.events(ToolCallStarted)) == 4
    await rig.answer(session_id, asked, GO_ON)
    assert (await rig.ended()).status == "completed"
    assert len(results(rig)) == 5
    whole(rig, session_id)


@pytest.mark.asyncio
async def test_stop_at_the_question_ends_the_turn(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(*missing(5))
    session_id = await rig.new("Read")
    await rig.answer(session_id, await rig.asked(), STOP)
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("interrupted", "stop")
    assert rig.events(ToolCallFinished)[-1].outcome == "cancelled"
    assert rig.events(UserMessage)[-1].note_kind == "stopped"


@pytest.mark.asyncio
async def test_declining_to_answer_the_question_stops_too(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(*missing(5))
    session_id = await rig.new("Read")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="reject"))
    assert (await rig.ended()).status == "interrupted"


@pytest.mark.asyncio
async def test_a_stop_while_the_question_is_open_closes_it(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(*missing(5))
    session_id = await rig.new("Read")
    await rig.asked()
    await rig.engine.handle(Interrupt(session_id=session_id))
    assert (await rig.ended()).reason == "stop"
    assert rig.events(InputResolved)[0].reason == "interrupted"
    assert len(results(rig)) == 5


@pytest.mark.asyncio
async def test_with_nobody_to_ask_the_turn_ends_as_a_loop(
    folders: Folders, repository: Any, model_api: FakeModelApi
) -> None:
    rig = await Rig(folders, EngineOptions(can_ask=False, kind="hosted")).open(repository)
    try:
        model_api.script(*missing(5))
        await rig.new("Read")
        ended = await rig.ended()
        assert (ended.status, ended.reason) == ("loop", "loop")
        assert rig.events(UserMessage)[-1].note_kind == "loop"
        assert rig.events(ToolCallFinished)[-1].outcome == "cancelled"
        assert not rig.events(InputRequested)
    finally:
        await rig.engine.stop()


@pytest.mark.asyncio
async def test_the_same_calls_in_one_answer_are_counted_in_order(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(turn("", [("read_file", MISSING)] * 5), text_turn("done"))
    session_id = await rig.new("Read")
    asked = await rig.asked()
    assert len(results(rig)) == 4
    await rig.answer(session_id, asked, GO_ON)
    await rig.ended()
    whole(rig, session_id)


@pytest.mark.asyncio
async def test_a_new_turn_counts_anew_and_other_results_too(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(*missing(4), text_turn("done"), *missing(4), text_turn("done"))
    session_id = await rig.new("Read")
    await rig.ended()
    await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
    assert (await rig.ended(2)).status == "completed"
    assert not rig.events(InputRequested)


def made(guard: LoopGuard, tool: str, result: str, raw: Any = None) -> str:
    """Make a call and give it this result; the result as it is told."""
    guard.made("s", "c", tool, raw or {})
    return guard.noted("s", "c", result)


def test_a_differing_result_in_between_never_asks() -> None:
    guard = LoopGuard()
    for number in range(40):
        assert not guard.one_too_many("s", "bash", {})
        assert REPEATED not in made(guard, "bash", f"{number // 2}")


def test_two_calls_in_turn_ask_before_the_sixth_of_each() -> None:
    guard = LoopGuard()
    for _ in range(5):
        for tool in ("read_file", "glob"):
            assert not guard.one_too_many("s", tool, {})
            assert made(guard, tool, "same") == "same"
    assert guard.one_too_many("s", "read_file", {})
    assert guard.one_too_many("s", "glob", {})
    guard.allow("s")
    assert not guard.one_too_many("s", "read_file", {})


def test_five_equal_calls_among_more_than_twenty_do_not_ask() -> None:
    guard = LoopGuard()
    for number in range(5):
        made(guard, "glob", "same")
        for other in range(3):
            made(guard, "read_file", "x", {"file_path": f"{number} {other}"})
    assert guard.one_too_many("s", "glob", {})
    made(guard, "read_file", "x", {"file_path": "one more"})
    assert not guard.one_too_many("s", "glob", {})


@pytest.mark.parametrize("tool", ["set_chat_summary", "report_completion", "ask_user"])
def test_calls_about_the_chat_and_questions_are_not_counted(tool: str) -> None:
    guard = LoopGuard()
    for _ in range(9):
        assert made(guard, tool, "same") == "same"
    assert not guard.one_too_many("s", tool, {})
    assert not guard.same(tool, {}, tool, {})


def test_the_order_of_arguments_makes_no_other_call() -> None:
    guard = LoopGuard()
    assert guard.same("grep", {"a": 1, "b": 2}, "grep", {"b": 2, "a": 1})
    assert not guard.same("grep", {"a": 1}, "grep", {"a": 2})
    assert not guard.same("grep", {"a": 1}, "glob", {"a": 1})
