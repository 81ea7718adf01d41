"""Names that no chat and no child has, and what becomes of a child that waits on a card when its chat is stopped."""

import pytest

from desktop.domain.children.events import ChildBegun, ChildEnded
from desktop.domain.commands import Interrupt
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import InputRequested, InputResolved, ToolCallFinished, ToolCallStarted
from tests.agent.children.child_script import Cast
from tests.agent.children.test_foreground import over
from tests.agent.children.test_together import begins
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.model_turns import turn

pytestmark = pytest.mark.asyncio
COORDINATOR = (
    *("list_chats", "spawn_chat", "spawn_agent", "spawnChat", "send_message", "sendChatMessage", "steer_chat"),
    *("interrupt_chat", "resume_chat", "end_chat", "get_chat_status", "list_subagents", "get_chat_transcript"),
    *("handoff_chat", "rename_lane", "archive_lane", "delete_lane", "create_terminal", "run_command"),
    *("stop_process", "list_test_suites", "run_tests", "stop_test_run", "merge_pr", "update_pipeline_settings"),
    *("spawn_worker", "update_worker", "complete_mission", "approve_tool_use", "approveToolUse", "memory_update_core"),
)


def tries(names: tuple[str, ...]) -> object:
    return turn(calls=[(name, {"chat_id": "x", "prompt": "go", "role": "coordinator"}) for name in names])


@pytest.mark.promise("memory-SU4")
async def test_names_of_coordinators_are_refused_and_told_to_no_chat_and_no_child(
    rig: Rig, model_api: FakeModelApi
) -> None:
    cast = Cast(
        Parent=[tries(COORDINATOR), turn(calls=[begins(1, "implementer")]), text_turn("done")],
        Child=[tries(COORDINATOR), text_turn("all refused")],
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: try", mode=PermissionMode.EDIT)
    await over(rig, session_id)
    child_id = rig.events(ChildBegun)[0].child_id
    for one in (session_id, child_id):
        log = [each.event for each in rig.engine._store.events.read(one)]
        refused = [each for each in log if isinstance(each, ToolCallFinished) and each.is_error]
        assert len(refused) == len(COORDINATOR)
        begun = [each for each in log if isinstance(each, ToolCallStarted)]
        assert len(begun) == (1 if one == session_id else 0), "only the child itself was begun"
    for name, asked in cast.asked.items():
        told = {tool["name"] for tool in asked[0].body["tools"]}
        assert not told.intersection(COORDINATOR), name
    assert not [one for one in rig.events(InputRequested) if one.request.blocking], "nobody is asked about them"


@pytest.mark.promise("memory-SU4")
async def test_a_child_in_plan_is_refused_four_times_without_a_card(rig: Rig, model_api: FakeModelApi) -> None:
    calls = [
        ("write_file", {"file_path": "x", "content": "x"}),
        ("task", {"description": "d", "prompt": "p"}),
        ("create_lane", {"name": "other"}),
        ("spawn_chat", {"prompt": "p"}),
    ]
    cast = Cast(Parent=[turn(calls=[begins(1)]), text_turn("done")], Child=[turn(calls=calls), text_turn("no")])
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: plan", mode=PermissionMode.PLAN)
    await over(rig, session_id)
    log = [one.event for one in rig.engine._store.events.read(rig.events(ChildBegun)[0].child_id)]
    assert [one.outcome for one in log if isinstance(one, ToolCallFinished)] == ["refused"] * 4
    assert not [one for one in rig.events(InputRequested) if one.request.blocking]


@pytest.mark.promise("memory-SU10")
async def test_a_stop_while_a_child_waits_on_a_card_takes_the_card_back_and_runs_nothing(
    rig: Rig, model_api: FakeModelApi
) -> None:
    cast = Cast(
        Parent=[turn(calls=[begins(1, "implementer"), begins(2, "implementer")]), text_turn("done")],
        **{f"Child {number}": [tool_turn("bash", command=f"touch made{number}")] for number in (1, 2)},
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: both", mode=PermissionMode.EDIT)
    await rig.asked(2)
    await rig.engine.handle(Interrupt(session_id=session_id))
    await over(rig, session_id)
    asked = {one.input_id for one in rig.events(InputRequested) if one.request.blocking}
    assert len(asked) == 2
    assert {one.input_id for one in rig.events(InputResolved)} == asked
    assert all(one.answer.outcome not in ("allow_once", "allow_always") for one in rig.events(InputResolved))
    assert [one.outcome for one in rig.events(ChildEnded)] == ["stopped", "stopped"]
    assert not list(rig.lane(session_id).glob("made*"))
