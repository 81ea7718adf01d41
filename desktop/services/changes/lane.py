"""A lane's changes within a scope: the listing and the diff of one file, for the thread that may block."""

from desktop.domain.changes.values import FileDiff
from desktop.domain.core.errors import GitError, PathError
from desktop.records import dataclass
from desktop.services.changes.file_diff import Lines, diff_of
from desktop.services.changes.listing import MAX_FILES, LaneIndex, Listing, count_changes, described, list_changes
from desktop.services.changes.scope import head_of
from desktop.services.changes.sides import FileState, Sides, require_lane_path, state_in_tree, state_now
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import Git


@dataclass(frozen=True)
class Listed:
    """A listing, the lane's commit, and how many files each of the `counted` scopes has."""

    listing: Listing
    head: str
    counts: tuple[tuple[str, int], ...] = ()


def listed_changes(
    files: LaneFiles, sides: Sides, counted: dict[str, Sides], *, ignore_space: bool = False, limit: int = MAX_FILES
) -> Listed:
    """The files that differ, and the counts of other scopes. The real index is not written. Blocking.

    Raises:
        GitError: Git could not compare them; a count that cannot be had is left out.
    """
    git = Git(files.root)
    git.emptied_filters()
    with LaneIndex.of(git) as index:
        rows = list_changes(index, git, sides, ignore_space=ignore_space)
        counts: dict[str, int] = {}
        for name, other in counted.items():
            same = (other.old, other.new, other.large) == (sides.old, sides.new, sides.large)
            try:
                counts[name] = len(rows) if same and not ignore_space else count_changes(index, git, other)
            except GitError:
                continue
    return Listed(described(rows, files, git, sides, limit=limit), head_of(git), tuple(counts.items()))


def both_states(
    files: LaneFiles, sides: Sides, path: str, old_path: str = ""
) -> tuple[FileState | None, FileState | None]:
    """A file before and after. `old_path`: its name before. Blocking.

    Raises:
        GitError: what Git holds of it cannot be read.
        PathError: the lane's file cannot be read, or it is none.
    """
    git = Git(files.root)
    old = state_in_tree(git, sides.old, require_lane_path(old_path or path))
    new = state_in_tree(git, sides.new, path) if sides.new is not None else state_now(files, require_lane_path(path))
    return old, new


def file_diff(files: LaneFiles, sides: Sides, path: str, old_path: str, lines: Lines) -> FileDiff:
    """The diff of one file. Blocking. Raises GitError with a sentence."""
    try:
        old, new = both_states(files, sides, path, old_path)
    except PathError as error:
        raise GitError(str(error)) from error
    if old is None and new is None:
        raise GitError(f"{path} is there on neither side. Refresh the list.")
    return diff_of(old, new, path, old_path, lines)
