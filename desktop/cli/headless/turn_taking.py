"""One run after the other: a run that finds another one at its chats waits for it."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from desktop.config.private_files import make_private_folder
from desktop.domain.core.clock import utc_now
from desktop.domain.core.errors import StoreUnavailable
from desktop.store.core.lock import StoreLock, holder_pid

LOCK_NAME = "run.lock"
LOOK_EVERY_S = 0.2


async def run_lock(folder: Path, wait_s: float, say: Callable[[str], None]) -> StoreLock | None:
    """Held by one run at a time, beside the lock of the store, which a window holds too and which nobody waits for.
    None where no lock can be: opening the store then says why.

    Raises:
        StoreUnavailable: another run is still there after `wait_s`.
    """
    until = asyncio.get_running_loop().time() + wait_s
    told = False
    while True:
        try:
            make_private_folder(folder)
            return StoreLock.take(folder / LOCK_NAME, utc_now())
        except OSError:
            return None
        except StoreUnavailable:
            if asyncio.get_running_loop().time() >= until:
                raise
        if not told:
            told = True
            pid = holder_pid(folder / LOCK_NAME)
            say(f"Waits for another run (process {pid}), at most {wait_s:.0f} s.")
        await asyncio.sleep(LOOK_EVERY_S)
