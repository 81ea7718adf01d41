"""The files of a lane at a moment: modes and content ids of everything Git does not ignore, read without Git."""

import contextlib
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from itertools import chain, groupby
from typing import NamedTuple

from desktop.collecting import uncollected
from desktop.domain.core.errors import PathError
from desktop.records import dataclass
from desktop.services.files.change_times import are_precise, moment_ns, settled
from desktop.services.files.folder_handles import READ_FLAGS, Folder
from desktop.services.files.lane_files import CHUNK_BYTES, LaneFiles
from desktop.services.files.lane_view import LaneView, Stamp, stamp_of
from desktop.services.git.run import head_commit
from desktop.services.git.trees.unignored import UnignoredNames

MAX_FILES = 200_000
MAX_STEPS = 16
MANY = 5_000
MAX_FILE_BYTES = 50 * 1024 * 1024
FILE, EXECUTABLE, LINK, SUBMODULE = "100644", "100755", "120000", "160000"

NewHash = Callable[[bytes], "hashlib._Hash"]


class TreeEntry(NamedTuple):
    """One file, link or submodule as Git names it: its mode, and the id of its content or its HEAD commit."""

    mode: str
    oid: str


@dataclass(frozen=True)
class LaneTree:
    """The files by lane-relative path. `large`: files that are known by their content's id alone, too large to keep.

    `partial` says why something is missing here, "" if nothing is. Nobody changes the entries of a tree.
    """

    entries: dict[str, TreeEntry]
    large: dict[str, str] = field(default_factory=dict)
    partial: str = ""
    _token: object = field(default_factory=object, compare=False, repr=False)
    _steps: tuple[tuple[object, frozenset[str]], ...] = field(default=(), compare=False, repr=False)

    def having(self, goals: Mapping[str, TreeEntry | None], large: dict[str, str] | None = None) -> "LaneTree":
        """The tree in which these paths have these entries, None for none, with other large files where they are given;
        the same object where that changes nothing."""
        large = self.large if large is None else large
        changed = {path: entry for path, entry in goals.items() if self.entries.get(path) != entry}
        if not changed and large == self.large:
            return self
        entries = dict(self.entries)
        for path, entry in changed.items():
            if entry is None:
                del entries[path]
            else:
                entries[path] = entry
        steps = ((self._token, frozenset(changed)), *((token, known | changed.keys()) for token, known in self._steps))
        return replace(self, entries=entries, large=large, _token=object(), _steps=steps[:MAX_STEPS])

    def differing(self, before: "LaneTree") -> list[str]:
        """The paths whose entries are not those of `before`. It grows with what changed where one of both was made
        from the other a few steps ago."""
        old, new = before.entries, self.entries
        if old is new:
            return []
        steps = [paths for token, paths in self._steps if token is before._token]
        steps += [paths for token, paths in before._steps if token is self._token]
        paths: Iterable[str] = steps[0] if steps else chain(old, (path for path in new if path not in old))
        return [path for path in paths if (was := old.get(path)) is not (now := new.get(path)) and was != now]

    def same_as(self, other: "LaneTree") -> bool:
        """Whether both hold the same bytes under the same names."""
        return (self.large, self.partial) == (other.large, other.partial) and not self.differing(other)


class KnownFile(NamedTuple):
    """What was read of a file under a stamp, so long after its last change that another one gives another stamp."""

    stamp: Stamp
    entry: TreeEntry
    size: int


