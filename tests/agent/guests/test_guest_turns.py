"""Chats whose agent is a guest: prompts, calls that are asked about, writes, stops, ends."""

import random
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.chats.commands import AddAttachment, LoadInstructions
from desktop.domain.chats.updates import InstructionsListed
from desktop.domain.commands import Interrupt, SendMessage, SetModel
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.core.work_events import TodosChanged
from desktop.domain.events import (
    AssistantMessage,
    InputRequested,
    InputResolved,
    Notice,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    UserMessage,
)
from desktop.domain.gate.pending import Answer
from desktop.domain.guests.events import GuestNoticed, GuestSessionBegan, GuestSessionEnded
from desktop.domain.history.builder import to_messages
from desktop.domain.history.state_of import message_text
from desktop.domain.updates import TextDelta
from tests.agent.gate_rig import ONCE, REJECT, always
from tests.agent.guest_rig import ScriptedGuests, command, done, edit
from tests.agent.rig import Rig
from tests.agent.wholeness import follows, whole
from tests.validity import faults

pytestmark = pytest.mark.asyncio
EDIT, PLAN, AUTO = PermissionMode.EDIT, PermissionMode.PLAN, PermissionMode.FULL_AUTO
RUN = "python3 tool.py"


async def begin(rig: Rig, guests: ScriptedGuests, *steps: dict, mode: PermissionMode = EDIT) -> str:
    guests.prompts = [list(steps), *guests.prompts]
    return await rig.new("Do it", mode, driver="fake", without_sandbox=True)


def finished(rig: Rig) -> list[ToolCallFinished]:
    return rig.events(ToolCallFinished)


def texts(rig: Rig) -> list[str]:
    return [message_text(event) for event in rig.events(AssistantMessage)]


def seen(text: str, status: str, key: str = "t1") -> dict:
    """A step: it tells of a command that it did not ask for."""
    return {"update": {"sessionUpdate": "tool_call", "status": status, **command(text, key)}}


@pytest.mark.promise("guests-A3")
async def test_what_a_guest_says_is_one_message_and_the_turn_ends(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, {"think": "hm"}, {"say": "Well, "}, {"say": "hello."})
    assert (await rig.ended()).status == "completed"
    (message,) = rig.events(AssistantMessage)
    assert [part["type"] for part in message.parts] == ["thinking", "text"]
    assert message_text(message) == "Well, hello."
    assert message.endpoint_id == "guest:fake"
    assert any(isinstance(update, TextDelta) for update in rig.updates)
    (prompt,) = guests.sent("session/prompt")
    (told,) = prompt["params"]["prompt"]
    note, _, text = told["text"].rpartition("\n\n")
    assert text == "Do it"
    assert note.startswith('<banksman-note kind="guest_tools">')
    (began,) = rig.events(GuestSessionBegan)
    assert (began.guest_id, began.version, began.how) == ("fake", "1.0", "new")
    (opened,) = guests.sent("session/new")
    assert opened["params"]["cwd"] == str(rig.lane(session_id).resolve())
    follows(rig, session_id)
    whole(rig, session_id)


async def test_files_that_a_guest_is_not_given_are_named_to_the_person(rig: Rig, guests: ScriptedGuests) -> None:
    await rig.engine.handle(AddAttachment(request_id="1", name="notes.txt", data=b"salt"))
    guests.prompts = [[{"say": "Read."}]]
    await rig.new("Read this", EDIT, driver="fake", without_sandbox=True, attachments=("notes.txt",))
    assert (await rig.ended()).status == "completed"
    (told,) = [event.text for event in rig.events(Notice) if event.level == "warning"]
    assert "was given the text alone, not notes.txt." in told


