"""The prediction of merging lanes, from their files as they are now; nothing of them changes (lanes-L44).

Merged trees and files that are not committed go into an object folder of our own, so the repository gets none of them.
"""

import asyncio
import contextlib
import os
import shutil
import stat
import tempfile
from pathlib import Path

from desktop.domain.core.errors import GitError
from desktop.domain.lanes.lane import Lane, Prediction
from desktop.records import dataclass
from desktop.services.files.pointers import git_folders
from desktop.services.git.index_copy import copy_index
from desktop.services.git.merge_place import merging
from desktop.services.git.run import NO_FETCH, WORKTREE_LIMIT_S, Git
from desktop.services.git.status import StatusEntry
from desktop.services.git.trees.merge import MERGE_LIMIT_S, MERGE_TREE, outcome_of
from desktop.services.lanes.status import Reading

MAX_UNCOMMITTED_BYTES = 16 * 1024 * 1024
MAX_KEPT_BYTES = 256 * 1024 * 1024
MAX_UNCOMMITTED_FILES = 5000
MAX_NAMES_BYTES = 4 * 1024 * 1024
_WHO = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "Banksman"), ("EMAIL", "banksman@localhost"), ("DATE", "1000000000 +0000"))
}
_QUICK = {"core.looseCompression": "0", "core.compression": "0", "core.splitIndex": "false"}

Mark = tuple[tuple[str, int, int, int], ...]
"""Of each file that is not committed: path, mode, size and time in ns; 0 where it is gone."""


@dataclass(frozen=True)
class Work:
    """The work of a lane as one commit, with what is not committed. `commit` "" when that could not be told."""

    lane_id: str
    commit: str
    key: tuple[str, Mark]


@dataclass(frozen=True)
class Predicted:
    """The outcome that a merge would have; `files`: those in conflict."""

    prediction: Prediction
    files: tuple[str, ...] = ()


UNKNOWN, CLEAN = Predicted("unknown"), Predicted("clean")


