"""Plans of a guest: lists become todos, whatever they are called; texts are what a review of its plan shows."""

import pytest

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work_events import TodosChanged
from desktop.domain.gate.pending import PlanReview
from tests.agent.gate_rig import REJECT
from tests.agent.guest_rig import ScriptedGuests
from tests.agent.guests.test_guest_requests import begin
from tests.agent.rig import Rig
from tests.agent.wholeness import follows, whole
from tests.fakes.acp_schema import problems

pytestmark = pytest.mark.asyncio
SWITCH = {"ask": {"toolCallId": "t1", "title": "Ready?", "kind": "switch_mode"}}


def entry(content: str, status: str = "pending") -> dict[str, str]:
    return {"content": content, "priority": "medium", "status": status}


def update(**plan: object) -> dict[str, object]:
    told = {"sessionUpdate": "plan_update", "plan": plan}
    assert problems("session/update", "Notification", {"sessionId": "s", "update": told}, plans=True) == []
    return {"update": told}


def items(plan_id: str, *contents: str) -> dict[str, object]:
    return update(type="items", planId=plan_id, entries=[entry(one) for one in contents])


def removed(plan_id: str) -> dict[str, object]:
    return {"update": {"sessionUpdate": "plan_removed", "planId": plan_id}}


@pytest.mark.promise("guests-A9")
async def test_it_is_told_that_plans_are_heard_and_that_a_gateway_can_be_told(rig: Rig, guests: ScriptedGuests) -> None:
    await begin(rig, guests, {"say": "Hello."})
    await rig.ended()
    (hello,) = guests.sent("initialize")
    can = hello["params"]["clientCapabilities"]
    assert can["plan"] == {}
    assert can["auth"] == {"terminal": True, "_meta": {"gateway": True}}
    assert problems("initialize", "Request", hello["params"]) == []
    assert problems("initialize", "Request", hello["params"], plans=True) == []


async def test_lists_with_and_without_a_name_are_todos_side_by_side(rig: Rig, guests: ScriptedGuests) -> None:
    named = [items("one", "dig"), items("two", "fill", "rake"), removed("one"), removed("none")]
    session_id = await begin(rig, guests, {"plan": [entry("look", "completed")]}, *named)
    await rig.ended()
    todos = rig.events(TodosChanged)[-1].todos
    assert [(one.id, one.content, one.status) for one in todos] == [
        ("1", "look", "completed"),
        ("2", "fill", "pending"),
        ("3", "rake", "pending"),
    ]
    follows(rig, session_id)
    whole(rig, session_id)


@pytest.mark.promise("guests-A29")
@pytest.mark.parametrize(
    ("told", "shown"),
    [
        (update(type="markdown", planId="p", content="# Dig\n\nThen fill."), "# Dig\n\nThen fill."),
        (update(type="file", planId="p", uri="file:///plans/dig.md"), "file:///plans/dig.md"),
        (items("p", "dig", "fill"), "- dig\n- fill"),
    ],
)
async def test_a_review_shows_the_newest_plan(
    rig: Rig, guests: ScriptedGuests, told: dict[str, object], shown: str
) -> None:
    session_id = await begin(rig, guests, {"plan": [entry("old")]}, told, SWITCH, mode=PermissionMode.PLAN)
    asked = await rig.asked()
    assert isinstance(asked.request, PlanReview)
    assert asked.request.plan == shown
    await rig.answer(session_id, asked, REJECT)
    await rig.ended()
    whole(rig, session_id)


async def test_more_plans_than_people_can_look_through_are_not_followed(rig: Rig, guests: ScriptedGuests) -> None:
    many = [items(f"p{number}", f"step {number}") for number in range(40)]
    odd = [{"update": {"sessionUpdate": "plan_update", "plan": one}} for one in ([], "x", {"type": "items"})]
    session_id = await begin(rig, guests, *many, *odd)
    ended = await rig.ended()
    assert (ended.status, ended.detail) == ("completed", "")
    assert [one.content for one in rig.events(TodosChanged)[-1].todos] == [f"step {number}" for number in range(20)]
    whole(rig, session_id)
