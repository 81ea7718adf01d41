"""Pushing one branch to one remote: the first time, again, after a rewrite, and when others were there."""

from pathlib import Path

import pytest

from desktop.domain.core.errors import GitError
from desktop.services.changes.push import plan_push, push, shown_address
from desktop.services.git.run import Git
from tests.agent.rig import git, make_repository

pytestmark = pytest.mark.asyncio


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    """A clone of a bare repository, on a branch that the remote does not have."""
    root = make_repository(tmp_path / "app")
    git(tmp_path, "clone", "-q", "--bare", str(root), "remote.git")
    git(root, "remote", "add", "origin", str(tmp_path / "remote.git"))
    git(root, "fetch", "-q", "origin")
    git(root, "switch", "-q", "-c", "lane/x")
    commit(root, "one")
    return root


def commit(root: Path, name: str) -> None:
    (root / name).write_text(name)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", name)


def at_remote(root: Path, branch: str = "lane/x") -> str:
    return git(root.parent / "remote.git", "rev-parse", branch).strip()


async def pushed(root: Path, *, force: bool = False) -> str:
    return await push(root, plan_push(Git(root)), force=force)


@pytest.mark.promise("lanes-G12")
async def test_the_first_push_tracks_the_branch_and_only_it_moves(lane: Path) -> None:
    git(lane, "branch", "-f", "main", "lane/x")
    git(lane, "tag", "-a", "v1", "-m", "v1")
    assert plan_push(Git(lane)).ahead is None
    text = await pushed(lane)
    assert text == f"origin/lane/x is at {at_remote(lane)[:7]} now."
    assert git(lane, "rev-parse", "--abbrev-ref", "@{upstream}").strip() == "origin/lane/x"
    assert at_remote(lane, "main") != at_remote(lane)
    assert git(lane.parent / "remote.git", "tag").strip() == ""
    commit(lane, "two")
    plan = plan_push(Git(lane))
    assert (plan.ahead, plan.rewritten, plan.tracked) == (1, False, True)
    await push(lane, plan, force=False)
    assert at_remote(lane) == git(lane, "rev-parse", "HEAD").strip()


@pytest.mark.promise("lanes-G12")
async def test_a_rewritten_branch_is_replaced_only_on_order_and_only_as_it_was_seen(lane: Path) -> None:
    await pushed(lane)
    git(lane, "commit", "-q", "--amend", "-m", "rewritten")
    with pytest.raises(GitError, match="does not have any more"):
        await pushed(lane)
    await pushed(lane, force=True)
    assert at_remote(lane) == git(lane, "rev-parse", "HEAD").strip()
    git(lane.parent, "clone", "-q", "-b", "lane/x", str(lane.parent / "remote.git"), "other")
    commit(lane.parent / "other", "theirs")
    git(lane.parent / "other", "push", "-q")
    theirs = at_remote(lane)
    git(lane, "commit", "-q", "--amend", "-m", "again")
    with pytest.raises(GitError, match="changed since it was last seen"):
        await pushed(lane, force=True)
    assert at_remote(lane) == theirs


async def test_commits_of_others_a_refusing_remote_and_no_remote_are_told(lane: Path) -> None:
    await pushed(lane)
    git(lane.parent, "clone", "-q", "-b", "lane/x", str(lane.parent / "remote.git"), "other")
    commit(lane.parent / "other", "theirs")
    git(lane.parent / "other", "push", "-q")
    commit(lane, "mine")
    with pytest.raises(GitError, match="has commits that this lane does not have"):
        await pushed(lane)
    git(lane.parent / "remote.git", "config", "receive.denyNonFastForwards", "true")
    git(lane, "fetch", "-q", "origin")
    with pytest.raises(GitError, match="origin refused the push"):
        await pushed(lane, force=True)
    git(lane, "remote", "set-url", "origin", str(lane.parent / "gone.git"))
    with pytest.raises(GitError, match=r"The push failed: fatal: .*does not appear to be a git repo"):
        await pushed(lane, force=True)
    git(lane, "remote", "remove", "origin")
    with pytest.raises(GitError, match="has no remote to push to"):
        plan_push(Git(lane))


async def test_nothing_that_the_repository_configures_runs(lane: Path) -> None:
    ran = lane.parent / "ran"
    hook = lane / ".git/hooks/pre-push"
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    git(lane, "config", "remote.origin.receivepack", f"touch {ran}; git-receive-pack")
    git(lane, "config", "credential.helper", f"!touch {ran}")
    git(lane, "config", "remote.origin.push", "refs/heads/*:refs/heads/*")
    await pushed(lane)
    assert at_remote(lane) == git(lane, "rev-parse", "HEAD").strip()
    git(lane, "remote", "set-url", "origin", f"ext::touch {ran}")
    with pytest.raises(GitError):
        await pushed(lane)
    assert not ran.exists()


async def test_a_remote_inside_the_lane_is_refused(lane: Path) -> None:
    git(lane, "init", "-q", "--bare", "inside.git")
    for address in ("./inside.git", str(lane / "inside.git"), f"file://{lane}/inside.git"):
        git(lane, "remote", "set-url", "origin", address)
        with pytest.raises(GitError, match="lies inside this lane"):
            plan_push(Git(lane))
    for address in ("git@example.org:a/b.git", "https://example.org/a.git", "ssh://example.org/a"):
        git(lane, "remote", "set-url", "origin", address)
        assert plan_push(Git(lane)).address == address


async def test_addresses_are_shown_without_passwords() -> None:
    assert shown_address("https://me:secret@example.org/a.git") == "https://example.org/a.git"
    assert shown_address("ssh://git:secret@example.org/a") == "ssh://git@example.org/a"
    assert shown_address("git@example.org:a/b.git") == "git@example.org:a/b.git"
