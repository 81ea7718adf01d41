"""Rhythm: for each lane when something is due next, and one timer for whichever comes first."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from desktop.records import dataclass


@dataclass
class Beat:
    """When something is due for a lane, by a clock that only goes forward; None: not at all."""

    due: float | None = None


BeatT = TypeVar("BeatT", bound=Beat)


class Rhythm(Generic[BeatT]):
    """Engine thread. `begin` is called when lanes are due; it takes them. Nothing is due before `not_before`."""

    def __init__(self, make: Callable[[], BeatT], begin: Callable[[], None], now: Callable[[], float]) -> None:
        """`make`: a lane's beat before anything is known of it; `now`: seconds of a clock that only goes forward."""
        self._make, self._begin, self._now = make, begin, now
        self._beats: dict[str, BeatT] = {}
        self._timer: asyncio.TimerHandle | None = None
        self.not_before = 0.0

    def take(self) -> tuple[str, ...]:
        """The lanes that are due; they are not due any more."""
        now = self._now()
        if now < self.not_before:
            return ()
        due = tuple(lane_id for lane_id, beat in self._beats.items() if beat.due is not None and beat.due <= now)
        for lane_id in due:
            self._beats[lane_id].due = None
        return due

    def plan(self) -> None:
        """Set the timer for what is due next."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        wait_s = self.next_in()
        if wait_s is not None:
            self._timer = asyncio.get_running_loop().call_later(wait_s, self._ring)

    def next_in(self) -> float | None:
        """Seconds until something is due, None while nothing is."""
        due = [beat.due for beat in self._beats.values() if beat.due is not None]
        return max(0.0, max(min(due), self.not_before) - self._now()) if due else None

    def clear(self) -> None:
        """Other lanes from now on; nothing is due."""
        self._beats = {}
        self.plan()

    def _ring(self) -> None:
        self._timer = None
        self._begin()

    def _beat(self, lane_id: str) -> BeatT:
        return self._beats.setdefault(lane_id, self._make())
