"""Pictures on their own branch of a remote: added to, never doubled, and nothing else is touched."""

import subprocess
from pathlib import Path

import pytest

from desktop.domain.core.errors import GitError
from desktop.services.proofs.branch import BRANCH, picture_remote, push_pictures
from tests.agent.rig import git

pytestmark = pytest.mark.asyncio


def there(remote: Path, *words: str) -> list[str]:
    return git(remote, *words).split()


def standing(folder: Path) -> dict[str, bytes]:
    """Every file of a checkout, its git folder included."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.promise("lanes-F17")
async def test_pictures_are_added_once_beside_those_of_others(tmp_path: Path) -> None:
    remote, checkout = tmp_path / "remote.git", tmp_path / "shop"
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    git(remote, "config", "uploadpack.allowFilter", "true")
    subprocess.run(["git", "init", "-q", "-b", "main", checkout], check=True)
    for words in (("user.name", "Robin"), ("user.email", "robin@example.org")):
        git(checkout, "config", *words)
    (checkout / "app.py").write_text("x = 1\n")
    git(checkout, "add", "-A")
    git(checkout, "commit", "-qm", "First")
    git(checkout, "remote", "add", "origin", f"file://{remote}")
    before = standing(checkout)
    place = picture_remote(checkout, "origin")
    assert await push_pictures(place, {"pr-1/aa.png": b"one", "pr-1/bb.png": b"two"}, "Add proofs of #1")
    first, who = git(remote, "rev-parse", BRANCH).strip(), place.identity["GIT_AUTHOR_NAME"]
    assert git(remote, "log", "-1", "--format=%P|%an|%s", BRANCH).strip() == f"|{who}|Add proofs of #1"
    assert not await push_pictures(place, {"pr-1/aa.png": b"one"}, "Again"), "it is there already"
    assert git(remote, "rev-parse", BRANCH).strip() == first
    assert await push_pictures(place, {"pr-2/aa.png": b"three"}, "Add proofs of #2")
    assert git(remote, "rev-parse", f"{BRANCH}^").strip() == first
    assert there(remote, "ls-tree", "-r", "--name-only", BRANCH) == ["pr-1/aa.png", "pr-1/bb.png", "pr-2/aa.png"]
    assert git(remote, "show", f"{BRANCH}:pr-1/bb.png") == "two"
    assert there(remote, "for-each-ref", "--format=%(refname:short)") == [BRANCH]
    git(remote, "fsck", "--strict")
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(GitError, match="origin refused the push"):
        await push_pictures(place, {"pr-3/aa.png": b"four"}, "Add proofs of #3")
    assert len(there(remote, "ls-tree", "-r", "--name-only", BRANCH)) == 3
    assert standing(checkout) == before, "the person's repository is as it was, to the byte"
    git(checkout, "config", "remote.origin.url", f"file://{tmp_path}/nothing.git")
    with pytest.raises(GitError, match="origin could not be fetched"):
        await push_pictures(picture_remote(checkout, "origin"), {"pr-3/aa.png": b"four"}, "Add")
