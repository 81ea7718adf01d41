"""What one chat may do with its lane's branch and pull request, bound to what the gate saw and a card showed."""

import asyncio
import contextlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from desktop.agent.changes.pusher import LanePusher, PushWish
from desktop.agent.core.session import Session
from desktop.agent.github.access import GitHubAccess
from desktop.agent.lanes.folder import FilesOf
from desktop.agent.pulls.actions import PullActions
from desktop.agent.pulls.book import PullBook
from desktop.agent.pulls.creator import PullCreator, WantedPull
from desktop.agent.pulls.here import pull_here
from desktop.agent.pulls.reader import OPEN
from desktop.domain.core.errors import BanksmanError, CommandError, GitError
from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls.pull_request import Comment, PullRequest, RepositoryId, ReviewThread
from desktop.domain.pulls.updates import RerunResult
from desktop.records import dataclass
from desktop.services.changes.push import PushPlace, PushPlan, push_place
from desktop.services.changes.work import newest_own_work, own_subjects
from desktop.services.git.run import Git
from desktop.services.git.trees.merge import commit_id
from desktop.services.github.remotes import parse_remote
from desktop.services.pulls.text import default_body, default_title, template_of
from desktop.tools.pull_calls import Opened, PullName, Pushed, WantedRequest
from desktop.tools.untrusted import forge_source

UNANSWERED = "Nothing was committed since this comment."
CHANGED = "Not done: where it would go changed since it was decided. Call it again."
OWN_CHECKOUT = "This is the person's own checkout; they push it themselves."
MAX_SAID = 300
LOOK_S = 5.0
"""So long a call waits until what it did is known here too."""


@dataclass(frozen=True)
class PullOrders:
    """What agents can have done. `listed` shows lanes anew; `done` is called with the lane when its request may look
    different."""

    pusher: LanePusher
    creator: PullCreator
    actions: PullActions
    listed: Callable[[], None]
    done: Callable[[str], None]


@dataclass(frozen=True)
class PullParts:
    """What all chats share: `book` knows how requests stand, `orders` carries out what a chat's tools want."""

    book: PullBook
    github: GitHubAccess
    files_of: FilesOf
    orders: PullOrders

    def for_chat(self, session: Session) -> "PullsOfChat | None":
        """What the tools of a chat work with, None for a chat without a lane. Asks nobody."""
        return PullsOfChat(self, session, session.lane) if session.lane is not None else None

    def connected(self, session: Session) -> "PullsOfChat | None":
        """The same, None also where nobody is signed in to a host of the repository. Asks nobody."""
        pulls = self.for_chat(session)
        return pulls if pulls is not None and pulls.connected else None

    def with_request(self, session: Session) -> "PullsOfChat | None":
        """The same, None also where the lane has no open pull request. Asks nobody."""
        pulls = self.connected(session)
        return pulls if pulls is not None and pulls.has_open else None


