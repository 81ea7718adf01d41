"""Many chats of one engine at once: `python -m tests.bench.bench_many [CHATS] [STEPS]`.

Each chat has a lane of its own and works in full auto on shell calls that make files. Prints the steps of all chats
together in a second, counted from the first turn's begin to the last turn's end, the stalls of the engine's loop with
the stacks of the longest, and the resident memory.
"""

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

from desktop.agent.options import EngineOptions
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Envelope, ToolCallFinished, TurnEnded, TurnStarted
from tests.agent.rig import Rig, events, folders_below, make_repository, write_settings
from tests.bench.model_service import model_service, plan_of
from tests.bench.stalls import Stalls

CHATS = 16
STEPS = 10
TIME_LIMIT_S = 600.0


async def main() -> None:
    """Measure and print."""
    chats, steps = ([int(word) for word in sys.argv[1:]] + [CHATS, STEPS][len(sys.argv) - 1 :])[:2]
    with tempfile.TemporaryDirectory() as folder, model_service(Path(folder) / "served") as url:
        folders = folders_below(Path(folder) / "home")
        write_settings(folders, url, turns_at_once=16)
        rig = await Rig(folders, EngineOptions()).open(make_repository(Path(folder) / "shop"))
        began, cpu = time.perf_counter(), sum(os.times()[:4])
        with Stalls() as stalls:
            one = [rig.new(task_of(steps), PermissionMode.FULL_AUTO) for _ in range(chats)]
            await asyncio.gather(*one)
            made_s = time.perf_counter() - began
            await rig.until(lambda updates: _ended(updates) >= chats or None, TIME_LIMIT_S)
        cpu = sum(os.times()[:4]) - cpu
        _tell(rig, chats * steps, cpu, made_s)
        print(stalls.told())
        print(stalls.causes())
        await rig.engine.stop()


def task_of(steps: int) -> str:
    """A task of so many shell calls, each of which makes a file."""
    return plan_of([("bash", {"command": f"touch made-{number}"}) for number in range(steps)])


def _ended(updates: list[object]) -> int:
    return sum(isinstance(one, Envelope) and one.kind == "turn_ended" for one in updates)


def _tell(rig: Rig, steps: int, cpu_s: float, made_s: float) -> None:
    done = [e for e in events(rig.updates) if isinstance(e, ToolCallFinished) and e.outcome == "ok"]
    assert len(done) == steps, f"{len(done)} of {steps} calls succeeded"
    at = [u.at for u in rig.updates if isinstance(u, Envelope) and isinstance(u.event, TurnStarted | TurnEnded)]
    taken_s = (max(at) - min(at)).total_seconds()
    print(f"{steps / taken_s:.1f} steps/s ({steps} in {taken_s:.1f} s), all lanes made after {made_s:.1f} s")
    print(f"processor time, children included: {cpu_s * 1000 / steps:.0f} ms a step; {rss_mib():.0f} MiB resident")


def rss_mib() -> float:
    """The resident memory of this process now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024**2


if __name__ == "__main__":
    asyncio.run(main())
