"""What a guest that signs in by itself says of its use: its word, which can end a turn and never lengthen one."""

import pytest

from desktop.domain.chats.queue_events import Limits
from desktop.domain.commands import SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.usage import Usage
from desktop.domain.events import Notice
from desktop.domain.guests.events import GuestClaimed
from desktop.domain.guests.updates import GuestChanged
from tests.agent.guest_rig import ScriptedGuests, command
from tests.agent.rig import Rig
from tests.agent.wholeness import follows, whole

pytestmark = [pytest.mark.asyncio, pytest.mark.promise("guests-A49")]
USED = {"usage": {"inputTokens": 3_000, "outputTokens": 1_000}}


def context(used: int) -> dict:
    return {"update": {"sessionUpdate": "usage_update", "used": used, "size": 200_000}}


async def begin(rig: Rig, guests: ScriptedGuests, *steps: dict, limits: Limits | None = None) -> str:
    guests.prompts = [list(steps), *guests.prompts]
    more = {"limits": limits} if limits is not None else {}
    return await rig.new("Do it", PermissionMode.EDIT, driver="fake", without_sandbox=True, **more)


def lines(rig: Rig) -> list[str]:
    told = [one.lines[-1] for one in rig.updates if isinstance(one, GuestChanged)]
    return list(dict.fromkeys(told))


async def test_what_it_claims_is_told_as_its_word_and_is_in_no_sum(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, {"say": "Done."}, {"answers": USED})
    ended = await rig.ended()
    assert [one.usage for one in rig.events(GuestClaimed)] == [Usage(input=3_000, output=1_000)]
    assert (ended.claimed_tokens, ended.usage, ended.cost_microusd) == (4_000, Usage(), None)
    state = rig.engine.sessions.get(session_id).state
    assert (state.usage, state.cost_microusd) == (Usage(), 0)
    assert lines(rig)[-1] == (
        "Use of its model: 4,000 tokens, claimed by the agent; a limit in tokens rests on its word"
    )
    follows(rig, session_id)
    whole(rig, session_id)


async def test_a_limit_says_what_it_rests_on_and_ends_by_what_it_claims(rig: Rig, guests: ScriptedGuests) -> None:
    steps = (context(1_000), context(16_000), {"ask": command("python3 tool.py")}, {"hold": True})
    session_id = await begin(rig, guests, *steps, limits=Limits(tokens=15_000))
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("limit", "tokens")
    assert "15,000 tokens, by what the agent claims of its use" in ended.detail
    rests = [one.text for one in rig.events(Notice) if one.kind == "limits_rest"]
    assert len(rests) == 1
    assert "The limit of 15,000 tokens rests on what Fake Agent claims of its use" in rests[0]
    guests.prompts = [[{"say": "Done."}]]
    await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
    assert (await rig.ended(2)).status == "completed"
    assert len([one for one in rig.events(Notice) if one.kind == "limits_rest"]) == 1
    whole(rig, session_id)


@pytest.mark.parametrize(
    "claim", [{"inputTokens": -(10**9), "outputTokens": -1}, {"inputTokens": 0, "outputTokens": 0}]
)
async def test_no_claim_lengthens_a_turn(rig: Rig, guests: ScriptedGuests, claim: dict) -> None:
    """Whoever says that it gave tokens back has used them all the same."""
    steps = (context(14_900), context(0), context(15_100), {"hold": True})
    await begin(rig, guests, *steps, {"answers": {"usage": claim}}, limits=Limits(tokens=15_000))
    assert (await rig.ended()).reason == "tokens"


async def test_without_a_limit_nothing_is_said_of_one(rig: Rig, guests: ScriptedGuests) -> None:
    await begin(rig, guests, context(1_000), {"say": "Done."})
    assert (await rig.ended()).claimed_tokens == 0
    assert [one for one in rig.events(Notice) if one.kind == "limits_rest"] == []
    assert "1,000 of 200,000 tokens of its context, claimed by the agent" in lines(rig)[-1]
