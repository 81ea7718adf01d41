"""What themes offer to the tools of a chat: given once, asked for by protocol, missed at the start by its name."""

from functools import partial

import pytest

from desktop.agent.core.offers import Offers, offer
from desktop.agent.core.session import Session
from desktop.tools.pull_calls import ChatPulls
from desktop.tools.tool import MakeLane, NewLane, WantedLane
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn


async def make(session: Session, wanted: WantedLane) -> NewLane:
    return NewLane(lane_id=session.session_id, name=wanted.name, branch="", base="", base_oid="")


@pytest.mark.asyncio
async def test_a_chat_gets_what_a_theme_gave_for_it_and_nothing_where_none_is_there(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("hi"))
    session = rig.engine.sessions.get(await rig.new("Hi"))
    await rig.ended()
    offers = Offers()
    offers.give(offer(MakeLane, lambda session: partial(make, session)))
    offers.give(offer(ChatPulls, lambda session: None))
    maker = offers.of(session, MakeLane)
    assert maker is not None
    made = await maker(WantedLane(name="next"))
    assert (made.lane_id, made.name) == (session.session_id, "next")
    assert offers.of(session, ChatPulls) is None
    offers.require(MakeLane, ChatPulls)


def test_what_nobody_offers_is_missed_by_its_name_and_nothing_is_offered_twice() -> None:
    offers = Offers()
    offers.give(offer(ChatPulls, lambda session: None))
    with pytest.raises(LookupError, match="MakeLane"):
        offers.require(MakeLane, ChatPulls)
    with pytest.raises(ValueError, match="ChatPulls is offered twice"):
        offers.give(offer(ChatPulls, lambda session: None))
