import json

import pytest

from desktop.domain.children.events import AgentGiven, ChildBegun, ChildEnded, ChildResultDelivered
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Envelope, SessionStarted, ToolCallDecided, ToolCallFinished, ToolCallStarted
from tests.agent.children.child_script import Cast
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.model_turns import turn

pytestmark = pytest.mark.asyncio


def child_of(rig: Rig) -> str:
    return rig.events(ChildBegun)[-1].child_id


async def over(rig: Rig, session_id: str) -> None:
    """Until the chat's own turn has ended."""
    await rig.until(
        lambda updates: any(
            isinstance(one, Envelope) and one.session_id == session_id and one.kind == "turn_ended" for one in updates
        )
    )


@pytest.mark.promise("memory-SU1")
async def test_a_child_works_in_a_log_of_its_own_and_its_last_words_are_the_result(
    rig: Rig, model_api: FakeModelApi
) -> None:
    cast = Cast(
        Parent=[
            tool_turn("task", description="where hello is", prompt="Child: find hello"),
            text_turn("It is in app.py."),
        ],
        Child=[tool_turn("grep", pattern="hello"), text_turn("app.py:1 prints hello")],
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: where is hello?")
    await over(rig, session_id)
    child_id = child_of(rig)
    logs = {one: rig.engine._store.events.read(one) for one in (session_id, child_id)}
    started = logs[child_id][0].event
    assert isinstance(started, SessionStarted)
    assert (started.kind, started.parent_session_id, started.depth) == ("subagent", session_id, 1)
    given = logs[child_id][1].event
    assert isinstance(given, AgentGiven)
    assert given.agent.name == "explorer"
    begun = next(e.event for e in logs[session_id] if isinstance(e.event, ChildBegun))
    ended = next(e.event for e in logs[session_id] if isinstance(e.event, ChildEnded))
    assert started.parent_call_id == begun.call_id
    assert (ended.outcome, ended.steps) == ("completed", 2)
    assert (ended.head_seq, ended.head_hash) == (logs[child_id][-1].seq, logs[child_id][-1].hash)
    finished = [e for e in logs[session_id] if isinstance(e.event, ToolCallFinished)]
    delivered = [e for e in logs[session_id] if isinstance(e.event, ChildResultDelivered)]
    assert len(finished) == len(delivered) == 1
    assert delivered[0].seq == finished[0].seq - 1, "told of in the commit of the result"
    assert isinstance(finished[0].event, ToolCallFinished)
    assert '<untrusted source="subagent:explorer">app.py:1 prints hello</untrusted>' in str(finished[0].event.content)
    assert "2 steps" in finished[0].event.summary
    told = json.dumps(cast.asked["Child"][0].body)
    assert "Parent: where" not in told, "nothing of the conversation above"
    assert "You find things out for another agent" in told


@pytest.mark.promise("memory-SU2")
async def test_the_child_is_on_record_before_its_first_request(rig: Rig, model_api: FakeModelApi) -> None:
    cast = Cast(
        Parent=[tool_turn("task", description="look", prompt="Child: look"), text_turn("done")],
        Child=[text_turn("seen")],
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: look")
    await over(rig, session_id)
    names = [(update.session_id == session_id, update.kind) for update in rig.updates if isinstance(update, Envelope)]
    assert names.index((True, "child_begun")) < names.index((False, "session_started"))
    assert names.index((False, "turn_started")) < names.index((False, "assistant_message"))


@pytest.mark.promise("memory-SU3")
@pytest.mark.promise("memory-SU4")
async def test_an_explorer_reads_only_whatever_the_mode_of_its_chat(rig: Rig, model_api: FakeModelApi) -> None:
    cast = Cast(
        Parent=[tool_turn("task", description="try", prompt="Child: try"), text_turn("done")],
        Child=[
            turn(
                calls=[
                    ("write_file", {"file_path": "new.txt", "content": "x"}),
                    ("bash", {"command": "touch new.txt"}),
                    ("create_lane", {"name": "other"}),
                    ("task", {"description": "d", "prompt": "p"}),
                    ("exit_plan_mode", {"plan": "p"}),
                    ("ask_user", {"questions": [{"id": "a", "text": "b"}]}),
                ]
            ),
            text_turn("all refused"),
        ],
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: try", mode=PermissionMode.EDIT)
    await over(rig, session_id)
    child = child_of(rig)
    log = [e.event for e in rig.engine._store.events.read(child)]
    assert [e.outcome for e in log if isinstance(e, ToolCallFinished)] == ["refused"] * 6
    assert not [e for e in log if isinstance(e, ToolCallStarted)]
    assert {e.mode for e in log if isinstance(e, ToolCallDecided)} == {PermissionMode.PLAN}
    assert not (rig.lane(session_id) / "new.txt").exists()
    told = {tool["name"] for tool in cast.asked["Child"][0].body["tools"]}
    above = {tool["name"] for tool in cast.asked["Parent"][0].body["tools"]}
    assert told < above
    assert not told & {"write_file", "edit_file", "bash", "create_lane", "report_completion", "task", "ask_user"}


async def test_an_implementer_writes_in_the_lane_of_its_chat(rig: Rig, model_api: FakeModelApi) -> None:
    cast = Cast(
        Parent=[
            tool_turn("task", agent="implementer", description="write", prompt="Child: write"),
            text_turn("done"),
        ],
        Child=[tool_turn("write_file", file_path="made.txt", content="x\n"), text_turn("made.txt is there")],
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: write", mode=PermissionMode.EDIT)
    await over(rig, session_id)
    assert (rig.lane(session_id) / "made.txt").read_text() == "x\n"
    assert rig.events(ChildEnded)[0].files_changed == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"agent": "wizard"}, "There are: explorer, implementer, planner, reviewer"),
        ({"prompt": " "}, "must not be blank"),
        ({"max_steps": 0}, "max_steps"),
        ({"role": "coordinator"}, "role: is not a field"),
        ({"resume": "t9"}, 'There is no task "t9"'),
    ],
)
async def test_a_call_that_cannot_be_is_told_why_and_begins_nothing(
    rig: Rig, model_api: FakeModelApi, arguments: dict[str, object], said: str
) -> None:
    given = {"description": "d", "prompt": "Child", **arguments}
    model_api.answer_with(Cast(Parent=[tool_turn("task", **given), text_turn("done")]))
    session_id = await rig.new("Parent: try")
    await over(rig, session_id)
    finished = rig.events(ToolCallFinished)[0]
    assert finished.is_error
    assert said in str(finished.content)
    assert not rig.events(ChildBegun)
