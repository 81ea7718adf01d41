"""LaneSetups: makes a new lane ready: copies files, leases ports, runs the setup of the repository (lanes 5)."""

import asyncio
import logging
from pathlib import Path

from pydantic import JsonValue

from desktop.agent.core.ground import Ground
from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.base import LaneActs
from desktop.agent.lanes.list import LaneList
from desktop.agent.lanes.ready.command import LaneCommand, command_ending, end_left_over
from desktop.agent.lanes.ready.lane_file import FoundLaneFile, LaneFileReader
from desktop.agent.lanes.ready.setup_record import INTERRUPTED, SetupRecord, SetupsKept
from desktop.domain.core.errors import BanksmanError, LaneError
from desktop.domain.core.listeners import Listeners
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane, LaneHolder
from desktop.services.lanes.lane_file import DEFAULT_PORTS, LaneFile
from desktop.services.lanes.making.copy import copy_ignored
from desktop.services.lanes.setup_files import made_since, not_by_setup

logger = logging.getLogger(__name__)

AT_ONCE = 2
NO_PORTS = "No block of ports is free, so this lane works without ports of its own."
STOPPED = "Setup was stopped."


class LaneSetups:
    """All on the engine thread. `ended` is told the lane when its setup came to an end, however that was. `changed`:
    called with a lane when there is more to show of its setup."""

    def __init__(
        self,
        ground: Ground,
        acts: LaneActs,
        sessions: Sessions,
        kept: SetupsKept,
        files: LaneFileReader,
        lanes: LaneList,
    ) -> None:
        self._ground = ground
        self._acts = acts
        self._sessions = sessions
        self._files = files
        self._list = lanes
        self._keeping = kept
        self._closing = False
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._commands: dict[str, LaneCommand] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._records: dict[str, SetupRecord] = {}
        self._sweep: asyncio.Task[None] | None = None
        self.ended = Listeners[str]()
        self.changed = Listeners[str]()
        acts.use.add(self)
        ground.lanes.after_made.append(self._made)
        ground.lanes.before_discarded.append(self.stop)

    async def prepare(self, project: Project, lane: Lane, run_setup: bool = True) -> Lane:
        """Make a lane ready that has its folder: copy files, lease ports, and begin its setup, which goes on after this
        returns. What does not work is told in the lane's record and in `notices`, never raised.

        Raises:
            StoreError: the record could not be kept.
        """
        found = await self._files.found(project)
        record = SetupRecord()
        usable = found.usable
        if usable is not None and lane.type == "worktree":
            record = await self._copied(project, lane, usable)
        fields = self._leased(lane, usable)
        if not fields["ports"] and fields["port_count"]:
            record = record.model_copy(update={"notices": (*record.notices, NO_PORTS)})
        self._records[lane.id] = record
        state, ending = _first_state(found, run_setup=run_setup)
        self._records[lane.id] = record.model_copy(update={"ending": ending})
        saved = self.save(lane.id, setup=state, **fields)
        if state == "pending" and usable is not None:
            self._begin(saved, usable)
        return saved

    async def revived(self, project: Project, lane: Lane) -> Lane:
        """A lane that is in use again gets ports; a setup that was under way when it went is over.

        Raises:
            StoreError: the record could not be kept.
        """
        found = await self._files.found(project)
        cut_off = {"setup": "failed"} if lane.setup in ("pending", "running") and lane.id not in self._tasks else {}
        return self.save(lane.id, **self._leased(lane, found.usable), **cut_off)

    async def teardown(self, lane: Lane) -> str:
        """Run the repository's teardown in a lane that is about to go. Why it failed, as a sentence; "" when it ended
        well or there is none to run."""
        project = self._ground.project()
        usable = (await self._files.found(project)).usable if project and project.id == lane.project_id else None
        if usable is None or not usable.teardown.command:
            return ""
        command = LaneCommand(self._sessions, lane, "teardown")
        try:
            completed = await command.run(usable.teardown.command, timeout_s=usable.teardown.timeout_s, network=False)
        except BanksmanError as error:
            return f"The teardown of this lane could not be run: {error}"
        return "" if completed.ok else command_ending("teardown", command, completed, usable.teardown.timeout_s)

    async def run(self, project: Project, lane: Lane) -> Lane:
        """Run the setup of a lane once more, after what can still be copied. As `prepare`."""
        return await self.prepare(project, lane)

    async def stop(self, lane_id: str) -> None:
        """End the setup of a lane; nothing of it runs when this returns."""
        command, task = self._commands.get(lane_id), self._tasks.get(lane_id)
        if command is not None:
            await command.stop()
        elif task is not None:
            task.cancel()
        if task is not None:
            await asyncio.wait({task})

    def is_under_way(self, lane_id: str) -> bool:
        """Whether the setup of a lane waits for its turn or runs."""
        return lane_id in self._tasks

    def record(self, lane: Lane) -> SetupRecord:
        """What is known of the last setup of a lane; of an earlier process, what the project's log holds."""
        if lane.id not in self._records:
            self._records[lane.id] = self._keeping.last(lane)
        record, command = self._records[lane.id], self._commands.get(lane.id)
        return record.model_copy(update={"text": command.log}) if command is not None else record

    def notices(self, lane_id: str) -> tuple[str, ...]:
        """What did not go as wished when this lane was made ready, as sentences."""
        return self._records[lane_id].notices if lane_id in self._records else ()

    def save(self, lane_id: str, **fields: object) -> Lane:
        """Change the record of a lane, as it is now; windows know it before the next event of its chats."""
        self._ground.lanes.save(self._ground.lane(lane_id).model_copy(update=fields))
        self._list.publish()
        return self._ground.lane(lane_id)

    # LaneUser and Attendant

    def holders(self, lane_id: str) -> list[LaneHolder]:
        """The setup, when it is under way."""
        return [LaneHolder(kind="setup", label="Setup")] if lane_id in self._tasks else []

    async def stop_in(self, lane_id: str) -> None:
        """As `stop`."""
        await self.stop(lane_id)

    def project_opened(self) -> None:
        """What an earlier process left under way did not come to its end."""
        project = self._ground.project()
        lanes = self._ground.lanes.all_of_project(project.id) if project is not None else []
        cut_off = [lane for lane in lanes if lane.setup in ("pending", "running") and lane.id not in self._tasks]
        for lane in cut_off:
            self._records[lane.id] = self._keeping.last(lane).model_copy(update={"ending": INTERRUPTED})
            self.save(lane.id, setup="failed")
        if cut_off:
            self._sweep = asyncio.create_task(end_left_over([lane.id for lane in cut_off]), name="setup sweep")

    async def close(self) -> None:
        """End every setup; each end is recorded."""
        self._closing = True
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *([self._sweep] if self._sweep else []), return_exceptions=True)

    # One setup

    async def _made(self, lane: Lane, run_setup: bool) -> None:
        """Make a lane ready that was just made. What cannot be done is in the log: the lane is of use without it."""
        project = self._ground.project()
        if project is None or project.id != lane.project_id:
            return
        try:
            await self.prepare(project, lane, run_setup)
        except BanksmanError:
            logger.exception("the lane %s could not be made ready", lane.id)

    def _begin(self, lane: Lane, file: LaneFile) -> None:
        task = asyncio.create_task(self._to_the_end(lane, file), name=f"setup of {lane.id}")
        self._tasks[lane.id] = task

    async def _to_the_end(self, lane: Lane, file: LaneFile) -> None:
        """Wait for a free place, run it, and say what came of it."""
        state, ending = "failed", INTERRUPTED
        try:
            async with self._slots:
                self.save(lane.id, setup="running")
                ending = await self._run(lane, file)
                state = "ready" if not ending else "failed"
        except asyncio.CancelledError:
            ending = INTERRUPTED if self._closing else STOPPED
        except BanksmanError as error:
            ending = str(error)
        finally:
            record = self.record(lane)
            self._commands.pop(lane.id, None)
            self._tasks.pop(lane.id, None)
            self._records[lane.id] = record.model_copy(update={"ending": ending})
            self._end(lane.id, state)

    def _end(self, lane_id: str, state: str) -> None:
        try:
            self.save(lane_id, setup=state)
        except BanksmanError:
            logger.exception("the end of the setup of %s was not kept", lane_id)
        self.changed(lane_id)
        self.ended(lane_id)

    async def _run(self, lane: Lane, file: LaneFile) -> str:
        """Run the command and record it; why it failed, "" if it did not."""
        line = file.setup.command or ""
        record = self._records[lane.id].model_copy(update={"command": line})
        self._records[lane.id] = record
        command = LaneCommand(self._sessions, lane, "setup", lambda: self.changed(lane.id))
        self._commands[lane.id] = command
        self.changed(lane.id)
        arguments: dict[str, JsonValue] = {"command": line, "network": file.setup.network}
        turns, before = self._turns(lane.id), await self._not_by_setup(lane)
        try:
            async with self._acts.log.operation("setup", lane.id, by="system", **arguments) as operation:
                completed = await command.run(line, timeout_s=file.setup.timeout_s, network=file.setup.network)
                await self._note_made(lane, before if turns == self._turns(lane.id) else None)
                ending = "" if completed.ok else command_ending("setup", command, completed, file.setup.timeout_s)
                log = await self._keeping.keep_log(command.whole)
                record = record.model_copy(update={"exit_code": completed.exit_code, "text": command.log, "log": log})
                self._records[lane.id] = record.model_copy(update={"ending": ending})
                operation.result.update(record.stored())
                operation.text = "Setup ended well."
                if ending:
                    raise LaneError(ending)
        except LaneError as error:
            return str(error)
        return ""

    async def _not_by_setup(self, lane: Lane) -> frozenset[str] | None:
        """None where what the setup makes cannot be told apart: somebody else works in the lane."""
        if lane.type == "primary" or self._others(lane.id):
            return None
        try:
            return await asyncio.to_thread(not_by_setup, self._ground.lane(lane.id))
        except BanksmanError:
            return None

    async def _note_made(self, lane: Lane, before: frozenset[str] | None) -> None:
        """Keep which files are the setup's own; `before` None: that cannot be told."""
        known = before is not None and not self._others(lane.id)
        made = await asyncio.to_thread(made_since, lane, before) if known and before is not None else ()
        self.save(lane.id, setup_files=made)

    def _turns(self, lane_id: str) -> int:
        return sum(session.state.turns for session in self._sessions.in_lane(lane_id))

    def _others(self, lane_id: str) -> list[LaneHolder]:
        return [holder for holder in self._acts.use.holders(lane_id) if holder.kind != "setup"]

    async def _copied(self, project: Project, lane: Lane, file: LaneFile) -> SetupRecord:
        if not file.patterns:
            return SetupRecord()
        places = (Path(project.path), Path(lane.worktree_path))
        try:
            async with self._acts.log.operation("copy_files", lane.id, by="system") as operation:
                result = await asyncio.to_thread(copy_ignored, *places, file.patterns, file.copy_.max_mb)
                record = SetupRecord(copied=result.copied, skipped=result.skipped, secrets=result.secrets)
                operation.result.update(record.stored())
        except LaneError as error:
            return SetupRecord(notices=(str(error),))
        return record

    def _leased(self, lane: Lane, file: LaneFile | None) -> dict[str, int]:
        count = file.ports.count if file is not None else DEFAULT_PORTS
        if not count or lane.type == "primary":
            return {"ports": 0, "port_count": 0}
        return {"ports": self._keeping.ports(lane.id), "port_count": count}


def _first_state(found: FoundLaneFile, *, run_setup: bool) -> tuple[str, str]:
    """The state of a setup before it ran, and what there is to say of that."""
    if found.problem:
        return "failed", found.problem
    if found.usable is None:
        return "needs_trust", ""
    if not found.usable.setup.command:
        return "none", ""
    return ("pending", "") if run_setup else ("skipped", "")
