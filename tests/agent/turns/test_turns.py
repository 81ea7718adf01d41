"""Turns through the real engine: request, gate, tools, results, retries, stops."""

import asyncio
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.chats.queue_events import Limits
from desktop.domain.commands import Interrupt, NewSession, SaveSettings, SendMessage, SetMode
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import (
    AssistantMessage,
    InputResolved,
    Notice,
    ProviderFailed,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    UserMessage,
)
from desktop.domain.gate.events import SandboxChosen
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.history.builder import to_messages
from desktop.domain.updates import StreamDiscarded, TextDelta
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, http_failure, text_turn, tool_turn, turn
from tests.validity import faults

pytestmark = pytest.mark.asyncio


async def test_a_new_chat_answers_in_a_lane_of_its_own(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Hello there."))
    session_id = await rig.new("Say hello")
    assert (await rig.ended()).status == "completed"
    lane = rig.lane(session_id)
    assert git(lane, "branch", "--show-current").strip() == "lane/say-hello"
    assert "".join(u.text for u in rig.updates if isinstance(u, TextDelta)) == "Hello there."
    body = model_api.requests[0].body
    assert body["messages"] == [{"role": "user", "content": [{"type": "text", "text": "Say hello"}]}]
    assert "lane/say-hello" in str(body["system"])


async def test_edits_happen_in_the_lane_and_the_checkout_stays(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("read_file", file_path="app.py"),
        tool_turn("edit_file", file_path="app.py", old_string="hello", new_string="goodbye"),
        text_turn("done"),
    )
    session_id = await rig.new("Change the greeting")
    assert (await rig.ended()).status == "completed"
    assert (rig.lane(session_id) / "app.py").read_text() == "print('goodbye')\n"
    project = rig.engine.project
    assert project is not None
    assert git(Path(project.path), "status", "--porcelain") == ""
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["ok", "ok"]


async def test_a_command_waits_for_its_approval_and_then_runs(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="echo made > made.txt; echo out"), text_turn("done"))
    session_id = await rig.new("Make a file")
    asked = await rig.asked()
    assert not (rig.lane(session_id) / "made.txt").exists()
    assert not rig.events(ToolCallStarted)
    await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    await rig.ended()
    assert (rig.lane(session_id) / "made.txt").read_text() == "made\n"
    finished = rig.events(ToolCallFinished)[0]
    assert isinstance(finished.content, str)
    assert "out" in finished.content
    result = model_api.requests[1].messages[-1]["content"][0]
    assert result["type"] == "tool_result"
    assert result["content"] == finished.content


async def test_a_declined_command_does_not_run_and_the_model_hears_why(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch x"), text_turn("as you wish"))
    session_id = await rig.new("Touch x")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="reject", note="use the editor"))
    assert (await rig.ended()).status == "completed"
    assert not (rig.lane(session_id) / "x").exists()
    assert "use the editor" in str(model_api.requests[1].messages[-1])


async def test_decline_and_stop_ends_the_turn_with_every_call_answered(rig: Rig, model_api: FakeModelApi) -> None:
    calls = [("bash", {"command": "touch x"}), ("bash", {"command": "touch y"})]
    model_api.script(turn("two things", calls))
    session_id = await rig.new("Touch both")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="reject", stop_turn=True))
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("interrupted", "declined")
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["declined", "cancelled"]
    assert not faults(to_messages(rig.engine.sessions.get(session_id).log))


async def test_a_grant_for_the_chat_covers_the_same_command_only(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("bash", command="touch d.txt"),
        tool_turn("bash", command="touch e.txt"),
        tool_turn("bash", command="mkdir f"),
        text_turn("done"),
    )
    session_id = await rig.new("Dates")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_always", scope="session"))
    second = await rig.asked(2)
    await rig.answer(session_id, second, Answer(outcome="reject"))
    await rig.ended()
    decided = rig.events(ToolCallDecided)
    assert [event.verdict for event in decided] == [Verdict.ASK, Verdict.ALLOW, Verdict.ASK]
    assert decided[1].lifted_by


async def test_plan_mode_refuses_a_write_that_was_not_offered(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("write_file", file_path="x.txt", content="x"), text_turn("I see"))
    session_id = await rig.new("Write x", PermissionMode.PLAN)
    await rig.ended()
    finished = rig.events(ToolCallFinished)[0]
    assert finished.outcome == "refused"
    assert "plan mode" in str(finished.content)
    assert not (rig.lane(session_id) / "x.txt").exists()
    offered = [tool["name"] for tool in model_api.requests[0].body["tools"]]
    assert "write_file" not in offered
    assert "bash" in offered, "for commands that are proven to read"
    assert "write_file" not in str(model_api.requests[0].body["system"])


