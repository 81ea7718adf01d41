"""Chats of agents of others whose Banksman was killed, that went back, and that were forked."""

import asyncio
import sys
from pathlib import Path

import psutil
import pytest

from desktop.domain.chats.commands import RewindSession
from desktop.domain.events import AssistantMessage, Envelope, ToolCallFinished, ToolCallStarted, TurnEnded, UserMessage
from desktop.domain.guests.events import GuestSessionBegan
from desktop.domain.history.state_of import message_text
from tests.agent.rig import git
from tests.agent.wholeness import whole
from tests.fakes.model_dialects import TEXT
from tests.guests.ground import Ground
from tests.guests.test_ends import REOPENS, answers

pytestmark = [pytest.mark.asyncio, pytest.mark.guests, pytest.mark.timeout(400)]


async def test_a_kill_in_the_middle_of_its_turn_ends_all_and_the_chat_goes_on(ground: Ground, tmp_path: Path) -> None:
    begun = ground.lane / "begun"
    await ground.rig.engine.stop()
    given = (tmp_path / "home", tmp_path / "shop", tmp_path / "keyring.json", ground.session_id)
    words = ("-m", "tests.guests.killed_program", *map(str, given), "run-this: touch begun; sleep 1236")
    program = await asyncio.create_subprocess_exec(sys.executable, *words)
    try:
        await ground.rig.until(lambda _: begun.exists(), 120.0)
        below = psutil.Process(program.pid).children(recursive=True)
        assert any("sleep" in one.name() for one in below)
    finally:
        program.kill()
        await program.wait()
    await ground.rig.until(lambda _: not any(one.is_running() and alive(one) for one in below))
    ground.was_killed = True
    await ground.restart(tmp_path / "shop", cut_off=1)
    await answers(ground)
    log = ground.rig.engine.sessions.get(ground.session_id).log
    ends = [one.event for one in log if isinstance(one.event, TurnEnded)]
    assert [(one.status, one.reason) for one in ends][-2:] == [("interrupted", "restart"), ("completed", "")]
    assert [one for one in log if isinstance(one.event, ToolCallStarted)]
    assert not [one for one in log if isinstance(one.event, ToolCallFinished)], "nobody knows how it ended"
    how = began(log)[-1].how  # whether one that only loads had written all of it before the kill is up to its timing
    assert how == "resume" if ground.guest_id in REOPENS else how in ("load", "new")


async def test_going_back_takes_its_files_back_and_begins_its_session_anew(ground: Ground) -> None:
    kept = ground.rig.engine.sessions.get(ground.session_id).log[-1].event_id
    await ground.say(f"write-this: {ground.lane / 'new.txt'} => hello")
    await ground.ended()
    assert (ground.lane / "new.txt").exists()
    back = RewindSession(session_id=ground.session_id, to_event_id=kept, restore_files=True)
    await ground.rig.engine.handle(back)
    assert not (ground.lane / "new.txt").exists()
    await answers(ground)
    assert [one.how for one in ground.of(GuestSessionBegan)] == ["new", "new"]
    told = [message_text(one) for one in ground.of(UserMessage) if one.note_kind == "handover"]
    assert len(told) == 1
    assert "new.txt" not in told[0]


async def test_a_fork_knows_what_was_before_and_leaves_its_source_alone(ground: Ground) -> None:
    await ground.say(f"write-this: {ground.lane / 'new.txt'} => hello")
    await ground.ended()
    source = ground.rig.engine.sessions.get(ground.session_id).history.messages()
    new_id = await ground.fork("Say that you are done.")
    lane = ground.rig.lane(new_id)
    assert lane != ground.lane
    assert (lane / "new.txt").read_text() == "hello\n"
    log = [one for one in ground.rig.engine.sessions.get(new_id).log if one.session_id == new_id]
    assert [one.how for one in began(log)] == ["new"]
    said = [one.event for one in log if isinstance(one.event, AssistantMessage)]
    assert message_text(said[-1]) == TEXT
    notes = [one.event for one in log if isinstance(one.event, UserMessage) and one.event.note_kind == "handover"]
    assert len(notes) == 1
    assert ground.rig.engine.sessions.get(ground.session_id).history.messages() == source
    assert "new.txt" in git(ground.lane, "status", "--porcelain")
    whole(ground.rig, new_id)


def began(log: list[Envelope]) -> list[GuestSessionBegan]:
    """Each begin of a session of the agent."""
    return [one.event for one in log if isinstance(one.event, GuestSessionBegan)]


def alive(process: psutil.Process) -> bool:
    """Whether it does anything still; one that is over and not yet collected does not."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
