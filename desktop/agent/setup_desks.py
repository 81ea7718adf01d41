"""The desks that make lanes ready and keep house in them: lane file, setup, ports, run command, disk space."""

from desktop.agent.command_desk import CommandDesk
from desktop.agent.lane_file_desk import LaneFileDesk
from desktop.agent.lane_list import LaneList
from desktop.agent.lane_parts import LaneParts
from desktop.agent.lane_run_desk import LaneRunDesk
from desktop.agent.lane_setup import LaneSetups
from desktop.agent.lane_space_desk import LaneSpaceDesk
from desktop.agent.setup_desk import SetupDesk


class SetupDesks:
    """`all` of them; `setups` makes lanes ready and takes back what they were given; `attendants` work on their own."""

    def __init__(self, parts: LaneParts, lanes: LaneList) -> None:
        file = LaneFileDesk(parts)
        self.setups = LaneSetups(parts, file, lanes)
        run = LaneRunDesk(parts, file)
        space = LaneSpaceDesk(parts, self.setups)
        self.all: tuple[CommandDesk, ...] = (file, SetupDesk(parts, file, self.setups), run, space)
        self.attendants = (self.setups, run, space)
