"""The places where a lane can begin: the repository's default branch, other branches, commits, and how far behind they
are."""

import asyncio
import re
from typing import Literal

from desktop.domain.core.errors import LaneError
from desktop.records import dataclass
from desktop.services.git.refs import ref_problem
from desktop.services.git.run import STATUS_LIMIT_S, Git

MAX_BRANCHES = 300
NO_COMMIT = "This repository has no commit yet."
_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_USUAL = ("main", "master")
_COMMIT_ID = re.compile(r"[0-9a-fA-F]{4,64}")
_FIELDS = "%(refname)%00%(objectname)%00%(upstream:short)%00%(symref:short)%00%(upstream:track,nobracket)"
_PLAIN_FIELDS = _FIELDS.rpartition("%00")[0]
_BEHIND = re.compile(r"behind (\d+)")


@dataclass(frozen=True)
class Base:
    """A commit by the name it goes by. `upstream`: what a local branch follows, "" for none; `behind`: commits that it
    lacks of it."""

    name: str
    oid: str
    kind: Literal["branch", "remote", "commit"]
    upstream: str = ""
    behind: int = 0

    @property
    def remote(self) -> str:
        """The remote that knows more about it, "" for none: of `origin/main` it is origin."""
        known = self.name if self.kind == "remote" else self.upstream
        return known.partition("/")[0]

    @property
    def behind_words(self) -> str:
        """The words for how far the base is behind, as a sentence; "" when it is not."""
        if not self.behind:
            return ""
        if self.behind == 1:
            return f"{self.name} is 1 commit behind {self.upstream}."
        return f"{self.name} is {self.behind} commits behind {self.upstream}."


async def default_base(git: Git, checked_out: str) -> Base:
    """The remote-tracking branch of the repository's default branch, else the branch that the checkout is on, else
    main or master, else HEAD. `checked_out`: "" when detached.

    Raises:
        LaneError: there is no commit yet.
    """
    remote = [f"{_REMOTES}origin/{name}" for name in ("HEAD", *_USUAL)]
    local = [f"{_HEADS}{name}" for name in (checked_out, *_USUAL) if name]
    found = {ref: base for ref, base in await _listed(git, [*remote, *local], count=len(remote) + len(local))}
    for ref in (*remote, *local):
        if ref in found:
            return found[ref]
    return await head_base(git)


async def head_base(git: Git) -> Base:
    """The commit that HEAD is at, by its id.

    Raises:
        LaneError: there is no commit yet.
    """
    oid = await _commit(git, "HEAD")
    if not oid:
        raise LaneError(NO_COMMIT)
    return Base(oid[:12], oid, "commit")


async def find_base(git: Git, text: str) -> Base:
    """The branch, remote branch, tag or commit of this name.

    Raises:
        LaneError: there is none, with what to do.
    """
    name = text.strip()
    if ref_problem(name):
        raise LaneError(_unknown(text))
    full = [f"{_HEADS}{name}", f"{_REMOTES}{name}"]
    found = {ref: base for ref, base in await _listed(git, full, count=len(full), track=True)}
    for ref in full:
        if ref in found:
            return found[ref]
    if oid := await _commit(git, f"refs/tags/{name}"):
        return Base(name, oid, "commit")
    if name == "HEAD":
        return await head_base(git)
    if _COMMIT_ID.fullmatch(name) and (oid := await _commit(git, name)):
        return Base(name, oid, "commit")
    raise LaneError(_unknown(text))


async def all_bases(git: Git, checked_out: str) -> tuple[Base, list[Base]]:
    """The default, and all branches: local ones, then remote ones, each with the newest commits first.

    Raises:
        LaneError: there is no commit yet.
        GitError: they could not be listed.
    """
    default, local, remote = await asyncio.gather(
        default_base(git, checked_out),
        _listed(git, [_HEADS], count=MAX_BRANCHES, track=True),
        _listed(git, [_REMOTES], count=MAX_BRANCHES),
    )
    remotes = [base for ref, base in remote if not ref.endswith("/HEAD")]
    return default, [*(base for _, base in local), *remotes]


async def merge_base(git: Git, one: str, other: str) -> str:
    """The newest commit that both contain, "" when there is none."""
    found = await git.run("merge-base", "--end-of-options", one, other, limit_s=STATUS_LIMIT_S, check=False)
    return found.stdout.split("\n")[0].strip() if found.status == 0 else ""


async def _commit(git: Git, name: str) -> str:
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    found = await git.run(*asked, check=False)
    return found.stdout.strip() if found.status == 0 else ""


async def _listed(git: Git, patterns: list[str], *, count: int, track: bool = False) -> list[tuple[str, Base]]:
    fields = _FIELDS if track else _PLAIN_FIELDS
    command = ("for-each-ref", "--sort=-committerdate", f"--count={count}", f"--format={fields}")
    listed = await git.run(*command, *patterns, limit_s=STATUS_LIMIT_S)
    return [_base(line.split("\0")) for line in listed.raw.decode("utf-8", "surrogateescape").splitlines()]


def _base(fields: list[str]) -> tuple[str, Base]:
    ref, oid, upstream, target, *track = fields
    name = target or ref.removeprefix(_HEADS).removeprefix(_REMOTES)
    behind = _BEHIND.search(track[0]) if track else None
    kind: Literal["branch", "remote"] = "remote" if ref.startswith(_REMOTES) else "branch"
    return ref, Base(name, oid, kind, upstream, int(behind[1]) if behind else 0)


def _unknown(text: str) -> str:
    return f'There is no "{text}". Fetch, or choose another base.'
