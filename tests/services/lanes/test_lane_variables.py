"""What commands of a lane are told about it."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.domain.core.ids import new_session_id
from desktop.domain.lanes.lane import Lane
from desktop.services.processes.around import IN_LANE, Around, Given, Place
from desktop.services.processes.environment import lane_variables
from desktop.services.processes.session import Processes


def lane(**fields: object) -> Lane:
    made = datetime(2026, 3, 1, tzinfo=UTC)
    base = Lane(
        id="ln_a", project_id="p", name="fix login", branch="b", worktree_path="/l", device=1, inode=1, created_at=made
    )
    return base.model_copy(update=fields)


def test_a_lane_without_ports_is_named_and_nothing_overrides_its_name() -> None:
    assert lane_variables(lane(), {"A": "1", "BANKSMAN_LANE_ID": "other"}) == {
        "A": "1", "BANKSMAN_LANE": "fix login", "BANKSMAN_LANE_ID": "ln_a", "BANKSMAN_LANE_PATH": "/l",
    }  # fmt: skip


@pytest.mark.promise("lanes-L22")
def test_each_port_has_a_variable() -> None:
    told = lane_variables(lane(ports=20040, port_count=3), {"PORT": "80"})
    assert (told["PORT"], told["BANKSMAN_PORT_BASE"]) == ("20040", "20040")
    assert [told[f"BANKSMAN_PORT_{n}"] for n in range(3)] == ["20040", "20041", "20042"]
    assert "BANKSMAN_PORT_3" not in told


@pytest.mark.asyncio
async def test_commands_get_them_and_reading_ones_are_told_apart(tmp_path: Path) -> None:
    def variables(reading: bool) -> Mapping[str, str]:
        return lane_variables(lane(), {} if reading else {"MINE": "set"})

    processes = Processes(new_session_id(), os.environ, around=Around(given=Given(variables)))
    printed = []
    for place in (IN_LANE, Place(reading=True)):
        done = await processes.run(
            'echo "$BANKSMAN_LANE/$MINE"', cwd=tmp_path, timeout_s=20, on_output=lambda tail, size: None, place=place
        )
        printed.append(done.output.head())
    await processes.stop_all()
    assert printed == ["fix login/set\n", "fix login/\n"]
