"""PullCreator: from a lane to an open request: what is in the way, push, open or adopt, link (lanes-P5 to lanes-P8)."""

import asyncio
from dataclasses import replace
from typing import Protocol

from desktop.agent.changes.pusher import LanePusher, PushWish
from desktop.agent.lanes.folder import FilesOf
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.pulls.book import PullBook
from desktop.agent.pulls.fork import no_way
from desktop.agent.pulls.places import PullPlace
from desktop.agent.pulls.reader import OPEN
from desktop.agent.reports.book import ReportBook
from desktop.domain.core.errors import CommandError, GitError
from desktop.domain.core.event_base import By
from desktop.domain.github.values import GitHubError
from desktop.domain.lanes.lane import Lane
from desktop.domain.proofs.block import with_block
from desktop.domain.pulls.pull_request import Hindrance, PullLink, PullRequest
from desktop.domain.reports.values import ReportView, evidence_rows
from desktop.records import dataclass
from desktop.services.changes.push import PushPlan
from desktop.services.changes.work import LaneWork, lane_work, remote_branches
from desktop.services.git.run import Git
from desktop.services.pulls.hindrances import Proposal, creation_hindrances
from desktop.services.pulls.text import MAX_BODY, MAX_TITLE, default_body, default_title, template_of

LOOKS = 3
PROOFS_LEFT_OUT = "Its text stays as it was, so it does not name the proofs. Attach them in the tab “Proofs”."


class NamedProofs(Protocol):
    """What is known of proofs that a request is to name."""

    async def block(self, lane: Lane, proof_ids: tuple[str, ...]) -> str:
        """The part of a request's text that shows these proofs of the lane."""

    def posted(self, lane: Lane, proof_ids: tuple[str, ...], request: str, url: str) -> None:
        """The text of this request (`owner/name#42`), which lies at `url`, names these proofs now."""


@dataclass(frozen=True)
class WantedPull:
    """A request as somebody wants it. `base` "": the lane's, or (`into_default`) the default branch. `leave_out`: what
    is not committed may stay out; `after_rewrite`: what was last seen on the remote may be replaced. `repository`:
    owner/name that it must be of, "" for whichever the remotes say."""

    title: str
    body: str = ""
    base: str = ""
    draft: bool = True
    reviewers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    proofs: tuple[str, ...] = ()
    leave_out: bool = False
    after_rewrite: bool = False
    repository: str = ""
    into_default: bool = False


@dataclass(frozen=True)
class PullPlan:
    """What opening a request would do. `push` None: it cannot be pushed, and a hindrance says why. `existing`: the open
    request of the branch."""

    place: PullPlace
    work: LaneWork
    base: str
    bases: tuple[str, ...]
    title: str
    body: str
    template: bool
    hindrances: tuple[Hindrance, ...]
    push: PushPlan | None = None
    existing: PullRequest | None = None

    @property
    def head(self) -> str:
        """The branch as the repository of the request names it."""
        owner = self.place.pushed_to[1]
        return self.work.branch if owner == self.place.repository.owner else f"{owner}:{self.work.branch}"


@dataclass(frozen=True)
class OpenedPull:
    """A request that is there. `adopted`: it was there before. `notices`: what beside it failed, in sentences."""

    pull: PullRequest
    adopted: bool = False
    notices: tuple[str, ...] = ()