class ConflictReader:
    """Of one repository. `place`: an empty folder for objects, which nothing else uses and which is removed by `close`.
    Commits are merged once; later questions about the same ones are answered from memory."""

    def __init__(self, repository: Path, place: Path) -> None:
        self._objects = place / "objects"
        self._place = place
        self._repository = repository
        self._works: dict[str, Work] = {}
        self._known: dict[tuple[str, str], Predicted] = {}
        self._kept_bytes = 0

    async def work(self, lane: Lane, reading: Reading) -> Work:
        """The work of a lane as it is now. Blocking parts run on worker threads."""
        head, entries = reading.status.head, reading.entries
        mark = await asyncio.to_thread(_mark, Path(lane.worktree_path), entries)
        known = self._works.get(lane.id)
        if known is not None and known.key == (head, mark):
            return known
        commit = head
        if reading.status.conflicted or _too_much(mark):
            commit = ""
        elif mark:
            await self._make_room(sum(size for _, _, size, _ in mark))
            commit = await self._kept(Path(lane.worktree_path), head, tuple(path for path, *_ in mark))
        work = Work(lane.id, commit, (head, mark))
        self._works[lane.id] = work
        return work

    async def merged(self, folder: Path, ours: str, theirs: str) -> Predicted:
        """The result of merging these commits, by the attributes of the worktree at `folder`. Unknown where git cannot
        tell; that is not remembered."""
        if not ours or not theirs:
            return UNKNOWN
        if ours == theirs:
            return CLEAN
        pair = (min(ours, theirs), max(ours, theirs))
        if pair not in self._known:
            found = await self._merge(folder, *pair)
            if found.prediction == "unknown":
                return found
            self._known[pair] = found
        return self._known[pair]

    def forget(self, lane_ids: frozenset[str]) -> None:
        """Keep only what is known of these lanes."""
        self._works = {lane_id: work for lane_id, work in self._works.items() if lane_id in lane_ids}

    def close(self) -> None:
        """Remove the objects. Blocking."""
        shutil.rmtree(self._place, ignore_errors=True)

    async def _merge(self, folder: Path, ours: str, theirs: str) -> Predicted:
        try:
            git = (await asyncio.to_thread(self._git, folder)).also(NO_FETCH)
            with contextlib.ExitStack() as passing:
                there = await asyncio.to_thread(passing.enter_context, merging(git, ours, theirs))
                said = await there.read(
                    *MERGE_TREE, ours, theirs, limit_s=MERGE_LIMIT_S, max_bytes=MAX_NAMES_BYTES, check=False
                )
        except (GitError, OSError):
            return UNKNOWN
        if said.cut:
            return UNKNOWN
        found = outcome_of(said.raw, said.status, said.words)
        return Predicted(found.outcome, found.files)

    async def _make_room(self, size: int) -> None:
        """Begin anew when much was kept. What was found out about commits stays true."""
        self._kept_bytes += size
        if self._kept_bytes > MAX_KEPT_BYTES:
            self._kept_bytes = size
            self._works.clear()
            await asyncio.to_thread(self.close)

    async def _kept(self, folder: Path, head: str, paths: tuple[str, ...]) -> str:
        try:
            return await asyncio.to_thread(self._keep, folder, head, paths)
        except (GitError, OSError):
            return ""

    def _keep(self, folder: Path, head: str, paths: tuple[str, ...]) -> str:
        """A commit on `head` with these files as they are in the folder, by an index of our own."""
        with tempfile.TemporaryDirectory(dir=self._made_place(), prefix="index-") as scratch:
            index = Path(scratch) / "index"
            copy_index(git_folders(folder)[0], index)
            git = self._git(folder, {"GIT_INDEX_FILE": str(index)})
            config = {**git.emptied_filters(), **_QUICK}
            given = b"".join(os.fsencode(path) + b"\0" for path in paths)
            adding = ("update-index", "--add", "--remove", "--replace", "-z", "--stdin")
            git.run_now(*adding, given=given, config=config, limit_s=WORKTREE_LIMIT_S)
            tree = git.run_now("write-tree", config=config, limit_s=WORKTREE_LIMIT_S).stdout.strip()
            parent = ("-p", head) if head else ()
            return git.run_now("commit-tree", tree, *parent, "-m", "uncommitted", config=_QUICK).stdout.strip()

    def _git(self, folder: Path, environment: dict[str, str] | None = None) -> Git:
        """git that finds the repository's objects and writes only to our own."""
        if not self._objects.is_dir():
            (self._made_place() / "objects" / "info").mkdir(parents=True)
            shared = git_folders(self._repository)[1] / "objects"
            (self._objects / "info" / "alternates").write_bytes(os.fsencode(shared) + b"\n")
        return Git(folder, {**_WHO, "GIT_OBJECT_DIRECTORY": str(self._objects), **(environment or {})}, calm=True)

    def _made_place(self) -> Path:
        self._place.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self._place


def touching(one: frozenset[str], other: frozenset[str]) -> tuple[str, ...]:
    """The paths that both change, and those below what is a file in the other; sorted."""
    small, large = sorted((one, other), key=len)
    both = small & large
    files = {path for path in small if _above(path) & large} | {path for path in large if _above(path) & small}
    return tuple(sorted(both | files))


def _above(path: str) -> set[str]:
    parts = path.split("/")
    return {"/".join(parts[:count]) for count in range(1, len(parts))}


def _too_much(mark: Mark) -> bool:
    return len(mark) > MAX_UNCOMMITTED_FILES or sum(size for _, _, size, _ in mark) > MAX_UNCOMMITTED_BYTES


def _mark(folder: Path, entries: tuple[StatusEntry, ...]) -> Mark:
    """How the files that are not committed look now. Too many are not looked at one by one."""
    named = {path for entry in entries for path in (entry.path, entry.old_path)}
    paths = sorted(path for path in named if path and not path.endswith("/"))  # a repository inside is not its work
    if len(paths) > MAX_UNCOMMITTED_FILES:
        return tuple((path, 0, 0, 0) for path in paths)
    return tuple(_look(folder, path) for path in paths)


def _look(folder: Path, path: str) -> tuple[str, int, int, int]:
    try:
        found = (folder / path).lstat()
    except OSError:
        return (path, 0, 0, 0)
    size = found.st_size if stat.S_ISREG(found.st_mode) else 0
    return (path, found.st_mode, size, found.st_mtime_ns)
