"""MergeCommands: merging a lane into its base without a pull request; a person's own word, bound to what they saw."""

import asyncio
import os
from pathlib import Path

from pydantic import JsonValue

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground, Telling
from desktop.agent.lanes.base import LaneActs
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.display.text import display_text
from desktop.domain.lanes import commands as c
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LaneMerged, MergePlanned
from desktop.services.lanes.identity import require_own_folder
from desktop.services.lanes.stacks.merge import MergePlan, merge, plan_merge
from desktop.services.processes.stubborn import to_its_end

CHANGED = "Something changed since you saw the plan, so nothing was merged. Look at the new plan."


class MergeCommands:
    """All on the engine thread; git works on worker threads."""

    def __init__(self, ground: Ground, telling: Telling, acts: LaneActs) -> None:
        self._ground = ground
        self._telling = telling
        self._acts = acts

    def handlers(self) -> dict[type[Command], Handler]:
        """Planning, which changes nothing, and merging."""
        return {c.PlanMerge: self._plan, c.MergeLane: self._merge}

    async def _plan(self, command: c.PlanMerge) -> None:
        lane = self._ground.lane(command.lane_id)
        planned = MergePlanned(command_id=command.command_id, lane_id=lane.id, method=command.method, base="")
        try:
            plan = await self._planned(lane, command.method)
        except CommandError:
            raise
        except BanksmanError as error:
            self._telling.publish(planned.model_copy(update={"problem": str(error)}))
            return
        shown = {
            "base": plan.base,
            "problem": plan.problem,
            "commits": plan.commits,
            "files": plan.files,
            "conflicts": plan.conflicts,
            "tree": plan.tree,
            "in_checkout": plan.in_checkout,
            "checkout": plan.checkout,
            "digest": "" if plan.problem else plan.digest(lane, command.method),
        }
        self._telling.publish(planned.model_copy(update=shown))

    async def _merge(self, command: c.MergeLane) -> None:
        lane = self._ground.lane(command.lane_id)
        self._acts.use.require_quiet(lane.id)
        await require_own_folder(lane, Path(self._ground.the_project().path))
        async with self._acts.use.repository(lane.project_id), self._acts.use.lane(lane.id):
            plan = await self._planned(lane, command.method)
            if plan.problem:
                raise CommandError("not_merged", plan.problem)
            if plan.digest(lane, command.method) != command.digest:
                raise CommandError("changed", CHANGED)
            async with self._acts.log.operation(
                "merge",
                lane.id,
                method=command.method,
                base=plan.base,
                base_before=plan.base_oid,
                head=plan.head,
                tree=plan.tree,
                in_checkout=plan.in_checkout,
                digest=command.digest,
                branch=lane.branch,
            ) as op:
                made = await to_its_end(asyncio.to_thread(self._made, lane, plan, command))
                op.result |= {"oid": made, "base": plan.base, "files": _names(plan)}
                op.text = f"{plan.base} stands at {made[:7]}, with {lane.branch} in it."
        self._telling.publish(LaneMerged(command_id=command.command_id, lane_id=lane.id, base=plan.base, oid=made))
        self._telling.listed()

    def _made(self, lane: Lane, plan: MergePlan, command: c.MergeLane) -> str:
        return merge(lane, plan, command.method, update_checkout=command.update_checkout)

    async def _planned(self, lane: Lane, method: c.MergeMethod) -> MergePlan:
        if lane.type == "primary":
            raise CommandError("primary", "Your own checkout is not merged from here.")
        found = self._ground.lanes.get(lane.parent_id) if lane.parent_id else None
        parent = found if found is not None and found.state != "deleted" and found.type != "primary" else None
        every = tuple(one for one in self._ground.lanes.all_of_project(lane.project_id) if one.state != "deleted")
        return await asyncio.to_thread(plan_merge, lane, parent, method, every)


def _names(plan: MergePlan) -> list[JsonValue]:
    """As text that can be stored, whatever bytes the names have."""
    return [display_text(os.fsencode(file.path).decode("utf-8", "replace")) for file in plan.files[:200]]
