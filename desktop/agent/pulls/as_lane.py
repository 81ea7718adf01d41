"""PullAsLane: a request of the repository, or of a fork, as a lane of its own (lanes-P2)."""

import asyncio
from dataclasses import replace
from pathlib import Path

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground, Telling
from desktop.agent.core.lane_register import MadeLane
from desktop.agent.lanes.maker import LaneMaker
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.pulls.book import PullBook
from desktop.agent.pulls.places import PullPlace
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError, LaneError
from desktop.domain.lanes.updates import LaneCreated
from desktop.domain.pulls.commands import OpenPullAsLane
from desktop.domain.pulls.pull_request import PullLink, PullRequest
from desktop.services.git.base_branches import merge_base
from desktop.services.git.login import Login
from desktop.services.git.run import Git
from desktop.services.git.trees.merge import commit_id
from desktop.services.lanes.making.fetch import fetch
from desktop.services.lanes.making.plan import LaneWish

MAX_NAME = 60
_FETCHED = "refs/banksman/pull"


class PullAsLane:
    """All on the engine thread."""

    def __init__(
        self, ground: Ground, telling: Telling, log: ProjectLog, login: Login, book: PullBook, maker: LaneMaker
    ) -> None:
        self._ground = ground
        self._telling = telling
        self._log = log
        self._login = login
        self._book, self._maker = book, maker
        self._under_way: set[str] = set()

    def handlers(self) -> dict[type[Command], Handler]:
        """One command."""
        return {OpenPullAsLane: self._open}

    async def _open(self, command: OpenPullAsLane) -> None:
        if command.new_lane_id in self._under_way:
            return
        if self._ground.lanes.get(command.new_lane_id) is not None:
            raise CommandError("lane_exists", "This lane exists already.")
        self._under_way.add(command.new_lane_id)
        try:
            place = await self._book.place(self._ground.lane(command.lane_id))
            pull = await place.client.pulls.one(command.number)
            async with self._log.operation(
                "open_pull_as_lane", command.new_lane_id, number=pull.number, head=pull.head_oid
            ) as operation:
                made = await self._made(command, place, pull)
                operation.text = f"Created lane '{made.lane.name}' on {made.lane.branch}."
        finally:
            self._under_way.discard(command.new_lane_id)
            self._telling.listed()
        self._telling.publish(LaneCreated(command_id=command.command_id, lane=made.lane, notices=made.notices))

    async def _made(self, command: OpenPullAsLane, place: PullPlace, pull: PullRequest) -> MadeLane:
        project = self._ground.the_project()
        git = Git(Path(project.path))
        wish = LaneWish(suggested=f"PR {pull.number} {pull.title}"[:MAX_NAME], lane_id=command.new_lane_id)
        own = pull.head_repository is not None and pull.head_repository.slug == place.repository.slug
        kept = ""
        notices: tuple[str, ...] = ()
        if own:
            await self._fetch(place.remote, pull.head)
            local = await asyncio.to_thread(commit_id, git, f"refs/heads/{pull.head}")
            if local and local != pull.head_oid:
                notices = (f"The branch {pull.head} here is not at the commit of #{pull.number}.",)
            base = pull.head if local else f"{place.remote}/{pull.head}"
            wish = replace(wish, existing_branch=True, base=base, allow_behind=True)
        else:
            kept = f"{_FETCHED}/{command.new_lane_id}"
            await self._fetch(place.remote, "", f"+refs/pull/{pull.number}/head:{kept}")
            oid = await asyncio.to_thread(commit_id, git, kept)
            wish = replace(wish, start=(f"pull/{pull.number}/head", oid))
        try:
            made = await self._maker.make(project, wish)
        finally:
            if kept:
                await git.run("update-ref", "-d", kept, check=False)
        return await self._linked(made, place, pull, notices)

    async def _linked(self, made: MadeLane, place: PullPlace, pull: PullRequest, notices: tuple[str, ...]) -> MadeLane:
        """The lane belongs to the request, and is measured against what that is to be merged into."""
        git = Git(Path(made.lane.worktree_path))
        await fetch(git.folder, place.remote, pull.base, login=self._login)
        base_ref = f"{place.remote}/{pull.base}"
        base = await asyncio.to_thread(commit_id, git, f"refs/remotes/{base_ref}")
        lane = self._ground.lanes.get(made.lane.id) or made.lane
        if base:
            fork = await merge_base(git, base, "HEAD")
            lane = lane.model_copy(update={"base_ref": base_ref, "base_oid": fork or lane.base_oid})
        lane = lane.model_copy(update={"pr_number": pull.number})
        self._ground.lanes.save(lane)
        self._book.save_link(
            PullLink(lane_id=lane.id, repository=place.repository, number=pull.number, branch=lane.branch)
        )
        return MadeLane(lane, (*made.notices, *notices))

    async def _fetch(self, remote: str, branch: str, spec: str = "") -> None:
        folder = Path(self._ground.the_project().path)
        if problem := await fetch(folder, remote, branch, spec=spec, login=self._login):
            raise LaneError(problem)
