"""Lanes: the record of every lane, kept before, during and after its worktree is made."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from desktop.agent.core.lane_lock import LaneLock
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.ids import new_lane_id
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.names import BRANCH_PREFIX
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.trees.fresh_index import FreshIndex
from desktop.services.lanes.making.plan import LaneWish, plan_lane
from desktop.services.lanes.making.spare import SpareFiles
from desktop.services.lanes.making.start import (
    claim,
    fill,
    finish_creation,
    keep_changes,
    make_worktree,
    settled,
    take_back,
)
from desktop.services.processes.session import Processes
from desktop.store.core.lanes import LaneStore

MAX_FRESH = 16
"""Lanes in which no chat began, of which is kept what Git wrote: some MiB each."""

AfterMade = Callable[[Lane, bool], Awaitable[None]]


@dataclass(frozen=True)
class MadeLane:
    """A lane that is there now, and sentences about what did not go as wished."""

    lane: Lane
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Workplace:
    """What a chat works with in its lane. `write_lock`: held while something changes the lane; all sessions of one lane
    have the same. `git_sha256`: Git's settings as the chat found them. `aside`: where what a command planted in a
    protected place goes."""

    files: LaneFiles
    processes: Processes
    write_lock: LaneLock
    git_sha256: str
    aside: Path


class Lanes:
    """Lanes of all projects. `root`: where their worktrees stand; never inside a repository. `prefix`: what their
    branches begin with. `spare`: files for the next lane that a chat gets as its own, if it begins with them.

    `after_made`: each is told of a lane that was just made, and whether its setup is wanted, before anybody works in
    it; none of them may raise. `before_discarded`: each ends what it began in a lane that is taken back.
    """

    def __init__(
        self,
        store: LaneStore,
        root: Path,
        clock: Callable[[], datetime],
        prefix: Callable[[], str] = lambda: BRANCH_PREFIX,
        spare: SpareFiles | None = None,
    ) -> None:
        self._store = store
        self.root = root
        self._clock = clock
        self._prefix = prefix
        self.spare = spare
        self._repositories: dict[str, asyncio.Lock] = {}
        self._fresh: dict[str, FreshIndex] = {}
        self.after_made: list[AfterMade] = []
        self.before_discarded: list[Callable[[str], Awaitable[None]]] = []

    def repository(self, project_id: str) -> asyncio.Lock:
        """Held while refs or worktrees of a repository are changed."""
        return self._repositories.setdefault(project_id, asyncio.Lock())

    def get(self, lane_id: str) -> Lane | None:
        """The lane of that id, None if there is none."""
        return self._store.get(lane_id)

    def of_project(self, project_id: str) -> list[Lane]:
        """The lanes of a project that are in use."""
        return [lane for lane in self._store.of_project(project_id) if lane.state in ("active", "broken")]

    def all_of_project(self, project_id: str) -> list[Lane]:
        """Every lane of a project that was ever recorded, in whatever state, oldest first."""
        return self._store.of_project(project_id)

    def known(self, project_id: str) -> list[Lane]:
        """Every lane of a project that is not deleted, oldest first."""
        return [lane for lane in self._store.of_project(project_id) if lane.state != "deleted"]

    def save(self, lane: Lane) -> None:
        """Keep what is now known of a lane; on the disk when this returns.

        Raises:
            StoreError: it was not kept.
        """
        self._store.save(lane)

    async def primary(self, project: Project) -> Lane:
        """The lane that is the person's own checkout; recorded at the first call."""
        known = next((lane for lane in self._store.of_project(project.id) if lane.type == "primary"), None)
        found = Path(project.path).stat()
        lane = Lane(
            id=known.id if known is not None else new_lane_id(),
            project_id=project.id,
            name=project.name,
            type="primary",
            branch=project.branch,
            worktree_path=project.path,
            device=found.st_dev,
            inode=found.st_ino,
            created_at=known.created_at if known is not None else self._clock(),
        )
        self._store.save(lane)
        return lane

    async def create(self, project: Project, name: str, start: tuple[str, str] | None = None) -> Lane:
        """A new worktree on a new branch, for a chat that begins; `name` may be changed to be free.

        `start`: name and commit that it begins at, None: the repository's default branch.

        Raises:
            LaneError: with the step that failed and git's words; nothing of the lane is left.
        """
        wish = LaneWish(suggested=name or "lane", start=start, allow_behind=True)
        return (await self.make(project, wish, for_new_chat=start is None)).lane

    async def make(
        self, project: Project, wish: LaneWish, *, run_setup: bool = True, for_new_chat: bool = False
    ) -> MadeLane:
        """A lane as somebody wants it. Its record is on disk first, as `creating`. Others are made
        while its files come. `for_new_chat`: the spare files may be its own, and are gone then.

        Raises:
            LaneError: with the step that failed and git's words; nothing of the lane is left.
        """
        wish = replace(wish, prefix=self._prefix())
        async with self.repository(project.id):  # two at once would choose the same branch and folder
            plan = await plan_lane(project, wish, self.root, self.known(project.id), self._clock())
            self._store.save(plan.lane)
            with self._deleted_on_failure(plan.lane):
                if wish.changes == "none":
                    await claim(project, plan.lane)
                else:
                    await keep_changes(project, plan.lane, wish)
                    self._store.save(lane := await make_worktree(project, plan.lane, move=wish.changes == "move"))
                    await settled(project, lane)
        if wish.changes == "none":
            with self._deleted_on_failure(plan.lane):
                spare = None
                if for_new_chat:
                    spare, self.spare = self.spare, None
                lane, fresh = await fill(project, plan.lane, alone=self.repository(project.id), spare=spare)
            self._store.save(lane)
            self._note(lane.id, fresh)
        await self.tell_made(lane, run_setup)
        return MadeLane(self._store.get(lane.id) or lane, plan.notices)

    async def finish(self, project: Project, lane: Lane) -> Lane:
        """Make the lane of a record that a crash left at `creating`.

        Raises:
            LaneError: it cannot be made; the record stays as it is.
        """
        async with self.repository(project.id):
            made = await finish_creation(project, lane)
            self._store.save(made)
            await settled(project, made)
        await self.tell_made(made, run_setup=True)
        return self._store.get(made.id) or made

    async def discard(self, project: Project, lane: Lane, *, later: bool = False) -> None:
        """Take back a lane before anything worked in it. `later`: it is one that a crash left at `creating`.

        Raises:
            LaneError: its folder holds work (only with `later`), or it could not be taken back.
        """
        for end in self.before_discarded:
            await end(lane.id)
        async with self.repository(project.id):
            await take_back(project, lane, later=later)
            self._store.save(lane.model_copy(update={"state": "deleted"}))

    def take_fresh(self, lane_id: str) -> FreshIndex | None:
        """What Git wrote when it made this lane, for the first look at it; None the second time."""
        return self._fresh.pop(lane_id, None)

    def _note(self, lane_id: str, fresh: FreshIndex | None) -> None:
        if fresh is not None:
            self._fresh[lane_id] = fresh
            while len(self._fresh) > MAX_FRESH:
                del self._fresh[next(iter(self._fresh))]

    @contextlib.contextmanager
    def _deleted_on_failure(self, lane: Lane) -> Iterator[None]:
        try:
            yield
        except BanksmanError:
            self._store.save(lane.model_copy(update={"state": "deleted"}))
            raise

    async def tell_made(self, lane: Lane, run_setup: bool) -> None:
        """A lane is there that was not there before; it gets what lanes get."""
        for told in self.after_made:
            await told(lane, run_setup)
