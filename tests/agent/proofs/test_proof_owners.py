"""To whom a proof belongs: its chat and lane, and the last report of each chat that names it."""

import pytest

from desktop.domain.commands import SendMessage
from desktop.domain.events import Envelope
from desktop.domain.proofs.commands import LoadProofs
from desktop.domain.proofs.updates import ProofsChanged
from desktop.domain.proofs.values import ProofLink, ShownProof
from desktop.domain.reports.events import CompletionReported
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio
TITLE = "The loop is gone."


def last_report(rig: Rig) -> ProofLink | None:
    """The report with that title among the owners that the window was told last."""
    told = [update for update in rig.updates if isinstance(update, ProofsChanged) and update.proofs]
    named = {owner_id for owner_id, name in told[-1].proofs[0].names if name == TITLE} if told else set()
    return next((link for link in told[-1].proofs[0].links if link.owner_id in named), None) if named else None


async def proof(rig: Rig, lane_id: str) -> ShownProof:
    await rig.engine.handle(LoadProofs(lane_id=lane_id))
    told = [update for update in rig.updates if isinstance(update, ProofsChanged)]
    (found,) = told[-1].proofs
    return found


async def test_the_last_report_of_a_chat_that_names_a_proof_is_among_its_owners(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("attach_proof", path="notes.md", title="Log"), text_turn("done"))
    session_id = await rig.new("Show it")
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    assert session.lane is not None
    before = await proof(rig, session.lane.id)
    assert [link.owner for link in before.links] == ["lane", "session"]
    claims = [{"text": "see it", "kind": "proof", "proof_id": before.proof.id}]
    model_api.script(
        tool_turn("report_completion", summary="First.", status="partial", claims=claims),
        tool_turn("report_completion", summary=f"{TITLE}\nAll of it.", status="completed",
                  artifacts=[{"reference": before.proof.id}]),
        tool_turn("report_completion", summary="No proof.", status="completed"),
        tool_turn("ask_user", question="Is it seen?"),
    )  # fmt: skip
    await rig.engine.handle(SendMessage(session_id=session_id, text="report"))
    await rig.asked()
    told = [one for one in rig.updates if isinstance(one, Envelope) and isinstance(one.event, CompletionReported)]
    report = await rig.until(lambda _: last_report(rig))
    after = await proof(rig, session.lane.id)
    assert [link.owner for link in after.links] == ["lane", "session", "report"]
    assert after.links[-1] == report, "a list that is on screen is told anew, though the turn goes on"
    assert report.owner_id == f"{session_id}/{told[1].event_id}"
    assert dict(after.names)[report.owner_id] == TITLE
