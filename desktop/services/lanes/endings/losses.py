"""The losses that deleting a lane would bring (lanes-L28): read before it is deleted, and once more in that moment."""

import hashlib
import json
import os
from collections.abc import Sequence

from desktop.domain.core.errors import GitError
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane, LaneHolder, Operation
from desktop.domain.lanes.updates import LaneLoss
from desktop.services.git.run import STATUS_LIMIT_S, WORKTREE_LIMIT_S, Git
from desktop.services.git.worktree_place import WorktreePlace, common_folder, find_place, lock_reason
from desktop.services.lanes.endings.ignored import spelled, unkept
from desktop.services.lanes.endings.snapshot import commit_of
from desktop.services.lanes.identity import lane_moved, misplaced_words
from desktop.services.lanes.making.stash import STASH_REFS

NAMED_FILES = 20
_USUAL = ("main", "master")
_MANY = "delete"
_OPERATIONS: tuple[tuple[str, Operation], ...] = (
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)


class LossReader:
    """Reads what would be lost with lanes of one repository. `others`: all its lanes; `going`: the ids of those that
    are to be deleted together. Every method blocks.

    Raises:
        GitError: the repository cannot be read.
    """

    def __init__(self, project: Project, others: Sequence[Lane], going: Sequence[str]) -> None:
        self._project = project
        self._others = others
        self._going = frozenset(going)
        self._git = Git(common_folder(project.path))

    def read(self, lane: Lane, holders: tuple[LaneHolder, ...]) -> LaneLoss:
        """The loss that deleting this lane would be. What cannot be read refuses the deletion."""
        loss = LaneLoss(lane=lane, refused=self._refused(lane), unlink=lane.type == "attached", holders=holders)
        if loss.refused or loss.unlink:
            return loss
        try:
            return self._read(lane, loss)
        except (GitError, OSError) as error:
            return loss.model_copy(update={"refused": f"What it holds cannot be read: {error}"})

    def _read(self, lane: Lane, loss: LaneLoss) -> LaneLoss:
        place = find_place(self._project.path, lane.worktree_path)
        known = loss.model_copy(update={**self._refs(lane, place), "size_bytes": lane.size_bytes})
        if not os.path.lexists(lane.worktree_path):
            return known
        if place is None or lane_moved(lane):
            return loss.model_copy(update={"refused": misplaced_words(lane)})
        if (reason := lock_reason(place.git_folder)) is not None:
            words = f": {reason}" if reason else ""
            return loss.model_copy(update={"refused": f"Git keeps this worktree locked{words}. Unlock it first."})
        return known.model_copy(update=_files(place))

    def _refused(self, lane: Lane) -> str:
        if lane.type == "primary":
            return "This is your own checkout. Banksman does not delete it."
        if lane.state in ("creating", "deleting"):
            return f"The lane is being {'made' if lane.state == 'creating' else 'deleted'}."
        children = active_children(lane, self._others, self._going)
        if children:
            named = ", ".join(f"“{child.name}”" for child in children)
            return f"Lanes stack on it: {named}. Delete or archive them first."
        return ""

    def _refs(self, lane: Lane, place: WorktreePlace | None) -> dict[str, object]:
        """What the commits and refs of the lane say."""
        git = self._git
        branch_oid = commit_of(git, f"refs/heads/{lane.branch}") if lane.branch else ""
        head = commit_of(place.git(), "HEAD") if place is not None else ""
        starts = [oid for oid in dict.fromkeys((head, branch_oid)) if oid]
        going = {one.branch for one in self._others if one.id in self._going} | {lane.branch}
        excluded = [f"--exclude={branch}" for branch in sorted(going) if branch]
        remotes = git.run_now("remote").stdout.split()
        remote, remote_oid = self._remote_branch(lane, remotes)
        stashes = git.run_now("for-each-ref", "--format=%(refname)", f"{STASH_REFS}/{lane.id}/").stdout.split()
        pending = next((word for name, word in _OPERATIONS if place and (place.git_folder / name).exists()), "")
        return {
            "head": head,
            "branch_oid": branch_oid,
            "only_here": self._count(starts, *excluded, "--branches", "--remotes", "--tags"),
            "unpushed": self._count(starts, "--remotes") if remotes else None,
            "stashes": len(stashes),
            "remote_branch": remote,
            "remote_oid": remote_oid,
            "branch_kept": self._branch_kept(lane, branch_oid),
            "operation": pending,
        }

    def _count(self, starts: list[str], *known: str) -> int:
        if not starts:
            return 0
        listed = self._git.run_now("rev-list", "--count", *starts, "--not", *known, limit_s=WORKTREE_LIMIT_S)
        return int(listed.stdout.strip())

    def _remote_branch(self, lane: Lane, remotes: list[str]) -> tuple[str, str]:
        """The branch of the same name on a remote, and its commit as it was last seen there."""
        for remote in sorted(remotes, key=lambda name: name != "origin"):
            if lane.branch and (oid := commit_of(self._git, f"refs/remotes/{remote}/{lane.branch}")):
                return f"{remote}/{lane.branch}", oid
        return "", ""

    def _branch_kept(self, lane: Lane, branch_oid: str) -> str:
        """Why the branch of the lane is never deleted, "" when it may be."""
        if not lane.branch or not branch_oid:
            return "It has no branch." if not lane.branch else "Its branch is gone already."
        if lane.branch in (self._project.branch, *_USUAL, self._default_branch()):
            return f'"{lane.branch}" is a branch that others build on, so it is kept.'
        based = [one for one in self._others if one.id not in self._going and one.parent_id == lane.id]
        if any(one.state not in ("deleted", "deleting") for one in based):
            return "An archived lane stacks on it, so it is kept."
        return ""

    def _default_branch(self) -> str:
        found = self._git.run_now("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD", check=False)
        return found.stdout.strip().partition("/")[2]


