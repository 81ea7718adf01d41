"""LaneList: tells the window which lanes there are, whenever that changes."""

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground, Telling
from desktop.domain.core.command import Command
from desktop.domain.lanes.lane import LaneFinding
from desktop.domain.lanes.updates import LanesChanged


class LaneList:
    """All on the engine thread. `findings`: by lane, what is wrong with it, as the comparison with git last told;
    `unknown`: the worktrees beside the lanes that are none."""

    def __init__(self, ground: Ground, telling: Telling) -> None:
        self._ground = ground
        self._telling = telling
        self._sent: LanesChanged | None = None
        self.findings: dict[str, LaneFinding] = {}
        self.unknown: tuple[str, ...] = ()

    def handlers(self) -> dict[type[Command], Handler]:
        """None of its own: it only tells."""
        return {}

    def found(self, findings: dict[str, LaneFinding], unknown: tuple[str, ...]) -> None:
        """The comparison with git says this now; it is shown when it is another thing than before."""
        if (findings, unknown) != (self.findings, self.unknown):
            self.findings, self.unknown = findings, unknown
            self._telling.listed()

    def show(self) -> None:
        """Send the lists soon."""
        self._telling.listed()

    def repaired(self, lane_id: str) -> None:
        """What was wrong with this lane was repaired."""
        self.findings = {one: kept for one, kept in self.findings.items() if one != lane_id}

    def publish(self) -> None:
        """Send the lanes of the open repository, if anything about them changed since they were sent last."""
        project = self._ground.project()
        if project is None:
            return
        lanes = tuple(lane for lane in self._ground.lanes.all_of_project(project.id) if lane.state != "deleted")
        found = tuple(self.findings[lane.id] for lane in lanes if lane.id in self.findings)
        taken = {lane.worktree_path for lane in lanes}
        unknown = tuple(path for path in self.unknown if path not in taken)
        update = LanesChanged(lanes=lanes, findings=found, unknown=unknown)
        if update != self._sent:
            self._sent = update
            self._telling.publish(update)
