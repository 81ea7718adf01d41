"""PullFork: the person's own fork as a remote, for branches that they may not push to the repository (lanes-P8)."""

from pathlib import Path

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish
from desktop.agent.lanes.base import LaneActs
from desktop.agent.pulls.book import PullBook
from desktop.agent.pulls.places import PullPlace
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.pulls.commands import UseOwnFork
from desktop.domain.pulls.pull_request import OwnFork
from desktop.domain.pulls.updates import OwnForkUsed
from desktop.services.git.login import Login
from desktop.services.git.run import Git
from desktop.services.github.remotes import is_ssh, parse_remote, remotes_of
from desktop.services.lanes.making.fetch import fetch

USE_FORK = "use_fork"
"""The name of what the window offers to somebody who has a fork that is no remote yet."""
_NAMES = ("fork", *(f"fork-{number}" for number in range(2, 10)))


def no_way(place: PullPlace, fork: OwnFork | None) -> tuple[str, str]:
    """Why a branch can be pushed nowhere, and what the window may offer against it, "" for nothing."""
    may_not = f"You may not push to {place.repository.slug}."
    if fork is None:
        return f"{may_not} Fork it on {place.repository.host}; your branches can go there then.", ""
    return f"{may_not} The branch can go to your fork, {fork.repository.slug}, and be proposed from there.", USE_FORK


class PullFork:
    """All on the engine thread."""

    def __init__(self, ground: Ground, publish: Publish, acts: LaneActs, login: Login, book: PullBook) -> None:
        self._ground = ground
        self._publish = publish
        self._acts = acts
        self._login = login
        self._book = book

    def handlers(self) -> dict[type[Command], Handler]:
        """One command."""
        return {UseOwnFork: self._use}

    async def _use(self, command: UseOwnFork) -> None:
        """Raises CommandError, GitError, GitHubError: the repository has the remotes that it had."""
        lane = self._ground.lane(command.lane_id)
        place = await self._book.place(lane)
        if place.fork is not None and place.fork.repository is not None:
            name, slug = place.fork.name, place.fork.repository.slug
        else:
            fork = await place.client.repositories.own_fork()
            if fork is None:
                raise CommandError("no_fork", no_way(place, None)[0])
            name, slug = await self._added(lane.project_id, lane.id, place, fork), fork.repository.slug
            folder = Path(lane.worktree_path)
            await fetch(folder, name, lane.branch, login=self._login)  # what it has of the branch
        self._publish(OwnForkUsed(command_id=command.command_id, lane_id=lane.id, repository=slug, remote=name))

    async def _added(self, project_id: str, lane_id: str, place: PullPlace, fork: OwnFork) -> str:
        """The name of the new remote, which is reached as the repository itself is: by ssh or by https."""
        async with self._acts.use.repository(project_id):
            git = Git(Path(self._ground.the_project().path))
            ours = (await git.run("remote", "get-url", "--push", "--", place.remote)).stdout.strip()
            address = fork.ssh if is_ssh(ours) else fork.https
            if parse_remote(address) != fork.repository:
                told = f"{place.repository.host} gave no usable address of {fork.repository.slug}."
                raise CommandError("odd_address", f"{told} Add it with git remote add.")
            taken = await remotes_of(git.folder)
            name = next((one for one in _NAMES if one not in taken), "")
            if not name:
                raise CommandError("no_name", "This repository has a remote of each name from fork to fork-9.")
            intent = self._acts.log.operation("add_remote", lane_id, remote=name, address=address)
            async with intent as operation:
                await git.run("remote", "add", "--", name, address)
                operation.text = f"{fork.repository.slug} is the remote {name} now."
        return name