@pytest.mark.promise("guests-A19")
@pytest.mark.promise("guests-A20")
async def test_a_command_waits_for_its_card_and_runs_when_it_is_allowed(rig: Rig, guests: ScriptedGuests) -> None:
    steps = ({"say": "I run it."}, {"ask": command(RUN), "then": [done(text="it ran")]}, {"say": "Done."})
    session_id = await begin(rig, guests, *steps)
    asked = await rig.asked()
    assert asked.request.arguments["command"] == RUN
    assert not asked.request.can_try
    assert asked.request.asker == "Fake Agent"
    assert any("cannot hold it to what is shown here" in line for line in asked.request.warnings)
    assert guests.outcomes() == []
    await rig.answer(session_id, asked, ONCE)
    assert (await rig.ended()).status == "completed"
    assert guests.outcomes() == ["yes"]
    decided = rig.events(ToolCallDecided)[0]
    assert (decided.tool, decided.verdict, decided.facts["call"]["origin"]) == ("bash", Verdict.ASK, "acp")
    (ended,) = finished(rig)
    assert (ended.outcome, ended.content) == ("ok", "it ran")
    assert len(rig.events(ToolCallStarted)) == 1
    first, last = rig.events(AssistantMessage)
    assert [part["type"] for part in first.parts] == ["text", "tool_use"]
    assert message_text(last) == "Done."
    follows(rig, session_id)
    whole(rig, session_id)


@pytest.mark.promise("guests-A20")
async def test_a_grant_answers_the_next_equal_request_and_nothing_lasting_goes_out(
    rig: Rig, guests: ScriptedGuests
) -> None:
    again = {"ask": command(RUN, "t2"), "then": [done("t2")]}
    session_id = await begin(rig, guests, {"ask": command(RUN), "then": [done()]}, again)
    await rig.answer(session_id, await rig.asked(), always("session"))
    await rig.ended()
    assert guests.outcomes() == ["yes", "yes"]
    (asked,) = rig.events(InputRequested)
    assert asked.request.source == "", "a title that is the command says nothing"
    assert rig.events(ToolCallDecided)[-1].reason == 'Allowed by the rule "python3 tool.py".'
    whole(rig, session_id)


@pytest.mark.promise("guests-A20")
async def test_a_declined_command_is_refused_to_the_guest(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, {"ask": command(RUN), "else": [{"say": "As you wish."}]})
    await rig.answer(session_id, await rig.asked(), REJECT)
    assert (await rig.ended()).status == "completed"
    assert guests.outcomes() == ["no"]
    assert [one.outcome for one in finished(rig)] == ["declined"]
    assert rig.events(ToolCallStarted) == []
    assert texts(rig)[-1] == "As you wish."
    whole(rig, session_id)


@pytest.mark.parametrize(
    "told",
    [
        command("rm -rf ~", title="ls"),
        {**command(""), "title": "ls", "rawInput": {"command": ["/bin/bash", "-lc", "rm -rf ~"]}},
    ],
)
@pytest.mark.promise("guests-A18")
@pytest.mark.promise("guests-A61")
async def test_what_must_never_run_is_refused_whatever_its_title_says(
    rig: Rig, guests: ScriptedGuests, told: dict
) -> None:
    session_id = await begin(rig, guests, {"ask": told, "then": [{"say": "ran"}]}, mode=AUTO)
    await rig.ended()
    assert guests.outcomes() == ["no"]
    assert [(one.verdict, one.rule) for one in rig.events(ToolCallDecided)] == [(Verdict.DENY, "deny")]
    assert "ran" not in texts(rig)
    whole(rig, session_id)


@pytest.mark.promise("guests-A18")
async def test_a_title_is_the_command_where_the_guest_says_it_there(rig: Rig, guests: ScriptedGuests) -> None:
    guests.knows(command_from="title")
    told = {"toolCallId": "t1", "kind": "execute", "title": "`rm -rf ~`"}
    await begin(rig, guests, {"ask": told}, mode=AUTO)
    await rig.ended()
    assert guests.outcomes() == ["no"]
    assert rig.events(ToolCallDecided)[0].rule == "deny"


