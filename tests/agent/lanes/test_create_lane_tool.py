"""create_lane in a chat: it asks, makes the same lane as the window does, and says who made it."""

from pathlib import Path

import pytest

from desktop.domain.core.content import TextBlock
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import ToolCallDecided, ToolCallFinished
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LanesChanged
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


def lanes(rig: Rig) -> dict[str, Lane]:
    assert rig.engine.project is not None
    return {lane.name: lane for lane in rig.engine.parts.base.ground.lanes.known(rig.engine.project.id)}


async def test_an_agent_creates_a_lane_once_a_person_agreed(
    rig: Rig, model_api: FakeModelApi, repository: Path
) -> None:
    wanted = {"name": "Fix login", "description": "Stack two", "base_ref": "main"}
    model_api.script(
        tool_turn("create_lane", **wanted), tool_turn("create_lane", name="Child", parent_lane="FIX login"),
        tool_turn("create_lane", name="fix LOGIN"), tool_turn("create_lane", name="x", parent_lane="nobody"),
        tool_turn("create_lane", name="x", base_ref="main", parent_lane="Child"), text_turn("done"),
    )  # fmt: skip
    session_id = await rig.new("Split it")
    asked = await rig.asked()
    request = asked.request
    assert isinstance(request, ApprovalRequest)
    assert request.card.title == "Create lane Fix login"
    words = request.card.blocks[0]
    assert isinstance(words, TextBlock)
    assert words.text == "It begins at main.\nStack two"
    assert "leaves_computer" not in request.risk_flags
    assert [offer.scope for offer in request.grants] == ["once", "session"]
    assert "Fix login" not in lanes(rig), "nothing is made before the answer"
    await rig.answer(session_id, asked, Answer(outcome="allow_always", scope="session"))
    await rig.ended()
    made = lanes(rig)
    oid = git(repository, "rev-parse", "--short=7", "HEAD").strip()
    texts = [str(event.content) for event in rig.events(ToolCallFinished)]
    assert texts[:2] == [
        f"Lane Fix login: branch lane/fix-login, based on main {oid}.",
        f"Lane Child: branch lane/child, based on lane/fix-login {oid}.",
    ]
    assert (made["Fix login"].created_by, made["Fix login"].description) == (session_id, "Stack two")
    assert made["Child"].parent_id == made["Fix login"].id
    assert 'There is a lane named "Fix login" already' in texts[2] or 'named "fix LOGIN" already' in texts[2]
    assert 'There is no lane "nobody"' in texts[3]
    assert "not both" in texts[4]
    await rig.until(
        lambda updates: any(isinstance(u, LanesChanged) and "Child" in {lane.name for lane in u.lanes} for u in updates)
    )


async def test_a_plan_creates_no_lane_and_wrong_arguments_ask_nobody(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("create_lane", name="x"), tool_turn("create_lane", name="!!!"),
        tool_turn("create_lane", name="x", base_ref="--upload-pack=x"), text_turn("done"),
    )  # fmt: skip
    await rig.new("Split it", mode=PermissionMode.PLAN)
    await rig.ended()
    assert [event.verdict for event in rig.events(ToolCallDecided)] == [Verdict.DENY] * 3
    assert "x" not in lanes(rig)
