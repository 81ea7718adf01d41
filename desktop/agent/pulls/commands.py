"""PullCommands: what a person sees of a lane's pull request: asked for while it is looked at, told when it changes."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Coroutine
from datetime import datetime

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish
from desktop.agent.pulls.book import PullBook, same_look
from desktop.agent.pulls.reader import OPEN
from desktop.agent.pulls.recovery import PullRecovery
from desktop.agent.pulls.rhythm import Need, PullRhythm
from desktop.agent.pulls.viewers import Viewers
from desktop.domain.changes.updates import LanePushed
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError, StoreError
from desktop.domain.core.update import Update
from desktop.domain.github.updates import GitHubChanged, RateLimited
from desktop.domain.github.values import RateState
from desktop.domain.lanes.events import LaneOperationStarted
from desktop.domain.pulls import commands as c
from desktop.domain.pulls.pull_request import PullLink, PullSnapshot
from desktop.domain.pulls.transitions import transitions
from desktop.domain.pulls.updates import PullRequestChanged
from desktop.domain.updates import SettingsChanged

logger = logging.getLogger(__name__)

FIRST_LOOK_S = 15.0
"""After a repository was opened: the window is there first."""
_UNTIL_ANSWERED = frozenset({"not_connected", "no_remote", "other_host", "choose_remote", "unauthorised"})
"""Problems that a person has to solve; nothing is asked before that."""
_BY_SIGN_IN = frozenset({"not_connected", "unauthorised", "other_host", "forbidden", "not_found"})
"""Problems that another sign-in may have solved."""
_NOT_REACHED = frozenset({"offline", "server", "bad_answer"})


class PullCommands:
    """Engine thread. Nothing is asked about lanes that nobody looks at and that have no open request."""

    def __init__(
        self,
        ground: Ground,
        publish: Publish,
        clock: Callable[[], datetime],
        book: PullBook,
        recovery: PullRecovery,
        every_s: Callable[[], float],
    ) -> None:
        """`every_s`: the person's setting; 0: nothing is asked by itself."""
        self._ground = ground
        self._publish = publish
        self._clock = clock
        self._book = book
        self._shown = Viewers()
        self._looked: set[str] = set()
        self._settled: dict[str, PullSnapshot] = {}
        self._asking: set[asyncio.Task[None]] = set()
        self._waits: dict[str, RateState] = {}
        self._project_id = ""
        self._rhythm = PullRhythm(self._ring, time.monotonic, self._need, every_s)
        self._recovery = recovery
        book.changed.append(self._changed)

    def handlers(self) -> dict[type[Command], Handler]:
        """Looking, and saying which request or remote is meant."""
        return {
            c.ShowPullRequest: self._show,
            c.PullWindowSeen: self._seen,
            c.RefreshPullRequest: self._refresh,
            c.ChooseRemote: self._choose,
            c.LinkPullRequest: self._link,
        }

    def project_opened(self) -> None:
        """Begin with the lanes of this repository that have a request."""
        project = self._ground.the_project()
        if project.id != self._project_id:
            self._project_id = project.id
            self._book.clear()
            self._shown.clear()
            self._looked.clear()
            self._settled.clear()
            self._rhythm.clear()
        for host, until in self._book.store.waits().items():
            self._book.places.github.keep_waiting(host, until)
        self._spawn(self._begin_later(self._recovery.left_open(project.id)), "pull requests")

    def saw(self, update: Update) -> None:
        """Whatever the engine says is shown to this part."""
        if isinstance(update, GitHubChanged):
            self._signed_in(update)
        elif isinstance(update, RateLimited):
            self._take_wait(update.state)
        elif isinstance(update, LanePushed):
            self.ask(update.lane_id)
        elif isinstance(update, SettingsChanged):
            self._rhythm.replan()

    def ask(self, lane_id: str) -> None:
        """Look at it soon, if it is looked at or has a request."""
        if lane_id in self._shown or self._book.link(lane_id).number:
            self._spawn(self._look(lane_id), "pull request")

    async def close(self) -> None:
        """Ask nobody any more."""
        self._rhythm.clear()
        for task in list(self._asking):
            task.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)
        await self._book.close()

    # Commands

    async def _show(self, command: c.ShowPullRequest) -> None:
        if not command.shown:
            self._shown.end(command.lane_id, command.viewer)
            self._rhythm.replan()
            return
        self._ground.lane(command.lane_id)
        self._shown.begin(command.lane_id, command.viewer)
        if self._rhythm.may_ask(command.lane_id):
            await self._asked(command.lane_id)
        else:
            self._tell(command.lane_id)
            self._rhythm.watch((command.lane_id,))

    async def _seen(self, command: c.PullWindowSeen) -> None:
        if command.seen != self._rhythm.seen:
            self._rhythm.seen = command.seen
            self._rhythm.replan()

    async def _refresh(self, command: c.RefreshPullRequest) -> None:
        self._ground.lane(command.lane_id)
        if self._rhythm.may_ask(command.lane_id):
            await self._asked(command.lane_id)
        else:
            self._tell(command.lane_id)

    async def _choose(self, command: c.ChooseRemote) -> None:
        lane = self._ground.lane(command.lane_id)
        if command.remote not in await self._book.places.github.remotes_for(lane):
            raise CommandError("no_remote", f'There is no remote "{command.remote}" any more.')
        self._book.save_link(PullLink(lane_id=lane.id, remote=command.remote))
        self._book.forget(lane.id)
        await self._asked(lane.id)

    async def _link(self, command: c.LinkPullRequest) -> None:
        """Raises CommandError `not_linked`, GitHubError: the lane is tied to what it was tied to before."""
        lane = self._ground.lane(command.lane_id)
        link = self._book.link(lane.id)
        repository = link.repository
        if command.number:
            place = await self._book.place(lane)
            pull = await place.client.pulls.one(command.number)
            owner = pull.head_repository.owner if pull.head_repository is not None else ""
            if pull.head != lane.branch or owner not in place.owners:
                raise CommandError(
                    "not_linked", f"#{pull.number} is of the branch {pull.head}, and this lane is on {lane.branch}."
                )
            repository = place.repository
        self._book.save_link(
            PullLink(
                lane_id=lane.id,
                remote=link.remote,
                repository=repository,
                number=command.number,
                branch=lane.branch,
                declined=not command.number,
            )
        )
        self._book.forget(lane.id)
        await self._asked(lane.id)

    # Asking

    async def _asked(self, lane_id: str) -> None:
        """Look now, saying that it is looked."""
        self._tell(lane_id, loading=True)
        await self._look(lane_id)
        if lane_id not in self._shown:  # for what is on screen every look is told
            self._tell(lane_id)

    async def _look(self, lane_id: str) -> None:
        self._rhythm.begun(lane_id)
        reached = True
        try:
            found = await self._book.fresh(lane_id)
            reached = found.problem is None or found.problem.kind not in _NOT_REACHED
        finally:
            self._rhythm.asked(lane_id, reached=reached)
            self._rhythm.plan()

    def _ring(self) -> None:
        for lane_id in self._rhythm.take():
            self._spawn(self._look(lane_id), "pull request")
        if self._rhythm.not_before:
            self._rhythm.plan()

    async def _begin_later(self, left: tuple[LaneOperationStarted, ...]) -> None:
        await self._book.places.look()
        await self._recovery.go_on(left)
        await asyncio.sleep(FIRST_LOOK_S)
        project = self._ground.project()
        if project is not None:
            self._rhythm.watch(lane.id for lane in self._ground.lanes.of_project(project.id) if lane.pr_number)

    def _signed_in(self, update: GitHubChanged) -> None:
        """Those that waited for a person are asked about again."""
        usable = {one.host for one in update.accounts if one.state in ("connected", "offline")}
        for lane_id in self._shown:
            found = self._book.snapshot(lane_id)
            kind = found.problem.kind if found is not None and found.problem is not None else ""
            if kind in _BY_SIGN_IN and (usable or kind == "other_host"):
                self._spawn(self._look(lane_id), "pull request")
        self._rhythm.replan()

    def _take_wait(self, state: RateState) -> None:
        """A wait is kept, for it goes on when the program is started again."""
        before = self._waits.get(state.host)
        self._waits[state.host] = state
        if state.wait_until != (before.wait_until if before is not None else None):
            with contextlib.suppress(StoreError):
                self._book.store.save_wait(state.host, state.wait_until)
        self._limited()

    def _limited(self) -> None:
        now = self._clock()
        waits = [state.wait_until for state in self._waits.values() if state.wait_until is not None]
        self._rhythm.slow = any(state.slow for state in self._waits.values())
        self._rhythm.not_before = time.monotonic() + _seconds(max(waits), now) if waits else 0.0
        self._rhythm.replan()

    def _need(self, lane_id: str) -> Need:
        lane, found = self._ground.lanes.get(lane_id), self._book.snapshot(lane_id)
        if lane is None or lane.state not in ("active", "broken"):
            return "none"
        if found is not None and found.problem is not None and found.problem.kind in _UNTIL_ANSWERED:
            return "none"
        if lane_id in self._shown:
            return "running" if found is not None and found.pending else "shown"
        return "other" if found is not None and found.pull is not None and found.pull.state in OPEN else "none"

    # Telling

    def _changed(self, before: PullSnapshot | None, after: PullSnapshot) -> None:
        lane_id = after.lane_id
        if before is None or not same_look(before, after) or lane_id in self._shown:
            self._tell(lane_id)
        if after.problem is not None:
            return
        if lane_id in self._looked:
            for told in transitions(before, after, self._clock(), settled=self._settled.get(lane_id)):
                self._publish(told)
        self._looked.add(lane_id)
        if after.pull is None or after.pull.mergeable != "unknown":
            self._settled[lane_id] = after

    def _tell(self, lane_id: str, *, loading: bool = False) -> None:
        found = self._book.snapshot(lane_id) or PullSnapshot(lane_id=lane_id)
        remotes: tuple[str, ...] = ()
        if found.problem is not None and found.problem.kind == "choose_remote":
            remotes = self._book.places.names
        self._publish(PullRequestChanged(snapshot=found, loading=loading, remotes=remotes))

    def _spawn(self, work: Coroutine[None, None, None], name: str) -> None:
        task: asyncio.Task[None] = asyncio.create_task(work, name=name)
        self._asking.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._asking.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("%s: asking failed", task.get_name(), exc_info=error)


def _seconds(until: datetime, now: datetime) -> float:
    return max((until - now).total_seconds(), 0.0)
