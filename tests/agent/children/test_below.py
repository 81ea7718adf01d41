"""What holds from one level to the next: rules, grants, stops, sums, and children of children."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.agent.core.session import Session
from desktop.agent.gate.descent import may_have
from desktop.config.folders import Folders
from desktop.domain.children.commands import StopChild
from desktop.domain.children.events import ChildBegun, ChildEnded
from desktop.domain.children.values import ChildAgent
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import InputRequested, ToolCallFinished
from desktop.domain.gate.events import RuleSaved
from desktop.domain.gate.pending import Answer
from desktop.domain.history.state_of import SessionState
from desktop.domain.skills.values import AgentFile
from desktop.tools.registry import builtin_tools
from tests.agent.children.child_script import Cast
from tests.agent.children.test_foreground import over
from tests.agent.children.test_together import begins
from tests.agent.rig import Rig, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.model_turns import Turn, turn

MODES = st.sampled_from(PermissionMode)
NAMES = [tool.name for tool in builtin_tools().tools]
ORDER = list(PermissionMode)


@pytest.mark.asyncio
@pytest.mark.promise("memory-SU3")
async def test_a_rule_for_the_chat_made_in_a_child_counts_above_it(rig: Rig, model_api: FakeModelApi) -> None:
    cast = Cast(
        Parent=[turn(calls=[begins(1, "implementer")]), tool_turn("bash", command="touch again"), text_turn("done")],
        Child=[tool_turn("bash", command="touch made"), text_turn("made")],
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: go", mode=PermissionMode.EDIT)
    asked = await rig.asked()
    child_id = rig.events(ChildBegun)[0].child_id
    await rig.answer(child_id, asked, Answer(outcome="allow_always", scope="session"))
    await over(rig, session_id)
    assert len([e for e in rig.events(InputRequested) if e.request.blocking]) == 1
    assert (rig.lane(session_id) / "again").exists()
    assert [e.event for e in rig.engine._store.events.read(session_id) if isinstance(e.event, RuleSaved)]


@pytest.mark.asyncio
@pytest.mark.promise("memory-SU10")
async def test_children_of_children_work_below_the_limit_and_end_with_the_first(
    folders: Folders, repository, model_api: FakeModelApi
) -> None:
    write_settings(folders, model_api.url, subagent_depth=2)
    rig = await Rig(folders).open(repository)
    try:
        lead = AgentFile(path="", sha256="", name="lead", description="Leads.", text="Lead.")
        rig.engine.parts.chats.children.agents.found.add(lambda session: [lead])
        deeper = {"description": "deeper", "prompt": "Deep: go", "agent": "lead"}
        cast = Cast(
            Parent=[turn(calls=[begins(1, "lead")]), text_turn("then without")],
            Child=[tool_turn("task", **deeper)],
            Deep=[tool_turn("task", description="d", prompt="Abyss"), Turn(text="slow", delay_s=30)],
        )
        model_api.answer_with(cast)
        session_id = await rig.new("Parent: go", mode=PermissionMode.EDIT)
        await rig.until(lambda _: len(cast.asked["Deep"]) == 2)
        refused = [e for e in rig.events(ToolCallFinished) if e.outcome == "refused"]
        assert len(refused) == 1, "the third level is one too deep"
        child, deep = (event.child_id for event in rig.events(ChildBegun))
        assert rig.engine.sessions.get(deep).root.session_id == session_id
        await rig.engine.handle(StopChild(child_id=child))
        await over(rig, session_id)
        assert [(e.child_id, e.outcome) for e in rig.events(ChildEnded)] == [(deep, "stopped"), (child, "stopped")]
        below = rig.engine.sessions.get(deep).state.usage
        assert rig.engine.sessions.get(session_id).state.usage.total_input >= below.total_input + 300
    finally:
        await rig.engine.stop()


@pytest.mark.asyncio
async def test_a_child_that_waits_for_room_can_be_stopped_before_it_began(rig: Rig, model_api: FakeModelApi) -> None:
    slow = {f"Child {number}": [Turn(text="slow", delay_s=30)] for number in range(1, 5)}
    calls = [begins(number, background=True) for number in range(1, 5)]
    more = turn(calls=[begins(5, background=True)])
    model_api.answer_with(Cast(Parent=[turn(calls=calls), more, text_turn("all begun")], **slow))
    session_id = await rig.new("Parent: go", mode=PermissionMode.EDIT)
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_once"))
    await over(rig, session_id)
    fifth = rig.events(ChildBegun)[4]
    await rig.engine.handle(StopChild(child_id=fifth.child_id))
    assert [(e.child_id, e.outcome) for e in rig.events(ChildEnded)] == [(fifth.child_id, "not_begun")]
    assert rig.engine._store.events.head(fifth.child_id) is None


def chat(mode: PermissionMode, agent: ChildAgent | None, parent: Session | None) -> Session:
    """A chat in this mode, below another one."""
    above = parent.session_id if parent is not None else ""
    state = SessionState.begin(f"{above}x").model_copy(
        update={"mode": mode, "agent": agent, "parent_session_id": above, "lane_id": "lane"}
    )
    session = Session.__new__(Session)
    session.session_id, session.state, session.parent, session.grants_from = state.session_id, state, parent, -1
    return session


AGENTS = st.builds(
    ChildAgent,
    name=st.just("any"),
    cap=st.none() | MODES,
    tools=st.none() | st.lists(st.sampled_from(NAMES)).map(tuple),
    denied=st.lists(st.sampled_from(NAMES), max_size=3).map(tuple),
)


@pytest.mark.promise("memory-SU3")
@pytest.mark.promise("memory-SU4")
@given(st.lists(st.tuples(MODES, AGENTS), min_size=1, max_size=3), MODES, st.sets(st.sampled_from(NAMES)))
def test_a_child_never_has_a_mode_or_a_tool_that_those_above_it_lack(levels, mode, had) -> None:
    session = chat(mode, None, None)
    tools = [tool for tool in builtin_tools().tools if tool.name in had]
    for own, agent in levels:
        child = chat(own, agent, session)
        assert ORDER.index(child.mode) <= ORDER.index(session.mode)
        assert agent.cap is None or ORDER.index(child.mode) <= ORDER.index(agent.cap)
        kept = [tool for tool in builtin_tools().tools if may_have(child, tool, tools)]
        assert all(tool in tools for tool in kept)
        assert all(agent.may_have(tool.name) for tool in kept)
        session, tools = child, kept


def test_a_child_whose_chat_is_gone_only_reads() -> None:
    orphan = chat(PermissionMode.FULL_AUTO, ChildAgent(name="any"), None)
    orphan.state = orphan.state.model_copy(update={"parent_session_id": "gone"})
    assert orphan.mode is PermissionMode.PLAN
    assert not [tool for tool in builtin_tools().tools if may_have(orphan, tool, builtin_tools().tools)]
