"""A plan that a person approves: for which mode, with which text, and what full auto needs before that."""

from pathlib import Path

import pytest

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import InputRequested, InputResolved, ModeChanged, ToolCallFinished
from desktop.domain.gate.events import SandboxChosen
from desktop.domain.gate.pending import Answer, PlanReview
from tests.agent.gate_rig import codes
from tests.agent.rig import Rig
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio
EDIT, PLAN, AUTO = PermissionMode.EDIT, PermissionMode.PLAN, PermissionMode.FULL_AUTO
TEXT = "1. read\n2. write"


async def plan_card(rig: Rig, model_api: FakeModelApi) -> tuple[str, InputRequested]:
    model_api.script(tool_turn("exit_plan_mode", plan=TEXT), tool_turn("bash", command="touch made"), text_turn("done"))
    session_id = await rig.new("Plan it", PLAN)
    asked = await rig.asked()
    assert isinstance(asked.request, PlanReview)
    return session_id, asked


def without_sandbox(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.services.processes.sandbox.bubblewrap.SYSTEM_FOLDERS", str(folder))
    monkeypatch.setattr("desktop.services.processes.sandbox.sandbox.LEAST_ABI", 10_000)


async def test_approved_as_it_is_it_goes_on_in_the_mode_on_the_card(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, asked = await plan_card(rig, model_api)
    await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    command = await rig.asked(2)
    assert [(e.mode, e.previous, e.by) for e in rig.events(ModeChanged)] == [(EDIT, PLAN, "plan_approval")]
    await rig.answer(session_id, command, Answer(outcome="reject"))
    await rig.ended()
    whole(rig, session_id)


@pytest.mark.promise("gate-I18")
async def test_full_auto_where_the_sandbox_is_not_full_needs_the_persons_word(
    rig: Rig, model_api: FakeModelApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_sandbox(tmp_path, monkeypatch)
    session_id, asked = await plan_card(rig, model_api)
    await rig.answer(session_id, asked, Answer(outcome="allow_once", mode=AUTO))
    assert codes(rig) == ["no_sandbox"]
    assert rig.events(InputResolved) == []
    assert rig.engine.sessions.get(session_id).state.mode is PLAN
    await rig.answer(session_id, asked, Answer(outcome="allow_once", mode=AUTO, without_sandbox=True))
    await rig.ended()
    (chosen,) = rig.events(SandboxChosen)
    assert chosen.level == "none"
    assert rig.engine.sessions.get(session_id).state.without_sandbox
    assert [(e.mode, e.by) for e in rig.events(ModeChanged)] == [(AUTO, "plan_approval")]
    order = [type(e) for e in rig.events(object) if isinstance(e, SandboxChosen | InputResolved | ModeChanged)]
    assert order == [SandboxChosen, InputResolved, ModeChanged]
    assert (rig.lane(session_id) / "made").exists()
    assert rig.events(ToolCallFinished)[0].content == "Plan approved. Mode: full-auto."
    whole(rig, session_id)


async def test_full_auto_in_a_sandbox_that_is_full_begins_at_once(rig: Rig, model_api: FakeModelApi) -> None:
    await rig.engine.sandbox.ready()
    if rig.engine.sandbox.level != "full":
        pytest.skip("this computer has no full sandbox")
    session_id, asked = await plan_card(rig, model_api)
    await rig.answer(session_id, asked, Answer(outcome="allow_once", mode=AUTO))
    await rig.ended()
    assert rig.events(SandboxChosen) == []
    assert (rig.lane(session_id) / "made").exists()


async def test_the_persons_text_takes_the_place_of_the_plan_and_both_are_kept(
    rig: Rig, model_api: FakeModelApi
) -> None:
    session_id, asked = await plan_card(rig, model_api)
    await rig.answer(session_id, asked, Answer(outcome="allow_once", edited_plan="1. read\n2. ask"))
    await rig.answer(session_id, await rig.asked(2), Answer(outcome="reject"))
    await rig.ended()
    (resolved, *_) = rig.events(InputResolved)
    assert isinstance(asked.request, PlanReview)
    assert (asked.request.plan, resolved.answer.edited_plan) == (TEXT, "1. read\n2. ask")
    told = str(rig.events(ToolCallFinished)[0].content)
    assert told == "Plan approved. Mode: edit.\nThe person changed the plan. It is now:\n\n1. read\n2. ask"
    assert "1. read\\n2. ask" in str(model_api.requests[1].body) or "1. read\n2. ask" in str(model_api.requests[1].body)


@pytest.mark.parametrize("answer", [{"edited_plan": " \n"}, {"mode": PLAN}])
async def test_an_empty_text_or_another_mode_is_no_approval(
    rig: Rig, model_api: FakeModelApi, answer: dict[str, object]
) -> None:
    session_id, asked = await plan_card(rig, model_api)
    await rig.answer(session_id, asked, Answer.model_validate({"outcome": "allow_once", **answer}))
    assert codes(rig) == ["wrong_kind"]
    assert rig.events(InputResolved) == []
    await rig.answer(session_id, asked, Answer(outcome="reject"))
    await rig.until(lambda _: rig.events(InputResolved))
