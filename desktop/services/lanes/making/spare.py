"""Spare files: what a lane will begin with, written ahead of it: while the program starts, or while a person types."""

import asyncio
import contextlib
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.work import Project
from desktop.records import dataclass
from desktop.services.files.leftovers import passing_prefix
from desktop.services.files.pointers import git_folders
from desktop.services.git.base_branches import default_base
from desktop.services.git.run import STATUS_LIMIT_S, WORKTREE_LIMIT_S, Git
from desktop.services.projects import open_project

WORKERS = {"checkout.workers": str(min(4, os.cpu_count() or 1))}
WORTH_BYTES = 64 * 1024
"""So large an index, or the files are written as soon as they are wanted."""
_LOOKING_CLOSELY = {"core.trustctime": "true", "core.checkStat": "default", "core.ignoreStat": "false"}
_NOT_OF_FILES = (b"branch.", b"remote.", b"user.")
_FOR_ALL = b"core.attributesfile\n"
Stamps = tuple[tuple[str, int, int, int], ...]
"""Of folders: path, inode and the times of their last changes."""


@dataclass(frozen=True)
class _Written:
    """The files of a commit, below `folder`, with the index that Git wrote with them. `shapes`: a digest of what says
    how Git writes files; `stamps`: the folders as they stood when all was written."""

    commit: str
    checkout: Path
    folder: Path
    shapes: str
    stamps: Stamps

    @property
    def files(self) -> Path:
        """The folder that becomes a lane's."""
        return _files(self.folder)

    def is_as_it_was(self) -> bool:
        """Whether nobody touched a file or a folder since, and Git would write them now as it did then. Blocking."""
        if _shapes(self.checkout) != self.shapes or not all(_stamp(one[0]) == one for one in self.stamps):
            return False
        own = _standing(Git(self.checkout), self.folder, _LOOKING_CLOSELY)
        return not own.run_on_files_now("diff-files", "--name-only", "-z", limit_s=STATUS_LIMIT_S).raw


class SpareFiles:
    """The files at which lanes of the repository around `place` begin, if nobody says otherwise. All on one loop.

    They stand in a passing folder below `passing`, which no list of Git knows, so nobody takes them for a lane; what a
    killed process leaves there is swept as everything is that passes. Given to one lane, or dropped. `project`: the
    repository, where it is known. `calm`: they are written in no haste, and waited for only as long as that took until
    they were wanted.
    """

    def __init__(self, place: Path, passing: Path, project: Project | None = None, *, calm: bool = False) -> None:
        self._calm, self._began = calm, asyncio.get_running_loop().time()
        writing = _written(place, passing, project, calm=calm)
        self._making: asyncio.Task[_Written | None] | None = asyncio.create_task(writing, name="spare")

    async def give(self, commit: str, folder: Path) -> bool:
        """Let the worktree at `folder`, which has no files yet, have those of `commit`. False: they are not the ones
        that are here, somebody touched them, or they cannot be moved there; nothing was changed then."""
        patience_s = asyncio.get_running_loop().time() - self._began if self._calm else None
        written = await self._taken(patience_s)
        if written is None:
            return False
        try:
            return written.commit == commit and await asyncio.to_thread(_moved, written, folder)
        finally:
            await asyncio.to_thread(shutil.rmtree, written.folder, ignore_errors=True)

    def serves(self, commit: str) -> bool:
        """Whether they are those of this commit, or are still being written."""
        making = self._making
        if making is None or not making.done():
            return making is not None
        written = None if making.cancelled() else making.result()
        return written is not None and written.commit == commit

    async def drop(self) -> None:
        """They are not needed, or not any more. What is still being written is given up."""
        written = await self._taken(0.0)
        if written is not None:
            await asyncio.to_thread(shutil.rmtree, written.folder, ignore_errors=True)

    async def _taken(self, patience_s: float | None) -> _Written | None:
        making, self._making = self._making, None
        if making is None:
            return None
        await asyncio.wait({making}, timeout=patience_s)
        if not making.done():
            making.cancel()
            await asyncio.wait({making})
        return None if making.cancelled() else making.result()


