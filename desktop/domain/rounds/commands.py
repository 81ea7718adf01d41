"""Commands about what a pull request waits for, and about rounds of work on it. Each names its lane."""

from dataclasses import field
from typing import ClassVar, Literal

from desktop.domain.core.command import Command
from desktop.domain.rounds.items import ItemState, LaunchChoice, PipelineSettings


class LoadInventory(Command):
    """Show the inventory of this lane's pull request as it is kept; asks nobody. → InventoryChanged, RoundChanged."""

    reads: ClassVar[bool] = True
    type: Literal["load_inventory"] = "load_inventory"
    lane_id: str


class RefreshInventory(Command):
    """Ask the forge now and bring the inventory up to date. → InventoryChanged."""

    type: Literal["refresh_inventory"] = "refresh_inventory"
    lane_id: str


class SetItemState(Command):
    """Ignore items (`dismissed`, with a reason), escalate them, or restore them (`new`). → InventoryChanged."""

    type: Literal["set_item_state"] = "set_item_state"
    lane_id: str
    item_ids: tuple[str, ...]
    to: ItemState
    reason: str = ""


class SetPipeline(Command):
    """Change how rounds of the lane's pull request go on by themselves. → RoundChanged."""

    type: Literal["set_pipeline"] = "set_pipeline"
    lane_id: str
    settings: PipelineSettings


class PreviewResolution(Command):
    """The exact prompt that a round would begin with. Nothing is created. → ResolutionPreview."""

    type: Literal["preview_resolution"] = "preview_resolution"
    lane_id: str
    choice: LaunchChoice = field(default_factory=LaunchChoice)


class LaunchResolution(Command):
    """Begin a round, bound to the prompt that was seen. `session_id` is made by the sender. → RoundChanged.

    A changed prompt is refused, and the new preview is told.
    """

    type: Literal["launch_resolution"] = "launch_resolution"
    lane_id: str
    session_id: str
    digest: str
    choice: LaunchChoice = field(default_factory=LaunchChoice)


class ResumeResolution(Command):
    """Go on after a pause: poll again, and let rounds follow as the settings say. → RoundChanged."""

    type: Literal["resume_resolution"] = "resume_resolution"
    lane_id: str


class StopResolution(Command):
    """End the round's turn and the polling. → RoundChanged."""

    type: Literal["stop_resolution"] = "stop_resolution"
    lane_id: str
