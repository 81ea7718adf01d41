"""Lanes as they are recorded compared with what git and the disk say (lanes-L35). Only reads."""

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane, LaneFinding
from desktop.records import dataclass
from desktop.services.git.run import STATUS_LIMIT_S, Git
from desktop.services.git.worktree_place import (
    WorktreePlace,
    common_folder,
    first_line,
    lock_reason,
    pointer_of,
    registered,
)
from desktop.services.history.refs import REFS as CHECKPOINT_REFS

STALE_LOCK_S = 600.0
LOCKS = ("index.lock", "HEAD.lock")
BREAKING = frozenset({"gone", "moved", "other_folder", "link", "branch_gone"})
"""Kinds of findings with which nothing can work in the lane."""
_HEADS = "refs/heads/"
_UNDER_WAY = ("rebase-merge", "rebase-apply", "BISECT_LOG")


@dataclass(frozen=True)
class _Known:
    """What git keeps of the whole repository. `places`: git folder and `.git` file of each worktree; `branches` and
    `kept`: names of branches, ids of lanes that have checkpoints."""

    common: Path
    places: tuple[tuple[Path, Path], ...]
    branches: frozenset[str]
    kept: frozenset[str]


def compare_lanes(project: Project, lanes: Sequence[Lane]) -> dict[str, LaneFinding]:
    """The findings about what is wrong with some of these lanes, by their id. Blocking.

    Raises:
        GitError: the repository cannot be read; nothing is known then.
    """
    wanted = [lane for lane in lanes if lane.type != "primary" and lane.state in ("active", "broken")]
    if not wanted:
        return {}
    known = _known(project)
    found = (_finding(lane, known) for lane in wanted)
    return {finding.lane_id: finding for finding in found if finding is not None}


def unknown_folders(project: Project, lanes: Sequence[Lane], root: Path) -> tuple[str, ...]:
    """The worktrees of the repository in the folder of lanes that belong to no lane, in their order. `lanes`: every one
    that was ever recorded. Blocking.

    Raises:
        GitError: the repository cannot be read.
    """
    known = {os.path.realpath(lane.worktree_path) for lane in lanes if lane.state != "deleted"}
    inside = os.path.realpath(root) + os.sep
    found = [pointer.parent for _, pointer in registered(common_folder(project.path))]
    real = [os.path.realpath(folder) for folder in found if pointer_of(folder)]
    return tuple(sorted(path for path in real if path.startswith(inside) and path not in known))


def interrupted(lane: Lane) -> LaneFinding:
    """The finding about a lane whose making was cut off."""
    text = "Banksman closed while this lane was made. Finish it, or remove what there is of it."
    return LaneFinding(lane_id=lane.id, kind="interrupted", text=text, offers=("finish", "take_back"))


def place_of(project: Project, lane: Lane) -> WorktreePlace | None:
    """The place where git keeps the lane: the worktree registered at its path, or the one whose folder is the lane's.
    Blocking.

    Raises:
        GitError: the repository cannot be read.
    """
    common = common_folder(project.path)
    found = _registered_for(lane, registered(common))
    return WorktreePlace(Path(lane.worktree_path), found[0], common) if found is not None else None


def stale_locks(git_folder: Path) -> list[Path]:
    """Locks of git that are so old that whoever took them is gone."""
    old = []
    for name in LOCKS:
        try:
            if time.time() - (git_folder / name).lstat().st_mtime > STALE_LOCK_S:
                old.append(git_folder / name)
        except OSError:
            continue
    return old


def head_branch(git_folder: Path) -> str:
    """The branch that HEAD of a worktree names, "" when detached."""
    line = first_line(git_folder / "HEAD")
    named = line.removeprefix("ref:").strip() if line.startswith("ref:") else ""
    return named.removeprefix(_HEADS) if named.startswith(_HEADS) else ""


def _known(project: Project) -> _Known:
    common = common_folder(project.path)
    asked = ("--format=%(refname)", _HEADS, f"{CHECKPOINT_REFS}/")
    refs = Git(common).run_now("for-each-ref", *asked, limit_s=STATUS_LIMIT_S).stdout.split()
    branches = frozenset(ref.removeprefix(_HEADS) for ref in refs if ref.startswith(_HEADS))
    kept = frozenset(ref.split("/")[3] for ref in refs if ref.startswith(f"{CHECKPOINT_REFS}/"))
    return _Known(common, tuple(registered(common)), branches, kept)


