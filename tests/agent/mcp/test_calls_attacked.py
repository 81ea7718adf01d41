"""Calls of servers that a person changed, that a kill cut off, that sub-agents make, and whose rules went away."""

import json
import os
import signal
from pathlib import Path

import pytest
from pydantic import JsonValue

from desktop.config.folders import Folders
from desktop.domain.children.events import ChildBegun
from desktop.domain.commands import ContinueTurn, RemoveRule, SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import InputRequested, ToolCallDecided, ToolCallFinished, ToolCallStarted
from desktop.domain.gate.events import RuleSaved
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.history.builder import UNKNOWN_OUTCOME
from desktop.domain.mcp.values import McpTool
from desktop.domain.skills.values import AgentFile
from tests.agent.children.child_script import Cast
from tests.agent.children.test_foreground import over
from tests.agent.children.test_together import begins
from tests.agent.gate_rig import answer_with, check_edit, codes
from tests.agent.hooks.hook_files import hook, own_hooks
from tests.agent.mcp.test_tools_of_servers import WRITE, Server
from tests.agent.mcp_rig import accepted_before, configure, fake_server
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.model_turns import turn
from tests.forking import fork

pytestmark = pytest.mark.asyncio

ROOT = Path(__file__).resolve().parents[3]
CALL = "mcp__fake__write_query"


@pytest.fixture
def server(rig: Rig, folders: Folders) -> Server:
    return Server(rig, folders)


async def test_a_call_of_a_server_is_answered_as_it_is_and_nobody_changes_it(
    rig: Rig, server: Server, model_api: FakeModelApi
) -> None:
    await server.accepted(WRITE)
    model_api.script(tool_turn(CALL, note="hello"), text_turn("Done."))
    session_id = await rig.new("use it")
    asked = await rig.asked()
    assert isinstance(asked.request, ApprovalRequest)
    assert asked.request.editable == ()
    for edited in ({"note": 3}, {"note": "other"}, {"note": "hello", "sql": "DELETE FROM t"}):
        assert await check_edit(rig, session_id, asked, **edited) is None
        changed = Answer(outcome="allow_once", edited_input=edited)
        await answer_with(rig, session_id, asked, changed, asked.request.digest)
    assert codes(rig) == ["not_editable", "digest_differs"] * 3
    await answer_with(rig, session_id, asked, Answer(outcome="allow_once"), "0" * 64)
    assert codes(rig)[-1] == "digest_differs"
    assert server.reached == []
    await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    await rig.ended()
    assert server.reached == ['write_query {"note": "hello"}']
    (began,) = rig.events(ToolCallStarted)
    assert began.digest == asked.request.digest


