"""LaneRepairs: compares lanes with git and repairs what a person chose to (lanes-L35)."""

import asyncio
import contextlib
import logging
from collections.abc import Callable

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.base import LaneActs
from desktop.agent.lanes.endings.recovery import CutOff, LaneRecovery
from desktop.agent.lanes.endings.trash import TrashCommands
from desktop.agent.lanes.list import LaneList
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError, GitError, StoreError
from desktop.domain.core.work import Project
from desktop.domain.lanes.commands import RepairLane
from desktop.domain.lanes.lane import Lane, LaneFinding
from desktop.services.lanes.compare import BREAKING, compare_lanes, interrupted, unknown_folders
from desktop.services.lanes.repair import Changes, LaneRepair

logger = logging.getLogger(__name__)

EVERY_S = 600.0
FIRST_AFTER_S = 0.2


class LaneRepairs:
    """All on the engine thread. Attends the open repository: goes on with what a crash cut off, then compares its
    lanes with git, at once and every ten minutes."""

    def __init__(
        self,
        ground: Ground,
        acts: LaneActs,
        sessions: Sessions,
        lane_list: LaneList,
        recovery: LaneRecovery,
        trash: TrashCommands,
    ) -> None:
        self._ground = ground
        self._acts = acts
        self._sessions = sessions
        self._list = lane_list
        self._recovery = recovery
        self._trash = trash
        self._task: asyncio.Task[None] | None = None
        self._again = asyncio.Event()

    def handlers(self) -> dict[type[Command], Handler]:
        """The one command that repairs."""
        return {RepairLane: self._repair}

    def project_opened(self) -> None:
        """Look after this repository from here on."""
        if self._task is not None:
            self._task.cancel()
        project = self._ground.project()
        if project is None:
            return
        try:
            left = self._recovery.left(project)
        except StoreError as error:
            logger.warning("lanes are not looked after: %s", error)
        else:
            self._task = asyncio.create_task(self._attend(project, left), name="lanes")

    def look_again(self) -> None:
        """Compare now: something was seen that does not fit."""
        self._again.set()

    async def close(self) -> None:
        """Stop looking."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def compare(self, project: Project) -> None:
        """Tell what is wrong with lanes, and mark those that cannot be used. What git cannot tell changes nothing."""
        lanes = self._ground.lanes.all_of_project(project.id)
        try:
            found = await asyncio.to_thread(compare_lanes, project, lanes)
            unknown = await asyncio.to_thread(unknown_folders, project, lanes, self._ground.lanes.root)
        except GitError as error:
            logger.warning("lanes could not be compared with git: %s", error)
            return
        found |= {lane.id: interrupted(lane) for lane in self._recovery.half_made(lanes)}
        for lane in lanes:
            self._mark(lane, found.get(lane.id))
        self._list.found(found, unknown)

    def _mark(self, lane: Lane, finding: LaneFinding | None) -> None:
        """Broken or not, by what was found; a lane that changed meanwhile is left as it is."""
        if lane.state not in ("active", "broken") or lane.type == "primary" or self._ground.lanes.get(lane.id) != lane:
            return
        broken = finding is not None and finding.kind in BREAKING
        problem = finding.text if broken and finding is not None else ""
        changed = lane.model_copy(update={"state": "broken" if broken else "active", "problem": problem})
        if changed != lane:
            self._save(changed)

    async def _repair(self, command: RepairLane) -> None:
        project, lane = self._ground.the_project(), self._ground.lane(command.lane_id)
        finding = self._list.findings.get(lane.id)
        if lane.project_id != project.id or finding is None or command.offer not in finding.offers:
            raise CommandError("no_offer", "This is not offered for the lane any more. Look at it again.")
        async with self._acts.log.operation("repair", lane.id, offer=command.offer, path=command.path):
            await self._carried_out(project, lane, command.offer, command.path or finding.path)
        self._list.repaired(lane.id)
        await self.compare(project)
        self._list.show()

    async def _carried_out(self, project: Project, lane: Lane, offer: str, path: str) -> None:
        if offer == "finish":
            await self._ground.lanes.finish(project, lane)
        elif offer == "take_back":
            await self._ground.lanes.discard(project, lane, later=True)
        elif offer == "forget":
            self._save(lane.model_copy(update={"state": "deleted", "trash_ref": ""}))
        else:
            await self._repaired(project, lane, offer, path)

    async def _repaired(self, project: Project, lane: Lane, offer: str, path: str) -> None:
        """Alone with the repository and the lane, while nothing writes there."""
        self._acts.use.require_quiet(lane.id, kinds=frozenset({"turn", "shell", "setup"}))
        async with self._acts.use.repository(project.id), self._acts.use.lane(lane.id):
            changes = await asyncio.to_thread(_work(project, lane, offer, path))
            self._save(lane.model_copy(update={"state": "active", "problem": "", **changes}))

    def _save(self, lane: Lane) -> None:
        self._ground.lanes.save(lane)
        for session in self._sessions.opened():
            if session.state.lane_id == lane.id:
                self._sessions.attach(session)

    async def _attend(self, project: Project, left: CutOff) -> None:
        try:
            await self._recovery.go_on(project, left)
            await asyncio.sleep(FIRST_AFTER_S)
            await self._trash.expire(project)
            while True:
                self._again.clear()
                await self.compare(project)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(EVERY_S):
                        await self._again.wait()
        except (BanksmanError, OSError, StoreError) as error:
            logger.warning("lanes are not looked after any more: %s", error)


def _work(project: Project, lane: Lane, offer: str, path: str) -> Callable[[], Changes]:
    def run() -> Changes:
        repair = LaneRepair(project, lane)
        works: dict[str, Callable[[], Changes]] = {
            "recreate": repair.recreate,
            "recreate_checkpoint": repair.recreate_checkpoint,
            "locate": lambda: repair.locate(path),
            "restore_link": repair.restore_link,
            "recreate_branch": repair.recreate_branch,
            "follow": repair.follow,
            "switch_back": repair.switch_back,
            "unlock": repair.unlock,
        }
        if offer not in works:
            raise CommandError("no_offer", "Choose this in the menu of the lane.")
        return works[offer]()

    return run
