"""What a person can do about a lane that git and the record do not agree on: the offers of its finding."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import RepairLane
from desktop.language import tr
from desktop.ui.lanes.ends import delete_lane
from desktop.ui.lanes.host import LaneHost
from desktop.ui.widgets.dialogs.ask import Question, ask_first

OFFERS: dict[str, tuple[str, str]] = {
    "recreate": (
        tr("Recreate"),
        tr("Make the folder again, with what git has staged for it: its last commit, if nothing is."),
    ),
    "recreate_checkpoint": (tr("Recreate from checkpoint"), tr("Make the folder again, with its last checkpoint.")),
    "locate": (tr("Locate…"), tr("Say where the folder of the lane is now.")),
    "restore_link": (tr("Restore link"), tr("Write the .git file of the folder anew. No other file is touched.")),
    "recreate_branch": (tr("Recreate branch"), tr("Make the branch again, at the last commit that the lane was at.")),
    "follow": (tr("Follow it"), tr("From now on this is the branch of the lane.")),
    "switch_back": (
        tr("Switch back"),
        tr("Check out the branch of the lane again. Refused while anything could get lost."),
    ),
    "unlock": (tr("Unlock"), tr("Take git's lock away.")),
    "finish": (tr("Finish"), tr("Make the lane as it was wanted.")),
    "take_back": (tr("Remove"), tr("Remove what there is of it. Refused when somebody worked in it.")),
    "forget": (tr("Forget lane…"), tr("Take it off the list. Its folder and its branch stay as they are.")),
    "delete": (tr("Delete lane…"), tr("Show what would be lost with it.")),
}
"""By offer: what it is called, and what it does. In the order in which a finding has them it is shown."""


def repair(host: LaneHost, lane_id: str, offer: str) -> None:
    """Carry out an offer; what needs to be asked first is asked."""
    asks: dict[str, Callable[[], object]] = {
        "delete": lambda: delete_lane(host, lane_id),
        "locate": lambda: _locate(host, lane_id),
        "forget": lambda: _ask_forget(host, lane_id),
    }
    asks.get(offer, lambda: host.send(RepairLane(lane_id=lane_id, offer=offer)))()


def labels(offers: Sequence[str]) -> list[tuple[str, str, str]]:
    """Name, label and explanation of those that the window knows."""
    return [(offer, *OFFERS[offer]) for offer in offers if offer in OFFERS]


def _locate(host: LaneHost, lane_id: str) -> None:
    """The folder that was found, or one that a person picks."""
    finding = host.finding(lane_id)
    if finding is not None and finding.path:
        host.send(RepairLane(lane_id=lane_id, offer="locate", path=finding.path))
        return
    dialog = QFileDialog(host.window, tr("Where is the folder of the lane?"))
    dialog.setObjectName("lane_locate_dialog")
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda path: host.send(RepairLane(lane_id=lane_id, offer="locate", path=path)))
    dialog.open()


def _ask_forget(host: LaneHost, lane_id: str) -> None:
    lane = host.lane(lane_id)
    if lane is None:
        return
    question = Question(
        "lane_forget_dialog",
        tr("Forget lane “{name}”?", name=display_text(lane.name)),
        tr("It leaves the list. What stands in its place, and its branch, stay as they are."),
        (tr("Keep it"), "lane_forget_keep"),
        (tr("Forget"), "lane_forget_go"),
        dangerous=False,
    )
    ask_first(question, host.window, lambda: host.send(RepairLane(lane_id=lane_id, offer="forget")))
