"""A store that refuses to write: nothing begins, nothing that happened is lost, and it is said."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.commands import ContinueTurn, Interrupt, SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import ToolCallFinished, ToolCallStarted, TurnEnded
from desktop.domain.gate.pending import Answer
from desktop.domain.updates import CommandFailed
from tests.agent.rig import Rig
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.validity import faults

pytestmark = pytest.mark.asyncio


class Refusal:
    """Another process that holds the write lock of the database file."""

    def __init__(self, folders: Folders, rig: Rig) -> None:
        rig.engine._store.events._database.connection.execute("PRAGMA busy_timeout=0")
        self._other = sqlite3.connect(folders.store / "banksman.db", isolation_level=None)

    def begin(self) -> None:
        self._other.execute("BEGIN IMMEDIATE")

    def end(self) -> None:
        if self._other.in_transaction:
            self._other.execute("ROLLBACK")

    def close(self) -> None:
        self.end()
        self._other.close()


@contextmanager
def refusal(folders: Folders, rig: Rig) -> Iterator[Refusal]:
    made = Refusal(folders, rig)
    try:
        yield made
    finally:
        made.close()


async def test_a_result_that_cannot_be_recorded_is_kept_and_recorded_first(
    folders: Folders, rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="echo run >> runs; until [ -e go ]; do sleep 0.02; done"))
    session_id = await rig.new("Run", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.until(lambda updates: rig.events(ToolCallStarted))
    with refusal(folders, rig) as disk:
        disk.begin()
        (rig.lane(session_id) / "go").touch()
        failed = await rig.until(lambda updates: [f for f in rig.failures() if f.code == "frozen"])
        assert "Nothing was recorded" in failed[0].text
        session = rig.engine.sessions.get(session_id)
        await rig.until(lambda updates: not session.running or None)
        assert len(model_api.requests) == 1
        await rig.engine.handle(SendMessage(session_id=session_id, text="go on"))
        assert rig.failures()[-1].text == failed[0].text
        disk.end()
    model_api.script(text_turn("I see it"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="go on"))
    await rig.ended(2)
    finished = rig.events(ToolCallFinished)
    assert [event.outcome for event in finished] == ["ok"]
    kept = [e.kind for e in rig.engine.sessions.get(session_id).log if e.kind.startswith(("evidence", "tool_call_f"))]
    assert kept == ["evidence_recorded", "tool_call_finished"]
    assert (rig.lane(session_id) / "runs").read_text() == "run\n"
    assert "exit code 0" in str(model_api.requests[-1].messages)
    assert [event.reason for event in rig.events(TurnEnded)] == ["store", ""]
    whole(rig, session_id)


@pytest.mark.promise("sessions-ST11")
async def test_what_cannot_be_recorded_does_not_begin(folders: Folders, rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch x"))
    session_id = await rig.new("Touch")
    asked = await rig.asked()
    with refusal(folders, rig) as disk:
        disk.begin()
        await rig.answer(session_id, asked, Answer(outcome="allow_once"))
        assert isinstance(rig.updates[-1], CommandFailed)
        assert not (rig.lane(session_id) / "x").exists()
        disk.end()
        model_api.script(text_turn("done"))
        await rig.answer(session_id, asked, Answer(outcome="allow_once"))
        await rig.ended()
    assert (rig.lane(session_id) / "x").exists()
    whole(rig, session_id)


async def test_a_stop_on_a_full_disk_is_recorded_once_there_is_room(
    folders: Folders, rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch x"))
    session_id = await rig.new("Touch")
    await rig.asked()
    session = rig.engine.sessions.get(session_id)
    with refusal(folders, rig) as disk:
        disk.begin()
        await rig.engine.handle(Interrupt(session_id=session_id))
        await rig.until(lambda updates: not session.running or None)
        disk.end()
    model_api.script(text_turn("done"))
    await rig.engine.handle(ContinueTurn(session_id=session_id))
    await rig.engine.handle(SendMessage(session_id=session_id, text="what now"))
    await rig.ended(2)
    assert not faults(model_api.requests[-1].messages)
    assert not (rig.lane(session_id) / "x").exists()
    whole(rig, session_id)


async def test_closing_on_a_full_disk_ends_and_the_next_start_closes_the_turn(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch x"))
    rig = await Rig(folders).open(repository)
    session_id = await rig.new("Touch")
    await rig.asked()
    with refusal(folders, rig) as disk:
        disk.begin()
        await rig.engine.stop()
    again = await Rig(folders).open(repository)
    try:
        state = again.engine.sessions.get(session_id).state
        assert state.interrupted
        assert not state.open_inputs
        assert not again.engine._store.events.verify(session_id)
    finally:
        await again.engine.stop()
