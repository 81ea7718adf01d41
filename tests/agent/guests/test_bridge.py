"""Tools of Banksman in the chats of guests: reached over the program that a guest starts, judged as all others."""

import json
from typing import Any

import pytest

from desktop.domain.commands import SendMessage
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import AssistantMessage, ToolCallDecided, ToolCallFinished, ToolCallStarted, UserMessage
from desktop.domain.gate.pending import Answer, QuestionRequest
from desktop.domain.history.state_of import message_text
from tests.agent.guest_rig import MIB, ScriptedGuests
from tests.agent.rig import Rig, git
from tests.agent.wholeness import whole

pytestmark = pytest.mark.asyncio


def call(name: str, leave: bool = False, **arguments: Any) -> dict[str, Any]:
    """A step: the guest calls a tool over the bridge, and says what it was answered."""
    return {"mcp": "tools/call", "params": {"name": name, "arguments": arguments}, "leave": leave}


def said(rig: Rig) -> str:
    return "".join(message_text(one) for one in rig.events(AssistantMessage))


OPTIONS = [{"label": "red"}, {"label": "blue"}]
QUESTION = {"id": "colour", "question": "Which colour?", "options": OPTIONS}
RED = Answer(outcome="answered", choices={"colour": ("red",)})


@pytest.mark.promise("guests-A56")
async def test_a_guest_asks_the_person_over_the_bridge(rig: Rig, guests: ScriptedGuests) -> None:
    guests.prompts = [[call("ask_user", questions=[QUESTION])]]
    session_id = await rig.new("Do it", driver="fake")
    asked = await rig.asked()
    assert isinstance(asked.request, QuestionRequest)
    await rig.answer(session_id, asked, RED)
    ended = await rig.ended()
    assert (ended.status, ended.detail) == ("completed", "")
    (decided,) = rig.events(ToolCallDecided)
    assert (decided.tool, decided.verdict) == ("ask_user", Verdict.ALLOW)
    (finished,) = rig.events(ToolCallFinished)
    assert json.loads(said(rig)) == {"content": [{"type": "text", "text": finished.content}], "isError": False}
    assert "red" in finished.content
    whole(rig, session_id)


@pytest.mark.promise("guests-A56")
async def test_what_it_did_is_committed_over_the_bridge(rig: Rig, guests: ScriptedGuests) -> None:
    guests.prompts = [[{"touch": "made.txt", "text": "one"}, call("commit_changes", message="Add made.txt")]]
    session_id = await rig.new("Do it", driver="fake")
    assert (await rig.ended()).status == "completed"
    assert git(rig.lane(session_id), "log", "-1", "--format=%s").strip() == "Add made.txt"
    assert git(rig.lane(session_id), "status", "--porcelain") == ""
    assert [one.tool for one in rig.events(ToolCallStarted)] == ["commit_changes"]
    whole(rig, session_id)


@pytest.mark.promise("guests-A55")
async def test_a_tool_of_another_mode_is_refused_by_the_executor(rig: Rig, guests: ScriptedGuests) -> None:
    guests.prompts = [[{"mcp": "tools/list"}, call("commit_changes", message="Add it")]]
    session_id = await rig.new("Plan it", driver="fake", mode=PermissionMode.PLAN)
    assert (await rig.ended()).status == "completed"
    (decided,) = rig.events(ToolCallDecided)
    assert (decided.verdict, decided.rule) == (Verdict.DENY, "offered")
    assert "ask_user" in said(rig)
    assert '"commit_changes"' not in said(rig)
    assert '"isError": true' in said(rig)
    whole(rig, session_id)


async def test_what_the_bridge_does_not_know_is_said_at_once(rig: Rig, guests: ScriptedGuests) -> None:
    large = {"mcp": "tools/call", "params": {"name": "commit_changes", "arguments": {"message": "x" * 10 * MIB}}}
    unknown = [{"mcp": "server/discover"}, {"mcp": "tools/call", "params": {"name": "bash"}}, call("read_file")]
    guests.prompts = [[*unknown, large, {"mcp": "ping"}]]
    session_id = await rig.new("Do it", driver="fake")
    assert (await rig.ended()).status == "completed"
    assert said(rig).count('{"code": -32601') == 1
    assert said(rig).count("There is no tool") == 2
    assert "The arguments are larger" in said(rig)
    assert said(rig).endswith("{}")
    assert rig.events(ToolCallDecided) == []
    whole(rig, session_id)


@pytest.mark.promise("guests-A57")
@pytest.mark.promise("guests-A58")
async def test_it_is_told_of_our_tools_once_and_of_no_other_server(rig: Rig, guests: ScriptedGuests) -> None:
    guests.prompts = [[{"say": "one"}], [{"say": "two"}]]
    session_id = await rig.new("Do it", driver="fake")
    await rig.ended()
    await rig.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    await rig.ended(2)
    (opened,) = guests.sent("session/new")
    assert [one["name"] for one in opened["params"]["mcpServers"]] == ["banksman"]
    first, second = (one["params"]["prompt"][0]["text"] for one in guests.sent("session/prompt"))
    assert "ask_user" in first
    assert "Git's metadata cannot be written here, so commits go through commit_changes" in first
    assert "search for them" in first
    assert second == "Go on"
    (note,) = [one for one in rig.events(UserMessage) if one.note_kind == "guest_tools"]
    assert first.startswith(message_text(note))
    whole(rig, session_id)