@pytest.mark.promise("guests-A18")
async def test_what_does_not_say_what_it_runs_asks_in_every_mode(rig: Rig, guests: ScriptedGuests) -> None:
    told = {"toolCallId": "t1", "kind": "execute"}
    session_id = await begin(rig, guests, {"ask": told, "then": [done()]}, mode=AUTO)
    asked = await rig.asked()
    assert asked.request.reason == "The agent does not say what it will do."
    assert [grant.scope for grant in asked.request.grants] == ["once"]
    await rig.answer(session_id, asked, ONCE)
    await rig.ended()
    assert guests.outcomes() == ["yes"]


@pytest.mark.promise("guests-A20")
async def test_a_guest_that_offers_no_answer_for_once_is_refused(rig: Rig, guests: ScriptedGuests) -> None:
    lasting = [{"optionId": "a", "kind": "allow_always"}, {"optionId": "r", "kind": "reject_once"}]
    session_id = await begin(rig, guests, {"ask": command("cat app.py"), "options": lasting}, mode=AUTO)
    await rig.ended()
    assert guests.outcomes() == ["r"]
    assert "no answer that allows this once" in str(finished(rig)[0].content)
    whole(rig, session_id)


@pytest.mark.promise("guests-A16")
async def test_a_request_with_the_id_alone_is_judged_by_what_was_told_before(rig: Rig, guests: ScriptedGuests) -> None:
    await begin(rig, guests, seen("rm -rf ~", "pending"), {"ask": {"toolCallId": "t1"}}, mode=AUTO)
    await rig.ended()
    assert guests.outcomes() == ["no"]


@pytest.mark.promise("guests-A22")
async def test_a_file_is_written_for_the_guest_as_a_call_of_its_own(rig: Rig, guests: ScriptedGuests) -> None:
    steps = ({"write": "app.py", "content": "print('new')\n"}, {"write": "a/b.txt", "content": "b"})
    session_id = await begin(rig, guests, *steps)
    await rig.ended()
    lane = rig.lane(session_id)
    assert ((lane / "app.py").read_text(), (lane / "a/b.txt").read_text()) == ("print('new')\n", "b")
    assert [one.touched[0].kind for one in finished(rig)] == ["modify", "create"]
    assert all(started.checkpoint_id for started in rig.events(ToolCallStarted))
    assert "refused" not in "".join(texts(rig))
    follows(rig, session_id)
    whole(rig, session_id)


@pytest.mark.promise("guests-A22")
@pytest.mark.parametrize("path", [".git/config", "../x", "/etc/passwd"])
async def test_a_write_outside_the_lane_is_refused(rig: Rig, guests: ScriptedGuests, path: str) -> None:
    session_id = await begin(rig, guests, {"write": path, "content": "x"}, mode=AUTO)
    await rig.ended()
    assert [one.outcome for one in finished(rig)] == ["refused"]
    assert texts(rig)[-1] == "refused"
    whole(rig, session_id)


async def shows_an_edit(rig: Rig, guests: ScriptedGuests, *writes: dict) -> str:
    """A chat whose second turn shows one edit of app.py and then writes."""
    session_id = await begin(rig, guests, {"say": "ready"})
    await rig.ended()
    app = rig.lane(session_id) / "app.py"
    then = [{**step, "write": str(rig.lane(session_id) / step["write"])} for step in writes]
    await guests.anew([[{"ask": edit(app, "print('bye')", "print('hello')"), "then": [*then, done()]}]])
    await rig.engine.handle(SendMessage(session_id=session_id, text="edit"))
    await rig.ended(2)
    return session_id


