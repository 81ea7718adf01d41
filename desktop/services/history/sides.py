"""Sides: what taking back the difference of two checkpoints would change, file by file, and what stands in its way."""

from typing import NamedTuple

from desktop.domain.core.errors import GitError
from desktop.services.git.trees.listing import TreeEntry
from desktop.services.history.checkpoints import CheckpointError, LaneCheckpoints


class Side(NamedTuple):
    """One file: how it was, how it was left, and how it is; None where there is none."""

    path: str
    then: TreeEntry | None
    left: TreeEntry | None
    now: TreeEntry | None


def sides(kept: LaneCheckpoints, then: str, left: str, paths: tuple[str, ...]) -> tuple[Side, ...] | None:
    """The files that differ between two checkpoints, those among `paths` (files and folders), or all; None where they
    are not kept, or do not hold all of `paths`. Blocking."""
    try:
        old, new = kept.tree_of(kept.find(then)), kept.tree_of(kept.find(left))
    except (CheckpointError, GitError):
        return None
    now = kept.look_now()[0]
    differing = [path for path in new.differing(old) if within(path, paths)]
    known = (*old.entries, *new.entries)
    if any(path not in old.entries and path not in new.entries and not _has_below(path, known) for path in paths):
        return None
    return tuple(
        Side(path, old.entries.get(path), new.entries.get(path), now.entries.get(path)) for path in sorted(differing)
    )


def within(path: str, paths: tuple[str, ...]) -> bool:
    """Whether it is one of these files, or in one of these folders; none: everything is."""
    return not paths or any(path == one or path.startswith(f"{one}/") for one in paths)


def _has_below(folder: str, known: tuple[str, ...]) -> bool:
    return any(path.startswith(f"{folder}/") for path in known)
