"""What a chat costs as it grows: `python -m tests.bench.bench_growth [STEPS] [EVENTS] [--traced]`.

One chat in full auto, in turns of 100 shell calls: after each turn the time of its steps, and the resident memory; at
the end what stays once the chat rests, and the stalls of the loop with their stacks. With `--traced` the memory is
what Python's allocator holds, and who asked for it stands in place of the stalls, whose stacks take memory. Then a
stored chat of so many events (0: none): what its first message list costs, and the longest stall meanwhile.
"""

import asyncio
import contextlib
import gc
import itertools
import statistics
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

from desktop.agent.options import EngineOptions
from desktop.agent.providers.opened import read_aside
from desktop.collecting import give_back
from desktop.domain.commands import SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope
from desktop.store.database import open_store
from tests.agent.rig import Rig, folders_below, make_repository, write_settings
from tests.bench.bench_many import rss_mib, task_of
from tests.bench.bench_sessions import fill
from tests.bench.model_service import model_service
from tests.bench.stalls import Stalls

STEPS, EVENTS, TURN = 300, 100_000, 100
TIME_LIMIT_S = 600.0


async def main() -> None:
    """Measure and print."""
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    steps, stored = (numbers + [STEPS, EVENTS][len(numbers) :])[:2]
    traced = "--traced" in sys.argv
    with tempfile.TemporaryDirectory() as folder, model_service(Path(folder) / "served") as url:
        folders = folders_below(Path(folder) / "home")
        write_settings(folders, url)
        if stored:
            _store_long(folders.store, stored)
        rig = await Rig(folders, EngineOptions()).open(make_repository(Path(folder) / "shop"))
        if steps:
            await _grow(rig, steps, traced=traced)
        if stored:
            await _open_long(rig)
        await rig.engine.stop()


async def _grow(rig: Rig, steps: int, *, traced: bool) -> None:
    text = task_of(min(steps, TURN))
    stalls = Stalls()
    with contextlib.nullcontext() if traced else stalls:
        session_id = await rig.new(text, PermissionMode.FULL_AUTO)
        first = 0.0
        for done in range(TURN, steps + 1, TURN):
            if done > TURN:
                await rig.engine.handle(SendMessage(session_id=session_id, text=text))
            await rig.until(_turn_ended, TIME_LIMIT_S)
            times = _step_times(rig.updates)
            rig.updates.clear()
            if traced:
                gc.collect()
            now = tracemalloc.get_traced_memory()[0] / 1024**2 if traced else rss_mib()
            first = first or now
            grown = (now - first) * 1024 / (done - TURN) if done > TURN else 0.0
            taken = f"median {statistics.median(times):.1f} ms, min {min(times):.1f} ms"
            print(f"step {done}: {taken}; {now:.1f} MiB, {grown:.1f} KiB a step since {TURN}", flush=True)
            if traced and done == TURN:
                before = tracemalloc.take_snapshot()
    rig.engine.sessions.rest(0.0)
    give_back()
    print(f"at rest: {rss_mib():.1f} MiB resident")
    if traced:
        for line in tracemalloc.take_snapshot().compare_to(before, "lineno")[:25]:
            print(line)
    else:
        print(stalls.told())
        print(stalls.causes())


def _turn_ended(updates: list[Update]) -> bool | None:
    return any(isinstance(one, Envelope) and one.kind == "turn_ended" for one in updates) or None


def _step_times(updates: list[Update]) -> list[float]:
    at = [one.at.timestamp() for one in updates if isinstance(one, Envelope) and one.kind == "assistant_message"]
    return [(later - sooner) * 1000 for sooner, later in itertools.pairwise(at)]


def _store_long(folder: Path, events: int) -> None:
    store = open_store(folder)
    fill(store, "ses_long", events)
    store.close()


async def _open_long(rig: Rig) -> None:
    gc.collect()
    with Stalls() as stalls:
        await asyncio.sleep(0.1)
        began = time.perf_counter()
        await rig.engine.sessions.read_ahead("ses_long")
        session = rig.engine.sessions.get("ses_long")
        opened = time.perf_counter()
        await read_aside(session)
        messages = session.history.messages()
        first_s = time.perf_counter() - opened
        await asyncio.sleep(0.1)
    print(f"{len(session.log)} events: opened in {opened - began:.2f} s; {len(messages)} messages in {first_s:.2f} s")
    print(stalls.told())
    print(stalls.causes())


if __name__ == "__main__":
    if "--traced" in sys.argv:
        tracemalloc.start(1)
    asyncio.run(main())
