"""LaneCauses: which lanes may stand differently after something that the engine said."""

from collections.abc import Callable

from desktop.domain.changes.updates import ChangeReverted, ChangesCommitted, LaneChangesLoaded, LanePushed
from desktop.domain.core.checkpoint_events import CheckpointMade, CheckpointSkipped, FilesRestored
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope, ToolCallFinished, TurnEnded
from desktop.domain.gate.events import ReviewReverted
from desktop.domain.lanes import updates as lu
from desktop.domain.lanes.lane import Lane
from desktop.domain.terminals.updates import TerminalClosed, TerminalScreen
from desktop.domain.undo.events import UndoFinished
from desktop.domain.updates import ShellsChanged

ALL = frozenset({"*"})
"""Any lane: a base or a remote moved."""

_OF_ONE_LANE = (
    lu.LaneOperationChanged,
    ChangeReverted,
    ChangesCommitted,
    LanePushed,
    TerminalClosed,
    lu.ConflictsLoaded,
    lu.BehindLoaded,
)
_ENDS_OF_SETUP = ("ready", "failed", "skipped")
_WRITING = (TurnEnded, FilesRestored, ReviewReverted, UndoFinished)
_COUNTED = ("lane", "uncommitted")


class LaneCauses:
    """Told every update. `lane_of`: the lane that a chat works in, "" for none."""

    def __init__(self, lane_of: Callable[[str], str]) -> None:
        self._lane_of = lane_of
        self._writing: set[str] = set()
        self._busy: set[str] = set()
        self._in_checkout = ""
        self._listed: dict[str, tuple[object, ...]] = {}
        self._lanes: dict[str, tuple[object, ...]] = {}

    def touched(self, update: Update) -> frozenset[str]:
        """The ids of the lanes to read again; ALL for every one."""
        if isinstance(update, Envelope):
            return self._by_event(update)
        if isinstance(update, _OF_ONE_LANE):
            return frozenset({update.lane_id}) - {""}
        if isinstance(update, lu.HandoverChanged):
            shown, self._in_checkout = {self._in_checkout, update.lane_id}, update.lane_id
            return frozenset(shown) - {""}
        if isinstance(update, TerminalScreen | LaneChangesLoaded):
            return self._by_terminal(update) if isinstance(update, TerminalScreen) else self._by_listing(update)
        if isinstance(update, lu.LanesChanged):
            return self._by_records(update.lanes)
        if isinstance(update, lu.StackRunChanged) and update.state != "running":
            return frozenset(lane.lane_id for lane in update.lanes)
        if isinstance(update, lu.SetupOutput | lu.LaneRunChanged | ShellsChanged):
            return frozenset({self._where_work_ended(update)}) - {""}
        moved = isinstance(update, lu.LaneMerged) or (isinstance(update, lu.LaneBasesListed) and update.fetched)
        return ALL if moved else frozenset()

    def _by_event(self, envelope: Envelope) -> frozenset[str]:
        """Before a call that can change files they are kept, or it is recorded why not."""
        event = envelope.event
        if isinstance(event, CheckpointMade | CheckpointSkipped) and event.call_id:
            self._writing.add(event.call_id)
            return frozenset()
        wrote = isinstance(event, ToolCallFinished) and event.call_id in self._writing
        if isinstance(event, ToolCallFinished):
            self._writing.discard(event.call_id)
        if not wrote and not isinstance(event, _WRITING):
            return frozenset()
        return frozenset({self._lane_of(envelope.session_id)}) - {""}

    def _by_listing(self, listed: LaneChangesLoaded) -> frozenset[str]:
        """When its changes were listed for a person and are others than the last time."""
        if listed.problem:
            return frozenset()
        told = (listed.head, *(pair for pair in listed.counts if pair[0] in _COUNTED))
        known, self._listed[listed.lane_id] = self._listed.get(listed.lane_id), told
        return frozenset({listed.lane_id}) if known != told else frozenset()

    def _by_terminal(self, screen: TerminalScreen) -> frozenset[str]:
        """When a program in a terminal ends."""
        if screen.busy:
            self._busy.add(screen.terminal_id)
        elif screen.terminal_id in self._busy:
            self._busy.discard(screen.terminal_id)
            return frozenset({screen.lane_id})
        return frozenset()

    def _where_work_ended(self, update: lu.SetupOutput | lu.LaneRunChanged | ShellsChanged) -> str:
        if isinstance(update, ShellsChanged):
            return self._lane_of(update.session_id)
        ended = not update.running if isinstance(update, lu.LaneRunChanged) else update.state in _ENDS_OF_SETUP
        return update.lane_id if ended else ""

    def _by_records(self, lanes: tuple[Lane, ...]) -> frozenset[str]:
        """Lanes that are new, or whose record says something else about what git is asked."""
        now: dict[str, tuple[object, ...]] = {
            lane.id: (lane.state, lane.branch, lane.base_ref, lane.base_oid, lane.parent_id, lane.worktree_path)
            for lane in lanes
        }
        known, self._lanes = self._lanes, now
        return frozenset(lane_id for lane_id, told in now.items() if known.get(lane_id) != told)
