"""git over https gets the token of a connected host: by a setting of one call, over real HTTP."""

import asyncio
import subprocess
from pathlib import Path

import pytest
from pydantic import SecretStr

from desktop.domain.core.errors import GitError
from desktop.services.changes.push import delete_pushed, plan_push, push
from desktop.services.git.login import login_settings, no_login
from desktop.services.git.run import Git, git_environment
from desktop.services.lanes.making.fetch import fetch, person_ssh
from tests.fakes.github.stand_in import FakeGitHub

pytestmark = pytest.mark.asyncio


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@users.example")
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, env=git_environment(), check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def clone(github: FakeGitHub, tmp_path: Path) -> Path:
    """A repository of our own with the stand-in's as its remote, nothing fetched."""
    repo = github.add_repo("octo/app")
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "feature")
    git(folder, "remote", "add", "origin", repo.clone_url)
    git(folder, "commit", "-q", "--allow-empty", "-m", "Begin")
    return folder


async def test_a_connected_host_is_fetched_pushed_and_cleaned_with_the_token(
    github: FakeGitHub, clone: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    asked: list[str] = []

    async def login(host: str) -> SecretStr | None:
        asked.append(host)
        return SecretStr(github.token) if host == github.host else None

    assert "could not read Username" in await fetch(clone, "origin", "main")
    assert await fetch(clone, "origin", "main", login=login) == ""
    plan = await asyncio.to_thread(plan_push, Git(clone))
    with pytest.raises(GitError, match="did not accept your login"):
        await push(clone, plan, force=False)
    await push(clone, plan, force=False, login=login)
    repo = github.repo("octo/app")
    assert repo.head("feature") == plan.head
    await delete_pushed(clone, "origin", "feature", plan.head, login=login)
    assert repo.head("feature") is None
    assert set(asked) == {github.host}
    text = (clone / ".git/config").read_text()
    assert github.token not in text
    assert "extraHeader" not in text


@pytest.mark.promise("lanes-G18")
async def test_only_the_host_of_the_remote_gets_it_and_no_argument_shows_it(clone: Path, github: FakeGitHub) -> None:
    async def login(host: str) -> SecretStr | None:
        return SecretStr("ghp_x")

    found = await login_settings(Git(clone), "origin", login)
    assert list(found) == [f"http.{github.base_url}/.extraHeader"]
    assert "ghp_x" not in str(found)
    assert await login_settings(Git(clone), "origin", no_login) == {}
    for address in (
        "git@github.com:octo/app.git", "http://github.com/octo/app", "https://u:own@github.com/octo/app",
        "/srv/app.git", "https://github.com:port/x",
    ):  # fmt: skip
        git(clone, "remote", "set-url", "origin", address)
        assert await login_settings(Git(clone), "origin", login) == {}
    assert await login_settings(Git(clone), "nowhere", login) == {}
    git(clone, "remote", "set-url", "origin", "https://me@GitHub.com/octo/app")
    assert list(await login_settings(Git(clone), "origin", login)) == ["http.https://github.com/.extraHeader"]


@pytest.mark.parametrize(
    ("key", "given"),
    [
        ("http.postBuffer", True), ("http.proxy", False), ("http.sslVerify", False), ("http.extraHeader", False),
        ("http.https://github.com/octo/.sslVerify", False), ("http.curloptResolve", False),
        ("remote.origin.proxy", False), ("remote.origin.vcs", False), ("remote.origin.tagOpt", True),
    ],
)  # fmt: skip
async def test_a_repository_that_says_how_https_is_spoken_gets_no_token(clone: Path, key: str, given: bool) -> None:
    async def login(host: str) -> SecretStr | None:
        return SecretStr("ghp_x")

    git(clone, "remote", "set-url", "origin", "https://github.com/octo/app")
    git(clone, "config", key, "1")
    assert bool(await login_settings(Git(clone), "origin", login)) is given


async def test_the_agent_of_ssh_is_for_fetching_and_pushing_alone(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_AUTH_SOCK", "/run/agent")
    assert "SSH_AUTH_SOCK" not in git_environment()
    assert (await person_ssh(Git(clone)))["SSH_AUTH_SOCK"] == "/run/agent"
    monkeypatch.delenv("SSH_AUTH_SOCK")
    assert "SSH_AUTH_SOCK" not in await person_ssh(Git(clone))
