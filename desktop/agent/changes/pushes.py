"""PushCommands: a person pushes branches of lanes, one by one, bound to what they saw of each."""

from desktop.agent.changes.pusher import LanePusher, PushWish
from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground, Telling
from desktop.domain.changes import commands as c
from desktop.domain.changes.updates import PlannedPush, PushesPlanned
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError, GitError
from desktop.services.changes.push import PushPlan

CHANGED = "Something changed since you saw what would be pushed, so nothing was. Look at it again."


class PushCommands:
    """All on the engine thread; Git runs on worker threads."""

    def __init__(self, ground: Ground, telling: Telling, pusher: LanePusher) -> None:
        self._ground = ground
        self._telling = telling
        self._pusher = pusher

    def handlers(self) -> dict[type[Command], Handler]:
        """Planning, which asks nothing of a remote, and pushing."""
        return {c.PlanPushes: self._plan, c.PushLane: self._push}

    async def _plan(self, command: c.PlanPushes) -> None:
        pushes = [await self._planned(lane_id, command.branch) for lane_id in command.lane_ids]
        self._telling.publish(PushesPlanned(command_id=command.command_id, pushes=tuple(pushes)))

    async def _planned(self, lane_id: str, branch: str) -> PlannedPush:
        """What stands against a push is a part of it, so that it hides nothing of the others."""
        try:
            plan = await self._pusher.plan(self._ground.lane(lane_id), branch=branch)
        except BanksmanError as error:
            return PlannedPush(lane_id=lane_id, branch=branch, problem=str(error))
        return PlannedPush(
            lane_id=lane_id,
            branch=plan.branch,
            remote=plan.remote,
            address=plan.address,
            known=plan.ahead is not None,
            commits=plan.commits,
            replaced=plan.replaced,
            needed=plan.needed,
            digest=plan.digest,
        )

    async def _push(self, command: c.PushLane) -> None:
        """Raises CommandError `changed`, `not_pushed`; the remote is as it was, unless nobody answered in time."""
        lane = self._ground.lane(command.lane_id)

        def check(plan: PushPlan) -> None:
            if command.digest and plan.digest != command.digest:
                raise CommandError("changed", CHANGED)

        try:
            wish = PushWish(branch=command.branch, force=command.force, command_id=command.command_id)
            await self._pusher.push(lane, wish, check)
        except GitError as error:
            raise CommandError("not_pushed", str(error)) from error
        self._telling.listed()
