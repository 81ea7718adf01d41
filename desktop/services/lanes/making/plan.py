"""Planning a lane: its name, what it begins at, a free branch, and a folder of its own (lanes-L7 to lanes-L15)."""

import asyncio
import hashlib
import os
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal

from desktop.domain.core.errors import LaneError
from desktop.domain.core.ids import new_lane_id
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.names import (
    BRANCH_PREFIX,
    MAX_SUFFIX,
    checked_name,
    free_color,
    free_name,
    lane_slug,
    require_free_name,
)
from desktop.records import dataclass
from desktop.services.git.base_branches import Base, default_base, find_base, head_base
from desktop.services.git.reader import RepoReader
from desktop.services.git.run import Git
from desktop.services.git.worktree_place import is_shallow
from desktop.services.lanes.worktrees import require_not_open

MAX_DEPTH = 10
MAX_WINDOWS_PATH = 180
_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"


class BaseBehind(LaneError):
    """The base lacks commits that its remote has, and nobody allowed that."""


@dataclass(frozen=True)
class LaneWish:
    """A lane as somebody wants it. `name` is one that a person chose, `suggested` one that may be changed to be free.

    `start`: name and commit of the beginning, when it is known already; else `base`, "" for the default. `changes`:
    with what is not committed in the checkout; `confirmed`: the files that a person agreed to be moved. `offline`: why
    the base could not be fetched, "" when it was.
    """

    name: str = ""
    suggested: str = ""
    lane_id: str = ""
    description: str = ""
    base: str = ""
    start: tuple[str, str] | None = None
    parent: Lane | None = None
    existing_branch: bool = False
    changes: Literal["none", "copy", "move"] = "none"
    confirmed: tuple[str, ...] = ()
    allow_behind: bool = False
    offline: str = ""
    created_by: str = "person"
    prefix: str = BRANCH_PREFIX


@dataclass(frozen=True)
class Planned:
    """A lane that nothing was made of yet, and sentences about what did not go as wished."""

    lane: Lane
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Begin:
    """Where a lane begins: the branch it takes over (`branch`), or a new one at `oid`."""

    base_ref: str
    oid: str
    branch: str = ""
    branch_from: Literal["new", "existing", "remote"] = "new"
    notices: tuple[str, ...] = ()


async def plan_lane(project: Project, wish: LaneWish, root: Path, others: Sequence[Lane], now: datetime) -> Planned:
    """A lane that is to be made: name, base, free branch and folder. Nothing is created. `others`: the lanes of the
    repository that are not deleted.

    Raises:
        LaneError: it cannot be made as wished; the text says what to do.
        GitError: git could not tell.
    """
    git = Git(Path(project.path))
    lane_id = wish.lane_id or new_lane_id()
    name = checked_name(wish.name) if wish.name or not wish.suggested else ""
    if name:
        require_free_name(name, others)
    if problem := root_problem(root):
        raise LaneError(f"{problem} Choose another folder in Settings › General.")
    parent = usable_parent(wish.parent, others)
    begin = await _begin(git, project, wish, parent, others)
    slug = lane_slug(name or wish.suggested, lane_id)
    branch, slug = (begin.branch, slug) if begin.branch else await free_branch(git, wish.prefix, slug)
    lane = Lane(
        id=lane_id,
        project_id=project.id,
        name=name or free_name(wish.suggested, slug, others),
        description=wish.description.strip(),
        branch=branch,
        branch_from=begin.branch_from,
        worktree_path=str(lane_folder(project, root, slug)),
        base_ref=begin.base_ref,
        base_oid=begin.oid,
        parent_id=parent.id if parent is not None else "",
        device=0,
        inode=0,
        color=free_color(others),
        state="creating",
        created_by=wish.created_by,
        created_at=now,
    )
    return Planned(lane, (*begin.notices, *await _notices(git, begin.oid)))


def usable_parent(parent: Lane | None, others: Sequence[Lane]) -> Lane | None:
    """The lane that a new one can stack on; None for the checkout itself, on which nothing stacks (lanes-L13).

    Raises:
        LaneError: the parent is not in use, has no branch, or the stack would be too high.
    """
    if parent is None or parent.type == "primary":
        return None
    if parent.state != "active":
        raise LaneError(f"The parent lane '{parent.name}' is {parent.state}. Choose another one.")
    if not parent.branch:
        raise LaneError(f"The parent lane '{parent.name}' is on no branch. Choose another one.")
    if depth_of(parent, others) >= MAX_DEPTH:
        raise LaneError(f"Lanes can be stacked {MAX_DEPTH} high. Choose a parent further down.")
    return parent


def depth_of(lane: Lane, others: Iterable[Lane]) -> int:
    """The number of lanes that stand on one another up to this one, itself included."""
    by_id = {one.id: one for one in others}
    seen, depth, at = {lane.id}, 1, by_id.get(lane.parent_id)
    while at is not None and at.id not in seen:
        seen.add(at.id)
        depth, at = depth + 1, by_id.get(at.parent_id)
    return depth


