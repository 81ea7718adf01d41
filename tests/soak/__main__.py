"""Twenty chats through one engine that is started anew on the way: `python -m tests.soak MINUTES`.

The chats run commands, write and edit files, are stopped, go back and clear their context, all at random, against a
model service without latency. At the end stand a table and what was wrong; the exit status is 1 if anything was.
"""

import asyncio
import gc
import logging
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import psutil

from tests.agent.rig import folders_below, make_repository, write_settings
from tests.bench.model_service import model_service
from tests.bench.stalls import Stalls
from tests.soak.chats import CHATS, Chat, Life

RESTARTS = 3


class Standing(NamedTuple):
    """What this process holds: MiB of memory, open files, processes below it."""

    mib: float
    files: int
    processes: int


def standing() -> Standing:
    """As it is now, with what can be freed freed."""
    gc.collect()
    me = psutil.Process()
    return Standing(me.memory_info().rss / 2**20, me.num_fds(), len(me.children(recursive=True)))


class Errors(logging.Handler):
    """What the log says is wrong."""

    def __init__(self, life: Life) -> None:
        super().__init__(logging.ERROR)
        self._life = life

    def emit(self, record: logging.LogRecord) -> None:
        """One line of the log."""
        error = record.exc_info[1] if record.exc_info else None
        self._life.note(f"log: {record.getMessage()} {error or ''}")


async def soak(minutes: float, folder: Path) -> int:
    """The exit status."""
    folders = folders_below(folder / "home")
    with model_service(folder / "requests") as url:
        write_settings(folders, url, turns_at_once=16)
        life = Life(folders, make_repository(folder / "shop"))
        logging.getLogger().addHandler(Errors(life))
        chats = [Chat(life, random.Random(number)) for number in range(CHATS)]
        before = standing()
        await life.start()
        with Stalls() as stalls:
            await asyncio.gather(*(chat.begin() for chat in chats))
            begun, began = standing(), time.monotonic()
            end = began + minutes * 60
            living = [asyncio.create_task(chat.live(end)) for chat in chats]
            for number in range(1, RESTARTS + 1):
                await asyncio.sleep(max(0.0, began + minutes * 60 * number / (RESTARTS + 1) - time.monotonic()))
                await life.start_anew()
            await asyncio.gather(*living)
            seconds = time.monotonic() - began
            ended = standing()
        await life.engine.stop()
        after = standing()
    life.check_logs()
    if after.processes > before.processes:
        life.note("processes are left")
    if after.files > before.files + CHATS:
        life.note("files are left open")
    _show(life, stalls, seconds, (begun, ended, after))
    return 1 if life.wrong else 0


def _show(life: Life, stalls: Stalls, seconds: float, standings: tuple[Standing, Standing, Standing]) -> None:
    begun, ended, after = standings
    rows = {
        "minutes, starts of the engine": f"{seconds / 60:.1f}, {life.starts}",
        "turns, stops, rewinds, clearings": f"{life.turns}, {life.stops}, {life.rewinds}, {life.clearings}",
        "steps, steps a second": f"{life.steps}, {life.steps / seconds:.1f}",
        "memory, MiB: first turns over / end / engine stopped": f"{begun.mib:.0f} / {ended.mib:.0f} / {after.mib:.0f}",
        "open files": f"{begun.files} / {ended.files} / {after.files}",
        "processes": f"{begun.processes} / {ended.processes} / {after.processes}",
        "the engine": stalls.told(),
        "events told, lost": f"{life.told}, {life.lost}",
    }
    for name, value in rows.items():
        print(f"{name:<54} {value}")
    print(stalls.causes(3))
    for what, times in life.wrong.most_common():
        print(f"WRONG {times} times: {what}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="soak-", ignore_cleanup_errors=True) as place:
        sys.exit(asyncio.run(soak(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0, Path(place))))
