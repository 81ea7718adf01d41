"""Updates about what a pull request waits for, and about rounds of work on it."""

from dataclasses import field
from datetime import datetime

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Answer, Update
from desktop.domain.rounds.items import (
    Availability,
    IssueItem,
    LaunchChoice,
    PipelineRun,
    PipelineSettings,
    RoundRecord,
)


class InventoryChanged(Update):
    """The items that the lane's pull request waits for. `number` 0: it has none. `synced_at`: when the forge last told;
    `problem`: why it did not tell just now; the items are then of the last good time. `loading`: it is being asked."""

    lane_id: str
    number: int = 0
    items: tuple[IssueItem, ...] = ()
    availability: Availability = field(default_factory=Availability)
    synced_at: datetime | None = None
    problem: str = ""
    loading: bool = False


class RoundChanged(Update):
    """The rounds of a lane's pull request, oldest first. `next_round`: the number that the next one would have."""

    lane_id: str
    number: int = 0
    run: PipelineRun = field(default_factory=PipelineRun)
    settings: PipelineSettings = field(default_factory=PipelineSettings)
    rounds: tuple[RoundRecord, ...] = ()
    next_round: int = 1


class ResolutionPreview(Answer):
    """The prompt of a round, byte for byte as it would be sent. `problem`: why it cannot be launched, "" when it can;
    `digest`: what LaunchResolution must send, "" with a problem. `asks_sandbox`: the problem is that full auto needs
    the person's word, because the sandbox does not stop everything. `choice`: as it was asked for, with its items
    named; `modes`: what may be chosen."""

    lane_id: str
    number: int = 0
    round: int = 1
    rounds: int = 1
    prompt: str = ""
    digest: str = ""
    problem: str = ""
    asks_sandbox: bool = False
    choice: LaunchChoice = field(default_factory=LaunchChoice)
    items: tuple[IssueItem, ...] = ()
    availability: Availability = field(default_factory=Availability)
    modes: tuple[PermissionMode, ...] = ()
