"""What a guest has Banksman do: read files, run commands in its terminals, ask the person, leave its plan mode."""

from pathlib import Path

import pytest

from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import ModeChanged, ToolCallDecided, ToolCallFinished
from desktop.domain.gate.pending import Answer, PlanReview, QuestionRequest
from tests.agent.gate_rig import ONCE, REJECT
from tests.agent.guest_rig import ScriptedGuests, command
from tests.agent.rig import Rig, git
from tests.agent.wholeness import follows, whole
from tests.fakes.acp_schema import problems

pytestmark = pytest.mark.asyncio
EDIT, PLAN, AUTO = PermissionMode.EDIT, PermissionMode.PLAN, PermissionMode.FULL_AUTO
TERMINAL = {"terminalId": "terminal-1"}


async def begin(rig: Rig, guests: ScriptedGuests, *steps: dict, mode: PermissionMode = EDIT) -> str:
    guests.prompts = [list(steps), *guests.prompts]
    return await rig.new("Do it", mode, driver="fake", without_sandbox=True)


def answers(guests: ScriptedGuests) -> list[dict]:
    """What its requests were answered, in order."""
    return [one.get("result", one.get("error")) for one in guests.sent() if one["id"] >= 1000]


def read(path: str, **more: int) -> dict:
    return {"call": "fs/read_text_file", "params": {"path": path, **more}}


def asks(method: str, **params: object) -> dict:
    return {"call": method, "params": params}


@pytest.mark.promise("guests-A23")
async def test_files_are_read_for_a_guest_as_calls_of_the_chat(rig: Rig, guests: ScriptedGuests) -> None:
    steps = (read("notes.md"), read("notes.md", line=2, limit=1), read("none.md"), read("../x"))
    session_id = await begin(rig, guests, *steps)
    await rig.answer(session_id, await rig.asked(), REJECT)
    await rig.ended()
    whole_file, second, missing, outside = answers(guests)
    assert whole_file == {"content": "# Notes\n"}
    assert second == {"content": ""}
    assert (missing["code"], missing["message"]) == (-32002, "Resource not found")
    assert "content" not in outside
    assert problems("fs/read_text_file", "Response", whole_file) == []
    assert [one.outcome for one in rig.events(ToolCallFinished)][:3] == ["ok", "ok", "error"]
    follows(rig, session_id)
    whole(rig, session_id)


@pytest.mark.promise("guests-A23")
async def test_what_is_no_text_is_not_read_and_reading_is_offered_to_those_that_need_it(
    rig: Rig, guests: ScriptedGuests, repository: Path
) -> None:
    guests.knows(reads_files=True)
    (repository / "picture.bin").write_bytes(bytes(range(256)))
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "a picture")
    await begin(rig, guests, read("picture.bin"))
    await rig.ended()
    assert "is not text" in answers(guests)[0]["message"]
    can = guests.sent("initialize")[0]["params"]
    assert can["clientCapabilities"]["fs"] == {"readTextFile": True, "writeTextFile": True}
    assert problems("initialize", "Request", can) == []


@pytest.mark.promise("guests-A24")
@pytest.mark.parametrize("method", ["fs/read_text_file", "terminal/create", "elicitation/create"])
async def test_nothing_is_done_for_another_session(rig: Rig, guests: ScriptedGuests, method: str) -> None:
    session_id = await begin(rig, guests, asks(method, sessionId="other", path="notes.md", command="ls", message="?"))
    await rig.ended()
    assert [one["code"] for one in answers(guests)] == [-32602]
    assert rig.events(ToolCallDecided) == []
    whole(rig, session_id)


@pytest.mark.promise("guests-A25")
async def test_a_terminal_of_a_guest_is_a_command_of_the_chat(rig: Rig, guests: ScriptedGuests) -> None:
    made = asks("terminal/create", command="printf", args=["%s", "a b"], env=[{"name": "ONE", "value": "1"}])
    steps = (made, asks("terminal/wait_for_exit", **TERMINAL), asks("terminal/output", **TERMINAL))
    session_id = await begin(
        rig, guests, *steps, asks("terminal/release", **TERMINAL), asks("terminal/kill", **TERMINAL)
    )
    asked = await rig.asked()
    assert asked.request.arguments["command"] == "export ONE=1; printf %s 'a b'"
    await rig.answer(session_id, asked, ONCE)
    await rig.ended()
    created, ended, output, released, gone = answers(guests)
    assert created == TERMINAL
    assert ended == {"exitCode": 0, "signal": None}
    assert output == {"output": "a b", "truncated": False, "exitStatus": ended}
    assert problems("terminal/output", "Response", output) == []
    assert (released, gone["code"]) == ({}, -32602)
    (call,) = rig.events(ToolCallFinished)
    assert (call.outcome, "a b" in str(call.content)) == ("ok", True)
    follows(rig, session_id)
    whole(rig, session_id)


@pytest.mark.promise("guests-A25")
async def test_a_terminal_that_is_declined_or_forbidden_does_not_begin(rig: Rig, guests: ScriptedGuests) -> None:
    steps = (asks("terminal/create", command="python3 x.py"), asks("terminal/create", command="rm -rf ~"))
    session_id = await begin(rig, guests, *steps)
    await rig.answer(session_id, await rig.asked(), REJECT)
    await rig.ended()
    assert ["code" in one for one in answers(guests)] == [True, True]
    assert [one.outcome for one in rig.events(ToolCallFinished)] == ["declined", "refused"]
    whole(rig, session_id)


