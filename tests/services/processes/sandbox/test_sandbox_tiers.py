"""Each tier against real escapes, and real commands in a lane inside it."""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.domain.core.ids import new_session_id
from desktop.domain.gate.sandbox import SandboxReport, SandboxTier
from desktop.services.processes.around import Place, SandboxLost
from desktop.services.processes.running import Completed
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from desktop.services.processes.session import Processes
from tests.agent.rig import git, make_repository
from tests.services.processes.tier_sandbox import sandbox_in

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap and Landlock are parts of Linux"),
]
# Opens every file of /proc for writing but those of processes, and names what it got.
KERNEL_LOOK = """\
import os
found, seen = [], 0
for top in sorted(os.listdir("/proc")):
    place = "/proc/" + top
    if top.isdigit() or os.path.islink(place):
        continue
    files = [place] if os.path.isfile(place) else []
    files += [os.path.join(folder, name) for folder, _, names in os.walk(place) for name in names]
    for file in files:
        seen += 1
        try:
            os.close(os.open(file, os.O_WRONLY))
            found.append(file)
        except OSError:
            pass
print("looked" if seen > 100 else "saw nothing")
print(found[:9])
"""
# A bwrap that does as it is told, but leaves /proc/sys as the new /proc has it.
CARELESS = """\
#!/bin/bash
words=()
while (( $# )); do
  if [[ $1 == --ro-bind && $2 == /proc/sys ]]; then shift 3; else words+=("$1"); shift; fi
done
exec {real} "${{words[@]}}"
"""
LANDLOCK_GAPS = {"write_git_file", "rename_over_git", "unix_socket"}


async def sandbox_of(tier: SandboxTier, **options: object) -> Sandbox:
    sandbox = Sandbox(os.environ, SandboxOptions(tiers=(tier,), **options))
    report = await sandbox.probe()
    if report.tier != tier:
        pytest.skip(f"{tier} does not work here: {report.reason}")
    return sandbox


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    repository = make_repository(tmp_path / "shop", {"app.py": "print('hello')\n"})
    git(repository, "worktree", "add", "-q", str(tmp_path / "lane"), "-b", "lane")
    return tmp_path / "lane"


@pytest_asyncio.fixture(params=["bwrap", "bwrap ahead", "landlock"])
async def guarded(request: pytest.FixtureRequest, lane: Path) -> AsyncIterator[Processes]:
    tier, _, ahead = request.param.partition(" ")
    sandbox = await sandbox_in(tier)
    processes = Processes(new_session_id(), os.environ, lane_root=lane, sandbox=sandbox)
    if ahead:
        processes.expect_commands()
    yield processes
    await processes.stop_all()


async def run(processes: Processes, command: str, lane: Path, **options: object) -> Completed:
    return await processes.run(command, cwd=lane, timeout_s=20, on_output=lambda tail, size: None, **options)


def outcomes(report: SandboxReport) -> dict[str, str]:
    return {probe.name: probe.outcome for probe in report.probes}


@pytest.mark.promise("gate-B2")
async def test_bubblewrap_stops_every_escape() -> None:
    sandbox = await sandbox_of("bwrap")
    report = sandbox.report
    assert report is not None
    assert set(outcomes(report).values()) == {"passed"}
    assert (report.level, report.gaps) == ("full", ())
    assert report.version.startswith("bubblewrap ")


@pytest.mark.promise("gate-B4")
async def test_landlock_stops_every_escape_but_the_known_ones_and_names_those() -> None:
    sandbox = await sandbox_of("landlock")
    report = sandbox.report
    assert report is not None
    open_ones = {name for name, outcome in outcomes(report).items() if outcome != "passed"}
    assert open_ones <= LANDLOCK_GAPS | {"abstract_socket", "signal_host"}
    assert report.level == "limited"
    assert len(report.gaps) == len(open_ones)


async def test_the_kernel_s_settings_cannot_be_written(guarded: Processes, lane: Path) -> None:
    (lane / "look.py").write_text(KERNEL_LOOK)
    completed = await run(guarded, "python3 look.py", lane)
    assert completed.output.head().splitlines() == ["looked", "[]"]


