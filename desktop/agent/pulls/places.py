"""PullPlaces: the repository that holds a lane's pull requests, and who may be asked about it."""

from pathlib import Path
from typing import TYPE_CHECKING

from desktop.agent.core.ground import Ground
from desktop.agent.github.access import GitHubAccess
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.errors import GitError
from desktop.domain.github.values import GitHubError, read_only_reason
from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls.pull_request import ForgeProblem, PullLink, RepositoryFacts, RepositoryId
from desktop.records import dataclass
from desktop.services.github.remotes import Remote, chosen_remote, remotes_of

if TYPE_CHECKING:
    from desktop.services.github.client import GitHubClient


@dataclass(frozen=True)
class PullPlace:
    """Where requests of a lane go. `remote`: its name in git. `fork`: the person's own copy among the remotes, if they
    have one; their branches go there when they may not push to the repository itself. `read_only`: why nothing can be
    written, "" when it can."""

    remote: str
    client: "GitHubClient"
    facts: RepositoryFacts
    fork: Remote | None = None
    read_only: str = ""

    @property
    def repository(self) -> RepositoryId:
        """By its present name."""
        return self.facts.repository

    @property
    def owners(self) -> tuple[str, ...]:
        """Whose branches a request of the lane can have."""
        fork = self.fork.repository if self.fork is not None else None
        return (self.repository.owner, fork.owner) if fork is not None else (self.repository.owner,)

    @property
    def pushed_to(self) -> tuple[str, str]:
        """The remote that the lane's branch is pushed to, "" for none, and whose repository that is."""
        if self.facts.can_push and not self.facts.archived:
            return self.remote, self.repository.owner
        if self.fork is not None and self.fork.repository is not None:
            return self.fork.name, self.fork.repository.owner
        return "", ""


class PullPlaces:
    """All on the engine thread. `hosts`: those that the remotes of the open repository lie on, `names`: the remotes;
    both once `look` knows."""

    def __init__(self, ground: Ground, settings: SettingsKeeper, github: GitHubAccess) -> None:
        self._ground = ground
        self._settings = settings
        self.github = github
        self.hosts: frozenset[str] = frozenset()
        self.names: tuple[str, ...] = ()
        self._forks: dict[tuple[RepositoryId, RepositoryId], bool] = {}

    async def of(self, lane: Lane, link: PullLink) -> PullPlace:
        """Where the lane's request is, or will be, as GitHub tells it now.

        Raises:
            GitHubError: there is no such place, nobody is signed in there, or it could not be asked.
        """
        linked = link.repository if link.number else None  # its branch may follow another remote, such as a fork
        github = self.github
        client = await (github.client_of(linked) if linked else github.client_for(lane, remote=link.remote))
        if isinstance(client, ForgeProblem):
            if client.kind == "choose_remote":
                self.names = await self.github.remotes_for(lane)
            raise GitHubError(client)
        facts = await client.repositories.facts()
        remotes = await self._remotes(lane)
        named = next((one for one in remotes.values() if one.repository == linked), None) if linked else None
        chosen = named or remotes.get(link.remote)
        remote = chosen or await chosen_remote(Path(lane.worktree_path), lane.branch, remotes)
        host = self._settings.current.github_host(client.repository.host)
        read_only = read_only_reason(self.github.account(host), facts) if host is not None else ""
        name = remote.name if remote is not None else ""
        self.hosts |= {client.repository.host}
        return PullPlace(name, client, facts, await self._fork(remotes, client), read_only)

    async def _fork(self, remotes: dict[str, Remote], client: "GitHubClient") -> Remote | None:
        """The person's own copy of the repository among the remotes (lanes-P8). One of the same name is taken for it;
        of others GitHub is asked, once."""
        base, me = client.repository, client.viewer.casefold()
        mine = [
            (remote, there)
            for remote in remotes.values()
            if (there := remote.repository) is not None
            and there.host == base.host
            and there != base
            and there.owner.casefold() == me
        ]
        for remote, there in mine:
            if there.name == base.name:
                return remote
        for remote, there in mine:
            if await self._is_fork(client, there):
                return remote
        return None

    async def _is_fork(self, client: "GitHubClient", there: RepositoryId) -> bool:
        known = (client.repository, there)
        if known not in self._forks:
            try:
                self._forks[known] = await client.repositories.fork_named(there.name) is not None
            except GitHubError:
                return False
        return self._forks[known]

    async def look(self) -> None:
        """Find out on which hosts the remotes of the open repository lie. Asks nobody."""
        project = self._ground.project()
        if project is not None:
            remotes = await self._remotes_in(Path(project.path))
            self.names = tuple(remotes)
            self.hosts = frozenset(one.host for one in remotes.values() if one.repository is not None)

    def is_connected(self) -> bool:
        """Whether somebody is signed in to a host of the open repository. Asks nobody."""
        known = [one for one in self._settings.current.github if one.host in self.hosts]
        accounts = [(one, self.github.account(one)) for one in known]
        return any(
            account.state in ("connected", "offline") or (account.state in ("none", "checking") and bool(host.login))
            for host, account in accounts
        )

    async def _remotes(self, lane: Lane) -> dict[str, Remote]:
        return await self._remotes_in(Path(lane.worktree_path))

    async def _remotes_in(self, folder: Path) -> dict[str, Remote]:
        try:
            return await remotes_of(folder)
        except GitError:
            return {}
