"""The base of a lane, against which it is measured and into which it is merged: the branch of its parent, or the newest
of its base."""

from pathlib import Path

from desktop.domain.core.errors import LaneError
from desktop.domain.lanes.lane import Lane
from desktop.records import dataclass
from desktop.services.files.pointers import git_folders, read_pointer
from desktop.services.git.run import Git
from desktop.services.git.trees.merge import commit_id, is_ancestor

_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_OPEN_IN = ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START")


@dataclass(frozen=True)
class BaseCommit:
    """`name` for people: main, origin/main, or the branch of the parent."""

    name: str
    oid: str


@dataclass(frozen=True)
class OpenBranch:
    """The worktree in which a branch is checked out. `path`: of the worktree."""

    path: Path
    primary: bool


def newest_base(git: Git, lane: Lane, parent: Lane | None) -> BaseCommit:
    """The commit onto which the lane would be rebased now (lanes-L39): its parent's branch, else the base's remote
    branch, else the one of origin, else the local one. Blocking.

    Raises:
        LaneError: there is none.
    """
    if parent is not None and parent.type != "primary":
        oid = commit_id(git, f"{_HEADS}{parent.branch}") if parent.branch else ""
        if not oid:
            raise LaneError(f"The parent lane '{parent.name}' has no branch to rebase onto.")
        return BaseCommit(parent.branch, oid)
    found = [(ref, oid) for ref in _candidates(git, lane.base_ref) if (oid := commit_id(git, ref))]
    made_on = commit_id(git, lane.base_oid) if lane.base_oid else ""
    whole = [one for one in found if made_on and is_ancestor(git, made_on, one[1])]
    for ref, oid in (*whole, *found):  # one that has what the lane was made on: a remote branch may lack local commits
        return BaseCommit(ref.removeprefix(_HEADS).removeprefix(_REMOTES), oid)
    raise LaneError(f"The lane '{lane.name}' has no base that it could be brought up to.")


def local_branch(git: Git, lane: Lane, parent: Lane | None) -> str:
    """The local branch that the lane would be merged into. Blocking.

    Raises:
        LaneError: there is none.
    """
    if parent is not None and parent.type != "primary":
        if not parent.branch:
            raise LaneError(f"The parent lane '{parent.name}' is on no branch to merge into.")
        return parent.branch
    remotes = git.run_now("remote").stdout.split()
    of_remote = [lane.base_ref.removeprefix(f"{one}/") for one in remotes if lane.base_ref.startswith(f"{one}/")]
    names = [name for name in (lane.base_ref, *of_remote) if name]
    for name in names:
        if commit_id(git, f"{_HEADS}{name}"):
            return name
    wanted = names[-1] if names else "HEAD"
    raise LaneError(f"There is no local branch '{wanted}' to merge into. Create it, or push a pull request.")


def where_open(git: Git, branch: str) -> OpenBranch | None:
    """The worktree in which a branch is checked out, or in which a rebase or bisect of it is under way; None: none.
    Blocking."""
    listed = git.run_now("worktree", "list", "--porcelain", "-z").names
    path, first = Path(), True
    worktrees: list[tuple[Path, bool]] = []
    for line in listed:
        kind, _, value = line.partition(" ")
        if kind == "worktree":
            path = Path(value)
            worktrees.append((path, first))
            first = False
        elif kind == "branch" and value == f"{_HEADS}{branch}":
            return OpenBranch(path, worktrees[-1][1])
    return next((OpenBranch(path, primary) for path, primary in worktrees if _holds(path, branch)), None)


def _holds(path: Path, branch: str) -> bool:
    """An operation of this worktree ends in moving the branch."""
    try:
        git_folder, _ = git_folders(path)
        named = [read_pointer(git_folder / name) for name in _OPEN_IN]
    except (OSError, ValueError):
        return False
    return any(value.removeprefix(_HEADS) == branch for value in named if value)


def base_candidates(base_ref: str, upstream: str) -> list[str]:
    """The refs that can be the newest of a base, best first. `upstream`: what the local branch of that name follows."""
    if not base_ref or base_ref == "HEAD":
        return []
    refs = [f"{_REMOTES}{base_ref}", upstream, f"{_REMOTES}origin/{base_ref}", f"{_HEADS}{base_ref}"]
    return [ref for ref in refs if ref]


def _candidates(git: Git, base_ref: str) -> list[str]:
    asked = ("for-each-ref", "--format=%(upstream)", f"{_HEADS}{base_ref}")
    return base_candidates(base_ref, git.run_now(*asked, check=False).stdout.strip())
