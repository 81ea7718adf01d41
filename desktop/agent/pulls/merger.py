"""PullMerger: merging a lane's request on GitHub, bound to the head that a person saw, and what comes after it."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from desktop.agent.core.ground import Ground
from desktop.agent.lanes.endings.remover import LaneRemover
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.lanes.use import LaneUse
from desktop.agent.pulls.actions import not_known
from desktop.agent.pulls.book import PullBook
from desktop.agent.pulls.here import NO_PULL, PullHere, pull_here, recorded
from desktop.agent.reports.book import ReportBook
from desktop.domain.core.errors import BanksmanError, CommandError, GitError
from desktop.domain.github.values import GitHubError
from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls.commands import MergePullRequest
from desktop.domain.pulls.pull_request import Hindrance, PullRequest, PullSnapshot
from desktop.records import dataclass
from desktop.services.changes.push import delete_pushed
from desktop.services.git.login import Login
from desktop.services.git.run import Git
from desktop.services.git.trees.merge import commit_id
from desktop.services.lanes.endings.losses import active_children
from desktop.services.lanes.making.fetch import fetch
from desktop.services.lanes.stacks.rebase import not_clean
from desktop.services.pulls.merge_plan import TYPED, LaneState, merge_hindrances

MOVED = "The branch changed while you looked. Refresh."


@dataclass(frozen=True)
class MergePlan:
    """What a merge needs, with data of now. `evidence`: how the lane's last report stands, "" for none."""

    snapshot: PullSnapshot
    pull: PullRequest
    hindrances: tuple[Hindrance, ...]
    evidence: str = ""

    @property
    def typed(self) -> bool:
        """Whether the number has to be typed: checks fail, run, or there are none."""
        return any(one.kind in TYPED for one in self.hindrances)


@dataclass(frozen=True)
class MergedPull:
    """A merge that happened. `notices`: what after it failed, or is left to do."""

    number: int
    oid: str
    notices: tuple[str, ...] = ()
    archived: bool = False


class PullMerger:
    """All on the engine thread. `done` is called with the lane when something may look different."""

    def __init__(
        self,
        log: ProjectLog,
        book: PullBook,
        reports: ReportBook,
        aftermath: "MergeAftermath",
        done: Callable[[str], None],
    ) -> None:
        self._log, self._book, self._reports = log, book, reports
        self._aftermath, self._done = aftermath, done
        self._merging: set[str] = set()

    async def plan(self, lane_id: str) -> MergePlan:
        """What merging needs and what is in the way, asked of GitHub now.

        Raises:
            CommandError: the lane has no request.
            GitHubError: GitHub could not be asked.
        """
        lane = self._book.ground.lane(lane_id)
        snapshot = await self._book.fresh(lane_id)
        if snapshot.problem is not None:
            raise GitHubError(snapshot.problem)
        pull = snapshot.pull
        if pull is None:
            raise CommandError("no_pull", NO_PULL)
        if pull.mergeable == "unknown":
            place = await self._book.place(lane)
            pull = await place.client.pulls.settled(pull.number)
            snapshot = snapshot.model_copy(update={"pull": pull})
        await self._fetch_head(lane, pull)
        state = await asyncio.to_thread(lane_state, lane, pull)
        report = await self._reports.of_lane(lane_id)
        evidence = f"{report.title}: {report.count}." if report is not None and report.count else ""
        return MergePlan(snapshot, pull, merge_hindrances(snapshot, state), evidence)

    async def merge(self, command: MergePullRequest) -> MergedPull:
        """Merge exactly the commit that the person saw, if nothing is in the way that they did not accept.

        Raises:
            CommandError, GitHubError: it was not merged, or that is not known; the sentence says which.
        """
        if command.lane_id in self._merging:
            raise CommandError("merging", "It is being merged already.")
        self._merging.add(command.lane_id)
        try:
            plan = await self.plan(command.lane_id)
            _refuse(plan, command)
            here = await pull_here(self._book, command.lane_id)
            oid = await self._merged(here, command)
            notices, archived = await self._aftermath.follow(here, command)
        finally:
            self._merging.discard(command.lane_id)
            self._done(command.lane_id)
        return MergedPull(here.number, oid, notices, archived)

    async def _merged(self, here: PullHere, command: MergePullRequest) -> str:
        intent = recorded(
            self._log,
            here,
            "merge_pull_request",
            head=command.head_oid,
            method=command.method,
            ticks=list(command.ticks),
            base=here.pull.base,
        )
        async with intent as operation:
            try:
                oid = await here.place.client.merging.merge(here.number, command.head_oid, command.method)
            except GitHubError as error:
                oid = await self._really(here, error)
            operation.result |= {"oid": oid}
            operation.text = f"#{here.number} was merged into {here.pull.base}."
        return oid

    async def _really(self, here: PullHere, error: GitHubError) -> str:
        """The commit of a merge whose answer was lost. Raises what is to be told otherwise."""
        if error.status == 405:
            said = f": {error.said}" if error.said else ""
            raise CommandError("not_mergeable", f"GitHub says it cannot be merged{said}.") from error
        if error.kind == "conflict":
            raise CommandError("moved", MOVED) from error
        if not error.answer_lost:
            raise error
        try:
            now = await here.place.client.pulls.one(here.number)
        except GitHubError as again:
            raise not_known(error, again) from again
        if now.state != "merged":
            raise error
        return now.merge_oid

    async def _fetch_head(self, lane: Lane, pull: PullRequest) -> None:
        """Know the head of a request that somebody else moved. What cannot be fetched stays unknown."""
        own = pull.head_repository is not None and pull.head_repository.slug == pull.repository.slug
        known = await asyncio.to_thread(commit_id, Git(Path(lane.worktree_path)), pull.head_oid)
        if own and not known:
            await self._aftermath.fetch((await self._book.place(lane)).remote, pull.head)


