"""The folders around a lane that matter for its paths: the lane, folders for reading, the product's own, Git's."""

import functools
import os
from itertools import islice
from pathlib import Path

from desktop.policy.path_words import PathPlace
from desktop.policy.protected_names import comparable
from desktop.records import dataclass
from desktop.services.files.path_walk import Parts
from desktop.services.files.pointers import pointed

MAX_PROBED_NAMES = 20


def parts_of(path: Path) -> Parts:
    """The components of an absolute path below its root."""
    return path.parts[1:]


def is_below(parts: Parts, folder: Parts) -> bool:
    """Whether `parts` is the folder or lies in it."""
    return parts[: len(folder)] == folder


def folds_case(folder: Path) -> bool:
    """Whether the file system of this folder takes names that differ in case alone for the same name (gate-P11).

    Told by the folder's own entries, else by the folder's name; nothing is written.
    """
    with os.scandir(folder) as entries:
        names = [entry.name for entry in islice(entries, MAX_PROBED_NAMES)]
    for path in [*(folder / name for name in names), folder]:
        other = path.with_name(path.name.swapcase()) if path.name else path
        if other.name == path.name:
            continue
        if other.name in names:
            return False
        return os.path.lexists(other) and other.lstat().st_ino == path.lstat().st_ino
    return False


@dataclass(frozen=True)
class Places:
    """The real paths of the folders that decide where a path is. The deepest one around a path holds."""

    root: Parts
    references: tuple[Parts, ...] = ()
    own: tuple[Parts, ...] = ()

    def place_of(self, parts: Parts) -> tuple[PathPlace, Parts, bool]:
        """The place of a real path, the folder that says so, and whether it is one of the product's own.

        The product's folders are compared as a file system without case would: they stay closed in any spelling.
        """
        place: PathPlace = "outside"
        base: Parts = ()
        if is_below(parts, self.root):
            place, base = "lane", self.root
        for folder in self.references:
            if is_below(parts, folder) and len(folder) > len(base):
                place, base = "reference", folder
        folded = tuple(map(comparable, parts))
        owned = any(is_below(folded, _folded(folder)) and len(folder) > len(base) for folder in self.own)
        return ("outside" if owned and place == "reference" else place), base, owned


@functools.lru_cache(maxsize=64)
def _folded(folder: Parts) -> Parts:
    return tuple(map(comparable, folder))


def repository_parts(root: Path) -> tuple[Parts, ...]:
    """The real folders behind a lane's `.git`, there or not: its own, and the one it shares with other worktrees. Never
    raises."""
    pointer = root / ".git"
    folder = Path(os.path.realpath(pointer)) if pointer.is_dir() else pointed(pointer, prefix="gitdir:")
    if folder is None:
        return ()
    return tuple(sorted(parts_of(found) for found in {folder, pointed(folder / "commondir") or folder}))


def in_bare_repository(anchor: str, base: Parts, parts: Parts, *, changes: bool) -> bool:
    """Whether Git would take a folder around `parts`, below `base`, for a repository; when the call changes something
    there, also whether it would do so afterwards."""
    for depth in range(len(base), len(parts) + 1):
        folder = anchor + os.sep.join(parts[:depth])  # noqa: PTH118 - one string for each call
        if depth == len(base) and os.path.lexists(f"{folder}{os.sep}.git"):
            continue
        coming = comparable(parts[depth]) if changes and depth < len(parts) else ""
        if _looks_bare(folder, coming):
            return True
    return False


def _looks_bare(folder: str, coming: str) -> bool:
    def has(name: str) -> bool:
        return coming == name.casefold() or os.path.lexists(f"{folder}{os.sep}{name}")

    return has("HEAD") and ((has("objects") and has("refs")) or has("commondir"))