def _finding(lane: Lane, known: _Known) -> LaneFinding | None:
    folder, place = Path(lane.worktree_path), _registered_for(lane, known.places)
    if not os.path.lexists(folder):
        return _gone(lane, known, has_place=place is not None)
    if not _is_lane(lane, folder):
        text = (
            f"Another folder stands where the lane was: {folder}. If it is the lane, locate it; if not, move it away."
        )
        return _said(lane, "other_folder", text, ("locate", "forget"), str(folder))
    if place is None or not _points_at(folder, place[0]):
        text = "The link of the lane's folder to its repository (its .git file) is missing or changed."
        return _said(lane, "link", text, ("restore_link", "forget"))
    return _state(lane, place[0], known)


def _gone(lane: Lane, known: _Known, *, has_place: bool) -> LaneFinding:
    moved = _moved_to(lane, known)
    if moved:
        return _said(lane, "moved", f"The lane folder was moved to {moved}.", ("locate", "delete"), moved)
    offers = []
    if lane.branch in known.branches or has_place:
        offers.append("recreate")
    if lane.id in known.kept:
        offers.append("recreate_checkpoint")
    text = f"The lane folder is gone: {lane.worktree_path}."
    return _said(lane, "gone", text, (*offers, "locate", "delete"))


def _state(lane: Lane, git_folder: Path, known: _Known) -> LaneFinding | None:
    branch = head_branch(git_folder)
    if branch and branch not in known.branches:
        return _said(lane, "branch_gone", f'The branch "{branch}" is gone.', ("recreate_branch", "delete"))
    if branch and branch != lane.branch:
        text = f'The lane is on branch "{branch}"' + (f' instead of "{lane.branch}".' if lane.branch else ".")
        back = ("switch_back",) if lane.branch in known.branches else ()
        return _said(lane, "on_branch", text, ("follow", *back))
    under_way = any((git_folder / name).exists() for name in _UNDER_WAY)
    if not branch and lane.branch and not under_way:
        text = f'The lane is on no branch; it was on "{lane.branch}".'
        back = ("switch_back",) if lane.branch in known.branches else ()
        return _said(lane, "detached", text, ("follow", *back))
    if (reason := lock_reason(git_folder)) is not None:
        words = f": {reason}" if reason else ""
        return _said(lane, "locked", f"Git keeps this lane locked{words}.", ("unlock",))
    if stale_locks(git_folder):
        text = "Git is locked in this lane, by something that seems to have ended long ago."
        return _said(lane, "stale_lock", text, ("unlock",))
    return None


def _said(lane: Lane, kind: str, text: str, offers: tuple[str, ...], path: str = "") -> LaneFinding:
    return LaneFinding(lane_id=lane.id, kind=kind, text=text, offers=offers, path=path)


def _registered_for(lane: Lane, places: Iterable[tuple[Path, Path]]) -> tuple[Path, Path] | None:
    """By its path; a worktree that git knows elsewhere counts when its folder is the lane's."""
    listed = list(places)
    wanted = os.path.realpath(lane.worktree_path)
    for place in listed:
        if os.path.realpath(place[1].parent) == wanted:
            return place
    return next((place for place in listed if _is_lane(lane, place[1].parent)), None)


def _moved_to(lane: Lane, known: _Known) -> str:
    """Where the lane's own folder is now, "" when it is not found beside its old place or where git knows one."""
    parent = Path(lane.worktree_path).parent
    try:
        beside = sorted(parent.iterdir())
    except OSError:
        beside = []
    for folder in (*(pointer.parent for _, pointer in known.places), *beside):
        if _is_lane(lane, folder) and pointer_of(folder):
            return str(folder)
    return ""


def _is_lane(lane: Lane, folder: Path) -> bool:
    try:
        found = folder.stat()
    except OSError:
        return False
    return (found.st_dev, found.st_ino) == (lane.device, lane.inode)


def _points_at(folder: Path, git_folder: Path) -> bool:
    pointer = pointer_of(folder)
    return bool(pointer) and os.path.realpath(folder / pointer) == os.path.realpath(git_folder)
