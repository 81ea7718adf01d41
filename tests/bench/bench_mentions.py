"""What a key in an `@` mention costs in a large lane: the search of its files, the first reading, and one file more.
python -m tests.bench.bench_mentions [FILES …]

Target: 30 ms a key at 50,000 files, on a thread of the pool; the window's own thread only paints 24 rows.
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from desktop.agent.mentions.places import LaneNames
from tests.bench.bench_checkpoints import lane_of

FILES = (10_000, 50_000)
TYPED = ("p", "pk", "pkg", "pkg1", "mod", "m7", "g3/m1", "module77", "pm4", "77py", "xq", "kg/f.py")
RUNS = 5


async def main(files: int) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = str(lane_of(Path(place) / "lane", files))
        names = LaneNames(lambda _chat: "", lambda _lane: "")
        began = time.monotonic()
        await names.ready(folder)
        first = time.monotonic() - began
        costs: dict[str, float] = {}
        for typed in TYPED:
            for _ in range(RUNS):
                before = time.thread_time()
                names.files(folder, typed, 8)
                costs[typed] = min(costs.get(typed, 9.0), time.thread_time() - before)
        (Path(folder) / "newly made.py").write_text("x = 1\n")
        names.changed(folder)
        began = time.monotonic()
        await names.ready(folder)
        again = time.monotonic() - began
        worst = max(costs, key=lambda typed: costs[typed])
        figures = f"worst key {costs[worst] * 1000:.1f} ms ({worst!r}), usual {sorted(costs.values())[6] * 1000:.1f} ms"
        print(f"{files:,} files: {figures}; first reading {first * 1000:.0f} ms, one file more {again * 1000:.0f} ms")
        await names.close()


if __name__ == "__main__":
    for count in map(int, sys.argv[1:]) if len(sys.argv) > 1 else FILES:
        asyncio.run(main(count))
