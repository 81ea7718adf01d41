"""What people work with: projects, lanes, todos, changed files, chats as the sidebar lists them."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from desktop.domain.base import Frozen
from desktop.domain.permissions import PermissionMode


class Todo(Frozen):
    """One item of the agent's list."""

    id: str
    content: str
    status: Literal["pending", "in_progress", "completed"] = "pending"


class Project(Frozen):
    """A repository a person opened. `id` is derived from its common git folder, so all its worktrees share it."""

    id: str
    name: str
    path: str
    branch: str = ""


class Lane(Frozen):
    """One git worktree with one branch. `device` and `inode` are the folder's, taken at creation: another folder in its
    place is not the lane. `type` primary is the person's own checkout."""

    id: str
    project_id: str
    name: str
    type: Literal["primary", "worktree"] = "worktree"
    branch: str
    worktree_path: str
    base_ref: str = ""
    base_oid: str = ""
    device: int
    inode: int
    state: Literal["creating", "active", "broken", "archived"] = "active"
    created_at: datetime


class Activity(StrEnum):
    """What a session does now. Computed from the loop, never stored (sessions-SL1)."""

    IDLE = "idle"
    QUEUED = "queued"
    PREPARING = "preparing"
    REQUESTING = "requesting"
    STREAMING = "streaming"
    RETRYING = "retrying"
    COMPACTING = "compacting"
    WAITING_INPUT = "waiting_input"
    RUNNING = "running"
    STOPPING = "stopping"


class WaitingInput(Frozen):
    """One open blocking input, as lists show it. `since`: when it was asked."""

    input_id: str
    kind: Literal["approval", "question", "plan"]
    title: str
    since: datetime


class SessionSummary(Frozen):
    """One chat as the sidebar lists it. `interrupted`: cut off by a restart and not continued. `failed`: why the last
    turn failed, "" if it did not."""

    session_id: str
    title: str
    mode: PermissionMode
    endpoint_id: str = ""
    model: str = ""
    lane_id: str = ""
    lane_name: str = ""
    branch: str = ""
    primary: bool = False
    demo: bool = False
    activity: Activity = Activity.IDLE
    waiting: tuple[WaitingInput, ...] = ()
    interrupted: bool = False
    failed: str = ""
    archived: bool = False
    pinned: bool = False
    turns: int = 0
    created_at: datetime
    last_activity_at: datetime


class ChangedFile(Frozen):
    """One file that differs. `unified` is "" for a binary file and for a diff too long to load (`too_large`)."""

    path: str
    status: Literal["added", "modified", "deleted", "renamed", "untracked"]
    old_path: str = ""
    added: int = 0
    removed: int = 0
    binary: bool = False
    too_large: bool = False
    unified: str = ""


class ShellInfo(Frozen):
    """One background command of a session. `status`: exit code, None while it runs."""

    shell_id: str
    session_id: str
    command: str
    started_at: datetime
    running: bool
    exit_code: int | None = None
    pid: int = 0
