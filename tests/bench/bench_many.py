"""Many chats of one engine at once: `python -m tests.bench.bench_many [CHATS] [STEPS]`.

Each chat has a lane of its own and works in full auto on shell calls that make files. Prints the steps of all chats
together in a second, counted from the first turn's begin to the last turn's end, while later lanes are still made; the
stalls of the engine's loop with the stacks of the longest, and the resident memory. Then the same again for a second
turn of every chat, whose lane is there.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from desktop.agent.options import EngineOptions
from desktop.domain.commands import SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Envelope, ToolCallFinished, TurnEnded, TurnStarted
from tests.agent.rig import Rig, events, folders_below, make_repository, write_settings
from tests.bench.model_service import model_service, plan_of
from tests.bench.stalls import Stalls

T = TypeVar("T")
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
        new = [rig.new(task_of(steps), PermissionMode.FULL_AUTO) for _ in range(chats)]
        ids = await _measured(rig, chats * steps, new)
        rig.updates.clear()
        print("-- a second turn of each")
        again = [rig.engine.handle(SendMessage(session_id=one, text=task_of(steps))) for one in ids]
        await _measured(rig, chats * steps, again)
        await rig.engine.stop()


async def _measured(rig: Rig, steps: int, begin: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    began, cpu = time.perf_counter(), sum(os.times()[:4])
    with Stalls() as stalls:
        begun = await asyncio.gather(*begin)
        begun_s = time.perf_counter() - began
        await rig.until(lambda updates: _ended(updates) >= len(begun) or None, TIME_LIMIT_S)
    _tell(rig, steps, sum(os.times()[:4]) - cpu, begun_s)
    print(stalls.told())
    print(stalls.causes())
    return begun


def task_of(steps: int) -> str:
    """A task of so many shell calls, each of which makes a file."""
    return plan_of([("bash", {"command": f"touch made-{number}"}) for number in range(steps)])


def _ended(updates: Sequence[object]) -> int:
    return sum(isinstance(one, Envelope) and one.kind == "turn_ended" for one in updates)


def _tell(rig: Rig, steps: int, cpu_s: float, begun_s: float) -> None:
    done = [e for e in events(rig.updates) if isinstance(e, ToolCallFinished) and e.outcome == "ok"]
    assert len(done) == steps, f"{len(done)} of {steps} calls succeeded"
    at = [u.at for u in rig.updates if isinstance(u, Envelope) and isinstance(u.event, TurnStarted | TurnEnded)]
    taken_s = (max(at) - min(at)).total_seconds()
    print(f"{steps / taken_s:.1f} steps/s ({steps} in {taken_s:.1f} s), all begun after {begun_s:.1f} s")
    print(f"processor time, children included: {cpu_s * 1000 / steps:.0f} ms a step; {rss_mib():.0f} MiB resident")


def rss_mib() -> float:
    """The resident memory of this process now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024**2


if __name__ == "__main__":
    asyncio.run(main())
