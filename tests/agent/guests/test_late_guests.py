"""A guest that does not answer in time is ended, and its turn fails with the step that was late (guests-A9)."""

import pytest

from desktop.agent.guests import prompts
from desktop.agent.guests.starting import link
from desktop.domain.commands import Interrupt, SendMessage
from desktop.domain.guests.commands import TestGuest
from desktop.domain.guests.events import GuestSessionBegan, GuestSessionEnded
from desktop.domain.guests.updates import GuestTested
from tests.agent.guest_rig import ScriptedGuests
from tests.agent.guests.test_guest_requests import begin
from tests.agent.rig import Rig
from tests.agent.wholeness import follows, whole

pytestmark = [pytest.mark.asyncio, pytest.mark.promise("guests-A9")]
STEPS = {"initialize": "START_S", "session/new": "SESSION_S"}


async def test_the_limits_are_those_that_people_are_told() -> None:
    assert (link.START_S, link.SESSION_S, prompts.CANCEL_S) == (30.0, 60.0, 5.0)


@pytest.mark.parametrize("step", STEPS)
async def test_a_late_step_of_its_start_ends_it_and_is_named(
    rig: Rig, guests: ScriptedGuests, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr(link, STEPS[step], 0.3)
    guests.more = {"late": [step]}
    session_id = await begin(rig, guests, {"say": "Hello."})
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("failed", "guest_late")
    assert ended.detail == f"Fake Agent did not answer {step} within 0.3 s."
    assert guests.started[0].process.returncode is not None
    assert rig.events(GuestSessionBegan) == []
    assert guests.sent("session/prompt") == []
    monkeypatch.undo()
    guests.more = {}
    await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
    assert (await rig.ended(2)).status == "completed"
    follows(rig, session_id)
    whole(rig, session_id)


@pytest.mark.parametrize("step", STEPS)
async def test_a_trial_names_the_step_that_was_late(
    rig: Rig, guests: ScriptedGuests, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr(link, STEPS[step], 0.3)
    guests.more = {"late": [step]}
    await rig.engine.handle(TestGuest(guest_id="fake"))
    (told,) = await rig.until(lambda updates: [one for one in updates if isinstance(one, GuestTested)])
    assert (told.ok, told.text) == (False, f"Fake Agent did not answer {step} within 0.3 s.")
    assert guests.started[0].process.returncode is not None


@pytest.mark.promise("guests-A44")
@pytest.mark.parametrize("step", ["session/load", "session/resume"])
async def test_one_that_is_late_to_reopen_its_session_gets_a_new_one_with_a_summary(
    rig: Rig, guests: ScriptedGuests, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    can = {"loadSession": True} if step == "session/load" else {"sessionCapabilities": {"resume": {}}}
    guests.more = {"init": {"agentCapabilities": can}}
    session_id = await begin(rig, guests, {"say": "Hello."})
    await rig.ended()
    monkeypatch.setattr(link, "SESSION_S", 1.0)
    guests.more |= {"late": [step]}
    await guests.anew([[{"say": "Again."}]])
    await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
    ended = await rig.ended(2)
    assert (ended.status, ended.detail) == ("completed", "")
    assert len(guests.sent(step)) == 1
    assert [one.how for one in rig.events(GuestSessionBegan)] == ["new", "new"]
    told = guests.sent("session/prompt")[-1]["params"]["prompt"]
    assert "Do it" in told[0]["text"]
    whole(rig, session_id)


@pytest.mark.promise("guests-A30")
async def test_one_that_does_not_end_a_turn_that_is_stopped_is_ended(
    rig: Rig, guests: ScriptedGuests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompts, "CANCEL_S", 0.3)
    session_id = await begin(rig, guests, {"say": "Hello."}, {"deaf": True})
    await rig.until(lambda _: guests.sent("session/prompt"))
    await rig.engine.handle(Interrupt(session_id=session_id))
    assert (await rig.ended()).status == "interrupted"
    assert guests.started[0].process.returncode is not None
    assert [one.why for one in rig.events(GuestSessionEnded)] == ["stop"]
    whole(rig, session_id)
