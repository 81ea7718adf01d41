"""A guest that wants somebody to sign in first: what was said waits for it."""

import pytest

from desktop.domain.commands import ContinueTurn, SendMessage
from desktop.domain.core.permissions import PermissionMode
from tests.agent.guest_rig import ScriptedGuests
from tests.agent.rig import Rig
from tests.agent.wholeness import follows, whole

pytestmark = pytest.mark.asyncio


@pytest.mark.promise("guests-A15")
async def test_what_was_said_before_the_sign_in_is_told_after_it(rig: Rig, guests: ScriptedGuests) -> None:
    guests.more, guests.prompts = {"signed_out": True}, [[{"say": "Done."}]]
    session_id = await rig.new("Paint the shed", PermissionMode.EDIT, driver="fake", without_sandbox=True)
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("failed", "guest_sign_in")
    await rig.engine.handle(SendMessage(session_id=session_id, text="in green"))
    assert (await rig.ended(2)).reason == "guest_sign_in"
    guests.more = {}
    await rig.engine.handle(ContinueTurn(session_id=session_id))
    assert (await rig.ended(3)).status == "completed"
    (prompt,) = guests.sent("session/prompt")
    told = prompt["params"]["prompt"][0]["text"]
    assert told.index("Paint the shed") < told.index("in green")
    follows(rig, session_id)
    whole(rig, session_id)