class PullsOfChat:
    """See `desktop.tools.pull_calls.ChatPulls`."""

    def __init__(self, parts: PullParts, session: Session, lane: Lane) -> None:
        self._session, self._lane = session, lane
        self._book, self._github, self._files_of = parts.book, parts.github, parts.files_of
        self._orders, self._ground = parts.orders, parts.book.ground

    # What is known

    @property
    def connected(self) -> bool:
        """Somebody is signed in to a host of the repository's remotes."""
        return self._book.places.is_connected()

    @property
    def has_open(self) -> bool:
        """The lane has an open pull request, by what is known."""
        if not self._book.link(self._lane.id).number:
            return False
        pull = self._pull()
        return pull is None or pull.state in OPEN

    @property
    def source(self) -> str:
        """What names the lane's request as a source of untrusted text."""
        link = self._book.link(self._lane.id)
        return forge_source(link.repository.slug if link.repository is not None else "?", link.number)

    def is_own_lane(self, lane_id: str) -> bool:
        """Whether this names the chat's own lane."""
        return lane_id in ("", self._lane.id)

    def secrets_in(self, *texts: str) -> tuple[str, ...]:
        """Names of the secrets that stand in texts."""
        redactor = self._github.settings.redactor
        return tuple(dict.fromkeys(name for text in texts for name in redactor.known_in(text)))

    # Targets, for the gate

    def push_target(self) -> str:
        """Where the lane's branch would go, in words; "" when that is not known."""
        place = self._place(self._lane)
        return _push_words(place) if place is not None else ""

    def open_target(self, wanted: WantedRequest) -> str:
        """What would be opened where, with the words that the call leaves to the default."""
        lane = self._ground.lanes.get(wanted.lane_id) if wanted.lane_id else self._lane
        place = self._place(lane) if lane is not None else None
        if lane is None or place is None:
            return ""
        base = wanted.base or self._base(lane, place)
        repository = self._repository(lane, place)
        where = f"{repository.slug} on {repository.host}" if repository is not None else place.remote
        lines = [_push_words(place), f"Request: into {base or 'the default branch'} of {where}{self._as(repository)}"]
        if lane.id != self._lane.id:
            lines.insert(0, f"Lane: {lane.name}")
        title, body = self._words(lane, wanted)
        lines += [f"Title: {title}"] if not wanted.title else []
        lines += [f"Text:\n{body}"] if not wanted.body else []
        return "\n".join(lines)

    def request_target(self, pr: PullName) -> str:
        """The request that is meant, and the account used. Raises ValueError for one that is not the lane's."""
        link, pull = self._book.link(self._lane.id), self._pull()
        own = {str(link.number), f"#{link.number}", *([pull.id] if pull is not None and pull.id else [])}
        if pr is not None and str(pr) not in own:
            raise ValueError(f"{pr} is not this lane's pull request (#{link.number})")
        repository = link.repository
        where = f" of {repository.slug} on {repository.host}" if repository is not None else ""
        title = f": {pull.title}" if pull is not None else ""
        return f"Pull request #{link.number}{where}{self._as(repository)}{title}"

    def thread_target(self, thread_id: str) -> str:
        """Where a thread stands and what was said last, as far as it is known."""
        thread = self._thread(thread_id)
        if thread is None:
            return f"Thread {thread_id}, of which nothing is known yet"
        place = f"{thread.path}:{thread.line}" if thread.line is not None else thread.path
        last = thread.comments[-1] if thread.comments else None
        said = f"\n{last.author.login or 'somebody'}: {' '.join(last.body.split())[:MAX_SAID]}" if last else ""
        return f"Thread on {place}{said}"

    def unanswered(self, thread_id: str) -> str:
        """Why resolving this thread needs a person's word, "" when it does not or is not known (lanes-P30)."""
        thread = self._thread(thread_id)
        return UNANSWERED if thread is not None and not thread.resolved and self._is_unanswered(thread) else ""

    # Doing

    async def push(self, *, after_rewrite: bool, target: str) -> Pushed:
        """Push the lane's branch to where the gate saw it go."""
        lane = self._usable(self._lane)

        def check(plan: PushPlan) -> None:
            if _push_words(plan.place) != target:
                raise CommandError("changed", CHANGED)
            if not plan.needed:
                raise CommandError("nothing", f"Nothing to push: {plan.remote}/{plan.branch} has every commit.")

        plan, text = await self._orders.pusher.push(lane, PushWish(force=after_rewrite, by="tool"), check)
        self._orders.listed()
        await self._look()
        notice = text.partition(" now.")[2].strip()
        return Pushed(remote=plan.remote, branch=plan.branch, oid=plan.head, commits=plan.commits, notice=notice)

    async def open(self, wanted: WantedRequest) -> Opened:
        """Push the branch and open a request, or link the one that is there."""
        lane = self._usable(self._ground.lane(wanted.lane_id) if wanted.lane_id else self._lane)
        if self.open_target(wanted) != wanted.target:
            raise CommandError("changed", CHANGED)
        place = self._place(lane)
        repository = self._repository(lane, place) if place is not None else None
        title, body = self._words(lane, wanted)
        base = wanted.base or (self._base(lane, place) if place is not None else "")
        order = WantedPull(
            title=title,
            body=body,
            base=base,
            draft=wanted.draft,
            repository=repository.slug if repository is not None else "",
            into_default=not base,
        )
        try:
            opened = await self._orders.creator.open(lane, order, by="tool")
        except CommandError as error:
            if error.code == "dirty":
                raise CommandError("dirty", f"{error} Commit it first.") from error
            raise
        finally:
            self._orders.listed()
        self._orders.done(lane.id)
        pull = opened.pull
        return Opened(
            number=pull.number,
            url=pull.url,
            draft=pull.state == "draft",
            adopted=opened.adopted,
            notices=opened.notices,
        )

    async def rerun(self, names: tuple[str, ...]) -> tuple[RerunResult, ...]:
        """Run failed checks again."""
        return await self._orders.actions.rerun(self._lane.id, names, by="tool")

    async def reply(self, thread_id: str, body: str) -> Comment:
        """Reply in a thread of the lane's request; the reply."""
        made = await self._orders.actions.reply(self._lane.id, thread_id, body, by="tool")
        await self._look()
        return made

    async def resolve(self, thread_id: str, *, person_asked: bool) -> bool:
        """Resolve a thread of the lane's request. False: it was resolved already."""
        if not person_asked:
            here = await pull_here(self._book, self._lane.id, by="tool")
            thread = await self._orders.actions.thread(here, thread_id)
            if not thread.resolved and self._is_unanswered(thread):
                await self._book.fresh(self._lane.id)  # the next call is judged by what is known then
                raise CommandError("unanswered", f"{UNANSWERED} Call it again, and a person is asked.")
        done = await self._orders.actions.resolve(self._lane.id, thread_id, by="tool")
        await self._look()
        return done

    # Helpers

    async def _look(self) -> None:
        """Know what was done before the next call is decided: a look that came while its card is open would change
        what the card says, and ask a person again."""
        if self._book.link(self._lane.id).number:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._book.fresh(self._lane.id)

    def _usable(self, lane: Lane) -> Lane:
        """Raises CommandError for a lane that agents do not push."""
        known = self._ground.lane(lane.id)
        if known.project_id != self._session.state.project_id:
            raise CommandError("unknown_lane", f'There is no lane "{lane.id}" in this repository.')
        if known.type == "primary" and not self._session.state.primary:
            raise CommandError("primary", OWN_CHECKOUT)
        return known

    def _pull(self) -> PullRequest | None:
        found = self._book.snapshot(self._lane.id)
        return found.pull if found is not None else None

    def _thread(self, thread_id: str) -> ReviewThread | None:
        found = self._book.snapshot(self._lane.id)
        threads = found.threads if found is not None else ()
        return next((thread for thread in threads if thread.id == thread_id), None)

    def _base(self, lane: Lane, place: PushPlace) -> str:
        """The branch that the lane began at, if the remote has it; "" is the default branch."""
        name = lane.base_ref.removeprefix(f"{place.remote}/")
        known = bool(name) and commit_id(Git(Path(lane.worktree_path)), f"refs/remotes/{place.remote}/{name}")
        return name if known else ""

    def _words(self, lane: Lane, wanted: WantedRequest) -> tuple[str, str]:
        """Title and body as they would be published. Raises GitError, CommandError where the lane cannot be read."""
        if wanted.title and wanted.body:
            return wanted.title, wanted.body
        subjects = own_subjects(lane)
        body = wanted.body or template_of(self._files_of(lane))
        return wanted.title or default_title(subjects, lane.name), body or default_body(subjects, lane.description, ())

    def _place(self, lane: Lane) -> PushPlace | None:
        try:
            return push_place(Git(Path(lane.worktree_path)))
        except GitError:
            return None

    def _repository(self, lane: Lane, place: PushPlace) -> RepositoryId | None:
        return self._book.link(lane.id).repository or parse_remote(place.address)

    def _as(self, repository: RepositoryId | None) -> str:
        """The account that is used there."""
        host = self._github.settings.current.github_host(repository.host) if repository is not None else None
        login = self._github.account(host).login if host is not None else ""
        return f", as {login}" if login else ""

    def _is_unanswered(self, thread: ReviewThread) -> bool:
        """No commit of the lane is newer than the last thing that somebody else said in the thread. What cannot be told
        counts as unanswered."""
        said = _last_of_others(thread, self._book.store.agent_comments(self._lane.id))
        if said is None:
            return False
        lane = self._ground.lanes.get(self._lane.id) or self._lane
        try:
            newest = newest_own_work(Path(lane.worktree_path), lane.base_oid)
        except BanksmanError:
            return True
        at = max((moment for moment in (said.created_at, said.edited_at) if moment is not None), default=None)
        return newest is None or at is None or datetime.fromtimestamp(newest, UTC) <= at


def _last_of_others(thread: ReviewThread, by_agents: frozenset[str]) -> Comment | None:
    return next((comment for comment in reversed(thread.comments) if comment.id not in by_agents), None)


def _push_words(place: PushPlace) -> str:
    return f"Push: {place.branch} to {place.remote}, {place.address}"
