"""Commands that want too much of the machine: processes, threads, memory, the disk. Every one is bounded by itself."""

import asyncio
import contextlib
import os
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.domain.core.ids import new_session_id
from desktop.services.processes.around import ALONE, Around, Given
from desktop.services.processes.running import Completed
from desktop.services.processes.sandbox import resource_watch
from desktop.services.processes.sandbox.limits import ProcessLimits, size_in_words, usual_limits
from desktop.services.processes.sandbox.resource_watch import Children, ResourceWatch, Watched
from desktop.services.processes.sandbox.sandbox import Sandbox
from desktop.services.processes.session import Processes
from tests.services.processes.tier_sandbox import sandbox_in

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(sys.platform != "linux", reason="what processes use is seen through /proc"),
]
MIB = 1024**2
FEW = ProcessLimits(memory=256 * MIB, processes=40, threads=80, private=8 * MIB, free_disk=0)
LINGER_S = 25 + os.getpid() / 10**8  # no two processes of a test run take each other's for their own
# Never more than it takes to pass the limits above, and gone by itself soon.
EATERS = {
    "processes": f"for i in $(seq 90); do sleep {LINGER_S} & done; wait",
    "threads": (
        f"python3 -c 'import threading, time\nfor _ in range(120): "
        f"threading.Thread(target=time.sleep, args=({LINGER_S},), daemon=True).start()\ntime.sleep({LINGER_S})'"
    ),
    "memory": f"python3 -c 'import time; x = bytearray(b\"x\") * {400 * MIB}; time.sleep({LINGER_S})'",
}
TOLD = {
    "processes": "used more than 40 processes",
    "threads": "used more than 80 threads",
    "memory": "used more than 256 MiB of memory",
}

Start = Callable[..., Awaitable[Processes]]


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    (tmp_path / "lane").mkdir()
    return tmp_path / "lane"


@pytest_asyncio.fixture(params=["bwrap", "bwrap ahead", "landlock", "none"])
async def start(request: pytest.FixtureRequest, lane: Path) -> AsyncIterator[Start]:
    """Makes the commands of a lane in one tier, with these limits."""
    tier, _, ahead = request.param.partition(" ")
    made: list[tuple[Processes, Sandbox]] = []

    async def begin(limits: ProcessLimits, around: Around = ALONE) -> Processes:
        sandbox = await sandbox_in(tier, limits)
        processes = Processes(new_session_id(), os.environ, lane_root=lane, sandbox=sandbox, around=around)
        made.append((processes, sandbox))
        if ahead:
            processes.expect_commands()
        return processes

    yield begin
    for processes, sandbox in made:
        await processes.stop_all()
        await sandbox.close()


async def run(processes: Processes, command: str, lane: Path) -> Completed:
    return await processes.run(command, cwd=lane, timeout_s=20, on_output=lambda tail, size: None)


