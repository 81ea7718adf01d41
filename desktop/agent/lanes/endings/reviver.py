"""LaneReviver: brings archived and deleted lanes back."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from desktop.agent.core.ground import Ground
from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.base import LaneActs
from desktop.agent.lanes.endings.snapshots import LaneSnapshots
from desktop.domain.core.errors import LaneError
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.names import IN_USE, free_color
from desktop.services.git.worktree_place import find_place
from desktop.services.lanes.endings.ignored import put_copies_back
from desktop.services.lanes.endings.restore import RestoredLane, restore_lane
from desktop.services.lanes.endings.snapshot import LaneSnapshot
from desktop.services.lanes.identity import lane_moved, misplaced_words
from desktop.services.processes.stubborn import to_its_end


class LaneReviver:
    """All on the engine thread; what blocks runs on worker threads. `revived`: gives a lane that is in use again what
    it needs; the record as it is then."""

    def __init__(
        self,
        ground: Ground,
        acts: LaneActs,
        sessions: Sessions,
        snapshots: LaneSnapshots,
        revived: Callable[[Project, Lane], Awaitable[Lane]],
    ) -> None:
        self._ground = ground
        self._acts = acts
        self._sessions = sessions
        self._snapshots = snapshots
        self._revived = revived

    async def unarchive(self, project: Project, lane: Lane) -> tuple[Lane, tuple[str, ...]]:
        """The lane as it is in use again, and sentences about what is not as it was.

        Raises:
            BanksmanError: it could not be brought back; it is still archived.
        """
        async with self._acts.log.operation("unarchive", lane.id), self._acts.use.repository(project.id):
            if lane.freed and not await asyncio.to_thread(self._still_there, project, lane):
                return await self._restored(project, lane)
            broken = not Path(lane.worktree_path).is_dir() or lane_moved(lane)
            problem = {"state": "broken", "problem": misplaced_words(lane)} if broken else {}
            return await self._active(project, lane, **problem), ((misplaced_words(lane),) if broken else ())

    async def restore(self, project: Project, lane: Lane) -> tuple[Lane, tuple[str, ...]]:
        """A deleted lane as it is in use again, and sentences about what is not as it was.

        Raises:
            BanksmanError: it could not be brought back; it is still in the trash.
        """
        log = self._acts.log.operation("restore", lane.id, ref=lane.trash_ref)
        async with log, self._acts.use.repository(project.id):
            return await self._restored(project, lane)

    async def _restored(self, project: Project, lane: Lane) -> tuple[Lane, tuple[str, ...]]:
        snapshot = await asyncio.to_thread(self._snapshots.find, project, lane)
        if snapshot is None:
            raise LaneError(f"The snapshot of the lane '{lane.name}' is gone, so it cannot be brought back.")
        made, left = await to_its_end(asyncio.to_thread(self._make, project, snapshot))
        found = made.folder.stat()
        revived = await self._active(
            project,
            lane,
            worktree_path=str(made.folder),
            branch=made.branch or ("" if snapshot.branch_oid else lane.branch),
            device=found.st_dev,
            inode=found.st_ino,
            name=self._free_name(project, lane),
        )
        missing = (f"Not put back, because something stands there: {', '.join(left)}.",) if left else ()
        return revived, (*made.notices, *missing)

    def _make(self, project: Project, snapshot: LaneSnapshot) -> tuple[RestoredLane, tuple[str, ...]]:
        made = restore_lane(project.path, snapshot)
        kept = self._snapshots.kept_folder(snapshot.id)
        return made, put_copies_back(kept, made.folder) if kept.is_dir() else ()

    async def _active(self, project: Project, lane: Lane, **changes: object) -> Lane:
        """The lane is in use again, in the list and for its chats. A parent that is not in use any more is dropped."""
        parent = self._ground.lanes.get(lane.parent_id) if lane.parent_id else None
        stands = parent is not None and parent.state in ("active", "broken", "archived")
        known = {"state": "active", "problem": "", "freed": False, "archived_at": None, "trash_ref": ""}
        others = [one for one in self._ground.lanes.known(project.id) if one.id != lane.id]
        if lane.color and any(one.color == lane.color for one in others if one.state in IN_USE):
            known["color"] = free_color(others)
        revived = lane.model_copy(update={**known, "parent_id": lane.parent_id if stands else "", **changes})
        self._ground.lanes.save(revived)
        revived = await self._revived(project, revived)
        for session in self._sessions.opened():
            if session.state.lane_id == lane.id:
                self._sessions.attach(session)
        return revived

    def _free_name(self, project: Project, lane: Lane) -> str:
        others = self._ground.lanes.all_of_project(project.id)
        taken = {one.name.casefold() for one in others if one.id != lane.id and one.state in IN_USE}
        name, number = lane.name, 2
        while name.casefold() in taken:
            name, number = f"{lane.name} {number}", number + 1
        return name

    def _still_there(self, project: Project, lane: Lane) -> bool:
        """Whether the folder was not removed after all, because that was cut off; it stands where it was then."""
        removal = self._snapshots.removal(project, lane)
        if find_place(project.path, lane.worktree_path) is None:
            return False
        if removal.aside.is_dir() and not removal.folder.exists():
            removal.aside.rename(removal.folder)
        return not lane_moved(lane)
