"""Spare files: what a lane will begin with, written ahead of it while the program still starts."""

import asyncio
import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from desktop.domain.core.errors import BanksmanError
from desktop.records import dataclass
from desktop.services.files.leftovers import passing_prefix
from desktop.services.files.pointers import git_folders
from desktop.services.git.base_branches import default_base
from desktop.services.git.run import Git
from desktop.services.projects import open_project

WORKERS = {"checkout.workers": str(min(4, os.cpu_count() or 1))}
WORTH_BYTES = 64 * 1024
"""So large an index, or the files are written as soon as they are wanted."""


@dataclass(frozen=True)
class _Written:
    """The files of a commit, below `folder`, with the index that Git wrote with them."""

    commit: str
    folder: Path

    @property
    def files(self) -> Path:
        """The folder that becomes a lane's."""
        return self.folder / "files"

    @property
    def index(self) -> Path:
        """Git's index of them."""
        return self.folder / "index"


class SpareFiles:
    """The files at which lanes of the repository around `place` begin, if nobody says otherwise. All on one loop.

    They stand in a passing folder below `passing`, which no list of Git knows, so nobody takes them for a lane; what a
    killed process leaves there is swept as everything is that passes. Given to one lane, or dropped.
    """

    def __init__(self, place: Path, passing: Path) -> None:
        self._making: asyncio.Task[_Written | None] | None = asyncio.create_task(_written(place, passing), name="spare")

    async def give(self, commit: str, folder: Path) -> bool:
        """Let the worktree at `folder`, which has no files yet, have those of `commit`. False: they are not the ones
        that are here, or cannot be moved there; nothing was changed then."""
        written = await self._taken()
        if written is None:
            return False
        try:
            return written.commit == commit and await asyncio.to_thread(_moved, written, folder)
        finally:
            await asyncio.to_thread(shutil.rmtree, written.folder, ignore_errors=True)

    async def drop(self) -> None:
        """They are not needed, or not any more."""
        written = await self._taken()
        if written is not None:
            await asyncio.to_thread(shutil.rmtree, written.folder, ignore_errors=True)

    async def _taken(self) -> _Written | None:
        making, self._making = self._making, None
        return await making if making is not None else None


async def _written(place: Path, passing: Path) -> _Written | None:
    folder: Path | None = None
    try:
        if _is_small(place):
            return None
        project = await open_project(place)
        checkout = Path(project.path)
        git = Git(checkout)
        base = await default_base(git, project.branch)
        if _is_small(checkout) or any([git.sets("core.sparsecheckout"), git.sets("extensions.worktreeconfig")]):
            return None
        folder = Path(tempfile.mkdtemp(prefix=passing_prefix(), dir=passing))
        written = _Written(base.oid, folder)
        written.files.mkdir(mode=0o777)
        own = git.also({"GIT_INDEX_FILE": str(written.index)})
        filled = own.standing_in(written.files, git_folders(checkout)[1], WORKERS)
        await filled.run_on_files("read-tree", "-m", "-u", base.oid)
    except (BanksmanError, OSError, ValueError):  # whoever needs a lane is told what does not work
        if folder is not None:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        return None
    return written


def _is_small(checkout: Path) -> bool:
    """Whether a checkout is known to hold few files."""
    try:
        return (git_folders(checkout)[0] / "index").stat().st_size < WORTH_BYTES
    except (OSError, ValueError):
        return False


def _moved(written: _Written, folder: Path) -> bool:
    """The worktree gets its files by one rename, so they keep the times that the index notes."""
    pointer, carried = folder / ".git", written.files / ".git"
    index = git_folders(folder)[0] / "index"
    if os.lstat(written.files).st_dev != os.lstat(folder).st_dev or os.path.lexists(index):
        return False
    try:
        pointer.rename(carried)
        written.files.rename(folder)
    except OSError:
        with contextlib.suppress(OSError):
            carried.rename(pointer)
        return False
    shutil.move(written.index, index)
    return True
