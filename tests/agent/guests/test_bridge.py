"""Tools of Banksman in the chats of guests: reached over the program that a guest starts, judged as all others."""

import json
from pathlib import Path
from typing import Any

import pytest

from desktop.config.folders import Folders
from desktop.domain.commands import Interrupt, SendMessage, SetMode
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import (
    AssistantMessage,
    InputRequested,
    InputResolved,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    UserMessage,
)
from desktop.domain.gate.pending import Answer, QuestionRequest
from desktop.domain.guests.events import GuestNoticed
from desktop.domain.history.state_of import message_text
from desktop.domain.hooks.events import HookRan
from desktop.domain.mcp import commands as mcp
from tests.agent.gate_rig import ONCE, REJECT, of_session
from tests.agent.guest_rig import MIB, ScriptedGuests, command, done
from tests.agent.hooks.hook_files import hook, own_hooks
from tests.agent.mcp_rig import accept, configure, fake_server, stands
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
    assert [one.held_by for one in rig.events(ToolCallDecided)] == ["gate"]
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


COMMIT = {"title": "mcp__banksman__commit_changes", "kind": "other", "toolCallId": "t1"}


@pytest.mark.promise("guests-A56")
async def test_its_request_for_a_tool_of_ours_needs_no_card_and_is_one_row(rig: Rig, guests: ScriptedGuests) -> None:
    given = {"message": "Add made.txt"}
    begun = {"update": {"sessionUpdate": "tool_call", "status": "in_progress", **COMMIT, "rawInput": given}}
    asks = {"ask": {**COMMIT, "rawInput": given}, "then": [call("commit_changes", **given), done()]}
    guests.prompts = [[{"write": "made.txt", "content": "one"}, begun, asks]]
    session_id = await rig.new("Do it", driver="fake")
    assert (await rig.ended()).status == "completed"
    assert guests.outcomes() == ["yes"]
    assert [one.tool for one in rig.events(ToolCallDecided)] == ["write_file", "commit_changes"]
    assert rig.events(InputRequested) == []
    whole(rig, session_id)


@pytest.mark.promise("guests-A56")
@pytest.mark.parametrize(
    "told",
    [
        {**COMMIT, "rawInput": {"message": 17}},
        {**COMMIT, "rawInput": {"command": "make all"}, "title": "mcp__banksman__bash"},
        {**COMMIT, "title": "mcp__banksman__no_such_tool", "rawInput": {}},
    ],
)
async def test_a_request_that_no_tool_of_ours_would_take_asks(
    rig: Rig, guests: ScriptedGuests, told: dict[str, Any]
) -> None:
    guests.prompts = [[{"ask": told, "then": [{"say": "did it"}]}]]
    session_id = await rig.new("Do it", driver="fake")
    await rig.answer(session_id, await rig.asked(), REJECT)
    assert (await rig.ended()).status == "completed"
    assert guests.outcomes() == ["no"]
    whole(rig, session_id)


@pytest.mark.promise("guests-A55")
async def test_a_request_for_a_tool_of_another_mode_is_refused(rig: Rig, guests: ScriptedGuests) -> None:
    guests.prompts = [[{"ask": {**COMMIT, "rawInput": {"message": "Add it"}}}]]
    session_id = await rig.new("Plan it", driver="fake", mode=PermissionMode.PLAN)
    assert (await rig.ended()).status == "completed"
    assert guests.outcomes() == ["no"]
    whole(rig, session_id)


@pytest.mark.promise("guests-A56")
@pytest.mark.parametrize("waits_s", [30.0, 0.0])
async def test_a_call_that_never_came_ran_without_asking(
    rig: Rig, guests: ScriptedGuests, monkeypatch: pytest.MonkeyPatch, waits_s: float, tmp_path: Path
) -> None:
    monkeypatch.setattr("desktop.agent.guests.bridging.bridged.ARRIVES_S", waits_s)
    given = {"message": "Add made.txt"}
    steps = [{"ask": {**COMMIT, "rawInput": given}, "then": [done()]}]
    guests.prompts = [[*steps, *([] if waits_s else [{"wait_file": str(tmp_path / "go")}])]]
    session_id = await rig.new("Do it", driver="fake")
    noticed = await rig.until(lambda _: rig.events(GuestNoticed))
    (tmp_path / "go").touch()
    assert (await rig.ended()).status == "completed"
    (finished,) = rig.events(ToolCallFinished)
    assert (finished.summary, finished.data) == ("ran without asking", {"unasked": True})
    assert "ran this without asking" in noticed[0].text
    whole(rig, session_id)


