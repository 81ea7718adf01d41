"""LaneRhythm: when each lane is read next: soon after a cause, then ever more rarely, then not until the next cause."""

from collections.abc import Callable, Iterable

from desktop.agent.lanes.standing.rhythm import Beat, Rhythm
from desktop.records import dataclass

SETTLE_S = 1.0
FRESH_S = 10.0
WATCHED_FIRST_S, WATCHED_LAST_S = 10.0, 300.0
OTHERS_FIRST_S, OTHERS_LAST_S = 60.0, 600.0
AWAKE_S = 1800.0
_SHARE = 10


@dataclass
class _Beat(Beat):
    """`calm`: readings in a row that found nothing new; `caused`: the next one has a cause, so git is asked."""

    read_at: float = float("-inf")
    took_s: float = 0.0
    calm: int = 0
    caused: bool = True


class LaneRhythm(Rhythm[_Beat]):
    """Engine thread. `begin` tells of each lane that it took by `read`.

    A lane that a person looks at (`watched`) is read after 10 s, 20 s … up to 5 min; another after 1 min … 10 min,
    where nothing is asked of git while its small files are as they were. Half an hour after the last cause nothing is
    read by itself any more. No lane takes more than a tenth of the time.
    """

    def __init__(self, begin: Callable[[], None], now: Callable[[], float]) -> None:
        """`now`: seconds of a clock that only goes forward."""
        super().__init__(_Beat, begin, now)
        self._watched = ""
        self._awake_until = 0.0

    def touch(self, lane_ids: Iterable[str]) -> None:
        """Something may have changed these lanes: read them when that settles."""
        self._wake(lane_ids, SETTLE_S)

    def ask(self, lane_ids: Iterable[str], *, watched: str = "", named: bool = False) -> None:
        """A person wants to see these lanes. `named`: these very ones, so they are read at once, the others if their
        reading is older than 10 s. `watched`: the one to look at closely from now on."""
        if watched:
            self._watched = watched
        now = self._now()
        stale = [one for one in lane_ids if named or now - self._beat(one).read_at >= FRESH_S]
        self._wake(stale, 0.0)

    def may_skip(self, lane_id: str) -> bool:
        """Whether git need not be asked where nothing is seen to have changed: there was no cause to read it."""
        return not self._beat(lane_id).caused and lane_id != self._watched

    def read(self, lane_id: str, *, took_s: float, changed: bool) -> None:
        """A lane was read just now."""
        beat, now = self._beat(lane_id), self._now()
        beat.read_at, beat.took_s, beat.caused = now, took_s, False
        beat.calm = 0 if changed else beat.calm + 1
        first, last = (WATCHED_FIRST_S, WATCHED_LAST_S) if lane_id == self._watched else (OTHERS_FIRST_S, OTHERS_LAST_S)
        after = now + max(min(first * 2 ** min(max(beat.calm - 1, 0), 10), last), took_s * _SHARE)
        if beat.due is None and after < self._awake_until:
            beat.due = after

    def clear(self) -> None:
        """Other lanes from now on."""
        super().clear()
        self._watched = ""

    def close(self) -> None:
        """Nothing is due any more."""
        self.clear()

    def _wake(self, lane_ids: Iterable[str], after_s: float) -> None:
        now = self._now()
        self._awake_until = now + AWAKE_S
        for lane_id in lane_ids:
            beat = self._beat(lane_id)
            beat.calm, beat.caused = 0, True
            due = max(now + after_s, beat.read_at + beat.took_s * _SHARE if after_s else now)
            beat.due = due if beat.due is None else min(beat.due, due)
        self.plan()
