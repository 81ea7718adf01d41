"""The desks that make lanes ready and keep house in them: lane file, setup, ports, run command, disk space."""

from desktop.agent.core.desk import CommandDesk
from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.base import LaneBase
from desktop.agent.lanes.endings.space import LaneSpaceDesk
from desktop.agent.lanes.list import LaneList
from desktop.agent.lanes.ready.lane_file import LaneFileDesk, LaneFileReader
from desktop.agent.lanes.ready.run import LaneRunDesk
from desktop.agent.lanes.ready.setup import LaneSetups
from desktop.agent.lanes.ready.setup_desk import SetupDesk, WaitingTurns
from desktop.agent.lanes.ready.setup_record import SetupsKept


class SetupDesks:
    """`all` of them; `setups` makes lanes ready and takes back what they were given; `attendants` work on their own."""

    def __init__(
        self,
        base: LaneBase,
        reader: LaneFileReader,
        sessions: Sessions,
        turns: WaitingTurns,
        kept: SetupsKept,
        lanes: LaneList,
    ) -> None:
        ground, publish, acts = base.ground, base.telling.publish, base.acts
        file = LaneFileDesk(ground, publish, acts.log, reader)
        self.setups = LaneSetups(ground, acts, sessions, kept, reader, lanes)
        run = LaneRunDesk(ground, publish, acts, sessions, reader)
        space = LaneSpaceDesk(ground, base.telling, acts, base.clock, self.setups)
        desk = SetupDesk(ground, publish, sessions, turns, file, self.setups)
        self.all: tuple[CommandDesk, ...] = (file, desk, run, space)
        self.attendants = (self.setups, run, space)
