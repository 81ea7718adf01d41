"""A whole copy of a small lane, for machines on which nothing can be laid over it (memory-EP2)."""

import os
import shutil
import stat
from pathlib import Path

from desktop.services.git.trees.listing import SUBMODULE, LaneTree
from desktop.services.preview.look import stamp
from desktop.services.preview.trial import NoCopy

MOST_FILES = 5_000
MOST_BYTES = 200 * 1024 * 1024

Stamps = dict[str, tuple[int, ...]]


def copy_lane(lane: Path, tree: LaneTree, folder: Path) -> Stamps:
    """Copy the files that Git does not ignore; what each copy is known by. Blocking.

    Raises:
        NoCopy: there is too much of it.
        OSError: a file cannot be read or written.
    """
    paths = [path for path, entry in tree.entries.items() if entry.mode != SUBMODULE]
    if len(paths) > MOST_FILES or tree.large:
        raise NoCopy(f"the lane has more than {MOST_FILES:,} files or very large ones, which are not copied.")
    known, room, made = Stamps(), MOST_BYTES, {folder}
    for path in paths:
        source, target = lane / path, folder / path
        facts = source.lstat()
        room -= facts.st_size
        if room < 0:
            raise NoCopy("the files of the lane are more than 200 MiB, which are not copied.")
        if target.parent not in made:
            target.parent.mkdir(parents=True, exist_ok=True)
            made.add(target.parent)
        if stat.S_ISREG(facts.st_mode) or stat.S_ISLNK(facts.st_mode):
            shutil.copy2(source, target, follow_symlinks=False)
            known[path] = stamp(target.lstat())
    _stand_in_for_git(lane, folder)
    return known


def _stand_in_for_git(lane: Path, folder: Path) -> None:
    """Something at which the lane's own `.git` can be shown, read-only."""
    if (lane / ".git").is_dir():
        (folder / ".git").mkdir(exist_ok=True)
    elif os.path.lexists(lane / ".git"):
        (folder / ".git").touch()