class PullCreator:
    """All on the engine thread."""

    def __init__(
        self,
        log: ProjectLog,
        files_of: FilesOf,
        pusher: LanePusher,
        book: PullBook,
        reports: ReportBook,
        proofs: NamedProofs,
    ) -> None:
        self._log = log
        self._files_of = files_of
        self._book, self._reports = book, reports
        self._pusher = pusher
        self._opening: set[str] = set()
        self._proofs = proofs

    def is_opening(self, lane_id: str) -> bool:
        """Whether a request of this lane is being opened."""
        return lane_id in self._opening

    async def plan(self, lane: Lane, base: str = "", *, into_default: bool = False) -> PullPlan:
        """What opening a request from the lane would do; changes nothing. `base` and `into_default`: see `WantedPull`.

        Raises:
            GitHubError: there is no place for it, or GitHub could not be asked.
            GitError, CommandError: the lane cannot be read.
        """
        place = await self._book.place(lane)
        files = self._files_of(lane)
        bases = await asyncio.to_thread(remote_branches, Git(files.root), place.remote)
        usual = place.facts.default_branch if into_default else self._base(lane, place, bases)
        wanted = base or usual
        work = await asyncio.to_thread(lane_work, lane, place.remote, wanted)
        push, problem, way = await self._push_plan(lane, place)
        report = await self._reports.of_lane(lane.id)
        template = await asyncio.to_thread(template_of, files)
        existing = await self._existing(place, work.branch)
        plan = PullPlan(
            place,
            work,
            wanted,
            bases,
            default_title(work.subjects, lane.name),
            template or default_body(work.subjects, lane.description, evidence_rows(report) if report else ()),
            bool(template),
            (),
            push,
            existing,
        )
        proposal = Proposal(
            lane,
            work,
            push,
            wanted,
            place.remote,
            plan.head == work.branch,
            problem,
            way,
            place.read_only,
            existing.number if existing is not None else 0,
        )
        hindrances = creation_hindrances(proposal)
        return replace(plan, hindrances=(*hindrances, *self._parent(lane, bases, wanted, place), *_stale(report)))

    async def open(self, lane: Lane, wanted: WantedPull, *, by: By = "person") -> OpenedPull:
        """Push the lane's branch and open a request, or adopt the open one. Nothing is done twice: what was pushed is
        not pushed again, and an answer that was lost is looked up.

        Raises:
            CommandError: something is in the way; nothing was done.
            GitError, GitHubError: it was not opened; the sentence says whether the branch was pushed.
        """
        wanted = _checked(wanted)
        if lane.id in self._opening:
            raise CommandError("opening", "A request of this lane is being opened already.")
        self._opening.add(lane.id)
        try:
            plan = await self.plan(lane, wanted.base, into_default=wanted.into_default)
            _refuse(plan, wanted)
            if wanted.proofs:
                block = await self._proofs.block(lane, wanted.proofs)
                wanted = _checked(replace(wanted, body=with_block(wanted.body, block)))
            return await self._opened(lane, plan, wanted, by)
        finally:
            self._opening.discard(lane.id)

    async def _opened(self, lane: Lane, plan: PullPlan, wanted: WantedPull, by: By) -> OpenedPull:
        repository = plan.place.repository
        intent = self._log.operation(
            "open_pull_request",
            lane.id,
            by=by,
            repository=f"{repository.host}/{repository.slug}",
            base=plan.base,
            head=plan.head,
            title=wanted.title,
            draft=wanted.draft,
        )
        async with intent as operation:
            pushed = await self._pushed(lane, plan, wanted, by)
            try:
                opened = await self._found_or_made(plan, wanted)
            except GitHubError as error:
                if pushed:
                    raise _told_of_push(error) from error
                raise
            operation.result |= {"number": opened.pull.number, "url": opened.pull.url, "adopted": opened.adopted}
            operation.text = f"#{opened.pull.number} {'is linked' if opened.adopted else 'was opened'}."
            link = self._book.link(lane.id)
            self._book.forget(lane.id)
            self._book.save_link(
                PullLink(
                    lane_id=lane.id,
                    remote=link.remote,
                    repository=repository,
                    number=opened.pull.number,
                    branch=plan.work.branch,
                )
            )
            left_out = self._name_proofs(lane, plan, opened, wanted)
            notices = await self._besides(plan.place, opened, wanted)
        return replace(opened, notices=(*left_out, *notices))

    def _name_proofs(self, lane: Lane, plan: PullPlan, opened: OpenedPull, wanted: WantedPull) -> tuple[str, ...]:
        """Keep where the proofs were published; what is to be said when they were not."""
        if not wanted.proofs:
            return ()
        if opened.adopted:
            return (PROOFS_LEFT_OUT,)
        pull = opened.pull
        self._proofs.posted(lane, wanted.proofs, f"{plan.place.repository.slug}#{pull.number}", pull.url)
        return ()

    async def _pushed(self, lane: Lane, plan: PullPlan, wanted: WantedPull, by: By) -> bool:
        """Whether something was pushed: nothing is while the remote has it all."""
        if plan.push is None or not plan.push.needed:
            return False
        remote, link = plan.place.pushed_to[0], self._book.link(lane.id)
        if remote != plan.place.remote:  # the branch follows the fork from now on, its request does not
            self._book.save_link(link.model_copy(update={"remote": plan.place.remote}))
        await self._pusher.push(lane, PushWish(remote=remote, force=wanted.after_rewrite, by=by))
        return True

    async def _found_or_made(self, plan: PullPlan, wanted: WantedPull) -> OpenedPull:
        existing = await self._existing(plan.place, plan.work.branch)
        if existing is not None:
            return OpenedPull(existing, adopted=True)
        try:
            made = await plan.place.client.pulls.create(
                wanted.title, wanted.body, head=plan.head, base=plan.base, draft=wanted.draft
            )
        except GitHubError as error:
            if not error.answer_lost and "already exists" not in error.said.lower():
                raise
            there = await self._looked_up(plan, error)
            return OpenedPull(there, adopted=not error.answer_lost)
        return OpenedPull(made)

    async def _looked_up(self, plan: PullPlan, error: GitHubError) -> PullRequest:
        """The request that a lost answer may have made; GitHub's lists lag behind a little."""
        pace = plan.place.client.place.transport.pace
        for _ in range(LOOKS):
            try:
                found = await self._existing(plan.place, plan.work.branch)
            except GitHubError as again:
                text = f"{error} Whether the request was opened could not be looked up: {again} Refresh before you try"
                raise GitHubError(error.problem.model_copy(update={"text": f"{text} again."})) from again
            if found is not None:
                return found
            await pace.sleep(pace.settle_s)
        raise error

    async def _existing(self, place: PullPlace, branch: str) -> PullRequest | None:
        owner = place.pushed_to[1] or place.repository.owner
        found = await place.client.pulls.of_branch(branch, owner=owner) if branch else ()
        return next((pull for pull in found if pull.state in OPEN), None)

    async def _besides(self, place: PullPlace, opened: OpenedPull, wanted: WantedPull) -> tuple[str, ...]:
        """Labels and reviewers, each on its own; what failed."""
        failed: list[str] = []
        number, pulls = opened.pull.number, place.client.pulls
        if wanted.labels:
            try:
                await pulls.add_labels(number, wanted.labels)
            except GitHubError as error:
                failed.append(f"Labels were not set: {error}")
        if wanted.reviewers:
            try:
                await pulls.ask_reviewers(number, wanted.reviewers)
            except GitHubError as error:
                failed.append(f"Reviewers were not asked: {error}")
        return tuple(failed)

    async def _push_plan(self, lane: Lane, place: PullPlace) -> tuple[PushPlan | None, str, str]:
        """What a push would do, or why there is none and what the window may offer."""
        remote, _ = place.pushed_to
        if not remote:
            text, way = no_way(place, await place.client.repositories.own_fork())
            return None, text, way
        try:
            return await self._pusher.plan(lane, remote), "", ""
        except GitError as error:
            return None, str(error), ""

    def _base(self, lane: Lane, place: PullPlace, bases: tuple[str, ...]) -> str:
        """The branch of the lane's parent, if the remote has it; else the lane's base; else the default branch."""
        parent = self._book.ground.lanes.get(lane.parent_id) if lane.parent_id else None
        own = lane.base_ref.removeprefix(f"{place.remote}/")
        names = [parent.branch if parent is not None and parent.type != "primary" else "", own]
        return next((name for name in names if name and name in bases), place.facts.default_branch)

    def _parent(self, lane: Lane, bases: tuple[str, ...], base: str, place: PullPlace) -> tuple[Hindrance, ...]:
        parent = self._book.ground.lanes.get(lane.parent_id) if lane.parent_id else None
        if parent is None or parent.type == "primary" or parent.state != "active" or parent.branch in (*bases, base):
            return ()
        text = (
            f"This lane stacks on '{parent.name}', whose branch is not on {place.remote} yet: the request would hold "
            "its commits too. Push it first."
        )
        return (Hindrance(kind="parent_not_pushed", text=text, blocks=False),)


