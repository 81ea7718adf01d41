"""Which model a child has, what its file says otherwise than it counts, and how deep children stand."""

import pytest

from desktop.config.folders import Folders
from desktop.domain.children.events import ChildBegun
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Notice, SessionStarted, ToolCallFinished
from desktop.domain.skills.values import AgentFile
from tests.agent.children.child_script import Cast
from tests.agent.children.test_foreground import child_of, over
from tests.agent.children.test_together import begins
from tests.agent.rig import Rig, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.model_turns import turn

pytestmark = pytest.mark.asyncio

MODELS = tuple({"id": name, "display_name": name} for name in ("big-opus-5", "small-haiku-5", "small-haiku-4"))


@pytest.mark.promise("memory-SU20")
@pytest.mark.parametrize(
    ("wanted", "model", "notice"),
    [
        ("haiku", "small-haiku-5", ""),
        ("Opus", "big-opus-5", ""),
        ("sonnet", "fake-model", "No model of the class sonnet is known at the service of this chat"),
        ("small-haiku-4", "small-haiku-4", ""),
        ("gpt-9", "fake-model", 'The model "gpt-9" is not known at the service of this chat'),
        ("inherit", "fake-model", ""),
    ],
)
async def test_a_class_of_models_is_one_of_the_persons(
    wanted: str, model: str, notice: str, rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.models = MODELS
    agent = AgentFile(path="", sha256="", name="thinker", description="Thinks.", text="Think.", model=wanted)
    rig.engine.parts.chats.children.agents.found.add(lambda session: [agent])
    model_api.answer_with(Cast(Parent=[turn(calls=[begins(1, "thinker")]), text_turn("x")], Child=[text_turn("y")]))
    session_id = await rig.new("Parent: go")
    await over(rig, session_id)
    log = [e.event for e in rig.engine._store.events.read(child_of(rig))]
    started = log[0]
    assert isinstance(started, SessionStarted)
    assert started.model == model
    said = [e.text for e in log if isinstance(e, Notice) and e.kind == "agent_file"]
    assert [text.startswith(notice) for text in said] == ([True] if notice else [])


async def test_where_a_service_lists_no_models_the_id_of_a_file_counts(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.models = None
    call = begins(1, model="any-model")
    model_api.answer_with(Cast(Parent=[turn(calls=[call]), text_turn("x")], Child=[text_turn("y")]))
    session_id = await rig.new("Parent: go")
    await over(rig, session_id)
    assert rig.engine.sessions.get(child_of(rig)).state.model == "any-model"


@pytest.mark.promise("memory-SU20")
async def test_what_a_file_says_wider_than_it_counts_is_told_in_the_child(rig: Rig, model_api: FakeModelApi) -> None:
    words = "The permissionMode bypassPermissions counts as edit."
    agent = AgentFile(
        path="",
        sha256="",
        name="bold",
        description="Dares.",
        text="Dare.",
        cap=PermissionMode.EDIT,
        notices=(words,),
    )
    rig.engine.parts.chats.children.agents.found.add(lambda session: [agent])
    model_api.answer_with(Cast(Parent=[turn(calls=[begins(1, "bold")]), text_turn("x")], Child=[text_turn("y")]))
    session_id = await rig.new("Parent: go", mode=PermissionMode.FULL_AUTO, without_sandbox=True)
    await over(rig, session_id)
    child = rig.engine.sessions.get(child_of(rig))
    assert child.mode is PermissionMode.EDIT
    assert words in [e.event.text for e in child.log if isinstance(e.event, Notice)]


@pytest.mark.promise("memory-SU5")
async def test_three_levels_are_the_most_and_a_fourth_is_refused(
    folders: Folders, repository, model_api: FakeModelApi
) -> None:
    write_settings(folders, model_api.url, subagent_depth=3)
    rig = await Rig(folders).open(repository)
    try:
        lead = AgentFile(path="", sha256="", name="lead", description="Leads.", text="Lead.")
        rig.engine.parts.chats.children.agents.found.add(lambda session: [lead])

        def deeper(words: str) -> dict[str, str]:
            return {"description": words, "prompt": f"{words}: go", "agent": "lead"}

        cast = Cast(
            Parent=[tool_turn("task", **deeper("First")), text_turn("done")],
            First=[tool_turn("task", **deeper("Second")), text_turn("one")],
            Second=[tool_turn("task", **deeper("Third")), text_turn("two")],
            Third=[tool_turn("task", **deeper("Fourth")), text_turn("was told no")],
        )
        model_api.answer_with(cast)
        session_id = await rig.new("Parent: go", mode=PermissionMode.EDIT)
        await over(rig, session_id)
        children = [rig.engine.sessions.get(event.child_id).state for event in rig.events(ChildBegun)]
        assert [child.depth for child in children] == [1, 2, 3]
        refused = [e for e in rig.events(ToolCallFinished) if e.outcome == "refused"]
        assert len(refused) == 1
        assert "task" not in {tool["name"] for tool in cast.asked["Third"][0].body["tools"]}
    finally:
        await rig.engine.stop()
