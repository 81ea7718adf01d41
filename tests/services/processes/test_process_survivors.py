"""Nothing that a command started outlives its stop, its time limit or the program itself, in any tier."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.domain.core.ids import new_session_id
from desktop.services.processes.output import CommandOutput
from desktop.services.processes.running import RunningCommand
from desktop.services.processes.sandbox.frame import FrameEnds, Launch
from desktop.services.processes.sandbox.profile import bare_profile
from desktop.services.processes.session import Processes
from tests.services.processes.tier_sandbox import sandbox_in

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(sys.platform != "linux", reason="the frames around commands are made for Linux"),
]
ROOT = Path(__file__).parents[3]
# A daemon beats in a file of the lane: it has left parent, session and environment.
BEAT = "while :; do echo . >> beat; sleep 0.05; done"
DAEMON = f"( setsid env -i /bin/bash -c '{BEAT}' >/dev/null 2>&1 & ) ; while [ ! -s beat ]; do sleep 0.05; done"
VICTIM = """\
import asyncio, os, sys
from pathlib import Path
from desktop.domain.core.ids import new_session_id
from desktop.services.processes.session import Processes
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions

async def main(tier, lane, command):
    sandbox = Sandbox(os.environ, SandboxOptions(tiers=(tier,) if tier != "none" else ()))
    processes = Processes(new_session_id(), os.environ, lane_root=lane, sandbox=sandbox)
    await processes.run(command, cwd=lane, timeout_s=60, on_output=lambda tail, size: None)

asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
"""


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    (tmp_path / "lane").mkdir()
    return tmp_path / "lane"


@pytest_asyncio.fixture(params=["bwrap", "bwrap ahead", "landlock", "none"])
async def processes(request: pytest.FixtureRequest, lane: Path) -> AsyncIterator[Processes]:
    tier, _, ahead = request.param.partition(" ")
    sandbox = await sandbox_in(tier)
    made = Processes(new_session_id(), os.environ, lane_root=lane, sandbox=sandbox)
    if ahead:
        made.expect_commands()
    yield made
    await made.stop_all()


async def beats(lane: Path) -> bool:
    """Whether the daemon still runs, once what is under way has had time to end."""
    beat, size = lane / "beat", -1
    for _ in range(40):
        if beat.exists() and beat.stat().st_size == size:
            return False
        size = beat.stat().st_size if beat.exists() else -1
        await asyncio.sleep(0.25)
    return True


async def has_begun(lane: Path) -> None:
    while not (lane / "beat").exists():
        await asyncio.sleep(0.02)


@pytest.mark.promise("gate-S23")
async def test_a_daemon_ends_with_the_time_limit(processes: Processes, lane: Path) -> None:
    completed = await processes.run(f"{DAEMON}; sleep 99", cwd=lane, timeout_s=2, on_output=lambda tail, size: None)
    assert (completed.ending, completed.survivors) == ("timed_out", ())
    assert not await beats(lane)


async def test_a_daemon_ends_with_an_interrupt(processes: Processes, lane: Path) -> None:
    call = asyncio.create_task(
        processes.run(f"{DAEMON}; sleep 99", cwd=lane, timeout_s=60, on_output=lambda tail, size: None)
    )
    await has_begun(lane)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert not await beats(lane)


async def test_a_daemon_that_was_left_ends_with_the_turn(processes: Processes, lane: Path) -> None:
    completed = await processes.run(DAEMON, cwd=lane, timeout_s=20, on_output=lambda tail, size: None)
    assert completed.exit_code == 0
    assert await processes.end_leftovers() == 1
    assert not await beats(lane)


@pytest.mark.parametrize("goes_on", [BEAT, "while :; do (sleep 1) & (sleep 1.1) & echo . >> beat; sleep 0.05; done"])
async def test_a_frame_whose_words_are_not_true_is_ended_with_what_it_left(lane: Path, goes_on: str) -> None:
    """A command may look into the shell of its frame and make that say what it likes, and start things without end."""
    ends = FrameEnds()
    words = f'printf "0 alone\\n" >&{ends.fds.control}; exec {ends.fds.output}>&-; {goes_on}'
    launch = Launch(("/bin/bash", "-c", words), dict(os.environ), bare_profile(lane, lane), ends)
    output = CommandOutput(lane.parent / "output")
    running = await RunningCommand.start("true", launch, cwd=lane, call_mark=new_session_id(), output=output)
    completed = await running.finish(20)
    assert (completed.ok, await running.has_left()) == (True, True)
    assert (await running.end())[1] == ()
    assert not await beats(lane)


async def test_a_daemon_ends_when_the_chat_is_closed(processes: Processes, lane: Path) -> None:
    await processes.start_background(DAEMON, cwd=lane)
    await has_begun(lane)
    await processes.stop_all()
    assert not await beats(lane)


async def test_a_command_that_ignores_the_polite_signal_and_forks_on_ends_too(processes: Processes, lane: Path) -> None:
    stubborn = f"trap '' TERM HUP INT; for i in 1 2 3; do ( {BEAT} ) & done; {BEAT}"
    completed = await processes.run(stubborn, cwd=lane, timeout_s=1, on_output=lambda tail, size: None)
    assert (completed.ending, completed.survivors) == ("timed_out", ())
    assert not await beats(lane)


@pytest.mark.parametrize("tier", ["bwrap", "landlock", "none"])
async def test_nothing_outlives_a_killed_program(tier: str, lane: Path) -> None:
    arguments = (sys.executable, "-c", VICTIM, tier, str(lane), f"{DAEMON}; sleep 99")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    program = await asyncio.create_subprocess_exec(*arguments, env=environment, cwd=ROOT)
    await has_begun(lane)
    program.send_signal(signal.SIGKILL)
    await program.wait()
    assert not await beats(lane)
