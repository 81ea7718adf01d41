"""Whether a lane is still the worktree it was made as, by its files and in git's own words (lanes-G8)."""

import asyncio
import contextlib
import os
from pathlib import Path

from desktop.domain.core.errors import GitError, LaneError
from desktop.domain.lanes.lane import Lane
from desktop.services.files.plain_paths import above, facts_of, is_link, is_same, joined
from desktop.services.files.pointers import git_places, read_pointer
from desktop.services.git.run import Git
from desktop.services.projects import project_id, resolved_project_id


def lane_moved(lane: Lane) -> bool:
    """The folder of this lane is gone, is another one than it was created as, or its `.git` leads to another repository
    or another worktree. Looks at a few small files; starts nothing."""
    try:
        found = facts_of(lane.worktree_path)
    except OSError:
        return True
    return (found.st_dev, found.st_ino) != (lane.device, lane.inode) or not _own_git(lane)


def misplaced(lane: Lane) -> str:
    """Why nothing may work in this lane, "" if nothing stands against it: the folder is there and is not the lane's.
    Of a folder that is gone nothing is said here. Looks at a few small files; starts nothing."""
    return misplaced_words(lane) if os.path.lexists(lane.worktree_path) and lane_moved(lane) else ""


def misplaced_words(lane: Lane) -> str:
    """The sentence about a lane that is not where it should be."""
    if not os.path.lexists(lane.worktree_path):
        return f'The folder of lane "{lane.name}" is gone.'
    return f'Lane "{lane.name}" does not point at its own folder. Repair or remove it.'


async def require_own_folder(lane: Lane, repository: Path) -> None:
    """Ask before each write in a lane. `repository`: the person's checkout.

    Raises:
        LaneError: the lane is not its own folder of this repository; nothing was changed.
        GitError: git could not tell.
    """
    if not await asyncio.to_thread(_fits, lane, repository):
        raise LaneError(misplaced_words(lane))


def _fits(lane: Lane, repository: Path) -> bool:
    """By its files first, so that git is never started in a folder that leads elsewhere; then by what git says."""
    if lane_moved(lane):
        return False
    folder = Path(lane.worktree_path).resolve()
    try:
        asked = ("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
        top, _, common = os.fsdecode(Git(folder).run_now(*asked).raw).rstrip("\n").rpartition("\n")
        listed = Git(repository).run_now("worktree", "list", "--porcelain", "-z").names
    except GitError as error:
        if error.status is None or error.status < 0:
            raise
        return False
    known = {Path(line.removeprefix("worktree ")).resolve() for line in listed if line.startswith("worktree ")}
    return Path(top).resolve() == folder and project_id(Path(common)) == lane.project_id and folder in known


def _own_git(lane: Lane) -> bool:
    folder = lane.worktree_path
    with contextlib.suppress(OSError, ValueError):
        git_folder, common = git_places(folder)
        if resolved_project_id(common) != lane.project_id:
            return False
        if git_folder == common:
            return lane.type == "primary"
        back = read_pointer(joined(git_folder, "gitdir"))
        leads_back = bool(back) and is_same(above(joined(git_folder, back)), folder)
        return leads_back and not is_link(joined(folder, ".git"))
    return False
