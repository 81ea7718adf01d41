"""Changes of a lane, one by one, as commands make them, for tests that follow a lane from look to look."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st

NAMES = ("a", "b", "c.log", "dir", "in", "line\nfeed", os.fsdecode(b"raw\xff"), ":(top)x", "*", "-n")
PATTERNS = ("", "*.log\n", "dir/\n", "*\n!a\n!.gitignore\n", "/in/*\n!/in/a\n", "b\n", "\\*\n")
Step = tuple[int, int, int, int]
STEPS = st.lists(
    st.tuples(st.integers(0, 17), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), min_size=4, max_size=9
)


def run_git(folder: Path, *words: str) -> None:
    """Git does this, or fails at it."""
    options = ("-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "core.hooksPath=/dev/null")
    subprocess.run(["git", *options, *words], cwd=folder, capture_output=True, check=False, timeout=20)


def new_lane(folder: Path) -> Path:
    """A repository of a few files, some of them in folders, some ignored."""
    folder.mkdir()
    run_git(folder, "init", "-q", "-b", "main")
    for path in ("a", "b", "dir/a", "dir/in/b", "in/c.log", "in/deep/er/a"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)
    (folder / ".gitignore").write_text("*.log\n")
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-qm", "first")
    return folder


def settled(ns: int) -> None:
    """So long after the last change that a further one has other times."""
    end = time.time_ns() + ns
    while time.time_ns() <= end:
        time.sleep(ns / 10**9 / 4)


def do(lane: Path, step: Step) -> None:
    """One change of the lane; one that is not possible now is none."""
    what, first, second, third = step
    folders = [lane, *sorted(path for path in lane.rglob("*") if path.is_dir() and ".git" not in path.parts)]
    place = folders[second % len(folders)] / NAMES[first]
    other = folders[third % len(folders)] / NAMES[second]
    changes: tuple[Callable[[], object], ...] = (
        lambda: place.write_text("x" * third),
        lambda: place.write_text("y" * third),
        lambda: _same_times(place, "z"),
        lambda: place.mkdir(),
        lambda: place.unlink(),
        lambda: shutil.rmtree(place),
        lambda: place.rename(other),
        lambda: place.symlink_to(NAMES[third]),
        lambda: place.chmod(0o755 if third % 2 else 0o644),
        lambda: other.hardlink_to(place),
        lambda: (place.parent / ".gitignore").write_text(PATTERNS[third % len(PATTERNS)]),
        lambda: run_git(lane, "add", "-A"),
        lambda: run_git(lane, "add", "-f", "--", f":(literal){place.relative_to(lane)}"),
        lambda: run_git(lane, "rm", "-r", "-q", "--cached", "--", f":(literal){place.relative_to(lane)}"),
        lambda: (lane / ".git" / "info" / "exclude").write_text(PATTERNS[third % len(PATTERNS)]),
        lambda: _excluded_by_config(lane, PATTERNS[third % len(PATTERNS)]),
        lambda: run_git(place.parent, "init", "-q") if third > 7 and place.parent != lane else None,
        lambda: (place.parent / ".gitignore").unlink(),
    )
    try:
        changes[what]()
    except OSError:
        return


def _same_times(place: Path, text: str) -> None:
    times = place.stat()
    place.write_text(text * times.st_size)
    os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))


def _excluded_by_config(lane: Path, patterns: str) -> None:
    (lane.parent / "excludes").write_text(patterns)
    run_git(lane, "config", "core.excludesFile", str(lane.parent / "excludes"))
