"""The program's own agents: their caps, their steps and their tools hold whatever the chat above them may do."""

from pathlib import Path

import pytest

from desktop.domain.children.events import AgentGiven, ChildBegun, ChildEnded
from desktop.domain.core.permissions import Category, PermissionMode
from desktop.domain.events import InputRequested, ToolCallDecided, ToolCallFinished, ToolCallStarted
from desktop.domain.gate.pending import Answer, PlanReview
from desktop.domain.skills.values import AgentFile
from desktop.services.skills.agent_files import read_agent
from desktop.tools.registry import builtin_tools
from tests.agent.children.child_script import Cast
from tests.agent.children.test_foreground import child_of, over
from tests.agent.children.test_together import begins
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.model_turns import turn

FOLDER = Path(__file__).parents[3] / "resources" / "agents"
READERS = ("explorer", "planner", "reviewer")
STEPS = {"explorer": 50, "planner": 50, "reviewer": 50, "implementer": 100}


def file_of(name: str) -> AgentFile:
    file = read_agent((FOLDER / f"{name}.md").read_bytes(), name)
    assert isinstance(file, AgentFile)
    return file


def test_they_are_files_in_the_format_of_those_that_people_write() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == set(STEPS)
    known = {tool.name for tool in builtin_tools().tools}
    for name, steps in STEPS.items():
        file = file_of(name)
        assert (file.name, file.max_turns, file.notices) == (name, steps, ())
        assert set(file.tools or ()) <= known
        assert file.cap is (PermissionMode.PLAN if name in READERS else None)
    for name in ("planner", "reviewer"):
        assert set(file_of(name).tools or ()) == set(file_of("explorer").tools or ())
    assert {"git_diff", "todo_write"} <= set(file_of("reviewer").tools or ())
    writing = {tool.name for tool in builtin_tools().tools if tool.category is not Category.READ}
    assert not writing & set(file_of("reviewer").tools or ())
    assert {"write_file", "edit_file", "bash"} <= set(file_of("implementer").tools or ())


