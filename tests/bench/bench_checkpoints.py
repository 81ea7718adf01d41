"""How long checkpoints of a lane of 10,000 files take.  python -m tests.bench.bench_checkpoints [FILES]

Targets (sessions 17): the first 2 s, nothing changed 0.15 s, 20 files changed 0.4 s. The least of several runs.
One file changed may take no longer after a thousand checkpoints.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from desktop.services.files.lane_files import LaneFiles
from desktop.services.history.checkpoints import LaneCheckpoints
from tests.agent.rig import git

FILES = 10_000
RUNS = 5
MANY = 1_000


def lane_of(folder: Path, files: int) -> Path:
    """A repository with so many committed files of about 2 KiB in folders of 50."""
    folder.mkdir()
    git(folder, "init", "-q")
    for number in range(files):
        path = folder / f"pkg{number // 1000}/mod{number // 50}/file{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"VALUE = {number}\n" + "# a line of text that stands in every file\n" * 48)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all")
    return folder


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def one_changed(kept: LaneCheckpoints, lane: Path) -> float:
    """How long a checkpoint takes after one file changed."""
    (lane / "pkg0/mod0/file1.py").write_text(f"VALUE = {time.time_ns()}\n")
    return seconds(lambda: kept.take("call"))


def main(files: int) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        lane = lane_of(Path(folder) / "lane", files)
        time.sleep(2.1)
        opened = LaneFiles(lane)
        firsts = [LaneCheckpoints(opened, f"ln_{run:012}") for run in range(3)]
        first = min(seconds(lambda new=new: new.take("call")) for new in firsts)
        kept = LaneCheckpoints(opened, "ln_aaaaaaaaaaaa")
        kept.take("call")
        none = min(seconds(lambda: kept.take("call")) for _ in range(RUNS))
        some = []
        for run in range(RUNS):
            for number in range(0, 20):
                (lane / f"pkg0/mod{number}/file{number * 50}.py").write_text(f"VALUE = {run}\n")
            some.append(seconds(lambda: kept.take("call")))
        one = min(one_changed(kept, lane) for _ in range(RUNS))
        many = [one_changed(kept, lane) for _ in range(MANY)]
        back = seconds(lambda: kept.restore(kept.all()[-1]))
        untracked = Path(folder) / "untracked"
        untracked.mkdir()
        git(untracked, "init", "-q")
        for number in range(files):
            path = untracked / f"mod{number // 50}/file{number}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"# {number}\n" * 100)
        new = LaneCheckpoints(LaneFiles(untracked), "ln_bbbbbbbbbbbb")
        all_new = seconds(lambda: new.take("call"))
    print(f"{files:,} files: first {first:.2f} s · none changed {none:.3f} s · 20 changed {min(some):.3f} s")
    print(f"one changed {one:.4f} s · after {MANY:,} checkpoints {min(many[-RUNS:]):.4f} s")
    print(f"first with all content new {all_new:.2f} s · put 20 files back {back:.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else FILES)
