"""Folders with skills on the disk: found, looked at and read without following a link. All of it blocks."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from desktop.domain.core.errors import SkillError
from desktop.domain.skills.packages import MOST_BYTES, MOST_FILES, Package, PackageFile, check_count
from desktop.services.files.folder_handles import HAS_HANDLES, READ_FLAGS, Folder, HandleFolder, PathFolder, descend
from desktop.services.skills.skill_files import SKILL_FILE

MOST_DEEP = 4
MOST_FOLDERS = 2_000
LEFT_OUT = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "venv", "site-packages", "__pycache__"})


Stamp = tuple[tuple[str, int, int, int, int, int], ...]
"""All files of a package with mode, size, times and number: it differs once anything in it was written."""


def open_folder(root: Path, parts: tuple[str, ...] = ()) -> Folder | None:
    """The folder at `parts` below the root; None where there is none, or a link stands in the way. The caller closes
    it."""
    try:
        return descend(HandleFolder.at(root) if HAS_HANDLES else PathFolder.at(root), parts)
    except OSError:
        return None


def looked_at(root: Path, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Stamp | SkillError]]:
    """Where skills stand below `place`, as parts of the path below it, with what their files look like, or why one is
    no package: at most four levels deep, in the first 2,000 folders, and in none that is a link.

    It goes by paths, which costs a tenth: what it tells decides only whether something is read, which goes by handles.
    """
    top = _plain_place(root, place)
    waiting: list[tuple[str, ...]] = [()] if top else []
    seen = 0
    while waiting and seen < MOST_FOLDERS:
        parts = waiting.pop(0)
        seen += 1
        entries = _entries("/".join((top, *parts)))
        if parts and any(entry.name == SKILL_FILE and entry.is_file(follow_symlinks=False) for entry in entries):
            yield parts, _stamp(entries)
        elif len(parts) < MOST_DEEP:
            names = (one.name for one in entries if one.is_dir(follow_symlinks=False) and one.name not in LEFT_OUT)
            waiting += [(*parts, name) for name in names]


def _plain_place(root: Path, place: tuple[str, ...]) -> str:
    """The path of the place, "" where a folder of it is a link or is not there."""
    path = str(root)
    for part in place:
        path = f"{path}/{part}"
        try:
            if not stat.S_ISDIR(os.lstat(path).st_mode):
                return ""
        except OSError:
            return ""
    return path


def _entries(path: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []


def _stamp(entries: list[os.DirEntry[str]]) -> Stamp | SkillError:
    files: list[tuple[str, int, int, int, int, int]] = []
    waiting = [("", entry) for entry in entries]
    try:
        while waiting:
            above, entry = waiting.pop()
            path = above + entry.name
            if entry.is_dir(follow_symlinks=False):
                waiting += [(f"{path}/", one) for one in _entries(entry.path)]
            else:
                one = entry.stat(follow_symlinks=False)
                _check_kind(path, one)
                files.append((path, one.st_mode, one.st_size, one.st_mtime_ns, one.st_ctime_ns, one.st_ino))
            check_count(max(len(files), len(waiting) - MOST_FILES), 0)
    except SkillError as error:
        return error
    except OSError as error:
        return SkillError(f"It cannot be read ({error.strerror or error}).")
    return tuple(sorted(files))


def _check_kind(path: str, facts: os.stat_result) -> None:
    """Raises SkillError for what is neither file nor folder."""
    if not stat.S_ISREG(facts.st_mode):
        kind = "a link" if stat.S_ISLNK(facts.st_mode) else "no regular file"
        raise SkillError(f"'{path}' is {kind}; a skill has files and folders only.")


def read_package(top: Folder, parts: tuple[str, ...]) -> Package:
    """The files in the folder at `parts`, with their bytes.

    Raises:
        SkillError: it has a link or a device, more than a package may have, or a file that cannot be read.
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
            else:
                _check_kind(path, facts)
                yield path, facts


def _content(folder: Folder, name: str, most: int) -> tuple[bytes, bool]:
    with os.fdopen(folder.open(name, READ_FLAGS), "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise OSError(errno.EINVAL, "It is no regular file", name)
        return file.read(most + 1), bool(facts.st_mode & stat.S_IXUSR)
