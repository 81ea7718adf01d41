"""What `git status` says of one worktree, as values."""

import asyncio

from desktop.records import dataclass
from desktop.services.git.run import STATUS_LIMIT_S, Git, GitBytes, names_in

MAX_LIST_BYTES = 16 * 1024 * 1024
MAX_AT_ONCE_BYTES = 256 * 1024
"""What is taken apart on the engine's own thread, in some milliseconds."""

_STATUS = (
    "status",
    "--porcelain=v2",
    "--branch",
    "--ahead-behind",
    "-z",
    "--untracked-files=all",
    "--ignore-submodules=dirty",
    "--ignored=no",
    "--find-renames",
)


@dataclass(frozen=True)
class StatusEntry:
    """One file of a lane that differs. `staged` and `unstaged` are Git's letters, "." for no difference; both "?" when
    Git does not know the file. `old_path` of a renamed one, else ""."""

    path: str
    staged: str
    unstaged: str
    old_path: str = ""
    conflict: bool = False


@dataclass(frozen=True)
class WorktreeStatus:
    """The state of a worktree. `branch` "" when HEAD is detached, `commit` "" when there is none yet. `upstream_gone`:
    it has a name, and is not there to compare with. `more`: entries exist beyond these."""

    branch: str
    commit: str
    upstream: str
    ahead: int
    behind: int
    operation: str
    entries: tuple[StatusEntry, ...]
    upstream_gone: bool = False
    more: bool = False


async def read_status(git: Git, operation: str) -> WorktreeStatus:
    """The branch and every file that differs from HEAD or from the index, at most 16 MiB of names. `operation`: what is
    known to be under way.

    Raises:
        GitError: git could not tell, or not in time.
    """
    listed = await git.read(*_STATUS, limit_s=STATUS_LIMIT_S, max_bytes=MAX_LIST_BYTES)
    if len(listed.raw) <= MAX_AT_ONCE_BYTES:
        return _parsed(listed, operation)
    return await asyncio.to_thread(_parsed, listed, operation)


def _parsed(listed: GitBytes, operation: str) -> WorktreeStatus:
    fields, more = names_in(listed.raw), listed.cut
    head: dict[str, str] = {}
    entries: list[StatusEntry] = []
    waiting = iter(fields[:-1] if more else fields)
    for field in waiting:
        kind, _, rest = field.partition(" ")
        if kind == "#":
            name, _, value = rest.partition(" ")
            head[name] = value
        elif kind == "?":
            entries.append(StatusEntry(rest, "?", "?"))
        elif kind == "u":
            entries.append(StatusEntry(rest.split(" ", 9)[9], rest[0], rest[1], conflict=True))
        elif kind == "1":
            entries.append(StatusEntry(rest.split(" ", 7)[7], rest[0], rest[1]))
        elif kind == "2":
            entries.append(StatusEntry(rest.split(" ", 8)[8], rest[0], rest[1], old_path=next(waiting, "")))
    branch, commit = head.get("branch.head", ""), head.get("branch.oid", "")
    ahead, _, behind = head.get("branch.ab", "+0 -0").partition(" ")
    return WorktreeStatus(
        branch="" if branch == "(detached)" else branch,
        commit="" if commit == "(initial)" else commit,
        upstream=head.get("branch.upstream", ""),
        ahead=abs(int(ahead)),
        behind=abs(int(behind)),
        operation=operation,
        entries=tuple(entries),
        upstream_gone="branch.upstream" in head and "branch.ab" not in head,
        more=more,
    )
