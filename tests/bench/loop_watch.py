"""How long an event loop was held up, and by what."""

import asyncio
import sys
import threading
import time
import traceback
from types import TracebackType
from typing import Self

BEAT_S = 0.005
LOOK_S = 0.01
STALL_S = 0.05
FRAMES = 4


class LoopWatch:
    """Watches the running loop while this holds. `gaps`: every pause longer than 50 ms, in seconds. `longest`: the
    longest pause of all. `where`: for pauses over 50 ms, the innermost lines of the product that were running."""

    def __init__(self) -> None:
        self.longest = 0.0
        self.gaps: list[float] = []
        self.where: list[tuple[float, str]] = []
        self._thread_id = threading.get_ident()
        self._last = time.monotonic()
        self._seen = ""
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, name="loop-watch", daemon=True)
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._last = time.monotonic()
        self._task = asyncio.create_task(self._beat())
        self._thread.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        self._done.set()
        await asyncio.to_thread(self._thread.join)
        if self._task is not None:
            self._task.cancel()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            now = time.monotonic()
            gap, self._last = now - self._last - BEAT_S, now
            self.longest = max(self.longest, gap)
            if gap > STALL_S:
                self.gaps.append(gap)
                self.where.append((gap, self._seen))
            self._seen = ""

    def _look(self) -> None:
        while not self._done.wait(LOOK_S):
            if not self._seen and time.monotonic() - self._last > STALL_S:
                stack = traceback.extract_stack(sys._current_frames().get(self._thread_id))
                ours = [frame for frame in stack if "/desktop/" in frame.filename] or list(stack)
                names = [f"{frame.filename.rpartition('/desktop/')[2]}:{frame.lineno} {frame.name}" for frame in ours]
                self._seen = " < ".join(reversed(names[-FRAMES:]))
