"""A long log is read beside the loop, and what people ask of its chat meanwhile is done in order."""

import asyncio

import pytest

from desktop.agent.core.logs_ahead import LONG_LOG, LogsAhead
from desktop.domain.commands import OpenSession, RenameSession
from desktop.domain.core.errors import StoreError
from desktop.domain.events import Envelope, Notice
from desktop.domain.history.builder import to_messages
from desktop.domain.updates import SessionOpened
from desktop.store.core.events import OpenedChat
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


async def test_what_cannot_be_read_ahead_is_not_there() -> None:
    def read(session_id: str) -> OpenedChat:
        raise StoreError("The disk is gone.")

    ahead = LogsAhead(read)
    await ahead.ready("s", is_long=lambda: True)
    assert ahead.take("s") is None
    await ahead.close()
