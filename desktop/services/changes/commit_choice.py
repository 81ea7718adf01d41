"""The choice of the changed files that go into a commit, and of those that are left out with a reason."""

import os
import stat

from desktop.domain.core.errors import GitError
from desktop.records import dataclass
from desktop.services.git.commit_facts import person_filters
from desktop.services.git.file_search import is_secret
from desktop.services.git.run import STATUS_LIMIT_S, WORKTREE_LIMIT_S, Git

MAX_FILE_BYTES = 50 * 1024 * 1024
SECRET = "a file of this name usually holds secrets and Git does not know it yet; name it in paths to be asked"
LARGE = "it is larger than 50 MB; name it in paths if it belongs into the history"
OWN_REPOSITORY = "it is a repository of its own"
_GITLINK = "160000"


class FilterNeeded(GitError):
    """A file goes through a filter of the person's, which does not run here."""

    def __init__(self, path: str, name: str) -> None:
        super().__init__(
            f'Nothing was committed: {path} goes through the Git filter "{name}", which Banksman does not run. '
            "A person has to commit it; name the other files in paths."
        )
        self.path = path
        self.name = name


@dataclass(frozen=True)
class LeftOut:
    """A file that changed and is not committed, and why."""

    path: str
    reason: str


@dataclass(frozen=True)
class Choice:
    """The files of a commit: those that go in, sorted; which of them are gone; those that are left out; and the Git
    filters that files in it ask for."""

    paths: tuple[str, ...]
    gone: frozenset[str]
    left_out: tuple[LeftOut, ...]
    filters: frozenset[str]


@dataclass(frozen=True)
class _Changed:
    path: str
    new: bool
    gitlink: bool
    gone: bool = False


def choose(git: Git, own: Git, named: tuple[str, ...], allowed: frozenset[str]) -> Choice:
    """The files that differ from the last commit. `own`: git with an index that holds it. `named`: only these files and
    what is below these folders. `allowed`: protected and large files that may go in. Blocking.

    Raises:
        GitError: a named path has no change, or a filter of the person's would have to run.
    """
    changed = _changed(git, own)
    wanted = [file for file in changed if not named or any(_is_at(file.path, place) for place in named)]
    for place in named:
        if not any(_is_at(file.path, place) for file in wanted):
            raise GitError(f"Nothing was committed: {place} has no change.")
    reasons = {file.path: _reason(git, file, allowed) for file in wanted}
    paths = tuple(sorted(path for path, reason in reasons.items() if not reason))
    filters = _filters(git, paths)
    mine = person_filters(git)
    for path, name in filters.items():
        if name in mine:
            raise FilterNeeded(path, name)
    left_out = tuple(LeftOut(path, reason) for path, reason in sorted(reasons.items()) if reason)
    gone = frozenset(file.path for file in wanted if file.gone)
    return Choice(paths, gone, left_out, frozenset(filters.values()))


def _changed(git: Git, own: Git) -> list[_Changed]:
    """What differs between the last commit and the working files; also what was added although Git ignores it."""
    listed = own.run_on_files_now(
        "status",
        "--porcelain=v2",
        "-z",
        "--untracked-files=all",
        "--ignore-submodules=dirty",
        "--no-renames",
        limit_s=WORKTREE_LIMIT_S,
    ).names
    found: dict[str, _Changed] = {}
    for field in listed:
        kind, _, rest = field.partition(" ")
        if kind == "?":
            path = rest.removesuffix("/")
            found[path] = _Changed(path, new=True, gitlink=rest.endswith("/"))
        elif kind == "1":
            words = rest.split(" ", 7)
            found[words[7]] = _Changed(words[7], new=False, gitlink=_GITLINK in words[2:5], gone=rest[1] == "D")
    for path in _added(git):
        if path not in found and os.path.lexists(git.folder / path):
            found[path] = _Changed(path, new=True, gitlink=(git.folder / path).is_dir())
    return list(found.values())


def _added(git: Git) -> list[str]:
    """What the lane's own index holds and the last commit does not."""
    if git.run_now("rev-parse", "--verify", "--quiet", "HEAD", check=False).status != 0:
        return git.run_now("ls-files", "-z", limit_s=STATUS_LIMIT_S).names
    command = ("diff-index", "--cached", "--name-only", "--no-renames", "--diff-filter=A", "-z", "HEAD", "--")
    return git.run_now(*command, limit_s=STATUS_LIMIT_S).names


def _reason(git: Git, file: _Changed, allowed: frozenset[str]) -> str:
    if file.gitlink:
        return OWN_REPOSITORY
    if file.path in allowed:
        return ""
    if file.new and is_secret(file.path):
        return SECRET
    try:
        status = (git.folder / file.path).lstat()
    except OSError:
        return ""
    return LARGE if stat.S_ISREG(status.st_mode) and status.st_size > MAX_FILE_BYTES else ""


def _filters(git: Git, paths: tuple[str, ...]) -> dict[str, str]:
    """The filter that attributes ask for, of each file that exists and has one."""
    given = b"".join(os.fsencode(path) + b"\0" for path in paths if os.path.lexists(git.folder / path))
    if not given:
        return {}
    fields = git.run_on_files_now("check-attr", "-z", "--stdin", "filter", given=given).names
    rows = zip(fields[0::3], fields[2::3], strict=False)
    return {path: value for path, value in rows if value not in ("unspecified", "unset", "set")}


def _is_at(path: str, place: str) -> bool:
    return place in (".", path) or path.startswith(f"{place}/")
