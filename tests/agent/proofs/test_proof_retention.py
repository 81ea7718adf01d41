"""Deleting a chat or a lane: its proofs stay unless a person says otherwise, and never what others have (lanes-F15)."""

import pytest

from desktop.domain.chats.commands import DeleteSession
from desktop.domain.lanes.commands import DeleteLanes
from desktop.domain.lanes.updates import LanesDeleted
from desktop.domain.proofs.commands import AddProof, CountProofs, LoadProofs
from desktop.domain.proofs.updates import ProofAdded, ProofsChanged, ProofsCounted
from desktop.domain.proofs.values import ProofLink
from tests.agent.lane_ground import last, plan
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn

pytestmark = pytest.mark.asyncio


async def chat_with_proofs(rig: Rig, model_api: FakeModelApi, *names: str) -> tuple[str, str, list[str]]:
    """A chat, its lane, and the ids of proofs of both."""
    model_api.script(text_turn("done"))
    session_id = await rig.new("Look")
    await rig.ended()
    lane_id = rig.engine.sessions.get(session_id).state.lane_id
    for name in names:
        await rig.engine.handle(AddProof(lane_id=lane_id, session_id=session_id, data=name.encode(), name="a.log"))
    return session_id, lane_id, [update.proof_id for update in rig.updates if isinstance(update, ProofAdded)]


async def listed(rig: Rig, lane_id: str) -> list[str]:
    await rig.engine.handle(LoadProofs(lane_id=lane_id))
    return [one.proof.id for one in last(rig, ProofsChanged).proofs]


@pytest.mark.promise("lanes-F15")
async def test_a_deleted_chat_leaves_its_proofs_unless_a_person_lets_them_go(rig: Rig, model_api: FakeModelApi) -> None:
    rig.engine.parts.chats.library.commands.undo_s = 0
    session_id, lane_id, (first, second) = await chat_with_proofs(rig, model_api, "one", "two")
    published = ProofLink(owner="pull_request", owner_id="o/r#4", relation="published_to")
    rig.engine._store.proofs.link(second, published)
    await rig.engine.handle(CountProofs(session_id=session_id))
    assert last(rig, ProofsCounted).count == 1
    sha256 = rig.engine._store.database.rows("SELECT sha256 FROM proof WHERE proof_id = ?", (first,))[0][0]
    await rig.engine.handle(DeleteSession(session_id=session_id, keep_proofs=False))
    await rig.engine.parts.chats.library.commands.close()
    assert await listed(rig, lane_id) == [second]  # a pull request has it
    assert rig.engine._store.database.rows("SELECT 1 FROM blob WHERE sha256 = ?", (sha256,)) == []
    kept, lane_id, proofs = await chat_with_proofs(rig, model_api, "three")
    await rig.engine.handle(DeleteSession(session_id=kept))
    await rig.engine.parts.chats.library.commands.close()
    assert await listed(rig, lane_id) == [proofs[-1]]


@pytest.mark.promise("lanes-F15")
@pytest.mark.parametrize("keep", [True, False])
async def test_the_plan_of_a_deletion_counts_proofs_and_they_go_only_when_they_should(
    rig: Rig, model_api: FakeModelApi, keep: bool
) -> None:
    session_id, lane_id, proofs = await chat_with_proofs(rig, model_api, "one", "two")
    lane = rig.engine.sessions.get(session_id).lane
    assert lane is not None
    planned = await plan(rig, lane)
    assert planned.losses[0].proofs == 2
    await rig.engine.handle(
        DeleteLanes(lane_ids=(lane_id,), digest=planned.digest, typed=planned.typed, keep_proofs=keep)
    )
    assert last(rig, LanesDeleted).results[0][2] == ""
    rows = rig.engine._store.database.rows("SELECT proof_id FROM proof")
    assert sorted(str(row[0]) for row in rows) == (sorted(proofs) if keep else [])
