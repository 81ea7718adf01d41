"""The reads of a lane's repository that agents may make: state, differences, history. Nothing of the lane runs
(gate-S17)."""

import asyncio
import os
from pathlib import Path

from desktop.domain.core.errors import GitError
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.file_search import is_secret
from desktop.services.git.patch import FilePatch, files_of
from desktop.services.git.refs import range_of
from desktop.services.git.run import DIFF_LIMIT_S, DIFF_OPTIONS, Git, names_in
from desktop.services.git.status import MAX_LIST_BYTES, WorktreeStatus, read_status

LOG_LIMIT_S = 8.0
MAX_PATCH_BYTES = 64 * 1024 * 1024
MAX_WITHHELD = 500
_OPERATIONS = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}
_LOG_FIELDS = "%H%n%an%n%ae%n%aI%n%s%n%b"


@dataclass(frozen=True)
class Repository:
    """The folders in which Git keeps a lane: its own, and the one that all worktrees share."""

    git_folder: Path
    shared_folder: Path

    @property
    def operation(self) -> str:
        """The operation that is under way: rebase, merge, cherry-pick, revert or bisect; "" when none is."""
        return next((word for name, word in _OPERATIONS.items() if (self.git_folder / name).exists()), "")


@dataclass(frozen=True)
class LaneDiff:
    """The files that differ, in Git's order. `withheld`: protected files, whose content is not read. `cut`: there would
    have been more."""

    files: tuple[FilePatch, ...]
    withheld: tuple[str, ...] = ()
    cut: bool = False


@dataclass(frozen=True)
class Commit:
    """One commit. `date` in ISO 8601; `body` is the message without its first line."""

    oid: str
    author: str
    email: str
    date: str
    subject: str
    body: str


async def own_repository(files: LaneFiles, lane_name: str) -> Repository:
    """The repository of a lane, if the lane is the top folder of its worktree and Git's folder is still that of the
    beginning (lanes-G8).

    Raises:
        GitError: it is not, or this is no repository.
    """
    places = ("--show-toplevel", "--git-dir", "--git-common-dir")
    found = await Git(files.root).run("rev-parse", "--path-format=absolute", *places)
    lines = [Path(os.fsdecode(line)) for line in found.raw.rstrip(b"\n").split(b"\n")]
    if len(lines) != len(places) or lines[0].resolve() != files.root or not all(map(files.is_own_git, lines[1:])):
        raise GitError(f'Lane "{lane_name}" does not point at its own folder. Repair or remove it.')
    return Repository(lines[1], lines[2])


class GitReads:
    """Reads of one lane. Every method raises GitError with Git's words when Git cannot do it in time."""

    def __init__(self, files: LaneFiles, lane_name: str) -> None:
        self._files = files
        self._name = lane_name
        self._git = Git(files.root)

    async def status(self) -> WorktreeStatus:
        """The branch and every file that differs from HEAD or from the index, at most 16 MiB of names."""
        repository = await own_repository(self._files, self._name)
        return await read_status(self._git, repository.operation)

    async def diff(self, *, ref: str = "", staged: bool = False, path: str = ".", open_path: str = "") -> LaneDiff:
        """Working files against the index; `staged`: the index against HEAD; `ref`: against that commit, or between the
        two of a range. `path`: only what is there. Of protected files only `open_path` is read, which a person allowed.

        Raises:
            UnknownRevision: there is no such commit.
        """
        await own_repository(self._files, self._name)
        command = ["diff", *DIFF_OPTIONS, *(["--cached"] if staged else []), *await self._revisions(ref)]
        place = _pathspec(path)
        until = asyncio.get_running_loop().time() + DIFF_LIMIT_S
        listed = await self._git.read(
            *command,
            "--name-only",
            "--no-renames",
            "-z",
            "--",
            *place,
            limit_s=DIFF_LIMIT_S,
            max_bytes=MAX_LIST_BYTES,
        )
        withheld = tuple(name for name in names_in(listed.raw) if is_secret(name) and name != open_path)
        if listed.cut or len(withheld) > MAX_WITHHELD:
            raise GitError("This difference has too many files. Name a path.")
        without = [f":(top,exclude,literal){name}" for name in withheld]
        patch = await self._git.read(
            *command,
            "--patch",
            "--find-renames",
            "--unified=3",
            "--",
            *place,
            *without,
            limit_s=max(until - asyncio.get_running_loop().time(), 1.0),
            max_bytes=MAX_PATCH_BYTES,
        )
        files = await asyncio.to_thread(files_of, patch.raw)
        shown = tuple(file for file in files if not _is_closed(file, open_path))
        return LaneDiff(shown, withheld, patch.cut)

    async def log(self, *, count: int, ref: str = "", path: str = ".") -> tuple[Commit, ...]:
        """The newest `count` commits of HEAD, of `ref`, or of a range, newest first; none when there is none yet.

        Raises:
            UnknownRevision: there is no such commit.
        """
        await own_repository(self._files, self._name)
        if not ref and not await self._commit_id("HEAD"):
            return ()
        revisions = await self._revisions(ref or "HEAD")
        listed = await self._git.read(
            "log",
            "-z",
            f"--max-count={count}",
            f"--format=tformat:{_LOG_FIELDS}",
            "--encoding=UTF-8",
            "--no-color",
            "--no-notes",
            "--no-show-signature",
            "--no-ext-diff",
            "--no-textconv",
            "--no-patch",
            *revisions,
            "--",
            *_pathspec(path),
            limit_s=LOG_LIMIT_S,
            max_bytes=MAX_LIST_BYTES,
        )
        records = [record for record in listed.raw.decode("utf-8", "replace").split("\0") if record]
        return tuple(_commit(record) for record in records)

    async def _revisions(self, ref: str) -> list[str]:
        """The ids behind a revision or a range, so that git has no name of a model to read."""
        if not ref:
            return []
        dots, left, right = range_of(ref)
        first = await self._known(left or "HEAD")
        return [f"{first}{dots}{await self._known(right or 'HEAD')}"] if dots else [first]

    async def _known(self, side: str) -> str:
        if oid := await self._commit_id(side):
            return oid
        raise UnknownRevision(f'There is no commit "{side}" in this repository.')

    async def _commit_id(self, side: str) -> str:
        found = await self._git.run(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{side}^{{commit}}", check=False
        )
        return found.stdout.strip() if found.status == 0 else ""


class UnknownRevision(GitError):
    """The repository has no such commit."""


def _pathspec(path: str) -> list[str]:
    return [] if path == "." else [f":(top,literal){path}"]


def _is_closed(file: FilePatch, open_path: str) -> bool:
    return any(is_secret(name) and name != open_path for name in (file.path, file.old_path) if name)


def _commit(record: str) -> Commit:
    oid, author, email, date, subject, body = record.split("\n", 5)
    return Commit(oid, author, email, date, subject, body.strip("\n"))
