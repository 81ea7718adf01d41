"""GitHubCommands: signing in to GitHub and out of it, and the hosts that count as one (lanes-G14 to lanes-G17)."""

import asyncio

from pydantic import SecretStr, ValidationError

from desktop.agent.core.commands import Handler
from desktop.agent.github.access import GitHubAccess
from desktop.config.settings import GITHUB, GitHubHost
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.github.commands import (
    LoadGitHub,
    RemoveGitHubHost,
    SaveGitHubHost,
    SignInWithDevice,
    SignInWithGh,
    SignInWithToken,
    SignOut,
    StopSignIn,
)
from desktop.domain.github.updates import SignInProgress, SignInStep
from desktop.domain.github.values import GitHubError, SignInSource
from desktop.services.github import lazy
from desktop.services.github.gh import gh_token
from desktop.services.github.hosts import address_of
from desktop.services.github.problems import CodeDenied, CodeExpired

ODD_TOKEN = "The token is empty, or holds blanks or odd characters. Paste the whole token."


class GitHubCommands:
    """All on the engine thread. A token is kept only after its host said whose it is. At most one sign-in by a code is
    under way for each host; it ends when a person stops it or signs in otherwise."""

    def __init__(self, access: GitHubAccess) -> None:
        self._access = access
        self._waiting: dict[str, asyncio.Task[None]] = {}

    def handlers(self) -> dict[type[Command], Handler]:
        """Its commands."""
        return {
            LoadGitHub: self._load,
            SignInWithToken: self._with_token,
            SignInWithGh: self._with_gh,
            SignInWithDevice: self._with_device,
            StopSignIn: self._stop,
            SignOut: self._sign_out,
            SaveGitHubHost: self._save_host,
            RemoveGitHubHost: self._remove_host,
        }

    def project_opened(self) -> None:
        """Nothing is asked before somebody looks."""

    async def close(self) -> None:
        """Ask no more whether a code was typed."""
        for host in list(self._waiting):
            await self._end(host)

    async def _load(self, command: LoadGitHub) -> None:
        hosts = self._access.settings.current.github
        for host in hosts:
            token, kept = await self._access.keys.github_token(host.host, host.login, address_of(host).api)
            if token is not None:
                self._access.changed(host, state="checking", kept=kept, problem="")
        self._access.tell()
        await asyncio.gather(*(self._access.look(host) for host in hosts))

    async def _with_token(self, command: SignInWithToken) -> None:
        host = self._host(command.host)
        await self._end(host.host)
        token = command.token.get_secret_value().strip()
        if not token or not token.isascii() or not token.isprintable() or " " in token:
            raise CommandError("bad_token", ODD_TOKEN)
        await self._tried(host, SecretStr(token), "token", command.command_id)

    async def _with_gh(self, command: SignInWithGh) -> None:
        host = self._host(command.host)
        await self._end(host.host)
        try:
            token = await gh_token(host.host, self._access.environment)
        except GitHubError as error:
            raise CommandError("no_gh", str(error)) from error
        await self._tried(host, token, "gh", command.command_id)

    async def _with_device(self, command: SignInWithDevice) -> None:
        host = self._host(command.host)
        if not self._access.client_id(host):
            raise CommandError("no_device", f"{host.host} cannot be signed in to by a code here. Paste a token.")
        await self._end(host.host)
        task = asyncio.create_task(self._device(host, command.command_id), name="github sign-in")
        self._waiting[host.host] = task
        task.add_done_callback(lambda done: self._ended(host.host, done))

    async def _stop(self, command: StopSignIn) -> None:
        if await self._end(command.host):
            self._say(command.host, "stopped", command.command_id, "Signing in was stopped. Nothing was changed.")

    async def _sign_out(self, command: SignOut) -> None:
        host = self._host(command.host)
        await self._end(host.host)
        await self._access.keys.remove_github_token(host.host, host.login)
        self._keep(host.model_copy(update={"login": "", "source": ""}))
        await self._access.forget(host.host)
        self._access.tell()

    async def _save_host(self, command: SaveGitHubHost) -> None:
        name = command.host.strip().lower()
        known = self._access.settings.current.github_host(name)
        if known is None:
            self._access.settings.save_github_hosts(
                (*self._access.settings.current.github, _checked(name, command.api_url))
            )
        else:
            _checked(name, command.api_url)
            self._keep(known.model_copy(update={"api_url": command.api_url.strip().rstrip("/")}))
            await self._end(name)
            await self._access.forget(name)
        await self._access.look(self._host(name))

    async def _remove_host(self, command: RemoveGitHubHost) -> None:
        host = self._host(command.host)
        if host.host == GITHUB.host:
            raise CommandError("github_host", "github.com stays in the list. Sign out of it instead.")
        await self._end(host.host)
        if host.login:
            await self._access.keys.remove_github_token(host.host, host.login)
        await self._access.forget(host.host)
        hosts = self._access.settings.current.github
        self._access.settings.save_github_hosts(tuple(one for one in hosts if one.host != host.host))
        self._access.tell()

    # Signing in

    async def _device(self, host: GitHubHost, command_id: str) -> None:
        flow = await lazy.device_flow(
            address_of(host), self._access.client_id(host), self._access.clock, self._access.pace.sleep
        )
        try:
            self._say(host.host, "asking", command_id, f"Asking {host.host} for a code…")
            code = await flow.code()
            text = f"Type this code on {code.address}."
            progress = SignInProgress(
                host=host.host,
                step="code",
                command_id=command_id,
                user_code=code.user_code,
                address=code.address,
                expires_at=code.expires_at,
                text=text,
            )
            self._access.publish(progress)
            await self._signed_in(host, await flow.token(code), "device", command_id)
        except GitHubError as error:
            self._say(host.host, _step_of(error), command_id, str(error))
        finally:
            await flow.close()

    async def _tried(self, host: GitHubHost, token: SecretStr, source: SignInSource, command_id: str) -> None:
        self._say(host.host, "asking", command_id, f"Asking {host.host} whose token this is…")
        try:
            await self._signed_in(host, token, source, command_id)
        except GitHubError as error:
            text = "The token is not accepted. Nothing was kept." if error.kind == "unauthorised" else str(error)
            self._say(host.host, "failed", command_id, text)

    async def _signed_in(self, host: GitHubHost, token: SecretStr, source: SignInSource, command_id: str) -> None:
        """Raises GitHubError: the host does not accept the token; what was kept before stays."""
        found = await self._access.trial(host, token)
        keys = self._access.keys
        if host.login and host.login != found.login:
            await keys.remove_github_token(host.host, host.login)
        api = address_of(host).api
        await keys.save_github_token(host.host, found.login, api, token)
        self._access.settings.know_secrets()
        host = host.model_copy(update={"login": found.login, "source": source})
        self._keep(host)
        await self._access.forget(host.host)
        kept = (await keys.github_token(host.host, host.login, api))[1]
        self._access.changed(
            host,
            state="connected",
            login=found.login,
            source=source,
            kept=kept,
            scopes=found.scopes,
            expires_at=found.expires_at,
            read_only=found.read_only,
            problem="",
        )
        self._say(host.host, "done", command_id, f"Signed in to {host.host} as {found.login}.")

    def _say(self, host: str, step: SignInStep, command_id: str, text: str) -> None:
        self._access.publish(SignInProgress(host=host, step=step, command_id=command_id, text=text))

    async def _end(self, host: str) -> bool:
        """Whether a sign-in by a code was under way; it is not any more."""
        task = self._waiting.pop(host, None)
        if task is None or task is asyncio.current_task():
            return False
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return True

    def _ended(self, host: str, task: "asyncio.Task[None]") -> None:
        if self._waiting.get(host) is task:
            del self._waiting[host]

    # Hosts

    def _host(self, name: str) -> GitHubHost:
        host = self._access.settings.current.github_host(name)
        if host is None:
            raise CommandError("github_host", f"{name} is no GitHub host here. Add it in Settings › GitHub.")
        return host

    def _keep(self, host: GitHubHost) -> None:
        hosts = self._access.settings.current.github
        self._access.settings.save_github_hosts(tuple(host if one.host == host.host else one for one in hosts))


def _step_of(error: GitHubError) -> SignInStep:
    """What came of a sign-in by a code."""
    if isinstance(error, CodeExpired):
        return "expired"
    return "denied" if isinstance(error, CodeDenied) else "failed"


def _checked(host: str, api_url: str) -> GitHubHost:
    """Raises CommandError for what is no host or no safe address."""
    try:
        return GitHubHost(host=host, api_url=api_url)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        code = "github_address" if "api_url" in first["loc"] else "github_host"
        raise CommandError(code, first["msg"].removeprefix("Value error, ")) from error
