"""Opening what a path means without following a link: folder by folder, each opened from the one above (gate-P3)."""

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import Protocol, Self

FOLDER_MODE = 0o755
_BINARY = getattr(os, "O_BINARY", 0)  # Windows only
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NO_BLOCK = getattr(os, "O_NONBLOCK", 0)
_PASS = getattr(os, "O_PATH", 0) | getattr(os, "O_DIRECTORY", 0) | _NO_FOLLOW
READ_FLAGS = os.O_RDONLY | _NO_FOLLOW | _NO_BLOCK | _BINARY
CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _BINARY
_NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS}
HAS_HANDLES = {os.open, os.stat, os.mkdir, os.rename, os.unlink, os.rmdir} <= os.supports_dir_fd


class Folder(Protocol):
    """An open folder. Names are single components; a link is never followed. All methods raise OSError."""

    def child(self, name: str) -> "Folder":
        """The folder of this name in here. The caller closes it."""

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """A descriptor of the file of this name in here."""

    def stat(self, name: str) -> os.stat_result:
        """The facts about the entry of this name; of a link, about the link."""

    def own_stat(self) -> os.stat_result:
        """The facts about this folder itself."""

    def make(self, name: str) -> None:
        """Make a folder of this name."""

    def rename(self, old: str, new: str) -> None:
        """Give an entry a new name; what had that name is replaced at once, never half."""

    def carry(self, name: str, other: "Folder", new: str) -> None:
        """Move the entry `name` into `other` as `new`, never in the place of something (FileExistsError)."""

    def names(self) -> list[str]:
        """The names of all entries, in no order."""

    def link_target(self, name: str) -> str:
        """The path to which the link of this name leads."""

    def make_link(self, name: str, target: str) -> None:
        """Make a link that leads to `target`."""

    def unlink(self, name: str) -> None:
        """Remove the file of this name."""

    def remove(self, name: str) -> None:
        """Remove the empty folder of this name."""

    def sync(self) -> None:
        """Write the names in this folder to the disk."""

    def close(self) -> None:
        """Give the handle back."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...


class HandleFolder:
    """A folder held by its descriptor, so that nothing above it can be exchanged afterwards."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    @classmethod
    def at(cls, path: Path) -> "HandleFolder":
        """The folder at this absolute path, whose last component is no link."""
        return cls(os.open(path, _PASS))

    def child(self, name: str) -> "HandleFolder":
        """The folder of this name in here."""
        return HandleFolder(os.open(name, _PASS, dir_fd=self._fd))

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """A descriptor of the file of this name in here."""
        return os.open(name, flags, mode, dir_fd=self._fd)

    def stat(self, name: str) -> os.stat_result:
        """The facts about the entry of this name; of a link, about the link."""
        return os.stat(name, dir_fd=self._fd, follow_symlinks=False)

    def own_stat(self) -> os.stat_result:
        """The facts about this folder itself."""
        return os.fstat(self._fd)

    def make(self, name: str) -> None:
        """Make a folder of this name."""
        os.mkdir(name, FOLDER_MODE, dir_fd=self._fd)

    def rename(self, old: str, new: str) -> None:
        """`new` is replaced at once, never half."""
        os.rename(old, new, src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def carry(self, name: str, other: "Folder", new: str) -> None:
        """Move the entry `name` into `other` as `new`, never in the place of something."""
        if not isinstance(other, HandleFolder):
            raise OSError(errno.EXDEV, "It is held in another way", new)
        here, there = self._fd, other._fd
        if stat.S_ISDIR(self.stat(name).st_mode):
            os.mkdir(new, FOLDER_MODE, dir_fd=there)  # an empty folder is all that a folder can replace
            try:
                os.rename(name, new, src_dir_fd=here, dst_dir_fd=there)
            except OSError:
                os.rmdir(new, dir_fd=there)
                raise
            return
        try:
            os.link(name, new, src_dir_fd=here, dst_dir_fd=there, follow_symlinks=False)
        except OSError as e:
            if e.errno not in _NO_HARD_LINKS:
                raise
            _check_free(other, new)
            os.rename(name, new, src_dir_fd=here, dst_dir_fd=there)
            return
        try:
            os.unlink(name, dir_fd=here)
        except OSError:
            os.unlink(new, dir_fd=there)
            raise

    def names(self) -> list[str]:
        """The names of all entries, in no order."""
        fd = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._fd)
        try:
            return os.listdir(fd)  # noqa: PTH208 - by descriptor
        finally:
            os.close(fd)

    def link_target(self, name: str) -> str:
        """The path to which the link of this name leads."""
        return os.readlink(name, dir_fd=self._fd)

    def make_link(self, name: str, target: str) -> None:
        """A new link that leads to `target`."""
        os.symlink(target, name, dir_fd=self._fd)

    def unlink(self, name: str) -> None:
        """Remove the file of this name."""
        os.unlink(name, dir_fd=self._fd)

    def remove(self, name: str) -> None:
        """The empty folder is gone."""
        os.rmdir(name, dir_fd=self._fd)

    def sync(self) -> None:
        """Names in this folder are on disk."""
        fd = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._fd)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def close(self) -> None:
        """Give the handle back."""
        os.close(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class PathFolder:
    """A folder held by its path, for systems without folder handles: every step checks that the name is no link."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def at(cls, path: Path) -> "PathFolder":
        """The folder at this absolute path, whose last component is no link."""
        return cls(_real_folder(path))

    def child(self, name: str) -> "PathFolder":
        """The folder of this name in here."""
        return PathFolder(_real_folder(self._path / name))

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """A descriptor of the file of this name in here."""
        path = self._path / name
        if path.is_symlink():
            raise OSError(errno.ELOOP, "It is a link", str(path))
        return os.open(path, flags, mode)

    def stat(self, name: str) -> os.stat_result:
        """The facts about the entry of this name; of a link, about the link."""
        return (self._path / name).lstat()

    def own_stat(self) -> os.stat_result:
        """The facts about this folder itself."""
        return self._path.lstat()

    def make(self, name: str) -> None:
        """Make a folder of this name."""
        (self._path / name).mkdir(FOLDER_MODE)

    def rename(self, old: str, new: str) -> None:
        """`new` is replaced at once, never half."""
        (self._path / old).replace(self._path / new)

    def carry(self, name: str, other: "Folder", new: str) -> None:
        """Move the entry `name` into `other` as `new`, never in the place of something."""
        if not isinstance(other, PathFolder):
            raise OSError(errno.EXDEV, "It is held in another way", new)
        _check_free(other, new)
        (self._path / name).rename(other._path / new)

    def names(self) -> list[str]:
        """The names of all entries, in no order."""
        return [entry.name for entry in self._path.iterdir()]

    def link_target(self, name: str) -> str:
        """The path to which the link of this name leads."""
        return str((self._path / name).readlink())

    def make_link(self, name: str, target: str) -> None:
        """A new link that leads to `target`."""
        (self._path / name).symlink_to(target)

    def unlink(self, name: str) -> None:
        """Remove the file of this name."""
        (self._path / name).unlink()

    def remove(self, name: str) -> None:
        """The empty folder is gone."""
        (self._path / name).rmdir()

    def sync(self) -> None:
        """Do nothing: such a system writes names through."""

    def close(self) -> None:
        """Do nothing: no handle is held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _check_free(folder: Folder, name: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        folder.stat(name)
        raise FileExistsError(errno.EEXIST, "There is something of this name", name)


def _real_folder(path: Path) -> Path:
    if not stat.S_ISDIR(path.lstat().st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "It is not a folder", str(path))
    return path


def descend(top: Folder, parts: tuple[str, ...], made: list[tuple[str, ...]] | None = None) -> Folder:
    """The folder at `parts` below `top`, no link followed; `top` is closed. The caller closes the result.

    With `made` given, missing folders are created and noted there, outermost first. Raises OSError.
    """
    here = top
    for depth, name in enumerate(parts):
        with here:
            if made is not None and _made(here, name):
                made.append(parts[: depth + 1])
            here = here.child(name)
    return here


def _made(folder: Folder, name: str) -> bool:
    with contextlib.suppress(FileExistsError):
        folder.make(name)
        return True
    return False
