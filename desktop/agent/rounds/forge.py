"""RoundForge: what rounds change by themselves when a person switched that on: rebase and push, or merge."""

from desktop.agent.changes.pusher import LanePusher, PushWish
from desktop.agent.core.ground import Ground
from desktop.agent.lanes.stacks.runs import RunWish, StackRuns
from desktop.agent.pulls.book import PullBook
from desktop.agent.pulls.merger import MergeAftermath, PullMerger
from desktop.domain.core.errors import CommandError
from desktop.domain.pulls.commands import MergePullRequest
from desktop.domain.rounds.items import MergeChoice
from desktop.services.pulls.merge_plan import methods_of

GOOD = ("succeeded", "skipped")


class RoundForge:
    """Engine thread; git works on worker threads."""

    def __init__(
        self,
        ground: Ground,
        pusher: LanePusher,
        runs: StackRuns,
        book: PullBook,
        merger: PullMerger,
        aftermath: MergeAftermath,
    ) -> None:
        self._ground = ground
        self._runs, self._book = runs, book
        self._merger, self._aftermath = merger, aftermath
        self._pusher = pusher

    async def rebase(self, lane_id: str) -> None:
        """The lane on the newest base, and its branch pushed, replacing only what was last seen there.

        Raises:
            BanksmanError: it could not be; a conflict changes nothing.
        """
        lane = self._ground.lane(lane_id)
        place = await self._book.place(lane)
        snapshot = self._book.snapshot(lane_id)
        if snapshot is not None and snapshot.pull is not None:
            await self._aftermath.fetch(place.remote, snapshot.pull.base)
        run = await self._runs.run(RunWish(lane_id, by="system"))
        own = next((one for one in run.lanes if one.lane_id == lane_id), None)
        if own is None or own.state not in GOOD:
            files = f" ({', '.join(own.conflicts[:5])})" if own is not None and own.conflicts else ""
            raise CommandError("not_rebased", f"it could not be rebased{files}")
        remote, _owner = place.pushed_to
        plan = await self._pusher.plan(lane, remote)
        if plan.ahead != 0 or plan.rewritten:
            await self._pusher.push(lane, PushWish(remote=remote, force=True, by="system"))

    async def merge(self, lane_id: str, head_oid: str, choice: MergeChoice) -> None:
        """Merge the request at exactly this head. Whatever a person would have to accept stands against it.

        Raises:
            BanksmanError: something stands against it; nothing was merged.
        """
        plan = await self._merger.plan(lane_id)
        method = choice if choice != "repo_default" else methods_of(plan.snapshot)[0]
        await self._merger.merge(MergePullRequest(lane_id=lane_id, head_oid=head_oid, method=method))