def sleepers() -> list[str]:
    """What of the eaters still runs on this machine."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if folder.name.isdecimal() and words == f"sleep\0{LINGER_S}\0".encode():
            found.append(folder.name)
    return found


@pytest.mark.promise("gate-S21")
@pytest.mark.parametrize("what", EATERS)
async def test_a_command_that_takes_too_much_is_ended_whole_and_told_why(start: Start, lane: Path, what: str) -> None:
    completed = await run(await start(FEW), EATERS[what], lane)
    assert (completed.ending, completed.limit) == ("stopped", TOLD[what])
    assert completed.survivors == ()
    assert completed.duration_s < LINGER_S
    assert sleepers() == []


async def test_memory_that_processes_share_counts_once(start: Start, lane: Path) -> None:
    program = (
        "import os, time; x = bytearray(b'x') * (64 << 20)\n"
        "for _ in range(7):\n  if os.fork() == 0: time.sleep(1.2); os._exit(0)\n"
        "for _ in range(7): os.wait()\n"
    )
    (lane / "share.py").write_text(program)
    completed = await run(await start(FEW), "python3 share.py", lane)
    assert (completed.ok, completed.limit) == (True, "")


async def test_a_command_in_the_background_is_bounded_too(start: Start, lane: Path) -> None:
    processes = await start(FEW)
    shell = await processes.start_background(EATERS["processes"], cwd=lane)
    completed = await processes.wait(shell, 20)
    assert completed is not None
    assert completed.limit == TOLD["processes"]


async def test_what_a_command_left_running_is_bounded_and_that_is_told(start: Start, lane: Path) -> None:
    told = asyncio.Queue[str]()
    processes = await start(FEW, Around(given=Given(on_leftover_ended=told.put_nowait)))
    eater = f"(while [ ! -e go ]; do sleep 0.05; done; {EATERS['processes']}) >/dev/null 2>&1 &"
    completed = await run(processes, eater, lane)
    assert completed.ok
    (lane / "go").touch()
    assert await told.get() == "What a command left running was stopped: it used more than 40 processes."


async def test_a_command_that_fills_the_disk_is_stopped_while_some_is_left(start: Start, lane: Path) -> None:
    free = shutil.disk_usage(lane).free
    more = f"head -c {48 * MIB} /dev/zero > big$i; sync big$i; sleep 0.3"  # others may clear some of the disk meanwhile
    filler = f"for i in $(seq 20); do {more}; done; sleep {LINGER_S}"
    completed = await run(await start(ProcessLimits(memory=FEW.memory, free_disk=free - 48 * MIB)), filler, lane)
    assert completed.limit.startswith("left less than ")
    assert completed.limit.endswith(" of the disk free")
    full = await start(ProcessLimits(memory=FEW.memory, free_disk=2 * free))
    assert (await run(full, "sleep 0.6", lane)).ok


@pytest.mark.parametrize("folder", ["/tmp", "/var/tmp", "/dev/shm", "/run"])
@pytest.mark.parametrize("start", ["bwrap"], indirect=True)
async def test_the_folders_in_memory_hold_no_more_than_they_may(start: Start, lane: Path, folder: str) -> None:
    completed = await run(
        await start(FEW), f"head -c {32 * MIB} /dev/zero > {folder}/big; s=$?; wc -c {folder}/big; exit $s", lane
    )
    assert completed.exit_code == 1
    assert f"{8 * MIB} {folder}/big" in completed.output.head()
    assert completed.limit == "filled /tmp or another folder in memory, which holds 8 MiB"


@pytest.mark.parametrize("start", ["bwrap"], indirect=True)
async def test_what_lies_in_those_folders_counts_as_memory(start: Start, lane: Path) -> None:
    limits = ProcessLimits(memory=48 * MIB, private=32 * MIB)
    both = f"head -c {30 * MIB} /dev/zero > /tmp/a; head -c {30 * MIB} /dev/zero > /dev/shm/b; sleep {LINGER_S}"
    assert (await run(await start(limits), both, lane)).limit == "used more than 48 MiB of memory"
    assert "read-only" in (await run(await start(limits), "touch /dev/x", lane)).output.head().lower()


async def test_a_file_of_more_than_a_gibibyte_is_told(start: Start, lane: Path) -> None:
    completed = await run(await start(FEW), "truncate -s 2G big; s=$?; ls -s big; exit $s", lane)
    assert not completed.ok
    assert completed.limit == "wrote a file of more than 1 GiB"


async def test_the_usual_limits_fit_the_machine() -> None:
    usual = usual_limits()
    assert usual.memory > 0
    assert (usual.processes, usual.threads) == (512, 8192)
    assert [size_in_words(size) for size in (8 << 30, 3 << 29, 64 << 20, 192 << 30)] == [
        "8 GiB", "1.5 GiB", "64 MiB", "192 GiB",
    ]  # fmt: skip


async def test_what_began_since_the_last_look_is_found_where_nothing_else_is_read_anew() -> None:
    children = Children()
    children.below()
    for _ in range(3):
        begun = await asyncio.create_subprocess_exec("sleep", str(LINGER_S))
        try:
            assert begun.pid in children.below(anew=False)[os.getpid()]
        finally:
            begun.kill()
            await begun.wait()


async def test_what_waits_is_looked_at_ever_more_rarely_until_it_is_told_something(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in (("OFTEN", 2), ("LOOK_EVERY_S", 0.01), ("LATER_S", 0.05), ("LATEST_S", 3_600.0)):
        monkeypatch.setattr(resource_watch, name, value)
    watch, told, looks = ResourceWatch(FEW), asyncio.Queue[str](), list[float]()
    monkeypatch.setattr(watch, "_note_rest", lambda spent, note=watch._note_rest: (looks.append(spent), note(spent)))
    eater = f"input(); x = bytearray(b'x') * {400 * MIB}; input()"
    frame = ("bash", "-c", f'python3 -c "{eater}"; true')
    waits = await asyncio.create_subprocess_exec(*frame, stdin=asyncio.subprocess.PIPE)
    assert waits.stdin is not None
    watch.add(Watched(waits.pid, tmp_path, (), True, told.put_nowait, enough_disk=False))
    try:
        await asyncio.sleep(4)
        at_rest = len(looks)
        assert 3 < at_rest < 30, "each look after twice the time, not every 0.06 s"
        waits.stdin.write(b"go on\n")
        for _ in range(20):
            watch.rouse()
            if not told.empty():
                break
            await asyncio.sleep(0.1)
        assert told.get_nowait() == "used more than 256 MiB of memory"
    finally:
        await watch.close()
        with contextlib.suppress(ProcessLookupError):
            waits.kill()
        waits.stdin.close()  # which ends what it started
        await waits.wait()
