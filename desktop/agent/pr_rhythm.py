"""PullRhythm: when GitHub is asked about each lane's request next (lanes-G20, G21, G23)."""

import asyncio
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

RUNNING_S, SHOWN_S, OTHERS_S, HIDDEN_S = 30.0, 60.0, 300.0, 600.0
LEAST_S = 5.0
RETRY_S = 4.0
SPREAD = 0.1
SLOW = 4.0

Need = Literal["shown", "running", "other", "none"]
"""How much a lane's request is wanted: it is on screen, on screen with checks that run, linked, or not at all."""


@dataclass
class _Beat:
    """`offline`: the last attempt did not reach GitHub."""

    due: float | None = None
    asked_at: float = float("-inf")
    offline: bool = False


class PullRhythm:
    """Engine thread. `begin` is called when lanes are due; it takes them by `take` and tells of each by `asked`.

    `need` says how much a lane is wanted now; `every_s` is the person's setting for what is on screen (0: nothing is
    asked by itself); `seen` is whether any window can be seen. Nothing is planned for lanes that nobody wants.
    """

    def __init__(
        self, begin: Callable[[], None], now: Callable[[], float], need: Callable[[str], Need],
        every_s: Callable[[], float], *, spread: Callable[[], float] = random.random,
    ) -> None:  # fmt: skip
        """`spread`: 0 to 1; decides how far an interval is moved by at most a tenth."""
        self._begin, self._now, self._need, self._every_s, self._spread = begin, now, need, every_s, spread
        self._beats: dict[str, _Beat] = {}
        self._timer: asyncio.TimerHandle | None = None
        self.seen = True
        self.slow = False
        self.not_before = 0.0

    def watch(self, lane_ids: Iterable[str]) -> None:
        """These lanes are wanted as `need` says: plan what is not planned yet."""
        for lane_id in lane_ids:
            beat = self._beats.setdefault(lane_id, _Beat())
            interval = self.interval_s(lane_id)
            if interval is None:
                beat.due = None
            else:
                due = max(beat.asked_at + interval, self._now())
                beat.due = due if beat.due is None else min(beat.due, due)
        self.plan()

    def replan(self) -> None:
        """Something that intervals depend on is different now: all of them count anew from when each was asked."""
        for beat in self._beats.values():
            beat.due = None
        self.watch(list(self._beats))

    def may_ask(self, lane_id: str) -> bool:
        """Whether a person may have it asked right now: not within 5 s of the last time."""
        return self._now() - self._beat(lane_id).asked_at >= LEAST_S

    def begun(self, lane_id: str) -> None:
        """GitHub is being asked about this lane; `asked` says what came of it."""
        beat = self._beat(lane_id)
        beat.asked_at, beat.due = self._now(), None

    def asked(self, lane_id: str, *, reached: bool) -> None:
        """GitHub was asked about this lane just now. Not `reached`: what is on screen is tried again within 5 s, and
        when that works, so is everything else that could not be reached (lanes-G23)."""
        beat = self._beat(lane_id)
        beat.asked_at, beat.offline = self._now(), not reached
        interval = self.interval_s(lane_id)
        if interval is not None and not reached and self.seen and self._need(lane_id) != "other":
            interval = min(interval, RETRY_S)
        beat.due = None if interval is None else beat.asked_at + interval
        for other in self._beats.values() if reached else ():
            if other.offline and other.due is not None:
                other.offline, other.due = False, self._now()

    def take(self) -> tuple[str, ...]:
        """The lanes that are due; they are not due any more."""
        now = self._now()
        if now < self.not_before:
            return ()
        due = [lane_id for lane_id, beat in self._beats.items() if beat.due is not None and beat.due <= now]
        for lane_id in due:
            self._beats[lane_id].due = None
        return tuple(due)

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
        """Other lanes from now on."""
        self._beats = {}
        self.plan()

    def interval_s(self, lane_id: str) -> float | None:
        """How long after a look the next one is due, None: nothing is asked by itself."""
        need, every = self._need(lane_id), self._every_s()
        if need == "none" or every <= 0:
            return None
        shown = max(every, LEAST_S)
        running = max(every * RUNNING_S / SHOWN_S, LEAST_S)
        base = running if need == "running" else shown if need == "shown" else max(shown, OTHERS_S)
        base = base if self.seen else max(base, HIDDEN_S)
        return base * (SLOW if self.slow else 1.0) * (1 + SPREAD * (2 * self._spread() - 1))

    def _ring(self) -> None:
        self._timer = None
        self._begin()

    def _beat(self, lane_id: str) -> _Beat:
        return self._beats.setdefault(lane_id, _Beat())
