"""Copies on this computer: which kind works, for root and for an ordinary user, and that nothing of one stays."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.services.git.trees.listing import FILE, LaneTree, TreeEntry
from desktop.services.preview.copies import new_copy_folder, sweep_copies
from desktop.services.preview.look import MOST_ENTRIES, TooMuch, written_in, written_over
from desktop.services.preview.tiers import find_tier
from desktop.services.preview.trial import Trial, run_in_copy
from desktop.services.preview.whole_copy import copy_lane
from desktop.services.processes.sandbox.guard import BARE
from desktop.services.processes.sandbox.resource_watch import ResourceWatch
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions

ROOT = Path(__file__).resolve().parents[3]
OVERLAY = ROOT / "desktop/services/processes/sandbox/overlay.py"
NOBODY = 65534


@pytest.fixture
def everybodys() -> Iterator[Path]:
    """A folder that every user of this computer can enter."""
    made = Path(tempfile.mkdtemp(prefix="banksman-everybody-"))
    made.chmod(0o755)
    yield made
    subprocess.run(["chmod", "-R", "u+rwX", str(made)], check=False)
    shutil.rmtree(made, ignore_errors=True)


@pytest.mark.promise("memory-EP3")
@pytest.mark.asyncio
@pytest.mark.parametrize("kind", ["overlay", "copy"])
async def test_each_kind_is_found_by_a_real_try(tmp_path: Path, kind: str) -> None:
    sandbox = Sandbox(os.environ, SandboxOptions(hidden=(tmp_path,)))
    guard = await sandbox.ready()
    tiers = ("overlay",) if kind == "overlay" else ("copy",)
    tier = await find_tier(tmp_path / "copies", guard, sandbox.watch, os.environ, tiers)
    assert (tier.kind, tier.reason) == (kind, "")
    assert list((tmp_path / "copies").iterdir()) == []
    await sandbox.close()


@pytest.mark.asyncio
async def test_without_a_sandbox_there_is_no_copy(tmp_path: Path) -> None:
    tier = await find_tier(tmp_path / "copies", BARE, ResourceWatch(), os.environ)
    assert tier.kind is None
    assert "no sandbox" in tier.reason


@pytest.mark.asyncio
async def test_where_the_folder_for_copies_cannot_be_made_the_reason_is_told(tmp_path: Path) -> None:
    (tmp_path / "copies").write_text("a file")
    sandbox = Sandbox(os.environ, SandboxOptions(hidden=(tmp_path,)))
    tier = await find_tier(tmp_path / "copies", await sandbox.ready(), sandbox.watch, os.environ)
    assert tier.kind is None
    assert "nothing can be written" in tier.reason
    await sandbox.close()


@pytest.mark.asyncio
async def test_one_that_writes_too_much_is_ended(tmp_path: Path) -> None:
    lane = tmp_path / "lane"
    lane.mkdir()
    sandbox = Sandbox(os.environ, SandboxOptions(hidden=(tmp_path / "copies",)))
    guard, copy = await sandbox.ready(), new_copy_folder(tmp_path / "copies")
    command = "while :; do head -c 1000000 /dev/zero >> big; sleep 0.01; done"
    trial = Trial(command, lane, lane, os.environ, {}, 30.0, most_written=8 * 1024**2)
    ran = await run_in_copy(trial, "overlay", copy, guard, sandbox.watch, "try_1")
    assert (ran.completed.ending, ran.completed.limit) == ("stopped", "wrote more than 8 MiB")
    assert list(lane.iterdir()) == []
    copy.remove()
    await sandbox.close()


@pytest.mark.asyncio
async def test_a_stop_while_it_runs_leaves_no_process(tmp_path: Path) -> None:
    lane = tmp_path / "lane"
    lane.mkdir()
    sandbox = Sandbox(os.environ, SandboxOptions(hidden=(tmp_path / "copies",)))
    guard, copy = await sandbox.ready(), new_copy_folder(tmp_path / "copies")
    trial = Trial("echo x > begun; sleep 1009", lane, lane, os.environ, {}, 30.0)
    running = asyncio.create_task(run_in_copy(trial, "overlay", copy, guard, sandbox.watch, "try_1"))
    while not (copy.files / "begun").exists():
        await asyncio.sleep(0.02)
    running.cancel()
    await asyncio.wait({running})
    assert running.cancelled()
    left = subprocess.run(["pgrep", "-f", "sleep 1009"], capture_output=True, check=False)
    assert left.stdout == b""
    copy.remove()
    await sandbox.close()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="there is no setpriv")
@pytest.mark.parametrize("sandboxed", [False, True])
def test_an_ordinary_user_can_lay_a_copy_over_a_folder_and_stays_themselves(everybodys: Path, sandboxed: bool) -> None:
    program = shutil.copy(OVERLAY, everybodys / "overlay.py")
    place = everybodys / "a,b:c"
    for name in ("lane", "upper", "work"):
        (place / name).mkdir(parents=True)
        os.chown(place / name, NOBODY, NOBODY)
    (place / "lane" / "kept").write_text("kept")
    os.chown(place / "lane" / "kept", NOBODY, NOBODY)
    become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    named = [f"{name}={place / name}" for name in ("lane", "upper", "work")]
    command = ["/bin/sh", "-c", "id -u; pwd; rm kept; echo new > made; ls"]
    if sandboxed:
        lane, wrap = str(place / "lane"), shutil.which("bwrap")
        if wrap is None:
            pytest.skip("there is no bubblewrap")
        alone = ["--unshare-user", "--disable-userns", "--unshare-net", "--ro-bind", "/", "/"]
        command = [wrap, *alone, "--bind", lane, lane, "--chdir", lane, "--", *command]
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin") or sys.executable
    done = subprocess.run(
        [*become, python, "-I", "-S", program, *named, "--", *command],
        cwd=place / "lane",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.split(), done.stderr) == ([str(NOBODY), str(place / "lane"), "made"], "")
    assert [path.name for path in (place / "lane").iterdir()] == ["kept"]
    assert {(one.path, one.kind) for one in written_over(place / "upper", place / "lane")} == {
        ("kept", "gone"),
        ("made", "file"),
    }


def test_what_cannot_be_mounted_runs_nothing(tmp_path: Path) -> None:
    named = [f"lane={tmp_path / 'none'}", f"upper={tmp_path}", f"work={tmp_path}"]
    command = [sys.executable, "-I", "-S", str(OVERLAY), *named, "--", "/bin/touch", str(tmp_path / "ran")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr[:26]) == (125, "banksman-overlay failed: [")
    assert not (tmp_path / "ran").exists()


@pytest.mark.promise("memory-EP9")
def test_what_a_killed_process_left_is_taken_away_whatever_its_permissions(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    left = tmp_path / f"banksman-passing-pid{int(ended.stdout)}-x"
    (left / "files" / "closed").mkdir(parents=True)
    (left / "files" / "closed" / "file").touch()
    (left / "files" / "closed").chmod(0)
    ours = new_copy_folder(tmp_path)
    sweep_copies(tmp_path)
    assert list(tmp_path.iterdir()) == [ours.root]
    assert ours.root.stat().st_mode & 0o777 == 0o700
    ours.remove()
    assert list(tmp_path.iterdir()) == []


def test_more_than_is_looked_at_is_said(tmp_path: Path) -> None:
    upper, lane = tmp_path / "upper", tmp_path / "lane"
    upper.mkdir()
    lane.mkdir()
    for number in range(MOST_ENTRIES + 1):
        (upper / str(number)).touch()
    with pytest.raises(TooMuch, match="more than 20,000 files"):
        written_over(upper, lane)


def test_where_nothing_can_be_laid_over_a_lane_a_whole_copy_of_it_serves(tmp_path: Path) -> None:
    """The folder for copies can do it, and the file system of this lane cannot."""
    program = Path(__file__).with_name("stacked_lane.py")
    own = ["unshare", "-m", "mount", "--make-rprivate", "/"]
    if shutil.which("unshare") is None or subprocess.run(own, capture_output=True, check=False).returncode:
        pytest.skip("no mounts of one's own here")
    done = subprocess.run(
        ["unshare", "-m", sys.executable, str(program), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if "found overlay" not in done.stdout:
        pytest.skip(f"no overlays here: {done.stdout} {done.stderr[-300:]}")
    assert done.stdout.splitlines()[1:] == [
        "ran in copy exited 0",
        "[('kept', 'file'), ('made', 'file')]",
        "['kept'] kept",
        "left 0",
    ], done.stderr


def test_a_whole_copy_is_the_same_with_its_times_and_links(tmp_path: Path) -> None:
    lane, folder = tmp_path / "lane", tmp_path / "copy"
    (lane / "a" / "b").mkdir(parents=True)
    folder.mkdir()
    (lane / "a" / "b" / "run.sh").write_text("echo")
    (lane / "a" / "b" / "run.sh").chmod(0o751)
    (lane / "large").write_bytes(os.urandom(300_000) + bytes(9_000_000))
    (lane / "empty").touch()
    (lane / "link").symlink_to("a/b")
    os.utime(lane / "empty", ns=(1_000_000_007, 2_000_000_009))
    paths = ("a/b/run.sh", "large", "empty", "link")
    known = copy_lane(lane, LaneTree({path: TreeEntry(FILE, "") for path in paths}), folder)
    assert known.keys() == set(paths)
    for path in paths[:3]:
        one, other = (lane / path).lstat(), (folder / path).lstat()
        assert (one.st_mode, one.st_mtime_ns) == (other.st_mode, other.st_mtime_ns)
        assert (lane / path).read_bytes() == (folder / path).read_bytes()
    assert (folder / "link").readlink() == Path("a/b")
    assert written_in(folder, known) == []
