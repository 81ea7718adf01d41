"""Values that people work with: projects, lanes, todos, changed files, chats as the sidebar lists them."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.permissions import PermissionMode


class Todo(Frozen):
    """One item of the agent's list of todos."""

    id: str
    content: str
    status: Literal["pending", "in_progress", "completed"] = "pending"


class Project(Frozen):
    """A repository a person opened. `id` is derived from its common git folder, so all its worktrees share it."""

    id: str
    name: str
    path: str
    branch: str = ""


class Activity(StrEnum):
    """The present activity of a session. Computed from the loop, never stored (sessions-SL1)."""

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
    """One open blocking input, as lists show it. `since`: when it was asked. `verbatim`: the title is a command as it
    would run, where no letter may differ."""

    input_id: str
    kind: Literal["approval", "question", "plan", "picture", "credential", "skill"]
    title: str
    since: datetime
    verbatim: bool = False


class SessionSummary(Frozen):
    """One chat (session) as the sidebar lists it. `interrupted`: cut off by a restart and not continued. `failed`: why
    the last turn failed, "" if it did not; `limited`: it stopped at a limit. `muted`: nobody is notified of it."""

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
    limited: bool = False
    archived: bool = False
    pinned: bool = False
    muted: bool = False
    turns: int = 0
    created_at: datetime
    last_activity_at: datetime


class ChangedFile(Frozen):
    """One file that differs. `unified` is "" for a binary file, for a diff too long to load (`too_large`), and where
    the diff is asked for by itself. `by_setup`: the setup of the lane made it, and it is as it was then. Hashes are of
    its bytes before and after, "" where unknown."""

    path: str
    status: Literal["added", "modified", "deleted", "renamed", "copied", "type_changed", "conflicted", "untracked"]
    old_path: str = ""
    added: int = 0
    removed: int = 0
    binary: bool = False
    too_large: bool = False
    unified: str = ""
    mode_change: str = ""
    submodule: bool = False
    generated: bool = False
    after_turn: bool = False
    by_setup: bool = False
    base_sha256: str = ""
    sha256: str = ""
    size_before: int = 0
    size_after: int = 0


class ShellInfo(Frozen):
    """One background command of a session, with its shell. `status`: exit code, None while it runs."""

    shell_id: str
    session_id: str
    command: str
    started_at: datetime
    running: bool
    exit_code: int | None = None
    pid: int = 0
