"""LaneMaker: makes lanes for people and agents alike: fetches what a lane begins at, then has it made."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from desktop.agent.core.lane_register import Lanes, MadeLane
from desktop.agent.core.session import Session
from desktop.domain.core.errors import GitError, LaneError
from desktop.domain.core.work import Project
from desktop.domain.lanes.lane import Lane
from desktop.records import dataclass
from desktop.services.git.base_branches import Base, default_base, find_base
from desktop.services.git.login import Login, no_login
from desktop.services.git.reader import RepoReader
from desktop.services.git.run import Git
from desktop.services.lanes.making.fetch import fetch
from desktop.services.lanes.making.plan import LaneWish
from desktop.services.projects import open_project
from desktop.tools.tool import NewLane, WantedLane

FRESH_FOR = timedelta(seconds=60)


@dataclass(frozen=True)
class Fetched:
    """When a remote was asked last, and why it did not answer, "" when it did."""

    at: datetime
    problem: str = ""


class LaneMaker:
    """All on the engine thread. What was fetched within the last minute is not fetched again. `listed` is called when
    an agent made a lane, so that it is shown at once; `login` gives tokens of connected hosts."""

    def __init__(
        self, lanes: Lanes, clock: Callable[[], datetime], listed: Callable[[], None], login: Login = no_login
    ) -> None:
        self._lanes = lanes
        self._login = login
        self._clock = clock
        self.listed = listed
        self._fetched: dict[tuple[str, str, str], Fetched] = {}
        self._asking: dict[tuple[str, str, str], asyncio.Task[str]] = {}

    async def make(self, project: Project, wish: LaneWish, *, run_setup: bool = True) -> MadeLane:
        """The lane, begun at the newest that is known of its base.

        Raises:
            LaneError: with what failed and what to do; nothing of the lane is left.
        """
        if wish.parent is None and wish.changes == "none" and wish.start is None:
            wish = replace(wish, offline=await self.freshen(project, wish.base))
        return await self._lanes.make(project, wish, run_setup=run_setup)

    async def for_chat(self, session: Session, wanted: WantedLane) -> NewLane:
        """A lane that an agent asked for, in the repository of its chat.

        Raises:
            LaneError, CommandError: as `make`; or there is no such parent.
        """
        project = await open_project(Path(session.state.project_path))
        wish = LaneWish(
            name=wanted.name,
            description=wanted.description,
            base=wanted.base,
            parent=self._parent(project, wanted.parent),
            allow_behind=wanted.allow_behind,
            created_by=session.session_id,
        )
        made = await self.make(project, wish)
        lane = made.lane
        self.listed()
        return NewLane(
            lane_id=lane.id,
            name=lane.name,
            branch=lane.branch,
            base=lane.base_ref,
            base_oid=lane.base_oid,
            notices=made.notices,
        )

    def _parent(self, project: Project, wanted: str) -> Lane | None:
        if not wanted:
            return None
        for lane in self._lanes.known(project.id):
            if wanted == lane.id or wanted.casefold() == lane.name.casefold():
                return lane
        raise LaneError(f'There is no lane "{wanted}". Name one that exists, or leave parent_lane out.')

    async def start_for(self, project: Project, base: str) -> tuple[tuple[str, str], tuple[str, ...]]:
        """Name and commit of a base for several lanes, the newest that is known; and sentences about it."""
        offline = await self.freshen(project, base)
        git = Git(Path(project.path))
        found = await (find_base(git, base) if base else default_base(git, project.branch))
        return (found.name, found.oid), (f"{offline}.",) if offline else ()

    async def freshen(self, project: Project, base: str) -> str:
        """Fetch the remote-tracking branch of a base, "" being the default one. Why it could not be fetched, "" when it
        was, or when nothing has to be."""
        git = Git(Path(project.path))
        try:
            remotes = await asyncio.to_thread(RepoReader(git.folder).remotes)
            remote, branch = await self._remote_of(git, project, base, remotes)
        except GitError as error:
            return str(error)
        return await self.fetch(project, remote, branch) if remote in remotes else ""

    async def fetch(self, project: Project, remote: str, branch: str = "") -> str:
        """Fetch a branch of a remote, or all of it, unless that was just done. Why it could not be done, or ""."""
        key = (project.id, remote, branch)
        for known in (self._fetched.get(key), self._fetched.get((project.id, remote, ""))):
            if known is not None and self._clock() - known.at < FRESH_FOR:
                return known.problem
        asking = self._asking.get(key)
        if asking is None:
            asking = asyncio.create_task(self._fetch(project, key), name="fetch")
            self._asking[key] = asking
        return await asyncio.shield(asking)

    async def close(self) -> None:
        """Give up what is being fetched."""
        asking = list(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    def project_opened(self) -> None:
        """Nothing is fetched before somebody asks for it."""

    async def _fetch(self, project: Project, key: tuple[str, str, str]) -> str:
        try:
            problem = await fetch(Path(project.path), key[1], key[2], login=self._login)
            self._fetched[key] = Fetched(self._clock(), problem)
            return problem
        finally:
            self._asking.pop(key, None)

    async def _remote_of(self, git: Git, project: Project, base: str, remotes: list[str]) -> tuple[str, str]:
        """The remote that knows more about a base, and its branch there; blank when none does."""
        first, _, rest = base.partition("/")
        if first in remotes and rest:
            return first, rest
        try:
            found: Base = await (find_base(git, base) if base else default_base(git, project.branch))
        except LaneError:
            return "", ""
        name = found.name if found.kind == "remote" else found.upstream
        return name.partition("/")[0], name.partition("/")[2]
