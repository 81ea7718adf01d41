"""PullBook: how the request of each lane stood last, asked for anew by whoever wants it; one look at a time."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from desktop.agent.core.ground import Ground
from desktop.agent.pulls.places import PullPlace, PullPlaces
from desktop.agent.pulls.reader import OPEN, PullReader
from desktop.domain.core.errors import BanksmanError, StoreError
from desktop.domain.github.values import GitHubError
from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls.pull_request import ForgeProblem, PullLink, PullRequest, PullSnapshot
from desktop.store.core.pulls import PullStore

logger = logging.getLogger(__name__)

KEEP_EVERY = timedelta(minutes=5)


class PullBook:
    """Engine thread only. `changed`: each is told every look, before and after; they must not raise.

    What was last known of a lane stays when GitHub cannot be asked; `problem` says why then (lanes-G23).
    """

    def __init__(
        self,
        ground: Ground,
        listed: Callable[[], None],
        clock: Callable[[], datetime],
        store: PullStore,
        places: PullPlaces,
    ) -> None:
        self.ground = ground
        self._listed = listed
        self._clock = clock
        self.places = places
        self.store = store
        self.changed: list[Callable[[PullSnapshot | None, PullSnapshot], None]] = []
        self._reader = PullReader(clock)
        self._last: dict[str, PullSnapshot] = {}
        self._kept: dict[str, PullSnapshot] = {}
        self._running: dict[str, asyncio.Task[PullSnapshot]] = {}
        self._next: dict[str, asyncio.Task[PullSnapshot]] = {}
        self._settling: dict[str, asyncio.Task[None]] = {}

    def snapshot(self, lane_id: str) -> PullSnapshot | None:
        """How the lane's request stood last, None: GitHub was never asked. Asks nobody."""
        if lane_id not in self._last:
            stored = self.store.snapshot(lane_id)
            if stored is None:
                return None
            self._last[lane_id] = self._kept[lane_id] = stored
        return self._last[lane_id]

    def is_open(self, lane: Lane) -> bool:
        """Whether its commits are on an open request; one that was never looked at counts as open."""
        snapshot = self.snapshot(lane.id)
        if snapshot is None or snapshot.pull is None:
            return bool(lane.pr_number)
        return snapshot.pull.state == "open"

    def link(self, lane_id: str) -> PullLink:
        """What ties the lane to its request."""
        return self.store.link(lane_id)

    def save_link(self, link: PullLink) -> None:
        """This ties the lane to its request from here on; lists show its number."""
        if link != self.store.link(link.lane_id):
            self.store.save_link(link)
        lane = self.ground.lanes.get(link.lane_id)
        if lane is not None and lane.pr_number != link.number:
            self.ground.lanes.save(lane.model_copy(update={"pr_number": link.number}))
            self._listed()

    def forget(self, lane_id: str) -> None:
        """What was known counts no more, because the lane is tied to something else now."""
        self._last.pop(lane_id, None)
        self._kept.pop(lane_id, None)

    async def place(self, lane: Lane) -> PullPlace:
        """Where the lane's request is or will be. Raises GitHubError."""
        return await self.places.of(lane, self.link(lane.id))

    async def fresh(self, lane_id: str) -> PullSnapshot:
        """How the lane's request stands now. Never raises: `problem` says why it could not be told, and the rest is
        then of the last good time.

        The look begins after this call; whoever calls meanwhile shares the next one.
        """
        waiting = self._next.get(lane_id)
        if waiting is None:
            waiting = asyncio.create_task(self._after(lane_id), name="pull request")
            self._next[lane_id] = waiting
        return await asyncio.shield(waiting)

    async def close(self) -> None:
        """Ask nobody any more."""
        tasks = [*self._running.values(), *self._next.values(), *self._settling.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def clear(self) -> None:
        """Another repository is open."""
        self._last, self._kept = {}, {}

    async def _after(self, lane_id: str) -> PullSnapshot:
        running = self._running.get(lane_id)
        if running is not None:
            await asyncio.wait({running})
        task = self._next.pop(lane_id)
        self._running[lane_id] = task
        try:
            return await self._look(lane_id)
        finally:
            if self._running.get(lane_id) is task:
                del self._running[lane_id]

    async def _look(self, lane_id: str) -> PullSnapshot:
        before = self.snapshot(lane_id)
        lane = self.ground.lanes.get(lane_id)
        if lane is None or lane.state == "deleted":
            gone = ForgeProblem(kind="not_found", text="This lane does not exist any more.")
            return before or PullSnapshot(lane_id=lane_id, problem=gone)
        link = self.link(lane_id)
        try:
            found, linked = await self._reader.read(lane, link, await self.places.of(lane, link), before)
            if self.link(lane_id) != link:  # a person tied the lane to something else meanwhile
                return await self._look(lane_id)
            with contextlib.suppress(StoreError):  # a store that can only be read shows it all the same
                self.save_link(linked)
        except GitHubError as error:
            return self._failed(lane_id, before, error.problem)
        except BanksmanError as error:
            return self._failed(lane_id, before, ForgeProblem(kind="bad_answer", text=str(error)))
        self._tell(before, found)
        self._keep(found)
        self._settle(lane, found)
        return found

    def _failed(self, lane_id: str, before: PullSnapshot | None, problem: ForgeProblem) -> PullSnapshot:
        known = before or PullSnapshot(lane_id=lane_id)
        failed = known.model_copy(update={"problem": problem})
        self._tell(before, failed)
        if before is not None and before.as_of is not None and before.problem is None:
            self._keep(before, now=True)
        return failed

    def _tell(self, before: PullSnapshot | None, after: PullSnapshot) -> None:
        self._last[after.lane_id] = after
        for told in self.changed:
            told(before, after)

    def _keep(self, found: PullSnapshot, *, now: bool = False) -> None:
        """On the disk when something differs, and its time every five minutes; a failure to keep it is only logged."""
        kept = self._kept.get(found.lane_id)
        try:
            if kept is None or kept.as_of is None or not same_look(kept, found):
                self.store.save_snapshot(found)
            elif found.as_of is not None and (now or found.as_of - kept.as_of >= KEEP_EVERY):
                self.store.still_so(found.lane_id, found.as_of)
            else:
                return
        except StoreError as error:
            logger.warning("what is known of a pull request was not kept: %s", error)
            return
        self._kept[found.lane_id] = found

    # Whether it can be merged is worked out by GitHub after it was asked for the first time

    def _settle(self, lane: Lane, found: PullSnapshot) -> None:
        pull = found.pull
        if pull is None or pull.state not in OPEN or pull.mergeable != "unknown" or lane.id in self._settling:
            return
        task = asyncio.create_task(self._settled(lane, pull), name="mergeable")
        self._settling[lane.id] = task
        task.add_done_callback(lambda done: self._settling.pop(lane.id, None))

    async def _settled(self, lane: Lane, pull: PullRequest) -> None:
        try:
            place = await self.place(lane)
            now = await place.client.pulls.settled(pull.number)
        except BanksmanError:
            return
        before = self._last.get(lane.id)
        same = before is not None and before.pull is not None and before.pull.number == now.number
        if before is not None and same and before.pull is not None and before.pull.head_oid == now.head_oid:
            after = before.model_copy(update={"pull": now, "as_of": self._clock()})
            self._tell(before, after)
            self._keep(after)


def same_look(one: PullSnapshot, other: PullSnapshot) -> bool:
    """Whether two looks say the same, but for when."""
    return one.model_copy(update={"as_of": None}) == other.model_copy(update={"as_of": None})
