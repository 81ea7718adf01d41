"""Putting a lane's files back to a tree: only what differs, nothing that Git ignores, all of it or nothing."""

import contextlib
import os
import stat
from collections.abc import Iterable

from desktop.domain.core.errors import BanksmanError, GitError, PathError
from desktop.records import dataclass
from desktop.services.files.folder_handles import CREATE_FLAGS, Folder
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.trees.listing import EXECUTABLE, LINK, SUBMODULE, LaneTree, TreeEntry, TreeReader
from desktop.services.history.refs import CheckpointRefs

_IGNORE_FILE = ".gitignore"
_TEMPORARY = ".banksman-restore-"
_NEW_FILE, _NEW_PROGRAM = 0o666, 0o777


class NotPutBack(BanksmanError):
    """Some files could not be changed. `paths`: which."""

    def __init__(self, paths: tuple[str, ...], reason: str) -> None:
        super().__init__(reason)
        self.paths = paths


@dataclass
class Steps:
    """The changes that putting files back has made in the lane so far, in order. `left`: what differs and was not
    touched on purpose."""

    restored: list[str]
    removed: list[str]
    left: set[str]


class Restorer:
    """Changes the files of one lane. `scope`: lane-relative files and folders, none for all. Blocking."""

    def __init__(self, files: LaneFiles, refs: CheckpointRefs, reader: TreeReader, scope: tuple[str, ...] = ()) -> None:
        self._files = files
        self._refs = refs
        self._reader = reader
        self._scope = scope
        self.steps = Steps([], [], set())

    def put_back(self, target: LaneTree, now: LaneTree) -> Steps:
        """Make the files equal to `target`. They are `now`.

        Ignored files, submodules and files too large to keep are left as they are.

        Raises:
            NotPutBack: a file could not be changed, or is not what it should be afterwards; some may be changed.
        """
        goals = self._goals(target, now)
        first = {path: entry for path, entry in goals.items() if path.rpartition("/")[2] == _IGNORE_FILE}
        self._write({path: entry for path, entry in first.items() if not self._in_a_files_way(path, now, target)})
        gone = self._gone(target, now)
        self._remove(gone)
        self._write({path: entry for path, entry in goals.items() if path not in self.steps.restored})
        self._check(target, now)
        return self.steps

    def _goals(self, target: LaneTree, now: LaneTree) -> dict[str, TreeEntry]:
        goals = {}
        for path, entry in target.entries.items():
            if now.entries.get(path) == entry or not self._in_scope(path):
                continue
            before = now.entries.get(path)
            submodule = entry.mode == SUBMODULE or (before is not None and before.mode == SUBMODULE)
            if submodule or path in now.large or _is_git(path):
                self.steps.left.add(path)
            else:
                goals[path] = entry
        self.steps.left |= {
            path for path, oid in target.large.items() if now.large.get(path) != oid and self._in_scope(path)
        }
        return goals

    def _gone(self, target: LaneTree, now: LaneTree) -> list[str]:
        """What is there and was not then, without what the ignore files of then cover."""
        there = [path for path in now.entries if path not in target.entries and path not in target.large]
        there = [path for path in there if self._in_scope(path) and not _is_git(path)]
        if target.partial:  # what is not in it may have been there
            self.steps.left |= set(there)
            return []
        modules = {path for path in there if now.entries[path].mode == SUBMODULE}
        ignored = self._refs.ignored(path for path in there if path not in modules)
        large = {path for path in now.large if path not in target.large and self._in_scope(path)}
        self.steps.left |= modules | ignored | large | (set(now.entries) & set(target.large))
        return sorted(set(there) - modules - ignored)

    def _in_a_files_way(self, path: str, now: LaneTree, target: LaneTree) -> bool:
        """Whether something that has to be removed first stands where a folder of this path must be."""
        folders = [path[:at] for at, char in enumerate(path) if char == "/"]
        return any(folder in now.entries and folder not in target.entries for folder in folders)

    def _remove(self, paths: list[str]) -> None:
        for path in paths:
            try:
                folder, name = self._files.open_parent(path)
                with folder:
                    folder.unlink(name)
            except FileNotFoundError:
                pass
            except (OSError, PathError) as error:
                raise NotPutBack((path,), f"{path} could not be removed: {_said(error)}.") from error
            self.steps.removed.append(path)
        for folder_path in sorted({p for path in paths for p in folders_above(path)}, key=len, reverse=True):
            with contextlib.suppress(OSError, PathError):  # one that is not empty stays
                parent, name = self._files.open_parent(folder_path)
                with parent:
                    parent.remove(name)

    def _write(self, goals: dict[str, TreeEntry]) -> None:
        paths = sorted(goals)
        try:
            contents = self._refs.contents([goals[path].oid for path in paths])
            for path, (_, data) in zip(paths, contents, strict=True):
                self._write_one(path, goals[path], data)
        except GitError as error:
            raise NotPutBack(tuple(path for path in paths if path not in self.steps.restored), str(error)) from error

    def _write_one(self, path: str, entry: TreeEntry, data: bytes) -> None:
        made: list[tuple[str, ...]] = []
        try:
            folder, name = self._files.open_parent(path, made)
            with folder:
                replace_entry(folder, name, entry, data)
        except (OSError, PathError) as error:
            self._files.unmake(made)
            raise NotPutBack((path,), f"{path} could not be put back: {_said(error)}.") from error
        self.steps.restored.append(path)

    def _check(self, target: LaneTree, now: LaneTree) -> None:
        """The tree is the target's now, but for what was left on purpose."""
        self._reader.forget([*self.steps.restored, *self.steps.removed])
        paths = {*self._refs.listed(), *target.entries, *now.entries}
        found = self._reader.read(paths).entries
        wanted = target.entries
        self.steps.left |= {path for path in found if path not in wanted and path not in now.entries}  # was ignored
        left = self.steps.left
        differing = {path for path in wanted if found.get(path) != wanted[path]}
        if not target.partial:
            differing |= {path for path in found if path not in wanted}
        wrong = sorted(path for path in differing - left if self._in_scope(path))
        if wrong:
            raise NotPutBack(tuple(wrong), f"{wrong[0]} is not what it was: something changed it meanwhile.")

    def _in_scope(self, path: str) -> bool:
        return not self._scope or any(path == one or path.startswith(f"{one}/") for one in self._scope)


