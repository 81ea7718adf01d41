"""What sub-agents did stands in the ledger of the chat that began them, and is taken back from there by itself."""

import pytest

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.undo.events import UndoBegun
from tests.agent.children.child_script import Cast
from tests.agent.children.test_foreground import over
from tests.agent.ledger.test_undo import UndoRig
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


@pytest.fixture
def rig_type() -> type[Rig]:
    return UndoRig


@pytest.mark.promise("memory-UL1")
async def test_the_effect_of_a_sub_agent_is_listed_with_its_path_and_taken_back(
    rig: UndoRig, model_api: FakeModelApi
) -> None:
    cast = Cast(
        Parent=[
            tool_turn("write_file", file_path="mine.txt", content="m\n"),
            tool_turn("task", agent="implementer", description="write", prompt="Child: write"),
            text_turn("done"),
        ],
        Child=[tool_turn("write_file", file_path="made.txt", content="x\n"), text_turn("made.txt is there")],
    )
    model_api.answer_with(cast)
    rig.session_id = await rig.new("Parent: write", mode=PermissionMode.EDIT)
    await over(rig, rig.session_id)
    theirs = next(effect for effect in await rig.ledger() if effect.asker)
    mine = next(effect for effect in await rig.ledger() if effect.files and effect.files[0].path == "mine.txt")
    assert (theirs.files[0].path, theirs.session_id != rig.session_id) == ("made.txt", True)
    assert theirs.asker == rig.engine.sessions.get(theirs.session_id).state.title
    back = await rig.plan(mine, "back")
    assert [(entry.effect_id, entry.verdict) for entry in back.entries][-1] == (theirs.effect_id, "cannot")
    assert back.entries[-1].text == f"The sub-agent {theirs.asker} did it. Undo it by itself."
    assert (await rig.undo(theirs)).told == "Undone: 1 of 1."
    assert not (rig.root / "made.txt").exists()
    assert (rig.root / "mine.txt").exists()
    assert len(rig.events(UndoBegun)) == 1
    states = {effect.effect_id: effect.state for effect in await rig.ledger()}
    assert states[theirs.effect_id] == "undone"
    undo = next(effect for effect in await rig.ledger() if effect.kind == "undo")
    assert (await rig.undo(undo)).told == "Undone: 1 of 1."
    assert (rig.root / "made.txt").read_text() == "x\n"
    assert (await rig.undo(mine, "back")).told == "Undone: 1 of 1."
    assert not (rig.root / "mine.txt").exists()
