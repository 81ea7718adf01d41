"""What a guest may send at most, and that nothing of it is lost or held without end (guests-A8)."""

import asyncio
import os
from pathlib import Path

import pytest

from desktop.domain.chats.commands import ExportSession, SearchChats
from desktop.domain.chats.updates import ChatsFound, SessionExported
from desktop.domain.commands import Interrupt, SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import AssistantMessage, Notice, ToolCallFinished, TurnEnded
from desktop.domain.guests.commands import EndGuest, TestGuest
from desktop.domain.guests.events import GuestSessionBegan, GuestSessionEnded
from desktop.domain.guests.updates import GuestTested
from desktop.domain.history.state_of import message_text
from desktop.services.peers.frames import MOST_WAITING, Frames
from tests.agent.guest_rig import ScriptedGuests, command, done
from tests.agent.rig import Rig
from tests.agent.wholeness import follows, whole

pytestmark = pytest.mark.asyncio
EDIT = PermissionMode.EDIT


async def begin(rig: Rig, guests: ScriptedGuests, *steps: dict) -> str:
    guests.prompts = [list(steps), *guests.prompts]
    return await rig.new("Do it", EDIT, driver="fake", without_sandbox=True)


@pytest.mark.promise("guests-A8")
async def test_a_long_output_is_cut_and_the_whole_is_kept(rig: Rig, guests: ScriptedGuests) -> None:
    text = "".join(f"line {number}\n" for number in range(8_000))
    session_id = await begin(rig, guests, {"ask": command("cat app.py"), "then": [done(text=text)]})
    await rig.ended()
    (result,) = rig.events(ToolCallFinished)
    assert isinstance(result.content, str)
    assert len(result.content) <= 30_000
    assert "whole text: blob:" in result.content
    assert result.full is not None
    assert rig.engine._store.blobs.get(result.full.sha256) == text.encode()
    whole(rig, session_id)


@pytest.mark.promise("guests-A8")
@pytest.mark.parametrize(("limit", "together"), [("MOST_CALLS", False), ("MOST_OPEN", True)])
async def test_more_calls_than_can_be_followed_end_the_turn(
    rig: Rig, guests: ScriptedGuests, monkeypatch: pytest.MonkeyPatch, limit: str, together: bool
) -> None:
    monkeypatch.setattr(f"desktop.agent.guests.calls.turn_calls.{limit}", 3)
    asks = [
        {"ask": command("python3 tool.py" if together else "cat app.py", f"t{n}"), "then": [done(f"t{n}")]}
        for n in range(5)
    ]
    steps = [{"both": [[one] for one in asks]}] if together else asks
    session_id = await begin(rig, guests, *steps, {"hold": True})
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("failed", "guest_calls")
    assert ended.detail == "Fake Agent made more calls than can be followed."
    assert len(rig.events(ToolCallFinished)) == 3
    whole(rig, session_id)


@pytest.mark.promise("guests-A8")
async def test_a_pipe_is_read_no_further_while_what_it_brought_waits() -> None:
    """A million small updates wait in the pipe, not in memory, and none is lost."""
    reader, writer = os.pipe()
    frames, loop = Frames(16 * 1024 * 1024), asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: frames, os.fdopen(reader, "rb", buffering=0))
    line, count = b'{"jsonrpc":"2.0","method":"session/update","params":{"x":"x"}}\n', 100_000

    def flood() -> None:
        with os.fdopen(writer, "wb") as pipe:
            for _ in range(count):
                pipe.write(line)

    flooding = asyncio.create_task(asyncio.to_thread(flood))
    most = taken = 0
    while (found := await frames.take()) is not None:
        taken += 1
        assert found + b"\n" == line
        most = max(most, frames._waiting)
        if taken == 1:
            while not frames._paused:  # nobody takes any more, and reading stops by itself
                await asyncio.sleep(0)
            most = max(most, frames._waiting)
    await flooding
    assert taken == count
    assert MOST_WAITING < most < MOST_WAITING + 512 * 1024


