"""Skills that a call installed or took away stand in the ledger, and one click makes them what they were."""

import pytest

from desktop.config.folders import Folders
from desktop.domain.commands import SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.pending import Answer, ApprovalRequest
from tests.agent.ledger.test_undo import UndoRig
from tests.agent.rig import Rig
from tests.agent.skills.skill_places import skill_text
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio
YES = Answer(outcome="allow_once")


@pytest.fixture
def rig_type() -> type[Rig]:
    return UndoRig


@pytest.mark.promise("memory-UL1")
async def test_skills_that_an_agent_installs_and_takes_away_come_and_go_again(
    rig: UndoRig, folders: Folders, model_api: FakeModelApi
) -> None:
    file = folders.data / "skills" / "notes" / "SKILL.md"
    propose = tool_turn("install_skill", path="made", id="notes")
    model_api.script(
        tool_turn("write_file", file_path="made/SKILL.md", content=skill_text("notes", "First.")),
        propose,
        propose,
        tool_turn("write_file", file_path="made/SKILL.md", content=skill_text("notes", "Second.")),
        propose,
        text_turn("Made."),
        tool_turn("uninstall_skill", id="notes"),
        text_turn("Done."),
    )  # fmt: skip
    rig.session_id = await rig.new("make a skill", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.answer(rig.session_id, await rig.asked(1), Answer(outcome="reject"))
    for number in (2, 3):
        await rig.answer(rig.session_id, await rig.asked(number), YES)
    await rig.ended()
    await rig.engine.handle(SendMessage(session_id=rig.session_id, text="Take it away"))
    asked = await rig.asked(4)
    assert isinstance(asked.request, ApprovalRequest)
    assert (asked.request.undoable, "First." in file.read_text()) == ("yes", False)
    await rig.answer(rig.session_id, asked, YES)
    await rig.ended(2)
    assert not file.exists()
    away, second, first = (effect for effect in await rig.ledger() if effect.kind == "skill")
    assert [one.tool for one in (away, second, first)] == ["uninstall_skill", "install_skill", "install_skill"]
    assert (await rig.plan(second)).entries[0].verdict == "blocked"
    assert (await rig.undo(away)).told == "Undone: 1 of 1."
    assert "Second." in file.read_text()
    assert (await rig.undo(second)).told == "Undone: 1 of 1."
    assert "First." in file.read_text()
    undo = next(effect for effect in await rig.ledger() if effect.kind == "undo")
    assert (await rig.undo(undo)).told == "Undone: 1 of 1."
    assert "Second." in file.read_text()
    file.write_text(skill_text("notes", "By hand."))
    plan = await rig.plan(second)
    assert plan.entries[0].text == "The skill notes is not as it was left. Look at it in Settings › Skills."
    assert "By hand." in file.read_text()