@pytest.mark.promise("gate-F1")
async def test_full_auto_runs_commands_and_leaves_records_to_review(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch made"), text_turn("done"))
    session_id = await rig.new("Make", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    assert (rig.lane(session_id) / "made").exists()
    assert len(rig.engine.sessions.get(session_id).state.reviews) == 1
    assert not rig.engine.sessions.get(session_id).state.open_inputs


@pytest.mark.promise("gate-G8")
async def test_full_auto_without_a_full_sandbox_needs_the_persons_choice(rig: Rig, model_api: FakeModelApi) -> None:
    rig.engine.sessions.sandbox = rig.engine.sandbox.sandbox = Sandbox({}, SandboxOptions(tiers=()))
    model_api.script(text_turn("hi"))
    session_id = await rig.new("Hi")
    await rig.ended()
    await rig.engine.handle(SetMode(session_id=session_id, mode=PermissionMode.FULL_AUTO))
    assert rig.failures()[-1].code == "no_sandbox"
    assert rig.engine.sessions.get(session_id).state.mode is PermissionMode.EDIT
    chosen = SetMode(session_id=session_id, mode=PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.engine.handle(chosen)
    assert rig.engine.sessions.get(session_id).state.mode is PermissionMode.FULL_AUTO
    assert rig.events(SandboxChosen)[-1].level == "none"
    assert rig.events(SandboxChosen)[-1].gaps


async def test_switching_to_plan_withdraws_an_open_card(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch x"), text_turn("ok"))
    session_id = await rig.new("Touch x")
    asked = await rig.asked()
    await rig.engine.handle(SetMode(session_id=session_id, mode=PermissionMode.PLAN))
    await rig.ended()
    assert rig.events(InputResolved)[0].reason == "mode"
    assert rig.events(ToolCallFinished)[0].outcome == "cancelled"
    await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    assert rig.failures()[-1].code == "input_closed"
    assert not (rig.lane(session_id) / "x").exists()


@pytest.mark.promise("gate-G24")
async def test_a_file_changed_while_the_card_was_open_is_not_overwritten(
    folders: Folders, rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("read_file", file_path=".vscode/tasks.json"), text_turn("ok"))
    model_api.more(tool_turn("write_file", file_path=".vscode/tasks.json", content="{}"), text_turn("done"))
    session_id = await rig.new("Look")
    await rig.ended()
    await rig.engine.handle(SendMessage(session_id=session_id, text="now write it"))
    asked = await rig.asked()
    folder = rig.lane(session_id) / ".vscode"
    folder.mkdir()
    (folder / "tasks.json").write_text("mine")
    await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    await rig.answer(session_id, await rig.asked(2), Answer(outcome="reject"))
    await rig.ended(2)
    assert (folder / "tasks.json").read_text() == "mine"
    assert rig.events(ToolCallFinished)[-1].outcome == "declined"


async def test_neighbouring_reads_run_together_and_results_keep_the_order(rig: Rig, model_api: FakeModelApi) -> None:
    calls = [
        ("read_file", {"file_path": "app.py"}),
        ("read_file", {"file_path": "notes.md"}),
        ("glob", {"pattern": "*"}),
    ]
    model_api.script(turn("reading", calls), text_turn("done"))
    await rig.new("Read all")
    await rig.ended()
    results = model_api.requests[1].messages[-1]["content"]
    uses = [part for part in model_api.requests[1].messages[-2]["content"] if part["type"] == "tool_use"]
    assert [result["tool_use_id"] for result in results] == [use["id"] for use in uses]


@pytest.mark.promise("gate-G21")
async def test_unknown_and_malformed_calls_are_refused_and_their_neighbour_runs(
    rig: Rig, model_api: FakeModelApi
) -> None:
    calls = [("no_such_tool", {}), ("read_file", {"file_path": 7}), ("read_file", {"file_path": "app.py"})]
    model_api.script(turn("three", calls), text_turn("done"))
    await rig.new("Try")
    await rig.ended()
    by_call = {event.call_id: event.outcome for event in rig.events(ToolCallFinished)}
    order = [event.call_id for event in rig.events(ToolCallDecided)]
    assert [by_call[call_id] for call_id in order] == ["refused", "refused", "ok"]


async def test_an_overloaded_service_is_tried_again_and_nothing_runs_twice(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("write_file", file_path="once.txt", content="1"),
        http_failure(529, "overloaded_error"),
        text_turn("done"),
    )
    await rig.new("Write once")
    assert (await rig.ended()).status == "completed"
    assert len(rig.events(ToolCallStarted)) == 1
    failed = rig.events(ProviderFailed)
    assert [(event.category, event.will_retry) for event in failed] == [("overloaded", True)]
    assert model_api.requests[1].raw == model_api.requests[2].raw


async def test_a_refused_key_ends_the_turn_with_a_sentence(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(http_failure(401, "authentication_error"))
    await rig.new("Hello")
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("failed", "auth")
    assert "key was refused" in ended.detail


async def test_a_stream_cut_in_its_text_keeps_the_text_and_goes_on(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("First half of the answer", fault="drop_in_text"), text_turn(" and the rest."))
    session_id = await rig.new("Tell")
    assert (await rig.ended()).status == "completed"
    messages = rig.events(AssistantMessage)
    assert [message.interrupted for message in messages] == [True, False]
    assert any(e.note_kind == "stream_cut" for e in rig.events(UserMessage))
    assert not faults(to_messages(rig.engine.sessions.get(session_id).log))


async def test_a_stream_cut_before_any_text_is_discarded(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(turn("", [("read_file", {"file_path": "app.py"})], fault="drop_in_input"), text_turn("done"))
    await rig.new("Read")
    assert (await rig.ended()).status == "completed"
    assert any(isinstance(update, StreamDiscarded) for update in rig.updates)
    assert not rig.events(ToolCallStarted)


async def test_stop_while_a_command_runs_ends_it_and_records_everything(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="echo begun; sleep 60"))
    session_id = await rig.new("Sleep", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.until(lambda updates: rig.events(ToolCallStarted))
    await asyncio.sleep(0.2)
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.engine.handle(Interrupt(session_id=session_id))
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("interrupted", "stop")
    finished = rig.events(ToolCallFinished)
    assert [event.outcome for event in finished] == ["interrupted"]
    assert len(rig.events(TurnEnded)) == 1
    assert not faults(to_messages(rig.engine.sessions.get(session_id).log))


async def test_stop_with_a_card_open_cancels_it(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch x"))
    session_id = await rig.new("Touch")
    asked = await rig.asked()
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended()
    assert rig.events(InputResolved)[0].reason == "interrupted"
    await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    assert rig.failures()[-1].code == "input_closed"
    assert not (rig.lane(session_id) / "x").exists()


async def test_the_next_request_after_a_stop_says_what_was_done(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("write_file", file_path="a.txt", content="a"), tool_turn("bash", command="touch x"))
    session_id = await rig.new("Two steps")
    await rig.asked()
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended()
    model_api.script(text_turn("understood"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="do something else"))
    await rig.ended(2)
    request = model_api.requests[-1]
    assert "stopped this turn" in str(request.messages)
    assert not faults(request.messages)


async def test_a_turn_ends_at_the_step_limit(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("read_file", file_path="app.py"), loop=True)
    settings = rig.engine.settings.current.model_copy(update={"limits": Limits(steps=3)})
    await rig.engine.handle(SaveSettings(settings=settings))
    await rig.new("Loop for ever")
    ended = await rig.ended()
    assert (ended.status, ended.steps) == ("limit", 3)


async def test_a_chat_without_a_repository_is_refused(folders: Folders) -> None:
    rig = Rig(folders)
    await rig.engine.start()
    await rig.engine.handle(NewSession(session_id=new_session_id(), text="hello"))
    assert rig.failures()[-1].code == "no_project"
    await rig.engine.stop()


@pytest.mark.promise("gate-S2")
async def test_a_command_with_hidden_characters_can_be_allowed_once_only(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="npm test" + " " * 300 + "; touch x"), text_turn("ok"))
    session_id = await rig.new("Test")
    asked = await rig.asked()
    assert isinstance(asked.request, ApprovalRequest)
    assert [offer.scope for offer in asked.request.grants] == ["once"]
    await rig.answer(session_id, asked, Answer(outcome="allow_always", scope="session"))
    assert rig.failures()[-1].code == "grant_not_offered"
    await rig.answer(session_id, asked, Answer(outcome="reject"))
    await rig.ended()


@pytest.mark.promise("gate-P10")
async def test_what_a_command_plants_in_the_lane_is_told(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("bash", command="ln -s /etc out; mkfifo pipe; touch plain"),
        tool_turn("bash", command="touch again"),
        text_turn("done"),
    )
    await rig.new("Plant", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    told = [notice.text for notice in rig.events(Notice)]
    assert len(told) == 2
    assert "a link out of the lane, to /etc in the lane: out" in told[0]
    assert "pipe" in told[1]
