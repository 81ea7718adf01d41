"""LaneSpaceCommands: how much room lanes take, and giving back what git ignores (lanes-L5, lanes-L6)."""

import asyncio
import logging
import os
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground, Telling
from desktop.agent.lanes.base import LaneActs
from desktop.agent.lanes.ready.setup import LaneSetups
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError, LaneError
from desktop.domain.lanes.commands import MeasureLanes, ReclaimSpace
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LanesMeasured, ReclaimableFolder, SpaceReclaimed
from desktop.services.lanes.endings.disk_use import DiskUse, check_removable, delete_folder, measure
from desktop.services.lanes.endings.system_trash import NoTrash, move_to_trash
from desktop.services.lanes.identity import lane_moved

logger = logging.getLogger(__name__)

MEASURED_EVERY = timedelta(days=7)
FIRST_AFTER_S = 60.0
_IN_THE_WAY = frozenset({"turn", "shell", "setup", "run"})


class LaneSpaceCommands:
    """All on the engine thread; walking and removing happen on worker threads, one lane after the other."""

    def __init__(
        self, ground: Ground, telling: Telling, acts: LaneActs, clock: Callable[[], datetime], setups: LaneSetups
    ) -> None:
        self._ground = ground
        self._telling = telling
        self._acts = acts
        self._clock = clock
        self._one_at_a_time = asyncio.Lock()
        self._closing = False
        self._tasks: set[asyncio.Task[None]] = set()
        setups.ended.add(lambda lane_id: self._soon((lane_id,), 0.0))

    def handlers(self) -> dict[type[Command], Handler]:
        """Measuring and freeing."""
        return {MeasureLanes: self._measure, ReclaimSpace: self._reclaim}

    def project_opened(self) -> None:
        """Measure again, in a minute, what was measured a week ago."""
        project = self._ground.project()
        old = self._clock() - MEASURED_EVERY
        lanes = self._ground.lanes.of_project(project.id) if project is not None else []
        due = [lane.id for lane in lanes if lane.type != "primary" and (lane.size_at is None or lane.size_at < old)]
        if due:
            self._soon(due, FIRST_AFTER_S)

    async def close(self) -> None:
        """Give up what is being measured."""
        self._closing = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # Measuring

    async def _measure(self, command: MeasureLanes) -> None:
        project = self._ground.the_project()
        chosen = command.lane_ids or tuple(lane.id for lane in self._ground.lanes.all_of_project(project.id))
        await self._walk(chosen)

    def _soon(self, lane_ids: Iterable[str], after_s: float) -> None:
        task = asyncio.create_task(self._later(tuple(lane_ids), after_s), name="measure lanes")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _later(self, lane_ids: tuple[str, ...], after_s: float) -> None:
        await asyncio.sleep(after_s)
        try:
            await self._walk(lane_ids)
        except BanksmanError:
            logger.exception("lanes could not be measured")

    async def _walk(self, lane_ids: tuple[str, ...]) -> None:
        """Measure lanes, telling what is known after each."""
        folders: list[ReclaimableFolder] = []
        more_than: list[str] = []
        async with self._one_at_a_time:
            for lane_id in lane_ids:
                lane = self._ground.lanes.get(lane_id)
                if lane is None or not _measurable(lane):
                    continue
                use = await self._use_of(lane)
                if use is None:
                    continue
                self._keep(lane_id, use)
                if lane.type == "worktree":
                    folders += (ReclaimableFolder(lane_id=lane_id, path=p, size_bytes=size) for p, size in use.folders)
                more_than += [lane_id] if use.more_than else []
                self._telling.publish(LanesMeasured(folders=tuple(folders), more_than=tuple(more_than), done=False))
        self._telling.publish(LanesMeasured(folders=tuple(folders), more_than=tuple(more_than)))

    async def _use_of(self, lane: Lane) -> DiskUse | None:
        try:
            return await asyncio.to_thread(measure, Path(lane.worktree_path), stop=lambda: self._closing)
        except (BanksmanError, OSError):
            logger.warning("lane %s could not be measured", lane.id, exc_info=True)
            return None

    def _keep(self, lane_id: str, use: DiskUse) -> None:
        lane = self._ground.lanes.get(lane_id)
        if lane is None or lane.state in ("deleting", "deleted"):
            return
        reclaimable = use.reclaimable if lane.type == "worktree" else 0
        sizes = {"size_bytes": use.size, "reclaimable_bytes": reclaimable, "size_at": self._clock()}
        self._ground.lanes.save(lane.model_copy(update=sizes))
        self._telling.listed()

    # Freeing

    async def _reclaim(self, command: ReclaimSpace) -> None:
        by_lane: dict[str, list[str]] = {}
        for lane_id, folder in command.folders:
            by_lane.setdefault(lane_id, []).append(folder)
        gone: list[tuple[str, str]] = []
        stays: list[tuple[str, str, str]] = []
        no_trash: list[tuple[str, str]] = []
        for lane_id, folders in by_lane.items():
            try:
                results = await self._free(lane_id, folders, forever=command.forever)
            except BanksmanError as error:
                stays += ((lane_id, folder, str(error)) for folder in folders)
                continue
            for folder, fault in zip(folders, results, strict=True):
                if fault is None:
                    gone.append((lane_id, folder))
                else:
                    stays.append((lane_id, folder, str(fault)))
                no_trash += [(lane_id, folder)] if isinstance(fault, NoTrash) else []
        self._telling.publish(
            SpaceReclaimed(
                command_id=command.command_id, gone=tuple(gone), stays=tuple(stays), no_trash=tuple(no_trash)
            )
        )
        if gone:
            await self._walk(tuple(by_lane))

    async def _free(self, lane_id: str, folders: list[str], *, forever: bool) -> list[BanksmanError | None]:
        """What came of each folder of a lane, in order; None: it is gone.

        Raises:
            CommandError: nothing of this lane may go now.
        """
        lane = self._ground.lane(lane_id)
        if lane.type != "worktree" or not _measurable(lane):
            raise CommandError("lane_state", "Only folders of lanes that Banksman made are freed.")
        self._acts.use.require_quiet(lane_id, kinds=_IN_THE_WAY)
        operation = self._acts.log.operation("free_space", lane_id, folders=list(folders), forever=forever)
        async with self._acts.use.lane(lane_id), operation as running:
            results = [await asyncio.to_thread(_remove, Path(lane.worktree_path), one, forever) for one in folders]
            running.result["gone"] = [one for one, fault in zip(folders, results, strict=True) if fault is None]
        return results


def _remove(lane: Path, folder: str, forever: bool) -> BanksmanError | None:
    """Why the folder is still there; None: it is gone. Looked at again in this moment. Blocking."""
    try:
        check_removable(lane, folder)
        if forever:
            delete_folder(lane, folder)
        else:
            move_to_trash(lane / folder, os.environ)
    except BanksmanError as error:
        return error
    except OSError as error:
        return LaneError(f"{folder} could not be removed: {error.strerror or error}.")
    return None


def _measurable(lane: Lane) -> bool:
    return lane.state in ("active", "broken", "archived") and not lane.freed and not lane_moved(lane)