def active_children(lane: Lane, others: Sequence[Lane], going: frozenset[str] = frozenset()) -> list[Lane]:
    """The lanes in use that stack on this one and are not removed with it."""
    used = ("creating", "active", "broken")
    return [one for one in others if one.parent_id == lane.id and one.state in used and one.id not in going]


def held_words(loss: LaneLoss, kept: Sequence[str]) -> str:
    """The things that a deleted lane holds beside its branch, in words; "" for nothing."""
    parts = (
        (loss.file_count, "uncommitted file", "uncommitted files"),
        (loss.only_here, "commit of its own", "commits of its own"),
        (len(kept), "ignored file", "ignored files"),
    )
    return ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in parts if n)


def word_to_type(losses: Sequence[LaneLoss]) -> str:
    """The word to type before these lanes may go: the lane's name, "delete" for several, "" when nothing would be
    lost."""
    losing = [loss for loss in losses if not loss.refused and not loss.nothing]
    if not losing:
        return ""
    return losing[0].lane.name if len(losses) == 1 else _MANY


def digest_of(losses: Sequence[LaneLoss]) -> str:
    """Equal for two readings exactly when a person was shown the same."""
    told = [
        {
            **loss.model_dump(mode="json", exclude={"lane", "size_bytes"}),
            "lane": [loss.lane.id, loss.lane.name, loss.lane.branch, loss.lane.worktree_path, loss.lane.type],
        }
        for loss in losses
    ]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _files(place: WorktreePlace) -> dict[str, object]:
    options = ("--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames")
    listed = place.git().run_on_files_now("status", *options, limit_s=STATUS_LIMIT_S).names
    inner = unkept(place)
    files = sorted(spelled(line[3:]) for line in listed)
    named = tuple((spelled(path), size) for path, size in inner.all)
    return {"files": tuple(files[:NAMED_FILES]), "file_count": len(files), "ignored": named}
