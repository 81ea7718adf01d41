"""Folders with skills on the disk: found, looked at and read without following a link. All of it blocks."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from desktop.domain.core.errors import SkillError
from desktop.domain.skills.packages import MOST_BYTES, MOST_FILES, Package, PackageFile, check_count
from desktop.records import dataclass
from desktop.services.files.folder_handles import HAS_HANDLES, READ_FLAGS, Folder, HandleFolder, PathFolder, descend
from desktop.services.skills.skill_files import SKILL_FILE

MOST_DEEP = 4
MOST_FOLDERS = 2_000
LEFT_OUT = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "venv", "site-packages", "__pycache__"})


@dataclass(frozen=True)
class PackageLook:
    """A package as its folder lists it. `stamp`: differs once anything in it was written."""

    stamp: tuple[tuple[str, int, int, int, int, int], ...]

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(entry[2] for entry in self.stamp)


def open_folder(root: Path, parts: tuple[str, ...] = ()) -> Folder | None:
    """The folder at `parts` below the root; None where there is none, or a link stands in the way. The caller closes
    it."""
    try:
        return descend(HandleFolder.at(root) if HAS_HANDLES else PathFolder.at(root), parts)
    except OSError:
        return None


def skill_folders(top: Folder) -> Iterator[tuple[str, ...]]:
    """Where skills stand below `top`, as parts of the path, in the order of the names: at most four levels deep, in
    the first 2,000 folders."""
    waiting: list[tuple[str, ...]] = [()]
    looked_at = 0
    while waiting and looked_at < MOST_FOLDERS:
        parts = waiting.pop(0)
        looked_at += 1
        if parts and _has_skill(top, parts):
            yield parts
        elif len(parts) < MOST_DEEP:
            waiting += [(*parts, name) for name in _folders_in(top, parts)]


def look_at(top: Folder, parts: tuple[str, ...]) -> PackageLook:
    """The package in the folder at `parts`, without reading its files.

    Raises:
        SkillError: it has a link, a device, or more than a package may have.
    """
    found: list[tuple[str, int, int, int, int, int]] = []
    size = 0
    for path, facts in _files(top, parts):
        found.append((path, facts.st_mode, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino))
        size += facts.st_size
        check_count(len(found), size)
    return PackageLook(tuple(sorted(found)))


def read_package(top: Folder, parts: tuple[str, ...]) -> Package:
    """The files in the folder at `parts`, with their bytes.

    Raises:
        SkillError: as `look_at`, or a file cannot be read.
    """
    files: list[PackageFile] = []
    left = MOST_BYTES
    for path, _ in _files(top, parts):
        *above, name = path.split("/")
        try:
            with descend(_again(top), (*parts, *above)) as folder:
                content, executable = _content(folder, name, left)
        except OSError as error:
            raise SkillError(f"'{path}' cannot be read ({error.strerror or error}).") from error
        left -= len(content)
        files.append(PackageFile(path, executable, content))
        check_count(len(files), MOST_BYTES - left)
    return Package(files)


def write_package(folder: Path, package: Package) -> None:
    """Write the files into a folder that is not there yet, for their owner alone.

    Raises:
        OSError: it could not be written; a part of it may be there.
    """
    folder.mkdir(mode=0o700, parents=True)
    for file in package.files:
        path = folder.joinpath(*file.path.split("/"))
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o700 if file.executable else 0o600)
        with os.fdopen(descriptor, "wb") as out:
            out.write(file.content)
            out.flush()
            os.fsync(out.fileno())


def _again(top: Folder) -> Folder:
    """Another handle on the folder, as `descend` closes the one that it is given."""
    return top.child(".")


def _has_skill(top: Folder, parts: tuple[str, ...]) -> bool:
    try:
        with descend(_again(top), parts) as folder:
            return stat.S_ISREG(folder.stat(SKILL_FILE).st_mode)
    except OSError:
        return False


def _folders_in(top: Folder, parts: tuple[str, ...]) -> list[str]:
    try:
        with descend(_again(top), parts) as folder:
            names = sorted(set(folder.names()) - LEFT_OUT)
            return [name for name in names[:MOST_FOLDERS] if stat.S_ISDIR(folder.stat(name).st_mode)]
    except OSError:
        return []


def _files(top: Folder, parts: tuple[str, ...]) -> Iterator[tuple[str, os.stat_result]]:
    """Each file with its facts. Raises SkillError."""
    waiting: list[tuple[str, ...]] = [()]
    seen = 0
    while waiting:
        below = waiting.pop()
        try:
            with descend(_again(top), (*parts, *below)) as folder:
                entries = [(name, folder.stat(name)) for name in sorted(folder.names())]
        except OSError as error:
            raise SkillError(f"'{'/'.join(below) or '.'}' cannot be read ({error.strerror or error}).") from error
        seen += len(entries)
        if seen > 2 * MOST_FILES:
            raise SkillError(f"It has more than {MOST_FILES} files.")
        for name, facts in entries:
            path = "/".join((*below, name))
            if stat.S_ISDIR(facts.st_mode):
                waiting.append((*below, name))
            elif stat.S_ISREG(facts.st_mode):
                yield path, facts
            else:
                kind = "a link" if stat.S_ISLNK(facts.st_mode) else "no regular file"
                raise SkillError(f"'{path}' is {kind}; a skill has files and folders only.")


def _content(folder: Folder, name: str, most: int) -> tuple[bytes, bool]:
    with os.fdopen(folder.open(name, READ_FLAGS), "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise OSError(errno.EINVAL, "It is no regular file", name)
        return file.read(most + 1), bool(facts.st_mode & stat.S_IXUSR)
