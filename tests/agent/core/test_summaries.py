"""What lists tell of chats: made anew for those that changed, and for these at once."""

import pytest

from desktop.domain.commands import RenameSession
from desktop.domain.core.work import Activity, SessionSummary
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn

pytestmark = pytest.mark.asyncio


def listed(rig: Rig) -> dict[str, SessionSummary]:
    """The chats of the open project."""
    assert rig.engine.project is not None
    return {one.session_id: one for one in rig.engine.sessions.summaries(rig.engine.project.id).sessions}


async def test_a_chat_that_did_not_change_is_told_as_before_open_or_not(
    rig: Rig, folders, repository, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("One."), text_turn("Two."))
    first, second = await rig.new("first"), await rig.new("second")
    await rig.ended(2)
    before = listed(rig)
    await rig.engine.handle(RenameSession(session_id=second, title="Anew"))
    after = listed(rig)
    assert after[first] is before[first]
    assert (after[second].title, after[second].session_id) == ("Anew", second)
    await rig.engine.stop()
    again = await Rig(folders).open(repository)
    closed = listed(again)
    assert closed == {**after, **closed}
    assert all(one is listed(again)[one.session_id] for one in closed.values())
    await again.engine.handle(RenameSession(session_id=first, title="Later"))
    assert listed(again)[first].title == "Later"
    assert listed(again)[second] is closed[second]
    await again.engine.stop()


async def test_whether_an_agent_works_shows_in_the_next_list(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Wait", fault="hold"))
    session_id = await rig.new("first")
    await rig.until(lambda _: model_api.requests or None)
    working = listed(rig)[session_id]
    assert working.activity is not Activity.IDLE
    model_api.go_on()
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    await rig.until(lambda _: not session.running or None)
    assert listed(rig)[session_id].activity is Activity.IDLE
