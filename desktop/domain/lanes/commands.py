"""Commands about lanes: making, changing, removing and repairing them, their setup, and bringing work together."""

from typing import ClassVar, Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.command import Command
from desktop.domain.core.permissions import PermissionMode

StartFrom = Literal["base", "branch", "copy_changes", "move_changes"]
MergeMethod = Literal["merge", "squash", "rebase"]


class LoadLaneBases(Command):
    """Tell where a new lane can begin. → LaneBasesListed."""

    reads: ClassVar[bool] = True
    type: Literal["load_lane_bases"] = "load_lane_bases"


class CreateLane(Command):
    """Make a worktree with its branch. → LaneCreated, LanesChanged.

    `base`: a branch, remote branch or commit, "" for the repository's default. `parent_id`: a lane that it stacks on.
    `start_from` branch: `base` names an existing branch that the lane takes over. `copy_changes`, `move_changes`: with
    what is not committed in the person's checkout; moving needs `confirmed_paths`, the list that the person saw.
    `allow_behind`: a local base may be behind its remote.
    """

    type: Literal["create_lane"] = "create_lane"
    lane_id: str
    name: str
    description: str = ""
    base: str = ""
    parent_id: str = ""
    start_from: StartFrom = "base"
    confirmed_paths: tuple[str, ...] = ()
    allow_behind: bool = False
    run_setup: bool = True


class PrepareLane(Command):
    """Somebody began to write the first message of a chat that gets a lane of its own: have the lane's files ready by
    then. `wanted` False: nothing is being written any more. Nothing is told of it, and nothing shows."""

    is_answered: ClassVar[bool] = False
    type: Literal["prepare_lane"] = "prepare_lane"
    wanted: bool = True


class LaneSlot(Frozen):
    """One lane of several whose models get the same prompt. `session_id` is made by the sender."""

    lane_id: str
    session_id: str
    name: str
    endpoint_id: str
    model: str


class CreateLanesForModels(Command):
    """Make one lane per slot (2 to 12) and send the same first message in each. → LanesLaunched, one message with what
    came of each."""

    type: Literal["create_lanes_for_models"] = "create_lanes_for_models"
    slots: tuple[LaneSlot, ...]
    text: str
    attachments: tuple[str, ...] = ()
    base: str = ""
    parent_id: str = ""
    mode: PermissionMode = PermissionMode.EDIT
    without_sandbox: bool = False


class LoadWorktrees(Command):
    """Worktrees of this repository that are no lanes. → WorktreesListed."""

    reads: ClassVar[bool] = True
    type: Literal["load_worktrees"] = "load_worktrees"


class ImportLane(Command):
    """Take an existing worktree as a lane of type attached; its files stay the person's. → LaneCreated."""

    type: Literal["import_lane"] = "import_lane"
    lane_id: str
    path: str
    name: str = ""


class AdoptLane(Command):
    """An attached lane becomes one of our own: deleting it may then remove its files."""

    type: Literal["adopt_lane"] = "adopt_lane"
    lane_id: str


class EditLane(Command):
    """Change the words, colour or icon of a lane; None leaves a value as it is. `rename_branch`: the branch too."""

    type: Literal["edit_lane"] = "edit_lane"
    lane_id: str
    name: str | None = None
    description: str | None = None
    tags: tuple[str, ...] | None = None
    color: str | None = None
    icon: str | None = None
    rename_branch: bool = False


class SwitchLaneBranch(Command):
    """Check out another branch in a lane. Refused when anything could be lost."""

    type: Literal["switch_lane_branch"] = "switch_lane_branch"
    lane_id: str
    branch: str


class ArchiveLane(Command):
    """Hide a lane. `free_disk`: its folder goes, after a snapshot; the branch stays. `with_children`: those too."""

    type: Literal["archive_lane"] = "archive_lane"
    lane_id: str
    free_disk: bool = False
    with_children: bool = False


class UnarchiveLane(Command):
    """Bring an archived lane back, with folder, branch and files."""

    type: Literal["unarchive_lane"] = "unarchive_lane"
    lane_id: str


class PlanDelete(Command):
    """Tell what deleting these lanes would lose. → DeletePlanned."""

    reads: ClassVar[bool] = True
    type: Literal["plan_delete"] = "plan_delete"
    lane_ids: tuple[str, ...]


class DeleteLanes(Command):
    """Delete lanes as planned; `digest` is that of the plan the person saw, `typed` the word typed in the dialog.

    `with_branch`, `with_remote`: the branch here, and on the remote. `keep_paths`: ignored files to keep a copy of.
    `keep_proofs` False: proofs that only these lanes and their chats have are removed for good.
    → LanesDeleted, LanesChanged.
    """

    type: Literal["delete_lanes"] = "delete_lanes"
    lane_ids: tuple[str, ...]
    digest: str
    typed: str = ""
    with_branch: bool = False
    with_remote: bool = False
    keep_paths: tuple[str, ...] = ()
    keep_proofs: bool = True


class LoadTrash(Command):
    """Lanes deleted in the last 30 days. → TrashListed."""

    reads: ClassVar[bool] = True
    type: Literal["load_trash"] = "load_trash"


class RestoreLane(Command):
    """Bring a deleted lane back: worktree, branch, index, files. → LaneCreated."""

    type: Literal["restore_lane"] = "restore_lane"
    trash_id: str


