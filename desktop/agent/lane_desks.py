"""The desks that work with lanes and reviews, in one place; each is a file of its own."""

from dataclasses import dataclass

from desktop.agent.change_scopes import ChangeScopes
from desktop.agent.changes_desk import ChangesDesk
from desktop.agent.command_desk import CommandDesk
from desktop.agent.lane_list import LaneList
from desktop.agent.lane_parts import LaneParts


@dataclass(frozen=True)
class LaneDesks:
    """`all` of them; `list` tells the window which lanes there are."""

    list: LaneList
    all: tuple[CommandDesk, ...]


def lane_desks(parts: LaneParts) -> LaneDesks:
    """Made in the order in which they need one another."""
    parts.use.add(parts.sessions)
    lane_list = LaneList(parts)
    changes = ChangesDesk(parts, ChangeScopes(parts))
    return LaneDesks(lane_list, (lane_list, changes))
