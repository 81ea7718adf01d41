"""Children beside their chat in one lane: what was allowed and read holds in both, and nobody writes over another."""

from pathlib import Path

import pytest

from desktop.domain.children.events import ChildBegun, ChildEnded
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import InputRequested, ToolCallFinished
from desktop.domain.gate.events import SessionTainted
from desktop.domain.skills.values import AgentFile
from tests.agent.children.child_script import Cast
from tests.agent.children.test_foreground import child_of, over
from tests.agent.children.test_together import begins
from tests.agent.gate_rig import ONCE, always, approval, of_session
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.model_turns import turn

pytestmark = pytest.mark.asyncio


def results(rig: Rig, session_id: str) -> list[ToolCallFinished]:
    return of_session(rig, session_id, ToolCallFinished)


async def test_a_file_that_another_child_changed_is_read_again_before_it_is_changed(
    rig: Rig, model_api: FakeModelApi
) -> None:
    reads = tool_turn("read_file", file_path="app.py")

    def changes(new: str) -> object:
        return tool_turn("edit_file", file_path="app.py", old_string="hello", new_string=new)

    slow = [reads, tool_turn("bash", command="touch asked"), changes("hello, said the first"), text_turn("no")]
    cast = Cast(
        Parent=[turn(calls=[begins(1, "implementer", background=True), begins(2, "implementer")]), text_turn("done")],
        **{"Child 1": slow, "Child 2": [reads, changes("hello, said the second"), text_turn("yes")]},
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: both", mode=PermissionMode.EDIT)
    asked = await rig.asked()
    await over(rig, session_id)
    first, second = (event.child_id for event in rig.events(ChildBegun))
    assert [one.outcome for one in results(rig, second)] == ["ok", "ok"]
    await rig.answer(first, asked, ONCE)
    await rig.until(lambda _: len(rig.events(ChildEnded)) == 2)
    read, ran, late = results(rig, first)
    assert (read.outcome, ran.outcome, late.outcome) == ("ok", "ok", "error")
    assert "changed" in str(late.content)
    assert "read it again" in str(late.content).lower()
    assert "said the second" in (rig.lane(session_id) / "app.py").read_text()


@pytest.mark.promise("memory-SU3")
async def test_what_a_child_read_marks_its_chat_and_what_the_chat_read_marks_its_children(
    rig: Rig, model_api: FakeModelApi, tmp_path: Path
) -> None:
    (tmp_path / "outside.txt").write_text("from elsewhere\n")
    cast = Cast(
        Parent=[turn(calls=[begins(1)]), turn(calls=[begins(2, "implementer")]), text_turn("done")],
        **{
            "Child 1": [tool_turn("read_file", file_path=str(tmp_path / "outside.txt")), text_turn("seen")],
            "Child 2": [tool_turn("bash", command="touch made"), text_turn("made")],
        },
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: go", mode=PermissionMode.EDIT)
    asked = await rig.asked()
    assert not rig.engine.sessions.get(session_id).state.tainted
    await rig.answer(child_of(rig), asked, ONCE)
    asked = await rig.asked(2)
    source = f"{tmp_path}/outside.txt"
    assert [one.source for one in of_session(rig, session_id, SessionTainted)] == [source]
    assert approval(asked).tainted == (source,), "its own log holds no such mark"
    assert not of_session(rig, child_of(rig), SessionTainted)
    await rig.answer(child_of(rig), asked, ONCE)
    await over(rig, session_id)


@pytest.mark.promise("memory-SU3")
@pytest.mark.parametrize("lane", ["same", "own"])
async def test_what_was_allowed_for_a_chat_is_allowed_for_its_children_in_the_same_lane(
    lane: str, rig: Rig, model_api: FakeModelApi
) -> None:
    cast = Cast(
        Parent=[
            tool_turn("bash", command="touch one"),
            turn(calls=[begins(1, "implementer", lane=lane)]),
            text_turn("done"),
        ],
        Child=[tool_turn("bash", command="touch two"), text_turn("made")],
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: go", mode=PermissionMode.EDIT)
    await rig.answer(session_id, await rig.asked(), always("session"))
    if lane == "own":
        asked = await rig.asked(2)
        await rig.answer(child_of(rig), asked, ONCE)
    await over(rig, session_id)
    assert len([e for e in rig.events(InputRequested) if e.request.blocking]) == (1 if lane == "same" else 2)
    assert (rig.lane(child_of(rig)) / "two").exists()


@pytest.mark.promise("memory-SU4")
async def test_a_child_asks_a_person_only_where_the_file_of_its_agent_lists_it(
    rig: Rig, model_api: FakeModelApi
) -> None:
    names = {"listed": ("read_file", "ask_user", "exit_plan_mode", "create_lane"), "silent": None}
    files = [
        AgentFile(path="", sha256="", name=name, description="d", text="t", tools=tools)
        for name, tools in names.items()
    ]
    rig.engine.parts.chats.children.agents.found.add(lambda session: files)
    calls = [begins(1, "listed"), begins(2, "silent")]
    scripts = {f"Child {number}": [text_turn("fine")] for number in (1, 2)}
    cast = Cast(Parent=[turn(calls=calls), text_turn("done")], **scripts)
    model_api.answer_with(cast)
    await over(rig, await rig.new("Parent: go", mode=PermissionMode.EDIT))
    told = [{tool["name"] for tool in cast.asked[f"Child {number}"][0].body["tools"]} for number in (1, 2)]
    assert told[0] == {"read_file", "ask_user"}
    assert not told[1] & {"ask_user", "exit_plan_mode", "create_lane"}
    assert {"read_file", "bash", "write_file"} <= told[1]


@pytest.mark.promise("memory-SU5")
async def test_a_turn_begins_sixteen_and_the_next_is_refused_whatever_a_person_allowed(
    rig: Rig, model_api: FakeModelApi
) -> None:
    scripts = {f"Child {number}:": [text_turn("seen")] for number in range(1, 18)}
    cast = Cast(Parent=[turn(calls=[begins(number) for number in range(1, 18)]), text_turn("done")], **scripts)
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: all", mode=PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.answer(session_id, await rig.asked(), ONCE)
    await over(rig, session_id)
    assert len(rig.events(ChildBegun)) == len(rig.events(ChildEnded)) == 16
    refused = [one for one in results(rig, session_id) if one.outcome == "refused"]
    assert len(refused) == 1
    assert "16" in str(refused[0].content)
    assert len([e for e in rig.events(InputRequested) if e.request.blocking]) == 1


async def test_a_child_that_ended_is_let_go_and_its_row_is_made_of_what_is_stored(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.answer_with(Cast(Parent=[turn(calls=[begins(1)]), text_turn("done")], Child=[text_turn("seen")]))
    session_id = await rig.new("Parent: go", mode=PermissionMode.EDIT)
    await over(rig, session_id)
    assert [one.session_id for one in rig.engine.sessions.opened()] == [session_id]
    state = rig.engine.sessions.get(session_id).state.children[child_of(rig)]
    assert (state.running, state.outcome, state.steps) == (False, "completed", 1)
