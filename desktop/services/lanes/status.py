"""Reading how lanes stand: one `git status` each, and counts that are asked for again only when a commit moved."""

import asyncio
import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from desktop.domain.core.errors import GitError, LaneError
from desktop.domain.lanes.lane import Lane, LaneStatus, Operation
from desktop.records import dataclass
from desktop.services.files.pointers import git_folders
from desktop.services.git.reads import Repository
from desktop.services.git.run import DIFF_LIMIT_S, DIFF_OPTIONS, STATUS_LIMIT_S, Git
from desktop.services.git.status import StatusEntry, WorktreeStatus, read_status
from desktop.services.lanes.base import base_candidates
from desktop.services.lanes.identity import lane_moved, misplaced_words
from desktop.services.lanes.setup_files import unchanged

MAX_REFS_BYTES = 32 * 1024 * 1024
MAX_COUNTED_BYTES = 16 * 1024 * 1024
_SHORT_BYTES = 4096
_MAX_NAMED, _MAX_NAMED_CHARS = 500, 60_000
_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_OPERATIONS: dict[str, Operation] = {
    "rebase": "rebase",
    "merge": "merge",
    "cherry-pick": "cherry-pick",
    "revert": "revert",
    "bisect": "bisect",
}


@dataclass(frozen=True)
class Refs:
    """The branches, remote branches and tags of a repository. `oids`: by full name; `upstreams`: of a branch, the full
    name of what it follows; `mark` differs whenever one of them moved."""

    oids: dict[str, str]
    upstreams: dict[str, str]
    mark: str


@dataclass(frozen=True)
class Reading:
    """A reading of one lane. `base`: the commit it was compared with, "" for none; `files`: what it changes since it
    left the base, committed or not; `entries`: what is not committed. What only the setup made is in neither."""

    status: LaneStatus
    base: str = ""
    files: frozenset[str] = frozenset()
    entries: tuple[StatusEntry, ...] = ()


@dataclass(frozen=True)
class _Counted:
    """What depends on commits alone. None: there is nothing to compare with."""

    key: tuple[str, str, str]
    ahead: int | None
    behind: int | None
    only_here: int | None
    fork: str


@dataclass(frozen=True)
class _Lines:
    """Of each file the lines added and removed."""

    key: tuple[str, str]
    files: dict[str, tuple[int, int]]


Signature = tuple[str, tuple[tuple[int, int] | None, ...]]
"""What the small files that git keeps of a worktree look like, with the mark of the repository's refs."""