async def _written(place: Path, passing: Path, project: Project | None, *, calm: bool) -> _Written | None:
    folder, written = None, None
    try:
        if _is_small(place):
            return None
        project = project or await open_project(place)
        checkout = Path(project.path)
        git = Git(checkout, calm=calm)
        base = await default_base(git, project.branch)
        if _is_small(checkout) or await asyncio.to_thread(_has_own_settings, git):
            return None
        folder = Path(tempfile.mkdtemp(prefix=passing_prefix(), dir=passing))
        _files(folder).mkdir(mode=0o777)
        shapes = await asyncio.to_thread(_shapes, checkout)
        writing = _standing(git, folder, {} if calm else WORKERS)
        await writing.read("read-tree", "-m", "-u", base.oid, limit_s=WORKTREE_LIMIT_S, max_bytes=0)
        stamps = await asyncio.to_thread(_stamps, _files(folder))
        written = _Written(base.oid, checkout, folder, shapes, stamps)
    except (BanksmanError, OSError, ValueError):  # whoever needs a lane is told what does not work
        return None
    finally:
        if folder is not None and written is None:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return written


def _is_small(checkout: Path) -> bool:
    """Whether a checkout is known to hold few files."""
    try:
        return (git_folders(checkout)[0] / "index").stat().st_size < WORTH_BYTES
    except (OSError, ValueError):
        return False


def _has_own_settings(git: Git) -> bool:
    """Whether worktrees may have settings of their own. Blocking."""
    return git.sets("core.sparsecheckout") or git.sets("extensions.worktreeconfig")


def _files(folder: Path) -> Path:
    return folder / "files"


def _index(folder: Path) -> Path:
    return folder / "index"


def _standing(git: Git, folder: Path, config: dict[str, str]) -> Git:
    """A git that takes the spare files for those of a worktree."""
    own = git.also({"GIT_INDEX_FILE": str(_index(folder))})
    return own.standing_in(_files(folder), git_folders(git.folder)[1], config)


def _shapes(checkout: Path) -> str:
    """A digest of the settings, and of the attributes that stand outside the files. Blocking."""
    listed = Git(checkout).run_now("config", "--list", "-z").raw.split(b"\0")
    seen = hashlib.sha256(b"\0".join(one for one in listed if not one.startswith(_NOT_OF_FILES)))
    usual = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config") / "git" / "attributes"
    named = [os.fsdecode(one.removeprefix(_FOR_ALL)) for one in listed if one.startswith(_FOR_ALL)]
    for place in (git_folders(checkout)[1] / "info" / "attributes", usual, *map(Path, named)):
        with contextlib.suppress(OSError, RuntimeError):
            seen.update(b"\0" + place.expanduser().read_bytes())
    return seen.hexdigest()


def _stamps(files: Path) -> Stamps:
    return tuple(_stamp(folder) for folder, _, _ in os.walk(files))


def _stamp(folder: str) -> tuple[str, int, int, int]:
    """How a folder stands, which tells whether something in it was added, removed or replaced."""
    try:
        found = os.lstat(folder)
    except OSError:
        return folder, 0, 0, 0
    return folder, found.st_ino, found.st_mtime_ns, found.st_ctime_ns


def _moved(written: _Written, folder: Path) -> bool:
    """The worktree gets its files by one rename, so they keep the times that the index notes. Blocking."""
    pointer, carried = folder / ".git", written.files / ".git"
    try:
        index = git_folders(folder)[0] / "index"
        if os.lstat(written.files).st_dev != os.lstat(folder).st_dev or os.path.lexists(index):
            return False
        if not written.is_as_it_was():
            return False
        pointer.rename(carried)
        written.files.rename(folder)
    except (BanksmanError, OSError, ValueError):
        with contextlib.suppress(OSError):
            carried.rename(pointer)
        return False
    shutil.move(_index(written.folder), index)
    return True
