"""The branch of a lane: giving it another name, or checking out another one (lanes-L24, lanes-L25)."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from desktop.domain.core.errors import LaneError
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.names import lane_slug
from desktop.services.files.pointers import git_folders
from desktop.services.git.base_branches import default_base, find_base, merge_base
from desktop.services.git.reads import Repository
from desktop.services.git.run import STATUS_LIMIT_S, WORKTREE_LIMIT_S, Git
from desktop.services.lanes.making.plan import free_branch
from desktop.services.lanes.setup_files import unchanged
from desktop.services.lanes.worktrees import require_not_open

_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"


async def was_pushed(git: Git, branch: str) -> bool:
    """Whether a remote may know this branch: it follows one, or a remote-tracking branch has its name.

    Raises:
        GitError: that could not be told.
    """
    fields = "%(upstream)"
    own = await git.run("for-each-ref", f"--format={fields}", f"{_HEADS}{branch}")
    if own.stdout.strip():
        return True
    refs = (await git.run("for-each-ref", "--format=%(refname)", _REMOTES, limit_s=STATUS_LIMIT_S)).stdout
    return any(ref.removeprefix(_REMOTES).partition("/")[2] == branch for ref in refs.splitlines())


async def rename_branch(lane: Lane, name: str, prefix: str) -> Lane:
    """The lane with its branch named after `name`; the folder stays where it is.

    Raises:
        LaneError: the branch may be known elsewhere, or something is under way in the lane.
        GitError: git refused; nothing was changed.
    """
    git = Git(Path(lane.worktree_path))
    if not lane.branch:
        raise LaneError("This lane is on no branch that could be renamed.")
    if lane.pr_number or await was_pushed(git, lane.branch):
        raise LaneError(f'Branch "{lane.branch}" was pushed, so it keeps its name. Rename the lane alone.')
    _require_no_operation(lane)
    slug = lane_slug(name, lane.id)
    if f"{prefix}{slug}" == lane.branch:
        return lane
    branch, _ = await free_branch(git, prefix, slug)
    await git.run("branch", "-m", "--end-of-options", lane.branch, branch)
    return lane.model_copy(update={"branch": branch})


async def switch_branch(project: Project, lane: Lane, name: str, others: Sequence[Lane]) -> Lane:
    """The lane with another branch checked out; a remote one is followed by a new local one.

    Raises:
        LaneError: something but what the setup made is not committed, or under way, there is no such branch, or it is
            open elsewhere.
        GitError: git refused; nothing was changed.
    """
    git = Git(Path(lane.worktree_path))
    if name == lane.branch:
        return lane
    _require_no_operation(lane)
    status = await git.run_on_files("status", "--porcelain", "-z", "--untracked-files=all", limit_s=STATUS_LIMIT_S)
    made = {f"?? {path}" for path in await asyncio.to_thread(unchanged, git.folder, lane.setup_files)}
    if left := [name for name in status.names if name not in made]:
        raise LaneError(_uncommitted_words(len(left)))
    found = await find_base(git, name)
    if found.kind == "commit":
        raise LaneError(f'"{name}" is no branch. Choose a branch.')
    local = found.name.partition("/")[2] if found.kind == "remote" else found.name
    await asyncio.to_thread(require_not_open, git, local, others)
    there = await git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{_HEADS}{local}", check=False)
    new = ("--track", "-c", local, f"{_REMOTES}{found.name}") if there.status != 0 else (local,)
    await git.run_on_files("switch", "--no-guess", "--no-recurse-submodules", *new, limit_s=WORKTREE_LIMIT_S)
    base = await default_base(git, project.branch)
    head = (await git.run("rev-parse", "HEAD")).stdout.strip()
    changes = {"branch": local, "base_ref": base.name, "base_oid": await merge_base(git, base.oid, head) or base.oid}
    return lane.model_copy(update={**changes, "branch_from": "existing", "pr_number": 0, "parent_id": ""})


def _uncommitted_words(count: int) -> str:
    if count == 1:
        return "1 file in this lane is not committed. Commit it first, or revert it."
    return f"{count} files in this lane are not committed. Commit them first, or revert them."


def _require_no_operation(lane: Lane) -> None:
    try:
        operation = Repository(*git_folders(Path(lane.worktree_path))).operation
    except (OSError, ValueError) as error:
        raise LaneError(f'Lane "{lane.name}" cannot be read: {error}.') from error
    if operation:
        raise LaneError(f"A {operation} is under way in this lane. Finish or abort it first.")
