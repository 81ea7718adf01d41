"""The desks that make lanes ready and keep house in them: lane file, setup, ports, run command, disk space."""

from desktop.agent.core.desk import CommandDesk
from desktop.agent.core.parts import LaneParts
from desktop.agent.lanes.endings.space import LaneSpaceDesk
from desktop.agent.lanes.list import LaneList
from desktop.agent.lanes.ready.lane_file import LaneFileDesk
from desktop.agent.lanes.ready.run import LaneRunDesk
from desktop.agent.lanes.ready.setup import LaneSetups
from desktop.agent.lanes.ready.setup_desk import SetupDesk


class SetupDesks:
    """`all` of them; `setups` makes lanes ready and takes back what they were given; `attendants` work on their own."""

    def __init__(self, parts: LaneParts, lanes: LaneList) -> None:
        file = LaneFileDesk(parts)
        self.setups = LaneSetups(parts, file, lanes)
        run = LaneRunDesk(parts, file)
        space = LaneSpaceDesk(parts, self.setups)
        self.all: tuple[CommandDesk, ...] = (file, SetupDesk(parts, file, self.setups), run, space)
        self.attendants = (self.setups, run, space)
