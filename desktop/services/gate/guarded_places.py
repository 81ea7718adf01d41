"""The protected places of a lane, which other programs run or trust on sight: every file of them with a stamp.

The names are those of gate-P7. A guarded folder is gone through file by file; of a repository inside the lane, also a
bare one, the files count by which git runs programs. Folders of installed packages are left alone: they bring such
names by the hundred, and nobody opens a project there.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from pathlib import Path

from desktop.policy.protected_names import may_be_named, name_classes, told_reason
from desktop.records import dataclass
from desktop.services.files.pointers import MAX_POINTER_BYTES, NoRegularFile, open_regular
from desktop.services.processes.sandbox.profile import shown_git

MAX_ENTRIES = 200_000
MAX_GUARDED = 20_000
_PACKAGES = {"node_modules", "site-packages", "vendor", ".venv", "venv", ".tox", "target", "__pycache__"}
_CACHES = {".cargo", ".yarn"}
"""Folders that hold settings at their top and what was fetched below: only the guarded names in them count."""
_GIT_FILES = ("config", "config.worktree", "info/attributes", "objects/info/alternates")
_BARE = {"HEAD", "objects", "refs"}

Stamp = tuple[int, int, int, int]
"""Kind and rights, inode, time of the last change of any sort (no program can set it), size. Of a folder the first."""


@dataclass(frozen=True)
class Guarded:
    """The protected places of a lane as they stood. `entries`: files and folders by lane-relative path; `told`: those
    whose change is only told, with the reason; `git`: the files of the lane's own repository by which git runs
    programs; `pointer`: the bytes of its `.git` file, None when that is none. `links`: where guarded links lead inside
    the lane; what is there is guarded as well. `partial`: there were too many to look at all."""

    entries: dict[str, Stamp] = field(default_factory=dict)
    told: dict[str, Stamp] = field(default_factory=dict)
    git: dict[str, Stamp] = field(default_factory=dict)
    pointer: bytes | None = None
    links: dict[str, str] = field(default_factory=dict)
    partial: bool = False


def guarded_places(root: Path, *, before: Guarded | None = None, max_guarded: int = MAX_GUARDED) -> Guarded:
    """The protected places of a lane as they stand now. `before`: only links that led there then already are followed,
    so that a new link makes no other file of the lane look new. May take long in a large lane: call it from a
    thread."""
    walk = _Walk(str(root), max_guarded, None if before is None else before.links)
    walk.run()
    git = {str(file): stamp(file) for folder in shown_git(root.resolve()) for file in _of_repository(folder)}
    return Guarded(walk.entries, walk.told, git, pointer_bytes(root), walk.links, walk.partial)


def restamped(guarded: Guarded, root: Path, paths: Iterable[str]) -> Guarded:
    """The protected places with these lane-relative paths as they stand now: a tool changed them, no command did."""
    entries, told = dict(guarded.entries), dict(guarded.told)
    for path in paths:
        parts = tuple(path.split("/"))
        for end in range(1, len(parts) + 1):
            kind = told if told_reason(parts[:end]) else entries if name_classes(parts[:end]) else None
            if kind is not None:
                kind.pop("/".join(parts[:end]), None)
                if os.path.lexists(root.joinpath(*parts[:end])):
                    kind["/".join(parts[:end])] = stamp(root.joinpath(*parts[:end]))
    return replace(guarded, entries=entries, told=told)


class _Walk:
    """One way through a lane."""

    def __init__(self, root: str, most: int, known_links: dict[str, str] | None) -> None:
        self.links: dict[str, str] = {}
        self._known_links = known_links
        self.entries: dict[str, Stamp] = {}
        self.told: dict[str, Stamp] = {}
        self.partial = False
        self._root = root
        self._most = most
        self._waiting: list[tuple[str, bool]] = [("", False)]

    def run(self) -> None:
        """Go through all folders, those inside a guarded one whole."""
        seen = 0
        while self._waiting:
            folder, guarded = self._waiting.pop()
            try:
                with os.scandir(f"{self._root}/{folder}") as listed:
                    found = list(listed)
            except OSError:
                continue
            seen += len(found)
            if folder and {entry.name for entry in found} >= _BARE:
                self._repository(folder)
                continue
            for entry in found:
                path = f"{folder}/{entry.name}" if folder else entry.name
                (self._inside if guarded else self._outside)(entry, path)
            if seen > MAX_ENTRIES or len(self.entries) > self._most:
                self.partial = bool(self._waiting)
                return

    def _inside(self, entry: os.DirEntry[str], path: str) -> None:
        """A guarded name, or something in a guarded folder."""
        self.entries[path] = stamp(Path(entry.path))
        if entry.is_symlink():
            self._follow(path)
        elif entry.is_dir():
            self._waiting.append((path, True))

    def _follow(self, link: str) -> None:
        """What a guarded link leads to inside the lane."""
        target = os.path.realpath(f"{self._root}/{link}").removeprefix(f"{os.path.realpath(self._root)}/")
        if target.startswith("/") or (self._known_links is not None and self._known_links.get(link) != target):
            return
        self.links[link] = target
        if target not in self.entries:
            self.entries[target] = stamp(Path(self._root, target))
            self._waiting.append((target, True))

    def _outside(self, entry: os.DirEntry[str], path: str) -> None:
        """Something in an ordinary folder."""
        parts = tuple(path.split("/"))
        above = parts[-2] if len(parts) > 1 else ""
        if path == ".git":
            return
        if path[0] == "." or may_be_named(above, entry.name):
            classes = name_classes(parts)
            if "git" in classes:
                self._repository(path)
            elif classes & {"guarded", "own"}:
                self._inside(entry, path)
            elif told_reason(parts) and not entry.is_dir():
                self.told[path] = stamp(Path(entry.path))
            if classes & {"git", "guarded", "own"}:
                return
        if entry.name not in _PACKAGES and above not in _CACHES and entry.is_dir(follow_symlinks=False):
            self._waiting.append((path, False))

    def _repository(self, path: str) -> None:
        """A repository inside the lane, or what is named like one."""
        place = Path(self._root, path)
        kind = stamp(place)
        self.entries[path] = (kind[0], place.lstat().st_ino if kind[0] else 0, 0, 0) if stat.S_ISDIR(kind[0]) else kind
        if stat.S_ISDIR(kind[0]):
            for file in _of_repository(place):
                self.entries[f"{path}/{file.relative_to(place).as_posix()}"] = stamp(file)


def stamp(path: Path) -> Stamp:
    """The stamp of a file or folder, by which a change is seen; zeros when there is none."""
    try:
        found = path.lstat()
    except OSError:
        return (0, 0, 0, 0)
    if stat.S_ISDIR(found.st_mode):
        return (found.st_mode, 0, 0, 0)
    return (found.st_mode, found.st_ino, found.st_ctime_ns, found.st_size)


def pointer_bytes(root: Path) -> bytes | None:
    """The content of the lane's `.git` file, None when that is no file."""
    file = root / ".git"
    if file.is_symlink() or not file.is_file():
        return None
    try:
        with open(file, "rb", opener=open_regular) as opened:
            return opened.read(MAX_POINTER_BYTES)
    except (OSError, NoRegularFile):
        return None


def _of_repository(folder: Path) -> Iterator[Path]:
    """The files by which git runs programs for a repository."""
    if not folder.is_dir():
        return
    for name in _GIT_FILES:
        if (folder / name).is_file():
            yield folder / name
    try:
        hooks = sorted((folder / "hooks").iterdir())
    except OSError:
        return
    yield from (hook for hook in hooks if not hook.name.endswith(".sample"))
