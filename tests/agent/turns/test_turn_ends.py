"""How turns end: stops in every state, work after the last pass, the order of calls."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from desktop.agent.core.session import Session
from desktop.config.folders import Folders
from desktop.domain.commands import AnswerInput, Interrupt, SaveSettings, SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import Activity
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    UserMessage,
)
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.history.state_of import message_text
from desktop.domain.updates import ActivityChanged, RetryScheduled, TextDelta, ToolInputDelta
from tests.agent.rig import Rig
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import FakeModelApi, http_failure, text_turn, tool_turn, turn

pytestmark = pytest.mark.asyncio
LONG_INPUT = {"file_path": "a.txt", "content": "word " * 400}


@pytest.mark.parametrize(
    ("answer", "seen"),
    [
        (text_turn("", fault="stall_before"), None),
        (text_turn("", fault="stall_before_event"), None),
        (text_turn("some words", fault="stall"), TextDelta),
        (turn("", [("write_file", LONG_INPUT)], delay_s=0.02), ToolInputDelta),
    ],
    ids=["request", "headers", "text", "tool input"],
)
async def test_a_stop_while_the_model_is_asked_leaves_a_whole_log(
    rig: Rig, model_api: FakeModelApi, answer: Any, seen: type | None
) -> None:
    model_api.script(answer)
    session_id = await rig.new("Do")
    await rig.until(lambda updates: model_api.requests and (not seen or any(isinstance(u, seen) for u in updates)))
    for _ in range(3):
        await rig.engine.handle(Interrupt(session_id=session_id))
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("interrupted", "stop")
    assert len(rig.events(TurnEnded)) == 1
    kept = [message_text(message) for message in rig.events(AssistantMessage)]
    assert kept == (["some words"] if seen is TextDelta else [])
    assert not rig.events(ToolCallStarted)
    whole(rig, session_id)


async def test_a_stop_among_eight_parallel_reads_gives_each_one_result(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(turn("", [("read_file", {"file_path": "app.py", "limit": n}) for n in range(1, 11)]))
    session_id = await rig.new("Read")
    await rig.until(lambda updates: rig.events(ToolCallStarted))
    await rig.engine.handle(Interrupt(session_id=session_id))
    assert (await rig.ended()).reason == "stop"
    assert len(rig.events(ToolCallFinished)) == 10
    whole(rig, session_id)


async def test_a_stop_in_the_wait_for_another_attempt_ends_it(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(http_failure(503, headers={"retry-after": "600"}), text_turn("never"))
    session_id = await rig.new("Do")
    await rig.until(lambda updates: [u for u in updates if isinstance(u, RetryScheduled)])
    await rig.engine.handle(Interrupt(session_id=session_id, after_step=True))
    assert (await rig.ended()).reason == "stop"
    assert len(model_api.requests) == 1


@pytest.mark.parametrize("first", ["stop", "answer"])
async def test_an_approval_in_the_moment_of_a_stop_runs_once_or_not_at_all(
    rig: Rig, model_api: FakeModelApi, first: str
) -> None:
    model_api.script(tool_turn("bash", command="echo run >> runs"))
    session_id = await rig.new("Run")
    asked = await rig.asked()
    assert isinstance(asked.request, ApprovalRequest)
    answer = AnswerInput(
        session_id=session_id,
        input_id=asked.input_id,
        answer=Answer(outcome="allow_once"),
        digest=asked.request.digest,
    )
    commands = [Interrupt(session_id=session_id), answer]
    for command in commands if first == "stop" else reversed(commands):
        await rig.engine.handle(command)
    assert (await rig.ended()).reason == "stop"
    ran = (rig.lane(session_id) / "runs").exists()
    outcomes = [event.outcome for event in rig.events(ToolCallFinished)]
    assert outcomes in ([["interrupted"], ["ok"]] if ran else [["cancelled"], ["interrupted"]])
    whole(rig, session_id)


async def test_after_a_stop_the_model_hears_what_was_done_and_then_the_new_wish(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("write_file", file_path="a.txt", content="a"), tool_turn("bash", command="touch x"))
    session_id = await rig.new("Two steps")
    await rig.asked()
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended()
    for number, text in enumerate(("keep going", "no, undo it"), 2):
        model_api.script(text_turn("well"))
        await rig.engine.handle(SendMessage(session_id=session_id, text=text))
        await rig.ended(number)
        told = str(model_api.requests[-1].messages)
        assert told.count("The user stopped this turn") == 1
        assert "a.txt" in told
        assert told.index("The user stopped this turn") < told.index(text)


async def test_a_stop_after_the_end_does_nothing(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("done"), text_turn("again"))
    session_id = await rig.new("Do")
    await rig.ended()
    for after_step in (False, True):
        await rig.engine.handle(Interrupt(session_id=session_id, after_step=after_step))
    await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
    assert (await rig.ended(2)).status == "completed"
    assert not rig.failures()


@pytest.mark.promise("sessions-SL16")
async def test_text_and_calls_are_shown_in_the_order_of_their_making(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(turn("before the call " * 10, [("read_file", {"file_path": "app.py"})], delay_s=0.001))
    model_api.more(text_turn("after the call"))
    await rig.new("Do")
    await rig.ended()
    kinds = [type(u).__name__ for u in rig.updates if isinstance(u, TextDelta | ToolInputDelta)]
    last_text = len(kinds) - 1 - kinds[::-1].index("ToolInputDelta")
    assert "TextDelta" not in kinds[kinds.index("ToolInputDelta") : last_text]
    shown = "".join(u.text for u in rig.updates if isinstance(u, TextDelta))
    assert shown == "before the call " * 10 + "after the call"


async def test_reads_run_together_a_write_alone_and_results_keep_the_order(rig: Rig, model_api: FakeModelApi) -> None:
    def read(n: int) -> tuple[str, dict[str, Any]]:
        return ("read_file", {"file_path": "app.py", "limit": n})

    write = ("write_file", {"file_path": "new.txt", "content": "x"})
    model_api.script(turn("", [read(1), read(2), read(3), write, read(4), read(5)]), text_turn("done"))
    session_id = await rig.new("Mix")
    await rig.ended()
    log = [e.event for e in rig.engine.sessions.get(session_id).log]
    steps = [e for e in log if isinstance(e, ToolCallStarted | ToolCallFinished)]
    written = next(e.call_id for e in steps if isinstance(e, ToolCallStarted) and e.tool == "write_file")
    begin = next(at for at, e in enumerate(steps) if e.call_id == written)
    assert steps[begin + 1].call_id == written
    assert (begin, len(steps)) == (6, 12)
    assert [type(e) for e in steps[:3]] == [ToolCallStarted] * 3
    uses = [part["id"] for part in model_api.requests[1].messages[-2]["content"]]
    assert [part["tool_use_id"] for part in model_api.requests[1].messages[-1]["content"]] == uses


@pytest.mark.parametrize("name", ["write_file", "Write", "writeFile"])
async def test_plan_mode_refuses_a_write_by_any_name_without_a_card(
    rig: Rig, model_api: FakeModelApi, name: str
) -> None:
    model_api.script(tool_turn(name, file_path="x.txt", content="x"), text_turn("I see"))
    session_id = await rig.new("Write x", PermissionMode.PLAN)
    await rig.ended()
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["refused"]
    assert not rig.engine.sessions.get(session_id).state.open_inputs
    assert not (rig.lane(session_id) / "x.txt").exists()


async def test_more_chats_than_slots_wait_their_turn(rig: Rig, model_api: FakeModelApi) -> None:
    settings = rig.engine.settings.current.model_copy(update={"turns_at_once": 1})
    await rig.engine.handle(SaveSettings(settings=settings))
    model_api.script(tool_turn("bash", command="touch x"), text_turn("third"))
    first = await rig.new("First")
    await rig.asked()
    second = await rig.new("Second")
    third = await rig.new("Third")
    waiting = [u.session_id for u in rig.updates if isinstance(u, ActivityChanged) and u.activity is Activity.QUEUED]
    await rig.until(lambda updates: rig.engine.sessions.get(third).activity is Activity.QUEUED)
    assert waiting[:1] == [second]
    await rig.engine.handle(Interrupt(session_id=second))
    assert (await rig.ended()).reason == "stop"
    assert len(model_api.requests) == 1
    await rig.engine.handle(Interrupt(session_id=first))
    await rig.ended(3)
    assert [event.status for event in rig.events(TurnEnded)] == ["interrupted", "interrupted", "completed"]
    for session_id in (first, second, third):
        whole(rig, session_id)


# Work after the last pass


async def fails(session: Session) -> str:
    raise ValueError("no formatter")


async def says(session: Session) -> str:
    return "Two files were formatted."


async def silent(session: Session) -> str:
    return ""


async def test_what_came_of_post_turn_work_is_one_note_for_people_and_model(
    rig: Rig, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    rig.engine.parts.chats.turns.commands.driver.own.post_turn += [says, silent, fails]
    model_api.script(text_turn("done"), text_turn("again"), text_turn("and again"))
    session_id = await rig.new("Do")
    assert (await rig.ended()).status == "completed"
    told = [event for event in rig.events(UserMessage) if event.note_kind == "post_turn"]
    assert len(told) == 1
    assert "Two files were formatted.\nWork after the turn failed: ValueError: no formatter" in message_text(told[0])
    rig.engine.parts.chats.turns.commands.driver.own.post_turn.clear()
    await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
    await rig.ended(2)
    assert str(model_api.requests[1].messages).count("Two files were formatted.") == 1
    await rig.engine.stop()
    again = await Rig(folders).open(repository)
    try:
        await again.engine.handle(SendMessage(session_id=session_id, text="and again"))
        await again.ended()
        assert str(model_api.requests[2].messages).count("Two files were formatted.") == 1
    finally:
        await again.engine.stop()


async def test_post_turn_work_without_words_leaves_no_note(rig: Rig, model_api: FakeModelApi) -> None:
    rig.engine.parts.chats.turns.commands.driver.own.post_turn.append(silent)
    model_api.script(text_turn("done"))
    await rig.new("Do")
    await rig.ended()
    assert [event.origin for event in rig.events(UserMessage)] == ["person"]


async def test_a_stop_in_post_turn_work_ends_it_and_the_turn_stays_completed(rig: Rig, model_api: FakeModelApi) -> None:
    begun = asyncio.Event()

    async def endless(session: Session) -> str:
        begun.set()
        await asyncio.Event().wait()
        return "never"

    rig.engine.parts.chats.turns.commands.driver.own.post_turn.append(endless)
    model_api.script(text_turn("done"))
    session_id = await rig.new("Do")
    await begun.wait()
    await rig.engine.handle(Interrupt(session_id=session_id))
    assert (await rig.ended()).status == "completed"
    assert rig.events(UserMessage)[-1].note_kind == "post_turn"
    whole(rig, session_id)


async def test_after_a_stop_no_post_turn_work_is_done(rig: Rig, model_api: FakeModelApi) -> None:
    rig.engine.parts.chats.turns.commands.driver.own.post_turn.append(says)
    model_api.script(tool_turn("bash", command="touch x"))
    session_id = await rig.new("Do")
    await rig.asked()
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended()
    assert [event.note_kind for event in rig.events(UserMessage)] == ["", "stopped"]


async def test_the_time_for_which_a_person_was_waited_for_is_on_record(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch made"), text_turn("done"))
    session_id = await rig.new("make it")
    asked = await rig.asked()
    opened = rig.engine.sessions.get(session_id).state.open_inputs[asked.input_id]
    await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    ended = await rig.ended()
    resolved = next(one for one in rig.updates if isinstance(one, Envelope) and one.kind == "input_resolved")
    between_ms = (resolved.at - opened.since).total_seconds() * 1000
    assert ended.waited_ms == min(round(between_ms), ended.duration_ms)
