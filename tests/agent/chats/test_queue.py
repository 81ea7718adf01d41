"""Messages that wait while a turn runs, through the real engine: queued, changed, handed over, paused (sessions-SQ4 to
sessions-SQ6)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from desktop.config.folders import Folders
from desktop.domain.chats.commands import (
    AddAttachment,
    EditQueued,
    MoveQueued,
    RemoveQueued,
    ResumeQueue,
    SendQueuedNow,
)
from desktop.domain.chats.queue_events import Limits, MessageQueued, QueuedMessageRemoved, QueuePaused
from desktop.domain.chats.updates import AttachmentReady
from desktop.domain.commands import ContinueTurn, Interrupt, SaveSettings, SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import (
    AssistantMessage,
    InputResolved,
    Notice,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    TurnStarted,
    UserMessage,
)
from desktop.domain.gate.pending import Answer
from desktop.domain.history.state_of import message_text
from desktop.domain.updates import TextDelta
from tests.agent.rig import Rig
from tests.agent.turns.test_restart import kill_at
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import FakeModelApi, http_failure, text_turn, tool_turn

pytestmark = pytest.mark.asyncio
ALLOW = Answer(outcome="allow_once")
AUTO: dict[str, Any] = {"mode": PermissionMode.FULL_AUTO, "without_sandbox": True}


async def send(rig: Rig, session_id: str, text: str, *, interrupt: bool = False) -> None:
    """Send a message."""
    await rig.engine.handle(SendMessage(session_id=session_id, text=text, interrupt=interrupt))


def queue(rig: Rig, session_id: str) -> list[str]:
    """The texts that wait, in order."""
    waiting = rig.engine.sessions.get(session_id).state.queue
    return [str(part["text"]) for one in waiting for part in one.parts if isinstance(part, dict)]


def queue_ids(rig: Rig) -> list[str]:
    """The ids of all messages that were ever queued, in order."""
    return [event.queue_id for event in rig.events(MessageQueued)]


def said(rig: Rig) -> list[tuple[str, str]]:
    """Origin and text of what people said, in order."""
    return [(e.origin, message_text(e)) for e in rig.events(UserMessage) if e.origin in ("person", "queued")]


def last_user_text(request: Any) -> str:
    """The last message of a request, as text."""
    return str(request.messages[-1])


async def waiting_card(rig: Rig, model_api: FakeModelApi, *after: Any) -> str:
    """A chat whose turn waits at a card; `after`: what the model says later."""
    model_api.script(tool_turn("bash", command="touch x"), *after)
    session_id = await rig.new("Touch")
    await rig.asked()
    return session_id


async def test_messages_sent_during_a_turn_reach_the_model_after_the_step(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await waiting_card(rig, model_api, text_turn("done"))
    await send(rig, session_id, "and y")
    await send(rig, session_id, "and z")
    assert queue(rig, session_id) == ["and y", "and z"]
    await rig.answer(session_id, await rig.asked(), ALLOW)
    assert (await rig.ended()).status == "completed"
    assert said(rig) == [("person", "Touch"), ("queued", "and y"), ("queued", "and z")]
    kinds = [part["type"] for part in model_api.requests[1].messages[-1]["content"]]
    assert kinds == ["tool_result", "text", "text"]
    assert [event.why for event in rig.events(QueuedMessageRemoved)] == ["delivered", "delivered"]
    assert len(rig.events(TurnStarted)) == 1
    assert queue(rig, session_id) == []
    whole(rig, session_id)


async def test_the_eleventh_message_is_refused(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await waiting_card(rig, model_api, text_turn("done"))
    for number in range(11):
        await send(rig, session_id, f"message {number}")
    assert [(f.code, f.text) for f in rig.failures()] == [("queue_full", "The queue is full (10).")]
    assert len(queue(rig, session_id)) == 10
    await rig.answer(session_id, await rig.asked(), ALLOW)
    await rig.ended()
    whole(rig, session_id)


async def test_a_message_that_waits_at_a_natural_end_begins_the_next_turn(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("a slow answer " * 20, fault="hold"), text_turn("and the other"))
    session_id = await rig.new("Talk")
    await rig.until(lambda updates: [u for u in updates if isinstance(u, TextDelta)])
    await send(rig, session_id, "next")
    model_api.go_on()
    await rig.ended(2)
    assert [event.kind for event in rig.events(TurnStarted)] == ["prompt", "queued"]
    assert said(rig)[-1] == ("queued", "next")
    assert [event.status for event in rig.events(TurnEnded)] == ["completed", "completed"]
    whole(rig, session_id)


async def test_with_the_setting_after_turn_messages_wait_for_the_end(rig: Rig, model_api: FakeModelApi) -> None:
    settings = rig.engine.settings.current.model_copy(update={"deliver_queued": "after_turn"})
    await rig.engine.handle(SaveSettings(settings=settings))
    session_id = await waiting_card(rig, model_api, text_turn("done"), text_turn("next done"))
    await send(rig, session_id, "later")
    await rig.answer(session_id, await rig.asked(), ALLOW)
    await rig.ended(2)
    assert "later" not in str(model_api.requests[1].messages)
    assert "later" in last_user_text(model_api.requests[2])
    assert [event.kind for event in rig.events(TurnStarted)] == ["prompt", "queued"]


async def test_waiting_messages_are_edited_moved_and_removed(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await waiting_card(rig, model_api, text_turn("done"))
    for text in ("one", "two", "three", "four"):
        await send(rig, session_id, text)
    one, two, three, four = queue_ids(rig)
    await rig.engine.handle(EditQueued(session_id=session_id, queue_id=two, text="zwei"))
    await rig.engine.handle(MoveQueued(session_id=session_id, queue_id=three, position=0))
    await rig.engine.handle(RemoveQueued(session_id=session_id, queue_id=one))
    await rig.engine.handle(EditQueued(session_id=session_id, queue_id=four, text="  "))
    assert queue(rig, session_id) == ["three", "zwei"]
    assert [event.why for event in rig.events(QueuedMessageRemoved)] == ["cancelled", "emptied"]
    await rig.answer(session_id, await rig.asked(), ALLOW)
    await rig.ended()
    assert [text for _, text in said(rig)] == ["Touch", "three", "zwei"]


async def test_a_change_after_the_delivery_is_answered_already_sent(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await waiting_card(rig, model_api, text_turn("done"))
    await send(rig, session_id, "one")
    await send(rig, session_id, "two")
    one, two = queue_ids(rig)
    await rig.engine.handle(RemoveQueued(session_id=session_id, queue_id=two))
    await rig.answer(session_id, await rig.asked(), ALLOW)
    await rig.ended()
    for command in (
        EditQueued(session_id=session_id, queue_id=one, text="uno"),
        RemoveQueued(session_id=session_id, queue_id=one),
        MoveQueued(session_id=session_id, queue_id=one, position=0),
        SendQueuedNow(session_id=session_id, queue_id=one),
    ):
        await rig.engine.handle(command)
        assert (rig.failures()[-1].code, rig.failures()[-1].text) == ("already_sent", "Already sent.")
    for unknown in (two, "que_unknown"):
        await rig.engine.handle(EditQueued(session_id=session_id, queue_id=unknown, text="x"))
        assert rig.failures()[-1].code == "unknown_message"
    assert [text for _, text in said(rig)] == ["Touch", "one"]


@pytest.mark.promise("sessions-SQ4")
async def test_send_now_ends_a_long_command_and_goes_on_in_the_same_turn(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("bash", command="echo begun; sleep 600", timeout_ms=600_000), text_turn("changed course")
    )
    session_id = await rig.new("Sleep", **AUTO)
    await rig.until(lambda updates: rig.events(ToolCallStarted))
    await asyncio.sleep(0.2)
    await send(rig, session_id, "first")
    await send(rig, session_id, "stop that, do this")
    await rig.engine.handle(SendQueuedNow(session_id=session_id, queue_id=queue_ids(rig)[1]))
    ended = await rig.ended()
    assert ended.status == "completed"
    assert len(rig.events(TurnStarted)) == 1
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["interrupted"]
    content = model_api.requests[1].messages[-1]["content"]
    assert [part["type"] for part in content] == ["tool_result", "text", "text"]
    assert [part["text"] for part in content[1:]] == ["stop that, do this", "first"]
    whole(rig, session_id)


async def test_send_now_closes_the_card_of_the_step(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await waiting_card(rig, model_api, text_turn("understood"))
    await send(rig, session_id, "do something else")
    await rig.engine.handle(SendQueuedNow(session_id=session_id, queue_id=queue_ids(rig)[0]))
    assert (await rig.ended()).status == "completed"
    assert rig.events(InputResolved)[0].reason == "interrupted"
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["cancelled"]
    assert not (rig.lane(session_id) / "x").exists()
    whole(rig, session_id)


async def test_a_message_with_interrupt_cuts_the_stream_and_keeps_its_text(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("a long story " * 40, fault="stall"), text_turn("short"))
    session_id = await rig.new("Tell")
    await rig.until(lambda updates: [u for u in updates if isinstance(u, TextDelta)])
    await send(rig, session_id, "shorter please", interrupt=True)
    assert (await rig.ended()).status == "completed"
    assert [message.interrupted for message in rig.events(AssistantMessage)] == [True, False]
    assert "shorter please" in last_user_text(model_api.requests[1])
    assert len(rig.events(TurnStarted)) == 1
    whole(rig, session_id)


async def test_a_message_with_interrupt_begins_a_turn_when_none_runs(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hi"), text_turn("there"))
    session_id = await rig.new("Hi")
    await rig.ended()
    await send(rig, session_id, "again", interrupt=True)
    assert (await rig.ended(2)).status == "completed"
    assert said(rig) == [("person", "Hi"), ("person", "again")]


async def test_a_message_with_interrupt_right_at_the_beginning_is_in_the_first_request(
    rig: Rig, model_api: FakeModelApi
) -> None:
    settings = rig.engine.settings.current.model_copy(update={"deliver_queued": "after_turn"})
    await rig.engine.handle(SaveSettings(settings=settings))
    model_api.script(text_turn("hi"), tool_turn("bash", command="touch x"))
    session_id = await rig.new("Hi")
    await rig.ended()
    await send(rig, session_id, "one")
    await send(rig, session_id, "two", interrupt=True)
    await rig.asked()
    assert queue(rig, session_id) == []
    assert [part["text"] for part in model_api.requests[1].messages[-1]["content"]] == ["one", "two"]
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended(2)
    assert len(rig.events(TurnStarted)) == 2
    whole(rig, session_id)


async def test_a_stop_right_after_send_now_stops(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await waiting_card(rig, model_api)
    await send(rig, session_id, "now")
    now = SendQueuedNow(session_id=session_id, queue_id=queue_ids(rig)[0])
    await asyncio.gather(rig.engine.handle(now), rig.engine.handle(Interrupt(session_id=session_id)))
    assert (await rig.ended()).reason == "stop"
    assert rig.engine.sessions.get(session_id).state.queue_paused == "stop"
    assert queue(rig, session_id) == ["now"]
    whole(rig, session_id)


@pytest.mark.promise("sessions-SQ6")
async def test_a_stop_pauses_the_queue_and_send_next_delivers_it(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await waiting_card(rig, model_api, text_turn("as you say"))
    await send(rig, session_id, "one")
    await send(rig, session_id, "two")
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended()
    assert [type(e) for e in rig.engine.sessions.get(session_id).log[-1:] for e in [e.event]] == [QueuePaused]
    assert rig.engine.sessions.get(session_id).state.queue_paused == "stop"
    assert len(model_api.requests) == 1
    await rig.engine.handle(ResumeQueue(session_id=session_id))
    await rig.ended(2)
    assert [event.kind for event in rig.events(TurnStarted)] == ["prompt", "queued"]
    assert [text for _, text in said(rig)] == ["Touch", "one", "two"]
    await rig.engine.handle(ResumeQueue(session_id=session_id))
    assert rig.failures()[-1].code == "queue_empty"
    whole(rig, session_id)


async def test_a_new_message_starts_a_turn_with_itself_while_the_queue_stays_paused(
    rig: Rig, model_api: FakeModelApi
) -> None:
    session_id = await waiting_card(rig, model_api, text_turn("new thing"), text_turn("old thing"))
    await send(rig, session_id, "old")
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended()
    await send(rig, session_id, "new")
    await rig.ended(2)
    assert queue(rig, session_id) == ["old"]
    assert rig.engine.sessions.get(session_id).state.queue_paused == "stop"
    await rig.engine.handle(SendQueuedNow(session_id=session_id, queue_id=queue_ids(rig)[0]))
    await rig.ended(3)
    assert [text for _, text in said(rig)] == ["Touch", "new", "old"]
    assert not rig.engine.sessions.get(session_id).state.queue_paused


@pytest.mark.parametrize("how", ["failed", "limit"])
async def test_a_failure_and_a_limit_pause_the_queue(rig: Rig, model_api: FakeModelApi, how: str) -> None:
    steps = 1 if how == "limit" else 100
    changed = {"limits": Limits(steps=steps), "deliver_queued": "after_turn"}
    settings = rig.engine.settings.current.model_copy(update=changed)
    await rig.engine.handle(SaveSettings(settings=settings))
    session_id = await waiting_card(rig, model_api, http_failure(401, "authentication_error"))
    await send(rig, session_id, "waits")
    await rig.answer(session_id, await rig.asked(), ALLOW)
    assert (await rig.ended()).status == how
    await rig.until(lambda updates: rig.events(QueuePaused))
    assert rig.engine.sessions.get(session_id).state.queue_paused == how
    assert queue(rig, session_id) == ["waits"]
    whole(rig, session_id)


async def test_the_queue_survives_a_restart_paused_and_in_order(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    rig = await Rig(folders).open(repository)
    session_id = await waiting_card(rig, model_api, text_turn("done"))
    await send(rig, session_id, "one")
    await send(rig, session_id, "two")
    await rig.engine.stop()
    again = await Rig(folders).open(repository)
    try:
        assert queue(again, session_id) == ["one", "two"]
        assert again.engine.sessions.get(session_id).state.queue_paused
        await again.engine.handle(ResumeQueue(session_id=session_id))
        await again.ended()
        assert [text for _, text in said(again)] == ["one", "two"]
        whole(again, session_id)
    finally:
        await again.engine.stop()


async def test_the_queue_of_a_killed_process_is_paused_and_in_order(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch x"))
    session_id = kill_at("queued", folders, repository)
    rig = await Rig(folders).open(repository)
    try:
        state = rig.engine.sessions.get(session_id).state
        assert (state.queue_paused, queue(rig, session_id)) == ("restart", ["one", "two"])
        model_api.script(text_turn("done"))
        await rig.engine.handle(ResumeQueue(session_id=session_id))
        await rig.ended(2)
        assert "Banksman closed while" in last_user_text(model_api.requests[-1])
        assert [part["text"] for part in model_api.requests[-1].messages[-1]["content"][-2:]] == ["one", "two"]
    finally:
        await rig.engine.stop()


async def test_stop_after_this_step_lets_the_running_call_finish(rig: Rig, model_api: FakeModelApi) -> None:
    command = "touch begun; until [ -e go ]; do sleep 0.05; done; touch made"
    model_api.script(tool_turn("bash", command=command))
    session_id = await rig.new("Make", **AUTO)
    await rig.until(lambda updates: rig.events(ToolCallStarted))
    await send(rig, session_id, "waits")
    while not (rig.lane(session_id) / "begun").exists():
        await asyncio.sleep(0.02)
    await rig.engine.handle(Interrupt(session_id=session_id, after_step=True))
    (rig.lane(session_id) / "go").touch()
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("interrupted", "stop")
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["ok"]
    assert [e.note_kind for e in rig.events(UserMessage) if e.origin == "note"] == ["stopped"]
    assert rig.engine.sessions.get(session_id).state.queue_paused == "stop"
    assert len(model_api.requests) == 1
    await rig.engine.handle(ContinueTurn(session_id=session_id))
    whole_after = await rig.ended(2)
    assert whole_after.status == "failed"
    whole(rig, session_id)


async def test_a_step_after_which_to_stop_that_ends_by_itself_is_a_natural_end(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("slow words " * 20, fault="hold"))
    session_id = await rig.new("Talk")
    await rig.until(lambda updates: [u for u in updates if isinstance(u, TextDelta)])
    await send(rig, session_id, "waits")
    await rig.engine.handle(Interrupt(session_id=session_id, after_step=True))
    model_api.go_on()
    assert (await rig.ended()).status == "completed"
    assert rig.engine.sessions.get(session_id).state.queue_paused == "stop"
    assert queue(rig, session_id) == ["waits"]
    assert len(rig.events(TurnStarted)) == 1


async def test_two_messages_sent_at_once_are_both_delivered(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await waiting_card(rig, model_api, text_turn("done"))
    await send(rig, session_id, "one")
    await send(rig, session_id, "two")
    commands = [SendQueuedNow(session_id=session_id, queue_id=queue_id) for queue_id in queue_ids(rig)]
    await asyncio.gather(*(rig.engine.handle(command) for command in commands))
    assert (await rig.ended()).status == "completed"
    assert sorted(text for _, text in said(rig)) == ["Touch", "one", "two"]
    assert not rig.failures()
    whole(rig, session_id)


async def test_stop_after_this_step_closes_an_open_card_at_once(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await waiting_card(rig, model_api)
    await rig.engine.handle(Interrupt(session_id=session_id, after_step=True))
    assert (await rig.ended()).reason == "stop"
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["cancelled"]
    whole(rig, session_id)


async def test_a_message_with_an_attachment_nobody_keeps_is_refused(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await waiting_card(rig, model_api)
    await rig.engine.handle(SendMessage(session_id=session_id, text="look", attachments=("a.png",)))
    assert rig.failures()
    assert not rig.events(MessageQueued)
    assert said(rig) == [("person", "Touch")]


async def attach(rig: Rig, name: str) -> None:
    """Keep a small file under this name."""
    await rig.engine.handle(AddAttachment(request_id=name, name=name, data=f"this is {name}".encode()))
    await rig.until(lambda updates: [u for u in updates if isinstance(u, AttachmentReady) and u.request_id == name])


@pytest.mark.promise("sessions-SQ5")
async def test_an_attachment_that_is_gone_at_the_delivery_is_left_out_and_told(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    session_id = await waiting_card(rig, model_api, text_turn("done"))
    await attach(rig, "a.txt")
    kept = folders.data / "attachments"
    before = {path: path.read_bytes() for path in kept.rglob("*") if path.is_file()}
    await attach(rig, "b.txt")
    for text, names in (("both", ("a.txt", "b.txt")), ("", ("b.txt",))):
        await rig.engine.handle(SendMessage(session_id=session_id, text=text, attachments=names))
    for path in [path for path in kept.rglob("*") if path.is_file()]:
        if path in before:
            path.write_bytes(before[path])
        else:
            path.unlink()
    await rig.answer(session_id, await rig.asked(), ALLOW)
    await rig.ended()
    told = [notice.text for notice in rig.events(Notice) if notice.kind == "attachments"]
    assert len(told) == 2
    assert all(text.startswith("b.txt was not sent") for text in told)
    sent = [event for event in rig.events(UserMessage) if event.origin == "queued"]
    assert [event.attachments for event in sent] == [("a.txt",)]
    assert "attachments:a.txt" in last_user_text(model_api.requests[1])
    assert queue(rig, session_id) == []
    whole(rig, session_id)


async def test_a_message_of_which_nothing_is_left_begins_no_turn(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    session_id = await waiting_card(rig, model_api)
    await attach(rig, "a.txt")
    await rig.engine.handle(SendMessage(session_id=session_id, text="", attachments=("a.txt",)))
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended()
    for path in (folders.data / "attachments").rglob("*"):
        if path.is_file():
            path.unlink()
    await rig.engine.handle(ResumeQueue(session_id=session_id))
    assert not rig.engine.sessions.get(session_id).state.queue
    assert len(rig.events(TurnStarted)) == 1
    whole(rig, session_id)
