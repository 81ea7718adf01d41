"""Signing in to GitHub and out of it, by an engine that talks to the stand-in."""

import asyncio
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import keyring
import pytest
import pytest_asyncio
from keyring.backends.fail import Keyring as NoKeyring
from pydantic import SecretStr

from desktop.agent.options import EngineOptions
from desktop.config.settings import GITHUB, GitHubHost
from desktop.config.settings_file import load_settings, save_settings
from desktop.domain.core.clock import utc_now
from desktop.domain.core.command import Command
from desktop.domain.github import commands as c
from desktop.domain.github.updates import GitHubChanged, SignInProgress
from desktop.domain.github.values import GitHubAccount, GitHubError
from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls.pull_request import ForgeProblem, RepositoryId
from desktop.domain.updates import CommandFailed
from desktop.services.git.run import Git
from desktop.services.github.pace import Pace
from tests.agent.rig import Rig, folders_below, make_repository, write_settings
from tests.fakes.github import faults
from tests.fakes.github.stand_in import FakeGitHub
from tests.services.settings.test_keys import DictKeyring

pytestmark = pytest.mark.asyncio

GH = """#!/bin/sh
[ "$*" = "auth token --hostname $(cat "$HOME/gh-host")" ] || exit 1
[ -z "$GITHUB_TOKEN$GH_TOKEN$BANKSMAN_TEST" ] || exit 1
cat "$HOME/gh-token"
"""


class Ground:
    """An engine with a repository whose remote is the stand-in. `waits`: what a sign-in by a code waited for; each wait
    ends when `go` is called."""

    def __init__(self, github: FakeGitHub, folder: Path) -> None:
        self.github = github
        self.folder = folder
        self.waits: list[float] = []
        self._turns = asyncio.Semaphore(0)
        folders = folders_below(folder / "home")
        repo = github.add_repo("octo/app")
        repository = make_repository(folder / "shop")
        Git(repository).run_now("remote", "add", "origin", repo.clone_url)
        write_settings(folders, "http://127.0.0.1:1")
        host = GitHubHost(host=github.host, client_id=github.device.client_id)
        settings = load_settings(folders.settings_file)
        save_settings(folders.settings_file, settings.model_copy(update={"github": (*settings.github, host)}))
        self.repository = repository
        self.lane = Lane(
            id="ln_1", project_id="prj_1", name="shop", branch="main", worktree_path=str(repository), device=0, inode=0,
            created_at=datetime.now(UTC),
        )  # fmt: skip
        self.clock_ahead = timedelta()
        pace = Pace(retry_s=(), write_every_s=0.0, sleep=self._wait)
        self.rig = Rig(folders, EngineOptions(github_pace=pace), lambda: utc_now() + self.clock_ahead)

    async def _wait(self, seconds: float) -> None:
        if seconds:
            self.waits.append(seconds)
            await self._turns.acquire()

    def go(self, *steps: str) -> None:
        """The next questions are answered so."""
        self.github.device.steps.extend(steps)
        for _ in steps:
            self._turns.release()

    async def start_again(self) -> None:
        """Another process over the same files."""
        await self.rig.engine.stop()
        options = EngineOptions(github_pace=Pace(retry_s=(), sleep=self._wait))
        self.rig = await Rig(self.rig.folders, options).open(self.repository)

    async def send(self, command: Command) -> str:
        """What the person is told when it failed, "" when it did not."""
        await self.rig.engine.handle(command)  # type: ignore[arg-type]  # one of the union
        failed = [one for one in self.rig.updates if isinstance(one, CommandFailed)]
        return next((one.text for one in failed if one.command_id == command.command_id), "")

    async def sign_in(self, token: str = "") -> None:
        command = c.SignInWithToken(host=self.github.host, token=SecretStr(token or self.github.token))
        assert await self.send(command) == ""

    @property
    def account(self) -> GitHubAccount:
        """How the stand-in was told last."""
        told = [one for one in self.rig.updates if isinstance(one, GitHubChanged)][-1]
        return next(one for one in told.accounts if one.host == self.github.host)

    @property
    def told(self) -> bool:
        """Whether anything was told of the hosts yet."""
        return any(isinstance(one, GitHubChanged) for one in self.rig.updates)

    @property
    def steps(self) -> list[SignInProgress]:
        """All steps of signing in, in order."""
        return [one for one in self.rig.updates if isinstance(one, SignInProgress)]

    async def step(self, name: str) -> SignInProgress:
        """The last step, when it is this one."""
        return await self.rig.until(lambda _: self.steps[-1] if self.steps and self.steps[-1].step == name else None)

    async def client(self) -> str:
        """Whose repository a client is for, or why there is none."""
        found = await self.rig.engine.parts.github.client_for(self.lane)
        if isinstance(found, ForgeProblem):
            return found.kind
        return f"{found.viewer} {found.repository.slug}"