@pytest.mark.promise("guests-A22")
async def test_a_write_that_was_shown_belongs_to_the_call_that_showed_it(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await shows_an_edit(rig, guests, {"write": "app.py", "content": "print('bye')\n"})
    (call,) = finished(rig)
    assert (call.outcome, [one.path for one in call.touched]) == ("ok", ["app.py"])
    assert (rig.lane(session_id) / "app.py").read_text() == "print('bye')\n"
    whole(rig, session_id)


@pytest.mark.promise("guests-A22")
@pytest.mark.parametrize(
    ("name", "content", "notices"),
    [("app.py", "print('bye')\nmore\n", 1), ("b.py", "b", 0)],
)
async def test_a_write_that_was_not_shown_is_a_call_of_its_own(
    rig: Rig, guests: ScriptedGuests, name: str, content: str, notices: int
) -> None:
    session_id = await shows_an_edit(rig, guests, {"write": name, "content": content})
    assert sorted(one.tool for one in rig.events(ToolCallStarted)) == ["edit_file", "write_file"]
    assert {one.outcome for one in finished(rig)} == {"ok"}
    assert len([one for one in rig.events(Notice) if one.kind == "digest"]) == notices
    whole(rig, session_id)


@pytest.mark.promise("guests-A30")
async def test_a_stop_withdraws_what_is_asked_and_the_guest_ends_its_turn(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, {"say": "I run it."}, {"ask": command(RUN)}, {"hold": True})
    await rig.asked()
    await rig.engine.handle(Interrupt(session_id=session_id))
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("interrupted", "stop")
    assert guests.outcomes() == ["cancelled"]
    assert len(guests.sent("session/cancel")) == 1
    assert [one.reason for one in rig.events(InputResolved)] == ["interrupted"]
    assert rig.events(GuestSessionEnded) == []
    assert guests.started[0].process.returncode is None
    await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
    await rig.ended(2)
    assert texts(rig)[-1] == "nothing more"
    follows(rig, session_id)
    whole(rig, session_id)


@pytest.mark.promise("guests-A30")
async def test_a_guest_that_does_not_heed_a_stop_is_ended(
    rig: Rig, guests: ScriptedGuests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop.agent.guests.prompts.CANCEL_S", 0.2)
    session_id = await begin(rig, guests, {"say": "I run it."}, {"deaf": True})
    await rig.until(lambda updates: any(isinstance(update, TextDelta) for update in updates))
    await rig.engine.handle(Interrupt(session_id=session_id))
    assert (await rig.ended()).reason == "stop"
    assert [one.why for one in rig.events(GuestSessionEnded)] == ["stop"]
    assert texts(rig) == ["I run it."]
    whole(rig, session_id)


@pytest.mark.promise("guests-A39")
@pytest.mark.promise("guests-A48")
async def test_a_guest_that_ends_in_its_turn_fails_it_and_the_next_one_begins_anew(
    rig: Rig, guests: ScriptedGuests
) -> None:
    session_id = await begin(rig, guests, {"say": "I die."}, {"ask": command("cat app.py"), "then": [{"exit": 3}]})
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("failed", "guest_ended")
    assert "status 3" in ended.detail
    assert [(one.why, one.exit_status) for one in rig.events(GuestSessionEnded)] == [("crash", 3)]
    kinds = [type(one) for one in rig.events(object)]
    assert kinds.index(AssistantMessage) < kinds.index(GuestSessionEnded), "what it said stands before its end"
    assert [one.outcome for one in finished(rig)] == ["interrupted"]
    guests.prompts = [[{"say": "back"}]]
    await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
    await rig.ended(2)
    assert texts(rig)[-1] == "back"
    assert "You take over this conversation" in str(guests.sent("session/prompt")[-1])
    assert [one.note_kind for one in rig.events(UserMessage) if one.note_kind == "handover"] == ["handover"]
    whole(rig, session_id)


@pytest.mark.promise("guests-A26")
async def test_a_read_without_asking_is_an_ordinary_row(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, seen("cat app.py", "completed"), {"say": "read"})
    assert (await rig.ended()).status == "completed"
    (call,) = finished(rig)
    assert (call.outcome, call.data["unasked"]) == ("ok", False)
    assert rig.events(GuestNoticed) == []
    whole(rig, session_id)


@pytest.mark.promise("guests-A26")
async def test_what_should_have_been_asked_is_told_and_looked_back_on(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, seen(RUN, "completed"), {"say": "ran"})
    assert (await rig.ended()).status == "completed"
    (call,) = finished(rig)
    assert call.data["unasked"] is True
    (noticed,) = rig.events(GuestNoticed)
    assert noticed.kind == "unasked"
    assert " ran this without asking. Banksman would have asked. No rule " in noticed.text
    (review,) = rig.events(InputRequested)
    assert "It ran without asking." in review.request.warnings
    whole(rig, session_id)


@pytest.mark.promise("guests-A26")
async def test_what_is_forbidden_stops_the_turn_at_sight(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, seen("rm -rf ~", "in_progress"), {"hold": True}, mode=AUTO)
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("failed", "unasked")
    assert " ran this without asking, and a built-in protection forbids it. It would delete " in ended.detail
    (noticed,) = rig.events(GuestNoticed)
    assert noticed.text.endswith(" stopped while it ran, and may have had effects. Banksman would have refused it.")
    assert len(guests.sent("session/cancel")) == 1
    whole(rig, session_id)


@pytest.mark.promise("guests-A27")
async def test_a_guest_that_never_asks_is_found_out(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, *(seen(RUN, "completed", f"t{n}") for n in range(3)), {"hold": True})
    assert (await rig.ended()).detail == "Fake Agent does not ask before it acts, so this mode cannot keep its promise."
    whole(rig, session_id)


@pytest.mark.promise("guests-A31")
async def test_a_reason_of_a_no_is_told_to_the_guest_that_ended_its_turn(rig: Rig, guests: ScriptedGuests) -> None:
    guests.prompts = [[{"say": "Then otherwise."}]]
    session_id = await begin(rig, guests, {"ask": command(RUN)})
    await rig.answer(session_id, await rig.asked(), Answer(outcome="reject", note="not on a Friday"))
    await rig.ended()
    first, second = guests.sent("session/prompt")
    assert "not on a Friday" not in str(first)
    assert "not on a Friday" in str(second)
    assert texts(rig)[-1] == "Then otherwise."
    whole(rig, session_id)


@pytest.mark.promise("guests-A31")
async def test_a_no_that_stops_ends_the_turn_without_another_word(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, {"ask": command(RUN), "else": [{"hold": True}]}, {"hold": True})
    await rig.answer(session_id, await rig.asked(), Answer(outcome="reject", note="enough", stop_turn=True))
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("interrupted", "declined")
    assert len(guests.sent("session/prompt")) == 1
    whole(rig, session_id)


@pytest.mark.promise("guests-A28")
@pytest.mark.promise("guests-A29")
async def test_a_guest_is_put_into_its_asking_mode_and_back_into_it(rig: Rig, guests: ScriptedGuests) -> None:
    guests.knows(asking_mode="ask")
    modes = {"currentModeId": "yolo", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "yolo", "name": "Yolo"}]}
    guests.more = {"new": {"modes": modes}}
    changed = {"update": {"sessionUpdate": "current_mode_update", "currentModeId": "yolo"}}
    session_id = await begin(rig, guests, changed, {"wait_file": str(guests.folder / "go")})
    await rig.until(lambda updates: len(guests.sent("session/set_mode")) == 2)
    (guests.folder / "go").touch()
    await rig.ended()
    assert [one["params"]["modeId"] for one in guests.sent("session/set_mode")] == ["ask", "ask"]
    assert [one.kind for one in rig.events(GuestNoticed)] == ["mode"]
    whole(rig, session_id)


