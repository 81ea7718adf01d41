"""Moments in which something else happens: stops, switches, exchanged folders. Effects happen once, or not at all."""

import asyncio
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.commands import (
    AnswerInput,
    ContinueTurn,
    Interrupt,
    NewSession,
    SaveSettings,
    SendMessage,
    SetMode,
    SetModel,
)
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import (
    InputResolved,
    Notice,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    TurnStarted,
    UserMessage,
)
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.services.processes.tree import SESSION_VARIABLE, marked_processes
from tests.agent.rig import Rig, git
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import Call, FakeModelApi, text_turn, tool_turn, turn
from tests.validity import faults

pytestmark = pytest.mark.asyncio
ALLOW = Answer(outcome="allow_once")


def approval_of(requested: object) -> ApprovalRequest:
    request = requested.request  # type: ignore[attr-defined]
    assert isinstance(request, ApprovalRequest)
    return request


async def test_an_approval_in_the_moment_of_a_stop_runs_nothing(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch x"))
    session_id = await rig.new("Touch")
    asked = await rig.asked()
    answer = AnswerInput(session_id=session_id, input_id=asked.input_id, answer=ALLOW, digest=approval_of(asked).digest)
    await asyncio.gather(rig.engine.handle(answer), rig.engine.handle(Interrupt(session_id=session_id)))
    await rig.ended()
    assert not (rig.lane(session_id) / "x").exists()
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["cancelled"]
    whole(rig, session_id)


@pytest.mark.promise("gate-I5")
async def test_two_answers_at_once_are_one_answer_and_one_run(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="echo run >> runs"), text_turn("done"))
    session_id = await rig.new("Run")
    asked = await rig.asked()
    await asyncio.gather(rig.answer(session_id, asked, ALLOW), rig.answer(session_id, asked, ALLOW))
    await rig.ended()
    assert (rig.lane(session_id) / "runs").read_text() == "run\n"
    assert [failure.code for failure in rig.failures()] == ["input_closed"]
    assert len(rig.events(InputResolved)) == 1
    whole(rig, session_id)