class PurgeTrash(Command):
    """Forget a deleted lane for good, before its 30 days are over."""

    type: Literal["purge_trash"] = "purge_trash"
    trash_id: str


class RepairLane(Command):
    """Carry out one of the offers of a LaneFinding. `path`: the folder, for locate."""

    type: Literal["repair_lane"] = "repair_lane"
    lane_id: str
    offer: str
    path: str = ""


class TrustLaneFile(Command):
    """The repository's lane file may run, for exactly this content. → LaneFileLoaded. `lane_id`: the lane whose setup
    is run with it at once, "" for none."""

    type: Literal["trust_lane_file"] = "trust_lane_file"
    sha256: str
    lane_id: str = ""


class LoadLaneFile(Command):
    """The repository's lane file with its trust. → LaneFileLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["load_lane_file"] = "load_lane_file"


class RunSetup(Command):
    """Run the setup of a lane, once more. → SetupOutput."""

    type: Literal["run_setup"] = "run_setup"
    lane_id: str


class StopSetup(Command):
    """End a running setup."""

    type: Literal["stop_setup"] = "stop_setup"
    lane_id: str


class SkipSetupWait(Command):
    """Send the first message now instead of after the setup of the lane."""

    type: Literal["skip_setup_wait"] = "skip_setup_wait"
    session_id: str


class LoadSetupLog(Command):
    """Tell what the setup of a lane printed. → SetupOutput."""

    reads: ClassVar[bool] = True
    type: Literal["load_setup_log"] = "load_setup_log"
    lane_id: str


class RunLaneCommand(Command):
    """Start the lane's run command in the background, or end it. → LaneRunChanged."""

    type: Literal["run_lane_command"] = "run_lane_command"
    lane_id: str
    stop: bool = False


class MeasureLanes(Command):
    """Tell how much room lanes take on the disk; () for all. → LanesMeasured as it goes."""

    type: Literal["measure_lanes"] = "measure_lanes"
    lane_ids: tuple[str, ...] = ()


class ReclaimSpace(Command):
    """Move ignored folders of lanes to the system's trash. `forever`: delete where that is impossible."""

    type: Literal["reclaim_space"] = "reclaim_space"
    folders: tuple[tuple[str, str], ...]
    forever: bool = False


class RefreshLanes(Command):
    """Read the state of lanes now; () for all. → LaneStatusChanged."""

    reads: ClassVar[bool] = True
    type: Literal["refresh_lanes"] = "refresh_lanes"
    lane_ids: tuple[str, ...] = ()


class RebaseLanes(Command):
    """Put a lane, or it and its descendants, on the newest base. → StackRunChanged."""

    type: Literal["rebase_lanes"] = "rebase_lanes"
    lane_id: str
    with_children: bool = False
    onto: str = ""
    keep_conflict: bool = False


class LoadBehind(Command):
    """The commits that a lane lacks of its base. → BehindLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["load_behind"] = "load_behind"
    lane_id: str


class UndoStackRun(Command):
    """Set every lane of a run back to where it stood. → StackRunChanged."""

    type: Literal["undo_stack_run"] = "undo_stack_run"
    run_id: str


class ReparentLane(Command):
    """Another parent for a lane, "" for none; it is rebased onto it. → StackRunChanged."""

    type: Literal["reparent_lane"] = "reparent_lane"
    lane_id: str
    parent_id: str = ""


class ContinueOperation(Command):
    """Go on with a rebase or merge that is open in a lane, or take it back exactly. → LaneOperationChanged."""

    type: Literal["continue_operation"] = "continue_operation"
    lane_id: str
    abort: bool = False


class LoadConflicts(Command):
    """The files in conflict in a lane. → ConflictsLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["load_conflicts"] = "load_conflicts"
    lane_id: str


class ResolveConflict(Command):
    """Take one side of a file in conflict, or say that it is resolved as it stands. → ConflictsLoaded."""

    type: Literal["resolve_conflict"] = "resolve_conflict"
    lane_id: str
    path: str
    take: Literal["ours", "theirs", "as_is"]


class PlanMerge(Command):
    """Tell what merging a lane into its base would give; nothing is changed. → MergePlanned."""

    reads: ClassVar[bool] = True
    type: Literal["plan_merge"] = "plan_merge"
    lane_id: str
    method: MergeMethod = "merge"


class MergeLane(Command):
    """Merge as planned; `digest` is that of the plan the person saw. → LaneMerged.

    `update_checkout`: the base is open in the person's checkout, which is clean and is moved forward with it.
    """

    type: Literal["merge_lane"] = "merge_lane"
    lane_id: str
    digest: str
    method: MergeMethod = "merge"
    update_checkout: bool = False


class TryInCheckout(Command):
    """Show a lane's files in the person's own checkout, which is clean. → HandoverChanged."""

    type: Literal["try_in_checkout"] = "try_in_checkout"
    lane_id: str


class BringBack(Command):
    """End the handover: what was changed there goes into the lane, the checkout returns to its branch.
    → HandoverChanged."""

    type: Literal["bring_back"] = "bring_back"


class OpenInEditor(Command):
    """Open a lane's folder, or one file of it, in the person's editor."""

    reads: ClassVar[bool] = True
    type: Literal["open_in_editor"] = "open_in_editor"
    lane_id: str
    path: str = ""
    line: int = 0