async def test_todos_of_a_guest_are_those_of_the_chat(rig: Rig, guests: ScriptedGuests) -> None:
    plan = [{"content": "look", "status": "completed"}, {"content": "do"}, "junk"]
    session_id = await begin(rig, guests, {"plan": plan})
    await rig.ended()
    (changed,) = rig.events(TodosChanged)
    assert [(one.content, one.status) for one in changed.todos] == [("look", "completed"), ("do", "pending")]
    whole(rig, session_id)


@pytest.mark.promise("guests-A2")
async def test_a_guest_that_is_not_there_begins_no_chat_and_no_model_takes_its_place(
    rig: Rig, guests: ScriptedGuests
) -> None:
    await rig.new("Do it", driver="other")
    assert [one.code for one in rig.failures()] == ["no_guest"]
    session_id = await begin(rig, guests, {"say": "hi"})
    await rig.ended()
    await rig.engine.handle(SetModel(session_id=session_id, endpoint_id="fake", model="fake-model"))
    assert [one.code for one in rig.failures()] == ["no_guest", "guest"]


@pytest.mark.promise("guests-A27")
async def test_a_guest_that_never_asks_may_work_in_full_auto_alone(rig: Rig, guests: ScriptedGuests) -> None:
    guests.knows(asks=False)
    await begin(rig, guests, {"say": "hi"})
    assert [one.code for one in rig.failures()] == ["guest_mode"]


