"""Forking a chat: what comes along, what does not, and that neither changes the other."""

from pathlib import Path

import pytest

from desktop.domain.chats.commands import ForkSession, RewindSession, SetLimits
from desktop.domain.chats.queue_events import Limits, MessageQueued
from desktop.domain.chats.updates import SessionForkedOff
from desktop.domain.commands import SendMessage, SetMode
from desktop.domain.core.checkpoint_events import CheckpointMade
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import ToolCallFinished, ToolCallStarted, TurnEnded
from desktop.domain.gate.pending import Answer
from desktop.domain.history.builder import NOT_EXECUTED, UNKNOWN_OUTCOME, to_messages
from desktop.domain.updates import SessionsChanged
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.services.history.test_checkpoints import tree
from tests.validity import faults

pytestmark = pytest.mark.asyncio


async def forked(rig: Rig, session_id: str, event_id: str, lane_from: str = "checkpoint", text: str = "") -> str:
    """Fork and give the new chat's id."""
    new = new_session_id()
    command = ForkSession.model_validate(
        {"session_id": session_id, "at_event_id": event_id, "new_session_id": new, "lane_from": lane_from, "text": text}
    )
    await rig.engine.handle(command)
    return new


async def two_writes(rig: Rig, api: FakeModelApi, mode: PermissionMode = PermissionMode.FULL_AUTO) -> str:
    """A chat that wrote one file in each of two turns."""
    api.script(tool_turn("write_file", file_path="a.txt", content="one"), text_turn("first"))
    session_id = await rig.new("Write files", mode, without_sandbox=True)
    await rig.ended()
    api.script(tool_turn("write_file", file_path="a.txt", content="two"), text_turn("second"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="more"))
    await rig.ended(2)
    return session_id


@pytest.mark.promise("sessions-SF3")
async def test_a_fork_has_its_own_lane_with_the_files_of_that_point(
    rig: Rig, model_api: FakeModelApi, repository: Path
) -> None:
    session_id = await two_writes(rig, model_api)
    source = rig.engine.sessions.get(session_id)
    first_end = next(e for e in source.log if isinstance(e.event, TurnEnded))
    before = len(source.log)
    person = tree(repository)
    fork_id = await forked(rig, session_id, first_end.event_id)
    assert not rig.failures()
    fork = rig.engine.sessions.get(fork_id)
    assert fork.lane is not None
    assert fork.lane.id != source.state.lane_id
    assert (rig.lane(fork_id) / "a.txt").read_text() == "one"
    assert (rig.lane(session_id) / "a.txt").read_text() == "two"
    assert git(rig.lane(fork_id), "status", "--porcelain").split() == ["??", "a.txt"]
    assert git(rig.lane(fork_id), "rev-parse", "HEAD").strip() == source.lane.base_oid
    assert tree(repository) == person
    assert len(source.log) == before
    assert fork.history.messages() == to_messages(source.log, at=first_end.event_id)
    assert fork.state.title == "Write files (fork)"
    assert [update.session_id for update in rig.updates if isinstance(update, SessionForkedOff)] == [fork_id]
    await rig.until(lambda updates: [u for u in updates if isinstance(u, SessionsChanged) and len(u.sessions) == 2])
    assert "Forked from Write files" in [getattr(e.event, "text", "") for e in fork.log]
    assert not rig.engine._store.events.verify(fork_id)