def root_problem(root: Path) -> str:
    """Why lanes cannot stand in this folder, in a sentence; "" if they can (lanes-L8). Blocking."""
    if not root.is_absolute():
        return f"The folder for lanes must be a whole path, not '{root}'."
    there = next(folder for folder in (root, *root.parents) if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return f"Lanes cannot be made in '{root}': it is not writable."
    for folder in (there.resolve(), *there.resolve().parents):
        if (folder / ".git").exists():
            return f"Lanes must not stand inside a git repository, and '{root}' is in '{folder}'."
    return ""


def lane_folder(project: Project, root: Path, slug: str, *, windows: bool = sys.platform == "win32") -> Path:
    """A folder that is not there yet. Raises LaneError when its path is too long for Windows."""
    mark = hashlib.sha256(project.id.encode()).hexdigest()[:8]
    parent = root / f"{project.name}-{mark}"
    folder, number = parent / slug, 2
    while os.path.lexists(folder):
        folder, number = parent / f"{slug}-{number}", number + 1
    if windows and len(str(folder)) > MAX_WINDOWS_PATH:
        raise LaneError(
            f"The lane's folder would have a path of {len(str(folder))} characters, more than {MAX_WINDOWS_PATH}. "
            "Choose a shorter folder for lanes in Settings › General."
        )
    return folder


async def _begin(git: Git, project: Project, wish: LaneWish, parent: Lane | None, others: Sequence[Lane]) -> _Begin:
    if wish.changes != "none":
        if parent is not None or wish.existing_branch or wish.base:
            raise LaneError("A lane with your uncommitted changes begins where your checkout stands.")
        head = await head_base(git)
        return _Begin(project.branch or head.name, head.oid)
    if wish.existing_branch:
        return await _on_branch(git, wish.base, others)
    if wish.start is not None:
        return _Begin(*wish.start)
    if parent is not None:
        found = await find_base(git, parent.branch)
        return _Begin(parent.branch, found.oid)
    base = await (find_base(git, wish.base) if wish.base else default_base(git, project.branch))
    return _Begin(base.name, base.oid, notices=_behind(base, wish))


def _behind(base: Base, wish: LaneWish) -> tuple[str, ...]:
    """A sentence when it is not known, or only agreed to, that a local base is behind. Raises BaseBehind when it is."""
    words = base.behind_words
    if words and not wish.allow_behind and not wish.offline:
        advice = f"Base the lane on {base.upstream}, update {base.name}, or allow it."
        raise BaseBehind(f"{words} {advice}")
    stale = f"{wish.offline}. The lane begins at what is known of {base.name} here." if wish.offline else ""
    return tuple(text for text in (words, stale) if text)


async def _on_branch(git: Git, name: str, others: Sequence[Lane]) -> _Begin:
    found = await find_base(git, name)
    if found.kind == "commit":
        raise LaneError(f'"{name}" is no branch. Choose a branch, or start from it as a base.')
    if found.kind == "branch":
        await asyncio.to_thread(require_not_open, git, found.name, others)
        return _Begin(found.name, found.oid, found.name, "existing")
    local = found.name.partition("/")[2]
    known = await git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{_HEADS}{local}", check=False)
    if known.status == 0:
        raise LaneError(f'There is a branch "{local}" here already. Choose that one.')
    return _Begin(found.name, found.oid, local, "remote")


async def free_branch(git: Git, prefix: str, slug: str) -> tuple[str, str]:
    """A branch name that is free here and on the remotes, and the slug that it is made of."""
    listed = await asyncio.to_thread(RepoReader(git.folder).ref_names, _HEADS, _REMOTES)
    here = {ref.removeprefix(_HEADS) for ref in listed if ref.startswith(_HEADS)}
    there = {ref.removeprefix(_REMOTES).partition("/")[2] for ref in listed if ref.startswith(_REMOTES)}
    whole = prefix.rstrip("/") if prefix.endswith("/") else prefix.rpartition("/")[0]
    for depth in range(1, whole.count("/") + 2):
        part = "/".join(whole.split("/")[:depth])
        if part and part in here:
            raise LaneError(
                f'A branch named "{part}" exists, so "{prefix}{slug}" cannot be created. '
                "Change the prefix in Settings › Advanced."
            )
    taken = {name.casefold() for name in here | there}
    for suffix in ("", *(f"-{number}" for number in range(2, MAX_SUFFIX + 1))):
        branch = f"{prefix}{slug}{suffix}"
        folded = branch.casefold()
        if folded not in taken and not any(name.startswith(f"{folded}/") for name in taken):
            return branch, slug + suffix
    raise LaneError(f'There are {MAX_SUFFIX} branches named "{prefix}{slug}" already. Choose another name.')


async def _notices(git: Git, oid: str) -> list[str]:
    modules, shallow = await asyncio.gather(
        git.run("cat-file", "-e", f"{oid}:.gitmodules", check=False), asyncio.to_thread(is_shallow, git.folder)
    )
    notices = ["This repository has submodules. They are not filled in the lane."] if modules.status == 0 else []
    if shallow:
        notices.append("This is a shallow clone: the lane knows no more of the history than that.")
    return notices