@pytest.mark.promise("guests-A9")
async def test_another_version_of_the_protocol_ends_the_start(rig: Rig, guests: ScriptedGuests) -> None:
    guests.more = {"init": {"protocolVersion": 2}}
    session_id = await begin(rig, guests, {"say": "hi"})
    ended = await rig.ended()
    assert (ended.status, ended.detail) == ("failed", "Fake Agent speaks ACP 2; Banksman speaks 1.")
    await rig.until(lambda updates: guests.started[0].process.returncode is not None)
    whole(rig, session_id)


@pytest.mark.promise("guests-A28")
async def test_plan_refuses_a_command_and_a_write(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, {"ask": command(RUN)}, {"write": "x", "content": "x"}, mode=PLAN)
    await rig.ended()
    assert guests.outcomes() == ["no"]
    assert [one.outcome for one in finished(rig)] == ["refused", "refused"]
    assert not (rig.lane(session_id) / "x").exists()
    whole(rig, session_id)


async def test_two_requests_at_once_are_both_answered(rig: Rig, guests: ScriptedGuests) -> None:
    """A guest may do nothing before all are answered."""
    first = {"ask": command(RUN), "then": [{"touch": str(guests.folder / "one")}]}
    second = {"ask": command(RUN, "t2"), "then": [{"touch": str(guests.folder / "two")}]}
    ends = [{"wait_file": str(guests.folder / name)} for name in ("one", "two")]
    session_id = await begin(rig, guests, {"both": [[first], [second]]}, *ends, done(), done("t2"))
    await rig.answer(session_id, await rig.asked(1), ONCE)
    await rig.answer(session_id, await rig.asked(2), ONCE)
    assert (await rig.ended()).status == "completed"
    assert [one.outcome for one in finished(rig)] == ["ok", "ok"]
    follows(rig, session_id)
    whole(rig, session_id)


async def test_the_end_of_the_program_ends_the_guest(
    guests: ScriptedGuests, folders: Folders, repository: Path
) -> None:
    rig = await Rig(folders, guests.options).open(repository)
    await begin(rig, guests, {"say": "wait"}, {"hold": True})
    await rig.until(lambda updates: any(isinstance(update, TextDelta) for update in updates))
    await rig.engine.stop()
    assert [(one.status, one.reason) for one in rig.events(TurnEnded)] == [("interrupted", "quit")]
    assert guests.started[0].process.returncode is not None


