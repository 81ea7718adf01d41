"""Where git stands while it merges in memory: with a merge driver it writes passing files into its own folder.

So that the lane gets none of them, git then stands in a passing folder that looks to it like the lane.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from desktop.services.files.leftovers import passing_prefix
from desktop.services.files.pointers import git_folders
from desktop.services.git.run import DIFF_LIMIT_S, Git

_ATTRIBUTES = ".gitattributes"
_REPOSITORY, _MODES = b"160000", len(":100644 100644")
_FILE_SETTING = "core.attributesFile"


@contextlib.contextmanager
def merging(git: Git, ours: str, theirs: str) -> Iterator[Git]:
    """The git that merges these commits as the given one would, and writes no file into its worktree. Blocking.

    Raises:
        GitError: git could not tell what differs between them.
    """
    folders = _folders(git)
    if folders is None:
        yield git
        return
    with tempfile.TemporaryDirectory(prefix=passing_prefix(), ignore_cleanup_errors=True) as name:
        place = Path(name)
        for path, repository in _changed(git, ours, theirs).items():
            if repository:
                _point(git.folder / path, place / path)
            for parent in PurePosixPath(path).parents:
                _copy(git.folder / parent / _ATTRIBUTES, place / parent / _ATTRIBUTES)
        yield git.standing_in(place, folders[0], _same_attributes(git))


def _folders(git: Git) -> tuple[Path, Path] | None:
    """The git folders of the worktree; None where git writes nothing, or does not stand at its top."""
    if not git.has_drivers:
        return None
    try:
        return git_folders(git.folder)
    except (OSError, ValueError):
        return None


def _changed(git: Git, ours: str, theirs: str) -> dict[str, bool]:
    """The paths that differ between two commits, and whether one is a repository. Only such paths are merged, so only
    the attributes beside and above them count."""
    asked = ("diff-tree", "-r", "--raw", "-z", "--no-renames", ours, theirs, "--")
    parts = git.run_now(*asked, limit_s=DIFF_LIMIT_S, check=False).raw.split(b"\0")
    pairs = zip(parts[::2], parts[1::2], strict=False)
    return {os.fsdecode(path): _REPOSITORY in facts[:_MODES] for facts, path in pairs}


def _same_attributes(git: Git) -> dict[str, str]:
    """The setting that lets a file of attributes be found whose name begins at the worktree."""
    said = git.run_now("config", "--type=path", "-z", "--get", _FILE_SETTING, check=False)
    names = said.names if said.status == 0 else []
    return {_FILE_SETTING: str(git.folder.absolute() / names[0])} if names else {}


def _copy(source: Path, target: Path) -> None:
    """A file, not what a link leads to, which git does not read either."""
    with contextlib.suppress(OSError):
        if source.is_file() and not source.is_symlink() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def _point(source: Path, target: Path) -> None:
    """Let git find the repository that is inside of the worktree."""
    with contextlib.suppress(OSError, ValueError):
        folder = git_folders(source)[0]
        target.mkdir(parents=True, exist_ok=True)
        (target / ".git").write_bytes(b"gitdir: " + os.fsencode(folder) + b"\n")