async def test_two_messages_at_once_are_one_turn_that_has_both(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hi"), tool_turn("bash", command="touch x"), text_turn("both"))
    session_id = await rig.new("Hi")
    await rig.ended()
    settings = rig.engine.settings.current.model_copy(update={"turns_at_once": 1})
    await rig.engine.handle(SaveSettings(settings=settings))
    busy = await rig.new("Let the other turn wait before its first request")
    await rig.asked()
    one, two = (SendMessage(session_id=session_id, text=text) for text in ("one", "two"))
    await asyncio.gather(rig.engine.handle(one), rig.engine.handle(two))
    await rig.engine.handle(Interrupt(session_id=busy))
    await rig.ended(3)
    assert not rig.failures()
    log = [envelope.event for envelope in rig.engine.sessions.get(session_id).log]
    assert sum(isinstance(event, TurnStarted) for event in log) == 2
    assert [event.origin for event in log if isinstance(event, UserMessage)] == ["person", "person", "queued"]
    assert [part["text"] for part in model_api.requests[-1].messages[-1]["content"]] == ["one", "two"]
    whole(rig, session_id)


async def test_a_stop_right_after_sending_keeps_the_message(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hi"), text_turn("never asked for"))
    session_id = await rig.new("Hi")
    await rig.ended()
    await rig.engine.handle(SendMessage(session_id=session_id, text="keep me"))
    await rig.engine.handle(Interrupt(session_id=session_id))
    assert (await rig.ended(2)).status == "interrupted"
    assert "keep me" in str(rig.events(UserMessage))
    whole(rig, session_id)


async def test_closing_right_after_sending_ends_the_turn_that_never_ran(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("never asked for"))
    rig = await Rig(folders).open(repository)
    sending = asyncio.create_task(rig.new("Hi"))
    await rig.until(lambda updates: rig.events(TurnStarted))
    await rig.engine.stop()
    await sending
    again = await Rig(folders).open(repository)
    try:
        whole(again, sending.result())
        state = again.engine.sessions.get(sending.result()).state
        assert (state.last_turn.reason, state.interrupted) == ("quit", True)  # type: ignore[union-attr]
    finally:
        await again.engine.stop()


async def test_a_new_chat_in_the_moment_of_closing_starts_nothing(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    rig = await Rig(folders).open(repository)
    command = NewSession(session_id=new_session_id(), text="Too late")
    sending = asyncio.create_task(rig.engine.handle(command))
    await asyncio.sleep(0)
    await rig.engine.stop()
    await sending
    assert not rig.events(TurnStarted)
    assert not model_api.requests


async def test_a_stop_while_a_file_is_written_leaves_no_write_behind(rig: Rig, model_api: FakeModelApi) -> None:
    call = Call("write_file", {"file_path": "big.txt", "content": "x" * 5_000_000})
    model_api.script(turn("", [call], piece=1_000_000))
    session_id = await rig.new("Write")
    lane = rig.lane(session_id)
    await rig.until(lambda updates: rig.events(ToolCallStarted))
    while not list(lane.glob(".*.banksman-new")) and not rig.events(ToolCallFinished):
        await asyncio.sleep(0)
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended()
    assert not list(lane.glob(".*.banksman-new"))
    before = (lane / "big.txt").stat() if (lane / "big.txt").exists() else None
    await asyncio.sleep(0.2)
    assert before == ((lane / "big.txt").stat() if (lane / "big.txt").exists() else None)
    whole(rig, session_id)


async def test_two_chats_on_the_same_checkout_change_it_one_after_the_other(rig: Rig, model_api: FakeModelApi) -> None:
    command = "echo begin >> order; sleep 0.4; echo end >> order"
    model_api.script(tool_turn("bash", command=command), tool_turn("bash", command=command), text_turn("a"))
    model_api.more(text_turn("b"))
    auto = {"mode": PermissionMode.FULL_AUTO, "without_sandbox": True, "place": "checkout"}
    await rig.new("One", **auto)
    await rig.new("Two", **auto)
    await rig.ended(2)
    assert rig.engine.project is not None
    order = (Path(rig.engine.project.path) / "order").read_text().split()
    assert order == ["begin", "end", "begin", "end"]


@pytest.mark.parametrize(("mode", "outcome"), [(PermissionMode.PLAN, "refused"), (PermissionMode.EDIT, "declined")])
async def test_a_call_that_waits_for_the_lane_runs_under_the_mode_of_its_moment(
    rig: Rig, model_api: FakeModelApi, mode: PermissionMode, outcome: str
) -> None:
    auto = {"mode": PermissionMode.FULL_AUTO, "without_sandbox": True, "place": "checkout"}
    model_api.script(tool_turn("bash", command="touch begun; echo begun; sleep 30"))
    holder = await rig.new("Hold the lane", **auto)
    await rig.until(lambda updates: (rig.lane(holder) / "begun").exists())
    model_api.script(tool_turn("bash", command="touch late"), text_turn("done"))
    waiting = await rig.new("Wait for it", **auto)
    await rig.until(lambda updates: len(rig.events(ToolCallDecided)) == 2)
    assert rig.events(ToolCallDecided)[1].verdict is Verdict.ALLOW
    await rig.engine.handle(SetMode(session_id=waiting, mode=mode))
    await rig.engine.handle(Interrupt(session_id=holder))
    if mode is PermissionMode.EDIT:
        await rig.answer(waiting, await rig.asked(), Answer(outcome="reject"))
    await rig.ended(2)
    assert not (rig.lane(holder) / "late").exists()
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["interrupted", outcome]
    whole(rig, waiting)


async def test_a_stop_while_waiting_for_the_lane_runs_nothing_and_frees_the_lane(
    rig: Rig, model_api: FakeModelApi
) -> None:
    auto = {"mode": PermissionMode.FULL_AUTO, "without_sandbox": True, "place": "checkout"}
    model_api.script(tool_turn("bash", command="touch begun; echo begun; sleep 30"))
    holder = await rig.new("Hold the lane", **auto)
    await rig.until(lambda updates: (rig.lane(holder) / "begun").exists())
    model_api.script(tool_turn("bash", command="touch late"))
    waiting = await rig.new("Wait for it", **auto)
    await rig.until(lambda updates: len(rig.events(ToolCallDecided)) == 2)
    await rig.engine.handle(Interrupt(session_id=waiting))
    await rig.ended()
    await rig.engine.handle(Interrupt(session_id=holder))
    await rig.ended(2)
    assert not (rig.lane(holder) / "late").exists()
    assert not rig.engine.sessions.get(holder).write_lock.locked()
    whole(rig, waiting)
    whole(rig, holder)


async def test_a_looser_mode_answers_no_open_card(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch x"), text_turn("done"))
    session_id = await rig.new("Touch")
    asked = await rig.asked()
    switch = SetMode(session_id=session_id, mode=PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.engine.handle(switch)
    await asyncio.sleep(0.1)
    assert not (rig.lane(session_id) / "x").exists()
    assert not rig.events(InputResolved)
    await rig.answer(session_id, asked, ALLOW)
    await rig.ended()
    assert (rig.lane(session_id) / "x").exists()
    assert not rig.engine.sessions.get(session_id).state.reviews
    whole(rig, session_id)


async def declined_anew(rig: Rig, session_id: str, what: str) -> None:
    """The person is told what changed, is asked a second time, and says no."""
    again = await rig.asked(2)
    assert isinstance(again.request, ApprovalRequest)
    assert what in again.request.reason
    assert any("changed after you allowed it" in notice.text for notice in rig.events(Notice))
    await rig.answer(session_id, again, Answer(outcome="reject"))


async def test_an_approved_read_is_bound_to_where_the_link_led(
    rig: Rig, model_api: FakeModelApi, tmp_path: Path
) -> None:
    (tmp_path / "harmless").write_text("harmless")
    (tmp_path / "private").write_text("private")
    model_api.script(text_turn("hi"), tool_turn("read_file", file_path="link"), text_turn("done"))
    session_id = await rig.new("Hi")
    await rig.ended()
    link = rig.lane(session_id) / "link"
    link.symlink_to(tmp_path / "harmless")
    await rig.engine.handle(SendMessage(session_id=session_id, text="read it"))
    asked = await rig.asked()
    link.unlink()
    link.symlink_to(tmp_path / "private")
    await rig.answer(session_id, asked, ALLOW)
    await declined_anew(rig, session_id, "a file it names changed")
    await rig.ended(2)
    assert rig.events(ToolCallFinished)[-1].outcome == "declined"
    assert "private" not in str(model_api.requests[-1].messages)


@pytest.mark.promise("gate-G24")
async def test_an_approved_command_is_bound_to_the_folder_it_was_to_run_in(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hi"), tool_turn("bash", command="touch here", cwd="place"), text_turn("done"))
    session_id = await rig.new("Hi")
    await rig.ended()
    lane = rig.lane(session_id)
    for name in ("one", "two"):
        (lane / name).mkdir()
    (lane / "place").symlink_to("one")
    await rig.engine.handle(SendMessage(session_id=session_id, text="run it"))
    asked = await rig.asked()
    (lane / "place").unlink()
    (lane / "place").symlink_to("two")
    await rig.answer(session_id, asked, ALLOW)
    await declined_anew(rig, session_id, "the folder it runs in, a file it names changed")
    await rig.ended(2)
    assert rig.events(ToolCallFinished)[-1].outcome == "declined"
    assert not (lane / "one" / "here").exists()
    assert not (lane / "two" / "here").exists()


async def test_an_approved_command_is_bound_to_the_commit_and_the_lane_folder(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch here"), text_turn("a"))
    session_id = await rig.new("Run")
    asked = await rig.asked()
    lane = rig.lane(session_id)
    git(lane, "commit", "-q", "--allow-empty", "-m", "meanwhile")
    await rig.answer(session_id, asked, ALLOW)
    await declined_anew(rig, session_id, "the lane's commit changed")
    await rig.ended()
    assert rig.events(ToolCallFinished)[-1].outcome == "declined"
    model_api.script(tool_turn("bash", command="touch here"), text_turn("b"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
    asked = await rig.asked(3)
    lane.rename(lane.with_name("moved"))
    lane.mkdir()
    await rig.answer(session_id, asked, ALLOW)
    await rig.ended(2)
    finished = rig.events(ToolCallFinished)[-1]
    assert finished.outcome == "refused"
    assert "lane folder is not the one" in str(finished.content)
    assert list(lane.iterdir()) == []


async def test_an_allowed_read_whose_link_moved_meanwhile_opens_nothing_that_would_ask(
    rig: Rig, model_api: FakeModelApi, tmp_path: Path
) -> None:
    model_api.script(text_turn("hi"))
    session_id = await rig.new("Hi")
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    assert session.files is not None
    (rig.lane(session_id) / ".env").write_text("KEY=1")
    link = rig.lane(session_id) / "link"
    link.symlink_to("app.py")
    held = session.files.held_to((session.files.resolve("link", "read"),))
    assert held.resolve("link", "read").verdict == "inside"
    link.unlink()
    link.symlink_to(".env")
    assert held.resolve("link", "read").deny
    assert held.resolve(".env", "read").deny
    assert held.resolve("notes.md", "read").verdict == "inside"


async def test_a_model_change_ends_the_grants_of_the_chat(rig: Rig, model_api: FakeModelApi) -> None:
    again = tool_turn("bash", command="touch d.txt")
    model_api.script(again, text_turn("a"), again, text_turn("b"))
    session_id = await rig.new("Dates")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_always", scope="session"))
    await rig.ended()
    await rig.engine.handle(SetModel(session_id=session_id, endpoint_id="fake", model="other"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
    await rig.answer(session_id, await rig.asked(2), Answer(outcome="reject"))
    await rig.ended(2)
    assert rig.events(ToolCallDecided)[-1].verdict is Verdict.ASK


async def test_a_grant_covers_no_redirect_and_no_rider(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("write_file", file_path="pages/a.md", content="a"),
        tool_turn("bash", command="touch d.txt"),
        tool_turn("bash", command="touch d.txt > e.txt"),
        tool_turn("bash", command="touch d.txt; mkdir f"),
        text_turn("done"),
    )
    session_id = await rig.new("Dates")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_always", scope="session"))
    await rig.answer(session_id, await rig.asked(2), Answer(outcome="reject"))
    await rig.answer(session_id, await rig.asked(3), Answer(outcome="reject"))
    await rig.ended()
    assert [event.verdict for event in rig.events(ToolCallDecided)[1:]] == [Verdict.ASK] * 3
    whole(rig, session_id)


async def test_many_stops_give_one_end_and_leave_no_process(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="(trap '' TERM; setsid sleep 47 &) ; sleep 47"))
    session_id = await rig.new("Sleep", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.until(lambda updates: rig.events(ToolCallStarted))
    await asyncio.sleep(0.3)
    for _ in range(20):
        await rig.engine.handle(Interrupt(session_id=session_id))
        await asyncio.sleep(0.01)
    await rig.ended()
    await rig.engine.handle(Interrupt(session_id=session_id))
    assert len(rig.events(TurnEnded)) == 1
    assert not marked_processes(SESSION_VARIABLE, (session_id,))
    whole(rig, session_id)


@pytest.mark.promise("tools-T78")
async def test_what_a_turn_left_running_is_ended_before_the_turn_is(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="setsid sleep 48 >/dev/null 2>&1 & echo ok"), text_turn("done"))
    session_id = await rig.new("Leave one", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    assert not marked_processes(SESSION_VARIABLE, (session_id,))
    model_api.script(text_turn("yes"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="still there?"))
    assert not rig.failures()
    await rig.ended(2)


async def test_continuing_twice_at_once_runs_an_open_call_once(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(turn("", [Call("bash", {"command": "echo run >> runs"})]))
    rig = await Rig(folders).open(repository)
    session_id = await rig.new("Run")
    await rig.asked()
    store = rig.engine._store
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended()
    model_api.script(text_turn("done"), text_turn("done"))
    both = [ContinueTurn(session_id=session_id), ContinueTurn(session_id=session_id)]
    await asyncio.gather(*(rig.engine.handle(command) for command in both))
    await rig.ended(2)
    assert [failure.code for failure in rig.failures()] == ["running"]
    await rig.engine.handle(ContinueTurn(session_id=session_id))
    assert rig.failures()[-1].code == "nothing_to_continue"
    assert not faults(model_api.requests[-1].messages)
    assert not store.events.verify(session_id)
    await rig.engine.stop()
