"""What agents did on GitHub is taken back as a person would: a request is closed, a thread is open again, words go."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.ledger.commands import LoadLedger, PlanUndo, RunUndo
from desktop.domain.ledger.effects import Effect
from desktop.domain.ledger.updates import LedgerLoaded, UndoPlanned
from desktop.domain.proofs.block import BEGIN
from desktop.domain.proofs.commands import AddProof
from desktop.domain.proofs.updates import ProofAdded
from desktop.domain.pulls.commands import DeleteReply, PutProofsBack
from tests.agent.gate_rig import ONCE
from tests.agent.pr_rig import PullRig, pull_rig
from tests.agent.rig import folders_below
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.github.stand_in import FakeGitHub

pytestmark = pytest.mark.asyncio
pytest_plugins = ("tests.fakes.github.plugin",)


@pytest_asyncio.fixture
async def pulls(github: FakeGitHub, tmp_path: Path, model_api: FakeModelApi) -> AsyncIterator[PullRig]:
    made = await pull_rig(github, folders_below(tmp_path / "home"), tmp_path, model_api.url)
    yield made
    await made.rig.engine.stop()


async def ledger(pulls: PullRig, session_id: str) -> tuple[Effect, ...]:
    await pulls.rig.engine.handle(LoadLedger(session_id=session_id))
    return [one for one in pulls.rig.updates if isinstance(one, LedgerLoaded)][-1].effects


async def undone(pulls: PullRig, effect: Effect) -> str:
    chat = effect.session_id
    await pulls.rig.engine.handle(PlanUndo(session_id=chat, effect_id=effect.effect_id))
    plan = [one for one in pulls.rig.updates if isinstance(one, UndoPlanned)][-1]
    assert [entry.verdict for entry in plan.entries] == ["undo"]
    await pulls.rig.engine.handle(RunUndo(session_id=chat, effect_id=effect.effect_id, digest=plan.digest))
    return [one for one in pulls.rig.updates if isinstance(one, LedgerLoaded)][-1].told


async def test_a_request_is_closed_and_opened_again(pulls: PullRig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("create_pr_from_lane", title="Fix", body="x"), tool_turn("push_lane"), text_turn("ok"))
    session_id = await pulls.rig.new("Propose it", lane_id=pulls.lane.id)
    asked = await pulls.rig.asked()
    assert asked.request.undoable == "yes"
    await pulls.rig.answer(session_id, asked, ONCE)
    await pulls.rig.answer(session_id, await pulls.rig.asked(2), ONCE)
    await pulls.rig.ended()
    (opened,) = await ledger(pulls, session_id)
    (pull,) = pulls.repo.pulls
    assert await undone(pulls, opened) == "Undone: 1 of 1."
    assert pull.value.state == "closed"
    undo, opened = await ledger(pulls, session_id)
    assert opened.state == "undone"
    assert await undone(pulls, undo) == "Undone: 1 of 1."
    assert pull.value.state == "open"


async def test_a_thread_that_was_resolved_is_open_again(pulls: PullRig, model_api: FakeModelApi) -> None:
    pulls.publish()
    thread = pulls.repo.open_pull("lane/fix", title="Fix three").thread("app.py", 3, "Why three?")
    await pulls.show()
    model_api.script(tool_turn("pr_resolve_review_thread", thread_id=thread.node_id), text_turn("done"))
    session_id = await pulls.rig.new("Settle it", PermissionMode.EDIT, lane_id=pulls.lane.id)
    await pulls.rig.answer(session_id, await pulls.rig.asked(), ONCE)
    await pulls.rig.ended()
    assert thread.resolved_by is not None
    (resolved,) = await ledger(pulls, session_id)
    assert await undone(pulls, resolved) == "Undone: 1 of 1."
    assert thread.resolved_by is None


async def test_a_reply_is_deleted_once_and_only_where_it_is_ones_own(pulls: PullRig, model_api: FakeModelApi) -> None:
    pulls.publish()
    thread = pulls.repo.open_pull("lane/fix", title="Fix three").thread("app.py", 3, "Why three?")
    await pulls.show()
    model_api.script(
        tool_turn("pr_reply_to_review_thread", thread_id=thread.node_id, body="Because of two."), text_turn("done")
    )
    session_id = await pulls.rig.new("Answer it", PermissionMode.EDIT, lane_id=pulls.lane.id)
    asked = await pulls.rig.asked()
    assert asked.request.undoable == "yes"
    await pulls.rig.answer(session_id, asked, ONCE)
    await pulls.rig.ended()
    assert [comment.body for comment in thread.comments] == ["Why three?", "Because of two."]
    foreign, own = thread.comments
    await pulls.rig.engine.handle(
        DeleteReply(lane_id=pulls.lane.id, thread_id=thread.node_id, comment_id=foreign.node_id)
    )
    assert pulls.rig.failures()[-1].code == "not_yours"
    (replied,) = await ledger(pulls, session_id)
    assert await undone(pulls, replied) == "Undone: 1 of 1."
    assert [comment.body for comment in thread.comments] == ["Why three?"]
    undo, replied = await ledger(pulls, session_id)
    assert (undo.left, replied.state) == ((), "undone")
    await pulls.rig.engine.handle(DeleteReply(lane_id=pulls.lane.id, thread_id=thread.node_id, comment_id=own.node_id))
    assert [failed.code for failed in pulls.rig.failures()] == ["not_yours"]


@pytest.mark.parametrize("body", ["Words of a person.", ""])
async def test_proofs_are_taken_out_of_a_request_unless_somebody_changed_them(
    pulls: PullRig, model_api: FakeModelApi, body: str
) -> None:
    pulls.publish()
    pull = pulls.repo.open_pull(pulls.lane.branch, title="Fix", body=body)
    await pulls.look()
    new = AddProof(lane_id=pulls.lane.id, data=b"120 passed\n", name="run.log", title="Test run")
    proof_id = (await pulls.answer(new, ProofAdded)).proof_id
    model_api.script(tool_turn("publish_proofs", proof_ids=[proof_id]), text_turn("done"))
    session_id = await pulls.rig.new("Show it", PermissionMode.EDIT, lane_id=pulls.lane.id)
    asked = await pulls.rig.asked()
    assert asked.request.undoable == "yes"
    await pulls.rig.answer(session_id, asked, ONCE)
    await pulls.rig.ended()
    posted = pull.value.body
    assert BEGIN in posted
    changed = PutProofsBack(lane_id=pulls.lane.id, posted="0" * 64)
    await pulls.rig.engine.handle(changed)
    assert pulls.rig.failures()[-1].code == "changed"
    assert pull.value.body == posted
    (published,) = await ledger(pulls, session_id)
    assert await undone(pulls, published) == "Undone: 1 of 1."
    assert pull.value.body == body
    undo, published = await ledger(pulls, session_id)
    assert (undo.left, published.state) == ((), "undone")
    await pulls.rig.engine.handle(changed)
    assert len(pulls.rig.failures()) == 1, "it is gone already"
