"""Fetching for a lane: what moves, what never runs, and what is said when it cannot be done."""

import shutil
import stat
from pathlib import Path

import pytest

from desktop.services.git.run import Git
from desktop.services.lanes.making.fetch import fetch, person_credentials, person_ssh
from tests.agent.rig import git, make_repository

pytestmark = pytest.mark.asyncio


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with two branches that are ahead of what its clone knows."""
    folder = tmp_path_factory.mktemp("shared")
    origin = make_repository(folder / "origin")
    git(origin, "branch", "feature")
    git(folder, "clone", "-q", str(origin), "shop")
    git(origin, "commit", "-q", "--allow-empty", "-m", "later")
    git(origin, "branch", "-f", "feature", "main")
    git(origin, "tag", "v1")
    return folder


@pytest.fixture
def shop(shared: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(shared / "shop", tmp_path / "shop", symlinks=True))


def head(folder: Path, ref: str) -> str:
    return git(folder, "rev-parse", ref).strip()


async def test_only_remote_tracking_branches_move(shared: Path, shop: Path) -> None:
    newest, local = head(shared / "origin", "main"), head(shop, "main")
    assert await fetch(shop, "origin", "main") == ""
    assert (head(shop, "origin/main"), head(shop, "main")) == (newest, local)
    assert head(shop, "origin/feature") == local
    assert await fetch(shop, "origin") == ""
    assert head(shop, "origin/feature") == newest
    assert git(shop, "tag") == ""
    assert not (shop / ".git/FETCH_HEAD").exists()


async def test_settings_that_would_move_other_refs_are_not_followed(shared: Path, shop: Path) -> None:
    git(shop, "config", "remote.origin.fetch", "+refs/heads/*:refs/heads/*")
    before = git(shop, "for-each-ref")
    assert "name no remote-tracking branches" in await fetch(shop, "origin")
    assert git(shop, "for-each-ref") == before


async def test_a_remote_that_is_away_is_told_in_one_sentence(shop: Path, tmp_path: Path) -> None:
    git(shop, "config", "remote.origin.url", str(tmp_path / "gone.git"))
    told = await fetch(shop, "origin", "main")
    assert told.startswith("origin could not be fetched: ")
    assert "\n" not in told
    assert "does not appear to be a git repository" in told
    assert await fetch(shop, "nobody") == "There is no remote nobody."
    assert "could not be fetched" in await fetch(shop, "origin", "no-such-branch")


async def test_no_program_of_the_repository_runs(shared: Path, shop: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/fired\n")
    trap.chmod(trap.stat().st_mode | stat.S_IXUSR)
    for key in (
        "remote.origin.uploadpack", "core.sshCommand", "core.gitProxy", "core.alternateRefsCommand", "core.askPass",
        "core.fsmonitor",
    ):  # fmt: skip
        git(shop, "config", key, str(trap))
    for key in ("credential.helper", "credential.http://127.0.0.1:9.helper"):
        git(shop, "config", key, f"!{trap}")
    (shop / ".git/objects/info/alternates").write_text(f"{shared / 'origin/.git/objects'}\n")
    hooks = shop / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    shutil.copy(trap, hooks / "reference-transaction")
    assert await fetch(shop, "origin") == ""
    for url in ("ssh://nobody@127.0.0.1:9/x", "git://127.0.0.1:9/x", "http://127.0.0.1:9/x", f"ext::{trap}"):
        git(shop, "config", "remote.origin.url", url)
        assert "could not be fetched" in await fetch(shop, "origin", "main", limit_s=20)
    assert not (tmp_path / "fired").exists()


async def test_the_persons_own_helpers_and_ssh_are_used(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "gitconfig"
    config.write_text(
        '[credential]\n\thelper = mine\n[credential "https://git.example.org"]\n\thelper = theirs\n'
        "[core]\n\tsshCommand = ssh -i key\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    assert await person_credentials(Git(shop)) == [
        "credential.helper=", "credential.helper=mine", "credential.https://git.example.org.helper=theirs",
    ]  # fmt: skip
    assert (await person_ssh(Git(shop)))["GIT_SSH_COMMAND"].startswith("ssh -i key -oBatchMode=yes")
    config.write_text("[core]\n\tsshCommand = plink -agent\n")
    assert await person_ssh(Git(shop)) == {"GIT_SSH_COMMAND": "plink -agent"}
