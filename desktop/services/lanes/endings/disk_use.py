"""The room that a lane takes on the disk, and the folders in it that git ignores and could be had back (lanes-L5,
lanes-L6)."""

import os
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import field
from pathlib import Path

from desktop.domain.core.errors import GitError, LaneError
from desktop.records import dataclass
from desktop.services.files.folder_handles import descend
from desktop.services.git.run import STATUS_LIMIT_S, Git
from desktop.services.git.trees.copy import remove_tree
from desktop.services.lanes.lane_file import open_folder

MOST_ENTRIES = 2_000_000
LIMIT_S = 60.0
GIT_NAME = ".git"
_BLOCK = 512


@dataclass(frozen=True)
class DiskUse:
    """`size`: bytes of all of it, hard links counted once. `folders`: ignored folders that can go, lane-relative, with
    their bytes, largest first. `more_than`: it was too much to count to the end."""

    size: int = 0
    folders: tuple[tuple[str, int], ...] = ()
    more_than: bool = False

    @property
    def reclaimable(self) -> int:
        """Bytes of all folders that can go."""
        return sum(size for _, size in self.folders)


@dataclass
class _Count:
    """One walk. `kept`: folders that hold a repository of their own."""

    left: int
    deadline: float
    stop: Callable[[], bool]
    size: int = 0
    by_folder: dict[str, int] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)
    links: set[tuple[int, int]] = field(default_factory=set)
    over: bool = False

    def is_cut(self) -> bool:
        """Whether it was given up."""
        return self.over


def measure(
    lane: Path, *, most: int = MOST_ENTRIES, limit_s: float = LIMIT_S, stop: Callable[[], bool] = lambda: False
) -> DiskUse:
    """Walk a lane. `stop` is asked now and then whether to give up. Blocking, up to a minute.

    Raises:
        GitError: what git ignores cannot be listed.
    """
    ignored = frozenset(ignored_folders(lane))
    count = _Count(most, time.monotonic() + limit_s, stop)
    for folder in ignored:
        count.by_folder[folder] = 0
    _walk(lane, ignored, count)
    folders = ((path, size) for path, size in count.by_folder.items() if path not in count.kept and size)
    ordered = tuple(sorted(folders, key=lambda one: (-one[1], one[0])))
    return DiskUse(count.size, () if count.over else ordered, count.over)


def ignored_folders(lane: Path) -> list[str]:
    """The folders of a lane that git ignores themselves, without a slash at the end; not those of which it only ignores
    all that is in them. Blocking.

    Raises:
        GitError: they cannot be listed.
    """
    git = Git(lane, calm=True)
    options = ("--others", "--ignored", "--exclude-standard", "--directory", "-z")
    names = git.run_on_files_now("ls-files", *options, limit_s=STATUS_LIMIT_S).names
    waiting = [name.rstrip("/") for name in names if name.endswith("/")]
    found: list[str] = []
    while waiting:
        ignored = _ignored_themselves(git, waiting)
        found += (folder for folder in waiting if folder in ignored)
        waiting = [child for folder in waiting if folder not in ignored for child in _folders_in(lane, folder)]
    return sorted(found)


def _ignored_themselves(git: Git, folders: list[str]) -> set[str]:
    given = b"".join(os.fsencode(f"./{folder}/") + b"\0" for folder in folders)  # no name is taken for a pattern
    asked = ("check-ignore", "-z", "--stdin")
    output = git.run_now(*asked, limit_s=STATUS_LIMIT_S, check=False, given=given)
    if output.status not in (0, 1):
        raise GitError(f"git check-ignore failed: {output.stderr.strip()}", stderr=output.stderr, status=output.status)
    return {name.removeprefix("./").rstrip("/") for name in output.names}


def _folders_in(lane: Path, folder: str) -> list[str]:
    try:
        with os.scandir(lane / folder) as entries:
            return [f"{folder}/{entry.name}" for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def check_removable(lane: Path, folder: str) -> None:
    """Make sure that this folder of the lane is, at this moment, ignored as a whole and holds nothing that git knows or
    would show, and no repository. Blocking.

    Raises:
        LaneError: it may not go; says why.
        GitError: it cannot be told.
    """
    path = lane / folder
    if folder not in ignored_folders(lane) or path.is_symlink() or not path.is_dir():
        raise LaneError("git does not ignore this folder as a whole any more.")
    if path.resolve() != lane.resolve() / folder:
        raise LaneError("it is reached by a link.")
    git, only = Git(lane), f":(literal,top){folder}"
    shown = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", only)
    if git.run_on_files_now(*shown, limit_s=STATUS_LIMIT_S).names:
        raise LaneError("it holds files that git does not ignore.")
    if any(GIT_NAME in names for names in _names_below(path)):
        raise LaneError("it holds a repository of its own.")


def _names_below(folder: Path) -> Iterator[list[str]]:
    for _, folders, files in os.walk(folder):
        yield [*folders, *files]


def _walk(lane: Path, ignored: frozenset[str], count: _Count) -> None:
    """Depth first, without following links or leaving the file system."""
    device = lane.stat().st_dev
    waiting: list[tuple[str, str]] = [("", "")]
    while waiting and not count.is_cut():
        rel, within = waiting.pop()
        try:
            with os.scandir(lane / rel) as entries:
                for entry in entries:
                    path = f"{rel}/{entry.name}" if rel else entry.name
                    below = within or (path if path in ignored else "")
                    if _entry(entry, below, device, count):
                        waiting.append((path, below))
                    if count.is_cut():
                        return
        except OSError:
            continue


def _entry(entry: "os.DirEntry[str]", within: str, device: int, count: _Count) -> bool:
    """Count one entry; whether it is a folder to go into."""
    count.left -= 1
    if count.left < 0 or (count.left % 1024 == 0 and (time.monotonic() > count.deadline or count.stop())):
        count.over = True
        return False
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    if within and entry.name == GIT_NAME:
        count.kept.add(within)
    is_folder = stat.S_ISDIR(found.st_mode)
    if not is_folder and found.st_nlink > 1:
        key = (found.st_dev, found.st_ino)
        if key in count.links:
            return False
        count.links.add(key)
    size = _bytes_of(found)
    count.size += size
    if within:
        count.by_folder[within] += size
    return is_folder and found.st_dev == device


def _bytes_of(found: os.stat_result) -> int:
    """What it takes on the disk; where the system does not tell, its length."""
    blocks: int | None = getattr(found, "st_blocks", None)  # not on Windows
    return blocks * _BLOCK if blocks is not None else found.st_size


def delete_folder(lane: Path, folder: str) -> None:
    """Delete this folder of the lane for good; no link is followed. Blocking. Raises OSError."""
    *above, name = folder.split("/")
    (lane / folder).chmod(0o700)
    for here, folders, _ in os.walk(lane / folder):
        for child in (Path(here, one) for one in folders):
            if not child.is_symlink():
                child.chmod(0o700)  # some caches keep their folders read-only
    with descend(open_folder(lane), tuple(above)) as parent:
        remove_tree(parent, name)
