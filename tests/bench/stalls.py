"""Stalls of a loop: how long it did not move, and the stack that it stood in meanwhile."""

import asyncio
import heapq
import sys
import threading
import time
import traceback
from array import array
from dataclasses import dataclass, field
from types import FrameType, TracebackType
from typing import Self

BEAT_S = 0.01
STALL_S = 0.05
SHOWN_FRAMES = 14
KEPT_STACKS = 20


@dataclass
class Stalls:
    """Beside the running loop, as a context manager: it beats every 10 ms, and a thread looks whether it does.

    `gaps_ms`: how much later than due each beat came; `busy_ms`: how much of that this process worked, which is less
    where others had the processors. `stacks`: for the longest stalls of more than 50 ms their lengths in ms and where
    the loop's thread stood when each was noticed, or all threads where it waited for its turn among them.
    """

    gaps_ms: "array[float]" = field(default_factory=lambda: array("f"))
    busy_ms: "array[float]" = field(default_factory=lambda: array("f"))
    stacks: list[tuple[float, str]] = field(default_factory=list)
    _beat: float = 0.0
    _worked: float = 0.0
    _seen: str = ""
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._beat, self._worked = time.perf_counter(), time.process_time()
        self._timer = self._loop.call_later(BEAT_S, self._tick)
        self._watch = threading.Thread(target=self._look, name="stalls", daemon=True)
        self._watch.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._timer.cancel()
        self._over.set()
        self._watch.join()

    def told(self) -> str:
        """The figures in one line."""
        return f"loop stalls: {_figures(self.gaps_ms)}; of that this process worked: {_figures(self.busy_ms)}"

    def causes(self, most: int = 5) -> str:
        """The longest stalls with their stacks."""
        longest = sorted(self.stacks, reverse=True)[:most]
        return "\n".join(f"-- {length:.0f} ms\n{stack}" for length, stack in longest)

    def _tick(self) -> None:
        now, worked = time.perf_counter(), time.process_time()
        late_ms = max(0.0, (now - self._beat - BEAT_S) * 1000)
        self.gaps_ms.append(late_ms)
        self.busy_ms.append(min(late_ms, (worked - self._worked) * 1000))
        self._worked = worked
        seen, self._seen = self._seen, ""
        if seen:
            self.stacks = heapq.nlargest(KEPT_STACKS, [*self.stacks, (late_ms, seen)])
        self._beat = now
        self._timer = self._loop.call_later(BEAT_S, self._tick)

    def _look(self) -> None:
        while not self._over.wait(BEAT_S):
            if not self._seen and time.perf_counter() - self._beat > STALL_S + BEAT_S:
                frames = sys._current_frames()
                frame = frames.get(self._thread)
                self._seen = _stack(frame) if frame is not None else ""
                if "_selector.select" in self._seen:
                    others = (_stack(one) for thread, one in frames.items() if thread != threading.get_ident())
                    self._seen = "\nbeside:\n".join(others)


def _figures(times_ms: "array[float]") -> str:
    times = sorted(times_ms) or [0.0]
    long = sum(one > STALL_S * 1000 for one in times)
    return f"max {times[-1]:.0f} ms, p99 {times[int(len(times) * 0.99)]:.0f} ms, {long} over 50 ms"


def _stack(frame: FrameType) -> str:
    return "".join(traceback.format_stack(frame)[-SHOWN_FRAMES:])
