"""What is there after the process was killed while a chat had a child."""

import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.children.events import ChildBegun, ChildEnded, ChildResultDelivered
from desktop.domain.commands import ContinueTurn, SendMessage
from desktop.domain.events import ToolCallFinished, ToolCallStarted, UserMessage
from desktop.domain.history.builder import UNKNOWN_OUTCOME, to_messages
from desktop.store.database import DATABASE_NAME
from tests.agent.children.child_script import Cast
from tests.agent.children.test_foreground import over
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.model_turns import Answer, Turn, turn
from tests.forking import fork
from tests.validity import faults

pytestmark = pytest.mark.asyncio

ROOT = Path(__file__).resolve().parents[3]
BEGIN: list[Answer] = [tool_turn("task", description="look", prompt="Child: look")]
IN_BACKGROUND: list[Answer] = [
    tool_turn("task", description="look", prompt="Child: look", background=True),
    text_turn("it runs"),
]
LOOK: list[Answer] = [tool_turn("grep", pattern="hello"), text_turn("seen in app.py")]


def kill_at(whose: str, kind: str, folders: Folders, repository: Path) -> str:
    """Run the chat in another process and kill it (SIGKILL) once such an event is stored; the chat's id."""
    words = [str(folders.config.parent), str(repository), whose, kind]
    process = fork("tests.agent.children.victim", words, ROOT, dict(os.environ), session=True)
    with process:
        assert process.stdout is not None
        session_id = process.stdout.readline().decode().strip()
        os.killpg(process.pid, signal.SIGKILL)
        process.stdout.read()
    assert session_id
    return session_id


@pytest.mark.promise("memory-SU9")
@pytest.mark.promise("memory-SU11")
@pytest.mark.parametrize(
    ("whose", "kind", "outcome"),
    [
        ("parent", "child_begun", "not_begun"),
        ("child", "session_started", "not_begun"),
        ("child", "turn_started", "interrupted"),
        ("child", "tool_call_started", "interrupted"),
        ("child", "turn_ended", "completed"),
        ("parent", "child_ended", "completed"),
        ("parent", "child_result_delivered", "completed"),
    ],
)
async def test_a_killed_child_has_one_end_and_its_call_one_result(
    whose: str, kind: str, outcome: str, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.answer_with(Cast(Parent=BEGIN, Child=LOOK))
    session_id = kill_at(whose, kind, folders, repository)
    asked = len(model_api.requests)
    rig = await Rig(folders).open(repository)
    try:
        store = rig.engine._store.events
        log = store.read(session_id)
        ends = [e.event for e in log if isinstance(e.event, ChildEnded)]
        assert [end.outcome for end in ends] == [outcome]
        assert len([e for e in log if isinstance(e.event, ChildResultDelivered)]) == 1
        results = [e.event for e in log if isinstance(e.event, ToolCallFinished)]
        assert len(results) == 1
        assert (UNKNOWN_OUTCOME in str(results[0].content)) is (outcome == "interrupted")
        assert ("seen in app.py" in str(results[0].content)) is (outcome == "completed")
        child_id = ends[0].child_id
        if store.head(child_id) is not None:
            head = store.read(child_id)[ends[0].head_seq]
            assert (head.seq, head.hash) == (ends[0].head_seq, ends[0].head_hash)
            assert not store.verify(child_id)
        assert not store.verify(session_id)
        assert not faults(to_messages(store.path(session_id), session_id=session_id))
        assert len(model_api.requests) == asked, "nothing goes on by itself"
        model_api.answer_with(Cast(Parent=[text_turn("I see")]))
        await rig.engine.handle(ContinueTurn(session_id=session_id))
        await rig.until(lambda _: rig.engine.sessions.get(session_id).state.turns == 2)
        await over(rig, session_id)
        log = store.read(session_id)
        assert len([e for e in log if isinstance(e.event, ChildBegun)]) == 1, "not begun again"
        assert len([e for e in log if isinstance(e.event, ToolCallStarted)]) == 1
        assert store.rows(None)
        assert all(row.open_children == 0 for row in store.rows(None))
    finally:
        await rig.engine.stop()


@pytest.mark.promise("memory-SU11")
@pytest.mark.parametrize("begins", [BEGIN, IN_BACKGROUND])
async def test_a_child_whose_log_is_damaged_keeps_no_turn_of_its_chat_open(
    begins: list[Answer], folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    slow: list[Answer] = [turn(calls=[("grep", {"pattern": "hello"})], delay_s=0.2), text_turn("seen")]
    model_api.answer_with(Cast(Parent=begins, Child=slow))
    session_id = kill_at("child", "tool_call_started", folders, repository)
    with closing(sqlite3.connect(folders.store / DATABASE_NAME)) as database, database:
        (child_id,) = database.execute("SELECT session_id FROM session WHERE session_id != ?", (session_id,)).fetchone()
        database.execute("DROP TRIGGER event_is_never_changed")
        database.execute("UPDATE event SET parent_id = event_id WHERE session_id = ? AND seq = 0", (child_id,))
    rig = await Rig(folders).open(repository)
    try:
        store = rig.engine._store.events
        log = store.read(session_id)
        (end,) = [e.event for e in log if isinstance(e.event, ChildEnded)]
        assert (end.outcome, end.detail.startswith("Its log cannot be read: ")) == ("interrupted", True)
        assert rig.engine.sessions.get(session_id).state.turn is None
        model_api.answer_with(Cast(Parent=[text_turn("I see")]))
        await rig.engine.handle(SendMessage(session_id=session_id, text="what now?"))
        await rig.until(lambda _: [e.kind for e in store.read(session_id)[len(log) :]][-1:] == ["turn_ended"])
        assert "cannot be read" in str(model_api.requests[-1].messages)
    finally:
        await rig.engine.stop()


@pytest.mark.parametrize(
    ("whose", "kind", "outcome"),
    [
        ("child", "tool_call_started", "interrupted"),
        ("child", "turn_ended", "completed"),
        ("parent", "child_ended", "completed"),
    ],
)
async def test_a_killed_child_in_the_background_is_told_of_with_the_next_message(
    whose: str, kind: str, outcome: str, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    slow: list[Answer] = [turn(calls=[("grep", {"pattern": "hello"})], delay_s=0.5), Turn(text="seen", delay_s=0.5)]
    model_api.answer_with(Cast(Parent=IN_BACKGROUND, Child=slow))
    session_id = kill_at(whose, kind, folders, repository)
    rig = await Rig(folders).open(repository)
    try:
        store = rig.engine._store.events
        ends = [e.event for e in store.read(session_id) if isinstance(e.event, ChildEnded)]
        assert [end.outcome for end in ends] == [outcome]
        model_api.answer_with(Cast(Parent=[text_turn("I see"), text_turn("yes")]))
        for words in ("what now?", "and then?"):
            before = len(store.read(session_id))
            await rig.engine.handle(SendMessage(session_id=session_id, text=words))
            await rig.until(lambda _, since=before: any(e.kind == "turn_ended" for e in store.read(session_id)[since:]))
        log = store.read(session_id)
        notes = [e for e in log if isinstance(e.event, UserMessage) and e.event.note_kind == "subagent_result"]
        assert len(notes) == 1
        assert len([e for e in log if isinstance(e.event, ChildResultDelivered)]) == 1
    finally:
        await rig.engine.stop()