@pytest.mark.promise("gate-B4")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change the kernel's settings at all")
async def test_a_sandbox_that_leaves_the_kernel_s_settings_open_is_not_full(tmp_path: Path) -> None:
    await sandbox_of("bwrap")
    real = shutil.which("bwrap", path="/usr/local/bin:/usr/bin:/bin")
    careless = tmp_path / "bwrap"
    careless.write_text(CARELESS.format(real=real))
    careless.chmod(0o755)
    sandbox = await sandbox_of("bwrap", programs=str(tmp_path))
    assert sandbox.report is not None
    assert {name for name, outcome in outcomes(sandbox.report).items() if outcome != "passed"} == {"kernel_settings"}
    assert sandbox.report.level == "limited"
    assert "settings of the kernel" in sandbox.report.gaps[0]


async def test_the_probe_leaves_nothing_behind(tmp_path: Path) -> None:
    home, scratch = tmp_path / "home", tmp_path / "scratch"
    home.mkdir()
    scratch.mkdir()
    sandbox = Sandbox({**os.environ, "HOME": str(home)}, SandboxOptions(scratch=scratch))
    await sandbox.probe()
    assert list(home.iterdir()) == []
    assert list(scratch.iterdir()) == []


async def test_what_a_slow_machine_starts_late_is_tried_out_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "python"
    slow.write_text(f'#!/bin/bash\n[ "$3" = -c ] && sleep 1.2\nexec -a "$0" {sys.executable} "$@"\n')
    slow.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(slow))
    sandbox = await sandbox_of("bwrap")
    assert sandbox.report is not None
    assert outcomes(sandbox.report)["survivor"] == "passed"


async def test_where_nothing_works_the_report_says_why_and_commands_run_bare(lane: Path) -> None:
    sandbox = Sandbox(os.environ, SandboxOptions(tiers=("bwrap",), programs=str(lane)))
    processes = Processes(new_session_id(), os.environ, lane_root=lane, sandbox=sandbox)
    completed = await run(processes, "echo out > ../outside; exit 3", lane)
    report = sandbox.report
    assert report is not None
    assert (report.tier, report.level, report.reason) == ("none", "none", "bubblewrap is not installed.")
    assert (completed.exit_code, completed.blocked) == (3, "")
    assert (lane.parent / "outside").exists()
    await processes.stop_all()


async def test_a_bubblewrap_that_does_not_come_up_gives_its_own_words(tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 9 && exit\necho "bwrap: No permissions" >&2\nexit 1\n'
    )
    broken.chmod(0o755)
    sandbox = Sandbox(os.environ, SandboxOptions(tiers=("bwrap",), programs=str(tmp_path)))
    report = await sandbox.probe()
    assert (report.tier, report.reason) == ("none", "bubblewrap does not work here: No permissions.")


@pytest.mark.parametrize("ahead", [False, True])
async def test_a_sandbox_that_is_lost_later_runs_nothing_and_is_probed_anew(
    lane: Path, tmp_path: Path, ahead: bool
) -> None:
    await sandbox_of("bwrap")
    tools = tmp_path / "tools"
    tools.mkdir()
    shutil.copy2(shutil.which("bwrap", path="/usr/local/bin:/usr/bin:/bin") or "", tools / "bwrap")
    sandbox = Sandbox(os.environ, SandboxOptions(tiers=("bwrap",), programs=str(tools)))
    processes = Processes(new_session_id(), os.environ, lane_root=lane, sandbox=sandbox)
    if ahead:
        processes.expect_commands()
    assert (await run(processes, "true", lane)).ok
    (tools / "bwrap").unlink()
    with pytest.raises(SandboxLost, match="the command did not run"):
        await run(processes, "touch ran", lane)
    assert not (lane / "ran").exists()
    assert sandbox.report is None
    assert (await sandbox.probe()).level == "none"
    await processes.stop_all()


async def test_a_command_works_in_the_lane_and_its_temporary_folder(guarded: Processes, lane: Path) -> None:
    command = 'echo a > new.txt && mkdir d && mv new.txt d/ && echo b > "$TMPDIR/kept" && cat d/new.txt && pwd'
    completed = await run(guarded, command, lane)
    assert completed.output.head().splitlines() == ["a", str(lane)]
    assert (lane / "d" / "new.txt").read_text() == "a\n"
    assert (await run(guarded, 'cat "$TMPDIR/kept"', lane)).output.head() == "b\n"


async def test_programs_of_the_path_run_and_git_can_be_read(guarded: Processes, lane: Path) -> None:
    python = "python3 -c 'import json, sqlite3, subprocess; print(6 * 7)'"
    completed = await run(guarded, f"{python} && git status -sb && git log --format=%s", lane)
    assert completed.output.head().splitlines() == ["42", "## lane", "first"]
    (lane / "test_app.py").write_text("import unittest\nclass T(unittest.TestCase):\n  def test(self): pass\n")
    assert (await run(guarded, "python3 -m unittest -q", lane)).ok


