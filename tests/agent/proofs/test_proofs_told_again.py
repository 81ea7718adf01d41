"""Proofs on screen: a change that comes while the list is being told is told afterwards."""

import asyncio

import pytest

from desktop.domain.core.clock import utc_now
from desktop.domain.lanes.lane import LaneStatus
from desktop.domain.lanes.updates import LaneStatusChanged
from desktop.domain.proofs.commands import AddProof
from desktop.domain.proofs.updates import ProofsChanged
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn

pytestmark = pytest.mark.asyncio


def told(rig: Rig) -> list[int]:
    """How many proofs each list that was told had."""
    return [len(update.proofs) for update in rig.updates if isinstance(update, ProofsChanged)]


async def test_a_change_that_comes_while_the_list_is_told_is_told_afterwards(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("done"))
    session_id = await rig.new("Look")
    await rig.ended()
    lane_id = rig.engine.sessions.get(session_id).state.lane_id
    await rig.engine.handle(AddProof(lane_id=lane_id, session_id=session_id, data=b"one", name="a.log"))
    await rig.until(lambda _: told(rig)[-1:] == [1])
    store, theme = rig.engine._store.proofs, rig.engine.parts.reviews.proofs.theme
    (proof,) = store.of_lane(lane_id)
    changed = LaneStatusChanged(statuses=(LaneStatus(lane_id=lane_id, read_at=utc_now()),))
    assert theme.saw is not None
    await rig.engine.parts.lanes.standing.status.close()  # it would tell of the lane by itself
    while rig.engine.parts.reviews.proofs._tasks:
        await asyncio.sleep(0.01)
    before = len(told(rig))

    theme.saw(changed)
    await asyncio.sleep(0)  # the list has read which proofs there are, and looks at the files of the lane
    store.add(proof.model_copy(update={"id": f"{proof.id[:-1]}x"}), store.links(proof.id))
    theme.saw(changed)
    theme.saw(changed)

    await rig.until(lambda _: told(rig)[-1:] == [2], timeout_s=20)
    assert told(rig)[before] == 1, "the list that was being told was read before"
