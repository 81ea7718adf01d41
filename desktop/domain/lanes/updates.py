"""Updates about lanes: passing state, never stored."""

from collections.abc import Iterable
from typing import ClassVar, Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.update import Answer, Stand, Update
from desktop.domain.core.work import ChangedFile
from desktop.domain.lanes.lane import Lane, LaneFinding, LaneHolder, LaneStatus, Operation, TrashedLane


class LanesChanged(Update):
    """All lanes of the open project that are not deleted, oldest first, and what is wrong with some of them. Replaces
    the former list. `unknown`: worktrees of the project in the folder of lanes that are no lane."""

    stands: ClassVar[Stand | None] = Stand.LISTS
    lanes: tuple[Lane, ...]
    findings: tuple[LaneFinding, ...] = ()
    unknown: tuple[str, ...] = ()


class LaneStatusChanged(Update):
    """New readings of some lanes."""

    stands: ClassVar[Stand | None] = Stand.DETAILS
    statuses: tuple[LaneStatus, ...]

    def standing(self) -> Iterable[tuple[str, Update]]:
        """The newest status of each lane, in an update of its own."""
        return [(status.lane_id, LaneStatusChanged(statuses=(status,))) for status in self.statuses]


class LaneBase(Frozen):
    """Something a lane can begin at. `behind`: commits that a local branch lacks of its remote one."""

    ref: str
    oid: str
    kind: Literal["default", "branch", "remote", "lane"]
    behind: int = 0
    open_in: str = ""


class LaneBasesListed(Answer):
    """The bases at which a new lane can begin, the default first, and the uncommitted files of the person's checkout;
    `left_out`: those that cannot be taken along. Comes twice: as it is known here, and once more after a fetch."""

    bases: tuple[LaneBase, ...]
    prefix: str
    command_id: str = ""
    uncommitted: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    fetched: bool = False
    notice: str = ""


class LaneCreated(Answer):
    """The lane is there. `notices`: sentences about what did not go as wished, submodules for one."""

    lane: Lane
    notices: tuple[str, ...] = ()


class LanesLaunched(Answer):
    """The results of sending one prompt in several lanes. `failed`: pairs of a slot's name and why. `command_id` "": a
    launch that an earlier process left half-way."""

    session_ids: tuple[str, ...]
    failed: tuple[tuple[str, str], ...] = ()
    notices: tuple[str, ...] = ()


class FoundWorktree(Frozen):
    """A worktree of the repository that is no lane. `problem`: why it cannot become one."""

    path: str
    branch: str
    head: str
    problem: str = ""


class WorktreesListed(Answer):
    """The worktrees that could be imported."""

    worktrees: tuple[FoundWorktree, ...]
    command_id: str = ""


class LaneLoss(Frozen):
    """The losses that deleting one lane would bring. `files`: the first 20 changed or untracked files; `ignored`: files
    that are ignored and no caches, and repositories inside the lane, with their bytes; copies of them can be kept.
    `refused`: why it cannot be deleted at all; `branch_kept`: why its branch cannot. `unlink`: only the record goes.
    `head`, `branch_oid`, `remote_oid`: the commits that were seen, "" for none. `proofs`: those that only the lane and
    its chats have; they are kept unless a person says otherwise."""

    lane: Lane
    refused: str = ""
    files: tuple[str, ...] = ()
    file_count: int = 0
    only_here: int = 0
    unpushed: int | None = None
    stashes: int = 0
    holders: tuple[LaneHolder, ...] = ()
    ignored: tuple[tuple[str, int], ...] = ()
    size_bytes: int = 0
    remote_branch: str = ""
    branch_kept: str = ""
    unlink: bool = False
    operation: Operation = ""
    head: str = ""
    branch_oid: str = ""
    remote_oid: str = ""
    proofs: int = 0

    @property
    def nothing(self) -> bool:
        """Whether removing the lane would lose nothing, and no program runs in it."""
        held = (self.file_count, self.only_here, self.stashes, self.holders, self.ignored, self.operation)
        return self.unlink or not any(held)


class DeletePlanned(Answer):
    """The losses that a deletion would bring. `typed`: the word that must be typed, "" for none."""

    losses: tuple[LaneLoss, ...]
    digest: str
    typed: str = ""


class LanesDeleted(Answer):
    """The results of a deletion, lane by lane: id, trash id ("" when not deleted), a sentence when something failed."""

    results: tuple[tuple[str, str, str], ...]


class TrashListed(Update):
    """Deleted lanes that can be restored, latest first."""

    lanes: tuple[TrashedLane, ...]


class LaneFileLoaded(Update):
    """The repository's lane file. `problem`: why it cannot be used; `text` "" and `sha256` "": there is none. `says`:
    what trusting it allows, in sentences; `runs`: it has a command for Run; `sets_up`: one for setup."""

    text: str = ""
    sha256: str = ""
    include_text: str = ""
    trusted: bool = False
    problem: str = ""
    network: bool = False
    says: tuple[str, ...] = ()
    runs: bool = False
    sets_up: bool = False


