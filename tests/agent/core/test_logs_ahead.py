"""A long log is read beside the loop, and what people ask of its chat meanwhile is done in order."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from desktop.agent.chats.view import OPEN_SLICE
from desktop.agent.core.logs_ahead import LONG_LOG
from desktop.domain.chats.updates import ContextMeterChanged
from desktop.domain.commands import OpenSession, RenameSession
from desktop.domain.core.errors import StoreError
from desktop.domain.events import Envelope, Notice
from desktop.domain.history.builder import to_messages
from desktop.domain.history.fold_state import fold_log
from desktop.domain.history.state import SessionState
from desktop.domain.updates import SessionOpened
from desktop.store.core.events import OpenedChat
from desktop.store.readings import SqliteReadings
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn

pytestmark = pytest.mark.asyncio


async def long_chat(rig: Rig, model_api: FakeModelApi) -> str:
    """A chat of many events."""
    model_api.script(text_turn("Hello."))
    session_id = await rig.new("Hi")
    await rig.ended()
    rig.engine.sessions.get(session_id).append_many([Notice(kind="k", text=str(n)) for n in range(LONG_LOG + 1)])
    return session_id


async def told_of(rig: Rig) -> None:
    """Wait until the window was told how full the model's window is, for which the log is asked for."""
    rig.updates.clear()
    await rig.until(lambda updates: any(isinstance(one, ContextMeterChanged) for one in updates))


@pytest.mark.parametrize("resting", [True, False])
async def test_a_long_chat_is_read_beside_the_loop(rig: Rig, model_api: FakeModelApi, resting: bool) -> None:
    session_id = await long_chat(rig, model_api)
    stored = list(rig.engine.sessions.get(session_id).log)
    if resting:
        rig.engine.sessions.rest(0.0)
    else:
        await rig.engine.sessions.drop(session_id)
    rig.updates.clear()
    opening = asyncio.create_task(rig.engine.handle(OpenSession(session_id=session_id)))
    naming = [
        asyncio.create_task(rig.engine.handle(RenameSession(session_id=session_id, title=title))) for title in "abc"
    ]
    await asyncio.sleep(0)
    assert not any(isinstance(update, SessionOpened | Envelope) for update in rig.updates)  # it is read meanwhile
    await asyncio.gather(opening, *naming)
    session = rig.engine.sessions.get(session_id)
    assert session.log[: len(stored)] == stored
    assert [one.kind for one in session.log[len(stored) :]] == ["title_changed"] * 3
    assert session.state.title == "c"
    shown = [one for update in rig.updates if isinstance(update, SessionOpened) for one in update.envelopes]
    assert {one.event_id for one in stored} <= {one.event_id for one in shown}
    assert session.history.messages() == to_messages(stored)


class Gate:
    """Lets a thread read, and go on when it is told to. `reached`: it has read."""

    def __init__(self, read: Callable[..., object]) -> None:
        self._read = read
        self.reached, self.open = threading.Event(), threading.Event()

    def __get__(self, readings: SqliteReadings, kind: type) -> Callable[..., object]:
        return lambda *given: self._passed(readings, given)

    def _passed(self, readings: SqliteReadings, given: tuple[object, ...]) -> object:
        read = self._read(readings, *given)
        self.reached.set()
        self.open.wait()
        return read


def opened_parts(rig: Rig) -> list[SessionOpened]:
    return [one for one in rig.updates if isinstance(one, SessionOpened)]


def whole(parts: list[SessionOpened]) -> list[Envelope]:
    """The events that these parts come to, as a window puts them together."""
    together: list[Envelope] = []
    for part in parts:
        together = list(part.envelopes) if part.first else [*part.envelopes, *together]
    return together


async def test_the_newest_events_are_told_before_the_log_is_read(
    rig: Rig, model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = await long_chat(rig, model_api)
    stored = list(rig.engine.sessions.get(session_id).log)
    await told_of(rig)
    await rig.engine.sessions.drop(session_id)
    rig.updates.clear()
    gate = Gate(SqliteReadings.chat)
    monkeypatch.setattr(SqliteReadings, "chat", gate)
    opening = asyncio.create_task(rig.engine.handle(OpenSession(session_id=session_id)))
    (first,) = await rig.until(lambda updates: opened_parts(rig))
    assert (first.is_ahead, first.envelopes) == (True, tuple(stored[-OPEN_SLICE:]))
    await asyncio.to_thread(gate.reached.wait)
    naming = asyncio.create_task(rig.engine.handle(RenameSession(session_id=session_id, title="later")))
    await asyncio.sleep(0)
    assert not any(isinstance(one, Envelope) for one in rig.updates)  # nothing is done with half of a log
    gate.open.set()
    await asyncio.gather(opening, naming)
    parts = opened_parts(rig)
    assert whole(parts) == stored
    assert [part.complete for part in parts] == [False] * (len(parts) - 1) + [True]
    assert [part.is_ahead for part in parts] == [True] + [False] * (len(parts) - 1)
    (state,) = [part.state for part in parts if part.state is not None]
    told = rig.updates.index(next(part for part in parts if part.state is not None))
    before = [one for one in rig.updates[:told] if isinstance(one, Envelope)]
    assert state == fold_log(SessionState.begin(session_id), [*stored, *before])


@pytest.mark.parametrize("resting", [True, False])
async def test_what_is_recorded_while_the_newest_are_read_is_not_passed_over(
    rig: Rig, model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch, resting: bool
) -> None:
    session_id = await long_chat(rig, model_api)
    session = rig.engine.sessions.get(session_id)
    await told_of(rig)
    if resting:
        rig.engine.sessions.rest(0.0)
    else:
        await rig.engine.sessions.drop(session_id)
    rig.updates.clear()
    gate = Gate(SqliteReadings.newest)
    monkeypatch.setattr(SqliteReadings, "newest", gate)
    opening = asyncio.create_task(rig.engine.handle(OpenSession(session_id=session_id)))
    await asyncio.to_thread(gate.reached.wait)
    if resting:
        session.append(Notice(kind="k", text="meanwhile"))
        assert session.at_hand.is_resting
    else:
        await rig.engine.handle(RenameSession(session_id=session_id, title="meanwhile"))
    gate.open.set()
    await opening
    parts = opened_parts(rig)
    assert not any(part.is_ahead for part in parts)
    assert whole(parts) == rig.engine.sessions.get(session_id).log
    assert parts[0].state == rig.engine.sessions.get(session_id).state


async def test_a_chat_that_is_not_there_tells_nothing_ahead(rig: Rig) -> None:
    assert await rig.engine.sessions.ahead.end("ses_none", OPEN_SLICE) == []
    await rig.engine.handle(OpenSession(session_id="ses_none"))
    assert (opened_parts(rig), [one.code for one in rig.failures()]) == ([], ["unknown_session"])


async def test_what_cannot_be_read_ahead_is_not_there(
    rig: Rig, model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = await long_chat(rig, model_api)
    await told_of(rig)
    await rig.engine.sessions.drop(session_id)

    def fails(*given: object) -> OpenedChat:
        raise StoreError("The disk is gone.")

    monkeypatch.setattr(SqliteReadings, "chat", fails)
    monkeypatch.setattr(SqliteReadings, "newest", fails)
    ahead = rig.engine.sessions.ahead
    await ahead.ready(session_id)
    assert await ahead.end(session_id, OPEN_SLICE) == []
    assert ahead.take(session_id) is None