async def test_a_call_that_a_kill_cut_off_is_unknown_never_made_twice_and_its_server_is_gone(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    home = folders.data / "mcp" / "homes" / "fake"
    home.mkdir(parents=True)
    calls = home / "calls"
    schema: dict[str, JsonValue] = {"type": "object", "properties": {"text": {"type": "string"}}}
    slow = {"name": "slow", "description": "Slow.", "inputSchema": schema}
    (home / "tools").write_text(json.dumps([slow]))
    configure(folders, fake_server(f"calls={calls}", f"tools={home / 'tools'}", "linger"))
    accepted_before(folders, McpTool(name="slow", description="Slow.", input_schema=schema))
    model_api.script(tool_turn("mcp__fake__slow", text="600"), text_turn("I see."))
    words = [str(folders.config.parent), str(repository), str(calls)]
    process = fork("tests.agent.mcp.victim", words, ROOT, dict(os.environ), session=True)
    with process:
        assert process.stdout is not None
        session_id = process.stdout.readline().decode().strip()
        assert session_id
        os.kill(process.pid, signal.SIGKILL)
        process.stdout.read()
    rig = await Rig(folders).open(repository)
    try:
        await rig.until(lambda _: not running_with(str(calls)))
        await rig.engine.handle(ContinueTurn(session_id=session_id))
        await rig.until(lambda _: len(model_api.requests) == 2)
        await rig.until(lambda _: not rig.engine.sessions.get(session_id).running)
        log = rig.engine._store.events.read(session_id)
        assert not [one for one in log if isinstance(one.event, ToolCallFinished)]
        assert UNKNOWN_OUTCOME in str(model_api.requests[-1].messages)
        assert not rig.engine._store.events.verify(session_id)
        assert calls.read_text().count("\n") == 1, "it is not called again"
    finally:
        await rig.engine.stop()


def running_with(word: str) -> list[int]:
    """The processes with this text among their words."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit() and int(place.name) != os.getpid():
            try:
                words = (place / "cmdline").read_bytes()
            except OSError:
                continue
            if word.encode() in words and b"mcp_server" in words:
                found.append(int(place.name))
    return found


async def test_a_sub_agent_calls_a_server_as_far_as_its_chat_may_and_says_who_it_is(
    rig: Rig, server: Server, model_api: FakeModelApi
) -> None:
    await server.accepted(WRITE)
    keeper = AgentFile(path="", sha256="", name="keeper", description="Keeps.", text="Keep.")
    rig.engine.parts.chats.children.agents.found.add(lambda session: [keeper])
    cast = Cast(
        Parent=[turn(calls=[begins(1, "keeper")]), text_turn("done")],
        Child=[tool_turn(CALL, note="hello"), tool_turn(CALL, note="again"), text_turn("made")],
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: go", mode=PermissionMode.EDIT)
    asked = await rig.asked()
    assert isinstance(asked.request, ApprovalRequest)
    assert asked.request.asker == "keeper (Parent: go › part 1)"
    child_id = rig.events(ChildBegun)[0].child_id
    assert rig.engine.sessions.get(child_id).taint[0] == ()
    await rig.answer(child_id, asked, Answer(outcome="allow_once"))
    second = await rig.asked(2)
    assert isinstance(second.request, ApprovalRequest)
    assert second.request.tainted == ("mcp:fake",)
    await rig.answer(child_id, second, Answer(outcome="reject"))
    await over(rig, session_id)
    assert server.reached == ['write_query {"note": "hello"}']
    assert "mcp:fake" in rig.engine.sessions.get(session_id).taint[0], "what a sub-agent read, its chat has read"


@pytest.mark.promise("guests-H5")
async def test_hooks_are_asked_of_calls_of_servers_and_told_after_them(
    rig: Rig, server: Server, folders: Folders, model_api: FakeModelApi
) -> None:
    await server.accepted(WRITE)
    own_hooks(
        folders,
        hook("""grep -q prod && echo '{"decision":"deny","reason":"not there"}'; true""", name="before"),
        hook("""echo '{"note":"noted"}'""", on="after_call", name="after"),
    )
    model_api.script(tool_turn(CALL, note="prod"), tool_turn(CALL, note="hello"), text_turn("Done."))
    session_id = await rig.new("use it", mode=PermissionMode.EDIT)
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_once"))
    await rig.ended()
    assert [(one.verdict.name, one.rule) for one in rig.events(ToolCallDecided)] == [("DENY", "hook"), ("ASK", "mode")]
    assert server.reached == ['write_query {"note": "hello"}']
    assert str(rig.events(ToolCallFinished)[1].content).endswith('<untrusted source="hook:after">noted</untrusted>')


async def test_a_sub_agent_that_only_reads_is_offered_no_tool_of_a_server(
    rig: Rig, server: Server, model_api: FakeModelApi
) -> None:
    await server.accepted(WRITE)
    cast = Cast(
        Parent=[turn(calls=[begins(1)]), text_turn("done")], Child=[tool_turn(CALL, note="hello"), text_turn("no")]
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: go", mode=PermissionMode.FULL_AUTO, without_sandbox=True)
    await over(rig, session_id)
    assert CALL not in {tool["name"] for tool in cast.asked["Child"][0].body["tools"]}
    assert server.reached == []
    refused = next(one for one in rig.events(ToolCallDecided) if one.name_called == CALL)
    assert refused.rule == "offered"


async def test_a_sub_agent_in_plan_calls_no_server(rig: Rig, server: Server, model_api: FakeModelApi) -> None:
    await server.accepted(WRITE)
    cast = Cast(
        Parent=[turn(calls=[begins(1, "implementer")]), text_turn("done")],
        Child=[tool_turn("read_file", file_path="app.py"), tool_turn(CALL, note="hello"), text_turn("no")],
    )

    model_api.answer_with(cast)
    session_id = await rig.new("Parent: go", mode=PermissionMode.PLAN)
    await over(rig, session_id)
    assert server.reached == []
    assert not [one for one in rig.events(InputRequested) if one.request.blocking]


async def test_a_rule_that_was_taken_back_lets_nothing_run_any_more_in_the_chat_that_made_it(
    rig: Rig, server: Server, model_api: FakeModelApi
) -> None:
    await server.accepted(WRITE)
    model_api.script(tool_turn(CALL, note="hello"), text_turn("Done."))
    session_id = await rig.new("use it")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_always", scope="project"))
    await rig.ended()
    rule = rig.events(RuleSaved)[0].rule
    await rig.engine.handle(RemoveRule(rule_id=rule.id, scope=rule.scope))
    assert not rig.failures()
    model_api.script(tool_turn(CALL, note="hello"), text_turn("Done."))
    await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
    await rig.asked(2)
    assert len(server.reached) == 1