@pytest.mark.promise("gate-B6")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("git commit -q --allow-empty -m x", "changing Git's own files"),
        ("git branch x", "changing Git's own files"),
        ("echo x > /usr/local/lib/x", "writing /usr/local/lib/x"),
        ("curl -sS --max-time 5 https://example.org", "the network"),
        ("exit 3", ""),
        ("cat missing", ""),
        ("echo x > /usr/local/lib/x || true", ""),
    ],
)
async def test_a_failure_says_what_was_blocked_where_that_can_be_told(
    guarded: Processes, lane: Path, command: str, said: str, request: pytest.FixtureRequest
) -> None:
    if command.startswith("curl") and shutil.which("curl") is None:
        pytest.skip("there is no curl here")
    if said.startswith("writing") and "landlock" in request.node.name and not os.access("/usr/local/lib", os.W_OK):
        pytest.skip("it is not Landlock that keeps this user from writing there")
    assert (await run(guarded, command, lane)).blocked == said


async def test_a_reading_command_cannot_write_the_lane(guarded: Processes, lane: Path) -> None:
    completed = await run(guarded, "touch x; cat app.py; echo $GOTOOLCHAIN", lane, place=Place(reading=True))
    assert "local" in completed.output.head()
    assert "print('hello')" in completed.output.head()
    assert not (lane / "x").exists()


@pytest.mark.parametrize("ahead", [False, True])
async def test_bubblewrap_bounds_processes_and_files(lane: Path, ahead: bool) -> None:
    sandbox = await sandbox_of("bwrap")
    processes = Processes(new_session_id(), os.environ, lane_root=lane, sandbox=sandbox)
    if ahead:
        processes.expect_commands()
    completed = await run(processes, "ulimit -c; ulimit -f; ulimit -n; ulimit -u", lane)
    core, size, files, count = map(int, completed.output.head().split())
    assert (core, size, count) == (0, 1024 * 1024, 512)
    assert files <= 4096
    await processes.stop_all()


@pytest.mark.promise("gate-B1")
async def test_the_home_folder_and_product_folders_are_empty_inside(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name in (".ssh/id_rsa", ".local/share/banksman/store/db", "work/other/app.py"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("mine")
    lane = home / ".local" / "share" / "banksman" / "lanes" / "l"
    lane.mkdir(parents=True)
    await sandbox_of("bwrap")
    options = SandboxOptions(tiers=("bwrap",), hidden=(home / ".local" / "share" / "banksman",))
    env = {**os.environ, "HOME": str(home)}
    processes = Processes(new_session_id(), env, lane_root=lane, sandbox=Sandbox(env, options))
    completed = await run(processes, "find ~ -type f; touch ~/fine made; ls", lane)
    assert completed.output.head().split() == ["made"]
    assert (lane / "made").exists()
    assert not (home / "fine").exists()
    await processes.stop_all()


async def test_two_probes_at_once_are_one() -> None:
    seen: list[SandboxReport] = []
    sandbox = Sandbox(os.environ, SandboxOptions(tiers=()))
    sandbox.reported.add(seen.append)
    first, second = await asyncio.gather(sandbox.probe(), sandbox.probe())
    assert first is second
    assert seen == [first]


async def test_a_long_home_folder_keeps_the_sandbox_and_its_every_probe(tmp_path: Path) -> None:
    await sandbox_of("bwrap")
    home = tmp_path / ("x" * 120)
    home.mkdir()
    sandbox = Sandbox({**os.environ, "HOME": str(home)}, SandboxOptions(tiers=("bwrap",), scratch=home))
    report = await sandbox.probe()
    assert (report.tier, report.level) == ("bwrap", "full")
    assert list(home.iterdir()) == []


async def test_what_was_allowed_in_the_sandbox_does_not_run_without_one(lane: Path) -> None:
    sandbox = Sandbox(os.environ, SandboxOptions(tiers=()))
    processes = Processes(new_session_id(), os.environ, lane_root=lane, sandbox=sandbox)
    with pytest.raises(SandboxLost, match="did not run"):
        await run(processes, "touch made", lane, place=Place(sandboxed=True))
    assert not (lane / "made").exists()
    await run(processes, "touch made", lane, place=Place())
    assert (lane / "made").exists()
    await processes.stop_all()
