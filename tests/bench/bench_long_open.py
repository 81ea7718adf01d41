"""Opening a chat of very many events: `python -m tests.bench.bench_long_open [EVENTS] [--cache FOLDER]`.

The chat is made once in FOLDER (through an engine, then through its store) and is found there by later runs. Printed
are, for the engine alone: until its newest events are told, until all of them are, and what a turn of one shell call
costs then, with the stalls of the loop. For the window, in a process of its own with the engine beside it: until its
newest rows are painted, until all rows are there, and the gaps of the UI thread meanwhile.
"""

import argparse
import asyncio
import gc
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from desktop.agent.options import EngineOptions
from desktop.domain.commands import OpenSession, SendMessage
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope
from desktop.domain.updates import SessionOpened
from desktop.store.database import open_store
from tests.agent.rig import Rig, folders_below, make_repository, write_settings
from tests.bench.bench_sessions import one_turn
from tests.bench.model_service import ROOT, model_service, plan_of
from tests.bench.stalls import Stalls

EVENTS = 100_000
TIME_LIMIT_S = 300.0
TASK = plan_of([("bash", {"command": "ls"})])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Open a long chat.")
    parser.add_argument("events", type=int, nargs="?", default=EVENTS)
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = ((given.cache or Path(name)) / f"long-{given.events}").absolute()
        asyncio.run(made(folder, given.events))
        asyncio.run(engine(folder))
        subprocess.run([sys.executable, "-m", "tests.bench.long_window", str(folder)], cwd=ROOT, check=True)


async def made(folder: Path, events: int) -> None:
    """The chat, if it is not there: begun by an engine, so that it has a lane, and grown in the store."""
    if (folder / "chat").exists():
        return
    folder.mkdir(parents=True)
    with model_service(folder / "served") as url:
        folders = folders_below(folder / "home")
        write_settings(folders, url)
        rig = await Rig(folders, EngineOptions()).open(make_repository(folder / "shop"))
        session_id = await rig.new(TASK)
        await rig.until(_ended, TIME_LIMIT_S)
        await rig.engine.stop()
    store = open_store(folders.store)
    for turn in range(events // len(one_turn(0))):
        store.events.append_many(session_id, one_turn(turn))
    while not store.search.step(1.0):
        pass
    store.close()
    (folder / "chat").write_text(session_id, encoding="ascii")


async def engine(folder: Path) -> None:
    """The engine alone."""
    session_id = (folder / "chat").read_text(encoding="ascii")
    with model_service(folder / "served") as url:
        folders = folders_below(folder / "home")
        write_settings(folders, url)
        rig = await Rig(folders, EngineOptions()).open(folder / "shop")
        await asyncio.sleep(1)
        with Stalls() as opening:
            began, cpu = time.perf_counter(), time.process_time()
            task = asyncio.create_task(rig.engine.handle(OpenSession(session_id=session_id)))
            await rig.until(_opened, TIME_LIMIT_S)
            first, first_cpu = time.perf_counter() - began, time.process_time() - cpu
            await task
            whole, whole_cpu = time.perf_counter() - began, time.process_time() - cpu
        print(f"newest events told after {first:.2f} s (CPU {first_cpu:.2f} s), all {whole:.2f} s ({whole_cpu:.2f} s)")
        print(f"  {opening.told()}")
        print(opening.causes(3))
        rig.updates.clear()
        gc.collect()
        with Stalls() as turn:
            began, cpu = time.perf_counter(), time.process_time()
            await rig.engine.handle(SendMessage(session_id=session_id, text=TASK))
            sent = time.perf_counter() - began
            await rig.until(_answered, TIME_LIMIT_S)
            answered, answered_cpu = time.perf_counter() - began, time.process_time() - cpu
            await rig.until(_ended, TIME_LIMIT_S)
            took = time.perf_counter() - began
        answer = f"first answer {answered:.2f} s (CPU {answered_cpu:.2f} s)"
        print(f"turn begun after {sent:.2f} s, {answer}, end {took:.2f} s")
        print(f"  {turn.told()}")
        print(turn.causes())
        await rig.engine.stop()


def _opened(updates: list[Update]) -> bool | None:
    return any(isinstance(one, SessionOpened) for one in updates) or None


def _answered(updates: list[Update]) -> bool | None:
    return any(isinstance(one, Envelope) and one.kind == "assistant_message" for one in updates) or None


def _ended(updates: list[Update]) -> bool | None:
    return any(isinstance(one, Envelope) and one.kind == "turn_ended" for one in updates) or None


if __name__ == "__main__":
    main()