@pytest.mark.asyncio
@pytest.mark.promise("memory-SU21")
@pytest.mark.parametrize("agent", READERS)
async def test_those_that_read_change_nothing_below_a_chat_in_full_auto(
    agent: str, rig: Rig, model_api: FakeModelApi
) -> None:
    tries = [
        ("write_file", {"file_path": "new.txt", "content": "x"}),
        ("edit_file", {"file_path": "app.py", "old_string": "hello", "new_string": "bye"}),
        ("delete_file", {"file_path": "app.py"}),
        ("bash", {"command": "touch new.txt"}),
        ("commit_changes", {"message": "x"}),
        ("task", {"description": "d", "prompt": "p", "agent": "implementer"}),
        ("exit_plan_mode", {"plan": "p"}),
        ("ask_user", {"questions": [{"id": "a", "text": "b"}]}),
    ]
    cast = Cast(
        Parent=[turn(calls=[begins(1, agent)]), text_turn("done")],
        Child=[turn(calls=tries), tool_turn("git_diff"), tool_turn("grep", pattern="hello"), text_turn("all refused")],
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: go", mode=PermissionMode.FULL_AUTO, without_sandbox=True)
    await over(rig, session_id)
    log = [e.event for e in rig.engine._store.events.read(child_of(rig))]
    outcomes = [e.outcome for e in log if isinstance(e, ToolCallFinished)]
    assert outcomes == ["refused"] * len(tries) + ["ok", "ok"]
    assert len([e for e in log if isinstance(e, ToolCallStarted)]) == 2
    assert {e.mode for e in log if isinstance(e, ToolCallDecided)} == {PermissionMode.PLAN}
    assert not [e for e in rig.events(InputRequested) if e.request.blocking]
    lane = rig.lane(session_id)
    assert "hello" in (lane / "app.py").read_text()
    assert not (lane / "new.txt").exists()
    told = {tool["name"] for tool in cast.asked["Child"][0].body["tools"]}
    assert told <= set(file_of(agent).tools or ())
    assert {"read_file", "grep", "git_diff"} <= told


@pytest.mark.asyncio
@pytest.mark.promise("memory-SU21")
@pytest.mark.parametrize("agent", STEPS)
async def test_each_ends_at_its_steps_and_the_chat_is_told(agent: str, rig: Rig, model_api: FakeModelApi) -> None:
    steps = STEPS[agent]
    child = [tool_turn("read_file", file_path="app.py", offset=number) for number in range(1, steps + 3)]
    cast = Cast(Parent=[turn(calls=[begins(1, agent)]), text_turn("then so")], Child=child)
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: go", mode=PermissionMode.EDIT)
    await over(rig, session_id)
    begun, ended = rig.events(ChildBegun)[0], rig.events(ChildEnded)[0]
    assert begun.limits is not None
    assert begun.limits.steps == steps
    assert (ended.outcome, ended.steps) == ("limit", steps)
    assert len(cast.asked["Child"]) == steps
    assert f"{steps} steps" in str(cast.asked["Parent"][1].messages[-1]["content"])


@pytest.mark.asyncio
@pytest.mark.promise("memory-SU21")
async def test_a_call_may_give_fewer_steps_and_no_more(rig: Rig, model_api: FakeModelApi) -> None:
    calls = [begins(1, "reviewer", max_steps=3), begins(2, "reviewer", max_steps=200)]
    scripts = {f"Child {number}": [text_turn("fine")] for number in (1, 2)}
    model_api.answer_with(Cast(Parent=[turn(calls=calls), text_turn("done")], **scripts))
    await over(rig, await rig.new("Parent: go", mode=PermissionMode.EDIT))
    assert sorted(e.limits.steps or 0 for e in rig.events(ChildBegun) if e.limits) == [3, 50]


@pytest.mark.asyncio
@pytest.mark.promise("memory-SU21")
async def test_a_reviewer_sees_what_the_turn_changed(rig: Rig, model_api: FakeModelApi) -> None:
    cast = Cast(
        Parent=[
            turn(
                calls=[
                    ("read_file", {"file_path": "app.py"}),
                    ("edit_file", {"file_path": "app.py", "old_string": "hello", "new_string": "good day"}),
                    ("write_file", {"file_path": "made.py", "content": "total = 1\n"}),
                ]
            ),
            turn(calls=[begins(1, "reviewer")]),
            text_turn("done"),
        ],
        Child=[tool_turn("git_diff"), tool_turn("git_status"), text_turn("app.py:1 is fine")],
    )
    model_api.answer_with(cast)
    await over(rig, await rig.new("Parent: go", mode=PermissionMode.EDIT))
    results = [str(request.messages[-1]["content"]) for request in cast.asked["Child"][1:]]
    assert "+print('good day')" in results[0]
    assert "made.py" in results[1]
    given = [e for e in rig.events(AgentGiven) if e.agent.name == "reviewer"]
    assert "git_diff" in given[0].agent.text
    assert "git_status" in given[0].agent.text


@pytest.mark.asyncio
@pytest.mark.promise("memory-SU21")
async def test_the_last_words_of_a_planner_are_a_plan_that_its_chat_may_present(
    rig: Rig, model_api: FakeModelApi
) -> None:
    plan = "1. Change app.py, checked by running it."
    cast = Cast(
        Parent=[turn(calls=[begins(1, "planner")]), tool_turn("exit_plan_mode", plan=plan), text_turn("as planned")],
        Child=[tool_turn("read_file", file_path="app.py"), text_turn(plan)],
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: go", mode=PermissionMode.PLAN)
    asked = await rig.asked()
    assert plan in str(cast.asked["Parent"][1].messages[-1]["content"])
    assert isinstance(asked.request, PlanReview)
    assert asked.request.plan == plan
    await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    await over(rig, session_id)
    assert rig.engine.sessions.get(session_id).mode is PermissionMode.EDIT
