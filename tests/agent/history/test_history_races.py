"""What happens at the same time as going back, forking, deleting and summarising, and when the disk refuses them."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain import commands as c
from desktop.domain.chats.commands import (
    ClearContext,
    Compact,
    DeleteSession,
    ForkSession,
    MakeCheckpoint,
    PinSession,
    ResumeQueue,
    RewindSession,
    SendQueuedNow,
    SetLimits,
    UndoDelete,
)
from desktop.domain.chats.queue_events import Limits, MessageQueued
from desktop.domain.chats.updates import SessionDeleted
from desktop.domain.context.events import Rewound
from desktop.domain.core.checkpoint_events import CheckpointMade
from desktop.domain.core.command import Command
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.events import ToolCallStarted, TurnEnded, TurnStarted
from desktop.domain.history.builder import to_messages
from tests.agent.rig import Rig
from tests.agent.wholeness import follows, whole
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


async def two_writes(rig: Rig, api: FakeModelApi) -> str:
    api.script(tool_turn("write_file", file_path="a.txt", content="one"), text_turn("first"))
    session_id = await rig.new("Write", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    api.script(tool_turn("write_file", file_path="a.txt", content="two"), text_turn("second"))
    await rig.engine.handle(c.SendMessage(session_id=session_id, text="more"))
    await rig.ended(2)
    api.script(text_turn("and then"), loop=True)
    return session_id


def first_end(rig: Rig, session_id: str) -> str:
    log = rig.engine.sessions.get(session_id).log
    return next(e.event_id for e in log if isinstance(e.event, TurnEnded))


async def at_rest(rig: Rig, session_id: str) -> None:
    async with asyncio.timeout(20):
        while rig.engine.sessions.running():
            await asyncio.sleep(0.02)
    follows(rig, session_id)
    whole(rig, session_id)


def no_turn_is_cut(rig: Rig, session_id: str) -> None:
    """Nobody went back while a turn ran."""
    running = False
    for envelope in rig.engine.sessions.get(session_id).log:
        assert not (running and isinstance(envelope.event, Rewound))
        if isinstance(envelope.event, TurnStarted | TurnEnded):
            running = isinstance(envelope.event, TurnStarted)


@pytest.mark.parametrize("files", [True, False])
async def test_nothing_begins_while_a_chat_goes_back(rig: Rig, model_api: FakeModelApi, files: bool) -> None:
    session_id = await two_writes(rig, model_api)
    back = RewindSession(session_id=session_id, to_event_id=first_end(rig, session_id), restore_files=files)
    going = asyncio.create_task(rig.engine.handle(back))
    while not going.done():
        await rig.engine.handle(c.SendMessage(session_id=session_id, text="now"))
        await asyncio.sleep(0)
    await going
    assert any(failure.code == "rewinding" for failure in rig.failures())
    await at_rest(rig, session_id)
    no_turn_is_cut(rig, session_id)


async def test_what_waits_does_not_begin_while_a_chat_goes_back(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await two_writes(rig, model_api)
    target = first_end(rig, session_id)
    model_api.script(tool_turn("bash", command="sleep 0.3"), text_turn("slept"), text_turn("and then"), loop=True)
    await rig.engine.handle(c.SendMessage(session_id=session_id, text="sleep"))
    await rig.until(lambda updates: len(rig.events(ToolCallStarted)) == 3)
    await rig.engine.handle(c.SendMessage(session_id=session_id, text="waits"))
    assert rig.events(MessageQueued)
    await rig.engine.handle(RewindSession(session_id=session_id, to_event_id=target))
    session = rig.engine.sessions.get(session_id)
    assert session.state.queue_paused
    assert not session.running
    await at_rest(rig, session_id)
    no_turn_is_cut(rig, session_id)
    await rig.engine.handle(ResumeQueue(session_id=session_id))
    await at_rest(rig, session_id)
    assert session.state.queue == ()


async def test_of_two_rewinds_at_once_one_goes(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await two_writes(rig, model_api)
    target = first_end(rig, session_id)
    one = RewindSession(session_id=session_id, to_event_id=target, restore_files=True)
    await asyncio.gather(*(rig.engine.handle(one.model_copy(update={"command_id": str(n)})) for n in range(3)))
    assert {failure.code for failure in rig.failures()} == {"rewinding"}
    assert len(rig.events(Rewound)) == 1
    assert (rig.lane(session_id) / "a.txt").read_text() == "one"
    await at_rest(rig, session_id)


async def test_two_chats_of_one_id_at_once_are_one_chat_and_one_lane(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hi"), loop=True)
    session_id = new_session_id()
    begin = c.NewSession(session_id=session_id, text="Hello")
    await asyncio.gather(rig.engine.handle(begin), rig.engine.handle(begin))
    assert len(rig.failures()) == 1
    await at_rest(rig, session_id)
    assert len(rig.engine.parts.base.ground.lanes.of_project(rig.engine.project.id)) == 1


async def test_two_forks_of_one_id_at_once_are_one_chat_and_one_lane(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await two_writes(rig, model_api)
    fork = ForkSession(
        session_id=session_id, at_event_id=first_end(rig, session_id), new_session_id=new_session_id()
    )  # fmt: skip
    await asyncio.gather(rig.engine.handle(fork), rig.engine.handle(fork))
    assert len(rig.failures()) == 1
    follows(rig, fork.new_session_id)
    assert len(rig.engine.parts.base.ground.lanes.of_project(rig.engine.project.id)) == 2
    assert (rig.lane(fork.new_session_id) / "a.txt").read_text() == "one"


def is_gone(session_id: str, updates: list[Update]) -> bool:
    return any(isinstance(update, SessionDeleted) and update.session_id == session_id for update in updates)


async def test_a_deletion_is_taken_back_whole_or_too_late(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hi"), loop=True)
    for wait in range(0, 40, 3):
        session_id = await rig.new("Hello")
        await at_rest(rig, session_id)
        rig.engine.parts.chats.library.commands.undo_s = 0.0
        await rig.engine.handle(DeleteSession(session_id=session_id))
        for _ in range(wait):
            await asyncio.sleep(0.001)
        known = len(rig.failures())
        await rig.engine.handle(UndoDelete(session_id=session_id))
        too_late = len(rig.failures()) > known
        async with asyncio.timeout(20):
            while session_id in rig.engine.parts.chats.library.commands._due:
                await asyncio.sleep(0.01)
        if too_late:  # it is told when the chat has been put away
            await rig.until(partial(is_gone, session_id))
        assert too_late == is_gone(session_id, rig.updates)
        assert rig.engine.sessions.knows(session_id) != too_late


async def test_an_archived_chat_begins_no_turn_in_any_way(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="sleep 5"), text_turn("x"), loop=True)
    session_id = await rig.new("Sleep", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.until(lambda updates: rig.events(ToolCallStarted))
    await rig.engine.handle(c.SendMessage(session_id=session_id, text="waits"))
    await rig.engine.handle(c.Interrupt(session_id=session_id))
    await at_rest(rig, session_id)
    await rig.engine.handle(c.ArchiveSession(session_id=session_id))
    session = rig.engine.sessions.get(session_id)
    queue_id = session.state.queue[0].queue_id
    for command in (
        c.ContinueTurn(session_id=session_id), SendQueuedNow(session_id=session_id, queue_id=queue_id),
        c.SendMessage(session_id=session_id, text="x"), ResumeQueue(session_id=session_id),
        c.SendMessage(session_id=session_id, text="x", interrupt=True),
    ):  # fmt: skip
        await rig.engine.handle(command)
        assert rig.failures()[-1].code == "archived"
        assert not session.running
    follows(rig, session_id)
    assert len(session.state.queue) == 1


async def test_quitting_while_a_summary_is_written_leaves_the_chat_as_it_was(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    rig = await Rig(folders).open(repository)
    model_api.script(text_turn("words " * 8000), text_turn("words " * 8000), text_turn("short"))
    session_id = await rig.new("Tell")
    await rig.ended()
    for ends in (2, 3):
        await rig.engine.handle(c.SendMessage(session_id=session_id, text="less"))
        await rig.ended(ends)
    asked = len(model_api.requests)
    model_api.script(text_turn("never", fault="stall_before"))
    task = asyncio.create_task(rig.engine.handle(Compact(session_id=session_id)))
    async with asyncio.timeout(20):
        while len(model_api.requests) == asked:
            await asyncio.sleep(0.02)
    before = rig.engine.sessions.get(session_id).history.messages()
    await rig.engine.stop()
    await asyncio.wait_for(task, 20)
    again = await Rig(folders).open(repository)
    assert again.engine.sessions.get(session_id).history.messages() == before
    follows(again, session_id)
    await again.engine.stop()


Make = Callable[[str, str], Command]
WRITES: dict[str, Make] = {
    "rewind": lambda at, to: RewindSession(session_id=at, to_event_id=to),
    "rewind files": lambda at, to: RewindSession(session_id=at, to_event_id=to, restore_files=True),
    "fork": lambda at, to: ForkSession(session_id=at, at_event_id=to, new_session_id=new_session_id()),
    "checkpoint": lambda at, to: MakeCheckpoint(session_id=at, name="n"),
    "clear": lambda at, to: ClearContext(session_id=at),
    "limits": lambda at, to: SetLimits(session_id=at, limits=Limits(steps=3)),
    "mode": lambda at, to: c.SetMode(session_id=at, mode=PermissionMode.PLAN),
    "send": lambda at, to: c.SendMessage(session_id=at, text="x " * 9000),
    "pin": lambda at, to: PinSession(session_id=at),
    "new": lambda at, to: c.NewSession(session_id=new_session_id(), text="x"),
}


@pytest.mark.parametrize("name", WRITES)
async def test_a_full_disk_refuses_whole_and_nothing_is_half_done(rig: Rig, model_api: FakeModelApi, name: str) -> None:
    session_id = await two_writes(rig, model_api)
    connection = rig.engine._store.events._database.connection
    target = first_end(rig, session_id)
    session = rig.engine.sessions.get(session_id)
    lanes = len(rig.engine.parts.base.ground.lanes.of_project(rig.engine.project.id))
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count={pages}")
    while True:  # until no event fits any more
        known = len(rig.failures())
        await rig.engine.handle(c.RenameSession(session_id=session_id, title="t" * 60))
        if len(rig.failures()) > known:
            break
    before = len(session.log)
    known = len(rig.failures())
    await rig.engine.handle(WRITES[name](session_id, target))
    assert len(rig.failures()) > known or session.log[before:]
    if name in ("fork", "new"):
        assert len(rig.engine.parts.base.ground.lanes.of_project(rig.engine.project.id)) == lanes
    connection.execute("PRAGMA max_page_count=1073741823")
    await at_rest(rig, session_id)
    await rig.engine.handle(c.SendMessage(session_id=session_id, text="again"))
    await at_rest(rig, session_id)
    assert session.state.last_turn is not None
    assert session.state.last_turn.status == "completed"
    no_turn_is_cut(rig, session_id)
    if name == "rewind files":
        assert (rig.lane(session_id) / "a.txt").read_text() == ("one" if rig.events(Rewound) else "two")


async def test_a_clock_set_back_changes_no_order_and_no_list(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    now = datetime(2026, 6, 1, 12, tzinfo=UTC)

    def clock() -> datetime:
        nonlocal now
        now -= timedelta(minutes=7)
        return now

    rig = await Rig(folders, clock=clock).open(repository)
    session_id = await two_writes(rig, model_api)
    await rig.engine.handle(SetLimits(session_id=session_id, limits=Limits(steps=9, running_s=60)))
    await rig.engine.handle(
        RewindSession(session_id=session_id, to_event_id=first_end(rig, session_id), restore_files=True)
    )
    assert rig.failures() == []
    assert (rig.lane(session_id) / "a.txt").read_text() == "one"
    await rig.engine.handle(c.SendMessage(session_id=session_id, text="on"))
    assert (await rig.ended(3)).status == "completed"
    log = rig.engine.sessions.get(session_id).log
    assert [e.seq for e in log] == list(range(len(log)))
    assert log[-1].at < log[0].at
    assert to_messages(log, session_id=session_id) == rig.engine.sessions.get(session_id).history.messages()
    assert len({e.checkpoint_id for e in rig.events(CheckpointMade)}) > 1
    await at_rest(rig, session_id)
    rows = rig.engine._store.events.rows()
    rig.engine._store.events.rebuild_index()
    assert rig.engine._store.events.rows() == rows
    await rig.engine.stop()


async def test_two_chats_of_one_title_at_once_get_a_lane_each(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hi"), loop=True)
    both = [c.NewSession(session_id=new_session_id(), text="Hello") for _ in range(2)]
    await asyncio.gather(*(rig.engine.handle(one) for one in both))
    assert rig.failures() == []
    for one in both:
        await at_rest(rig, one.session_id)
    assert sorted(lane.name for lane in rig.engine.parts.base.ground.lanes.of_project(rig.engine.project.id)) == [
        "hello",
        "hello-2",
    ]
