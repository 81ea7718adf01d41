"""LaneList: tells the window which lanes there are, whenever that changes."""

from desktop.agent.core.desk import Handler
from desktop.agent.core.parts import LaneParts
from desktop.domain.core.command import Command
from desktop.domain.lanes.lane import LaneFinding
from desktop.domain.lanes.updates import LanesChanged


class LaneList:
    """All on the engine thread. `findings`: by lane, what is wrong with it, as the comparison with git last told;
    `unknown`: the worktrees beside the lanes that are none."""

    def __init__(self, parts: LaneParts) -> None:
        self._parts = parts
        self._sent: LanesChanged | None = None
        self.findings: dict[str, LaneFinding] = {}
        self.unknown: tuple[str, ...] = ()

    def handlers(self) -> dict[type[Command], Handler]:
        """None of its own: it only tells."""
        return {}

    def publish(self) -> None:
        """Send the lanes of the open repository, if anything about them changed since they were sent last."""
        project = self._parts.project()
        if project is None:
            return
        lanes = tuple(lane for lane in self._parts.lanes.all_of_project(project.id) if lane.state != "deleted")
        found = tuple(self.findings[lane.id] for lane in lanes if lane.id in self.findings)
        taken = {lane.worktree_path for lane in lanes}
        unknown = tuple(path for path in self.unknown if path not in taken)
        update = LanesChanged(lanes=lanes, findings=found, unknown=unknown)
        if update != self._sent:
            self._sent = update
            self._parts.publish(update)
