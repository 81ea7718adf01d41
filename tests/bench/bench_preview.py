"""How long a copy of a lane takes that a command is tried in.  python -m tests.bench.bench_preview [FILES…]

Target (memory 14): the copy of a lane of 10,000 files in 0.15 s where it can be laid over. Told apart: the copy with a
command that does nothing in it, the same without a copy, what is looked at afterwards when five files changed, and a
whole copy of at most 5,000 files. The median of several runs.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from desktop.domain.core.ids import new_id
from desktop.domain.preview.effect import CopyTier
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.trees.listing import LaneTree
from desktop.services.history.checkpoints import LaneCheckpoints
from desktop.services.preview.effects import difference
from desktop.services.preview.tiers import begin_copy, find_tier
from desktop.services.preview.trial import Trial, run_in_copy
from desktop.services.preview.whole_copy import MOST_FILES
from desktop.services.processes.output import CommandOutput
from desktop.services.processes.running import RunningCommand
from desktop.services.processes.sandbox.frame import shell_argv
from desktop.services.processes.sandbox.guard import Guard
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from tests.bench.bench_checkpoints import lane_of

RUNS = 9
NOTHING = "true"
FIVE = "for n in 1 2 3; do echo x >> pkg0/mod0/file$n.py; done; rm pkg0/mod1/file50.py; echo new > made.txt"


class Bench:
    """One lane and where its copies go."""

    def __init__(self, lane: Path, parent: Path, guard: Guard, sandbox: Sandbox) -> None:
        self.files = LaneFiles(lane)
        self.kept = LaneCheckpoints(self.files, "ln_1")
        self._parent, self._guard, self._sandbox = parent, guard, sandbox

    async def copied(self, command: str, tier: CopyTier, tree: LaneTree) -> None:
        """Make a copy, run the command in it, look at what it wrote, remove it."""
        root = self.files.root
        copying = await asyncio.to_thread(begin_copy, tier, self._parent, root, tree)
        try:
            trial = Trial(command, root, root, os.environ, {}, 60.0)
            ran = await run_in_copy(trial, tier, copying.folder, self._guard, self._sandbox.watch, new_id("try_"))
            assert ran.completed.ok, ran.completed.output.head()
            if command != NOTHING:
                found = await asyncio.to_thread(lambda: difference(self.kept, self.files, copying.written(root)))
                assert len(found.effect.files) == 5
        finally:
            await asyncio.to_thread(copying.folder.remove)

    async def alone(self, temp: Path) -> None:
        """The same start in the sandbox without a copy."""
        root, env = self.files.root, {**os.environ, "TMPDIR": str(temp)}
        tools = self._guard.tools(env["PATH"])
        profile = self._guard.profile_for(root, temp=temp, tools=tools)
        setting = self._guard.setting(bash="/bin/bash", cwd=root, env=env, profile=profile)
        launch, output = setting.launch(shell_argv("/bin/bash", NOTHING)), CommandOutput(temp / "output")
        running = await RunningCommand.start(NOTHING, launch, cwd=root, call_mark=new_id("b_"), output=output)
        await running.finish(60.0)
        await running.end()


async def median_ms(work: Callable[[], Awaitable[None]]) -> float:
    """Milliseconds that it takes."""
    taken = []
    for _ in range(RUNS):
        began = time.perf_counter()
        await work()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


async def measure(folder: Path, count: int, sandbox: Sandbox) -> None:
    """Print the figures of a lane of so many files."""
    lane = await asyncio.to_thread(lane_of, folder / f"lane{count}", count)
    guard, parent, temp = await sandbox.ready(), folder / "copies", folder / "temp"
    temp.mkdir(exist_ok=True)
    tier = await find_tier(parent, guard, sandbox.watch, os.environ)
    bench = Bench(lane, parent, guard, sandbox)
    await asyncio.sleep(2.1)  # files that changed just now are read each time
    tree, _ = await asyncio.to_thread(bench.kept.look_now)
    alone = await median_ms(lambda: bench.alone(temp))
    over = await median_ms(lambda: bench.copied(NOTHING, "overlay", tree))
    five = await median_ms(lambda: bench.copied(FIVE, "overlay", tree))
    print(f"{count:,} files, {guard.tier} with {tier.kind}: sandbox alone {alone:.0f} ms · over the lane {over:.0f} ms")
    print(f"  five files changed, with the difference {five:.0f} ms")
    if count <= MOST_FILES:
        print(f"  a whole copy {await median_ms(lambda: bench.copied(NOTHING, 'copy', tree)):.0f} ms")


async def main(counts: list[int]) -> None:
    """Print the figures of lanes of so many files."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        sandbox = Sandbox(os.environ, SandboxOptions(hidden=(folder / "copies",)))
        for count in counts:
            await measure(folder, count, sandbox)
        await sandbox.close()


if __name__ == "__main__":
    asyncio.run(main([int(word) for word in sys.argv[1:]] or [5_000, 10_000, 50_000]))
