"""PullRhythm: when GitHub is asked about each lane's request next (lanes-G20, lanes-G21, lanes-G23)."""

import random
from collections.abc import Callable, Iterable
from typing import Literal

from desktop.agent.lanes.standing.rhythm import Beat, Rhythm
from desktop.records import dataclass

RUNNING_S, SHOWN_S, OTHERS_S, HIDDEN_S = 30.0, 60.0, 300.0, 600.0
LEAST_S = 5.0
RETRY_S = 4.0
SPREAD = 0.1
SLOW = 4.0

Need = Literal["shown", "running", "other", "none"]
"""How much a lane's request is wanted: it is on screen, on screen with checks that run, linked, or not at all."""


@dataclass
class _Beat(Beat):
    """`offline`: the last attempt did not reach GitHub."""

    asked_at: float = float("-inf")
    offline: bool = False


class PullRhythm(Rhythm[_Beat]):
    """Engine thread. `begin` tells of each lane that it took by `asked`.

    `need` says how much a lane is wanted now; `every_s` is the person's setting for what is on screen (0: nothing is
    asked by itself); `seen` is whether any window can be seen. Nothing is planned for lanes that nobody wants.
    """

    def __init__(
        self,
        begin: Callable[[], None],
        now: Callable[[], float],
        need: Callable[[str], Need],
        every_s: Callable[[], float],
        *,
        spread: Callable[[], float] = random.random,
    ) -> None:
        """`spread`: 0 to 1; decides how far an interval is moved by at most a tenth."""
        super().__init__(_Beat, begin, now)
        self._need, self._every_s, self._spread = need, every_s, spread
        self.seen = True
        self.slow = False

    def watch(self, lane_ids: Iterable[str]) -> None:
        """These lanes are wanted as `need` says: plan what is not planned yet."""
        for lane_id in lane_ids:
            beat = self._beat(lane_id)
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
