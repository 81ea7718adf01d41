"""LaneRecovery: goes on with deletions and archivings that a crash cut off, and takes back files half put back."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable
from pathlib import Path

from desktop.agent.core.ground import Ground
from desktop.agent.lanes.base import LaneActs, LaneContents
from desktop.agent.lanes.endings.remover import LaneRemover, as_before
from desktop.agent.lanes.endings.scopes import Scopes
from desktop.agent.lanes.endings.snapshots import LaneSnapshots
from desktop.agent.lanes.project_log import ProjectLog
from desktop.domain.core.errors import BanksmanError, GitError
from desktop.domain.core.work import Project
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LaneLoss
from desktop.records import dataclass
from desktop.services.git.worktree_place import find_place
from desktop.services.history.refs import half_put_back
from desktop.services.lanes.endings.restore import undo_half_made

logger = logging.getLogger(__name__)

_OURS = frozenset(
    {
        "delete",
        "go on deleting",
        "archive",
        "unarchive",
        "restore",
        "purge",
        "unlink",
        "repair",
    }
)


@dataclass(frozen=True)
class CutOff:
    """Lanes as they were recorded, and operations that have no end."""

    lanes: tuple[Lane, ...] = ()
    operations: tuple[LaneOperationStarted, ...] = ()


class LaneRecovery:
    """All on the engine thread, once for each repository that is opened."""

    def __init__(
        self,
        ground: Ground,
        listed: Callable[[], None],
        acts: LaneActs,
        contents: LaneContents,
        remover: LaneRemover,
        snapshots: LaneSnapshots,
    ) -> None:
        self._ground = ground
        self._contents = contents
        self._listed = listed
        self._acts = acts
        self._remover = remover
        self._snapshots = snapshots
        self._done: set[str] = set()
        self._making_cut: set[str] = set()

    def left(self, project: Project) -> CutOff:
        """What an earlier process left of it; nothing the second time. To be asked in the moment in which it is opened:
        what begins after that is not cut off."""
        if project.id in self._done:
            return CutOff()
        self._done.add(project.id)
        open_ones = tuple(one for one in self._acts.log.unfinished() if one.operation in _OURS)
        lanes = tuple(self._ground.lanes.all_of_project(project.id))
        self._making_cut |= {lane.id for lane in lanes if lane.state == "creating"}
        return CutOff(lanes, open_ones)

    def half_made(self, lanes: Iterable[Lane]) -> list[Lane]:
        """Those whose making an earlier process did not come to the end of."""
        return [lane for lane in lanes if lane.state == "creating" and lane.id in self._making_cut]

    async def go_on(self, project: Project, left: CutOff) -> None:
        """Every lane is whole again or in the trash; what cannot be gone on with is told with the lane."""
        halved: frozenset[str] = frozenset()
        with contextlib.suppress(GitError):  # then it is done when the lane is worked in
            halved = await asyncio.to_thread(half_put_back, Path(project.path))
        for lane in left.lanes:
            begun = [one for one in left.operations if one.lane_id == lane.id]
            try:
                if lane.id in halved and lane.state == "active":
                    await self._contents.keeper.work_in(lane, self._contents.files(lane), lambda _: None)
                await self._one(project, lane, begun)
            except (BanksmanError, OSError) as error:
                logger.warning("a lane could not be gone on with: %s", error)
                self._tell(lane, str(error))
        _close(self._acts.log, left.operations)

    async def _one(self, project: Project, lane: Lane, begun: list[LaneOperationStarted]) -> None:
        if lane.state == "deleting" and (not lane.trash_ref or (lane.freed and not begun)):
            self._ground.lanes.save(as_before(lane))
        elif lane.state == "deleting":
            await self._remover.go_on(project, lane, *_wanted(lane, begun))
        elif lane.state == "archived" and lane.freed:
            await self._archived(project, lane, undo=any(one.operation == "unarchive" for one in begun))
        elif lane.state == "deleted" and any(one.operation == "restore" for one in begun):
            await self._half_made(project, lane)
        else:
            return
        self._listed()

    async def _archived(self, project: Project, lane: Lane, *, undo: bool) -> None:
        """The folder of an archived lane goes, if that was cut off; one that was half brought back goes as well."""
        aside = self._snapshots.removal(project, lane).aside.is_dir()
        if not aside and await asyncio.to_thread(find_place, project.path, lane.worktree_path) is None:
            return
        if undo and not aside:
            await self._half_made(project, lane)
            return
        found = await asyncio.to_thread(self._snapshots.find, project, lane)
        async with self._acts.use.repository(project.id), self._acts.use.lane(lane.id):
            try:
                if found is not None:
                    await asyncio.to_thread(self._snapshots.removal(project, lane).remove, found)
            except BanksmanError:
                self._ground.lanes.save(lane.model_copy(update={"freed": False, "trash_ref": ""}))
                raise

    async def _half_made(self, project: Project, lane: Lane) -> None:
        found = await asyncio.to_thread(self._snapshots.find, project, lane)
        if found is not None:
            async with self._acts.use.repository(project.id):
                await asyncio.to_thread(undo_half_made, project.path, found, self._snapshots.kept_folder(found.id))

    def _tell(self, lane: Lane, problem: str) -> None:
        now = self._ground.lanes.get(lane.id)
        if now is not None and now.state in ("deleting", "active", "broken"):
            self._ground.lanes.save(as_before(now).model_copy(update={"state": "broken", "problem": problem}))
            self._listed()


def _wanted(lane: Lane, begun: list[LaneOperationStarted]) -> tuple[LaneLoss, Scopes]:
    """What of the lane was to go, as it was recorded before the first step."""
    recorded = next((one.arguments for one in reversed(begun) if one.operation == "delete"), {})
    loss = LaneLoss(
        lane=lane,
        branch_oid=str(recorded.get("branch_oid", "")),
        remote_branch=str(recorded.get("remote_branch", "")),
        remote_oid=str(recorded.get("remote_oid", "")),
        branch_kept=str(recorded.get("branch_kept", "")),
    )
    return loss, Scopes(recorded.get("with_branch") is True, recorded.get("with_remote") is True)


def _close(log: ProjectLog, open_ones: tuple[LaneOperationStarted, ...]) -> None:
    ends = [
        LaneOperationFinished(
            operation_id=one.operation_id,
            operation=one.operation,
            lane_id=one.lane_id,
            status="interrupted",
            text="Banksman closed meanwhile.",
        )
        for one in open_ones
    ]
    if ends:
        log.append(*ends)
