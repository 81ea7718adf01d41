"""LaneParts: what everything that works with lanes is made of, given to each desk once."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from desktop.agent.chats.queue import QueueDesk
from desktop.agent.core.lane_register import Lanes
from desktop.agent.core.session import Publish
from desktop.agent.core.sessions import Sessions
from desktop.agent.github.access import GitHubAccess
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.lanes.use import LaneUse
from desktop.agent.settings.desk import SettingsDesk
from desktop.agent.turns.desk import TurnDesk
from desktop.agent.turns.starter import ChatStarter
from desktop.config.folders import Folders
from desktop.domain.core.errors import CommandError
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane
from desktop.services.processes.sandbox.sandbox import Sandbox
from desktop.store.database import Store


@dataclass(frozen=True)
class LaneParts:
    """`project`: the repository that is open; `listed`: call it when lanes or chats changed, so that lists are sent;
    `starter` begins chats; `github` gives clients for the repositories of lanes."""

    sessions: Sessions
    lanes: Lanes
    keeper: LaneKeeper
    turns: TurnDesk
    queue: QueueDesk
    settings: SettingsDesk
    store: Store
    folders: Folders
    sandbox: Sandbox
    use: LaneUse
    log: ProjectLog
    publish: Publish
    clock: Callable[[], datetime]
    project: Callable[[], Project | None]
    listed: Callable[[], None]
    starter: ChatStarter
    github: GitHubAccess

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
