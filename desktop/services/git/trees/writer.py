"""Loose objects and new refs, written into a repository as git would write them, without starting git."""

import contextlib
import ctypes
import hashlib
import os
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from desktop.services.files.pointers import git_folders, read_pointer
from desktop.services.git.trees.listing import NewHash

HASHES: dict[int, NewHash] = {40: hashlib.sha1, 64: hashlib.sha256}
"""By the digits of an id."""

_FASTEST, _OBJECT_MODE, _REF_MODE = 1, 0o444, 0o666
_MAX_CONFIG_BYTES = 1024 * 1024
_EXTENSION = re.compile(r"(?:objectformat|worktreeconfig)\s*=\s*\w+")
_ODD_SETTINGS = ("sharedrepository", "promisor")
_WRITE, _WAIT_WRITE_WAIT = 2, 7  # of SYNC_FILE_RANGE
_MOST_OPEN = 64

Stamp = tuple[int, ...]


class LeftToGit(Exception):
    """Something here is unusual or does not work, so git itself has to write. What was written does no harm."""


class _Begun(NamedTuple):
    """A file whose data is on its way to the disk. It stands among those that git takes away when a crash left them."""

    fd: int
    path: Path

    def drop(self) -> None:
        """It is not needed."""
        os.close(self.fd)
        self.path.unlink(missing_ok=True)


class ObjectWriter:
    """Writes into the repository of one worktree. Blocking; one thread at a time.

    An object that is there is not written again; it counts as new, so that git does not prune it meanwhile. The data of
    all files goes to the disk together and before they get their names, and `point` waits for the disk once more: where
    a file system keeps the order of changes (ext4, xfs, APFS), a ref that is there after a power cut has whole objects,
    and it is there when `point` has returned.
    """

    def __init__(self, folder: Path) -> None:
        self._pointer = folder / ".git"
        self._common = self._pointer
        self._plain: tuple[Stamp, ...] = ()
        self._watched: tuple[Path, ...] = ()
        self._begun: dict[str, _Begun] = {}

    def require_plain(self) -> None:
        """Nothing is told of the repository that makes its objects and refs other than the usual files. What was found
        holds until one of git's pointers or the settings changed.

        Raises:
            LeftToGit: something is.
        """
        if self._plain and tuple(map(_stamp, self._watched)) == self._plain:
            return
        try:
            own, self._common = git_folders(self._pointer.parent)
            self._watched = (self._pointer, own / "commondir", self._common / "config")
            stamps = tuple(map(_stamp, self._watched))
            settings = read_pointer(self._watched[-1], _MAX_CONFIG_BYTES + 1).casefold()
        except (OSError, ValueError) as error:
            raise LeftToGit(f"its folders cannot be found: {error}") from error
        if sys.platform == "win32" or len(settings) > _MAX_CONFIG_BYTES or _is_odd(settings):
            raise LeftToGit("its settings are unusual")
        self._plain = stamps

    def holds(self, oid: str) -> bool:
        """Whether the object stands in a file of its own; then it counts as new. Git may hold others in packs."""
        path = self._place(oid)
        try:
            if not path.stat().st_size:
                return False
            os.utime(path)
        except OSError:
            return False
        return True

    def write(self, kind: str, content: bytes, digits: int) -> str:
        """The id, of so many digits, of an object that the repository has as soon as `settle` or `point` has returned.

        Raises:
            LeftToGit: it could not be written.
        """
        whole = b"%s %d\0" % (kind.encode(), len(content)) + content
        oid = HASHES[digits](whole).hexdigest()
        if oid not in self._begun and not self.holds(oid):
            self._begun[oid] = self._begin(zlib.compress(whole, _FASTEST), _OBJECT_MODE)
            if len(self._begun) >= _MOST_OPEN:
                self.settle()
        return oid

    def settle(self) -> None:
        """Give the objects that were written their names.

        Raises:
            LeftToGit: that did not work.
        """
        with _or_left_to_git("an object"):
            for begun in self._begun.values():
                _wait_for_data(begun.fd)
            for oid, begun in list(self._begun.items()):
                place = self._place(oid)
                try:
                    begun.path.rename(place)
                except FileNotFoundError:
                    place.parent.mkdir(exist_ok=True)
                    begun.path.rename(place)
                os.close(self._begun.pop(oid).fd)

    def drop(self) -> None:
        """Forget the objects that were written and have no names yet."""
        while self._begun:
            self._begun.popitem()[1].drop()

    def point(self, ref: str, oid: str) -> None:
        """Make a ref that is not there yet, and wait until it and all that was written before is on the disk.

        It is no lock file that gets the ref's name: one could stay after a crash, and then nobody could make the ref.

        Raises:
            LeftToGit: there is one, somebody holds its lock, or it could not be written.
        """
        place = self._common / ref
        if os.path.lexists(f"{place}.lock"):
            raise LeftToGit("the ref is locked")
        begun = self._begin(f"{oid}\n".encode(), _REF_MODE)
        try:
            self.settle()
            with _or_left_to_git(ref):
                _wait_for_data(begun.fd)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.hardlink_to(begun.path)
                begun.path.unlink()
                os.fsync(begun.fd)
        finally:
            begun.drop()

    def _begin(self, data: bytes, mode: int) -> _Begun:
        path = Path(f"{self._common}/objects/tmp_obj_{os.urandom(8).hex()}")
        with _or_left_to_git("a file"):
            begun = _Begun(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), path)
            try:
                left = memoryview(data)
                while left:
                    left = left[os.write(begun.fd, left) :]
                if sys.platform == "linux":
                    _libc.sync_file_range(begun.fd, 0, 0, _WRITE)
            except OSError:
                begun.drop()
                raise
        return begun

    def _place(self, oid: str) -> Path:
        return Path(f"{self._common}/objects/{oid[:2]}/{oid[2:]}")


def _is_odd(settings: str) -> bool:
    """Whether settings, in lower case, name an extension that we do not know, or another way to keep objects."""
    lines = [line.strip() for line in settings.splitlines()]
    if any(name in settings for name in _ODD_SETTINGS) or settings.count("extensions") != lines.count("[extensions]"):
        return True
    inside = False
    for line in lines:
        if line.startswith("["):
            inside = line == "[extensions]"
        elif inside and line and line[0] not in "#;" and _EXTENSION.fullmatch(line) is None:
            return True
    return False


@contextlib.contextmanager
def _or_left_to_git(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise LeftToGit(f"{what} could not be written: {error}") from error


def _wait_for_data(fd: int) -> None:
    """The data of the file has its place on the disk; that it has a name is another matter."""
    if sys.platform != "linux" or _libc.sync_file_range(fd, 0, 0, _WAIT_WRITE_WAIT) != 0:
        os.fsync(fd)


def _stamp(path: Path) -> Stamp:
    """What changes when a small file is replaced or written; of a folder only what changes when it is replaced."""
    try:
        found = path.lstat()
    except OSError:
        return ()
    if path.is_dir():
        return found.st_dev, found.st_ino
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


if sys.platform == "linux":
    _libc = ctypes.CDLL(None)
    _libc.sync_file_range.argtypes = (ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint)
