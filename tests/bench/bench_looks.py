"""What a command costs in a large lane beside running: checkpoint, both looks, the id of the files, protected places.
python -m tests.bench.bench_looks [FILES …]

Targets: 45 ms at 10,000 files, 200 ms at 50,000. The least of several commands, each of which makes a file.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

from desktop.services.files.lane_files import LaneFiles
from desktop.services.gate.lane_sight import LaneSight
from desktop.services.history.checkpoints import LaneCheckpoints
from desktop.services.history.tree_id import lane_tree_id
from tests.bench.bench_checkpoints import lane_of

FILES = (10_000, 50_000)
RUNS = 12


def cpu_s() -> tuple[float, float]:
    """The seconds of processor time of this process and of its children so far."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime


def main(files: int) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        lane = lane_of(Path(folder) / "lane", files)
        time.sleep(2.1)
        opened = LaneFiles(lane)
        kept = LaneCheckpoints(opened, "ln_aaaaaaaaaaaa")
        sight = LaneSight(opened, kept.view)
        walls, own, children = [], [], []
        for run in range(RUNS):
            began, before = time.monotonic(), cpu_s()
            kept.take("call")
            guarded = sight.now(began, None, None).guarded
            (lane / "pkg0" / f"new{run}.py").write_text(f"VALUE = {run}\n")
            ended = time.monotonic()
            lane_tree_id(kept)
            sight.now(ended, guarded, Path(folder) / "aside")
            walls.append(time.monotonic() - began)
            after = cpu_s()
            own.append(after[0] - before[0])
            children.append(after[1] - before[1])
    figures = f"{min(walls) * 1000:.1f} ms, CPU {min(own) * 1000:.1f} ms and {min(children) * 1000:.1f} ms of children"
    print(f"{files:,} files: {figures}; the first command {walls[0] * 1000:.0f} ms")


if __name__ == "__main__":
    for count in map(int, sys.argv[1:]) if len(sys.argv) > 1 else FILES:
        main(count)
