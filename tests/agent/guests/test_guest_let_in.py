"""Another program of a guest than the one that worked in a chat before: told, or asked about first."""

import pytest

from desktop.domain.commands import ContinueTurn, SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import InputRequested
from desktop.domain.gate.pending import Answer
from desktop.domain.guests.events import GuestNoticed, GuestSessionBegan
from tests.agent.guest_rig import ScriptedGuests
from tests.agent.rig import Rig
from tests.agent.wholeness import whole

pytestmark = pytest.mark.asyncio


async def changed(rig: Rig, guests: ScriptedGuests) -> str:
    """A chat whose guest is another program at the second message."""
    guests.knows(asks_when_changed=True)
    guests.prompts = [[{"say": "one"}]]
    session_id = await rig.new("Do it", PermissionMode.EDIT, driver="fake", without_sandbox=True)
    await rig.ended()
    assert rig.events(InputRequested) == []
    guests.sha256 = "e" * 64
    await guests.anew([[{"say": "two"}]])
    await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
    return session_id


@pytest.mark.promise("guests-A13")
async def test_another_program_is_asked_about_before_it_works(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await changed(rig, guests)
    asked = await rig.asked()
    assert asked.request.title == "Fake Agent is not the program that worked here before"
    assert "Its program had the digest ffffffffffff and has eeeeeeeeeeee now." in asked.request.questions[0].text
    assert len(guests.sent("session/prompt")) == 1
    assert len(guests.sent("initialize")) == 1, "it is not started before it was let in"
    await rig.answer(session_id, asked, Answer(outcome="answered", choices={"let_in": ("let_in",)}))
    assert (await rig.ended(2)).status == "completed"
    assert [one.kind for one in rig.events(GuestNoticed)] == ["version"]
    whole(rig, session_id)


@pytest.mark.promise("guests-A13")
async def test_a_program_that_is_not_let_in_is_told_nothing_and_asked_about_again(
    rig: Rig, guests: ScriptedGuests
) -> None:
    session_id = await changed(rig, guests)
    await rig.answer(session_id, await rig.asked(), Answer(outcome="answered", choices={"let_in": ("not",)}))
    ended = await rig.ended(2)
    assert (ended.status, ended.reason) == ("failed", "guest_changed")
    assert len(rig.events(GuestSessionBegan)) == 1
    assert len(guests.sent("session/prompt")) == 1
    await rig.engine.handle(ContinueTurn(session_id=session_id))
    await rig.answer(session_id, await rig.asked(2), Answer(outcome="answered", choices={"let_in": ("let_in",)}))
    assert (await rig.ended(3)).status == "completed"
    assert "again" in guests.sent("session/prompt")[-1]["params"]["prompt"][0]["text"]
    whole(rig, session_id)
