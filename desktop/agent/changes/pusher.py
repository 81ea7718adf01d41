"""LanePusher: the one way in which a lane's branch gets to a remote, for people and agents alike."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish
from desktop.agent.lanes.base import LaneActs
from desktop.agent.lanes.folder import FilesOf
from desktop.domain.changes.updates import LanePushed
from desktop.domain.core.event_base import By
from desktop.domain.lanes.lane import Lane
from desktop.records import dataclass
from desktop.services.changes.push import PushPlan, plan_push, push
from desktop.services.git.login import Login
from desktop.services.git.run import Git
from desktop.services.lanes.identity import require_own_folder


@dataclass(frozen=True)
class PushWish:
    """A push as somebody wants it. `remote` "": where the settings say; `branch` "": the lane's. `force`: replace on
    the remote what was last seen there. `command_id`: of the command that is answered, "" for none."""

    remote: str = ""
    branch: str = ""
    force: bool = False
    by: By = "person"
    command_id: str = ""


def as_planned(plan: PushPlan) -> None:
    """For pushes that are bound to nothing."""


class LanePusher:
    """All on the engine thread; one change of a repository at a time."""

    def __init__(self, ground: Ground, publish: Publish, acts: LaneActs, files_of: FilesOf, login: Login) -> None:
        self._ground = ground
        self._publish = publish
        self._acts = acts
        self._files_of = files_of
        self._login = login

    async def plan(self, lane: Lane, remote: str = "", branch: str = "") -> PushPlan:
        """What a push would do now; nothing is asked of the remote. Raises as `push`."""
        files = self._files_of(lane)
        return await asyncio.to_thread(plan_push, Git(files.root), remote, branch)

    async def push(
        self, lane: Lane, wish: PushWish, check: Callable[[PushPlan], None] = as_planned
    ) -> tuple[PushPlan, str]:
        """What was pushed, and a sentence about it. The intent is on record first, and everybody is told (LanePushed).
        `check`: is given the plan and raises when it is not the one that was agreed to.

        Raises:
            GitError: it was refused, or nobody answered in time; the sentence says what to do.
            LaneError, CommandError: the lane is not where it should be.
        """
        async with self._acts.use.repository(lane.project_id):
            files = self._files_of(lane)
            await require_own_folder(lane, Path(self._ground.the_project().path))
            plan = await asyncio.to_thread(plan_push, Git(files.root), wish.remote, wish.branch)
            check(plan)
            intent = self._acts.log.operation(
                "push",
                lane.id,
                by=wish.by,
                remote=plan.remote,
                address=plan.address,
                branch=plan.branch,
                head=plan.head,
                replaces=plan.seen,
            )
            async with intent as operation:
                login = self._login
                operation.text = text = await push(files.root, plan, force=wish.force, login=login)
        self._publish(
            LanePushed(command_id=wish.command_id, lane_id=lane.id, remote=plan.remote, branch=plan.branch, text=text)
        )
        return plan, text
