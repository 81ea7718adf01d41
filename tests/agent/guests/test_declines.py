"""What a person says as they decline reaches the guest: at once, or once its prompt has ended (guests-A31)."""

import pytest

from desktop.domain.commands import Interrupt, SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import AssistantMessage, TurnEnded, UserMessage
from desktop.domain.gate.pending import Answer
from desktop.domain.history.state_of import message_text
from tests.agent.guest_rig import ScriptedGuests, command
from tests.agent.rig import Rig
from tests.agent.wholeness import follows, whole

pytestmark = [pytest.mark.asyncio, pytest.mark.promise("guests-A31")]
RUN, OTHER = "python3 tool.py", "python3 other.py"
WHY = "not on a Friday"
NO = Answer(outcome="reject", note=WHY)
TAKES_MORE = {"init": {"agentCapabilities": {"_meta": {"vendor": {"promptQueueing": True}}}}}


async def begin(rig: Rig) -> str:
    return await rig.new("Do it", PermissionMode.EDIT, driver="fake", without_sandbox=True)


def ways(guests: ScriptedGuests) -> list[str]:
    """What it was told, in order: methods, and what its requests were answered."""
    told = guests.messages()
    return [one["method"] if "method" in one else one["result"]["outcome"].get("optionId", "cancelled") for one in told]


def prompts(guests: ScriptedGuests) -> list[str]:
    return [str(one["params"]["prompt"]) for one in guests.sent("session/prompt")]


def said(rig: Rig) -> str:
    return "".join(message_text(event) for event in rig.events(AssistantMessage))


async def test_a_guest_that_takes_a_prompt_meanwhile_hears_why_at_once(rig: Rig, guests: ScriptedGuests) -> None:
    told = str(guests.folder / "told")
    goes_on = [{"say": "Without it, "}, {"wait_file": told}, {"say": "in another way."}]
    guests.more = TAKES_MORE
    guests.prompts = [[{"ask": command(RUN), "else": goes_on}], [{"touch": told}]]
    session_id = await begin(rig)
    await rig.answer(session_id, await rig.asked(), NO)
    ended = await rig.ended()
    assert (ended.status, ended.detail) == ("completed", "")
    assert ways(guests)[-3:] == ["session/prompt", "no", "session/prompt"]
    assert [WHY in one for one in prompts(guests)] == [False, True]
    assert "Do it" not in prompts(guests)[1]
    assert said(rig) == "Without it, in another way."
    (why,) = [event for event in rig.events(UserMessage) if event.note_kind == "declined"]
    assert WHY in message_text(why)
    follows(rig, session_id)
    whole(rig, session_id)


async def test_it_hears_why_while_another_card_waits(rig: Rig, guests: ScriptedGuests) -> None:
    told = str(guests.folder / "told")
    both = [[{"ask": command(RUN), "else": [{"wait_file": told}]}], [{"ask": command(OTHER, "t2"), "else": []}]]
    guests.more, guests.prompts = TAKES_MORE, [[{"both": both}], [{"touch": told}]]
    session_id = await begin(rig)
    one, other = sorted([await rig.asked(), await rig.asked(2)], key=lambda card: OTHER in str(card.request))
    await rig.answer(session_id, one, NO)
    await rig.until(lambda _: len(prompts(guests)) == 2)
    await rig.answer(session_id, other, Answer(outcome="reject", note="nor that"))
    await rig.ended()
    _, second, third = prompts(guests)
    assert ("nor that" in second, WHY in second) == (False, True)
    assert ("nor that" in third, WHY in third) == (True, False)
    whole(rig, session_id)


async def test_one_that_refuses_a_prompt_meanwhile_hears_why_once_its_own_has_ended(
    rig: Rig, guests: ScriptedGuests
) -> None:
    go = guests.folder / "go"
    guests.more = {**TAKES_MORE, "busy": True}
    guests.prompts = [[{"ask": command(RUN), "else": [{"wait_file": str(go)}]}], [{"say": "Then otherwise."}]]
    session_id = await begin(rig)
    await rig.answer(session_id, await rig.asked(), NO)
    await rig.until(lambda _: len(prompts(guests)) == 2)
    go.touch()
    ended = await rig.ended()
    assert (ended.status, ended.detail) == ("completed", "")
    assert [WHY in one for one in prompts(guests)] == [False, True, True]
    assert said(rig) == "Then otherwise."
    assert len([event for event in rig.events(UserMessage) if event.note_kind == "declined"]) == 1
    whole(rig, session_id)


async def test_one_that_goes_on_by_itself_is_told_with_the_next_message(rig: Rig, guests: ScriptedGuests) -> None:
    guests.prompts = [[{"ask": command(RUN), "else": [{"say": "Then otherwise."}]}], [{"say": "I see."}]]
    session_id = await begin(rig)
    await rig.answer(session_id, await rig.asked(), NO)
    await rig.ended()
    await rig.engine.handle(SendMessage(session_id=session_id, text="Well?"))
    await rig.ended(2)
    first, second = prompts(guests)
    assert (WHY in first, WHY in second, "Well?" in second) == (False, True, True)
    whole(rig, session_id)


async def test_a_stop_ends_both_prompts(rig: Rig, guests: ScriptedGuests) -> None:
    guests.more = TAKES_MORE
    guests.prompts = [[{"ask": command(RUN), "else": [{"hold": True}]}], [{"say": "I heard. "}, {"hold": True}]]
    session_id = await begin(rig)
    await rig.answer(session_id, await rig.asked(), NO)
    await rig.until(lambda _: "I heard" in str(rig.updates))
    await rig.engine.handle(Interrupt(session_id=session_id))
    assert (await rig.ended()).status == "interrupted"
    assert len(guests.sent("session/cancel")) == 1
    assert guests.started[0].process.returncode is None
    await rig.engine.handle(SendMessage(session_id=session_id, text="And now?"))
    await rig.ended(2)
    assert [WHY in one for one in prompts(guests)] == [False, True, False]
    whole(rig, session_id)


async def test_an_end_in_the_middle_ends_both_prompts(rig: Rig, guests: ScriptedGuests) -> None:
    guests.more = TAKES_MORE
    guests.prompts = [[{"ask": command(RUN), "else": [{"hold": True}]}], [{"exit": 3}]]
    session_id = await begin(rig)
    await rig.answer(session_id, await rig.asked(), NO)
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("failed", "guest_ended")
    assert len(rig.events(TurnEnded)) == 1
    whole(rig, session_id)
