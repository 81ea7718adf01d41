"""What is there after the process was killed, or closed, in the middle of a turn."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from desktop.agent.core.last_calls import last_calls
from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.domain.chats.commands import ResolveUnknownCall
from desktop.domain.chats.queue_events import QueuePaused
from desktop.domain.commands import AnswerInput, ContinueTurn, OpenSession, SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import (
    InputResolved,
    ModeChanged,
    SessionResumed,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
)
from desktop.domain.gate.pending import Answer
from desktop.domain.history.builder import UNKNOWN_OUTCOME, to_messages
from desktop.domain.updates import SessionOpened, SessionsChanged
from desktop.policy.refusals import STOPPED_UNANSWERED
from desktop.services.processes.tree import SESSION_VARIABLE, marked_processes
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn, turn
from tests.forking import fork
from tests.validity import faults

pytestmark = pytest.mark.asyncio

ROOT = Path(__file__).resolve().parents[3]
LONG = "echo run >> runs; touch begun; sleep 30"


def kill_at(moment: str, folders: Folders, repository: Path) -> str:
    """Run a turn in another process and kill it (SIGKILL) at that moment; the chat's id."""
    home = folders.config.parent
    process = fork("tests.agent.victim", [str(home), str(repository), moment], ROOT, dict(os.environ), session=True)
    with process:
        assert process.stdout is not None
        session_id = process.stdout.readline().decode().strip()
        os.killpg(process.pid, signal.SIGKILL)
        process.stdout.read()  # to its end: a child of it, not yet another program, still has the store open
    assert session_id
    return session_id


async def test_killed_while_a_card_is_open_the_call_never_ran_and_asks_anew(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command=LONG))
    session_id = kill_at("asked", folders, repository)
    rig = await Rig(folders).open(repository)
    try:
        session = rig.engine.sessions.get(session_id)
        assert session.state.interrupted
        assert not session.state.open_inputs
        resolved = [e.event for e in session.log if isinstance(e.event, InputResolved)]
        assert [event.reason for event in resolved] == ["restart"]
        model_api.script(text_turn("done"))
        await rig.engine.handle(ContinueTurn(session_id=session_id))
        asked = await rig.asked()
        assert not (rig.lane(session_id) / "runs").exists()
        await rig.answer(session_id, asked, Answer(outcome="reject"))
        assert (await rig.ended(2)).status == "completed"
    finally:
        await rig.engine.stop()


@pytest.mark.promise("sessions-SR4")
async def test_killed_between_approval_and_result_the_command_is_not_run_again(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command=LONG))
    session_id = kill_at("started", folders, repository)
    rig = await Rig(folders).open(repository)
    try:
        session = rig.engine.sessions.get(session_id)
        assert session.state.interrupted
        ended = [e.event for e in session.log if isinstance(e.event, TurnEnded)]
        assert [(event.status, event.reason) for event in ended] == [("interrupted", "restart")]
        model_api.script(text_turn("I see"))
        await rig.engine.handle(ContinueTurn(session_id=session_id))
        await rig.ended(2)
        request = model_api.requests[-1]
        assert UNKNOWN_OUTCOME in str(request.messages)
        assert not faults(request.messages)
        assert (rig.lane(session_id) / "runs").read_text() == "run\n"
        assert len([e for e in session.log if isinstance(e.event, ToolCallStarted)]) == 1
    finally:
        await rig.engine.stop()


async def test_after_a_kill_a_new_message_says_what_happened(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command=LONG))
    session_id = kill_at("started", folders, repository)
    rig = await Rig(folders).open(repository)
    try:
        model_api.script(text_turn("fine"))
        await rig.engine.handle(SendMessage(session_id=session_id, text="never mind"))
        await rig.until(lambda updates: rig.events(TurnEnded)[1:])
        assert "closed while the last turn was running" in str(model_api.requests[-1].messages)
        assert not faults(model_api.requests[-1].messages)
    finally:
        await rig.engine.stop()


