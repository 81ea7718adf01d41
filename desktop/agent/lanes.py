"""Lanes: the record of every lane, kept before, during and after its worktree is made."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from desktop.domain.errors import LaneError
from desktop.domain.ids import new_lane_id
from desktop.domain.lane import Lane
from desktop.domain.work import Project
from desktop.services.lanes import make_worktree, plan_lane, remove_new_worktree
from desktop.store.lane_store import LaneStore


class Lanes:
    """Lanes of all projects. `root`: where their worktrees stand; never inside a repository."""

    def __init__(self, store: LaneStore, root: Path, clock: Callable[[], datetime]) -> None:
        self._store = store
        self.root = root
        self._clock = clock
        self._making = asyncio.Lock()

    def get(self, lane_id: str) -> Lane | None:
        """The lane of that id, None if there is none."""
        return self._store.get(lane_id)

    def of_project(self, project_id: str) -> list[Lane]:
        """The lanes of a project that are in use."""
        return [lane for lane in self._store.of_project(project_id) if lane.state in ("active", "broken")]

    def all_of_project(self, project_id: str) -> list[Lane]:
        """Every lane of a project that was ever recorded, in whatever state, oldest first."""
        return self._store.of_project(project_id)

    def save(self, lane: Lane) -> None:
        """Keep what is now known of a lane; on the disk when this returns.

        Raises:
            StoreError: it was not kept.
        """
        self._store.save(lane)

    async def primary(self, project: Project) -> Lane:
        """The lane that is the person's own checkout; recorded at the first call."""
        known = next((lane for lane in self._store.of_project(project.id) if lane.type == "primary"), None)
        found = Path(project.path).stat()
        lane = Lane(
            id=known.id if known is not None else new_lane_id(),
            project_id=project.id,
            name=project.name,
            type="primary",
            branch=project.branch,
            worktree_path=project.path,
            device=found.st_dev,
            inode=found.st_ino,
            created_at=known.created_at if known is not None else self._clock(),
        )
        self._store.save(lane)
        return lane

    async def create(self, project: Project, name: str, start: tuple[str, str] | None = None) -> Lane:
        """A new worktree on a new branch. The record is on disk first, as `creating`.

        `start`: name and commit that it begins at, None: the repository's default branch.

        Raises:
            LaneError: with the step that failed and git's words; nothing of the lane is left.
        """
        async with self._making:  # two at once would choose the same branch and folder
            taken = {lane.name.casefold() for lane in self._store.of_project(project.id) if lane.state != "archived"}
            planned = await plan_lane(project, name, self.root, taken, self._clock())
            if start is not None:
                planned = planned.model_copy(update={"base_ref": start[0], "base_oid": start[1]})
            self._store.save(planned)
            try:
                lane = await make_worktree(project, planned)
            except LaneError:
                self._store.save(planned.model_copy(update={"state": "archived"}))
                raise
            self._store.save(lane)
            return lane

    async def discard(self, project: Project, lane: Lane) -> None:
        """Take back a lane that was just made, before anything worked in it."""
        await remove_new_worktree(project, lane)
        self._store.save(lane.model_copy(update={"state": "archived"}))
