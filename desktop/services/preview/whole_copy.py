"""A whole copy of a small lane, for machines on which nothing can be laid over it (memory-EP2)."""

import contextlib
import os
import stat
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from desktop.services.git.trees.listing import SUBMODULE, LaneTree
from desktop.services.preview.look import stamp
from desktop.services.preview.trial import NoCopy

MOST_FILES = 5_000
MOST_BYTES = 200 * 1024 * 1024
_AT_ONCE, _PART = 4, 64
_PIECE = 8 * 1024 * 1024
_OPEN = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW

Stamps = dict[str, tuple[int, ...]]


def copy_lane(lane: Path, tree: LaneTree, folder: Path) -> Stamps:
    """Copy the files that Git does not ignore, with their times; what each copy is known by. Blocking.

    Raises:
        NoCopy: there is too much of it.
        OSError: a file cannot be read or written.
    """
    paths = [path for path, entry in tree.entries.items() if entry.mode != SUBMODULE]
    if len(paths) > MOST_FILES or tree.large:
        raise NoCopy(f"the lane has more than {MOST_FILES:,} files or very large ones, which are not copied.")
    facts = {path: os.lstat(f"{lane}/{path}") for path in paths}
    if sum(one.st_size for one in facts.values()) > MOST_BYTES:
        raise NoCopy("the files of the lane are more than 200 MiB, which are not copied.")
    for name in sorted({os.path.dirname(path) for path in paths}):  # noqa: PTH120  # 5,000 of them
        os.makedirs(f"{folder}/{name}", exist_ok=True)  # noqa: PTH103
    parts = [paths[at : at + _PART] for at in range(0, len(paths), _PART)]
    known = Stamps()
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="copy") as pool:
        for copied in pool.map(lambda part: _copied(str(lane), str(folder), part, facts), parts):
            known |= copied
    _stand_in_for_git(lane, folder)
    return known


def _copied(lane: str, folder: str, paths: Iterable[str], facts: dict[str, os.stat_result]) -> Stamps:
    known = Stamps()
    for path in paths:
        source, target, mode = f"{lane}/{path}", f"{folder}/{path}", facts[path].st_mode
        if stat.S_ISLNK(mode):
            os.symlink(os.readlink(source), target)  # noqa: PTH115, PTH211
            known[path] = stamp(os.lstat(target))
        elif stat.S_ISREG(mode):
            known[path] = _copy(source, target)
    return known


def _copy(source: str, target: str) -> tuple[int, ...]:
    """One file. Where the file system can, both share their blocks until one of them is written."""
    read = os.open(source, _OPEN)
    try:
        facts = os.fstat(read)
        written = os.open(target, _MAKE, 0o600)
        try:
            _fill(read, written, facts.st_size)
            os.fchmod(written, stat.S_IMODE(facts.st_mode))
            os.utime(written, ns=(facts.st_atime_ns, facts.st_mtime_ns))
            return stamp(os.fstat(written))
        finally:
            os.close(written)
    finally:
        os.close(read)


def _fill(read: int, written: int, size: int) -> None:
    if size > _PIECE // 64 and sys.platform == "linux":
        with contextlib.suppress(OSError):  # not between these two: read and written instead
            while os.copy_file_range(read, written, _PIECE):
                pass
    while piece := os.read(read, _PIECE):
        while piece:
            piece = piece[os.write(written, piece) :]


def _stand_in_for_git(lane: Path, folder: Path) -> None:
    """Something at which the lane's own `.git` can be shown, read-only."""
    if (lane / ".git").is_dir():
        (folder / ".git").mkdir(exist_ok=True)
    elif os.path.lexists(lane / ".git"):
        (folder / ".git").touch()
