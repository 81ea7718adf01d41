"""From sending a first message to the first request, with the lane's files written ahead and without:
`python -m tests.bench.bench_typing [--files 10000] [--runs 5] [--cache FOLDER]`.

One engine, whose chats each get a lane of their own; every second one is begun after `PrepareLane`, when the files are
there, as when a person typed for a while. Printed are the least and the median of each, the processor time from sending
to the request (engine and children), and how long and at what processor time the files were written ahead.
"""

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from desktop.domain.lanes.commands import PrepareLane
from tests.agent.rig import Rig, folders_below, git, write_settings
from tests.bench.bench_step import repository_of
from tests.bench.model_service import model_service, plan_of, served

FILES, RUNS = 10_000, 5


@dataclass(frozen=True)
class Begun:
    """A chat up to its first request: seconds and processor seconds; and the same of the files ahead."""

    took_s: float
    cpu_s: float
    ahead_s: float = 0.0
    ahead_cpu_s: float = 0.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Begin chats with and without files ahead.")
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        cache = (given.cache or Path(name)).absolute()
        cache.mkdir(parents=True, exist_ok=True)
        asyncio.run(_measured(repository_of(given.files, cache), Path(name), given.runs))


async def _measured(template: Path, folder: Path, runs: int) -> None:
    git(folder, "clone", "-q", str(template), str(folder / "shop"))
    with model_service(folder / "served") as url:
        folders = folders_below(folder / "home")
        write_settings(folders, url)
        rig = await Rig(folders).open(folder / "shop")
        await asyncio.sleep(2)
        await _begun(rig, folder / "served", 1, ahead=False)
        plain, ready = [], []
        for run in range(runs):
            plain.append(await _begun(rig, folder / "served", 2 * run + 2, ahead=False))
            ready.append(await _begun(rig, folder / "served", 2 * run + 3, ahead=True))
        await rig.engine.stop()
    for what, begun in (("without", plain), ("with files ahead", ready)):
        took, cpu = [one.took_s * 1000 for one in begun], [one.cpu_s for one in begun]
        print(f"{what}: least {min(took):.0f} ms, median {statistics.median(took):.0f} ms, CPU {min(cpu):.2f} s")
    ahead, cpu = [one.ahead_s for one in ready], [one.ahead_cpu_s for one in ready]
    print(f"ahead: least {min(ahead):.2f} s, CPU {min(cpu):.2f} s")


async def _begun(rig: Rig, log: Path, number: int, *, ahead: bool) -> Begun:
    """The chat of this number, to its end."""
    began, worked = time.monotonic(), _worked()
    lanes = rig.engine.parts.base.ground.lanes
    if ahead:
        await rig.engine.handle(PrepareLane())
        while lanes.spare is not None and lanes.spare.serves(""):
            await asyncio.sleep(0.01)
    ahead_s, ahead_cpu_s = time.monotonic() - began, _worked() - worked
    began, worked = time.monotonic(), _worked()
    await rig.new(plan_of([], number))
    while not log.exists() or len(served(log)) < number:
        await asyncio.sleep(0.002)
    cpu_s = _worked() - worked
    await rig.ended(number)
    return Begun(served(log)[number - 1].at - began, cpu_s, ahead_s, ahead_cpu_s)


def _worked() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    main()