class SetupOutput(Update):
    """The setup of a lane: the last 64 KiB it printed, and how it ended (`ending`, a sentence). `copied`: ignored files
    that the lane got, `secrets` those of them whose names are of the secret class; `skipped`: what was not, and why."""

    lane_id: str
    state: str
    text: str
    exit_code: int | None = None
    copied: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    secrets: tuple[str, ...] = ()
    command: str = ""
    ending: str = ""
    notices: tuple[str, ...] = ()


class LaneRunChanged(Update):
    """The run command of a lane and the ports of the lane. `text`: the last 64 KiB it printed; `ending`: how it ended,
    a sentence, "" before that. `addresses`: where processes of the lane listen; `port_problem`: somebody else does."""

    stands: ClassVar[Stand | None] = Stand.DETAILS
    lane_id: str
    running: bool
    text: str = ""
    addresses: tuple[str, ...] = ()
    port_problem: str = ""
    command: str = ""
    ending: str = ""

    def standing(self) -> Iterable[tuple[str, Update]]:
        """The newest run of each lane."""
        return ((self.lane_id, self),)


class ReclaimableFolder(Frozen):
    """An ignored folder of a lane, with its bytes."""

    lane_id: str
    path: str
    size_bytes: int


class LanesMeasured(Update):
    """The room that lanes take on the disk. `more_than`: ids of lanes that were too large to count to the end."""

    folders: tuple[ReclaimableFolder, ...]
    more_than: tuple[str, ...] = ()
    done: bool = True


class SpaceReclaimed(Answer):
    """The results of freeing space: lane id and folder of each that is gone, and of each that stays, with why.
    `no_trash`: those of them that the system's trash could not take; they could be deleted for good."""

    gone: tuple[tuple[str, str], ...]
    stays: tuple[tuple[str, str, str], ...] = ()
    no_trash: tuple[tuple[str, str], ...] = ()


class StackLane(Frozen):
    """One lane of a stack run. `before`, `after`: commits of its branch."""

    lane_id: str
    state: Literal["pending", "running", "succeeded", "skipped", "conflict", "blocked"]
    before: str = ""
    after: str = ""
    conflicts: tuple[str, ...] = ()
    text: str = ""


class StackRunChanged(Update):
    """A run of rebases. `undo`: why it cannot be undone, "" if it can; `can_undo`."""

    stands: ClassVar[Stand | None] = Stand.NOTICES
    run_id: str
    state: Literal["running", "completed", "failed", "aborted", "undone"]
    lanes: tuple[StackLane, ...]
    can_undo: bool = False
    undo: str = ""


class ConflictFile(Frozen):
    """A file in conflict, with both sides and what they come from. None: that side has no such file, or no text."""

    path: str
    base: str | None = None
    ours: str | None = None
    theirs: str | None = None
    resolved: bool = False
    note: str = ""


class ConflictsLoaded(Update):
    """The files in conflict in a lane."""

    lane_id: str
    operation: Operation
    ours_name: str
    theirs_name: str
    files: tuple[ConflictFile, ...]


class BehindLoaded(Answer):
    """The commits by which a lane is behind its base: `commits` newest first, as "abc1234 subject", at most twenty;
    `more`: how many there are besides."""

    lane_id: str
    base: str
    commits: tuple[str, ...]
    more: int = 0


class LaneOperationChanged(Update):
    """The result of going on with, or taking back, an operation that was open in a lane. `run_id`: the stack run that
    goes on now with the lanes that waited for this one, "" for none."""

    lane_id: str
    operation: Operation
    text: str
    run_id: str = ""


class MergePlanned(Answer):
    """The plan of merging a lane. `problem`: why it cannot be done now; `checkout`: the base is open in the person's
    checkout, and this says whether it can be moved forward ("" if it can)."""

    lane_id: str
    method: str
    base: str
    digest: str = ""
    problem: str = ""
    commits: tuple[str, ...] = ()
    files: tuple[ChangedFile, ...] = ()
    conflicts: tuple[str, ...] = ()
    tree: str = ""
    in_checkout: bool = False
    checkout: str = ""


class LaneMerged(Answer):
    """The base holds the lane's work now."""

    lane_id: str
    base: str
    oid: str


class HandoverChanged(Update):
    """The lane that the person's checkout shows, "" for none. `text`: what came of the last step."""

    stands: ClassVar[Stand | None] = Stand.NOTICES
    lane_id: str
    branch: str = ""
    text: str = ""

    def standing(self) -> Iterable[tuple[str, Update]]:
        """The lane that the checkout shows, without the sentence about the last step."""
        return (("", self.model_copy(update={"text": ""})),)
