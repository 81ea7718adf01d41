"""Worktrees that were there before the app knew of them: which can become lanes, and as what (lanes-L34)."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from desktop.domain.core.errors import LaneError
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.names import checked_name, free_color, free_name, lane_slug, require_free_name
from desktop.records import dataclass
from desktop.services.git.base_branches import default_base, merge_base
from desktop.services.git.run import Git
from desktop.services.git.worktree_place import pointer_of
from desktop.services.lanes.worktrees import Worktree, list_worktrees, same_folder


@dataclass(frozen=True)
class Importable:
    """A worktree that is no lane. `problem`: why it cannot become one, "" if it can."""

    worktree: Worktree
    problem: str = ""


async def importable(project: Project, lanes: Sequence[Lane]) -> list[Importable]:
    """The worktrees of a repository that are no lanes; not the person's checkout. `lanes`: those that are not deleted.

    Raises:
        GitError: they could not be listed.
    """
    listed = await list_worktrees(Git(Path(project.path)))
    known = [Path(lane.worktree_path) for lane in lanes if lane.state != "archived"]
    others = [one for one in listed[1:] if not any(same_folder(one.path, path) for path in known)]
    return [Importable(one, _problem(one, lanes)) for one in others]


async def plan_import(
    project: Project, path: Path, name: str, lane_id: str, lanes: Sequence[Lane], now: datetime
) -> Lane:
    """The worktree in this folder as a lane of type attached. Nothing is changed.

    Raises:
        LaneError: it cannot become a lane; the text says why.
        GitError: git could not tell.
    """
    git = Git(Path(project.path))
    worktree = _at(path, await list_worktrees(git), project)
    known = next((lane for lane in lanes if same_folder(Path(lane.worktree_path), worktree.path)), None)
    if known is not None and known.state != "archived":
        raise LaneError(f"This folder is the lane '{known.name}' already.")
    if problem := _problem(worktree, lanes):
        raise LaneError(problem)
    if name.strip():
        require_free_name(checked_name(name), lanes)
    base = await default_base(git, project.branch)
    found = await asyncio.to_thread(worktree.path.stat)
    wanted = worktree.branch.rpartition("/")[2] or worktree.path.name
    return Lane(
        id=lane_id,
        project_id=project.id,
        name=checked_name(name) if name.strip() else free_name(wanted, lane_slug(wanted, lane_id), lanes),
        type="attached",
        branch=worktree.branch,
        branch_from="existing",
        worktree_path=str(worktree.path),
        base_ref=base.name,
        base_oid=await merge_base(git, base.oid, worktree.head) or base.oid,
        device=found.st_dev,
        inode=found.st_ino,
        color=free_color(lanes),
        created_by="person",
        created_at=now,
    )


def _at(path: Path, worktrees: list[Worktree], project: Project) -> Worktree:
    """The worktree whose top folder this is. Git is not started in the folder: it may be anybody's."""
    if not path.is_dir():
        raise LaneError(f"'{path}' is not a folder.")
    if same_folder(path, worktrees[0].path) or same_folder(path, Path(project.path)):
        raise LaneError("This is your own checkout. A chat can work in it without a lane.")
    found = next((one for one in worktrees[1:] if same_folder(one.path, path)), None)
    if found is not None:
        return found
    real = path.resolve()
    around = next((one for one in worktrees if real.is_relative_to(one.path.resolve())), None)
    if around is not None:
        raise LaneError(f"'{path}' is a folder inside the worktree '{around.path}'. Choose that one.")
    raise LaneError(f"'{path}' is not a worktree of the repository '{project.name}'.")


def _problem(worktree: Worktree, lanes: Sequence[Lane]) -> str:
    """Why a worktree cannot become a lane, "" if it can. Looks at small files."""
    if not worktree.path.is_dir():
        return f"The folder {worktree.path} is gone."
    if worktree.prunable is not None or not pointer_of(worktree.path):
        return f"The .git file of {worktree.path} is missing or leads nowhere."
    real = worktree.path.resolve()
    for lane in lanes:
        there = Path(lane.worktree_path).resolve()
        if lane.state == "archived" and there == real:
            return f"This folder is the archived lane '{lane.name}'. Unarchive it instead."
        if lane.type != "primary" and real != there and real.is_relative_to(there):
            return f"This folder is inside the lane '{lane.name}'."
        if worktree.branch and lane.type != "primary" and lane.branch == worktree.branch:
            return f"Branch \"{worktree.branch}\" belongs to the lane '{lane.name}'."
    return ""
