"""The folders in which copies live for as long as somebody looks at them (memory-EP9)."""

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from desktop.records import dataclass
from desktop.services.files.leftovers import passing_prefix, sweep

PRIVATE = 0o700


@dataclass(frozen=True)
class CopyFolder:
    """The folder of one copy, which only this user can enter. `files`: what the command wrote, over the lane (`work`
    is the kernel's beside it) or as a whole copy of it. `temp`: the command's TMPDIR."""

    root: Path

    @property
    def files(self) -> Path:
        """What the command wrote."""
        return self.root / "files"

    @property
    def work(self) -> Path:
        """The kernel's own folder beside it."""
        return self.root / "work"

    @property
    def temp(self) -> Path:
        """The command's TMPDIR."""
        return self.root / "tmp"

    def remove(self) -> None:
        """Take it away with all that a command left in it, whatever its permissions are. Blocking."""
        open_up(self.root)
        shutil.rmtree(self.root, ignore_errors=True)


def new_copy_folder(parent: Path) -> CopyFolder:
    """An empty one below `parent`. Blocking. Raises OSError."""
    parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    made = CopyFolder(Path(tempfile.mkdtemp(prefix=passing_prefix(), dir=parent)))
    for folder in (made.files, made.work, made.temp):
        folder.mkdir(mode=PRIVATE)
    return made


def sweep_copies(parent: Path) -> None:
    """Take away what an earlier process left when it was killed. Blocking."""
    for entry in _entries(parent):
        if entry.is_dir(follow_symlinks=False):
            open_up(Path(entry.path), only_left=True)
    sweep([parent])


def open_up(root: Path, *, only_left: bool = False) -> None:
    """Let this user enter every folder below: the kernel's own is closed, and a command may have closed others.
    `only_left`: not what a process that runs has made."""
    if only_left and passing_prefix() in root.name:
        return
    waiting = [str(root)]
    while waiting:
        folder = waiting.pop()
        with contextlib.suppress(OSError):
            if os.stat(folder).st_mode & stat.S_IRWXU != stat.S_IRWXU:  # noqa: PTH116
                os.chmod(folder, PRIVATE)  # noqa: PTH101
        waiting += [entry.path for entry in _entries(folder) if entry.is_dir(follow_symlinks=False)]


def _entries(folder: Path | str) -> Iterator["os.DirEntry[str]"]:
    with contextlib.suppress(OSError), os.scandir(folder) as listed:
        yield from listed
