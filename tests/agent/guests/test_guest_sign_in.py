"""A guest that wants somebody to sign in first: what was said waits for it, and the ways to sign in."""

import asyncio

import pytest

from desktop.domain.commands import ContinueTurn, SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.guests.commands import CancelGuestSignIn, SignInToGuest
from desktop.domain.guests.updates import GuestSignedIn
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


WAYS = [
    {"id": "login", "name": "Log in", "description": "with your account"},
    {"id": "term", "name": "In a terminal", "type": "terminal", "args": ["login"]},
    {"id": "key", "name": "A key", "type": "env_var", "vars": [{"name": "FAKE_KEY"}]},
]


async def signed_in(rig: Rig, guests: ScriptedGuests, way: str = "login", **more: object) -> GuestSignedIn:
    guests.more = {"init": {"authMethods": WAYS}, **more}
    await rig.engine.handle(SignInToGuest(command_id="s", guest_id="fake", method_id=way))
    found = await rig.until(lambda updates: [one for one in updates if isinstance(one, GuestSignedIn)])
    return found[-1]


@pytest.mark.promise("guests-A15")
async def test_an_agent_signs_its_person_in_by_the_way_that_they_chose(rig: Rig, guests: ScriptedGuests) -> None:
    ended = await signed_in(rig, guests, authenticate={"result": {}})
    assert (ended.ok, ended.command_id, ended.method_id) == (True, "s", "login")
    assert ended.text == "Fake Agent says that you are signed in."
    (asked,) = guests.sent("authenticate")
    assert asked["params"] == {"methodId": "login"}
    (hello,) = guests.sent("initialize")
    assert hello["params"]["clientCapabilities"]["auth"]["terminal"] is True
    assert guests.sent("session/new") == []
    assert guests.started[0].process.returncode is not None


@pytest.mark.promise("guests-A15")
@pytest.mark.parametrize("code", [-32_000, -32_603])
async def test_a_sign_in_that_fails_is_told_in_the_agents_words(rig: Rig, guests: ScriptedGuests, code: int) -> None:
    ended = await signed_in(rig, guests, authenticate={"error": {"code": code, "message": "No such account."}})
    assert (ended.ok, ended.text) == (False, "Fake Agent answered: No such account.")
    assert ended.log == ()


@pytest.mark.promise("guests-A15")
async def test_an_agent_that_ends_in_its_sign_in_is_told_in_its_last_words(rig: Rig, guests: ScriptedGuests) -> None:
    asking = asyncio.create_task(signed_in(rig, guests, authenticate="hold"))
    await rig.until(lambda _: guests.sent("authenticate"))
    guests.started[0].process.kill()
    ended = await asking
    assert (ended.ok, ended.text, ended.log) == (False, "Fake Agent ended by itself.", ("its last words",))


@pytest.mark.promise("guests-A15")
@pytest.mark.parametrize("way", ["term", "key", "none"])
async def test_only_a_way_of_its_own_is_asked_for(rig: Rig, guests: ScriptedGuests, way: str) -> None:
    ended = await signed_in(rig, guests, way, authenticate={"result": {}})
    assert (ended.ok, ended.text) == (False, "Fake Agent does not offer this way to sign in any more.")
    assert guests.sent("authenticate") == []


@pytest.mark.promise("guests-A15")
async def test_a_sign_in_that_does_not_end_is_ended(
    rig: Rig, guests: ScriptedGuests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop.agent.guests.starting.signing_in.SIGN_IN_S", 0.3)
    ended = await signed_in(rig, guests, authenticate="hold")
    assert not ended.ok
    assert "did not end its sign-in within" in ended.text
    assert guests.started[0].process.returncode is not None


@pytest.mark.promise("guests-A15")
async def test_a_sign_in_can_be_cancelled(rig: Rig, guests: ScriptedGuests) -> None:
    asking = asyncio.create_task(signed_in(rig, guests, authenticate="hold"))
    await rig.until(lambda _: guests.sent("authenticate"))
    await rig.engine.handle(CancelGuestSignIn(guest_id="fake"))
    ended = await asking
    assert (ended.ok, ended.text) == (False, "The sign-in was cancelled.")
    assert guests.started[0].process.returncode is not None
    await rig.engine.handle(CancelGuestSignIn(guest_id="fake"))
    assert rig.failures() == []


@pytest.mark.promise("guests-A15")
async def test_of_sign_ins_that_are_asked_for_at_once_the_last_one_alone_goes_on(
    rig: Rig, guests: ScriptedGuests
) -> None:
    guests.more = {"init": {"authMethods": WAYS}, "authenticate": "hold"}

    def ask(command_id: str) -> asyncio.Task[None]:
        asks = SignInToGuest(command_id=command_id, guest_id="fake", method_id="login")
        return asyncio.create_task(rig.engine.handle(asks))

    def alive() -> int:
        return sum(one.process.returncode is None for one in guests.started)

    def ended() -> dict[str, str]:
        return {one.command_id: one.text for one in rig.updates if isinstance(one, GuestSignedIn)}

    asked = [ask("first")]
    await rig.until(lambda _: guests.sent("authenticate"))
    asked += [ask("second"), ask("third")]
    await rig.until(lambda _: len(guests.sent("authenticate")) == 2 and len(ended()) == 2)
    assert ended() == dict.fromkeys(("first", "second"), "The sign-in was cancelled.")
    assert alive() == 1
    await rig.engine.handle(CancelGuestSignIn(guest_id="fake"))
    await asyncio.gather(*asked)
    assert ended() == dict.fromkeys(("first", "second", "third"), "The sign-in was cancelled.")
    assert alive() == 0


async def test_the_end_of_the_program_ends_a_sign_in(rig: Rig, guests: ScriptedGuests) -> None:
    asking = asyncio.create_task(signed_in(rig, guests, authenticate="hold"))
    await rig.until(lambda _: guests.sent("authenticate"))
    await rig.engine.stop()
    assert guests.started[0].process.returncode is not None
    asking.cancel()
