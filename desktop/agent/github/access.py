"""GitHubAccess: who is signed in where, and a client for the repository of a lane, or why there is none."""

import asyncio
import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from desktop.agent.core.session import Publish
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.config.settings import GitHubHost
from desktop.domain.core.errors import GitError
from desktop.domain.github.updates import GitHubChanged, RateLimited
from desktop.domain.github.values import GitHubAccount, GitHubError
from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls.pull_request import ForgeProblem, RepositoryId
from desktop.records import dataclass
from desktop.services.github import lazy
from desktop.services.github.gh import find_gh, gh_token
from desktop.services.github.hosts import Address, address_of
from desktop.services.github.limits import LimitWatch
from desktop.services.github.pace import USUAL_PACE, Pace
from desktop.services.github.problems import NOT_ACCEPTED
from desktop.services.github.remotes import remotes_of, repository_of
from desktop.services.settings.keys import GITHUB_ADDRESS, KeyStore

if TYPE_CHECKING:
    from desktop.services.github.account import WhoAmI
    from desktop.services.github.client import GitHubClient
    from desktop.services.github.transport import Transport

CLIENT_ID = ""
"""Of the app that this build is registered as on github.com; "": signing in by a code is not offered there."""


@dataclass
class _Connection:
    """A connection to one host for one token."""

    token: str
    address: Address
    transport: "Transport"


