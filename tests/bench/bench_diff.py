"""How long the Changes tab waits for its listing and its diffs.  python -m tests.bench.bench_diff [FILES]

Targets: a diff of 20,000 changed lines is taken apart in 0.4 s on a thread; a diff of 300,000 lines is told to be large
without being taken apart; a listing of 300 changed files in a lane of 10,000 comes in 1 s. The least of several runs.
"""

import sys
import tempfile
from pathlib import Path

from desktop.domain.changes.values import DiffHunk
from desktop.services.changes.file_diff import Lines, diff_of, hunks_of, patch_of
from desktop.services.changes.lane import Listed, file_diff, listed_changes
from desktop.services.changes.scope import uncommitted_sides
from desktop.services.changes.sides import FileState
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import Git
from tests.bench.bench_checkpoints import lane_of, seconds

RUNS = 5


def state(data: bytes) -> FileState:
    """A regular file of these bytes."""
    return FileState("100644", len(data), data)


def long_diffs() -> None:
    """20,000 changed lines taken apart, 300,000 only counted."""
    old = b"".join(b"    value_%d = compute(%d)\n" % (number, number) for number in range(10_000))
    new = old.replace(b"compute", b"computed")
    patch = patch_of(old, new, Lines())

    def parse() -> tuple[DiffHunk, ...]:
        return hunks_of(patch)

    print(f"patch of {len(parse()[0].lines):,} changed lines: parsed {min(seconds(parse) for _ in range(RUNS)):.3f} s")
    whole = min(seconds(lambda: diff_of(state(old), state(new), "x", lines=Lines(anyway=True))) for _ in range(RUNS))
    print(f"the same with git: {whole:.3f} s")
    old = b"".join(b"line %d\n" % number for number in range(150_000))
    new = old.replace(b"line", b"row")
    large = min(seconds(lambda: diff_of(state(old), state(new), "x")) for _ in range(RUNS))
    print(f"300,000 changed lines, told to be large: {large:.3f} s")


def listings(folder: Path, files: int) -> None:
    """A lane with 150 changed and 150 new files."""
    lane = lane_of(folder / "lane", files)
    for number in range(150):
        (lane / f"pkg0/mod{number // 50}/file{number}.py").write_text("VALUE = -1\n")
        (lane / f"new{number}.py").write_text("new\n")
    opened = LaneFiles(lane)

    def listing() -> Listed:
        sides = uncommitted_sides(Git(lane))
        return listed_changes(opened, sides, {"uncommitted": sides})

    def diff() -> None:
        file_diff(opened, uncommitted_sides(Git(lane)), "pkg0/mod0/file0.py", "", Lines())

    found = listing().listing.count
    print(f"listing of {found} of {files:,} files: {min(seconds(listing) for _ in range(RUNS)):.3f} s")
    print(f"diff of one file: {min(seconds(diff) for _ in range(RUNS)):.3f} s")


def main(files: int) -> None:
    """Print the figures."""
    long_diffs()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # git may still pack what was committed
        listings(Path(folder), files)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
