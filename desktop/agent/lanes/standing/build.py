"""How lanes stand, as a theme."""

from collections.abc import Callable

from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.lanes.base import LaneBase
from desktop.agent.lanes.standing.status import StatusCommands


class LaneStanding:
    """`status` reads how each lane stands. `recheck`: lets the records of lanes be compared with Git."""

    def __init__(self, base: LaneBase, sessions: Sessions, recheck: Callable[[], object]) -> None:
        self.status = StatusCommands(base.ground, base.telling.publish, base.clock, sessions, recheck)
        self.theme = Theme(
            "standing of lanes", handlers_of(self.status), saw=self.status.saw, attendants=(self.status,)
        )
