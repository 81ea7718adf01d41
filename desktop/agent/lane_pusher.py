"""LanePusher: the one way in which a lane's branch gets to a remote, for people and agents alike."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from desktop.agent.lane_folder import files_of
from desktop.agent.lane_parts import LaneParts
from desktop.domain.event_base import By
from desktop.domain.lane import Lane
from desktop.services.git import Git
from desktop.services.lane_identity import require_own_folder
from desktop.services.lane_push import PushPlan, plan_push, push


def as_planned(plan: PushPlan) -> None:
    """For pushes that are bound to nothing."""


class LanePusher:
    """All on the engine thread; one change of a repository at a time."""

    def __init__(self, parts: LaneParts) -> None:
        self._parts = parts

    async def plan(self, lane: Lane, remote: str = "", branch: str = "") -> PushPlan:
        """What a push would do now; nothing is asked of the remote. Raises as `push`."""
        files = files_of(self._parts, lane)
        return await asyncio.to_thread(plan_push, Git(files.root), remote, branch)

    async def push(
        self, lane: Lane, *, remote: str = "", branch: str = "", force: bool = False, by: By = "person",
        check: Callable[[PushPlan], None] = as_planned,
    ) -> tuple[PushPlan, str]:  # fmt: skip
        """What was pushed, and a sentence about it. The intent is on record first. `branch`: another than the lane's.
        `force`: replace on the remote what was last seen there. `check`: is given the plan and raises when it is not
        the one that was agreed to.

        Raises:
            GitError: it was refused, or nobody answered in time; the sentence says what to do.
            LaneError, CommandError: the lane is not where it should be.
        """
        async with self._parts.use.repository(lane.project_id):
            files = files_of(self._parts, lane)
            await require_own_folder(lane, Path(self._parts.the_project().path))
            plan = await asyncio.to_thread(plan_push, Git(files.root), remote, branch)
            check(plan)
            intent = self._parts.log.operation(
                "push", lane.id, by=by, remote=plan.remote, address=plan.address, branch=plan.branch, head=plan.head,
                replaces=plan.seen,
            )  # fmt: skip
            async with intent as operation:
                login = self._parts.github.git_token
                operation.text = text = await push(files.root, plan, force=force, login=login)
        return plan, text
