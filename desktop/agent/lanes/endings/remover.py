"""LaneRemover: deletes and archives lanes step by step, so that a crash leaves a state that is gone on from."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from pydantic import JsonValue

from desktop.agent.core.lane_register import Lanes
from desktop.agent.lanes.base import LaneActs, LaneContents
from desktop.agent.lanes.endings.scopes import Scopes
from desktop.agent.lanes.endings.snapshots import LaneSnapshots
from desktop.agent.lanes.project_log import Operation
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LaneLoss
from desktop.services.changes.push import delete_pushed
from desktop.services.git.login import Login
from desktop.services.git.run import Git
from desktop.services.git.worktree_place import common_folder
from desktop.services.lanes.endings.losses import held_words
from desktop.services.lanes.endings.removal import Purpose, delete_branch
from desktop.services.lanes.endings.snapshot import LaneSnapshot
from desktop.services.processes.stubborn import to_its_end


class LaneRemover:
    """All on the engine thread; what blocks runs on worker threads, alone with the repository and the lane. `teardown`:
    what the repository wants to run in a lane before it goes; it gives why that failed, in words."""

    def __init__(
        self,
        lanes: Lanes,
        acts: LaneActs,
        contents: LaneContents,
        snapshots: LaneSnapshots,
        login: Login,
        teardown: Callable[[Lane], Awaitable[str]],
    ) -> None:
        self._lanes = lanes
        self._acts = acts
        self._contents = contents
        self._snapshots = snapshots
        self._login = login
        self._teardown = teardown

    async def unlink(self, lane: Lane) -> None:
        """Forget an attached lane; its files and branch stay."""
        async with self._acts.log.operation("unlink", lane.id, path=lane.worktree_path):
            await self._acts.use.stop(lane.id)
            self._lanes.save(lane.model_copy(update={"state": "deleted", "trash_ref": ""}))

    async def delete(self, project: Project, loss: LaneLoss, scopes: Scopes) -> tuple[str, str]:
        """The lane is gone and in the trash. Gives the id there, and what did not go as wished, in words.

        Raises:
            BanksmanError: it was not deleted, and nothing of it was removed.
        """
        lane = loss.lane
        arguments: dict[str, JsonValue] = {
            "with_branch": scopes.with_branch,
            "with_remote": scopes.with_remote,
            "branch": lane.branch,
            "branch_oid": loss.branch_oid,
            "remote_branch": loss.remote_branch,
            "remote_oid": loss.remote_oid,
            "branch_kept": loss.branch_kept,
        }
        async with self._acts.log.operation("delete", lane.id, by="person", **arguments) as running:
            await self._acts.use.stop(lane.id)
            undone = await self._teardown(lane) if not lane.freed else ""
            async with self._acts.use.repository(project.id), self._acts.use.lane(lane.id):
                deleting = lane.model_copy(update={"state": "deleting"})
                self._lanes.save(deleting)
                snapshot = await self._kept(project, lane, "delete", scopes, held_words(loss, scopes.keep_paths or ()))
                self._lanes.save(deleting.model_copy(update={"trash_ref": snapshot.ref}))
                trash_id, problems = await self._finished(project, lane, snapshot, loss, scopes, running)
                return trash_id, " ".join(filter(None, (undone, problems)))

    async def go_on(self, project: Project, lane: Lane, loss: LaneLoss, scopes: Scopes) -> str:
        """Finish a deletion that a crash cut off after its snapshot was kept; what did not go as wished."""
        found = await asyncio.to_thread(self._snapshots.find, project, lane)
        if found is None:
            self._lanes.save(as_before(lane))
            return ""
        if found.purpose != "delete":
            found = await asyncio.to_thread(self._snapshots.keep, project, lane, "delete", scopes)
        use, log = self._acts.use, self._acts.log
        async with use.repository(project.id), use.lane(lane.id), log.operation("go on deleting", lane.id) as running:
            return (await self._finished(project, lane, found, loss, scopes, running))[1]

    async def archive(self, project: Project, lane: Lane, *, free_disk: bool) -> str:
        """The lane is hidden; with `free_disk` its folder is gone. Gives what did not go as wished, in words."""
        async with self._acts.log.operation("archive", lane.id, free_disk=free_disk) as running:
            await self._acts.use.stop(lane.id)
            async with self._acts.use.repository(project.id), self._acts.use.lane(lane.id):
                hidden = lane.model_copy(
                    update={"state": "archived", "archived_at": self._snapshots.clock(), "problem": ""}
                )
                if not free_disk:
                    with contextlib.suppress(BanksmanError):  # nothing of the lane goes, so nothing depends on it
                        await self._contents.keeper.work_in(
                            lane, self._contents.files(lane), lambda kept: kept.take("manual")
                        )
                    self._lanes.save(hidden)
                    return ""
                snapshot = await self._kept(project, lane, "archive", Scopes())
                running.result |= {"ref": snapshot.ref, "commit": snapshot.commit}
                self._lanes.save(hidden.model_copy(update={"freed": True, "trash_ref": snapshot.ref}))
                try:
                    running.text = await self._snapshots.removed(project, lane, snapshot)
                except BanksmanError:
                    self._lanes.save(lane)
                    raise
                return running.text

    async def _kept(
        self, project: Project, lane: Lane, purpose: Purpose, scopes: Scopes, holds: str = ""
    ) -> LaneSnapshot:
        try:
            return await to_its_end(asyncio.to_thread(self._snapshots.keep, project, lane, purpose, scopes, holds))
        except BaseException:
            self._lanes.save(lane)
            raise

    async def _finished(
        self, project: Project, lane: Lane, snapshot: LaneSnapshot, loss: LaneLoss, scopes: Scopes, running: Operation
    ) -> tuple[str, str]:
        """Everything after the snapshot. The folder goes or nothing does; what fails later is told."""
        running.result |= {"ref": snapshot.ref, "commit": snapshot.commit}
        problems: list[str] = []
        if not lane.freed:
            try:
                problems.append(await self._snapshots.removed(project, lane, snapshot))
            except BanksmanError:
                self._lanes.save(as_before(lane))
                raise
        git = Git(await asyncio.to_thread(common_folder, project.path))
        if scopes.with_remote and loss.remote_branch:
            remote, _, branch = loss.remote_branch.partition("/")
            login = self._login
            deleting = delete_pushed(git.folder, remote, branch, loss.remote_oid, login=login)
            problems.append(await _tried(deleting))
        if scopes.with_branch and not loss.branch_kept:
            oid = snapshot.branch_oid or loss.branch_oid
            problems.append(await _tried(asyncio.to_thread(delete_branch, git, lane.branch, oid)))
        deleted = lane.model_copy(update={"state": "deleted", "trash_ref": snapshot.ref, "problem": "", "freed": False})
        self._lanes.save(deleted)
        running.text = " ".join(filter(None, problems))
        return snapshot.id, running.text


def as_before(lane: Lane) -> Lane:
    """The record of a lane whose deletion does not take place."""
    if lane.state != "deleting":
        return lane
    before = "archived" if lane.archived_at is not None else "active"
    return lane.model_copy(update={"state": before, "trash_ref": lane.trash_ref if lane.freed else ""})


async def _tried(doing: Awaitable[None]) -> str:
    """What went wrong, in words; "" when it was done."""
    try:
        await doing
    except BanksmanError as error:
        return str(error)
    return ""