@pytest.mark.promise("sessions-SF4")
async def test_modes_grants_queue_and_spend_do_not_come_along_but_limits_do(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch d"), text_turn("done"))
    session_id = await rig.new("Touch")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_always", scope="session"))
    await rig.ended()
    source = rig.engine.sessions.get(session_id)
    at = source.log[-1].event_id
    await rig.engine.handle(SetLimits(session_id=session_id, limits=Limits(steps=7)))
    await rig.engine.handle(SetMode(session_id=session_id, mode=PermissionMode.FULL_AUTO, without_sandbox=True))
    source.append(MessageQueued(queue_id="q", parts=({"type": "text", "text": "later"},)))
    fork = rig.engine.sessions.get(await forked(rig, session_id, at))
    assert fork.state.mode is PermissionMode.EDIT
    assert not fork.rules
    assert not fork.session_grants
    assert fork.state.queue == ()
    assert fork.state.limits == Limits(steps=7)
    assert fork.state.cost_microusd == 0
    model_api.script(tool_turn("bash", command="touch d"), text_turn("ok"))
    await rig.engine.handle(SendMessage(session_id=fork.session_id, text="Touch"))
    await rig.answer(fork.session_id, await rig.asked(2), Answer(outcome="reject"))
    await rig.ended(2)


async def test_a_fork_of_a_plan_and_one_without_a_lane_plan(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("a plan"))
    session_id = await rig.new("Plan", PermissionMode.PLAN)
    await rig.ended()
    at = rig.engine.sessions.get(session_id).log[-1].event_id
    planned = rig.engine.sessions.get(await forked(rig, session_id, at, "head"))
    assert planned.state.mode is PermissionMode.PLAN
    await rig.engine.handle(SetMode(session_id=session_id, mode=PermissionMode.EDIT))
    bare = rig.engine.sessions.get(await forked(rig, session_id, at, "none"))
    assert (bare.state.mode, bare.lane, bare.state.lane_id) == (PermissionMode.PLAN, None, "")
    await rig.engine.handle(SetMode(session_id=bare.session_id, mode=PermissionMode.EDIT))
    assert rig.failures()[-1].code == "no_lane"
    model_api.script(text_turn("still here"))
    await rig.engine.handle(SendMessage(session_id=bare.session_id, text="Hello"))
    assert (await rig.ended(2)).status == "completed"


async def test_a_fork_from_head_has_what_is_committed(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await two_writes(rig, model_api)
    lane = rig.lane(session_id)
    git(lane, "add", "-A")
    git(lane, "commit", "-qm", "two")
    (lane / "loose.txt").write_text("not committed")
    fork_id = await forked(rig, session_id, rig.engine.sessions.get(session_id).log[-1].event_id, "head")
    assert (rig.lane(fork_id) / "a.txt").read_text() == "two"
    assert not (rig.lane(fork_id) / "loose.txt").exists()
    assert git(rig.lane(fork_id), "status", "--porcelain") == ""


async def test_forks_between_a_call_and_its_result_never_change(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="until [ -e go ]; do sleep 0.02; done; touch x"), text_turn("done"))
    session_id = await rig.new("Wait", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.until(lambda updates: rig.events(ToolCallStarted))
    source = rig.engine.sessions.get(session_id)
    started = next(e for e in source.log if isinstance(e.event, ToolCallStarted))
    during = rig.engine.sessions.get(await forked(rig, session_id, started.event_id, "none"))
    made = next(e for e in source.log if isinstance(e.event, CheckpointMade) and e.event.reason == "call")
    earlier = rig.engine.sessions.get(await forked(rig, session_id, made.event_id, "none"))
    assert source.running
    (rig.lane(session_id) / "go").touch()
    await rig.ended()
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["ok"]
    assert UNKNOWN_OUTCOME in str(during.history.messages())
    assert NOT_EXECUTED in str(earlier.history.messages())
    for fork in (during, earlier):
        assert not faults(fork.history.messages())
        assert fork.state.turn is None


async def test_a_fork_goes_on_by_itself_and_can_go_back_into_what_it_inherited(
    rig: Rig, model_api: FakeModelApi
) -> None:
    session_id = await two_writes(rig, model_api)
    source = rig.engine.sessions.get(session_id)
    model_api.script(tool_turn("write_file", file_path="b.txt", content="b"), text_turn("third"))
    fork_id = await forked(rig, session_id, source.log[-1].event_id, text="Write b")
    await rig.ended(3)
    fork = rig.engine.sessions.get(fork_id)
    assert sorted(name for name in tree(rig.lane(fork_id)) if name.endswith(".txt")) == ["a.txt", "b.txt"]
    assert not (rig.lane(session_id) / "b.txt").exists()
    first_end = next(e for e in source.log if isinstance(e.event, TurnEnded))
    before = len(source.log)
    command = RewindSession(session_id=fork_id, to_event_id=first_end.event_id, restore_files=True)
    await rig.engine.handle(command)
    assert not rig.failures()
    assert (rig.lane(fork_id) / "a.txt").read_text() == "one"
    assert not (rig.lane(fork_id) / "b.txt").exists()
    assert fork.history.messages() == to_messages(source.log, at=first_end.event_id)
    assert (rig.lane(session_id) / "a.txt").read_text() == "two"
    assert len(source.log) == before


async def test_unknown_entries_taken_ids_and_missing_checkpoints_are_refused(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hi"))
    session_id = await rig.new("Hi", PermissionMode.PLAN)
    await rig.ended()
    head = rig.engine.sessions.get(session_id).log[-1].event_id
    await forked(rig, session_id, "evt_x")
    assert rig.failures()[-1].code == "unknown_event"
    await forked(rig, session_id, head)
    assert rig.failures()[-1].code == "no_checkpoint"
    taken = ForkSession(session_id=session_id, at_event_id=head, new_session_id=session_id)
    await rig.engine.handle(taken)
    assert rig.failures()[-1].code == "session_exists"