@pytest_asyncio.fixture
async def ground(github: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Ground]:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("BANKSMAN_TEST", "is not handed on")
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_ofgithubdotcom")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    before = keyring.get_keyring()
    keyring.set_keyring(NoKeyring())
    ground = Ground(github, tmp_path)
    await ground.rig.open(ground.repository)
    assert "GITHUB_TOKEN" not in os.environ
    assert ground.rig.engine.parts.github.account(GITHUB).source == "environment"
    await ground.send(c.SignOut(host="github.com"))  # so that nothing is asked of the real one
    assert ground.rig.engine.parts.github.account(GITHUB).state == "none"
    yield ground
    await ground.rig.engine.stop()
    keyring.set_keyring(before)


@pytest.mark.promise("lanes-G14")
async def test_a_token_is_kept_only_when_the_host_accepts_it(ground: Ground) -> None:
    await ground.send(c.LoadGitHub())
    assert ground.account.state == "none"
    assert await ground.client() == "not_connected"
    odd = c.SignInWithToken(host=ground.github.host, token=SecretStr("two words"))
    assert "odd characters" in await ground.send(odd)
    await ground.sign_in("ghp_unknown")
    assert (await ground.step("failed")).text == "The token is not accepted. Nothing was kept."
    assert ground.account.state == "none"
    await ground.sign_in()
    assert (await ground.step("done")).text == f"Signed in to {ground.github.host} as octo."
    account = ground.account
    assert (account.state, account.login, account.source, account.kept) == ("connected", "octo", "token", "memory")
    told = [one for one in ground.rig.updates if isinstance(one, GitHubChanged)][-1]
    assert told.keyring_problem == "This system has no keyring. The key is kept until Banksman closes."
    assert await ground.client() == "octo octo/app"
    token = await ground.rig.engine.parts.github.git_token(ground.github.host)
    assert token is not None
    assert await ground.rig.engine.parts.github.git_token("elsewhere.example") is None
    ground.github.repo("octo/app").rename("octo/shop")
    client = await ground.rig.engine.parts.github.client_for(ground.lane)
    assert not isinstance(client, ForgeProblem)
    await client.repositories.facts()
    assert await ground.client() == "octo octo/shop"
    await ground.send(c.SignOut(host=ground.github.host))
    assert ground.account.state == "none"
    assert await ground.client() == "not_connected"
    assert await ground.rig.engine.parts.github.git_token(ground.github.host) is None


@pytest.mark.promise("lanes-G16")
async def test_a_token_without_rights_or_near_its_end_says_so(ground: Ground) -> None:
    ends = datetime(2030, 1, 1, tzinfo=UTC)
    ground.github.add_token("mona", "ghp_reading", scopes=["read:org"], expires_at=ends)
    await ground.sign_in("ghp_reading")
    assert ground.account.expires_at == ends
    assert "can only be read" in ground.account.read_only
    ground.github.world.tokens["ghp_reading"].revoked = True
    await ground.send(c.LoadGitHub())
    assert (ground.account.state, ground.account.problem) == ("expired", "The token is not accepted. Sign in again.")
    assert await ground.client() == "unauthorised"
    asked = len(ground.github.exchanges)
    assert await ground.client() == "unauthorised"
    assert len(ground.github.exchanges) == asked
    await ground.sign_in()
    assert await ground.client() == "octo octo/app"
    ground.github.fail(faults.offline(), on="GET /user")
    await ground.send(c.LoadGitHub())
    assert (ground.account.state, "Check the network" in ground.account.problem) == ("offline", True)


@pytest.mark.promise("lanes-G14")
async def test_the_login_of_gh_is_used_and_read_again_when_refused(ground: Ground) -> None:
    signing_in = c.SignInWithGh(host=ground.github.host)
    assert "gh command line was not found" in await ground.send(signing_in)
    program = ground.folder / "bin/gh"
    program.parent.mkdir()
    program.write_text(GH)
    program.chmod(0o755)
    (ground.folder / "gh-host").write_text(ground.github.host)
    assert "is not signed in" in await ground.send(c.SignInWithGh(host=ground.github.host))
    (ground.folder / "gh-token").write_text(ground.github.token + "\n")
    assert await ground.send(c.SignInWithGh(host=ground.github.host)) == ""
    assert (ground.account.login, ground.account.source) == ("octo", "gh")
    ground.github.world.tokens[ground.github.token].revoked = True
    ground.github.add_token("octo", "ghp_fresh")
    (ground.folder / "gh-token").write_text("ghp_fresh\n")
    await ground.send(c.LoadGitHub())
    assert ground.account.state == "connected"
    ground.github.world.tokens["ghp_fresh"].revoked = True
    await ground.send(c.LoadGitHub())
    assert ground.account.state == "expired"


