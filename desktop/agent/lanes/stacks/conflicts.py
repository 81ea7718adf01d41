"""ConflictCommands: a rebase or merge that is open in a lane: its files, taking sides, going on and taking it back."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from pydantic import JsonValue

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground, Telling
from desktop.agent.lanes.base import LaneActs, LaneContents
from desktop.agent.lanes.stacks.log import ABORT, CONTINUE
from desktop.agent.lanes.stacks.runs import StackRuns
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.lanes import commands as c
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import ConflictsLoaded, LaneOperationChanged
from desktop.services.git.run import Git
from desktop.services.git.trees.merge import commit_id
from desktop.services.lanes.identity import require_own_folder
from desktop.services.lanes.stacks.operation import base_of_open_rebase, conflicts_in, go_on, resolve, take_back
from desktop.services.lanes.stacks.rebase import operation_in
from desktop.services.processes.stubborn import to_its_end


class ConflictCommands:
    """All on the engine thread; git works on worker threads."""

    def __init__(
        self, ground: Ground, telling: Telling, acts: LaneActs, contents: LaneContents, runs: StackRuns
    ) -> None:
        self._ground = ground
        self._telling = telling
        self._acts = acts
        self._contents = contents
        self._runs = runs

    def handlers(self) -> dict[type[Command], Handler]:
        """Listing, which changes nothing, and the rest."""
        return {c.LoadConflicts: self._load, c.ResolveConflict: self._resolve, c.ContinueOperation: self._continue}

    async def _load(self, command: c.LoadConflicts) -> None:
        await self._tell(self._ground.lane(command.lane_id))

    async def _resolve(self, command: c.ResolveConflict) -> None:
        lane = self._ground.lane(command.lane_id)
        async with self._alone(lane):
            await self._keep(lane)
            async with self._acts.log.operation("resolve", lane.id, path=command.path, take=command.take):
                await to_its_end(asyncio.to_thread(resolve, Path(lane.worktree_path), command.path, command.take))
        await self._tell(lane)

    async def _continue(self, command: c.ContinueOperation) -> None:
        lane, folder = self._ground.lane(command.lane_id), Path(self._ground.lane(command.lane_id).worktree_path)
        async with self._acts.use.repository(lane.project_id), self._alone(lane):
            operation = await asyncio.to_thread(operation_in, folder)
            onto = await asyncio.to_thread(base_of_open_rebase, folder)
            run = await self._runs.book.left_open(lane)
            await self._keep(lane)
            told: dict[str, JsonValue] = {**(run.recorded if run else {}), "operation": operation, "onto": onto}
            name = ABORT if command.abort else CONTINUE
            async with self._acts.log.operation(name, lane.id, by="person", **told) as op:
                op.text = await to_its_end(asyncio.to_thread(take_back if command.abort else go_on, folder))
                left = await asyncio.to_thread(operation_in, folder)
                if operation == "rebase" and not left and not command.abort and onto:
                    op.result["after"] = await asyncio.to_thread(commit_id, Git(folder), "HEAD")
                    self._runs.save(lane, base_oid=onto)
        goes_on = run is not None and not left and not command.abort and bool(self._runs.book.waiting(run.run_id, lane))
        changed = {"lane_id": lane.id, "operation": left, "text": op.text}
        changed |= {"run_id": run.run_id} if run and goes_on else {}
        self._telling.publish(LaneOperationChanged.model_validate(changed))
        await self._tell(lane)
        self._telling.listed()
        if run is not None and goes_on:
            await self._runs.go_on(run.run_id, lane)
        if run is not None:
            await self._runs.tell(run.run_id)

    async def _tell(self, lane: Lane) -> None:
        found = await asyncio.to_thread(conflicts_in, Path(lane.worktree_path))
        loaded = {
            "lane_id": lane.id,
            "operation": found.operation,
            "ours_name": found.ours,
            "theirs_name": found.theirs,
            "files": found.files,
        }
        self._telling.publish(ConflictsLoaded.model_validate(loaded))

    async def _keep(self, lane: Lane) -> None:
        """What stands in the lane now is not lost, whatever comes of the rest."""
        await self._contents.keeper.work_in(lane, self._contents.files(lane), lambda kept: kept.take("call"))

    @contextlib.asynccontextmanager
    async def _alone(self, lane: Lane) -> AsyncIterator[None]:
        """Nobody works in the lane meanwhile."""
        if lane.type == "primary":
            raise CommandError("primary", "This is your own checkout. Go on with it there.")
        self._acts.use.require_quiet(lane.id)
        await require_own_folder(lane, Path(self._ground.the_project().path))
        async with self._acts.use.lane(lane.id):
            yield
