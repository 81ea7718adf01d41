"""Files that the setup of a lane made and that git does not ignore: what is known of them, and whether they changed."""

import stat
from collections.abc import Iterable
from pathlib import Path

from desktop.domain.core.errors import GitError
from desktop.domain.lanes.lane import Lane, SetupFile
from desktop.services.git.run import STATUS_LIMIT_S, Git

MOST_FILES = 200
"""More are not told apart from what people and agents make."""

_UNTRACKED = ("ls-files", "--others", "--exclude-standard", "-z")


def unchanged(folder: Path, files: Iterable[SetupFile]) -> frozenset[str]:
    """The paths of those that are exactly as the setup left them. Looks at each; blocking."""
    return frozenset(file.path for file in files if _look(folder, file.path) == file)


def not_by_setup(lane: Lane) -> frozenset[str]:
    """The files that git does not know before a setup and that an earlier one did not make. Blocking.

    Raises:
        GitError: git could not tell.
    """
    folder = Path(lane.worktree_path)
    return frozenset(_untracked(folder)) - unchanged(folder, lane.setup_files)


def made_since(lane: Lane, before: frozenset[str]) -> tuple[SetupFile, ...]:
    """The files that git does not know and that are not among those of `before`; none when they are too many, or git
    cannot tell. Blocking."""
    folder = Path(lane.worktree_path)
    try:
        new = sorted(path for path in _untracked(folder) if path not in before and not path.endswith("/"))
    except GitError:
        return ()
    if len(new) > MOST_FILES:
        return ()
    return tuple(found for path in new if (found := _look(folder, path)) is not None)


def _untracked(folder: Path) -> list[str]:
    return Git(folder).run_on_files_now(*_UNTRACKED, limit_s=STATUS_LIMIT_S).names


def _look(folder: Path, path: str) -> SetupFile | None:
    """How it looks now; None when it is gone or no regular file. The time of its last change of any kind cannot be set
    by a program, so what was rewritten is never taken for what was there."""
    try:
        found = (folder / path).lstat()
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return SetupFile(path=path, size=found.st_size, mtime_ns=found.st_mtime_ns, ctime_ns=found.st_ctime_ns)
