"""How lanes stand, as a theme."""

from collections.abc import Callable

from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.lanes.base import LaneBase
from desktop.agent.lanes.standing.status import StatusCommands


class LaneStanding:
    """`status` reads how each lane stands. `recheck`: lets the records of lanes be compared with Git. `shown`: a window
    lists the lanes; without one they are read when somebody asks and not because something happened."""

    def __init__(self, base: LaneBase, sessions: Sessions, recheck: Callable[[], object], *, shown: bool) -> None:
        self.status = StatusCommands(base.ground, base.telling.publish, base.clock, sessions, recheck)
        handlers = handlers_of(self.status)
        if shown:
            self.theme = Theme("standing of lanes", handlers, saw=self.status.saw, attendants=(self.status,))
        else:
            self.theme = Theme("standing of lanes", handlers, closed_first=(self.status,))
