"""While commands are expected a frame stands ready for the next one; it is used when it fits, and none is left."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from desktop.domain.core.ids import new_session_id
from desktop.services.processes.around import Around, Given, Place
from desktop.services.processes.running import Completed
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from desktop.services.processes.session import Processes
from tests.agent.rig import git, make_repository
from tests.services.processes.tier_sandbox import sandbox_in

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is a part of Linux"),
]
ROOT = Path(__file__).parents[3]
NAMESPACE = "readlink /proc/self/ns/mnt"
VICTIM = """\
import asyncio, os, sys
from pathlib import Path
from desktop.services.processes.session import Processes
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions

async def main(lane):
    sandbox = Sandbox(os.environ, SandboxOptions(tiers=("bwrap",)))
    await sandbox.probe()
    processes = Processes("ses_victim", os.environ, lane_root=lane, sandbox=sandbox)
    processes.expect_commands()
    await asyncio.sleep(60)

asyncio.run(main(Path(sys.argv[1])))
"""


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    repository = make_repository(tmp_path / "shop")
    git(repository, "worktree", "add", "-q", str(tmp_path / "lane"), "-b", "lane")
    return tmp_path / "lane"


@pytest_asyncio.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    made = await sandbox_in("bwrap")
    yield made
    await made.close()


@pytest_asyncio.fixture
async def processes(lane: Path, sandbox: Sandbox) -> AsyncIterator[Processes]:
    made = Processes(new_session_id(), os.environ, lane_root=lane, sandbox=sandbox)
    yield made
    await made.stop_all()


async def run(processes: Processes, command: str, lane: Path, **options: object) -> Completed:
    return await processes.run(command, cwd=lane, timeout_s=20, on_output=lambda tail, size: None, **options)


def frames(program: int | None = None) -> list[psutil.Process]:
    """The frames that were started by this program, or by another one."""
    return [one for one in psutil.Process(program).children() if _is_bwrap(one)]


def _is_bwrap(process: psutil.Process) -> bool:
    try:
        return "bwrap" in process.name()
    except psutil.NoSuchProcess:
        return False


def _inside(frame: psutil.Process) -> list[psutil.Process]:
    try:
        return frame.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


async def all_are_gone() -> None:
    while frames():
        await asyncio.sleep(0.01)


async def standing(program: int | None = None) -> str:
    """The namespace of the one frame that waits for its command."""
    while True:
        for frame in frames(program):
            inside = _inside(frame)
            if len(inside) == 3:  # its first process, the frame's shell and the one that waits
                return str(Path(f"/proc/{inside[0].pid}/ns/mnt").readlink())
        await asyncio.sleep(0.02)


async def test_a_command_runs_in_the_frame_that_stands_ready_and_each_in_its_own(
    processes: Processes, lane: Path
) -> None:
    processes.expect_commands()
    look = f"{NAMESPACE}; echo x >> /tmp/x; cat /tmp/x"
    for _ in range(3):
        ready = await standing()
        assert (await run(processes, look, lane)).output.head().split() == [ready, "x"]
    ready = await standing()
    completed = await processes.wait(await processes.start_background(look, cwd=lane), 20)
    assert completed is not None
    assert completed.output.head().split() == [ready, "x"]


async def test_none_stands_ready_unless_commands_are_expected(processes: Processes, lane: Path) -> None:
    assert (await run(processes, "true", lane)).ok
    await all_are_gone()
    processes.expect_commands()
    await standing()
    assert len(frames()) == 1
    assert await processes.end_leftovers() == 0
    assert frames() == []
    await run(processes, "true", lane)
    await all_are_gone()


async def test_nothing_is_probed_for_the_sake_of_a_frame_alone(lane: Path) -> None:
    sandbox = Sandbox(os.environ, SandboxOptions(tiers=("bwrap",)))
    processes = Processes(new_session_id(), os.environ, lane_root=lane, sandbox=sandbox)
    processes.expect_commands()
    await processes.end_leftovers()
    assert sandbox.report is None


@pytest.mark.parametrize("pauses", range(0, 40, 3))
async def test_none_is_left_whenever_the_turn_ends(processes: Processes, pauses: int) -> None:
    processes.expect_commands()
    for _ in range(pauses):
        await asyncio.sleep(0.001)
    await processes.end_leftovers()
    assert frames() == []


async def test_none_outlives_a_killed_program(lane: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    program = await asyncio.create_subprocess_exec(sys.executable, "-c", VICTIM, str(lane), env=environment, cwd=ROOT)
    await standing(program.pid)
    (frame,) = frames(program.pid)
    inside = [frame, *frame.children(recursive=True)]
    program.send_signal(signal.SIGKILL)
    await program.wait()
    while any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in inside):
        await asyncio.sleep(0.02)


@pytest.mark.promise("gate-B2")
async def test_a_pointer_to_git_that_was_replaced_under_a_waiting_frame_cannot_be_written(
    processes: Processes, lane: Path
) -> None:
    await run(processes, "true", lane)
    processes.expect_commands()
    await standing()
    (lane / "new").write_bytes((lane / ".git").read_bytes())
    (lane / "new").rename(lane / ".git")
    assert not (await run(processes, "echo gitdir: /tmp > .git", lane)).ok
    assert (lane / ".git").read_text() != "gitdir: /tmp\n"


@pytest.mark.promise("gate-B2")
async def test_a_frame_that_was_made_while_a_command_ran_shows_nothing_that_was_replaced_meanwhile(
    processes: Processes, lane: Path
) -> None:
    (lane / "sub").mkdir()
    processes.expect_commands()
    await standing()
    call = processes.run(
        "until [ -e ../go ]; do sleep 0.01; done", cwd=lane / "sub", timeout_s=20, on_output=lambda tail, size: None
    )
    waiting = asyncio.create_task(call)
    while sum(len(_inside(frame)) >= 3 for frame in frames()) < 2:
        await asyncio.sleep(0.02)
    (lane / "new").write_bytes((lane / ".git").read_bytes())
    (lane / "new").rename(lane / ".git")
    (lane / "sub").rename(lane / "old")
    (lane / "sub").mkdir()
    (lane / "go").touch()
    await waiting
    command = "touch here; echo gitdir: /tmp > ../.git"
    tried = await processes.run(command, cwd=lane / "sub", timeout_s=20, on_output=lambda tail, size: None)
    assert not tried.ok
    assert (lane / ".git").read_text() != "gitdir: /tmp\n"
    assert (lane / "sub" / "here").exists()
    assert not (lane / "old" / "here").exists()


async def test_git_s_folder_that_appears_before_the_first_command_is_guarded(sandbox: Sandbox, tmp_path: Path) -> None:
    lane = tmp_path / "lane"
    lane.mkdir()
    processes = Processes(new_session_id(), os.environ, lane_root=lane, sandbox=sandbox)
    processes.expect_commands()
    await standing()
    git(lane, "init", "-q")
    await run(processes, "touch .git/planted", lane)
    assert not (lane / ".git" / "planted").exists()
    await processes.stop_all()


async def test_what_came_while_the_last_command_ran_is_hidden_from_the_next(lane: Path, tmp_path: Path) -> None:
    tool = tmp_path / "home" / ".tool"
    (tool / "bin").mkdir(parents=True)
    (tool / "credentials").write_text("secret\n")
    env = {**os.environ, "HOME": str(tmp_path / "home"), "PATH": f"{tool / 'bin'}:{os.environ['PATH']}"}
    sandbox = Sandbox(env, SandboxOptions(tiers=("bwrap",)))
    if (await sandbox.probe()).tier != "bwrap":
        pytest.skip("bubblewrap does not work here")
    processes = Processes(new_session_id(), env, lane_root=lane, sandbox=sandbox)
    processes.expect_commands()
    await run(processes, f"cat {tool}/credentials", lane)
    (tool / "credentials").unlink()
    waiting = asyncio.create_task(run(processes, "touch begun; until [ -e go ]; do sleep 0.01; done", lane))
    while not (lane / "begun").exists():
        await asyncio.sleep(0.01)
    (tool / "credentials").write_text("secret\n")
    (lane / "go").touch()
    await waiting
    await standing()
    seen = (await run(processes, f"ls {tool}; cat {tool}/credentials", lane)).output.head()
    ready = await standing()
    used = (await run(processes, NAMESPACE, lane)).output.head().strip()
    await processes.stop_all()
    await sandbox.close()
    assert (seen.splitlines()[:2], used) == (["bin", "credentials"], ready)
    assert "secret" not in seen


async def test_a_frame_that_may_write_is_not_used_for_a_command_that_only_reads(
    processes: Processes, lane: Path
) -> None:
    processes.expect_commands()
    await standing()
    completed = await run(processes, "touch x; echo $GOTOOLCHAIN", lane, place=Place(reading=True))
    assert completed.output.head().splitlines()[-1] == "local"
    ready = await standing()
    completed = await run(processes, f"touch x; {NAMESPACE}", lane, place=Place(reading=True))
    assert completed.output.head().splitlines()[-1] == ready
    assert not (lane / "x").exists()


async def test_a_frame_without_the_network_is_not_used_for_a_command_that_has_it(
    processes: Processes, lane: Path
) -> None:
    processes.expect_commands()
    await standing()
    completed = await run(processes, "readlink /proc/self/ns/net", lane, place=Place(network=True))
    assert completed.output.head().strip() == str(Path("/proc/self/ns/net").readlink())
    await standing()
    completed = await run(processes, "readlink /proc/self/ns/net", lane)
    assert completed.output.head().strip() != str(Path("/proc/self/ns/net").readlink())


async def test_a_variable_that_changed_is_seen_by_the_next_command(sandbox: Sandbox, lane: Path) -> None:
    port = ["1"]
    around = Around(given=Given(lambda reading: {"PORT": port[0]}))
    processes = Processes(new_session_id(), os.environ, lane_root=lane, sandbox=sandbox, around=around)
    processes.expect_commands()
    await standing()
    port[0] = "2"
    assert (await run(processes, "echo $PORT", lane)).output.head() == "2\n"
    await processes.stop_all()


async def test_a_command_that_is_cancelled_while_its_frame_is_taken_leaves_nothing(
    processes: Processes, lane: Path
) -> None:
    for steps in range(0, 60, 5):
        processes.expect_commands()
        if steps % 2:
            await standing()
        call = asyncio.create_task(run(processes, "sleep 999", lane))
        for _ in range(steps):
            await asyncio.sleep(0.0005)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await processes.end_leftovers()
        assert frames() == []
