"""LaneSnapshots: what is kept of lanes that go: their snapshots, and the copies of files that git ignores."""

import asyncio
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from desktop.agent.lanes.endings.scopes import Scopes
from desktop.domain.core.errors import LaneError
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane
from desktop.services.git.run import Git
from desktop.services.git.worktree_place import common_folder
from desktop.services.history.refs import CheckpointRefs
from desktop.services.lanes.endings.removal import LaneRemoval, Purpose
from desktop.services.lanes.endings.snapshot import LaneSnapshot, renewed, snapshots_in
from desktop.services.processes.stubborn import to_its_end


class LaneSnapshots:
    """`folder`: where copies of ignored files are; `clock`: when lanes go. What blocks runs on worker threads."""

    def __init__(self, folder: Path, clock: Callable[[], datetime]) -> None:
        self._folder = folder
        self.clock = clock
        self._removals: dict[str, LaneRemoval] = {}

    def kept_folder(self, snapshot_id: str) -> Path:
        """Where copies of ignored files of a snapshot are."""
        return self._folder / snapshot_id.replace("/", "-")

    def removal(self, project: Project, lane: Lane) -> LaneRemoval:
        """What removes the folder of this lane."""
        return LaneRemoval(project.path, lane, self.kept_folder)

    def find(self, project: Project, lane: Lane) -> LaneSnapshot | None:
        """The snapshot that the lane's record names. Blocking."""
        found = snapshots_in(Git(common_folder(project.path)), f"{lane.id}/")
        return next((one for one in found if one.ref == lane.trash_ref), None)

    def keep(self, project: Project, lane: Lane, purpose: Purpose, scopes: Scopes, holds: str = "") -> LaneSnapshot:
        """The snapshot of a lane that is about to go. Blocking.

        Raises:
            BanksmanError: it could not be made, so nothing of the lane may go.
        """
        at, git = self.clock(), Git(common_folder(project.path))
        if lane.freed:
            found = self.find(project, lane)
            if found is None:
                raise LaneError(f"The snapshot of the lane '{lane.name}' is gone, so it is not deleted.")
            made = renewed(git, found.model_copy(update={"holds": holds}), purpose, at)
            if self.kept_folder(found.id).is_dir():
                shutil.copytree(self.kept_folder(found.id), self.kept_folder(made.id), symlinks=True)
            return made
        tree = ""
        if not Path(lane.worktree_path).is_dir():
            checkpoints = CheckpointRefs(Path(project.path), lane.id).all()
            tree = checkpoints[0].tree if checkpoints else ""
        removal = self._removals[lane.id] = self.removal(project, lane)
        return removal.snapshot(purpose, at, holds=holds, keep=scopes.keep_paths, tree=tree)

    async def removed(self, project: Project, lane: Lane, snapshot: LaneSnapshot) -> str:
        """The folder goes; by the same eyes that made the snapshot, which need not read everything twice."""
        removal = self._removals.pop(lane.id, None) or self.removal(project, lane)
        return await to_its_end(asyncio.to_thread(removal.remove, snapshot))