@pytest.mark.promise("guests-A56")
async def test_one_call_that_came_stands_for_one_that_was_told(rig: Rig, guests: ScriptedGuests) -> None:
    given = {"query": "paint"}
    search = {"title": "banksman/memory_search", "kind": "other", "rawInput": given}
    ends = [
        {"update": {"sessionUpdate": "tool_call", "status": "completed", "toolCallId": key, **search}} for key in "ab"
    ]
    guests.prompts = [[ends[0], call("memory_search", **given), ends[1]]]
    session_id = await rig.new("Do it", driver="fake")
    assert (await rig.ended()).status == "completed"
    assert [one.tool for one in rig.events(ToolCallDecided)] == ["memory_search", "guest_call"]
    assert len(rig.events(GuestNoticed)) == 1
    whole(rig, session_id)


@pytest.mark.promise("guests-A56")
async def test_a_question_and_a_request_wait_beside_each_other(rig: Rig, guests: ScriptedGuests) -> None:
    asks = {"ask": command("touch made"), "then": [{"touch": "made"}, done()]}
    guests.prompts = [[{"both": [[asks], [call("ask_user", questions=[QUESTION])]]}]]
    session_id = await rig.new("Do it", driver="fake")
    both = [await rig.asked(), await rig.asked(2)]
    by_kind = {one.request.kind: one for one in both}
    await rig.answer(session_id, by_kind["approval"], ONCE)
    await rig.until(lambda _: [one for one in rig.events(ToolCallFinished) if one.outcome == "ok"])
    assert len(rig.events(ToolCallFinished)) == 1
    await rig.answer(session_id, by_kind["question"], RED)
    assert (await rig.ended()).status == "completed"
    assert {one.held_by for one in rig.events(ToolCallDecided)} == {"gate", "guest"}
    whole(rig, session_id)


async def test_a_call_that_the_guest_takes_back_is_stopped(rig: Rig, guests: ScriptedGuests, tmp_path: Path) -> None:
    back = {"mcp": "notifications/cancelled", "params": {"requestId": 2}, "tell": True}
    wait = {"wait_file": str(tmp_path / "go")}
    guests.prompts = [[call("ask_user", leave=True, questions=[QUESTION]), wait, back, {"hold": str(tmp_path / "end")}]]
    session_id = await rig.new("Do it", driver="fake")
    await rig.asked()
    (tmp_path / "go").touch()
    await rig.until(lambda _: rig.events(InputResolved))
    await rig.until(lambda _: rig.events(ToolCallFinished))
    (tmp_path / "end").touch()
    assert (await rig.ended()).status == "completed"
    (finished,) = rig.events(ToolCallFinished)
    assert finished.outcome == "interrupted"
    whole(rig, session_id)


async def test_a_stop_withdraws_what_was_asked_over_the_bridge(rig: Rig, guests: ScriptedGuests) -> None:
    guests.prompts = [[call("ask_user", questions=[QUESTION])]]
    session_id = await rig.new("Do it", driver="fake")
    await rig.asked()
    await rig.engine.handle(Interrupt(session_id=session_id))
    assert (await rig.ended()).status == "interrupted"
    (finished,) = rig.events(ToolCallFinished)
    assert finished.outcome == "interrupted"
    whole(rig, session_id)


async def test_a_guest_that_wants_to_know_hears_that_its_call_goes_on(
    rig: Rig, guests: ScriptedGuests, tmp_path: Path
) -> None:
    given = {"name": "ask_user", "arguments": {"questions": [QUESTION]}, "_meta": {"progressToken": "p1"}}
    guests.prompts = [[{"mcp": "tools/call", "params": given}, {"mcp_heard": "notifications/progress"}]]
    session_id = await rig.new("Do it", driver="fake")
    await rig.answer(session_id, await rig.asked(), RED)
    assert (await rig.ended()).status == "completed"
    assert int(said(rig).rpartition("}")[2].split()[0]) >= 1
    whole(rig, session_id)


async def test_other_tools_in_another_mode_are_told(rig: Rig, guests: ScriptedGuests) -> None:
    listed = {"mcp": "tools/list"}
    guests.prompts = [[listed], [listed, {"mcp_heard": "notifications/tools/list_changed"}]]
    session_id = await rig.new("Do it", driver="fake")
    await rig.ended()
    await rig.engine.handle(SetMode(session_id=session_id, mode=PermissionMode.PLAN))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    await rig.ended(2)
    assert said(rig).count('"commit_changes"') == 1
    assert said(rig).endswith("1 times")
    whole(rig, session_id)


