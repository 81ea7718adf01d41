"""An agent names proofs in its lane's pull request: the card shows the very text, and nothing else is posted."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.domain.core.content import CodeBlock, TextBlock
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import ToolCallFinished
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.lanes.events import LaneOperationStarted
from desktop.domain.proofs.commands import AddProof
from desktop.domain.proofs.updates import ProofAdded
from tests.agent.pr_rig import PullRig, pull_rig
from tests.agent.rig import Rig, folders_below
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.github.control import PullControl
from tests.fakes.github.stand_in import FakeGitHub

pytestmark = pytest.mark.asyncio
pytest_plugins = ("tests.fakes.github.plugin",)


@pytest_asyncio.fixture
async def pulls(github: FakeGitHub, model_api: FakeModelApi, tmp_path: Path) -> AsyncIterator[PullRig]:
    rig = await pull_rig(github, folders_below(tmp_path / "home"), tmp_path, model_api.url)
    yield rig
    await rig.rig.engine.stop()


def results(rig: Rig) -> list[tuple[str, str]]:
    """What became of each call, and what the model was told."""
    return [(event.outcome, str(event.content)) for event in rig.events(ToolCallFinished)]


@pytest.mark.promise("lanes-F16")
async def test_the_text_on_the_card_is_posted_to_the_letter_and_changed_files_are_refused(
    pulls: PullRig, model_api: FakeModelApi
) -> None:
    pulls.publish()
    pull: PullControl = pulls.repo.open_pull(pulls.lane.branch, title="Fix", body="Words of a person.")
    await pulls.look()
    new = AddProof(lane_id=pulls.lane.id, data=b"120 passed\n", name="run.log", title="Test <run>")
    proof_id = (await pulls.answer(new, ProofAdded)).proof_id
    model_api.script(
        tool_turn("publish_proofs", proof_ids=["pf_000000000000"]),
        tool_turn("publish_proofs", proof_ids=[proof_id]),
        tool_turn("publish_proofs", proof_ids=[proof_id]),
        text_turn("done"),
    )
    session_id = await pulls.rig.new("Show it", PermissionMode.EDIT, lane_id=pulls.lane.id)
    asked = await pulls.rig.asked()
    assert isinstance(asked.request, ApprovalRequest)
    where, posted_text = asked.request.card.blocks
    assert isinstance(where, TextBlock)
    assert isinstance(posted_text, CodeBlock)
    head, text = where.text, posted_text.text
    assert head.splitlines()[0].startswith(f"Pull request #{pull.number} of octo/shop on ")
    assert "A private repository." in head
    assert "\nTest <run> · Console log, 1 KiB; its content stays on this computer" in head
    assert "| Test &#60;run&#62; | Console log |" in text
    await pulls.rig.answer(session_id, asked, Answer(outcome="allow_once"))
    again = await pulls.rig.asked(2)
    assert pull.value.body == f"Words of a person.\n\n{text}"
    (pulls.folder / "app.py").write_text("changed")
    await pulls.rig.answer(session_id, again, Answer(outcome="allow_once"))
    await pulls.rig.ended()
    unknown, posted, dirty = results(pulls.rig)
    assert unknown[0] == "refused"
    assert "does not exist in this lane" in unknown[1]
    assert posted[0] == "ok"
    assert posted[1].startswith(f"octo/shop#{pull.number} names the proof now: ")
    assert dirty[0] == "error"
    assert dirty[1].endswith("Commit first.")
    started = [one for one in pulls.operations("edit_pull_request") if isinstance(one, LaneOperationStarted)]
    assert [operation.by for operation in started] == ["tool"]
