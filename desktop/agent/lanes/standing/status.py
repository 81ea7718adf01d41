"""StatusCommands: reads how lanes stand, when something may have changed them and rarely else."""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish
from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.standing.causes import ALL, LaneCauses
from desktop.agent.lanes.standing.forecast import Forecast, LaneForecast, ReadLane
from desktop.agent.lanes.standing.lane_rhythm import LaneRhythm
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, GitError, LaneError
from desktop.domain.core.listeners import Listeners
from desktop.domain.core.update import Update
from desktop.domain.lanes.commands import RefreshLanes
from desktop.domain.lanes.lane import Lane, LaneStatus
from desktop.domain.lanes.updates import LaneStatusChanged
from desktop.services.lanes.status import LaneReader, Reading, Refs, Signature, base_of, lane_signature, read_refs

logger = logging.getLogger(__name__)

PAUSE_S = 0.1
AT_ONCE = min(4, max(1, (os.cpu_count() or 2) // 2))


class StatusCommands:
    """Engine thread; git works on the side, for at most AT_ONCE lanes at a time. `statuses`: the newest of each;
    `changed`: told of each lane that was found to stand differently."""

    def __init__(
        self,
        ground: Ground,
        publish: Publish,
        clock: Callable[[], datetime],
        sessions: Sessions,
        recheck: Callable[[], object],
    ) -> None:
        """`recheck`: lets the records of lanes be compared with git."""
        self._ground = ground
        self._publish = publish
        self._clock = clock
        self._sessions = sessions
        self._recheck = recheck
        self._told: dict[str, bool] = {}
        self.changed = Listeners[str]()
        self.statuses: dict[str, LaneStatus] = {}
        self._readings: dict[str, Reading] = {}
        self._signatures: dict[str, Signature] = {}
        self._reader = LaneReader(clock)
        self._forecast = LaneForecast(self._to_compare, self._foretold, clock)
        self._causes = LaneCauses(self._lane_of)
        self._rhythm = LaneRhythm(self._begin, time.monotonic)
        self._asked: set[str] = set()
        self._untold: dict[str, LaneStatus] = {}
        self._pause: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._opening: asyncio.Task[None] | None = None
        self._project_id = ""

    def handlers(self) -> dict[type[Command], Handler]:
        """Reading now."""
        return {RefreshLanes: self._refresh}

    def project_opened(self) -> None:
        """Begin with the lanes of this repository."""
        project = self._ground.the_project()
        if project.id != self._project_id:
            self._project_id = project.id
            self.statuses, self._readings, self._signatures, self._untold = {}, {}, {}, {}
            self._opening = asyncio.create_task(self._forecast.open(Path(project.path)), name="lane forecast")
        self._rhythm.clear()
        self._rhythm.touch(lane.id for lane in self._shown())

    def saw(self, update: Update) -> None:
        """Whatever the engine says is shown to this part."""
        touched = self._causes.touched(update)
        if touched and self._project_id:
            lanes = self._shown()
            self._rhythm.touch(lane.id for lane in lanes if touched == ALL or lane.id in touched)

    async def close(self) -> None:
        """Stop reading and foretelling; git is ended."""
        self._rhythm.close()
        if self._pause is not None:
            self._pause.cancel()
        tasks = [task for task in (self._task, self._opening) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._forecast.close()

    async def _refresh(self, command: RefreshLanes) -> None:
        """One lane is the one that a person looks at: it is watched more closely."""
        project = self._ground.project()
        if project is None:
            return
        known = {lane.id for lane in self._ground.lanes.of_project(project.id)}
        wanted = [lane_id for lane_id in command.lane_ids if lane_id in known] or [lane.id for lane in self._shown()]
        if command.lane_ids:
            self._asked |= set(wanted)
        self._tell([self.statuses[lane_id] for lane_id in wanted if lane_id in self.statuses])
        watched = command.lane_ids[0] if len(command.lane_ids) == 1 else ""
        self._rhythm.ask(wanted, watched=watched, named=bool(command.lane_ids))

    # reading

    def _begin(self) -> None:
        """Something is due."""
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="lane status")
            self._task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("lanes could not be read", exc_info=error)
        if not task.cancelled():
            self._rhythm.plan()

    async def _run(self) -> None:
        if self._opening is not None:
            await asyncio.wait({self._opening})
        due = self._rhythm.take()
        lanes = [lane for lane in self._all() if lane.id in due]
        if not lanes:
            return
        try:
            refs = await read_refs(Path(self._ground.the_project().path))
        except GitError as error:
            for lane in lanes:
                self._failed(lane, error)
                self._rhythm.read(lane.id, took_s=0.0, changed=False)
            return
        gate = asyncio.Semaphore(AT_ONCE)
        async with asyncio.TaskGroup() as group:
            for lane in lanes:
                group.create_task(self._look(lane, refs, gate))
        self._forecast.changed()

    async def _look(self, lane: Lane, refs: Refs, gate: asyncio.Semaphore) -> None:
        async with gate:
            began = time.monotonic()
            changed = await self._read(lane, refs)
            if changed:
                self.changed(lane.id)
            self._rhythm.read(lane.id, took_s=time.monotonic() - began, changed=changed)

    async def _read(self, lane: Lane, refs: Refs) -> bool:
        """Whether the lane stands differently now."""
        signature = await asyncio.to_thread(lane_signature, lane, refs.mark)
        asked = lane.id in self._asked
        self._asked.discard(lane.id)
        unasked = self._rhythm.may_skip(lane.id) and not asked
        if unasked and signature == self._signatures.get(lane.id) and not self.statuses[lane.id].problem:
            return False
        parent = self._ground.lanes.get(lane.parent_id) if lane.parent_id else None
        try:
            reading = await self._reader.read(lane, base_of(lane, parent, refs), refs)
        except (GitError, LaneError) as error:
            return self._failed(lane, error, asked=asked)
        self._signatures[lane.id] = signature
        before = self._readings.get(lane.id)
        self._readings[lane.id] = reading
        self._compare(lane, misplaced=False)
        same_work = before is not None and (before.files, before.entries) == (reading.files, reading.entries)
        return self._keep(self._with_forecast(reading.status), asked=asked) or not same_work

    def _failed(self, lane: Lane, error: BanksmanError, *, asked: bool = True) -> bool:
        """What was known stays, with why nothing newer is (lanes-L2)."""
        known = self.statuses.get(lane.id) or LaneStatus(lane_id=lane.id, read_at=self._clock())
        if isinstance(error, LaneError):
            self._compare(lane, misplaced=True)
        return self._keep(known.model_copy(update={"problem": str(error)}), asked=asked)

    def _keep(self, status: LaneStatus, *, asked: bool = False) -> bool:
        """Keep a status; whether it says something else than before. It is told then, or when it was `asked` for."""
        before = self.statuses.get(status.lane_id)
        self.statuses[status.lane_id] = status
        changed = before is None or not before.says_as(status)
        if changed or asked:
            self._tell([status])
        return changed

    def _compare(self, lane: Lane, *, misplaced: bool) -> None:
        """The record says something else than the reading: let it be compared with git, once for each change."""
        if misplaced == (lane.state == "broken"):
            self._told.pop(lane.id, None)
        elif lane.type != "primary" and self._told.get(lane.id) != misplaced:
            self._told[lane.id] = misplaced
            self._recheck()

    # foretelling

    def _to_compare(self) -> list[ReadLane]:
        """The lanes in use that could be read; the person's own checkout is no lane to merge."""
        lanes = [lane for lane in self._shown() if lane.id in self._readings]
        return [ReadLane(lane, self._readings[lane.id]) for lane in lanes if not self.statuses[lane.id].problem]

    def _foretold(self, forecasts: Mapping[str, Forecast]) -> None:
        for lane_id, forecast in forecasts.items():
            if lane_id in self.statuses:
                self._keep(_foretold(self.statuses[lane_id], forecast))

    def _with_forecast(self, status: LaneStatus) -> LaneStatus:
        """A new reading keeps what was foretold last, until it is foretold anew."""
        known = self.statuses.get(status.lane_id)
        if known is None or known.predicted_at is None:
            return status
        return _foretold(status, Forecast(known.predicted_at, known.base, known.base_files, known.overlaps))

    # looking up

    def _all(self) -> list[Lane]:
        project = self._ground.project()
        return self._ground.lanes.of_project(project.id) if project is not None else []

    def _shown(self) -> list[Lane]:
        return [lane for lane in self._all() if lane.type != "primary"]

    def _lane_of(self, session_id: str) -> str:
        opened = self._sessions.opened()
        lane = next((session.lane for session in opened if session.session_id == session_id), None)
        return lane.id if lane is not None else ""

    def _tell(self, statuses: Iterable[LaneStatus]) -> None:
        """Tell these at once, or, where something was told just now, with all that come up to the end of the pause: a
        window takes many as fast as one."""
        self._untold.update({status.lane_id: status for status in statuses})
        if self._pause is None:
            self._tell_gathered()

    def _tell_gathered(self) -> None:
        self._pause = None
        if self._untold:
            told, self._untold = tuple(self._untold.values()), {}
            self._pause = asyncio.get_running_loop().call_later(PAUSE_S, self._tell_gathered)
            self._publish(LaneStatusChanged(statuses=told))


def _foretold(status: LaneStatus, forecast: Forecast) -> LaneStatus:
    return status.model_copy(
        update={
            "base": forecast.base,
            "base_files": forecast.base_files,
            "overlaps": forecast.overlaps,
            "predicted_at": forecast.at,
        }
    )
