"""Published pictures on the branch `banksman-proofs` of a remote (lanes-F17), made in a passing repository.

Nothing of it is in the repository of the person: no object, no ref, no setting.
"""

import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path

from desktop.domain.core.errors import GitError
from desktop.records import dataclass
from desktop.services.changes.push import PushPlan, push, shown_address
from desktop.services.files.leftovers import passing_prefix
from desktop.services.git.commit_facts import person_identity
from desktop.services.git.login import Login, no_login
from desktop.services.git.run import WORKTREE_LIMIT_S, Git
from desktop.services.lanes.making.fetch import fetch

BRANCH = "banksman-proofs"
_REF = f"refs/heads/{BRANCH}"
_PLAIN_FILE = "100644"


@dataclass(frozen=True)
class PictureRemote:
    """The remote that pictures are pushed to. `address`: as git would push to it; `name`: what the person calls it.
    `identity`: variables that make a commit the person's."""

    name: str
    address: str
    identity: Mapping[str, str]


def picture_remote(folder: Path, name: str) -> PictureRemote:
    """The remote of this name of the repository at `folder`. Blocking.

    Raises:
        GitError: there is no such remote, or nobody whose the commit would be.
    """
    git = Git(folder)
    address = git.run_now("remote", "get-url", "--push", "--", name).stdout.strip()
    return PictureRemote(name, address, person_identity(git))


async def push_pictures(
    remote: PictureRemote, files: Mapping[str, bytes], message: str, *, login: Login = no_login
) -> bool:
    """The branch has these files, by path, beside what it had. False: it had them already, so nothing was pushed. The
    first commit of the branch has no parent; it is never replaced, only added to.

    Raises:
        GitError: nothing was changed there, or nobody answered; with what to do.
    """
    with tempfile.TemporaryDirectory(prefix=passing_prefix(), ignore_cleanup_errors=True) as folder:
        root = Path(folder)
        await asyncio.to_thread(_begin, root, remote)
        problem = await fetch(root, remote.name, spec=f"+{_REF}*:{_REF}*", login=login)
        if problem:
            raise GitError(problem)
        made = await asyncio.to_thread(_committed, root, remote, files, message)
        if made is None:
            return False
        head, seen = made
        plan = PushPlan(BRANCH, head, remote.name, shown_address(remote.address), seen, rewritten=True, tracked=True)
        await push(root, plan, force=True, login=login)
    return True


def _begin(root: Path, remote: PictureRemote) -> None:
    git = Git(root)
    git.run_now("init", "-q", "--template=", "--object-format=sha1", "--initial-branch=none")
    place = f"remote.{remote.name}"
    without_contents = ((f"{place}.promisor", "true"), (f"{place}.partialclonefilter", "blob:none"))
    for key, value in ((f"{place}.url", remote.address), *without_contents):
        git.run_now("config", key, value)


def _committed(root: Path, remote: PictureRemote, files: Mapping[str, bytes], message: str) -> tuple[str, str] | None:
    """The commit that the branch is at here now, and the one that the remote has, "" for none; None: nothing is new."""
    git = Git(root)
    seen = git.run_now("rev-parse", "--verify", "--quiet", _REF, check=False).stdout.strip()
    if seen:
        git.run_now("read-tree", seen)
    for path, data in files.items():
        blob = git.run_now("hash-object", "-w", "--stdin", given=data, limit_s=WORKTREE_LIMIT_S).stdout.strip()
        git.run_now("update-index", "--add", "--cacheinfo", f"{_PLAIN_FILE},{blob},{path}")
    tree = git.run_now("write-tree", "--missing-ok").stdout.strip()
    if seen and tree == git.run_now("rev-parse", "--verify", f"{seen}^{{tree}}").stdout.strip():
        return None
    parents = ("-p", seen) if seen else ()
    made = Git(root, dict(remote.identity)).run_now(
        "commit-tree", tree, *parents, "-F", "-", given=f"{message}\n".encode()
    )
    head = made.stdout.strip()
    git.run_now("update-ref", _REF, head)
    return head, seen