async def test_between_turns_nothing_is_done(rig: Rig, guests: ScriptedGuests, tmp_path: Path) -> None:
    late = [
        {"wait_file": str(tmp_path / "go")},
        call("commit_changes", message="Add it"),
        {"touch": str(tmp_path / "over")},
    ]
    guests.prompts = [[{"aside": late}]]
    session_id = await rig.new("Do it", driver="fake")
    await rig.ended()
    (tmp_path / "go").touch()
    await rig.until(lambda _: (tmp_path / "over").exists())
    assert rig.events(ToolCallDecided) == []
    whole(rig, session_id)


@pytest.mark.promise("guests-H5")
async def test_hooks_are_asked_about_calls_over_the_bridge_and_about_its_own(
    rig: Rig, guests: ScriptedGuests, folders: Folders
) -> None:
    match = 'match = [{ tool = "commit_changes" }, { tool = "bash" }]'
    own_hooks(folders, hook("""echo '{"decision":"deny","reason":"not on a Friday"}'""", match))
    guests.prompts = [[call("commit_changes", message="Add it"), {"ask": command("touch made")}]]
    session_id = await rig.new("Do it", driver="fake")
    assert (await rig.ended()).status == "completed"
    assert guests.outcomes() == ["no"]
    assert [(one.tool, one.rule) for one in rig.events(ToolCallDecided)] == [
        ("commit_changes", "hook"),
        ("bash", "hook"),
    ]
    assert "not on a Friday" in said(rig)
    whole(rig, session_id)


@pytest.mark.promise("guests-H5")
async def test_of_a_call_that_nobody_was_asked_about_hooks_after_it_alone_are_told(
    rig: Rig, guests: ScriptedGuests, folders: Folders
) -> None:
    own_hooks(
        folders,
        hook("""echo '{"decision":"deny"}'""", name="before"),
        hook("""grep -q '"outcome": "ok"' && echo '{"note":"look at made"}'""", on="after_call", name="after"),
    )
    told = {**command("touch made"), "sessionUpdate": "tool_call", "status": "completed"}
    guests.prompts = [[{"touch": "made"}, {"update": told}, {"say": "Done."}]]
    session_id = await rig.new("Do it", driver="fake")
    assert (await rig.ended()).status == "completed"
    assert [(one.hook, one.decision, one.reason) for one in rig.events(HookRan)] == [("after", "noted", "look at made")]
    (finished,) = rig.events(ToolCallFinished)
    assert str(finished.content).endswith('<untrusted source="hook:after">look at made</untrusted>')
    assert finished.summary == "ran without asking"
    whole(rig, session_id)


async def test_an_agent_that_it_begins_is_one_of_its_own_kind(rig: Rig, guests: ScriptedGuests, tmp_path: Path) -> None:
    guests.prompts = [
        [{"wait_file": str(tmp_path / "go")}, call("task", description="Look", prompt="Find the paint.")],
    ]
    session_id = await rig.new("Do it", driver="fake")
    await rig.until(lambda _: guests.started)
    guests.prompts = [[call("commit_changes", message="Add it"), {"ask": command("touch made")}, {"say": "It is red."}]]
    (tmp_path / "go").touch()
    await rig.until(lambda _: of_session(rig, session_id, TurnEnded))
    (finished,) = of_session(rig, session_id, ToolCallFinished)
    assert "It is red." in str(finished.content)
    told = guests.sent("session/prompt")[1]["params"]["prompt"][0]["text"]
    assert "You are the sub-agent explorer" in told
    assert told.endswith("Find the paint.")
    assert guests.outcomes() == ["no"]
    child = next(one for one in rig.events(ToolCallDecided) if one.name_called == "bash")
    assert child.verdict is Verdict.DENY
    whole(rig, session_id)


@pytest.mark.promise("guests-A58")
async def test_tools_of_a_server_are_offered_where_a_person_ticked_it(
    rig: Rig, guests: ScriptedGuests, folders: Folders
) -> None:
    configure(folders, fake_server(guests=True), fake_server(server_id="other"))
    for server_id in ("fake", "other"):
        await rig.engine.handle(mcp.TestMcpServer(server_id=server_id))
        await stands(rig, "waiting", server_id)
        await accept(rig, server_id)
    guests.prompts = [[{"mcp": "tools/list"}, call("mcp__fake__echo", text="hello")]]
    session_id = await rig.new("Do it", driver="fake")
    await rig.answer(session_id, await rig.asked(), ONCE)
    assert (await rig.ended()).status == "completed"
    assert '"mcp__fake__echo"' in said(rig)
    assert "mcp__other__" not in said(rig)
    (finished,) = rig.events(ToolCallFinished)
    assert finished.outcome == "ok", finished.content
    assert "hello" in str(finished.content)
    whole(rig, session_id)
