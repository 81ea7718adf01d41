"""StackCommands: updating lanes from their base, taking such a run back, and giving a lane another parent."""

import asyncio
import contextlib

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish
from desktop.agent.lanes.stacks.runs import RunWish, StackRuns
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.lanes import commands as c
from desktop.domain.lanes.updates import BehindLoaded
from desktop.services.lanes.stacks.rebase import lacking


class StackCommands:
    """All on the engine thread. Tells of the last run when a repository is opened."""

    def __init__(self, ground: Ground, publish: Publish, runs: StackRuns) -> None:
        self._ground = ground
        self._publish = publish
        self._runs = runs
        self._tasks: set[asyncio.Task[object]] = set()

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about stacks."""
        return {
            c.RebaseLanes: self._rebase,
            c.UndoStackRun: self._undo,
            c.ReparentLane: self._reparent,
            c.LoadBehind: self._load_behind,
        }

    def project_opened(self) -> None:
        """Tell of the last run, so that it can be undone after a restart too."""
        task: asyncio.Task[object] = asyncio.create_task(self._opened(), name="last stack run")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _opened(self) -> None:
        with contextlib.suppress(BanksmanError):
            await self._runs.undo_cut_off()
        await self._runs.latest()

    async def close(self) -> None:
        """Wait for what was begun."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _rebase(self, command: c.RebaseLanes) -> None:
        wish = RunWish(
            command.lane_id,
            with_children=command.with_children,
            onto=command.onto,
            keep_conflict=command.keep_conflict,
        )
        await self._runs.run(wish)

    async def _load_behind(self, command: c.LoadBehind) -> None:
        lane = self._ground.lane(command.lane_id)
        base, commits, total = await asyncio.to_thread(lacking, lane, self._runs.kin.parent(lane))
        self._publish(
            BehindLoaded(
                command_id=command.command_id,
                lane_id=lane.id,
                base=base.name,
                commits=commits,
                more=total - len(commits),
            )
        )

    async def _undo(self, command: c.UndoStackRun) -> None:
        await self._runs.undo(command.run_id)

    async def _reparent(self, command: c.ReparentLane) -> None:
        lane = self._ground.lane(command.lane_id)
        if lane.type == "primary":
            raise CommandError("bad_parent", "Your own checkout has no parent.")
        parent_id = command.parent_id
        if parent_id and self._ground.lane(parent_id).type == "primary":
            parent_id = ""
        if parent_id:
            self._runs.kin.require_parent(lane, self._ground.lane(parent_id))
        if parent_id == lane.parent_id:
            raise CommandError("same_parent", "This is its parent already.")
        await self._runs.run(RunWish(lane.id, with_children=True, parent=parent_id))
