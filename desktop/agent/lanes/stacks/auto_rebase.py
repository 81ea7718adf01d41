"""AutoRebase: puts lanes on their base when it moves, where a person switched that on (lanes-L43)."""

import asyncio
import logging
from collections.abc import Callable

from desktop.agent.core.lane_register import Lanes
from desktop.agent.lanes.stacks.runs import RunWish, StackRuns
from desktop.agent.lanes.use import LaneUse
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.update import Update
from desktop.domain.lanes.lane import Lane, LaneStatus
from desktop.domain.lanes.updates import LaneStatusChanged

logger = logging.getLogger(__name__)

DELAY_S = 2.0
_WORKING = frozenset({"turn", "setup"})


class AutoRebase:
    """Engine thread. Told every update. A lane whose base moved while it could not be put there is looked at again
    whenever its status is told; each base is tried once, because a conflict would only come back. `under_review`: the
    lane's commits are on an open request."""

    def __init__(
        self,
        lanes: Lanes,
        use: LaneUse,
        settings: SettingsKeeper,
        runs: StackRuns,
        under_review: Callable[[Lane], bool],
    ) -> None:
        self._lanes = lanes
        self._use = use
        self._settings = settings
        self._runs, self._under_review = runs, under_review
        self._statuses: dict[str, LaneStatus] = {}
        self._wanted: set[str] = set()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def project_opened(self) -> None:
        """Bases that moved before this count no more."""
        self._forget()

    def saw(self, update: Update) -> None:
        """Whatever the engine says."""
        if isinstance(update, LaneStatusChanged):
            for status in update.statuses:
                self._take(status)

    async def close(self) -> None:
        """Begin nothing more; what runs comes to its end."""
        self._forget()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _take(self, status: LaneStatus) -> None:
        lane_id, before = status.lane_id, self._statuses.get(status.lane_id)
        self._statuses[lane_id] = status
        if before is not None and status.base_oid not in ("", before.base_oid):
            self._wanted.add(lane_id)
        if not status.behind:
            self._wanted.discard(lane_id)
        if self._settings.current.auto_rebase and lane_id in self._wanted and lane_id not in self._timers:
            loop = asyncio.get_running_loop()
            self._timers[lane_id] = loop.call_later(DELAY_S, self._begin, lane_id)

    def _begin(self, lane_id: str) -> None:
        self._timers.pop(lane_id, None)
        lane = self._lanes.get(lane_id)
        if lane is None or lane_id not in self._wanted or not self._may(lane):
            return
        self._wanted.discard(lane_id)
        task = asyncio.create_task(self._run(lane), name="auto rebase")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, lane: Lane) -> None:
        """A refusal and a conflict leave the lane as it is; its row goes on saying that it is behind."""
        try:
            await self._runs.run(RunWish(lane.id, by="system"))
        except BanksmanError as error:
            logger.info("a lane was not put on its base: %s", error)

    def _may(self, lane: Lane) -> bool:
        status = self._statuses[lane.id]
        ready = lane.type != "primary" and lane.state == "active" and not status.problem
        calm = ready and not status.dirty and not status.operation and status.base != "conflict"
        busy = any(one.kind in _WORKING for one in self._use.holders(lane.id))
        return self._settings.current.auto_rebase and calm and not busy and not self._under_review(lane)

    def _forget(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers, self._wanted, self._statuses = {}, set(), {}