def _stale(report: ReportView | None) -> tuple[Hindrance, ...]:
    count = len(report.stale) if report is not None else 0
    if not count:
        return ()
    what = "command of the last report ran" if count == 1 else "commands of the last report ran"
    return (Hindrance(kind="stale_evidence", text=f"{count} {what} on other files than these.", blocks=False),)


def _checked(wanted: WantedPull) -> WantedPull:
    """Raises CommandError `no_title`, `too_long`."""
    title = " ".join(wanted.title.split())
    if not title:
        raise CommandError("no_title", "Give the request a title.")
    if len(title) > MAX_TITLE or len(wanted.body) > MAX_BODY:
        raise CommandError("too_long", f"A title has at most {MAX_TITLE} characters, a body {MAX_BODY:,}.")
    return replace(wanted, title=title, body=wanted.body.replace("\r\n", "\n"))


def _refuse(plan: PullPlan, wanted: WantedPull) -> None:
    """Raises CommandError for the first thing that nobody may pass over, or did not."""
    slug = plan.place.repository.slug
    if wanted.repository and wanted.repository.casefold() != slug.casefold():
        raise CommandError("changed", f"The request would go to {slug}, not to {wanted.repository}. Try again.")
    ticked = {"dirty": wanted.leave_out, "rewritten": wanted.after_rewrite}
    for found in plan.hindrances:
        if found.blocks or not ticked.get(found.kind, True):
            raise CommandError(found.kind, found.text)


def _told_of_push(error: GitHubError) -> GitHubError:
    text = f"The branch was pushed, but the request was not opened: {error} Trying again does not push twice."
    problem = error.problem.model_copy(update={"text": text})
    return GitHubError(problem, status=error.status, answer_lost=error.answer_lost, said=error.said)