async def test_the_list_says_interrupted_without_opening_the_chat(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command=LONG))
    session_id = kill_at("asked", folders, repository)
    first = await Rig(folders).open(repository)
    await first.engine.stop()
    rig = await Rig(folders).open(repository)
    try:
        lists = [update for update in rig.updates if isinstance(update, SessionsChanged)]
        assert [(chat.session_id, chat.interrupted) for chat in lists[-1].sessions] == [(session_id, True)]
    finally:
        await rig.engine.stop()


@pytest.mark.promise("sessions-SR2")
async def test_closing_with_a_card_open_records_the_stop_and_the_log_stays_valid(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch x"))
    rig = await Rig(folders).open(repository)
    session_id = await rig.new("Touch")
    await rig.asked()
    await rig.engine.stop()
    again = await Rig(folders).open(repository)
    try:
        session = again.engine.sessions.get(session_id)
        assert session.state.turn is None
        assert not session.state.open_inputs
        outcomes = [e.event.outcome for e in session.log if isinstance(e.event, ToolCallFinished)]
        assert outcomes == ["cancelled"]
        assert [e.event.reason for e in session.log if isinstance(e.event, InputResolved)] == ["restart"]
        assert not faults(to_messages(session.log))
        assert not again.engine._store.events.verify(session_id)
    finally:
        await again.engine.stop()


@pytest.mark.promise("gate-R5")
@pytest.mark.promise("sessions-SR6")
async def test_full_auto_and_grants_end_with_the_process(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch d"), text_turn("done"))
    rig = await Rig(folders).open(repository)
    session_id = await rig.new("Date")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_always", scope="session"))
    await rig.ended()
    assert rig.engine.sessions.get(session_id).rules
    await rig.engine.stop()
    again = await Rig(folders).open(repository)
    try:
        assert not again.engine.sessions.get(session_id).rules
        assert again.engine.sessions.get(session_id).state.mode is PermissionMode.EDIT
    finally:
        await again.engine.stop()


async def test_a_killed_app_takes_its_commands_with_it(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="setsid sleep 51 & touch begun; sleep 52"))
    session_id = kill_at("started", folders, repository)
    async with asyncio.timeout(20):
        while marked_processes(SESSION_VARIABLE, (session_id,)):
            await asyncio.sleep(0.05)


@pytest.mark.promise("sessions-SR1")
async def test_looking_at_a_chat_adds_nothing_to_its_record(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("read_file", file_path="app.py"), text_turn("done"))
    first = await Rig(folders).open(repository)
    session_id = await first.new("Look")
    await first.ended()
    await first.engine.stop()
    rig = await Rig(folders).open(repository)
    try:
        before = rig.engine._store.events.read(session_id)
        await rig.engine.handle(OpenSession(session_id=session_id))
        assert [update.session_id for update in rig.updates if isinstance(update, SessionOpened)] == [session_id]
        assert rig.engine._store.events.read(session_id) == before
    finally:
        await rig.engine.stop()


@pytest.mark.promise("sessions-SR7")
async def test_what_still_runs_of_a_killed_process_is_ended_and_named(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch begun; sleep 52"))
    session_id = kill_at("started", folders, repository)
    environment = {"PATH": os.defpath, SESSION_VARIABLE: session_id}
    left = await asyncio.create_subprocess_exec("sleep", "51", env=environment)
    rig = await Rig(folders).open(repository)
    try:
        assert not marked_processes(SESSION_VARIABLE, (session_id,))
        last = rig.engine.sessions.get(session_id).state.last_turn
        assert last is not None
        assert "Still running and ended now: " in last.detail
        assert f"sleep (pid {left.pid})" in last.detail
    finally:
        await left.wait()
        await rig.engine.stop()


async def test_a_question_that_a_kill_closed_is_asked_again_when_the_turn_goes_on(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("ask_user", question="Which colour?"))
    session_id = kill_at("asked", folders, repository)
    rig = await Rig(folders).open(repository)
    try:
        model_api.script(text_turn("blue it is"))
        await rig.engine.handle(ContinueTurn(session_id=session_id))
        asked = await rig.asked()
        choices = {asked.request.questions[0].id: ("blue",)}
        await rig.answer(session_id, asked, Answer(outcome="answered", choices=choices))
        assert (await rig.ended(2)).status == "completed"
        assert "blue" in str(model_api.requests[-1].messages)
        assert not faults(model_api.requests[-1].messages)
        finished = [e.event for e in rig.engine.sessions.get(session_id).log if isinstance(e.event, ToolCallFinished)]
        assert [event.outcome for event in finished] == ["ok"]
    finally:
        await rig.engine.stop()


async def test_closing_ends_what_a_background_command_left_behind(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    command = "setsid sleep 53 >/dev/null 2>&1 & exit 0"
    model_api.script(tool_turn("bash", command=command, run_in_background=True), text_turn("done"))
    rig = await Rig(folders).open(repository)
    session_id = await rig.new("Leave one", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    assert marked_processes(SESSION_VARIABLE, (session_id,))
    await rig.engine.stop()
    assert not marked_processes(SESSION_VARIABLE, (session_id,))


async def test_a_grant_of_writes_without_a_window_ends_with_the_process(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    first = tool_turn("write_file", file_path="a.txt", content="a")
    model_api.script(first, tool_turn("write_file", file_path="b.txt", content="b"), text_turn("done"))
    rig = await Rig(folders, EngineOptions(kind="hosted")).open(repository)
    session_id = await rig.new("Write")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_always", scope="session"))
    await rig.ended()
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["ok", "ok"]
    await rig.engine.stop()
    again = await Rig(folders, EngineOptions(kind="hosted")).open(repository)
    try:
        model_api.script(tool_turn("write_file", file_path="c.txt", content="c"), text_turn("done"))
        await again.engine.handle(SendMessage(session_id=session_id, text="one more"))
        await again.answer(session_id, await again.asked(), Answer(outcome="reject"))
        await again.ended()
        assert not (again.lane(session_id) / "c.txt").exists()
    finally:
        await again.engine.stop()


async def test_full_auto_ends_once_per_restart(folders: Folders, repository: Path, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hi"))
    rig = await Rig(folders).open(repository)
    session_id = await rig.new("Hi", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    await rig.engine.stop()
    for _ in range(3):
        again = await Rig(folders).open(repository)
        changes = [e.event for e in again.engine.sessions.get(session_id).log if isinstance(e.event, ModeChanged)]
        await again.engine.stop()
        assert [(event.mode, event.by) for event in changes] == [(PermissionMode.EDIT, "restart")]


# What a person says after a restart


async def test_a_closed_question_is_answered_later_and_the_turn_goes_on(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("ask_user", question="Which colour?"))
    session_id = kill_at("asked", folders, repository)
    rig = await Rig(folders).open(repository)
    try:
        session = rig.engine.sessions.get(session_id)
        assert last_calls(session.log).described() == "Not answered: ask_user (Ask: Which colour?)."
        assert last_calls(session.log).described(to_people=True) == "Not answered: Ask: Which colour?."
        (input_id, closed) = next(iter(session.state.late_inputs.items()))
        model_api.script(text_turn("blue it is"))
        choices = {closed.request.questions[0].id: ("blue",)}
        answer = Answer(outcome="answered", choices=choices, note="dark blue")
        await rig.engine.handle(AnswerInput(session_id=session_id, input_id=input_id, answer=answer))
        assert (await rig.ended(2)).status == "completed"
        assert not rig.failures()
        request = str(model_api.requests[-1].messages)
        assert "Closed by a restart. The answers follow as a message." in request
        assert "> Which colour?\\nblue" in request
        assert "dark blue" in request
        assert not faults(model_api.requests[-1].messages)
        assert not session.state.late_inputs
        await rig.engine.handle(AnswerInput(session_id=session_id, input_id=input_id, answer=answer))
        assert rig.failures()[-1].code == "input_closed"
    finally:
        await rig.engine.stop()


async def test_an_answer_that_does_not_fit_is_refused_and_nothing_is_recorded(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("ask_user", question="Which colour?"))
    session_id = kill_at("asked", folders, repository)
    rig = await Rig(folders).open(repository)
    try:
        session = rig.engine.sessions.get(session_id)
        before = len(session.log)
        (input_id,) = session.state.late_inputs
        wrong = AnswerInput(session_id=session_id, input_id=input_id, answer=Answer(outcome="allow_once"))
        await rig.engine.handle(wrong)
        assert rig.failures()[-1].code == "wrong_kind"
        assert len(session.log) == before
    finally:
        await rig.engine.stop()


async def test_a_question_that_waits_when_the_app_is_closed_is_answered_later(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("ask_user", question="Which colour?"))
    first = await Rig(folders).open(repository)
    session_id = await first.new("Ask me")
    await first.asked()
    await first.engine.stop()
    assert [one.content for one in first.events(ToolCallFinished)] == [STOPPED_UNANSWERED]
    rig = await Rig(folders).open(repository)
    try:
        session = rig.engine.sessions.get(session_id)
        (input_id, closed) = next(iter(session.state.late_inputs.items()))
        model_api.script(text_turn("blue it is"))
        answer = Answer(outcome="answered", choices={closed.request.questions[0].id: ("blue",)})
        await rig.engine.handle(AnswerInput(session_id=session_id, input_id=input_id, answer=answer))
        assert (await rig.ended()).status == "completed"
        assert not rig.failures()
        assert "> Which colour?\\nblue" in str(model_api.requests[-1].messages)
        assert not faults(to_messages(session.log))
    finally:
        await rig.engine.stop()


async def test_a_closed_plan_is_approved_later(folders: Folders, repository: Path, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("exit_plan_mode", plan="1. Do it"))
    session_id = kill_at("planned", folders, repository)
    rig = await Rig(folders).open(repository)
    try:
        session = rig.engine.sessions.get(session_id)
        (input_id,) = session.state.late_inputs
        model_api.script(text_turn("on it"))
        approval = Answer(outcome="allow_once")
        await rig.engine.handle(AnswerInput(session_id=session_id, input_id=input_id, answer=approval))
        await rig.ended(2)
        assert session.state.mode is PermissionMode.EDIT
        assert "I approve it." in str(model_api.requests[-1].messages)
        assert not faults(model_api.requests[-1].messages)
    finally:
        await rig.engine.stop()


async def test_an_approval_that_a_restart_closed_cannot_be_given_later(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="echo run >> runs"))
    session_id = kill_at("asked", folders, repository)
    rig = await Rig(folders).open(repository)
    try:
        session = rig.engine.sessions.get(session_id)
        resolved = next(e.event for e in session.log if isinstance(e.event, InputResolved))
        assert not session.state.late_inputs
        approve = AnswerInput(
            session_id=session_id, input_id=resolved.input_id, answer=Answer(outcome="allow_once"), digest="x"
        )
        await rig.engine.handle(approve)
        assert rig.failures()[-1].code == "input_closed"
        model_api.script(text_turn("done"))
        await rig.engine.handle(ContinueTurn(session_id=session_id))
        asked = await rig.asked()
        await rig.answer(session_id, asked, Answer(outcome="allow_once"))
        await rig.ended(2)
        assert (rig.lane(session_id) / "runs").read_text() == "run\n"
        resumed = next(e.event for e in session.log if isinstance(e.event, SessionResumed))
        assert resumed.closed_inputs == (resolved.input_id,)
        assert resumed.not_executed_calls == (asked.call_id,)
        assert resumed.unknown_calls == ()
    finally:
        await rig.engine.stop()


async def test_a_call_of_unknown_outcome_runs_again_when_a_person_says_so(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="echo run >> runs; touch begun; [ -e fast ] || sleep 30"))
    session_id = kill_at("started", folders, repository)
    rig = await Rig(folders).open(repository)
    try:
        session = rig.engine.sessions.get(session_id)
        last = session.state.last_turn
        assert last is not None
        assert "Outcome unknown: echo run >> runs" in last.detail
        (rig.lane(session_id) / "fast").touch()
        call_id = next(e.event.call_id for e in session.log if isinstance(e.event, ToolCallStarted))
        again = ResolveUnknownCall(session_id=session_id, call_id=call_id, how="run_again")
        await rig.engine.handle(again)
        model_api.script(text_turn("I see"))
        await rig.engine.handle(ContinueTurn(session_id=session_id))
        await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_once"))
        await rig.ended(2)
        assert not rig.failures()
        assert (rig.lane(session_id) / "runs").read_text() == "run\nrun\n"
        decided = [e.event for e in session.log if isinstance(e.event, ToolCallDecided)]
        assert len(decided) == 2
        assert UNKNOWN_OUTCOME not in str(model_api.requests[-1].messages)
        assert not faults(model_api.requests[-1].messages)
        resumed = next(e.event for e in session.log if isinstance(e.event, SessionResumed))
        assert resumed.unknown_calls == (call_id,)
        await rig.engine.handle(again)
        assert rig.failures()[-1].code == "not_unknown"
    finally:
        await rig.engine.stop()


async def test_a_call_of_unknown_outcome_counts_as_done_when_a_person_says_so(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command=LONG))
    session_id = kill_at("started", folders, repository)
    rig = await Rig(folders).open(repository)
    try:
        session = rig.engine.sessions.get(session_id)
        call_id = next(e.event.call_id for e in session.log if isinstance(e.event, ToolCallStarted))
        await rig.engine.handle(ResolveUnknownCall(session_id=session_id, call_id=call_id, how="took_effect"))
        model_api.script(text_turn("good"))
        await rig.engine.handle(ContinueTurn(session_id=session_id))
        await rig.ended(2)
        assert "The user confirmed that this call took effect." in str(model_api.requests[-1].messages)
        assert (rig.lane(session_id) / "runs").read_text() == "run\n"
    finally:
        await rig.engine.stop()


async def test_a_new_message_after_a_kill_names_the_calls_and_their_state(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(turn(calls=[("bash", {"command": LONG}), ("bash", {"command": "touch never"})]))
    session_id = kill_at("started", folders, repository)
    rig = await Rig(folders).open(repository)
    try:
        model_api.script(text_turn("fine"))
        await rig.engine.handle(SendMessage(session_id=session_id, text="never mind"))
        await rig.ended(2)
        request = str(model_api.requests[-1].messages)
        assert 'kind="restarted"' in request
        assert "Outcome unknown: bash" in request
        assert "Not run: bash" in request
        assert "Not run: touch never." in rig.events(TurnEnded)[0].detail
        assert request.index('kind="restarted"') < request.index("never mind")
        assert not faults(model_api.requests[-1].messages)
        assert not (rig.lane(session_id) / "never").exists()
    finally:
        await rig.engine.stop()


async def test_what_waited_is_kept_in_order_and_paused(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command=LONG))
    session_id = kill_at("queued", folders, repository)
    rig = await Rig(folders).open(repository)
    try:
        session = rig.engine.sessions.get(session_id)
        assert [str(one.parts[0]["text"]) for one in session.state.queue] == ["one", "two"]
        assert session.state.queue_paused == "restart"
        assert [e.event.reason for e in session.log if isinstance(e.event, QueuePaused)] == ["restart"]
    finally:
        await rig.engine.stop()


async def test_a_read_that_a_kill_cut_off_is_read_again(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(turn(calls=[("read_file", {"file_path": "app.py"}), ("grep", {"pattern": "hello"})]))
    session_id = kill_at("read", folders, repository)
    rig = await Rig(folders).open(repository)
    try:
        model_api.script(text_turn("done"))
        await rig.engine.handle(ContinueTurn(session_id=session_id))
        await rig.ended(2)
        session = rig.engine.sessions.get(session_id)
        finished = [e.event for e in session.log if isinstance(e.event, ToolCallFinished)]
        assert sorted(event.outcome for event in finished) == ["ok", "ok"]
        assert len({event.call_id for event in finished}) == 2
        assert "hello" in str(model_api.requests[-1].messages)
        assert UNKNOWN_OUTCOME not in str(model_api.requests[-1].messages)
    finally:
        await rig.engine.stop()
