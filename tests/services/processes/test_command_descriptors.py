"""What commands hold in this program: nothing of one that has ended, whatever it left behind or however it was
stopped."""

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from desktop.domain.core.ids import new_session_id
from desktop.services.processes.session import Processes
from tests.services.processes.tier_sandbox import sandbox_in

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.timeout(120),  # forty processes one after the other
    pytest.mark.skipif(sys.platform != "linux", reason="the frames around commands are made for Linux"),
]
ROUNDS = 15  # one descriptor that is kept in one round is one too many in the end
STEPS = 40


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    (tmp_path / "lane").mkdir()
    return tmp_path / "lane"


@pytest_asyncio.fixture(params=["bwrap", "landlock", "none"])
async def processes(request: pytest.FixtureRequest, lane: Path) -> AsyncIterator[Processes]:
    sandbox = await sandbox_in(request.param)
    made = Processes(new_session_id(), os.environ, lane_root=lane, sandbox=sandbox)
    yield made
    await made.stop_all()


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def few_are_open(most: int) -> None:
    """Until no more descriptors are open than before."""
    async with asyncio.timeout(20):
        while descriptors() > most:
            await asyncio.sleep(0.05)


async def in_background(processes: Processes, lane: Path, command: str) -> None:
    shell = await processes.start_background(command, cwd=lane)
    completed = await processes.wait(shell, 20)
    assert completed is not None
    assert completed.ok


async def test_background_commands_that_leave_something_behind_hold_nothing_once_that_has_ended(
    processes: Processes, lane: Path
) -> None:
    await in_background(processes, lane, "true")
    before = descriptors()
    for _ in range(ROUNDS):
        await in_background(processes, lane, "setsid sleep 0.3 >/dev/null 2>&1 &")
    await few_are_open(before)


async def test_turns_hold_nothing_of_what_stood_ready_for_their_commands(processes: Processes, lane: Path) -> None:
    await in_background(processes, lane, "true")
    before = descriptors()
    for number in range(ROUNDS):
        processes.expect_commands()
        for _ in range(number % 3):
            await processes.run("true", cwd=lane, timeout_s=20, on_output=lambda tail, size: None)
        await processes.end_leftovers()
    await few_are_open(before)


async def test_a_command_that_is_cancelled_at_any_step_of_its_start_leaves_nothing(
    processes: Processes, lane: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await in_background(processes, lane, "true")
    before, children = descriptors(), {child.pid for child in psutil.Process().children()}
    with caplog.at_level(logging.WARNING, "asyncio"):
        for steps in range(STEPS):
            task = asyncio.create_task(processes.start_background("sleep 999", cwd=lane))
            for _ in range(steps):
                await asyncio.sleep(0.001 if steps % 2 else 0)
            task.cancel()
            (ended,) = await asyncio.gather(task, return_exceptions=True)
            if isinstance(ended, str):
                await processes.kill(ended)
        await processes.end_leftovers()
        await few_are_open(before)
    assert {child.pid for child in psutil.Process().children()} <= children
    assert [record.getMessage() for record in caplog.records] == []


async def test_nobody_takes_the_exit_status_of_a_command_from_who_waits_for_it(
    processes: Processes, lane: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "asyncio"):
        for _ in range(20):
            shell = await processes.start_background("setsid sleep 999 >/dev/null 2>&1 & sleep 999", cwd=lane)
            await processes.kill(shell)
    assert [record.getMessage() for record in caplog.records] == []