class GitHubAccess:
    """All on the engine's loop. Nothing is asked of a host before somebody needs it, and no network library is loaded.

    `environment`: of this program, for finding `gh`. `refused`: hosts whose token was not accepted; they are asked
    nothing more until a person signs in again.
    """

    def __init__(
        self,
        settings: SettingsKeeper,
        publish: Publish,
        clock: Callable[[], datetime],
        *,
        pace: Pace = USUAL_PACE,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.settings = settings
        self.publish = publish
        self.clock = clock
        self.pace = pace
        self.environment = os.environ if environment is None else environment
        self._accounts: dict[str, GitHubAccount] = {}
        self._watches: dict[str, LimitWatch] = {}
        self._connections: dict[str, _Connection] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._names: dict[RepositoryId, RepositoryId] = {}
        self._looking: set[asyncio.Task[None]] = set()

    # For those who work with repositories

    def keep_waiting(self, host: str, until: datetime) -> None:
        """This host wanted to be asked nothing before then, when this program ran last."""
        self._watch(host).resume(until)

    async def client_for(self, lane: Lane, *, remote: str = "") -> "GitHubClient | ForgeProblem":
        """A client for the repository that requests of this lane belong to, or why there is none. Asks nothing of the
        host, but for whose the token of the environment is. `remote`: the one that a person chose."""
        repository = await self.repository_for(lane, remote=remote)
        return repository if isinstance(repository, ForgeProblem) else await self.client_of(repository)

    async def repository_for(self, lane: Lane, *, remote: str = "") -> RepositoryId | ForgeProblem:
        """The repository that requests of this lane belong to, by its remotes alone."""
        hosts = frozenset(one.host for one in self.settings.current.github)
        return await repository_of(Path(lane.worktree_path), lane.branch, hosts, remote=remote)

    async def remotes_for(self, lane: Lane) -> tuple[str, ...]:
        """The names of the lane's remotes, to choose from."""
        try:
            return tuple(await remotes_of(Path(lane.worktree_path)))
        except GitError:
            return ()

    async def client_of(self, repository: RepositoryId) -> "GitHubClient | ForgeProblem":
        """A client for this repository, by its present name once that is known, or why there is none."""
        host = self.settings.current.github_host(repository.host)
        if host is None:
            return ForgeProblem(kind="other_host", text=f"{repository.host} is not a GitHub host.")
        try:
            transport = await self.connected(host)
        except GitHubError as error:
            return error.problem
        if transport is None:
            return ForgeProblem(kind="not_connected", text=f"Connect {host.host} to see and open pull requests.")
        account = self.account(host)
        if account.state == "expired":
            return ForgeProblem(kind="unauthorised", text=NOT_ACCEPTED)
        known = self._names.get(repository, repository)
        return await lazy.client_of(transport, known, account.login, lambda now: self._names.update({repository: now}))

    async def git_token(self, host: str) -> SecretStr | None:
        """The token for git over https to a connected host, None: git uses the person's own login (lanes-G18)."""
        found = self.settings.current.github_host(host)
        if found is None or self.account(found).state == "expired":
            return None
        return await self._token(found)

    @property
    def keys(self) -> KeyStore:
        """Where tokens are."""
        return self.settings.keys

    def account(self, host: GitHubHost) -> GitHubAccount:
        """How this program stands with a host, as far as it is known."""
        known = self._accounts.get(host.host)
        if known is None:
            api = address_of(host).api
            given = self.keys.has_github_variable and not host.login and api == GITHUB_ADDRESS
            known = GitHubAccount(
                host=host.host,
                api_url=api,
                login=host.login,
                state="connected" if given else "none",
                source="environment" if given else "",
                kept="environment" if given else "none",
            )
        return known.model_copy(update={"device": bool(self.client_id(host))})

    # For the commands that sign in and out

    def client_id(self, host: GitHubHost) -> str:
        """Of the app for signing in by a code, "": that is not offered."""
        return host.client_id or (CLIENT_ID if host.host == "github.com" and not host.api_url else "")

    def changed(self, host: GitHubHost, **values: object) -> None:
        """Something about a host is known now; the windows are told."""
        self._accounts[host.host] = self.account(host).model_copy(update=values)
        self.tell()

    def tell(self) -> None:
        """Tell the windows how every host stands."""
        accounts = tuple(self.account(host) for host in self.settings.current.github)
        gh = find_gh(self.environment) is not None
        self.publish(GitHubChanged(accounts=accounts, gh=gh, keyring_problem=self.keys.problem))

    async def forget(self, host: str) -> None:
        """Nothing is known of this host any more; its connection ends."""
        self._accounts.pop(host, None)
        connection = self._connections.pop(host, None)
        if connection is not None:
            await connection.transport.close()

    async def connected(self, host: GitHubHost) -> "Transport | None":
        """The connection to a host for its present token, None without a token. At the first one it is looked whose
        token that is: waiting for it if nobody knows, beside everything else if it is known.

        Raises:
            GitHubError: whose it is could not be told.
        """
        token = await self._token(host)
        if token is None:
            return None
        async with self._locks.setdefault(host.host, asyncio.Lock()):
            transport = await self._transport(host, token)
            account = self.account(host)
            if not account.login and account.state != "expired":
                await self._look(host, transport)
            elif host.host not in self._accounts:
                self._accounts[host.host] = account.model_copy(update={"state": "connected"})
                task = asyncio.create_task(self.look(host), name="github")
                self._looking.add(task)
                task.add_done_callback(self._looking.discard)
        return transport

    async def look(self, host: GitHubHost) -> None:
        """Find out whose the host's token is and what it may do; never raises, the account says what failed."""
        token = await self._token(host)
        if token is None:
            self._accounts.pop(host.host, None)
            self.tell()
            return
        with contextlib.suppress(GitHubError):  # the account says so
            await self._look(host, await self._transport(host, token))

    async def trial(self, host: GitHubHost, token: SecretStr) -> "WhoAmI":
        """Whose this token is, which is kept nowhere yet.

        Raises:
            GitHubError: the host refuses it, or did not answer.
        """
        transport = await lazy.connect(address_of(host), token, self._watch(host.host), self.pace)
        try:
            return await lazy.who_am_i(transport)
        finally:
            await transport.close()

    async def close(self) -> None:
        """End every connection."""
        for task in list(self._looking):
            task.cancel()
        await asyncio.gather(*self._looking, return_exceptions=True)
        for host in list(self._connections):
            await self.forget(host)

    async def _look(self, host: GitHubHost, transport: "Transport") -> None:
        token = await self.keys.github_token(host.host, host.login, address_of(host).api)
        source = host.source if host.login else "environment"
        try:
            found = await lazy.who_am_i(transport)
        except GitHubError as error:
            state = {"unauthorised": "expired", "offline": "offline"}.get(error.kind, "connected")
            self.changed(host, state=state, kept=token[1], source=source, problem=str(error))
            raise
        self.changed(
            host,
            state="connected",
            login=found.login,
            scopes=found.scopes,
            expires_at=found.expires_at,
            read_only=found.read_only,
            kept=token[1],
            source=source,
            problem="",
        )

    async def _transport(self, host: GitHubHost, token: SecretStr) -> "Transport":
        address = address_of(host)
        known = self._connections.get(host.host)
        if known is not None and (known.token, known.address) == (token.get_secret_value(), address):
            return known.transport
        transport = await lazy.connect(
            address, token, self._watch(host.host), self.pace, lambda: self._renewed(host.host)
        )
        if known is not None:
            await known.transport.close()
        self._connections[host.host] = _Connection(token.get_secret_value(), address, transport)
        return transport

    async def _token(self, host: GitHubHost) -> SecretStr | None:
        return (await self.keys.github_token(host.host, host.login, address_of(host).api))[0]

    async def _renewed(self, name: str) -> SecretStr | None:
        """Another token in place of one that was refused: only `gh` may have one. None: a person has to sign in."""
        host = self.settings.current.github_host(name)
        connection = self._connections.get(name)
        if host is None or connection is None:
            return None
        if host.source == "gh" and host.login:
            try:
                token = await gh_token(name, self.environment)
                if token.get_secret_value() != connection.token and (await self.trial(host, token)).login == host.login:
                    await self.keys.save_github_token(name, host.login, connection.address.api, token)
                    self._connections[name] = replace(connection, token=token.get_secret_value())
                    return token
            except GitHubError:
                pass  # the sentence below says what to do
        self.changed(host, state="expired", problem=NOT_ACCEPTED)
        return None

    def _watch(self, host: str) -> LimitWatch:
        if host not in self._watches:
            self._watches[host] = LimitWatch(host, self.clock, lambda state: self.publish(RateLimited(state=state)))
        return self._watches[host]
