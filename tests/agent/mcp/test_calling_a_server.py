"""A tool of a server in a real turn: asked about, run in the sandbox, and never reached when a person declines."""

from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.commands import Interrupt, SendMessage
from desktop.domain.core.permissions import Verdict
from desktop.domain.events import InputRequested, ToolCallDecided, ToolCallFinished, ToolCallStarted
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.mcp import commands as c
from desktop.domain.mcp.events import McpPinAccepted, McpServerChanged
from desktop.domain.mcp.updates import McpServerTested
from desktop.domain.updates import ActivityChanged
from tests.agent.mcp_rig import accept, configure, fake_server, project_events, stands
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


@pytest.fixture
def calls(folders: Folders, tmp_path: Path) -> Path:
    """What reached the server."""
    kept = folders.data / "mcp" / "homes" / "fake" / "calls"
    configure(folders, fake_server(f"calls={kept}"))
    return kept


async def accepted(rig: Rig) -> None:
    await rig.engine.handle(c.TestMcpServer(server_id="fake"))
    await stands(rig, "waiting")
    await accept(rig)


async def test_a_call_waits_for_a_person_runs_and_its_result_reaches_the_model(
    rig: Rig, calls: Path, model_api: FakeModelApi
) -> None:
    await accepted(rig)
    model_api.script(tool_turn("mcp__fake__echo", text="hello"), text_turn("Done."))
    session_id = await rig.new("use it")
    asked = await rig.asked()
    assert isinstance(asked.request, ApprovalRequest)
    assert "fake › echo" in asked.request.card.title
    assert not calls.exists(), "nothing reaches a server before a person allowed it"

    await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    await rig.ended()

    (finished,) = rig.events(ToolCallFinished)
    assert finished.outcome == "ok"
    assert str(finished.content) == '<untrusted source="mcp:fake">hello</untrusted>'
    assert calls.read_text() == 'echo {"text": "hello"}\n'
    (decided,) = [one for one in rig.events(ToolCallDecided) if one.tool == "mcp__fake__echo"]
    assert decided.verdict is Verdict.ASK
    assert "hello" in str(model_api.requests[-1].body["messages"])


async def test_a_declined_call_never_reaches_the_server(rig: Rig, calls: Path, model_api: FakeModelApi) -> None:
    await accepted(rig)
    model_api.script(tool_turn("mcp__fake__echo", text="hello"), text_turn("Well."))
    session_id = await rig.new("use it")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="reject", note="not now"))
    await rig.ended()

    (finished,) = rig.events(ToolCallFinished)
    assert finished.outcome == "declined"
    assert "not now" in str(finished.content)
    assert rig.events(ToolCallStarted) == []
    assert not calls.exists()


async def test_a_server_whose_tools_nobody_accepted_offers_none(rig: Rig, calls: Path, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("mcp__fake__echo", text="hello"), text_turn("Well."))
    await rig.new("use it")
    await rig.ended()

    assert "mcp__" not in str(model_api.requests[0].body["tools"])
    (finished,) = rig.events(ToolCallFinished)
    assert finished.outcome == "refused"
    row = await stands(rig, "waiting")
    assert {tool.state for tool in row.tools} == {"new"}, "a chat starts it to learn its tools"
    assert not calls.exists()
    assert rig.events(InputRequested) == []


async def test_accepting_names_the_person_and_the_day_and_stands_on_record(rig: Rig, calls: Path) -> None:
    await rig.engine.handle(c.TestMcpServer(server_id="fake"))
    (tested,) = [one for one in rig.updates if isinstance(one, McpServerTested)]
    assert tested.problem == ""
    assert tested.tools == 13
    row = await accept(rig)
    assert row.state == "ready"
    assert row.person
    assert len(row.day) == 10
    kept = project_events(rig)
    (pin,) = [one for one in kept if isinstance(one, McpPinAccepted)]
    assert pin.tools == {tool.tool.name: tool.sha256 for tool in row.tools}
    states = [one.state for one in kept if isinstance(one, McpServerChanged)]
    assert states == ["waiting", "ready"]


async def test_without_a_server_nothing_is_asked_or_told(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Hi."))
    await rig.new("hello")
    await rig.ended()
    assert "mcp__" not in str(model_api.requests[0].body["tools"])


@pytest.mark.promise("guests-M22")
@pytest.mark.parametrize(("folder", "waits"), [("write", True), ("read", False)])
async def test_two_chats_of_a_lane_wait_for_one_another_where_the_server_may_write_it(
    rig: Rig, folders: Folders, model_api: FakeModelApi, folder: str, waits: bool
) -> None:
    kept = folders.data / "mcp" / "homes" / "fake" / "calls"
    configure(folders, fake_server(f"calls={kept}", share="lane", folder=folder, parallel=True))
    await rig.engine.handle(c.TestMcpServer(server_id="fake"))
    await accept(rig)
    model_api.script(text_turn("Hello."))
    first = await rig.new("First chat")
    await rig.ended()
    lane_id = rig.engine.sessions.get(first).state.lane_id
    model_api.script(tool_turn("mcp__fake__slow", text=""), text_turn("Done."))
    await rig.engine.handle(SendMessage(session_id=first, text="use it"))
    await rig.answer(first, await rig.asked(), Answer(outcome="allow_once"))
    await rig.until(lambda _: reached(kept) == 1)
    model_api.script(tool_turn("mcp__fake__slow", text=""), text_turn("Done."))
    second = await rig.new("Second chat", lane_id=lane_id)
    await rig.answer(second, await rig.asked(2), Answer(outcome="allow_once"))
    if waits:
        await rig.until(lambda updates: any(told_to_wait(one, second) for one in updates))
        assert (reached(kept), len(rig.events(ToolCallStarted))) == (1, 1)
        await rig.engine.handle(Interrupt(session_id=first))
    await rig.until(lambda _: reached(kept) == 2)
    assert len(rig.events(ToolCallFinished)) == (1 if waits else 0)
    assert any(told_to_wait(one, second) for one in rig.updates) == waits
    for session_id in (first, second):
        await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended(3)


def reached(calls: Path) -> int:
    """How many calls came to the server."""
    return calls.read_text(encoding="utf-8").count("slow {") if calls.exists() else 0


def told_to_wait(update: object, session_id: str) -> bool:
    """Whether it says that this chat waits for its lane."""
    waits = isinstance(update, ActivityChanged) and "Waiting for “First chat” in the same lane" in update.detail
    return waits and update.session_id == session_id
