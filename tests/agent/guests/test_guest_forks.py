"""Chats that go from a guest to our own agent and back, and what a guest does while a person looks at a card."""

import pytest

from desktop.domain.chats.commands import AddAttachment, ContinueWith
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Notice, ToolCallFinished
from tests.agent.gate_rig import ONCE
from tests.agent.guest_rig import ScriptedGuests, command, done
from tests.agent.rig import Rig
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import FakeModelApi, text_turn
from tests.tools.test_read_file import png

pytestmark = pytest.mark.asyncio


async def continued(rig: Rig, session_id: str, driver: str, text: str) -> str:
    new_id = new_session_id()
    await rig.engine.handle(ContinueWith(session_id=session_id, new_session_id=new_id, driver=driver, text=text))
    assert rig.failures() == []
    return new_id


@pytest.mark.promise("guests-A52")
async def test_our_own_agent_takes_over_todos_and_pictures_and_gives_them_back(
    rig: Rig, guests: ScriptedGuests, model_api: FakeModelApi
) -> None:
    await rig.engine.handle(AddAttachment(request_id="1", name="look.png", data=png(4, 4)))
    guests.more = {"init": {"agentCapabilities": {"promptCapabilities": {"image": True}}}}
    asks = {"ask": command("cat app.py"), "then": [done(text="print()")]}
    guests.prompts = [[{"plan": [{"content": "Paint it", "status": "pending"}]}, asks, {"say": "It is a boat."}]]
    first = await rig.new("What is this?", PermissionMode.PLAN, driver="fake", attachments=("look.png",))
    await rig.ended()
    model_api.script(text_turn("I take over."))
    own = await continued(rig, first, "own", "go on")
    assert (await rig.ended(2)).status == "completed"
    state = rig.engine.sessions.get(own).state
    assert (state.endpoint_id, state.mode) == ("fake", PermissionMode.PLAN)
    assert [one.content for one in state.todos] == ["Paint it"]
    sent = str(model_api.requests[-1].messages)
    assert "'type': 'image'" in sent
    assert "It is a boat." in sent
    whole(rig, own)
    guests.prompts = [[{"say": "back again"}]]
    back = await continued(rig, own, "fake", "and you?")
    assert (await rig.ended(3)).status == "completed"
    assert "I take over." in str(guests.sent("session/prompt")[-1])
    whole(rig, back)


@pytest.mark.promise("guests-A19")
async def test_what_a_guest_changes_while_a_card_is_open_does_not_change_what_the_card_holds(
    rig: Rig, guests: ScriptedGuests
) -> None:
    asks = {"ask": command("python3 tool.py"), "then": [done(text="it ran")]}
    guests.prompts = [[{"both": [[asks], [{"touch": "app.py", "text": "changed meanwhile"}]]}]]
    session_id = await rig.new("Do it", driver="fake", without_sandbox=True)
    asked = await rig.asked()
    app = rig.lane(session_id) / "app.py"
    await rig.until(lambda _: app.read_text() == "changed meanwhile")
    await rig.answer(session_id, asked, ONCE)
    assert (await rig.ended()).status == "completed"
    ran, beside = rig.events(ToolCallFinished)
    assert (ran.outcome, ran.content) == ("ok", "it ran")
    assert [one.path for one in beside.touched] == ["app.py"]
    assert not [one for one in rig.events(Notice) if one.kind == "digest"]
    whole(rig, session_id)
