"""What a person does to begin and change lanes: entries of the lane's menu, and actions of the window."""

from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import AdoptLane
from desktop.domain.lanes.lane import Lane, LaneStatus
from desktop.domain.lanes.updates import LanesLaunched
from desktop.language import tr
from desktop.ui.chats.composer.drafts import Drafts
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.lanes.dialogs.edit import EditLaneDialog
from desktop.ui.lanes.dialogs.imports import ImportLaneDialog
from desktop.ui.lanes.dialogs.models import SeveralModelsDialog, tell_launched
from desktop.ui.lanes.dialogs.new import NewLaneDialog
from desktop.ui.lanes.dialogs.switch import SwitchBranchDialog
from desktop.ui.lanes.host import LaneHost
from desktop.ui.widgets.dialogs.ask import AskDialog, Question

_ADOPT = tr(
    "From then on the lane is one of Banksman's own: deleting it may remove its folder and its branch. "
    "Nothing is changed now."
)


def new_lane(host: LaneHost, parent_id: str = "") -> None:
    """Ask for a name and a base, and make the lane."""
    dialog = NewLaneDialog(host, parent_id)
    host.show(dialog, dialog.hearing)


def new_chat_here(host: LaneHost, lane_id: str) -> None:
    """Begin another chat in this lane."""
    lane = host.lane(lane_id)
    if lane is not None:
        host.new_chat(lane)


def import_lane(host: LaneHost, path: str = "") -> None:
    """Take a worktree that is there already as a lane; `path`: the one that is meant, "" to choose it."""
    dialog = ImportLaneDialog(host, path)
    host.show(dialog)


def edit_lane(host: LaneHost, lane_id: str) -> None:
    """Change name, description, tags, colour and icon."""
    lane = host.lane(lane_id)
    if lane is not None:
        dialog = EditLaneDialog(lane, host)
        host.show(dialog, dialog.hearing)


def switch_branch(host: LaneHost, lane_id: str) -> None:
    """Check out another branch in the lane."""
    lane = host.lane(lane_id)
    if lane is not None:
        dialog = SwitchBranchDialog(lane, host)
        host.show(dialog, dialog.hearing)


def adopt_lane(host: LaneHost, lane_id: str) -> None:
    """Make an attached lane one of our own, once a person agreed."""
    lane = host.lane(lane_id)
    if lane is None:
        return
    title = tr("Adopt “{name}”?", name=display_text(lane.name))
    question = Question(
        "lane_adopt_dialog",
        title,
        _ADOPT,
        (tr("Cancel"), "lane_adopt_cancel"),
        (tr("Adopt"), "lane_adopt"),
        dangerous=False,
    )
    dialog = AskDialog(question, host.window)
    dialog.agreed.connect(lambda: host.send(AdoptLane(lane_id=lane_id)))
    host.show(dialog)


def several_models(host: LaneHost, engine: EngineFacts, drafts: Drafts) -> None:
    """Send one prompt to several models, each in a lane of its own."""
    dialog = SeveralModelsDialog(host, engine, drafts)
    host.show(dialog)


def tell_of_launch(host: LaneHost, update: LanesLaunched) -> None:
    """Say what became of a launch that an earlier run of the program left half-way."""
    if not update.command_id:
        tell_launched(host, update)


def takes_chats(lane: Lane, _status: LaneStatus | None) -> bool:
    """Whether a chat can begin in the lane."""
    return lane.state == "active"


def takes_children(lane: Lane, _status: LaneStatus | None) -> bool:
    """Whether another lane can stack on it."""
    return lane.state == "active" and lane.type != "primary" and bool(lane.branch)


def can_be_edited(lane: Lane, _status: LaneStatus | None) -> bool:
    """Whether its name and looks can be changed."""
    return lane.type != "primary" and lane.state in ("active", "broken", "archived")


def can_switch(lane: Lane, _status: LaneStatus | None) -> bool:
    """Whether it can be on another branch."""
    return lane.type != "primary" and lane.state == "active"


def switch_hindrance(_lane: Lane, status: LaneStatus | None) -> str:
    """Why another branch cannot be checked out now."""
    if status is not None and not status.problem and status.dirty:
        return tr("Commit or revert the changes of this lane first.")
    return ""


def is_attached(lane: Lane, _status: LaneStatus | None) -> bool:
    """Whether its files are the person's."""
    return lane.type == "attached" and lane.state == "active"