def replace_entry(folder: Folder, name: str, entry: TreeEntry, data: bytes) -> None:
    """The file or link of this name is this one, at once. Raises OSError."""
    temporary = f"{_TEMPORARY}{os.urandom(6).hex()}"
    try:
        if entry.mode == LINK:
            folder.make_link(temporary, os.fsdecode(data))
        else:
            _new_file(folder, temporary, _kept_mode(folder, name, program=entry.mode == EXECUTABLE), data)
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            if stat.S_ISDIR(folder.stat(name).st_mode):
                folder.remove(name)  # an empty folder gives way, any other does not
        folder.rename(temporary, name)
    except BaseException:
        with contextlib.suppress(OSError):
            folder.unlink(temporary)
        raise


def _new_file(folder: Folder, name: str, mode: tuple[int, bool], data: bytes) -> None:
    permissions, exactly = mode
    fd = folder.open(name, CREATE_FLAGS, permissions)
    with os.fdopen(fd, "wb") as file:
        file.write(data)
        if exactly:
            os.fchmod(file.fileno(), permissions)


def _kept_mode(folder: Folder, name: str, *, program: bool) -> tuple[int, bool]:
    """The permissions of the file as it will be, and whether exactly those: an existing file keeps its own but for
    the right to run it."""
    try:
        found = folder.stat(name)
    except OSError:
        return (_NEW_PROGRAM if program else _NEW_FILE), False
    if not stat.S_ISREG(found.st_mode):
        return (_NEW_PROGRAM if program else _NEW_FILE), False
    kept = stat.S_IMODE(found.st_mode) & 0o777
    return (kept | (kept & 0o444) >> 2 if program else kept & ~0o111), True


def is_temporary(path: str) -> bool:
    """Whether this is a file that was being written when a crash came."""
    return path.rpartition("/")[2].startswith(_TEMPORARY)


def folders_above(path: str) -> Iterable[str]:
    """The folders around a path, the nearest first."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _is_git(path: str) -> bool:
    return any(part.casefold() in (".git", "git~1") for part in path.split("/"))


def _said(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
