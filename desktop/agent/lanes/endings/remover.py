"""LaneRemover: deletes and archives lanes step by step, so that a crash leaves a state that is gone on from."""

import asyncio
import contextlib
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from desktop.agent.core.parts import LaneParts
from desktop.agent.lanes.folder import files_of
from desktop.agent.lanes.project_log import Operation
from desktop.domain.core.errors import BanksmanError, LaneError
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LaneLoss
from desktop.services.changes.push import delete_pushed
from desktop.services.git.run import Git
from desktop.services.git.worktree_place import common_folder
from desktop.services.history.refs import CheckpointRefs
from desktop.services.lanes.endings.losses import held_words
from desktop.services.lanes.endings.removal import LaneRemoval, Purpose, delete_branch
from desktop.services.lanes.endings.snapshot import LaneSnapshot, renewed, snapshots_in
from desktop.services.processes.stubborn import to_its_end

KEPT_FOLDER = "lanes"


@dataclass(frozen=True)
class Scopes:
    """What of a lane goes besides its folder. `keep_paths`: ignored files to keep a copy of, None for all."""

    with_branch: bool = False
    with_remote: bool = False
    keep_paths: tuple[str, ...] | None = None


class LaneRemover:
    """All on the engine thread; what blocks runs on worker threads, alone with the repository and the lane. `teardown`:
    what the repository wants to run in a lane before it goes; it gives why that failed, in words."""

    def __init__(self, parts: LaneParts) -> None:
        self._parts = parts
        self.teardown: Callable[[Lane], Awaitable[str]] = no_teardown
        self._removals: dict[str, LaneRemoval] = {}

    def kept_folder(self, snapshot_id: str) -> Path:
        """Where copies of ignored files of a snapshot are."""
        return self._parts.folders.data / "trash" / KEPT_FOLDER / snapshot_id.replace("/", "-")

    def removal(self, project: Project, lane: Lane) -> LaneRemoval:
        """What removes the folder of this lane."""
        return LaneRemoval(project.path, lane, self.kept_folder)

    async def unlink(self, lane: Lane) -> None:
        """Forget an attached lane; its files and branch stay."""
        async with self._parts.log.operation("unlink", lane.id, path=lane.worktree_path):
            await self._parts.use.stop(lane.id)
            self._parts.lanes.save(lane.model_copy(update={"state": "deleted", "trash_ref": ""}))

    async def delete(self, project: Project, loss: LaneLoss, scopes: Scopes) -> tuple[str, str]:
        """The lane is gone and in the trash. Gives the id there, and what did not go as wished, in words.

        Raises:
            BanksmanError: it was not deleted, and nothing of it was removed.
        """
        lane, parts = loss.lane, self._parts
        arguments: dict[str, JsonValue] = {
            "with_branch": scopes.with_branch, "with_remote": scopes.with_remote, "branch": lane.branch,
            "branch_oid": loss.branch_oid, "remote_branch": loss.remote_branch, "remote_oid": loss.remote_oid,
            "branch_kept": loss.branch_kept,
        }  # fmt: skip
        async with parts.log.operation("delete", lane.id, by="person", **arguments) as running:
            await parts.use.stop(lane.id)
            undone = await self.teardown(lane) if not lane.freed else ""
            async with parts.use.repository(project.id), parts.use.lane(lane.id):
                deleting = lane.model_copy(update={"state": "deleting"})
                parts.lanes.save(deleting)
                snapshot = await self._kept(project, lane, "delete", scopes, held_words(loss, scopes.keep_paths or ()))
                parts.lanes.save(deleting.model_copy(update={"trash_ref": snapshot.ref}))
                trash_id, problems = await self._finished(project, lane, snapshot, loss, scopes, running)
                return trash_id, " ".join(filter(None, (undone, problems)))

    async def go_on(self, project: Project, lane: Lane, loss: LaneLoss, scopes: Scopes) -> str:
        """Finish a deletion that a crash cut off after its snapshot was kept; what did not go as wished."""
        found = await asyncio.to_thread(self.find, project, lane)
        if found is None:
            self._parts.lanes.save(as_before(lane))
            return ""
        if found.purpose != "delete":
            found = await asyncio.to_thread(self._keep, project, lane, "delete", scopes)
        use, log = self._parts.use, self._parts.log
        async with use.repository(project.id), use.lane(lane.id), log.operation("go on deleting", lane.id) as running:
            return (await self._finished(project, lane, found, loss, scopes, running))[1]

    async def archive(self, project: Project, lane: Lane, *, free_disk: bool) -> str:
        """The lane is hidden; with `free_disk` its folder is gone. Gives what did not go as wished, in words."""
        parts = self._parts
        async with parts.log.operation("archive", lane.id, free_disk=free_disk) as running:
            await parts.use.stop(lane.id)
            async with parts.use.repository(project.id), parts.use.lane(lane.id):
                hidden = lane.model_copy(update={"state": "archived", "archived_at": parts.clock(), "problem": ""})
                if not free_disk:
                    with contextlib.suppress(BanksmanError):  # nothing of the lane goes, so nothing depends on it
                        await parts.keeper.work_in(lane, files_of(parts, lane), lambda kept: kept.take("manual"))
                    parts.lanes.save(hidden)
                    return ""
                snapshot = await self._kept(project, lane, "archive", Scopes())
                running.result |= {"ref": snapshot.ref, "commit": snapshot.commit}
                parts.lanes.save(hidden.model_copy(update={"freed": True, "trash_ref": snapshot.ref}))
                try:
                    running.text = await self._removed(project, lane, snapshot)
                except BanksmanError:
                    parts.lanes.save(lane)
                    raise
                return running.text

    def find(self, project: Project, lane: Lane) -> LaneSnapshot | None:
        """The snapshot that the lane's record names. Blocking."""
        found = snapshots_in(Git(common_folder(project.path)), f"{lane.id}/")
        return next((one for one in found if one.ref == lane.trash_ref), None)

    async def _kept(
        self, project: Project, lane: Lane, purpose: Purpose, scopes: Scopes, holds: str = ""
    ) -> LaneSnapshot:
        try:
            return await to_its_end(asyncio.to_thread(self._keep, project, lane, purpose, scopes, holds))
        except BaseException:
            self._parts.lanes.save(lane)
            raise

    def _keep(self, project: Project, lane: Lane, purpose: Purpose, scopes: Scopes, holds: str = "") -> LaneSnapshot:
        at, git = self._parts.clock(), Git(common_folder(project.path))
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

    async def _removed(self, project: Project, lane: Lane, snapshot: LaneSnapshot) -> str:
        """The folder goes; by the same eyes that made the snapshot, which need not read everything twice."""
        removal = self._removals.pop(lane.id, None) or self.removal(project, lane)
        return await to_its_end(asyncio.to_thread(removal.remove, snapshot))

    async def _finished(
        self, project: Project, lane: Lane, snapshot: LaneSnapshot, loss: LaneLoss, scopes: Scopes, running: Operation
    ) -> tuple[str, str]:
        """Everything after the snapshot. The folder goes or nothing does; what fails later is told."""
        running.result |= {"ref": snapshot.ref, "commit": snapshot.commit}
        problems: list[str] = []
        if not lane.freed:
            try:
                problems.append(await self._removed(project, lane, snapshot))
            except BanksmanError:
                self._parts.lanes.save(as_before(lane))
                raise
        git = Git(await asyncio.to_thread(common_folder, project.path))
        if scopes.with_remote and loss.remote_branch:
            remote, _, branch = loss.remote_branch.partition("/")
            login = self._parts.github.git_token
            deleting = delete_pushed(git.folder, remote, branch, loss.remote_oid, login=login)
            problems.append(await _tried(deleting))
        if scopes.with_branch and not loss.branch_kept:
            oid = snapshot.branch_oid or loss.branch_oid
            problems.append(await _tried(asyncio.to_thread(delete_branch, git, lane.branch, oid)))
        deleted = lane.model_copy(update={"state": "deleted", "trash_ref": snapshot.ref, "problem": "", "freed": False})
        self._parts.lanes.save(deleted)
        running.text = " ".join(filter(None, problems))
        return snapshot.id, running.text


async def no_teardown(_lane: Lane) -> str:
    """Where nothing is to be run."""
    return ""


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
