"""What a guest tells very often is recorded and told now and again, and its last is what stands."""

import pytest

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work_events import TodosChanged
from desktop.domain.guests.updates import GuestChanged
from tests.agent.guest_rig import ScriptedGuests
from tests.agent.rig import Rig
from tests.agent.wholeness import whole

pytestmark = [pytest.mark.asyncio, pytest.mark.promise("guests-A8")]
TIMES, FEW = 2_000, 100


async def flooded(rig: Rig, guests: ScriptedGuests, update: dict) -> str:
    guests.prompts = [[{"flood": update, "times": TIMES}, {"say": "That was all."}]]
    session_id = await rig.new("Do it", PermissionMode.EDIT, driver="fake", without_sandbox=True)
    assert (await rig.ended()).status == "completed"
    return session_id


async def test_todos_that_change_very_often_are_recorded_now_and_again(rig: Rig, guests: ScriptedGuests) -> None:
    entries = [{"content": "step #", "status": "pending"}]
    session_id = await flooded(rig, guests, {"sessionUpdate": "plan", "entries": entries})
    changed = rig.events(TodosChanged)
    assert len(changed) < FEW
    assert [one.content for one in changed[-1].todos] == [f"step {TIMES - 1}"]
    whole(rig, session_id)


async def test_commands_that_change_very_often_are_told_now_and_again(rig: Rig, guests: ScriptedGuests) -> None:
    commands = [{"name": "do-#", "description": "It does something."}]
    told = {"sessionUpdate": "available_commands_update", "availableCommands": commands}
    session_id = await flooded(rig, guests, told)

    def last(updates: list) -> GuestChanged | None:
        found = [one for one in updates if isinstance(one, GuestChanged) and one.commands]
        return found[-1] if found and found[-1].commands[0].name == f"do-{TIMES - 1}" else None

    await rig.until(last)
    assert len([one for one in rig.updates if isinstance(one, GuestChanged)]) < FEW
    whole(rig, session_id)
