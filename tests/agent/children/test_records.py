"""The logs of children: verified with those above them, deleted with their chat, and continued by a person."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.chats.commands import DeleteSession, ForkSession
from desktop.domain.chats.updates import SessionDeleted
from desktop.domain.children.events import ChildBegun, ChildEnded, ChildResultDelivered
from desktop.domain.commands import ArchiveSession, OpenSession, SendMessage, SetMode
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.updates import SessionOpened
from desktop.store.core.verify_audit import verify
from tests.agent.children.child_script import Cast
from tests.agent.children.test_foreground import over
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.model_turns import Turn

pytestmark = pytest.mark.asyncio


async def with_a_child(rig: Rig, model_api: FakeModelApi, *more: str) -> tuple[str, str]:
    """A chat and the child that it began, both over."""
    cast = Cast(
        Parent=[tool_turn("task", description="look", prompt="Child: look"), *map(text_turn, ("done", *more))],
        Child=[text_turn("seen"), *map(text_turn, more)],
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: look")
    await over(rig, session_id)
    return session_id, rig.events(ChildBegun)[0].child_id


@pytest.mark.promise("memory-SU2")
@pytest.mark.parametrize(
    ("harm", "found"),
    [
        ("", []),
        ("DELETE FROM event WHERE session_id = ?", ["child_missing"]),
        (
            "DELETE FROM event WHERE session_id = ?1 AND seq = (SELECT max(seq) FROM event WHERE session_id = ?1)",
            ["child_head_mismatch"],
        ),
    ],
)
async def test_the_verifier_sees_a_child_whose_log_is_not_the_one_that_ended(
    rig: Rig, model_api: FakeModelApi, folders: Folders, harm: str, found: list[str]
) -> None:
    session_id, child_id = await with_a_child(rig, model_api)
    await rig.engine.stop()
    if harm:
        with closing(sqlite3.connect(folders.store / "banksman.db")) as store:
            store.execute("DROP TRIGGER event_is_never_removed")
            store.execute(harm, (child_id,))
            store.commit()
    report = verify(folders.store)
    assert [one.kind for one in report.findings] == found
    assert all(one.session_id == session_id for one in report.findings)


async def test_a_chat_that_was_forked_until_it_was_to_be_deleted_keeps_its_children(
    rig: Rig, model_api: FakeModelApi
) -> None:
    session_id, child_id = await with_a_child(rig, model_api)
    library = rig.engine.parts.chats.library.commands
    library.undo_s = 3600
    await rig.engine.handle(DeleteSession(session_id=session_id))
    fork = ForkSession(session_id=session_id, new_session_id=new_session_id(), lane_from="none")
    await rig.engine.handle(fork)
    await library.close()
    assert [one.code for one in rig.failures()] == ["not_deleted"]
    assert rig.engine._store.events.head(child_id) is not None


@pytest.mark.promise("memory-SU13")
async def test_a_chat_that_is_deleted_takes_its_children_along(
    rig: Rig, model_api: FakeModelApi, folders: Folders
) -> None:
    session_id, child_id = await with_a_child(rig, model_api)
    rig.engine.parts.chats.library.commands.undo_s = 0.05
    await rig.engine.handle(DeleteSession(session_id=session_id))
    await rig.until(lambda updates: any(isinstance(one, SessionDeleted) for one in updates))
    assert not rig.failures()
    assert rig.engine._store.events.head(child_id) is None
    assert rig.engine._store.events.rows(None) == []
    assert verify(folders.store).findings == []


async def test_a_person_who_writes_to_a_child_makes_it_go_on_and_its_chat_is_told(
    rig: Rig, model_api: FakeModelApi
) -> None:
    session_id, child_id = await with_a_child(rig, model_api, "more was seen", "I see")
    await rig.engine.handle(OpenSession(session_id=child_id))
    await rig.engine.handle(SendMessage(session_id=child_id, text="look again"))
    await rig.until(lambda _: len(rig.events(ChildEnded)) == 2)
    begun = rig.events(ChildBegun)
    assert [event.again for event in begun] == [False, True]
    await rig.engine.handle(SetMode(session_id=child_id, mode=PermissionMode.EDIT))
    assert [failed.code for failed in rig.failures()] == ["mode_capped"]
    assert rig.engine.sessions.get(child_id).mode is PermissionMode.PLAN
    await rig.engine.handle(SendMessage(session_id=session_id, text="what now?"))
    await rig.until(lambda _: len(rig.events(ChildResultDelivered)) == 2)
    await rig.until(lambda _: not rig.engine.sessions.get(session_id).running)
    request = model_api.requests[-1]
    assert "more was seen" in str(request.messages[-1])


async def test_a_child_goes_on_with_the_same_log_when_its_chat_resumes_it(rig: Rig, model_api: FakeModelApi) -> None:
    cast = Cast(
        Parent=[
            tool_turn("task", description="look", prompt="Child: look"),
            tool_turn("task", description="look", prompt="and there?", resume="t1"),
            text_turn("done"),
        ],
        Child=[text_turn("seen here"), text_turn("seen there")],
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: look")
    await over(rig, session_id)
    ends = rig.events(ChildEnded)
    assert [end.child_id for end in ends] == [ends[0].child_id] * 2
    assert ends[1].head_seq > ends[0].head_seq
    state = rig.engine.sessions.get(session_id).state.children[ends[0].child_id]
    assert (state.runs, state.steps, state.delivered) == (2, 2, True)
    assert "seen here" in str(cast.asked["Child"][1].messages)


async def test_a_window_that_opens_a_chat_later_is_told_of_children_that_wait(
    rig: Rig, model_api: FakeModelApi
) -> None:
    cast = Cast(
        Parent=[tool_turn("task", agent="implementer", description="do", prompt="Child: do"), text_turn("done")],
        Child=[tool_turn("bash", command="touch made"), text_turn("no")],
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: do")
    asked = await rig.asked()
    child_id = rig.events(ChildBegun)[0].child_id
    command = OpenSession(session_id=session_id)
    await rig.engine.handle(command)
    opened = [one for one in rig.updates if isinstance(one, SessionOpened) and one.command_id == command.command_id]
    assert [one.session_id for one in opened] == [session_id, child_id]
    assert asked.input_id in str(opened[1].envelopes[-1].event)


async def test_a_child_in_the_background_ends_with_the_program_and_is_not_begun_again(
    rig: Rig, model_api: FakeModelApi, folders: Folders, repository: Path
) -> None:
    cast = Cast(
        Parent=[tool_turn("task", description="look", prompt="Child: look", background=True), text_turn("it runs")],
        Child=[Turn(text="slow", delay_s=30)],
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: look")
    await over(rig, session_id)
    await rig.until(lambda _: cast.asked["Child"])
    await rig.engine.stop()
    assert [event.outcome for event in rig.events(ChildEnded)] == ["interrupted"]
    again = await Rig(folders).open(repository)
    try:
        log = again.engine._store.events.read(session_id)
        assert len([e for e in log if isinstance(e.event, ChildEnded)]) == 1
        assert len(model_api.requests) == 3
    finally:
        await again.engine.stop()


@pytest.mark.promise("memory-SU13")
async def test_nothing_is_sent_to_a_child_of_an_archived_chat(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, child_id = await with_a_child(rig, model_api, "more")
    await rig.engine.handle(ArchiveSession(session_id=session_id))
    await rig.engine.handle(SendMessage(session_id=child_id, text="more"))
    assert [one.code for one in rig.failures()] == ["archived"]
