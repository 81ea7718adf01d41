"""What an agent deletes comes back from the lane's trash by the same act that takes back a change."""

import pytest

from desktop.domain.commands import RevertChange
from desktop.domain.events import ToolCallFinished
from desktop.domain.gate.events import ReviewReverted
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


async def test_a_deleted_file_is_restored_once_and_never_over_another(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("delete_file", file_path="notes.md"), text_turn("gone"))
    session_id = await rig.new("Delete the notes")
    await rig.ended()
    lane, (finished,) = rig.lane(session_id), rig.events(ToolCallFinished)
    assert not (lane / "notes.md").exists()
    (lane / "notes.md").write_text("mine")
    revert = RevertChange(session_id=session_id, call_id=finished.call_id)
    await rig.engine.handle(revert)
    assert rig.failures()[-1].code == "not_reverted"
    assert (lane / "notes.md").read_text() == "mine"
    (lane / "notes.md").unlink()
    await rig.engine.handle(revert)
    assert (lane / "notes.md").read_text() == "# Notes\n"
    assert [event.call_id for event in rig.events(ReviewReverted)] == [finished.call_id]
    await rig.engine.handle(revert)
    assert "already" in rig.failures()[-1].text
