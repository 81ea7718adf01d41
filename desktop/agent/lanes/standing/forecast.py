"""LaneForecast: some seconds after lanes changed, what merging them with their bases and one another would give."""

import asyncio
import logging
import tempfile
from collections.abc import Callable, Mapping
from datetime import datetime
from itertools import combinations
from pathlib import Path

from desktop.domain.core.errors import BanksmanError
from desktop.domain.lanes.lane import Lane, Overlap, Prediction
from desktop.records import dataclass
from desktop.services.files.leftovers import passing_prefix
from desktop.services.lanes.stacks.conflicts import CLEAN, UNKNOWN, ConflictReader, Predicted, touching
from desktop.services.lanes.status import Reading

logger = logging.getLogger(__name__)

DELAY_S = 5.0
EVERY_PAIR_UP_TO, PARTNERS, MAX_PAIRS = 15, 6, 400
MAX_FILES = 200


@dataclass(frozen=True)
class Forecast:
    """What merging one lane would give, with its base and with the lanes that touch the same files."""

    at: datetime
    base: Prediction
    base_files: tuple[str, ...]
    overlaps: tuple[Overlap, ...]


@dataclass(frozen=True)
class ReadLane:
    """A lane with its newest reading."""

    lane: Lane
    reading: Reading


@dataclass(frozen=True)
class _Pair:
    one: str
    other: str
    files: tuple[str, ...]


class LaneForecast:
    """Engine thread. One merge at a time; ended by `close`. `lanes`: those to compare, asked when it begins; `tell`
    takes the forecasts by lane id. `delay_s`: between a change and the forecast, so that a series of them costs one."""

    def __init__(
        self,
        lanes: Callable[[], list[ReadLane]],
        tell: Callable[[Mapping[str, Forecast]], None],
        clock: Callable[[], datetime],
        delay_s: float = DELAY_S,
    ) -> None:
        self._lanes, self._tell, self._clock, self._delay_s = lanes, tell, clock, delay_s
        self._reader: ConflictReader | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._again = False

    async def open(self, repository: Path) -> None:
        """Work on this repository from now on."""
        await self.close()
        place = await asyncio.to_thread(tempfile.mkdtemp, prefix=passing_prefix())
        self._reader = ConflictReader(repository, Path(place))

    def changed(self) -> None:
        """A lane or a base may have changed."""
        if self._reader is None:
            return
        if self._task is not None:
            self._again = True
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._delay_s, self._begin)

    async def close(self) -> None:
        """End what is under way and forget the repository."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        reader, self._reader = self._reader, None
        if reader is not None:
            await asyncio.to_thread(reader.close)

    def _begin(self) -> None:
        self._timer = None
        reader = self._reader
        if reader is not None:
            self._again = False
            self._task = asyncio.create_task(self._run(reader), name="lane forecast")
            self._task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        if self._task is not task:
            return
        self._task = None
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a forecast failed", exc_info=error)
        elif self._again:
            self.changed()

    async def _run(self, reader: ConflictReader) -> None:
        read = {one.lane.id: one for one in self._lanes()}
        reader.forget(frozenset(read))
        commits = {lane_id: (await reader.work(one.lane, one.reading)).commit for lane_id, one in read.items()}
        bases = {lane_id: await _with_base(reader, one, commits[lane_id]) for lane_id, one in read.items()}
        overlaps: dict[str, list[Overlap]] = {lane_id: [] for lane_id in read}
        for place, pair in enumerate(await asyncio.to_thread(_pairs, read)):
            found = UNKNOWN
            if place < MAX_PAIRS:
                folder = Path(read[pair.one].lane.worktree_path)
                found = await _merged(reader, folder, commits[pair.one], commits[pair.other])
            for mine, other in ((pair.one, pair.other), (pair.other, pair.one)):
                overlaps[mine].append(Overlap(lane_id=other, files=pair.files, prediction=found.prediction))
        at = self._clock()
        self._tell(
            {
                lane_id: Forecast(at, bases[lane_id].prediction, bases[lane_id].files, _worst_first(overlaps[lane_id]))
                for lane_id in read
            }
        )


async def _with_base(reader: ConflictReader, one: ReadLane, commit: str) -> Predicted:
    status, base = one.reading.status, one.reading.base
    if not base or not status.head:
        return UNKNOWN
    if status.behind == 0 or (status.ahead == 0 and not status.dirty):
        return CLEAN
    return await _merged(reader, Path(one.lane.worktree_path), commit, base)


async def _merged(reader: ConflictReader, folder: Path, ours: str, theirs: str) -> Predicted:
    try:
        return await reader.merged(folder, ours, theirs)
    except BanksmanError:
        return UNKNOWN


def _pairs(read: Mapping[str, ReadLane]) -> list[_Pair]:
    """Lanes that touch the same files and do not stack on one another, most files first. Of many lanes each has only
    those it shares most with."""
    found = [
        _Pair(one, other, files[:MAX_FILES])
        for one, other in combinations(read, 2)
        if not _stacked(read, one, other) and (files := touching(read[one].reading.files, read[other].reading.files))
    ]
    found.sort(key=lambda pair: len(pair.files), reverse=True)
    if len(read) <= EVERY_PAIR_UP_TO:
        return found
    taken = dict.fromkeys(read, 0)
    kept = []
    for pair in found:
        if min(taken[pair.one], taken[pair.other]) < PARTNERS:
            taken[pair.one] += 1
            taken[pair.other] += 1
            kept.append(pair)
    return kept


def _stacked(read: Mapping[str, ReadLane], one: str, other: str) -> bool:
    return other in _parents(read, one) or one in _parents(read, other)


def _parents(read: Mapping[str, ReadLane], lane_id: str) -> set[str]:
    above: set[str] = set()
    while lane_id in read and (parent := read[lane_id].lane.parent_id) and parent not in above:
        above.add(parent)
        lane_id = parent
    return above


def _worst_first(overlaps: list[Overlap]) -> tuple[Overlap, ...]:
    order = {"conflict": 0, "unknown": 1, "clean": 2}
    return tuple(sorted(overlaps, key=lambda overlap: (order[overlap.prediction], -len(overlap.files))))