@pytest.mark.promise("guests-A44")
@pytest.mark.parametrize(("load", "how"), [({"said": ["Do it"]}, "load"), ({"said": []}, "new"), (None, "new")])
async def test_a_guest_goes_on_with_its_session_where_it_has_all_of_it(
    guests: ScriptedGuests, folders: Folders, repository: Path, load: dict | None, how: str
) -> None:
    guests.more = {"init": {"agentCapabilities": {"loadSession": True}}, "load": load}
    first = await Rig(folders, guests.options).open(repository)
    session_id = await begin(first, guests, {"say": "one"})
    await first.ended()
    await first.engine.stop()
    guests.prompts = [[{"say": "two"}]]
    rig = await Rig(folders, guests.options).open(repository)
    try:
        await rig.engine.handle(SendMessage(session_id=session_id, text="go on"))
        await rig.ended()
        assert [one.how for one in rig.events(GuestSessionBegan)] == [how]
        assert texts(rig) == ["two"]
        told = str(guests.sent("session/prompt")[-1])
        assert ("You take over this conversation" in told) is (how == "new")
        lines = [one.text for one in rig.events(Notice) if one.kind == "guest"]
        assert lines == ([] if how == "load" else ["Fake Agent could not reopen its session; it was given a summary."])
        whole(rig, session_id)
    finally:
        await rig.engine.stop()


@pytest.mark.promise("guests-A61")
async def test_what_belongs_to_no_turn_or_to_another_session_has_no_effect(rig: Rig, guests: ScriptedGuests) -> None:
    other = {"sessionId": "other", "path": "x", "content": "x"}
    unknown = {"call": "no/such", "params": {}}
    steps = ({"call": "fs/write_text_file", "params": other}, unknown, {"raw": "[]"}, {"raw": "log line"})
    session_id = await begin(rig, guests, *steps, {"say": "!"})
    assert (await rig.ended()).status == "completed"
    assert "".join(texts(rig)) == "refusedrefused!"
    assert not (rig.lane(session_id) / "x").exists()
    assert finished(rig) == []
    whole(rig, session_id)


