"""StackLocks: one stack run at a time, with its lanes and their repository to itself."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator, Sequence

from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.kin import LaneKin
from desktop.agent.lanes.use import LaneUse
from desktop.domain.core.errors import CommandError
from desktop.domain.lanes.lane import Lane

GOING_ON = "A stack run is already going on."
CALL_WAITS_S = 10.0


class StackLocks:
    """Engine thread only."""

    def __init__(self, use: LaneUse, sessions: Sessions, kin: LaneKin) -> None:
        self._use = use
        self._sessions = sessions
        self._kin = kin
        self._going: set[str] = set()

    @contextlib.contextmanager
    def alone(self, lane: Lane) -> Iterator[None]:
        """One run per stack.

        Raises:
            CommandError: `run_going`.
        """
        top = self._kin.top(lane)
        if top.id in self._going:
            raise CommandError("run_going", GOING_ON)
        self._going.add(top.id)
        try:
            yield
        finally:
            self._going.discard(top.id)

    @contextlib.asynccontextmanager
    async def of(self, lanes: Sequence[Lane], own_session: str = "") -> AsyncIterator[None]:
        """These lanes of one repository, and it, are ours alone. `own_session`: the chat that asks from within its
        call, which holds its own lane already.

        Raises:
            CommandError: something else is at work there.
        """
        async with self._repository(lanes[0], own_session), self._held(lanes, own_session):
            yield

    @contextlib.asynccontextmanager
    async def _repository(self, lane: Lane, own_session: str) -> AsyncIterator[None]:
        """The repository is ours alone. A call already holds its lane, which others take after the repository: so it
        waits for a while only, and gives way."""
        lock = self._use.repository(lane.project_id)
        try:
            async with asyncio.timeout(CALL_WAITS_S if own_session else None):
                await lock.acquire()
        except TimeoutError as error:
            raise CommandError("busy", "Something else changes this repository right now. Try again later.") from error
        try:
            yield
        finally:
            lock.release()

    @contextlib.asynccontextmanager
    async def _held(self, lanes: Sequence[Lane], own_session: str) -> AsyncIterator[None]:
        asking = (one for one in self._sessions.opened() if one.session_id == own_session)
        own = {one.lane.id for one in asking if one.lane is not None}
        locks = [self._use.lane(lane.id) for lane in lanes if lane.id not in own]
        if any(lock.locked() for lock in locks):
            raise CommandError("lane_busy", "Something is writing in one of these lanes. Try again in a moment.")
        async with contextlib.AsyncExitStack() as stack:
            for lock in locks:
                await stack.enter_async_context(lock)
            yield
