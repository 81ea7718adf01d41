"""Stops, crashes and restarts in chats that agents of others carry out (guests-A30, guests-A39, guests-A44)."""

from pathlib import Path

import psutil
import pytest

from desktop.domain.events import AssistantMessage, InputResolved, Notice, UserMessage
from desktop.domain.guests.events import GuestSessionBegan, GuestSessionEnded
from desktop.domain.history.state_of import message_text
from tests.agent.gate_rig import ONCE
from tests.agent.wholeness import whole
from tests.fakes.model_dialects import TEXT
from tests.guests.ground import Ground

pytestmark = [pytest.mark.asyncio, pytest.mark.guests, pytest.mark.timeout(400)]
REOPENS = ("claude", "codex")


async def answers(ground: Ground) -> None:
    """The agent of the chat does another turn."""
    await ground.say("Say that you are done.")
    ended = await ground.ended()
    assert (ended.status, ended.detail) == ("completed", "")
    assert message_text(ground.of(AssistantMessage)[-1]) == TEXT


async def test_a_stop_while_it_asks_withdraws_what_it_asked(ground: Ground) -> None:
    await ground.say("run-this: touch made")
    await ground.card()
    assert (await ground.stop()).status == "interrupted"
    assert [one.reason for one in ground.of(InputResolved)] == ["interrupted"]
    assert [one.outcome for one in ground.results()] == ["cancelled"]
    await answers(ground)
    assert not (ground.lane / "made").exists()


async def test_a_stop_in_a_running_command_ends_the_turn(ground: Ground) -> None:
    await ground.say("run-this: touch begun; sleep 1234")
    await ground.rig.answer(ground.session_id, await ground.card(), ONCE)
    await ground.until_file(ground.lane / "begun")
    assert (await ground.stop()).status == "interrupted"
    assert [one.outcome for one in ground.results()] == ["interrupted"]
    await ground.rig.until(lambda _: not ground.processes("sleep 1234"))
    await answers(ground)


async def test_a_crash_in_a_command_fails_the_turn_and_the_next_one_starts_it_anew(ground: Ground) -> None:
    await ground.say("run-this: touch begun; sleep 1235")
    await ground.rig.answer(ground.session_id, await ground.card(), ONCE)
    await ground.until_file(ground.lane / "begun")
    for one in ground.processes():
        kill(one)
    ended = await ground.ended()
    assert (ended.status, ended.reason) == ("failed", "guest_ended")
    assert [one.outcome for one in ground.results()] == ["interrupted"]
    assert [one.why for one in ground.of(GuestSessionEnded)] == ["crash"]
    await ground.rig.until(lambda _: not ground.processes())
    await answers(ground)


async def test_after_a_restart_it_goes_on_where_it_was(ground: Ground, tmp_path: Path) -> None:
    await ground.say("run-this: touch made")
    await ground.ended()
    whole(ground.rig, ground.session_id)
    await ground.restart(tmp_path / "shop")
    await answers(ground)
    reopened = ground.guest_id in REOPENS
    assert [one.how for one in ground.of(GuestSessionBegan)] == ["new", "resume" if reopened else "new"]
    notes = [one for one in ground.of(UserMessage) if one.note_kind == "handover"]
    told = [one.text for one in ground.of(Notice) if one.kind == "guest"]
    assert (len(notes), len(told)) == ((0, 0) if reopened else (1, 1)), told


def kill(process: psutil.Process) -> None:
    """End it as a crash would, unless it is over."""
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return