@pytest.mark.promise("lanes-G15")
async def test_a_code_is_typed_refused_or_expires(ground: Ground) -> None:
    host = ground.github.host
    await ground.send(c.SignInWithDevice(host=host))
    code = await ground.step("code")
    assert (code.user_code, code.address) == ("BANK-0001", f"{ground.github.base_url}/login/device")
    ground.go("authorization_pending", "slow_down", "authorization_pending", ground.github.token)
    await ground.step("done")
    assert ground.waits == [5, 5, 10, 10]
    assert (ground.account.login, ground.account.source) == ("octo", "device")

    known, ground.github.device.client_id = ground.github.device.client_id, "another app"
    await ground.send(c.SignInWithDevice(host=host))
    assert "does not offer a code to this build (status 404)" in (await ground.step("failed")).text
    ground.github.device.client_id = known

    for answer, step in (("access_denied", "denied"), ("expired_token", "expired"), ("device_flow_disabled", "failed")):
        await ground.send(c.SignInWithDevice(host=host))
        await ground.step("code")
        ground.go(answer)
        await ground.step(step)
    assert ground.account.login == "octo"

    await ground.send(c.SignInWithDevice(host=host))
    await ground.step("code")
    ground.github.fail(faults.offline(), on="POST /login/oauth/access_token")
    ground.go("authorization_pending")
    while len(ground.waits) < 9:  # nobody is told that the host could not be reached: it is asked again
        await asyncio.sleep(0.01)
    ground.clock_ahead = timedelta(seconds=901)
    ground.go("authorization_pending")
    await ground.step("expired")


@pytest.mark.promise("lanes-G15")
async def test_closing_stops_asking_whether_the_code_was_typed(ground: Ground) -> None:
    host = ground.github.host
    await ground.send(c.SignInWithDevice(host=host))
    await ground.step("code")
    await ground.send(c.StopSignIn(host=host))
    await ground.step("stopped")
    ground.go(ground.github.token)
    await asyncio.sleep(0.05)
    assert not ground.github.asked("POST /login/oauth/access_token")
    assert ground.steps[-1].step == "stopped"
    without = c.SignInWithDevice(host="github.com")
    assert "cannot be signed in to by a code here" in await ground.send(without)


@pytest.mark.promise("lanes-G17")
async def test_hosts_are_added_changed_and_removed(ground: Ground) -> None:
    await ground.sign_in()
    assert "host alone" in await ground.send(c.SaveGitHubHost(host="https://ghe.example"))
    assert "http is allowed" in await ground.send(c.SaveGitHubHost(host="ghe.example", api_url="http://ghe.example"))
    assert await ground.send(c.SaveGitHubHost(host="GHE.example", api_url="https://ghe.example/api/v3/")) == ""
    hosts = load_settings(ground.rig.folders.settings_file).github
    assert [one.host for one in hosts] == ["github.com", ground.github.host, "ghe.example"]
    assert await ground.send(c.RemoveGitHubHost(host="ghe.example")) == ""
    assert "stays in the list" in await ground.send(c.RemoveGitHubHost(host="github.com"))
    assert "is no GitHub host here" in await ground.send(c.SignOut(host="ghe.example"))
    moved = c.SaveGitHubHost(host=ground.github.host, api_url=ground.github.base_url)
    assert await ground.send(moved) == ""
    assert (ground.account.api_url, ground.account.state) == (ground.github.base_url, "none")
    assert await ground.client() == "not_connected"


async def test_the_token_is_in_no_log_event_setting_or_update(ground: Ground) -> None:
    await ground.sign_in()
    client = await ground.rig.engine.parts.github.client_for(ground.lane)
    assert not isinstance(client, ForgeProblem)
    with pytest.raises(GitHubError) as error:
        await client.pulls.one(7)
    assert ground.github.token not in repr(vars(error.value))
    assert ground.github.token not in ground.rig.engine.settings.redactor.redact(f"Bearer {ground.github.token}").text
    assert all(ground.github.token not in repr(update) for update in ground.rig.updates)
    await ground.rig.engine.stop()
    home = ground.folder / "home"
    kept = [path for path in home.rglob("*") if path.is_file() and ground.github.token.encode() in path.read_bytes()]
    assert kept == []
    assert ground.github.token not in str(os.environ)


async def test_who_is_signed_in_stays_so_after_a_restart(ground: Ground) -> None:
    keyring.set_keyring(DictKeyring())
    await ground.start_again()
    await ground.sign_in()
    assert ground.account.kept == "keyring"
    await ground.start_again()
    assert await ground.client() == "octo octo/app"  # nobody was asked for that
    await ground.rig.until(lambda _: ground.account.state == "connected" if ground.told else False)
    assert await ground.rig.engine.parts.github.remotes_for(ground.lane) == ("origin",)
    nowhere = ground.lane.model_copy(update={"worktree_path": str(ground.folder / "gone")})
    assert await ground.rig.engine.parts.github.remotes_for(nowhere) == ()
    elsewhere = RepositoryId(host="elsewhere.example", owner="o", name="r")
    found = await ground.rig.engine.parts.github.client_of(elsewhere)
    assert isinstance(found, ForgeProblem)
    assert found.kind == "other_host"
