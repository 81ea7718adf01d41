"""StackBook: what the record of the repository and the folders of its lanes tell of stack runs."""

import asyncio

from desktop.agent.core.lane_register import Lanes
from desktop.agent.lanes.kin import LaneKin
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.lanes.stacks.log import DoneRebase, LoggedRun, OpenRebase, logged_runs
from desktop.domain.core.errors import BanksmanError
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import StackLane, StackRunChanged
from desktop.services.lanes.identity import lane_moved
from desktop.services.lanes.stacks.operation import is_open_rebase
from desktop.services.lanes.stacks.rebase import moved_on

GOES_ON = "Goes on by itself once the conflict is resolved."


class StackBook:
    """Engine thread only; changes nothing."""

    def __init__(self, lanes: Lanes, log: ProjectLog, kin: LaneKin) -> None:
        self._lanes = lanes
        self._log = log
        self._kin = kin

    def logged(self, run_id: str) -> LoggedRun:
        """The run of this id, which is on record."""
        return next(one for one in logged_runs(self._log) if one.run_id == run_id)

    def last_with(self, lane: Lane) -> LoggedRun | None:
        """The last run that the lane was in, None for none."""
        runs = reversed(logged_runs(self._log))
        return next((run for run in runs if any(one.lane_id == lane.id for one in run.lanes)), None)

    async def left_open(self, lane: Lane) -> OpenRebase | None:
        """The rebase that a run left open in this lane and that still waits there, None for none."""
        run = self.last_with(lane)
        found = next((one for one in run.open if one.lane_id == lane.id), None) if run and not run.undone else None
        return found if found is not None and await _is_there(lane, found) else None

    def waiting(self, run_id: str, lane: Lane) -> list[Lane]:
        """The lanes that wait in this run for the one that they stack on, parents before their children."""
        waiting = {one.lane_id for one in self.logged(run_id).lanes if one.state in ("blocked", "pending")}
        return [one for one in self._kin.below(lane) if one.id in waiting]

    async def told(self, run_id: str) -> StackRunChanged:
        """How a run stands, with whether it can be undone and what goes on by itself."""
        run = self.logged(run_id)
        told = run.update().model_copy(update={"lanes": await self._with_waiting(run)})
        if run.done and not run.undone:
            reasons = [await self._moved_on(done) for done in run.done]
            can_undo = not all(reasons)
            told = told.model_copy(update={"can_undo": can_undo, "undo": "" if can_undo else reasons[0]})
        return told

    async def _with_waiting(self, run: LoggedRun) -> tuple[StackLane, ...]:
        """The lanes of a run; those that wait for a rebase that is open say so."""
        waiting: set[str] = set()
        for one in () if run.undone else run.open:
            lane = self._lanes.get(one.lane_id)
            if lane is not None and await _is_there(lane, one):
                waiting |= {below.id for below in self.waiting(run.run_id, lane)}
        goes_on = {"state": "pending", "text": GOES_ON}
        return tuple(one.model_copy(update=goes_on) if one.lane_id in waiting else one for one in run.lanes)

    async def _moved_on(self, done: DoneRebase) -> str:
        lane = self._lanes.get(done.lane_id)
        if lane is None or lane.state != "active" or lane_moved(lane):
            return "The lane is not there any more."
        try:
            return await asyncio.to_thread(moved_on, lane, done.after)
        except BanksmanError as error:
            return str(error)


async def _is_there(lane: Lane, left: OpenRebase) -> bool:
    """Whether that rebase is the one that is open in the lane's folder now."""
    try:
        return await asyncio.to_thread(is_open_rebase, lane, left.before, left.onto)
    except BanksmanError:
        return False
