"""The end of lanes as a theme: archived, deleted, brought back, and mended when Git knows something else of them."""

from collections.abc import Callable
from pathlib import Path

from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.lanes.base import LaneBase
from desktop.agent.lanes.endings.recovery import LaneRecovery
from desktop.agent.lanes.endings.remove import LaneLosses, LaneRemove, Leaving
from desktop.agent.lanes.endings.remover import LaneRemover
from desktop.agent.lanes.endings.reviver import LaneReviver
from desktop.agent.lanes.endings.snapshots import LaneSnapshots
from desktop.agent.lanes.endings.trash import TrashCommands
from desktop.agent.lanes.list import LaneList
from desktop.agent.lanes.ready.setup import LaneSetups
from desktop.agent.lanes.repairs import LaneRepairs
from desktop.records import dataclass
from desktop.services.git.login import Login


@dataclass(frozen=True)
class Going:
    """What it takes to let lanes go. `kept`: the folder of what is kept of them; `leaving`: what else goes with a lane;
    `forget`: told the id of each that is gone for good."""

    kept: Path
    login: Login
    leaving: Leaving
    forget: Callable[[str], None]


class LaneEndings:
    """`remover` archives and deletes lanes, `losses` says what that would lose, `repairs` compares their records with
    Git."""

    def __init__(
        self,
        base: LaneBase,
        sessions: Sessions,
        lane_list: LaneList,
        setups: LaneSetups,
        going: Going,
    ) -> None:
        ground, telling, acts = base.ground, base.telling, base.acts
        snapshots = LaneSnapshots(going.kept, base.clock)
        self.remover = LaneRemover(ground.lanes, acts, base.contents, snapshots, going.login, setups.teardown)
        reviver = LaneReviver(ground, acts, sessions, snapshots, setups.revived)
        trash = TrashCommands(ground, telling, acts, snapshots, reviver, going.forget)
        recovery = LaneRecovery(ground, telling.listed, acts, base.contents, self.remover, snapshots)
        self.repairs = LaneRepairs(ground, acts, sessions, lane_list, recovery, trash)
        self.losses = losses = LaneLosses(ground, acts.use, going.leaving)
        removing = LaneRemove(ground, telling, losses, self.remover, reviver, self.repairs.look_again)
        self.theme = Theme("endings of lanes", handlers_of(trash, removing, self.repairs), attendants=(self.repairs,))