@pytest.mark.promise("guests-A45")
async def test_an_idle_guest_is_ended_and_the_next_message_starts_it_anew(
    rig: Rig, guests: ScriptedGuests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop.agent.guests.driver.MINUTE_S", 0.0)
    session_id = await begin(rig, guests, {"say": "one"})
    await rig.until(lambda updates: rig.events(GuestSessionEnded))
    assert [one.why for one in rig.events(GuestSessionEnded)] == ["idle"]
    guests.prompts = [[{"say": "two"}]]
    await rig.engine.handle(SendMessage(session_id=session_id, text="go on"))
    await rig.ended(2)
    assert texts(rig) == ["one", "two"]
    whole(rig, session_id)


@pytest.mark.promise("guests-A45")
async def test_the_longest_idle_guest_is_ended_when_there_are_too_many(
    rig: Rig, guests: ScriptedGuests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop.agent.guests.driver.MOST_ALIVE", 1)
    first = await begin(rig, guests, {"say": "one"})
    await rig.ended()
    guests.prompts = []
    await begin(rig, guests, {"say": "two"})
    await rig.until(lambda updates: rig.events(GuestSessionEnded))
    ends = [envelope.event for envelope in rig.engine.sessions.get(first).log]
    assert [one.why for one in ends if isinstance(one, GuestSessionEnded)] == ["idle"]
    assert guests.started[1].process.returncode is None


@pytest.mark.promise("guests-A61")
async def test_floods_of_calls_plans_and_depths_stay_small(rig: Rig, guests: ScriptedGuests) -> None:
    deep: dict = {}
    for _ in range(150):
        deep = {"in": deep}
    calls = [seen("cat app.py", "pending", f"t{n}") for n in range(5000)]
    plan = {"plan": [{"content": f"{n}"} for n in range(10_000)]}
    odd = {"ask": {"toolCallId": "odd", "kind": "other", "title": "x", "rawInput": deep}}
    session_id = await begin(rig, guests, *calls, plan, odd, {"say": "still here"}, mode=PLAN)
    await rig.ended()
    assert len(rig.events(TodosChanged)[0].todos) == 100
    assert len(finished(rig)) <= 1
    assert "yes" not in guests.outcomes()
    whole(rig, session_id)


def any_step(chance: random.Random) -> dict:
    """One thing that a guest may do, in whatever order."""
    key = chance.choice(["t1", "t2", "t3"])
    return chance.choice(
        [
            {"say": "words "},
            {"think": "hm "},
            {"plan": [{"content": "one"}]},
            {"ask": command(chance.choice(["cat app.py", "rm -rf ~", RUN]), key), "then": [done(key)]},
            {"ask": {"toolCallId": key}},
            {"ask": edit("app.py", "new", key=key), "then": [{"write": "app.py", "content": "new"}, done(key)]},
            {"write": chance.choice(["a.txt", "../b.txt"]), "content": "x"},
            seen("cat app.py", chance.choice(["pending", "in_progress", "completed", "failed"]), key),
            done(key, "out", chance.choice(["completed", "failed"])),
            {"raw": chance.choice(["[]", "17", "{", "null"])},
            {"update": {"sessionUpdate": "no_such_update"}},
        ]
    )


@pytest.mark.promise("guests-A3")
@pytest.mark.parametrize("seed", range(8))
async def test_whatever_a_guest_does_the_log_is_whole_at_every_place(
    rig: Rig, guests: ScriptedGuests, seed: int
) -> None:
    chance = random.Random(seed)
    steps = [any_step(chance) for _ in range(chance.randint(3, 14))]
    end = [chance.choice([{"say": "end"}, {"exit": 1}, {"say": ""}])]
    session_id = await begin(rig, guests, *steps, *end, mode=AUTO)
    await rig.ended()
    whole(rig, session_id)
    follows(rig, session_id)
    log = [*rig.engine.sessions.get(session_id).log]
    for place in range(1, len(log) + 1):
        assert not faults(to_messages(log[:place], session_id=session_id))


@pytest.mark.promise("guests-A40")
async def test_what_a_guest_changes_itself_is_compared_and_not_taken_from_its_word(
    rig: Rig, guests: ScriptedGuests
) -> None:
    session_id = await begin(rig, guests, {"say": "ready"})
    await rig.ended()
    app, other = rig.lane(session_id) / "app.py", rig.lane(session_id) / "new.py"
    first = {"ask": edit(app, "claimed", "print('hello')"), "then": [{"touch": str(app), "text": "done\n"}, done()]}
    second = {"ask": edit(other, "n", key="t2"), "then": [done("t2")]}
    await guests.anew([[first, second]])
    await rig.engine.handle(SendMessage(session_id=session_id, text="edit"))
    await rig.ended(2)
    real, none = finished(rig)
    assert [(one.path, one.kind, one.added, one.removed) for one in real.touched] == [("app.py", "modify", 1, 1)]
    assert "+done" in real.blocks[0].unified
    assert none.touched == ()
    whole(rig, session_id)


@pytest.mark.promise("guests-A53")
async def test_the_instruction_files_that_a_guest_reads_are_listed(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, {"touch": "GEMINI.md", "text": "Be brief."}, {"say": "done"})
    await rig.ended()
    await rig.engine.handle(LoadInstructions(session_id=session_id))
    listed = await rig.until(lambda updates: [one for one in updates if isinstance(one, InstructionsListed)])
    assert [one.path for one in listed[-1].files] == ["GEMINI.md"]
    assert listed[-1].read_by_agent


@pytest.mark.promise("guests-A53")
@pytest.mark.parametrize("path", [".claude/settings.json", ".mcp.json", ".gemini/settings.json", ".codex/config.toml"])
async def test_what_changes_a_guests_own_settings_asks(rig: Rig, guests: ScriptedGuests, path: str) -> None:
    session_id = await begin(rig, guests, {"write": path, "content": "{}"})
    await rig.answer(session_id, await rig.asked(), REJECT)
    await rig.ended()
    assert not (rig.lane(session_id) / path).exists()
