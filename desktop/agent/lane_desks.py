"""The desks that work with lanes and reviews, in one place; each is a file of its own."""

from dataclasses import dataclass
from typing import Protocol

from desktop.agent.change_scopes import ChangeScopes
from desktop.agent.changes_desk import ChangesDesk
from desktop.agent.command_desk import CommandDesk
from desktop.agent.lane_list import LaneList
from desktop.agent.lane_parts import LaneParts


class Attendant(Protocol):
    """A part that works on its own while a repository is open."""

    def project_opened(self) -> None:
        """Another repository is open now, or the same one again. Returns at once."""

    async def close(self) -> None:
        """End what was begun; nothing of it runs afterwards."""


@dataclass(frozen=True)
class LaneDesks:
    """`all` of them; `list` tells the window which lanes there are; `attendants` work without being asked."""

    list: LaneList
    all: tuple[CommandDesk, ...]
    attendants: tuple[Attendant, ...] = ()

    def project_opened(self) -> None:
        """Tell those that work on their own."""
        for one in self.attendants:
            one.project_opened()

    async def close(self) -> None:
        """End what works on its own."""
        for one in self.attendants:
            await one.close()


def lane_desks(parts: LaneParts) -> LaneDesks:
    """Made in the order in which they need one another."""
    parts.use.add(parts.sessions)
    lane_list = LaneList(parts)
    changes = ChangesDesk(parts, ChangeScopes(parts))
    return LaneDesks(lane_list, (lane_list, changes))