_SMALL_FILES = ("HEAD", "index", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")


def lane_signature(lane: Lane, refs_mark: str) -> Signature:
    """Differs when something was staged, committed or checked out in the lane, an operation began or ended there, or a
    branch moved anywhere. Edits of files alone do not show in it. Looks at a few files; starts nothing."""
    try:
        folder, _ = git_folders(Path(lane.worktree_path))
    except (OSError, ValueError):
        return refs_mark, ()
    return refs_mark, tuple(_look(folder / name) for name in _SMALL_FILES)


def _look(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino


async def read_refs(repository: Path) -> Refs:
    """The refs of a repository, by one call.

    Raises:
        GitError: git could not tell.
    """
    kinds = (_HEADS, _REMOTES, "refs/tags/")
    asked = ("for-each-ref", "--format=%(refname)%00%(objectname)%00%(upstream)", *kinds)
    listed = await Git(repository).read(*asked, limit_s=STATUS_LIMIT_S, max_bytes=MAX_REFS_BYTES)
    if listed.cut:
        raise GitError("This repository has too many branches and tags to compare lanes with.")
    rows = [line.split("\0") for line in os.fsdecode(listed.raw).split("\n") if line]
    oids = {name: oid for name, oid, _ in rows}
    upstreams = {name: upstream for name, _, upstream in rows if upstream}
    return Refs(oids, upstreams, hashlib.sha256(listed.raw).hexdigest())


def base_of(lane: Lane, parent: Lane | None, refs: Refs) -> str:
    """The commit that a lane is measured against: of its parent's branch, else the newest of its base; "" for none."""
    if parent is not None and parent.type != "primary":
        return refs.oids.get(f"{_HEADS}{parent.branch}", "")
    candidates = base_candidates(lane.base_ref, refs.upstreams.get(f"{_HEADS}{lane.base_ref}", ""))
    found = next((refs.oids[ref] for ref in candidates if ref in refs.oids), "")
    return found or (lane.base_oid if lane.base_ref in ("", "HEAD", lane.base_oid) else "")


def _remote_name(lane: Lane, base: str, refs: Refs) -> str:
    """The remote branch that a lane is measured against, "" where that is the local branch too, or another lane."""
    local = refs.oids.get(f"{_HEADS}{lane.base_ref}", base)
    candidates = base_candidates(lane.base_ref, refs.upstreams.get(f"{_HEADS}{lane.base_ref}", ""))
    if local == base or lane.parent_id:
        return ""
    return next((ref.removeprefix(_REMOTES) for ref in candidates if refs.oids.get(ref) == base), "")


class LaneReader:
    """Reads lanes; remembers what it counted of each. `clock`: the time of a reading."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._counted: dict[str, _Counted] = {}
        self._lines: dict[str, _Lines] = {}

    async def read(self, lane: Lane, base: str, refs: Refs) -> Reading:
        """The reading of a lane as it stands now, against the commit `base` ("" for none).

        Raises:
            LaneError: the lane is not its own folder; git was not started there.
            GitError: git could not tell, or not in time.
        """
        folder, at = Path(lane.worktree_path), self._clock()
        if await asyncio.to_thread(lane_moved, lane):
            raise LaneError(misplaced_words(lane))
        git = Git(folder, {"GIT_LITERAL_PATHSPECS": "1"}, calm=True)
        operation = Repository(*git_folders(folder)).operation
        found = await read_status(git, operation)
        if found.more:
            raise GitError("There are too many files that are not committed to list them.")
        made = await asyncio.to_thread(unchanged, folder, lane.setup_files)
        own = tuple(entry for entry in found.entries if entry.staged != "?" or entry.path not in made)
        by_setup, found = len(found.entries) - len(own), replace(found, entries=own)
        counted = await self._count(git, lane, found, base, refs)
        lines = await self._count_lines(git, lane, found, counted.fork)
        status = _status(lane, at, found, counted, lines)
        status = status.model_copy(
            update={"base_oid": base, "base_name": _remote_name(lane, base, refs), "by_setup": by_setup}
        )
        return Reading(status, base, frozenset(lines.files), found.entries)

    async def _count(self, git: Git, lane: Lane, found: WorktreeStatus, base: str, refs: Refs) -> _Counted:
        """Against the base, and what is nowhere else."""
        key = (found.commit, base, refs.mark)
        known = self._counted.get(lane.id)
        if known is not None and known.key == key:
            return known
        if known is None or known.key[:2] != key[:2]:
            known = await _compared(git, key)
        held = known.ahead == 0 and base in refs.oids.values()
        only_here = 0 if held else await _only_here(git, found)
        counted = replace(known, key=key, only_here=only_here)
        self._counted[lane.id] = counted
        return counted

    async def _count_lines(self, git: Git, lane: Lane, found: WorktreeStatus, fork: str) -> _Lines:
        """What changed since the fork. Committed work is counted once; of the rest only those files are looked at."""
        if not found.commit:
            return _Lines(("", ""), {path: (0, 0) for path in _paths(found.entries)})
        key = (fork, found.commit)
        known = self._lines.get(lane.id)
        if known is None or known.key != key:
            known = _Lines(key, await _numbers(git, fork, found.commit))
            self._lines[lane.id] = known
        paths = _paths(tuple(entry for entry in found.entries if entry.staged != "?"))
        now = await _numbers(git, fork, "--", *_few(paths)) if paths else {}
        committed = {path: numbers for path, numbers in known.files.items() if path not in paths}
        loose = dict.fromkeys(_paths(found.entries) - paths, (0, 0))
        return _Lines(key, {**committed, **loose, **now})


def _few(paths: frozenset[str]) -> tuple[str, ...]:
    """The paths for a command line; none, which means all, where they would be too many for one."""
    return tuple(sorted(paths)) if len(paths) <= _MAX_NAMED and sum(map(len, paths)) <= _MAX_NAMED_CHARS else ()


async def _numbers(git: Git, *arguments: str) -> dict[str, tuple[int, int]]:
    """Lines added and removed in each file between these; none for what is not text."""
    asked = ("diff", *DIFF_OPTIONS, "--numstat", "-z", "--no-renames", *arguments)
    listed = await git.read(*asked, limit_s=DIFF_LIMIT_S, max_bytes=MAX_COUNTED_BYTES)
    if listed.cut:
        raise GitError("This lane changes too many files to count them.")
    numbers: dict[str, tuple[int, int]] = {}
    for row in listed.raw.split(b"\0"):
        if row:
            more, less, path = row.split(b"\t", 2)
            numbers[os.fsdecode(path)] = (_number(more), _number(less))
    return numbers


async def _compared(git: Git, key: tuple[str, str, str]) -> _Counted:
    """How far a commit and its base are apart, and where they parted."""
    commit, base, _ = key
    if not commit or not base:
        return _Counted(key, None, None, None, commit)
    if commit == base:
        return _Counted(key, 0, 0, None, commit)
    apart = await _asked(git, "rev-list", "--left-right", "--count", f"{commit}...{base}")
    ahead, behind = apart.split()
    joined = await _asked(git, "merge-base", commit, base, check=False)
    return _Counted(key, int(ahead), int(behind), None, joined or commit)


async def _only_here(git: Git, found: WorktreeStatus) -> int | None:
    """Commits that no other branch, remote branch or tag holds (lanes-L1)."""
    if not found.commit:
        return None
    own = [f"--exclude={found.branch}"] if found.branch else []
    others = ("--not", *own, "--branches", "--remotes", "--tags")
    return int(await _asked(git, "rev-list", "--count", found.commit, *others))


async def _asked(git: Git, *arguments: str, check: bool = True) -> str:
    """A short answer of git."""
    said = await git.read(*arguments, limit_s=STATUS_LIMIT_S, max_bytes=_SHORT_BYTES, check=check)
    return said.raw.decode("ascii", "replace").strip()


def _paths(entries: tuple[StatusEntry, ...]) -> frozenset[str]:
    return frozenset(path for entry in entries for path in (entry.path, entry.old_path) if path)


def _number(word: bytes) -> int:
    """A count of lines; "-" of a file that is not text counts none."""
    return int(word) if word.isdigit() else 0


def _status(lane: Lane, at: datetime, found: WorktreeStatus, counted: _Counted, lines: _Lines) -> LaneStatus:
    entries = found.entries
    followed = bool(found.upstream) and not found.upstream_gone
    return LaneStatus(
        lane_id=lane.id,
        read_at=at,
        head=found.commit,
        branch=found.branch,
        detached=not found.branch,
        operation=_OPERATIONS.get(found.operation, ""),
        staged=sum(entry.staged not in ".?" and not entry.conflict for entry in entries),
        unstaged=sum(entry.unstaged not in ".?" and not entry.conflict for entry in entries),
        untracked=sum(entry.staged == "?" for entry in entries),
        conflicted=sum(entry.conflict for entry in entries),
        uncommitted=len(_paths(entries)),
        changed_files=len(lines.files),
        added=sum(added for added, _ in lines.files.values()),
        removed=sum(removed for _, removed in lines.files.values()),
        ahead=counted.ahead,
        behind=counted.behind,
        remote_ahead=found.ahead if followed else None,
        remote_behind=found.behind if followed else None,
        only_here=counted.only_here,
    )
