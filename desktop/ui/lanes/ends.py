"""What a person does to end lanes, and to bring them back: the entries of the lane's menu for it."""

from collections.abc import Sequence

from desktop.domain.core.clock import utc_now
from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import ArchiveLane, RestoreLane, UnarchiveLane
from desktop.domain.lanes.lane import Lane
from desktop.language import number, tr
from desktop.ui.lanes.dialogs.archive import ArchiveLaneDialog
from desktop.ui.lanes.dialogs.delete import DeleteLaneDialog
from desktop.ui.lanes.dialogs.pick_lanes import PickLanesDialog
from desktop.ui.lanes.dialogs.trash import LaneTrashDialog
from desktop.ui.lanes.host import LaneHost


def delete_lane(host: LaneHost, lane_id: str) -> None:
    """Show what would be lost with a lane, and delete it if a person wants that."""
    delete_lanes(host, (lane_id,))


def delete_lanes(host: LaneHost, lane_ids: Sequence[str]) -> None:
    """The same for several at once."""
    lanes = [lane for lane_id in lane_ids if (lane := host.lane(lane_id)) is not None]
    if lanes:
        children = [child for lane in lanes for child in below(host, lane.id) if child.id not in lane_ids]
        dialog = DeleteLaneDialog(lanes, _Deletion(host, [*lanes, *children]), host.window, children)
        host.show(dialog)


def pick_lanes(host: LaneHost) -> None:
    """Ask which lanes are to be deleted together."""
    used = ("active", "broken", "archived")
    lanes = [lane for lane in host.lanes() if lane.type != "primary" and lane.state in used]
    if not lanes:
        host.note(tr("There is no lane to delete."))
        return
    dialog = PickLanesDialog(lanes, host.window)
    dialog.picked.connect(lambda lane_ids: delete_lanes(host, lane_ids))
    dialog.open()


def archive_lane(host: LaneHost, lane_id: str) -> None:
    """Ask what becomes of the folder, then archive the lane."""
    lane = host.lane(lane_id)
    if lane is None:
        return
    dialog = ArchiveLaneDialog(lane, below(host, lane_id), host.order, host.window)
    dialog.chosen.connect(lambda free, too: host.send(ArchiveLane(lane_id=lane_id, free_disk=free, with_children=too)))
    host.show(dialog)


def unarchive_lane(host: LaneHost, lane_id: str) -> None:
    """Bring an archived lane back."""
    host.send(UnarchiveLane(lane_id=lane_id))


def show_trash(host: LaneHost) -> None:
    """Show the lanes that were deleted in the last 30 days."""
    dialog = LaneTrashDialog(host, utc_now)
    host.show(dialog, dialog.hearing)


def below(host: LaneHost, lane_id: str) -> list[Lane]:
    """The lanes in use that stack on this one, on whatever level."""
    used = ("creating", "active", "broken")
    children = [one for one in host.lanes() if one.parent_id == lane_id and one.state in used]
    return [one for child in children for one in (child, *below(host, child.id))]


class _Deletion:
    """What the dialog works with."""

    def __init__(self, host: LaneHost, lanes: Sequence[Lane]) -> None:
        self._host, self.order = host, host.order
        self._names = {lane.id: display_text(lane.name) for lane in lanes}

    def deleted(self, results: tuple[tuple[str, str, str], ...]) -> None:
        """Say it, and offer to take it back where something is in the trash."""
        names = [tr("“{name}”", name=self._names.get(lane_id, "")) for lane_id, _, _ in results]
        named, more = ", ".join(names[:3]), number(len(names) - 3)
        text = tr("Deleted {names}.", names=named)
        unlinked = tr("Unlinked {names}.", names=named)
        if len(names) > 3:
            text = tr("Deleted {names} and {more} more.", names=named, more=more)
            unlinked = tr("Unlinked {names} and {more} more.", names=named, more=more)
        problems = " ".join(filter(None, (problem for _, _, problem in results)))
        if problems:
            self._host.note(problems, error=True)
        trashed = [trash_id for _, trash_id, _ in results if trash_id]
        if trashed:
            gone = [lane_id for lane_id, trash_id, _ in results if trash_id]
            self._host.offer(text, tr("Undo"), lambda: self._take_back(trashed), gone)
        else:
            self._host.note(unlinked)

    def _take_back(self, trashed: Sequence[str]) -> None:
        """Parents before what stacks on them: they were deleted last."""
        for trash_id in reversed(trashed):
            self._host.send(RestoreLane(trash_id=trash_id))