class TreeReader:
    """Reads the tree of one lane again and again; what did not change since is not read a second time.

    `large`: from this size on a file is known by its hash alone. One thread at a time.
    """

    def __init__(self, files: LaneFiles, object_format: str, *, max_file_bytes: int = MAX_FILE_BYTES) -> None:
        self._files = files
        self._precise = are_precise([files.root], files.root)
        self.new_hash: NewHash = hashlib.sha256 if object_format == "sha256" else hashlib.sha1
        self._max_file_bytes = max_file_bytes
        self._known: dict[str, KnownFile] = {}
        self._again: set[str] = set()
        self._tree = LaneTree({})
        self._seen = (-1, -1)

    def read(self, paths: Iterable[str], *, max_files: int = MAX_FILES) -> LaneTree:
        """The tree of these lane-relative paths; those that are missing or no file are not in it.

        A folder is a submodule or a repository of its own, known by its HEAD. No link is followed.
        """
        entries: dict[str, TreeEntry] = {}
        large: dict[str, str] = {}
        listed = by_folder({path.rstrip("/") for path in paths})
        partial = f"only {max_files:,} of {len(listed):,} files are in it" if len(listed) > max_files else ""
        for path, entry, size in self._on_disk(listed[:max_files]):
            if size > self._max_file_bytes:
                large[path] = entry.oid
            else:
                entries[path] = entry
        self._known = {path: known for path, known in self._known.items() if path in entries or path in large}
        self._seen = (-1, -1)
        return LaneTree(entries, large, partial)

    def read_seen(self, view: LaneView, names: UnignoredNames, *, max_files: int = MAX_FILES) -> LaneTree:
        """The tree of these names, as `read` gives it, by the last look at the lane: only what is not known under its
        stamp is looked at. The same object where nothing changed."""
        if len(names.paths) > max_files or not view.whole:
            return self.read(names.paths, max_files=max_files)
        changes = view.changes(self._seen[0]) if self._seen[1] == names.version and names.followed else None
        self._seen = (-1, -1)  # until all is read
        if changes is None:
            self._read_all(view, names)
        else:
            self._read_some({path for path in (*changes, *self._again) if path in names.paths}, view)
        self._seen = (view.version, names.version)
        return self._tree

    def _read_all(self, view: LaneView, names: UnignoredNames) -> None:
        entries: dict[str, TreeEntry] = {}
        large: dict[str, str] = {}
        unknown = []
        for path in names.paths:
            known = self._known.get(path)
            if known is None or view.stamps.get(path) != known.stamp:
                unknown.append(path.rstrip("/"))
            elif known.size > self._max_file_bytes:
                large[path] = known.entry.oid
            else:
                entries[path] = known.entry
        self._tree = LaneTree(entries, large)
        self._again.clear()
        self._read_some(unknown, view)
        tree = self._tree
        self._known = {path: one for path, one in self._known.items() if path in tree.entries or path in tree.large}

    def _read_some(self, paths: Iterable[str], view: LaneView) -> None:
        """Bring the tree up to date where these paths are."""
        anew = set(paths)
        with uncollected() if len(anew) > MANY else contextlib.nullcontext():
            asked = by_folder(anew)
            found = {path: (entry, size) for path, entry, size in self._on_disk(asked)}
        small = {path: entry for path, (entry, size) in found.items() if size <= self._max_file_bytes}
        large = self._tree.large
        if large or len(small) < len(found):
            large = {path: oid for path, oid in large.items() if path not in anew}
            large |= {path: entry.oid for path, (entry, _) in found.items() if path not in small}
        self._tree = self._tree.having({path: small.get(path) for path in asked}, large)
        self._again.difference_update(asked)
        self._again.update(path for path in asked if path not in self._known and path in view.stamps)

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
        self.forget([path])
        return TreeEntry(mode, self._id_of(data)), data

    def take_over(self, known: Iterable[tuple[str, KnownFile]]) -> None:
        """Files that are known from elsewhere; those whose stamp is another one by then are read all the same."""
        self._known.update(known)

    def forget(self, paths: Iterable[str]) -> None:
        """Read these anew the next time, whatever their times say."""
        for path in paths:
            self._known.pop(path, None)
            self._again.add(path)

    def moved(self, files: LaneFiles) -> None:
        """Go on with the same folder at another place; what is known of its files counts there too."""
        self._files = files
        self._precise = are_precise([files.root], files.root)

    def _on_disk(self, paths: list[str]) -> Iterator[tuple[str, TreeEntry, int]]:
        """The entries and sizes of those of the paths, sorted by folder, at which there is something."""
        for _, group in groupby(paths, key=_parent):
            yield from self._folder(list(group))

    def _folder(self, paths: list[str]) -> Iterator[tuple[str, TreeEntry, int]]:
        try:
            folder, _ = self._files.open_parent(paths[0])
        except OSError:  # it is gone, or something else stands where the folder was, such as a link
            return
        with folder:
            for path in paths:
                found = self._one(folder, path)
                if found is not None:
                    yield path, *found

    def _one(self, folder: Folder, path: str) -> tuple[TreeEntry, int] | None:
        """The entry and its size."""
        name = path.rpartition("/")[2]
        try:
            found = folder.stat(name)
            if stat.S_ISDIR(found.st_mode):
                head = head_commit(self._files.root / path)
                return (TreeEntry(SUBMODULE, head), 0) if head else None
            if not stat.S_ISREG(found.st_mode) and not stat.S_ISLNK(found.st_mode):
                return None
            stamp, size, known = stamp_of(found), found.st_size, self._known.pop(path, None)
            if known is None or known.stamp != stamp:
                moment = moment_ns()
                if stat.S_ISLNK(found.st_mode):
                    entry = TreeEntry(LINK, self._id_of(os.fsencode(folder.link_target(name))))
                else:
                    entry = TreeEntry(_mode(found), self._hash_file(folder, name, size))
                known = KnownFile(stamp, entry, size) if settled(stamp, moment, precise=self._precise) else None
            else:
                entry = known.entry
        except OSError:
            return None
        if known is not None:
            self._known[path] = known
        return entry, size

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


def by_folder(paths: Iterable[str]) -> list[str]:
    """The paths sorted by the folders that they are in, without one long sort that others would have to wait for."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        folders.setdefault(_parent(path), []).append(path)
    return [path for folder in sorted(folders) for path in sorted(folders[folder])]
