"""Lanes as the app knows them: the record of one, its state as git tells it, and what can be done about it."""

from datetime import datetime
from typing import Literal

from desktop.domain.core.base import Frozen

LaneType = Literal["primary", "worktree", "attached"]
LaneState = Literal["creating", "active", "broken", "archived", "deleting", "deleted"]
SetupState = Literal["none", "needs_trust", "pending", "running", "ready", "failed", "skipped"]
LaneIcon = Literal["none", "star", "flag", "bolt", "shield", "tag"]
Operation = Literal["", "rebase", "merge", "cherry-pick", "revert", "bisect"]
Prediction = Literal["unknown", "clean", "conflict"]

LANE_COLORS = (
    "blue",
    "green",
    "amber",
    "red",
    "purple",
    "teal",
    "orange",
    "pink",
    "lime",
    "indigo",
    "brown",
    "grey",
)
"""The colours a lane can have; each theme says what they look like."""


class SetupFile(Frozen):
    """A file that the setup of a lane made and that git does not ignore, as the setup left it."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int


class Lane(Frozen):
    """One git worktree with one branch. `device` and `inode` are the folder's, taken at creation: another folder in its
    place is not the lane. `type` primary is the person's own checkout, attached a worktree that was there before.

    `branch` is "" when detached; `branch_from`: it was made for the lane (new), was there before it (existing), or was
    made to follow a remote branch (remote). `base_oid`: the commit it was made on or last rebased to. `ports`: the
    first of its leased numbers, 0 for none. `setup_files`: what its setup made that git does not ignore. `freed`:
    archived without a folder; its files are in `trash_ref`. Sizes in bytes.
    """

    id: str
    project_id: str
    name: str
    description: str = ""
    tags: tuple[str, ...] = ()
    type: LaneType = "worktree"
    branch: str
    branch_from: Literal["new", "existing", "remote"] = "new"
    worktree_path: str
    base_ref: str = ""
    base_oid: str = ""
    parent_id: str = ""
    device: int
    inode: int
    color: str = ""
    icon: LaneIcon = "none"
    state: LaneState = "active"
    problem: str = ""
    setup: SetupState = "none"
    setup_files: tuple[SetupFile, ...] = ()
    ports: int = 0
    port_count: int = 0
    pr_number: int = 0
    size_bytes: int = 0
    reclaimable_bytes: int = 0
    size_at: datetime | None = None
    created_by: str = ""
    created_at: datetime
    archived_at: datetime | None = None
    freed: bool = False
    trash_ref: str = ""


class Overlap(Frozen):
    """Another lane that changes the same files. `prediction`: what merging both would give."""

    lane_id: str
    files: tuple[str, ...]
    prediction: Prediction = "unknown"


class LaneStatus(Frozen):
    """A lane as git tells it at `read_at`. Counts of files; None: not known, or there is nothing to compare with.

    `problem`: why it could not be read; the other fields are then those of the last good reading. `only_here`: commits
    that no other branch, remote branch or tag holds. `uncommitted`: files that differ from `head`, each once.
    `by_setup`: files that the setup made and nobody changed since; no other count holds them. `base_oid`: the commit
    that it is measured against, "" for none; `base_name`: the remote branch which that is on, where the local one of
    the base is elsewhere; `base`: what merging with the base would give, `base_files` the files in conflict.
    """

    lane_id: str
    read_at: datetime
    problem: str = ""
    head: str = ""
    branch: str = ""
    detached: bool = False
    operation: Operation = ""
    staged: int = 0
    unstaged: int = 0
    untracked: int = 0
    by_setup: int = 0
    conflicted: int = 0
    uncommitted: int = 0
    changed_files: int = 0
    added: int = 0
    removed: int = 0
    ahead: int | None = None
    behind: int | None = None
    remote_ahead: int | None = None
    remote_behind: int | None = None
    only_here: int | None = None
    base_oid: str = ""
    base_name: str = ""
    base: Prediction = "unknown"
    base_files: tuple[str, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    predicted_at: datetime | None = None

    @property
    def dirty(self) -> bool:
        """Something is not committed."""
        return bool(self.staged or self.unstaged or self.untracked or self.conflicted)

    def says_as(self, other: "LaneStatus") -> bool:
        """Whether both say the same of the lane, whenever they were read and foretold."""
        return self.model_copy(update={"read_at": other.read_at, "predicted_at": other.predicted_at}) == other


class LaneFinding(Frozen):
    """Something about a lane that git and the record do not agree on. `text` is a sentence; `offers`: names of what
    RepairLane can do about it, in the order they are shown."""

    lane_id: str
    kind: str
    text: str
    offers: tuple[str, ...] = ()
    path: str = ""


class LaneHolder(Frozen):
    """Something that works in a lane. `label`: a command, a chat's title."""

    kind: Literal["turn", "shell", "terminal", "setup", "run"]
    label: str
    session_id: str = ""


class TrashedLane(Frozen):
    """A deleted lane that can be restored until 30 days after `deleted_at`. `holds`: in words what it held."""

    trash_id: str
    lane: Lane
    deleted_at: datetime
    deleted_by: str = ""
    holds: str = ""
    ref: str = ""
