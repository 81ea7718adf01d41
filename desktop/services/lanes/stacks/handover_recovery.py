"""The recovery after a crash while the person's checkout showed a lane: taken back, as far as nobody changed it
since."""

import os
import tempfile
from pathlib import Path

from desktop.domain.core.errors import LaneError
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.leftovers import passing_prefix
from desktop.services.git.run import WORKTREE_LIMIT_S, Git
from desktop.services.git.trees.merge import commit_id
from desktop.services.history.diff import changed_paths
from desktop.services.history.tree_fit import remove_file
from desktop.services.lanes.stacks.handover import SHOWN_REFS, Handover, forget_handover

_NAMED = 5


def undo_show(checkout: LaneFiles, handover: Handover) -> str:
    """The checkout, which was clean, as before a lane began to be shown in it, where that was cut off between its files
    and HEAD; a sentence about it, "" when there was nothing to do. Blocking.

    Raises:
        LaneError: somebody staged something since, so nothing was changed.
        GitError: git failed, or another one works there.
    """
    git = Git(checkout.root)
    if commit_id(git, f"{SHOWN_REFS}/{handover.lane_id}") != handover.commit:
        return ""
    branch = git.run_now("symbolic-ref", "--quiet", "--short", "HEAD", check=False).stdout.strip()
    if (branch, commit_id(git, "HEAD")) != (handover.branch, handover.head):
        forget_handover(git, handover)
        return ""
    paths = changed_paths(git, handover.head, handover.commit)
    staged = git.run_on_files_now("write-tree").stdout.strip()
    if staged == _tree(git, handover.commit) != _tree(git, handover.head):
        git.run_on_files_now("read-tree", "--reset", handover.head)  # the index alone; files follow one by one
    elif staged != _tree(git, handover.head):
        raise LaneError(
            "Banksman closed while your checkout began to show a lane, and something was staged there since. Look at "
            "“git status” in your checkout."
        )
    returned, foreign = _returned(checkout, git, handover, paths)
    forget_handover(git, handover)
    if not returned and not foreign:
        return ""
    told = "Banksman closed while your checkout began to show a lane. It stands as before that."
    if foreign:
        told += f" These files were changed besides, and stay: {', '.join(foreign[:_NAMED])}."
    return told


def _returned(checkout: LaneFiles, git: Git, handover: Handover, paths: frozenset[str]) -> tuple[int, list[str]]:
    """How many of the paths were put back, and those that hold neither side."""
    before, after = _held(git, handover.head), _held(git, handover.commit)
    not_before, not_after = _differing(git, handover.head), _differing(git, handover.commit)
    back: list[str] = []
    gone: list[str] = []
    foreign: list[str] = []
    for path in sorted(paths):
        there = os.path.lexists(checkout.root / path)
        of_lane = path in after and path not in not_after
        if path in before and (path not in not_before or not there or of_lane):
            back += [path] if path in not_before else []
        elif path not in before and (not there or of_lane):
            gone += [path] if there else []
        else:
            foreign.append(path)
    for path in gone:
        remove_file(checkout, path)
    if back:
        given = b"".join(os.fsencode(path) + b"\0" for path in back)
        git.run_on_files_now("checkout-index", "-f", "-u", "-z", "--stdin", given=given)
    return len(back) + len(gone), foreign


def _differing(git: Git, commit: str) -> frozenset[str]:
    """The files of a commit that are not so, or not at all, in the folder; the index is not touched."""
    with tempfile.TemporaryDirectory(prefix=passing_prefix()) as folder:
        own = Git(git.folder, {"GIT_INDEX_FILE": str(Path(folder, "index"))})
        own.run_on_files_now("read-tree", commit)
        refresh = ("update-index", "-q", "--refresh")
        own.run_now(*refresh, check=False, limit_s=WORKTREE_LIMIT_S, config=git.emptied_filters())
        return frozenset(own.run_on_files_now("diff-files", "--name-only", "-z").names)


def _held(git: Git, commit: str) -> frozenset[str]:
    return frozenset(git.run_now("ls-tree", "-r", "--name-only", "-z", "--full-tree", commit).names)


def _tree(git: Git, commit: str) -> str:
    return git.run_now("rev-parse", f"{commit}^{{tree}}").stdout.strip()