class MergeAftermath:
    """What follows a merge: the base is fetched, the remote branch is deleted, the lane is archived."""

    def __init__(
        self, ground: Ground, listed: Callable[[], None], use: LaneUse, login: Login, remover: LaneRemover
    ) -> None:
        self._ground = ground
        self._listed = listed
        self._use = use
        self._login = login
        self._remover = remover

    async def follow(self, here: PullHere, command: MergePullRequest) -> tuple[tuple[str, ...], bool]:
        """Notices, and whether the lane was archived. Each step on its own; what failed is a notice, because the merge
        stands."""
        notices: list[str] = []
        project, lane = self._ground.the_project(), here.lane
        if problem := await self.fetch(here.place.remote, here.pull.base):
            notices.append(f"{problem}.")
        if command.delete_branch:
            notices += await _tried("The remote branch was not deleted", lambda: self._delete_branch(here))
        children = active_children(lane, self._ground.lanes.all_of_project(project.id))
        if children:
            names = ", ".join(f"'{child.name}'" for child in children)
            notices.append(f"Rebase the lanes that stack on this one: {names}.")
        archived = False
        if command.archive_lane and not children:
            failed = await _tried("The lane was not archived", lambda: self._archive(lane))
            notices += failed
            archived = not failed
        elif command.archive_lane:
            notices.append("The lane was not archived, because lanes stack on it.")
        self._listed()
        return tuple(notices), archived

    async def fetch(self, remote: str, branch: str) -> str:
        """Know what a branch of a remote is by now; why not, "" when it is known."""
        folder = Path(self._ground.the_project().path)
        return await fetch(folder, remote, branch, login=self._login)

    async def _delete_branch(self, here: PullHere) -> None:
        if here.place.remote == "" or here.pull.head == here.pull.base:
            raise CommandError("branch", "It is not the request's own.")
        login = self._login
        async with self._use.repository(here.lane.project_id):
            folder = Path(self._ground.the_project().path)
            await delete_pushed(folder, here.place.remote, here.pull.head, here.pull.head_oid, login=login)

    async def _archive(self, lane: Lane) -> None:
        if said := await self._remover.archive(self._ground.the_project(), lane, free_disk=False):
            raise CommandError("left_over", said)


def lane_state(lane: Lane, pull: PullRequest) -> LaneState:
    """What of the lane is not in its request, by what is known here. Blocking."""
    git = Git(Path(lane.worktree_path))
    try:
        dirty, there = bool(not_clean(git, lane.setup_files)), commit_id(git, pull.head_oid)
        if not there:
            return LaneState(known=False, dirty=dirty)
        counted = git.run_now("rev-list", "--count", "--left-right", f"{there}...HEAD", "--").stdout.split()
        return LaneState(unpushed=int(counted[1]), only_there=int(counted[0]), dirty=dirty)
    except GitError as error:
        return LaneState(problem=str(error))


async def _tried(words: str, do: Callable[[], Awaitable[None]]) -> list[str]:
    try:
        await do()
    except (BanksmanError, OSError) as error:
        return [f"{words}: {error}"]
    return []


def _refuse(plan: MergePlan, command: MergePullRequest) -> None:
    """Raises CommandError for what is in the way and was not accepted."""
    if plan.pull.head_oid != command.head_oid:
        raise CommandError("moved", MOVED)
    for found in plan.hindrances:
        if found.blocks:
            raise CommandError(found.kind, found.text)
        if found.kind in TYPED:
            if command.typed_number != plan.pull.number:
                raise CommandError(found.kind, f"{found.text} Type {plan.pull.number} to merge all the same.")
        elif found.kind not in command.ticks:
            raise CommandError(found.kind, found.text)
