"""Ground and Telling: the two small values that nearly everything about lanes stands on.

What a part of a theme needs is named in its constructor, each thing by itself and in the narrowest type that serves.
Only what is nearly always wanted together is one value: here the repository that is open with its lanes, and the two
ways to tell the window something; in `lanes/base.py` the log and the locks of lanes, and their files and checkpoints;
in `turns/chat_work.py` what works with chats. A part takes such a value only when it uses at least half of it.
`LaneBase` is all of them together, `Premises` what there is before them: `build.py` of a theme takes them apart,
nothing else may have them.
"""

from collections.abc import Callable

from desktop.agent.core.lane_register import Lanes
from desktop.agent.core.session import Publish
from desktop.domain.core.errors import CommandError
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane
from desktop.records import dataclass


@dataclass(frozen=True)
class Ground:
    """`lanes` of all repositories; `project`: the repository that is open."""

    lanes: Lanes
    project: Callable[[], Project | None]

    def the_project(self) -> Project:
        """The repository that is open.

        Raises:
            CommandError: `no_project`.
        """
        project = self.project()
        if project is None:
            raise CommandError("no_project", "Open a repository first.")
        return project

    def lane(self, lane_id: str) -> Lane:
        """The lane of that id.

        Raises:
            CommandError: `unknown_lane`.
        """
        lane = self.lanes.get(lane_id)
        if lane is None or lane.state == "deleted":
            raise CommandError("unknown_lane", "This lane does not exist any more.")
        return lane


@dataclass(frozen=True)
class Telling:
    """`publish` tells the window one thing; `listed`: call it when lanes or chats changed, so that lists are sent."""

    publish: Publish
    listed: Callable[[], None]
