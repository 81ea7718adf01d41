"""What a person does to keep lanes working: setup, the run command, the lane file, disk space. Entries of the menu."""

from desktop.domain.lanes.commands import StopSetup
from desktop.domain.lanes.lane import Lane, LaneStatus
from desktop.domain.lanes.updates import LanesChanged
from desktop.language import tr, trn
from desktop.ui.core.hearing import Hearing
from desktop.ui.lanes.dialogs.free_space import FreeSpaceDialog
from desktop.ui.lanes.dialogs.lane_file import LaneFileDialog
from desktop.ui.lanes.dialogs.run import LaneRunDialog
from desktop.ui.lanes.dialogs.setup import LaneSetupDialog
from desktop.ui.lanes.host import LaneHost
from desktop.ui.text.format import size

NOTICE_BYTES = 20 * 1024**3
NOTICE_LANES = 30


def show_setup(host: LaneHost, lane_id: str) -> None:
    """Show the setup of a lane with its log."""
    lane = host.lane(lane_id)
    if lane is not None:
        dialog = LaneSetupDialog(lane, host.order, host.window)
        dialog.review_asked.connect(lambda: review_lane_file(host, lane_id))
        host.show(dialog, dialog.hearing, beside=True)


def stop_setup(host: LaneHost, lane_id: str) -> None:
    """End the setup of a lane."""
    host.send(StopSetup(lane_id=lane_id))


def run_lane(host: LaneHost, lane_id: str) -> None:
    """Start the run command of a lane, and show its log."""
    lane = host.lane(lane_id)
    if lane is not None:
        dialog = LaneRunDialog(lane, host.run_of(lane_id), host.order, host.window)
        dialog.review_asked.connect(lambda: review_lane_file(host, ""))
        host.show(dialog, dialog.hearing, beside=True)


def review_lane_file(host: LaneHost, lane_id: str) -> None:
    """Show the repository's lane file, to be trusted. `lane_id`: the lane whose setup begins then, "" for none."""
    dialog = LaneFileDialog(lane_id, host.order, host.window)
    host.show(dialog, dialog.hearing)


def free_space(host: LaneHost, lane_id: str = "") -> None:
    """Show what could be freed in a lane, or in all of them."""
    names = {lane.id: lane.name for lane in host.lanes()}
    dialog = FreeSpaceDialog(names, (lane_id,) if lane_id else (), host.order, host.window)
    host.show(dialog, dialog.hearing)


def is_ours(lane: Lane, _status: LaneStatus | None) -> bool:
    """Whether the lane is one that is made ready and can be run in."""
    return lane.type != "primary" and lane.state == "active"


def has_ignored(lane: Lane, _status: LaneStatus | None) -> bool:
    """Whether the lane has a folder of which something could be freed."""
    return lane.type == "worktree" and lane.state in ("active", "broken", "archived") and not lane.freed


class SpaceNotice:
    """Offers, once, to free space when lanes have become many or large."""

    def __init__(self, host: LaneHost) -> None:
        self._host = host
        self._said = False
        self.hearing = Hearing().on(LanesChanged, self._look)

    def _look(self, update: LanesChanged) -> None:
        if self._said:
            return
        lanes = [lane for lane in update.lanes if lane.type != "primary" and not lane.freed]
        total = sum(lane.size_bytes for lane in lanes)
        if total > NOTICE_BYTES or len(lanes) >= NOTICE_LANES:
            self._said = True
            what = (
                tr("Lanes take {size}.", size=size(total))
                if total > NOTICE_BYTES
                else trn(len(lanes), "There is {n} lane.", "There are {n} lanes.")
            )
            self._host.offer(what, tr("Free space"), lambda: free_space(self._host))
