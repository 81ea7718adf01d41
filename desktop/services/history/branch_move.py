"""Moving a worktree with its branch to another commit: only what differs, never over a file that git does not hold."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from desktop.domain.core.errors import GitError
from desktop.services.files.pointers import git_folders
from desktop.services.git.commit_facts import person_filters
from desktop.services.git.run import DIFF_LIMIT_S, WORKTREE_LIMIT_S, Git
from desktop.services.history.diff import changed_paths

MOVING_REF = "refs/worktree/banksman/moving"
"""Of the worktree alone: where it is being moved, for a next start to take back what a crash cut off."""
_LISTED = 5


def move_worktree(git: Git, branch: str, old: str, new: str, reason: str) -> None:
    """Bring the worktree at `git.folder`, which stands on `branch` at `old`, to `new`. Files that do not differ, and
    files that git does not track, stay as they are. Blocking.

    Raises:
        GitError: nothing was changed; the branch stands elsewhere, or a file is in the way or was changed.
    """
    require_at(git, branch, old)
    if blocking := in_the_way(git, old, new):
        named = ", ".join(blocking[:_LISTED])
        raise GitError(f"Files that Git does not keep are in the way: {named}. Move them away first.")
    git.run_now("update-index", "-q", "--refresh", check=False, limit_s=WORKTREE_LIMIT_S, config=git.emptied_filters())
    git.run_now("update-ref", MOVING_REF, new)
    try:
        git.run_on_files_now("read-tree", "-m", "-u", old, new)
        try:
            git.run_now("update-ref", "-m", reason, f"refs/heads/{branch}", new, old)
        except GitError:
            git.run_on_files_now("read-tree", "-m", "-u", new, old)
            raise
    finally:
        git.run_now("update-ref", "-d", MOVING_REF)


def was_cut_off(folder: Path) -> bool:
    """Whether a move of this worktree did not come to its end. Looks at one file; starts nothing."""
    try:
        return (git_folders(folder)[0] / MOVING_REF).is_file()
    except (OSError, ValueError):
        return False


def undo_cut_off(git: Git) -> bool:
    """Take back a move that a crash cut off after the files and before the branch; whether there was one. Blocking.

    Raises:
        GitError: files were changed since, so they stay as they are.
    """
    new = git.run_now("rev-parse", "--verify", "--quiet", MOVING_REF, check=False).stdout.strip()
    if not new:
        return False
    head = git.run_now("rev-parse", "--verify", "--quiet", "HEAD^{commit}", check=False).stdout.strip()
    staged = git.run_on_files_now("write-tree").stdout.strip()
    moved = staged == git.run_now("rev-parse", f"{new}^{{tree}}").stdout.strip()
    if head and head != new and moved:
        git.run_now(
            "update-index", "-q", "--refresh", check=False, limit_s=WORKTREE_LIMIT_S, config=git.emptied_filters()
        )
        git.run_on_files_now("read-tree", "-m", "-u", new, head)
    git.run_now("update-ref", "-d", MOVING_REF)
    return bool(head and head != new and moved)


def require_at(git: Git, branch: str, commit: str) -> None:
    """Raises GitError unless the worktree stands on this branch, at this commit."""
    ref = git.run_now("symbolic-ref", "--quiet", "HEAD", check=False).stdout.strip()
    head = git.run_now("rev-parse", "--verify", "--quiet", "HEAD^{commit}", check=False).stdout.strip()
    if ref != f"refs/heads/{branch}" or head != commit:
        raise GitError(f"{branch} was moved meanwhile, so nothing was done. Try again.")


def in_the_way(git: Git, old: str, new: str) -> list[str]:
    """Files that git does not hold in `old`, ignored ones too, where `new` has something else. Blocking."""
    command = ("diff-tree", "-r", "--no-renames", "--name-only", "-z", "--no-ext-diff", "--no-textconv")
    added = git.run_now(*command, "--diff-filter=A", old, new, limit_s=DIFF_LIMIT_S).names
    found: list[str] = []
    for path in added:
        place = _first_there(git.folder, path)
        if place is not None:
            found += _not_held(git, old, place)
    return sorted(set(found))


def filtered(git: Git, paths: Iterable[str]) -> list[str]:
    """Those of the paths that go through a filter of the person's, such as lfs: without it the wrong bytes would be
    written. Blocking."""
    given = b"".join(os.fsencode(path) + b"\0" for path in paths)
    if not given:
        return []
    asked = git.run_now("check-attr", "-z", "--stdin", "filter", given=given, limit_s=DIFF_LIMIT_S).names
    persons = person_filters(git)
    return [path for path, value in zip(asked[0::3], asked[2::3], strict=False) if value in persons]


def filtered_between(git: Git, old: str, new: str) -> list[str]:
    """Those that differ between two commits and go through a filter of the person's. Blocking."""
    return filtered(git, sorted(changed_paths(git, old, new)))


def _first_there(root: Path, path: str) -> str | None:
    """The path itself if it is there, else what stands where one of its folders must be; None when nothing is."""
    parts = path.split("/")
    for count in range(1, len(parts) + 1):
        place = "/".join(parts[:count])
        try:
            found = (root / place).lstat()
        except FileNotFoundError:
            return None
        if count == len(parts) or not stat.S_ISDIR(found.st_mode):
            return place
    return None


def _not_held(git: Git, old: str, place: str) -> list[str]:
    """Of what stands at `place`, the files that `old` does not have."""
    literal = Git(git.folder, {"GIT_LITERAL_PATHSPECS": "1"})
    known = set(literal.run_now("ls-tree", "-r", "--name-only", "-z", "--full-tree", old, "--", place).names)
    there: list[str] = []
    full = git.folder / place
    if full.is_dir() and not full.is_symlink():
        for folder, _, names in os.walk(full):
            there += [Path(folder, name).relative_to(git.folder).as_posix() for name in names]
    else:
        there = [place]
    return [path for path in there if path not in known]
