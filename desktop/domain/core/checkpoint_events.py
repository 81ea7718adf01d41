"""Events about snapshots of a lane's files: made before what can write, and put back by a rewind or a restore."""

from typing import Literal

from desktop.domain.core.event_base import By, EventBase

CheckpointReason = Literal["turn_start", "turn_end", "call", "restore", "revert", "manual"]


class CheckpointMade(EventBase):
    """The lane's files as of here stand in a commit on a hidden ref.

    `changed`: files that differ from the parent checkpoint; `partial` says why something is not in it ("" if all is);
    `not_restorable`: lane-relative paths that are recorded by their hash alone. An unchanged tree names the earlier
    checkpoint again.
    """

    type: Literal["checkpoint_made"] = "checkpoint_made"
    checkpoint_id: str
    ref: str = ""
    commit: str = ""
    tree: str = ""
    parent_checkpoint_id: str = ""
    reason: CheckpointReason = "call"
    call_id: str = ""
    name: str = ""
    changed: int = 0
    partial: str = ""
    not_restorable: tuple[str, ...] = ()


class CheckpointSkipped(EventBase):
    """No snapshot could be made; `reason` is a sentence for people."""

    type: Literal["checkpoint_skipped"] = "checkpoint_skipped"
    call_id: str = ""
    reason: str = ""


class FilesRestored(EventBase):
    """The lane's files were put back to a checkpoint. `safety_checkpoint_id` holds what was there before.

    `failed`: lane-relative paths that could not be put back; then everything was returned to the safety checkpoint.
    """

    type: Literal["files_restored"] = "files_restored"
    from_checkpoint_id: str = ""
    to_checkpoint_id: str = ""
    safety_checkpoint_id: str = ""
    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    by: By = "person"
