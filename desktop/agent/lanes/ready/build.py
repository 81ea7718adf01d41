"""What makes lanes ready and keeps house in them, as a theme: lane file, setup, ports, run command, disk space."""

from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.lanes.base import LaneBase
from desktop.agent.lanes.endings.space import LaneSpaceCommands
from desktop.agent.lanes.list import LaneList
from desktop.agent.lanes.ready.lane_file import LaneFileCommands, LaneFileReader
from desktop.agent.lanes.ready.run import LaneRunCommands
from desktop.agent.lanes.ready.setup import LaneSetups
from desktop.agent.lanes.ready.setup_record import SetupsKept
from desktop.agent.lanes.ready.setups import SetupCommands, WaitingTurns


class LanesReady:
    """`setups` makes lanes ready and takes back what they were given."""

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
        file = LaneFileCommands(ground, publish, acts.log, reader)
        self.setups = LaneSetups(ground, acts, sessions, kept, reader, lanes)
        run = LaneRunCommands(ground, publish, acts, sessions, reader)
        space = LaneSpaceCommands(ground, base.telling, acts, base.clock, self.setups)
        setting_up = SetupCommands(ground, publish, sessions, turns, file, self.setups)
        self.theme = Theme(
            "lanes made ready", handlers_of(file, setting_up, run, space), attendants=(self.setups, run, space)
        )
