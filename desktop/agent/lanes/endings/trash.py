"""TrashCommands: the lanes that were deleted in the last 30 days: listed, restored, forgotten (lanes-L32)."""

import asyncio
import logging
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground, Telling
from desktop.agent.lanes.base import LaneActs
from desktop.agent.lanes.endings.reviver import LaneReviver
from desktop.agent.lanes.endings.snapshots import LaneSnapshots
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.work import Project
from desktop.domain.lanes.commands import LoadTrash, PurgeTrash, RestoreLane
from desktop.domain.lanes.lane import Lane, TrashedLane
from desktop.domain.lanes.updates import LaneCreated, TrashListed
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import Git
from desktop.services.git.worktree_place import common_folder
from desktop.services.history.checkpoints import LaneCheckpoints
from desktop.services.lanes.endings.snapshot import LaneSnapshot, drop_snapshot, snapshots_in
from desktop.services.lanes.kept_refs import KEPT_REFS, expire_kept
from desktop.services.lanes.making.stash import BASE_REFS, STASH_REFS

logger = logging.getLogger(__name__)

KEPT_FOR = timedelta(days=30)


class TrashCommands:
    """All on the engine thread. `forget`: drops what is known beside a lane that is gone for good."""

    def __init__(
        self,
        ground: Ground,
        telling: Telling,
        acts: LaneActs,
        snapshots: LaneSnapshots,
        reviver: LaneReviver,
        forget: Callable[[str], None],
    ) -> None:
        self._ground = ground
        self._telling = telling
        self._acts = acts
        self._snapshots = snapshots
        self._forget_lane = forget
        self._reviver = reviver

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about deleted lanes."""
        return {LoadTrash: self._load, RestoreLane: self._restore, PurgeTrash: self._purge}

    async def expire(self, project: Project) -> None:
        """Forget what was deleted, or kept of edits, more than 30 days ago. Nothing younger, and nothing that an
        archived lane needs."""
        before = self._snapshots.clock() - KEPT_FOR
        lanes = {lane.id: lane for lane in self._ground.lanes.all_of_project(project.id)}
        for snapshot in await asyncio.to_thread(_snapshots, project):
            lane = lanes.get(snapshot.lane.id)
            needed = lane is not None and lane.trash_ref == snapshot.ref and lane.state != "deleted"
            ours = snapshot.purpose == "delete" or lane is not None  # an archive of another store may be needed there
            if ours and snapshot.at < before and not needed:
                try:
                    await self._forget(project, snapshot, lane)
                except (BanksmanError, OSError) as error:
                    logger.warning("a deleted lane could not be forgotten: %s", error)
        await self._sweep(project, set(lanes))
        async with self._acts.use.repository(project.id):
            try:
                await asyncio.to_thread(expire_kept, Git(common_folder(project.path)), before)
            except BanksmanError as error:
                logger.warning("what was kept of lanes could not be forgotten: %s", error)

    async def _sweep(self, project: Project, lane_ids: set[str]) -> None:
        """Copies that belong to no snapshot go: a crash came between them and it."""
        async with self._acts.use.repository(project.id):
            await asyncio.to_thread(self._remove_left_over, project, lane_ids)

    def _remove_left_over(self, project: Project, lane_ids: set[str]) -> None:
        root = self._snapshots.kept_folder("")
        if not root.is_dir():
            return
        needed = {self._snapshots.kept_folder(one.id).name for one in _snapshots(project)}
        for folder in root.iterdir():
            if folder.name.rpartition("-")[0].partition("-")[0] in lane_ids and folder.name not in needed:
                shutil.rmtree(folder, ignore_errors=True)

    async def _load(self, command: LoadTrash) -> None:
        await self._publish(self._ground.the_project())

    async def _restore(self, command: RestoreLane) -> None:
        project = self._ground.the_project()
        lane = self._deleted(project, command.trash_id)
        revived, notices = await self._reviver.restore(project, lane)
        self._telling.publish(LaneCreated(command_id=command.command_id, lane=revived, notices=notices))
        self._telling.listed()
        await self._publish(project)

    async def _purge(self, command: PurgeTrash) -> None:
        project = self._ground.the_project()
        lane = self._deleted(project, command.trash_id)
        async with self._acts.log.operation("purge", lane.id, ref=lane.trash_ref):
            snapshot = await asyncio.to_thread(self._snapshots.find, project, lane)
            if snapshot is not None:
                await self._forget(project, snapshot, lane)
        await self._publish(project)

    async def _forget(self, project: Project, snapshot: LaneSnapshot, lane: Lane | None) -> None:
        async with self._acts.use.repository(project.id):
            await asyncio.to_thread(self._drop, project, snapshot, lane)
            if lane is not None and lane.trash_ref == snapshot.ref:
                self._ground.lanes.save(lane.model_copy(update={"trash_ref": ""}))
                self._forget_lane(lane.id)

    def _drop(self, project: Project, snapshot: LaneSnapshot, lane: Lane | None) -> None:
        """The snapshot goes; with the last thing that is known of a lane go its checkpoints and its stashes, dropped
        ones too."""
        git = Git(common_folder(project.path))
        drop_snapshot(git, snapshot)
        shutil.rmtree(self._snapshots.kept_folder(snapshot.id), ignore_errors=True)
        if lane is None or (lane.state == "deleted" and lane.trash_ref == snapshot.ref):
            LaneCheckpoints(LaneFiles(Path(project.path)), snapshot.lane.id).drop_all()
            prefixes = [f"{refs}/{snapshot.lane.id}" for refs in (STASH_REFS, BASE_REFS, *KEPT_REFS)]
            for ref in git.run_now("for-each-ref", "--format=%(refname)", *prefixes).stdout.split():
                git.run_now("update-ref", "-d", ref)

    def _deleted(self, project: Project, trash_id: str) -> Lane:
        for lane in self._ground.lanes.all_of_project(project.id):
            if lane.state == "deleted" and lane.trash_ref.endswith(f"/{trash_id}"):
                return lane
        raise CommandError("not_in_trash", "This lane is not in the trash any more.")

    async def _publish(self, project: Project) -> None:
        lanes = {lane.trash_ref: lane for lane in self._ground.lanes.all_of_project(project.id)}
        found = await asyncio.to_thread(_snapshots, project)
        listed = [
            TrashedLane(
                trash_id=one.id, lane=lanes[one.ref], deleted_at=one.at, deleted_by=one.by, holds=one.holds, ref=one.ref
            )
            for one in found
            if one.ref in lanes and lanes[one.ref].state == "deleted"
        ]
        self._telling.publish(TrashListed(lanes=tuple(listed)))


def _snapshots(project: Project) -> list[LaneSnapshot]:
    return snapshots_in(Git(common_folder(project.path)))
