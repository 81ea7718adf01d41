"""What a guest may do wrong that no other test of it does: modes again and again, links, writes twice, many cards."""

from pathlib import Path

import psutil
import pytest

from desktop.domain.commands import Interrupt
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import ToolCallFinished, ToolCallStarted
from desktop.domain.guests.events import GuestNoticed
from tests.agent.gate_rig import ONCE
from tests.agent.guest_rig import ScriptedGuests, command, done, edit
from tests.agent.rig import Rig
from tests.agent.wholeness import whole

pytestmark = pytest.mark.asyncio
EDIT, AUTO = PermissionMode.EDIT, PermissionMode.FULL_AUTO
RUN = "python3 tool.py"
MODES = {"currentModeId": "yolo", "availableModes": [{"id": one, "name": one} for one in ("ask", "plan", "yolo")]}


async def begin(rig: Rig, guests: ScriptedGuests, *steps: dict, mode: PermissionMode = EDIT) -> str:
    guests.prompts = [list(steps), *guests.prompts]
    return await rig.new("Do it", mode, driver="fake", without_sandbox=True)


def goes_to(mode: str) -> dict:
    return {"update": {"sessionUpdate": "current_mode_update", "currentModeId": mode}}


@pytest.mark.promise("guests-A29")
async def test_a_guest_that_changes_its_mode_again_after_it_was_set_back_is_stopped(
    rig: Rig, guests: ScriptedGuests
) -> None:
    guests.knows(asking_mode="ask", plan_mode="plan")
    guests.more = {"new": {"modes": MODES}}
    go = guests.folder / "go"
    session_id = await begin(rig, guests, goes_to("yolo"), {"wait_file": str(go)}, goes_to("yolo"), {"hold": True})
    await rig.until(lambda _: len(guests.sent("session/set_mode")) == 2)
    go.touch()
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("failed", "guest_mode")
    assert "although it was set back" in ended.detail
    whole(rig, session_id)


@pytest.mark.promise("guests-A29")
async def test_a_guest_may_go_into_its_own_plan_mode(rig: Rig, guests: ScriptedGuests) -> None:
    guests.knows(asking_mode="ask", plan_mode="plan")
    guests.more = {"new": {"modes": MODES}}
    await begin(rig, guests, goes_to("plan"), {"say": "planned"})
    assert (await rig.ended()).status == "completed"
    assert [one for one in rig.events(GuestNoticed) if one.kind == "mode"] == []
    assert len(guests.sent("session/set_mode")) == 1


@pytest.mark.promise("guests-A22")
async def test_a_link_that_leaves_the_lane_is_not_written_through(
    rig: Rig, guests: ScriptedGuests, tmp_path: Path
) -> None:
    outside, go = tmp_path / "outside", guests.folder / "go"
    outside.mkdir()
    steps = ({"wait_file": str(go)}, {"write": "out/x.txt", "content": "x"})
    session_id = await begin(rig, guests, *steps, mode=AUTO)
    await rig.until(lambda _: guests.sent("session/prompt"))
    (rig.lane(session_id) / "out").symlink_to(outside)
    go.touch()
    await rig.ended()
    assert rig.events(ToolCallFinished)[0].outcome == "refused"
    assert list(outside.iterdir()) == []


@pytest.mark.promise("guests-A22")
async def test_a_write_that_was_shown_once_is_written_once(rig: Rig, guests: ScriptedGuests) -> None:
    """The same a second time is a call of its own."""
    twice = [{"write": "new.txt", "content": "n"}, {"write": "new.txt", "content": "n"}, done()]
    session_id = await begin(rig, guests, {"ask": edit("new.txt", "n"), "then": twice})
    assert (await rig.ended()).status == "completed"
    assert sorted(one.tool for one in rig.events(ToolCallStarted)) == ["edit_file", "write_file"]
    assert {one.outcome for one in rig.events(ToolCallFinished)} == {"ok"}
    whole(rig, session_id)


@pytest.mark.promise("guests-A30")
async def test_a_stop_withdraws_all_cards_and_ends_what_a_command_began_elsewhere(
    rig: Rig, guests: ScriptedGuests
) -> None:
    spawned = guests.folder / "spawned"
    child = ["sh", "-c", f"touch {spawned}; exec sleep 4321"]
    runs = {"ask": command(RUN, "t1"), "then": [{"spawn": child}, {"hold": True}]}
    cards = [{"ask": command(f"{RUN} {n}", f"c{n}")} for n in range(2)]
    session_id = await begin(rig, guests, {"both": [[runs], *([one] for one in cards)]}, {"hold": True})
    asked = [await rig.asked(number) for number in (1, 2, 3)]
    first = next(one for one in asked if one.request.arguments["command"] == RUN)
    await rig.answer(session_id, first, ONCE)
    await rig.until(lambda _: spawned.exists())
    await rig.engine.handle(Interrupt(session_id=session_id))
    assert (await rig.ended()).reason == "stop"
    assert guests.outcomes().count("cancelled") == 2
    assert sorted(one.outcome for one in rig.events(ToolCallFinished)) == ["cancelled", "cancelled", "interrupted"]
    below = psutil.Process(guests.started[0].process.pid).children(recursive=True)
    assert not [one for one in below if one.status() != psutil.STATUS_ZOMBIE and "4321" in one.cmdline()]
    whole(rig, session_id)


@pytest.mark.promise("guests-A38")
async def test_a_guest_whose_own_sandbox_does_not_start_in_ours_is_told_of(rig: Rig, guests: ScriptedGuests) -> None:
    """One agent ends its turn as if all were well while none of its commands ran."""
    failed = "bwrap: Creating new namespace failed: Operation not permitted"
    asks = [{"ask": command("cat app.py", f"t{n}"), "then": [done(f"t{n}", failed, "failed")]} for n in range(3)]
    session_id = await begin(rig, guests, *asks, {"hold": True})
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("failed", "guest_sandbox")
    assert "its own sandbox does not start inside Banksman's" in ended.detail
    whole(rig, session_id)