@pytest.mark.promise("guests-A30")
@pytest.mark.promise("guests-A44")
async def test_a_guest_that_answers_after_it_was_ended_is_not_heard_and_goes_on_anew(
    rig: Rig, guests: ScriptedGuests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop.agent.guests.prompts.CANCEL_S", 0.2)
    guests.more = {"init": {"agentCapabilities": {"sessionCapabilities": {"resume": {}}}}, "resume": True}
    began, go = guests.folder / "began", guests.folder / "go"
    late = [{"touch": str(began)}, {"wait_file": str(go)}, {"say": "too late"}, {"touch": "late.txt"}]
    session_id = await begin(rig, guests, *late)
    await rig.until(lambda _: began.exists())
    await rig.engine.handle(Interrupt(session_id=session_id))
    assert (await rig.ended()).reason == "stop"
    go.touch()
    assert [one.why for one in rig.events(GuestSessionEnded)] == ["stop"]
    assert guests.started[0].process.returncode is not None
    guests.prompts = [[{"say": "here again"}]]
    await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
    assert (await rig.ended(2)).status == "completed"
    assert [one.how for one in rig.events(GuestSessionBegan)] == ["new", "resume"]
    assert [message_text(one) for one in rig.events(AssistantMessage)] == ["here again"]
    assert not (rig.lane(session_id) / "late.txt").exists()
    follows(rig, session_id)
    whole(rig, session_id)


@pytest.mark.promise("guests-A10")
async def test_a_guest_without_servers_is_told_that_there_are_none(rig: Rig, guests: ScriptedGuests) -> None:
    await rig.engine.handle(TestGuest(guest_id="fake"))
    await rig.until(lambda updates: [one for one in updates if isinstance(one, GuestTested)])
    (new,) = guests.sent("session/new")
    assert new["params"]["mcpServers"] == []
    assert Path(new["params"]["cwd"]).is_absolute()
    assert new["params"]["cwd"] == str(Path(new["params"]["cwd"]).resolve())


@pytest.mark.promise("guests-A43")
async def test_a_chat_whose_agent_is_gone_is_read_found_and_exported(
    rig: Rig, guests: ScriptedGuests, tmp_path: Path
) -> None:
    session_id = await begin(rig, guests, {"say": "The quokka stands in app.py."})
    await rig.ended()
    guests.knows(id="another")
    await rig.engine.handle(SendMessage(session_id=session_id, text="go on"))
    assert "not installed" in (await rig.ended(2)).detail
    await rig.engine.handle(SearchChats(request_id="q", query="quokka"))
    found = await rig.until(lambda updates: [one for one in updates if isinstance(one, ChatsFound)])
    assert "quokka" in str(found[-1])
    path = tmp_path / "chat.md"
    await rig.engine.handle(ExportSession(session_id=session_id, path=str(path)))
    await rig.until(lambda updates: [one for one in updates if isinstance(one, SessionExported)])
    assert "The quokka stands in app.py." in path.read_text()
    assert [one.status for one in rig.events(TurnEnded)] == ["completed", "failed"]
    follows(rig, session_id)


@pytest.mark.promise("guests-A44")
async def test_what_is_told_of_a_session_that_is_not_gone_on_with_is_not_heard(
    rig: Rig, guests: ScriptedGuests, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One agent tells of the old session only after it has said that it is open."""
    monkeypatch.setattr("desktop.agent.guests.late_words.LATE_S", 0.0)
    load = {"said": [], "after": ["an old answer"]}
    guests.more = {"init": {"agentCapabilities": {"loadSession": True}}, "load": load}
    session_id = await begin(rig, guests, {"say": "one"})
    await rig.ended()
    await rig.engine.handle(EndGuest(session_id=session_id))
    guests.prompts = [[{"say": "two"}]]
    await rig.engine.handle(SendMessage(session_id=session_id, text="go on"))
    await rig.ended(2)
    assert [one.how for one in rig.events(GuestSessionBegan)] == ["new", "new"]
    told = [one.text for one in rig.events(Notice) if one.kind == "guest"]
    assert told == ["Fake Agent could not reopen its session; it was given a summary."]
    whole(rig, session_id)