@pytest.mark.promise("guests-A25")
async def test_a_kill_ends_what_runs_in_a_terminal_and_so_does_the_end_of_the_turn(
    rig: Rig, guests: ScriptedGuests
) -> None:
    long = asks("terminal/create", command="sleep 1000", outputByteLimit=0)
    steps = (long, asks("terminal/kill", **TERMINAL), asks("terminal/wait_for_exit", **TERMINAL), long)
    session_id = await begin(rig, guests, *steps, mode=AUTO)
    assert (await rig.ended()).status == "completed"
    assert answers(guests)[2] == {"exitCode": None, "signal": "SIGKILL"}
    assert [one.outcome for one in rig.events(ToolCallFinished)] == ["ok", "interrupted"]
    whole(rig, session_id)


@pytest.mark.promise("guests-A32")
async def test_a_form_of_a_guest_is_a_question_card(rig: Rig, guests: ScriptedGuests) -> None:
    schema = {"type": "object", "properties": {"count": {"type": "integer", "title": "How many?"}}}
    form = asks("elicitation/create", mode="form", message="Some numbers", requestedSchema=schema)
    session_id = await begin(rig, guests, form)
    asked = await rig.asked()
    assert isinstance(asked.request, QuestionRequest)
    assert (asked.request.title, asked.request.body) == ("Fake Agent asks", "Some numbers")
    await rig.answer(session_id, asked, Answer(outcome="answered", choices={"count": ("7",)}))
    await rig.ended()
    assert answers(guests) == [{"action": "accept", "content": {"count": 7}}]
    follows(rig, session_id)
    whole(rig, session_id)


@pytest.mark.promise("guests-A32")
async def test_a_secret_is_not_asked_for_and_a_no_is_told(rig: Rig, guests: ScriptedGuests) -> None:
    secret = {"type": "object", "properties": {"password": {"type": "string"}}}
    open_ = {"type": "object", "properties": {"why": {"type": "string"}}}
    forms = [asks("elicitation/create", mode="form", message="?", requestedSchema=one) for one in (secret, open_)]
    session_id = await begin(rig, guests, *forms)
    await rig.answer(session_id, await rig.asked(), Answer(outcome="reject"))
    await rig.ended()
    assert [one["action"] for one in answers(guests)] == ["cancel", "decline"]
    assert "asks for a secret" in str(rig.events(ToolCallFinished)[0].content)
    whole(rig, session_id)


@pytest.mark.promise("guests-A32")
async def test_an_address_is_shown_whole_and_opened_by_nobody(rig: Rig, guests: ScriptedGuests) -> None:
    url = "https://xn--e1afmkfd.example.org/sign-in?state=7"
    session_id = await begin(rig, guests, asks("elicitation/create", mode="url", message="Sign in", url=url))
    asked = await rig.asked()
    assert isinstance(asked.request, QuestionRequest)
    assert url in asked.request.body
    await rig.answer(session_id, asked, Answer(outcome="answered", choices={"went": ("I have been there",)}))
    await rig.ended()
    assert answers(guests) == [{"action": "accept"}]
    whole(rig, session_id)


@pytest.mark.promise("guests-A29")
async def test_leaving_plan_mode_is_a_plan_that_a_person_reads(rig: Rig, guests: ScriptedGuests) -> None:
    plan = {"plan": [{"content": "Look first", "status": "pending"}]}
    told = {"toolCallId": "m", "kind": "switch_mode", "title": "Ready to code?"}
    session_id = await begin(rig, guests, plan, {"ask": told, "then": [{"say": "off I go"}]}, mode=PLAN)
    asked = await rig.asked()
    assert isinstance(asked.request, PlanReview)
    assert asked.request.plan == "- Look first"
    await rig.answer(session_id, asked, Answer(outcome="allow_once"))
    await rig.ended()
    assert guests.outcomes() == ["yes"]
    assert [one.mode for one in rig.events(ModeChanged)] == [EDIT]
    follows(rig, session_id)
    whole(rig, session_id)


@pytest.mark.promise("guests-A29")
async def test_a_plan_that_is_declined_keeps_the_agent_in_plan(rig: Rig, guests: ScriptedGuests) -> None:
    told = {"toolCallId": "m", "kind": "switch_mode", "title": "Go", "rawInput": {"plan": "Rewrite it all"}}
    session_id = await begin(rig, guests, {"ask": told}, {"ask": {**told, "toolCallId": "n"}}, mode=PLAN)
    asked = await rig.asked()
    assert isinstance(asked.request, PlanReview)
    assert asked.request.plan == "Rewrite it all"
    await rig.answer(session_id, asked, REJECT)
    await rig.answer(session_id, await rig.asked(2), REJECT)
    await rig.ended()
    assert guests.outcomes() == ["no", "no"]
    assert rig.events(ModeChanged) == []


@pytest.mark.promise("guests-A29")
async def test_no_other_mode_is_the_agents_to_choose(rig: Rig, guests: ScriptedGuests) -> None:
    told = {"toolCallId": "m", "kind": "switch_mode", "title": "Go", "rawInput": {"plan": "Rewrite it all"}}
    await begin(rig, guests, {"ask": told}, mode=EDIT)
    await rig.ended()
    assert guests.outcomes() == ["no"]


@pytest.mark.promise("guests-A28")
async def test_plan_lets_a_guest_read_by_commands_that_are_proven_to_read(rig: Rig, guests: ScriptedGuests) -> None:
    unasked = {"update": {"sessionUpdate": "tool_call", "status": "completed", **command("cat app.py", "u")}}
    steps = ({"ask": command("cat notes.md"), "then": []}, unasked, {"ask": command("touch x", "w")})
    session_id = await begin(rig, guests, *steps, mode=PLAN)
    assert (await rig.ended()).status == "completed"
    assert guests.outcomes() == ["yes", "no"]
    assert [one.verdict for one in rig.events(ToolCallDecided)] == [Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY]
    assert not (Path(rig.lane(session_id)) / "x").exists()
    whole(rig, session_id)
