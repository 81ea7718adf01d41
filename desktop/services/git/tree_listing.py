"""The files of a lane at a moment: modes and content ids of everything Git does not ignore, read without Git."""

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from desktop.domain.core.errors import PathError
from desktop.services.files.folder_handles import READ_FLAGS, Folder
from desktop.services.files.lane_files import CHUNK_BYTES, LaneFiles
from desktop.services.git.run import head_commit

MAX_FILES = 200_000
MAX_FILE_BYTES = 50 * 1024 * 1024
RACY_NS = 2_000_000_000
FILE, EXECUTABLE, LINK, SUBMODULE = "100644", "100755", "120000", "160000"

Stamp = tuple[int, int, int, int, int]
NewHash = Callable[[bytes], "hashlib._Hash"]


class TreeEntry(NamedTuple):
    """One file, link or submodule as Git names it: its mode, and the id of its content or its HEAD commit."""

    mode: str
    oid: str


@dataclass(frozen=True)
class LaneTree:
    """The files by lane-relative path. `large`: files that are known by their content's id alone, too large to keep.

    `partial` says why something is missing here, "" if nothing is. `sizes`: bytes of those whose content was read now.
    """

    entries: dict[str, TreeEntry]
    large: dict[str, str] = field(default_factory=dict)
    partial: str = ""
    sizes: dict[str, int] = field(default_factory=dict)

    def same_as(self, other: "LaneTree") -> bool:
        """Whether both hold the same bytes under the same names."""
        return (self.entries, self.large, self.partial) == (other.entries, other.large, other.partial)


class TreeReader:
    """Reads the tree of one lane again and again; what did not change since is not read a second time.

    `large`: from this size on a file is known by its hash alone. One thread at a time.
    """

    def __init__(self, files: LaneFiles, object_format: str, *, max_file_bytes: int = MAX_FILE_BYTES) -> None:
        self._files = files
        self.new_hash: NewHash = hashlib.sha256 if object_format == "sha256" else hashlib.sha1
        self._max_file_bytes = max_file_bytes
        self._known: dict[str, tuple[Stamp, int, TreeEntry]] = {}

    def read(self, paths: Iterable[str], *, max_files: int = MAX_FILES) -> LaneTree:
        """The tree of these lane-relative paths; those that are missing or no file are not in it.

        A folder is a submodule or a repository of its own, known by its HEAD. No link is followed.
        """
        entries: dict[str, TreeEntry] = {}
        large: dict[str, str] = {}
        sizes: dict[str, int] = {}
        listed = sorted({path.rstrip("/") for path in paths}, key=_folder_first)
        partial = f"only {max_files:,} of {len(listed):,} files are in it" if len(listed) > max_files else ""
        for parent, group in groupby(listed[:max_files], key=_parent):
            for path, entry, size, fresh in self._folder(parent, list(group)):
                if size > self._max_file_bytes:
                    large[path] = entry.oid
                else:
                    entries[path] = entry
                    if fresh:
                        sizes[path] = size
        self._known = {path: known for path, known in self._known.items() if path in entries or path in large}
        return LaneTree(entries, large, partial, sizes)

    def content(self, path: str) -> tuple[TreeEntry, bytes] | None:
        """A file or link as it is now, with its content; None when there is none any more."""
        try:
            folder, name = self._files.open_parent(path)
            with folder:
                found = folder.stat(name)
                if stat.S_ISLNK(found.st_mode):
                    data, mode = os.fsencode(folder.link_target(name)), LINK
                elif stat.S_ISREG(found.st_mode):
                    data, mode = _bytes_of(folder, name, self._max_file_bytes), _mode(found)
                else:
                    return None
        except (OSError, PathError):
            return None
        self._known.pop(path, None)
        return TreeEntry(mode, self._id_of(data)), data

    def forget(self, paths: Iterable[str]) -> None:
        """Read these anew the next time, whatever their times say."""
        for path in paths:
            self._known.pop(path, None)

    def moved(self, files: LaneFiles) -> None:
        """Go on with the same folder at another place; what is known of its files counts there too."""
        self._files = files

    def _folder(self, parent: str, paths: list[str]) -> Iterator[tuple[str, TreeEntry, int, bool]]:
        try:
            folder, _ = self._files.open_parent(paths[0])
        except FileNotFoundError:
            return
        except OSError:  # something else stands where the folder was, such as a link
            return
        with folder:
            for path in paths:
                found = self._one(folder, path)
                if found is not None:
                    yield path, *found

    def _one(self, folder: Folder, path: str) -> tuple[TreeEntry, int, bool] | None:
        """The entry, its size, and whether its content was read now."""
        name = path.rpartition("/")[2]
        try:
            found = folder.stat(name)
            if stat.S_ISDIR(found.st_mode):
                head = head_commit(self._files.root / path)
                return (TreeEntry(SUBMODULE, head), 0, False) if head else None
            if not stat.S_ISREG(found.st_mode) and not stat.S_ISLNK(found.st_mode):
                return None
            stamp = (found.st_size, found.st_mtime_ns, found.st_ino, found.st_ctime_ns, found.st_mode)
            known = self._known.get(path)
            if known is not None and known[0] == stamp and known[1] - max(stamp[1], stamp[3]) > RACY_NS:
                return known[2], found.st_size, False
            began = time.time_ns()
            if stat.S_ISLNK(found.st_mode):
                entry = TreeEntry(LINK, self._id_of(os.fsencode(folder.link_target(name))))
            else:
                entry = TreeEntry(_mode(found), self._hash_file(folder, name, found.st_size))
        except OSError:
            return None
        self._known[path] = (stamp, began, entry)
        return entry, found.st_size, True

    def _hash_file(self, folder: Folder, name: str, size: int) -> str:
        fd = folder.open(name, READ_FLAGS)
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise OSError(f"{name} is no file any more")
            data = os.read(fd, size + 1) if size < CHUNK_BYTES else b""
            if size < CHUNK_BYTES and len(data) == size:
                return self._id_of(data)
            os.lseek(fd, 0, os.SEEK_SET)
            digest = self.new_hash(b"blob %d\0" % size)
            while chunk := os.read(fd, CHUNK_BYTES):
                digest.update(chunk)
            return digest.hexdigest()
        finally:
            os.close(fd)

    def _id_of(self, data: bytes) -> str:
        return self.new_hash(b"blob %d\0" % len(data) + data).hexdigest()


def _bytes_of(folder: Folder, name: str, limit: int) -> bytes:
    fd = folder.open(name, READ_FLAGS)
    with os.fdopen(fd, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(f"{name} is no file any more")
        size = min(found.st_size, limit)  # a buffer of this size is made
        data = file.read(size + 1)
    if len(data) > size:
        raise OSError(f"{name} grew too large")
    return data


def _mode(found: os.stat_result) -> str:
    return EXECUTABLE if found.st_mode & stat.S_IXUSR else FILE


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _folder_first(path: str) -> tuple[str, str]:
    return _parent(path), path
