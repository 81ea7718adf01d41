"""Taking the commits of another lane into a lane: merged in memory, then branch and files are moved, or nothing is."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from desktop.domain.core.errors import GitError, LaneError
from desktop.domain.lanes.lane import Lane
from desktop.records import dataclass
from desktop.services.git.commit_facts import person_identity
from desktop.services.git.replay import own_commits
from desktop.services.git.run import STATUS_LIMIT_S, Git
from desktop.services.git.trees.merge import commit_id, is_ancestor, merge_trees
from desktop.services.history.branch_move import filtered_between, move_worktree
from desktop.services.history.diff import changed_paths, deleted_paths
from desktop.services.lanes.setup_files import unchanged
from desktop.services.lanes.stacks.rebase import operation_in

MARK = "take (banksman)"
_LISTED = 5


@dataclass(frozen=True)
class Taken:
    """What was taken: `commits` of the other lane, which change `files`, joined by the commit `after`. With `conflicts`
    nothing was changed; `before` equals `after` where there was nothing to take."""

    branch: str
    before: str
    after: str
    commits: int = 0
    files: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()


def not_committed(lane: Lane) -> tuple[str, ...]:
    """The files of a lane that are not committed, untracked ones too, without those that its setup made. Blocking.

    Raises:
        LaneError: it is not in use on its own branch, or in the middle of something.
        GitError: git could not tell.
    """
    git = Git(Path(lane.worktree_path))
    branch = _branch(git, lane)
    if branch != lane.branch:
        raise LaneError(f"The lane '{lane.name}' is on {branch}, not on {lane.branch or 'a branch of its own'}.")
    asked = ("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty")
    listed = git.run_on_files_now(*asked, limit_s=STATUS_LIMIT_S).names
    by_setup = {f"?? {path}" for path in unchanged(git.folder, lane.setup_files)}
    return tuple(line[3:].removesuffix("/") for line in listed if line not in by_setup)


def would_change(into: Lane, lane: Lane) -> tuple[tuple[str, bool], ...]:
    """The files that taking all of `lane` into the lane `into` would change, with whether each would be deleted; none
    where they do not fit together. Blocking. Raises as `not_committed`."""
    git, folder = Git(Path(into.worktree_path)), Path(lane.worktree_path)
    loose = tuple((path, not os.path.lexists(folder / path)) for path in not_committed(lane))
    before, head = (commit_id(git, f"refs/heads/{branch}") for branch in (_branch(git, into), lane.branch))
    if not head or is_ancestor(git, head, before):
        return loose
    merged = merge_trees(git, before, head)
    return (*_changes(git, before, merged.tree), *loose) if merged.outcome == "clean" else loose


def _changes(git: Git, before: str, tree: str) -> tuple[tuple[str, bool], ...]:
    """The files that differ, in order, with whether each is deleted."""
    deleted = deleted_paths(git, before, tree)
    return tuple((path, path in deleted) for path in sorted(changed_paths(git, before, tree)))


def take_commits(
    into: Lane, lane: Lane, subject: str, refusing: Callable[[Iterable[tuple[str, bool]]], Iterator[str]] | None = None
) -> Taken:
    """Bring what `lane` has committed into the lane `into`, whose files that are not committed stay as they are.

    `refusing` says for files, each given with whether it would be deleted, why they may not be changed. Blocking.

    Raises:
        LaneError: something stands against it; nothing was changed.
        GitError: git failed, or a branch was moved meanwhile; nothing was changed.
    """
    git = Git(Path(into.worktree_path))
    branch = _branch(git, into)
    before, head = commit_id(git, f"refs/heads/{branch}"), commit_id(git, f"refs/heads/{lane.branch}")
    if not head:
        raise LaneError(f"The branch {lane.branch} of the lane '{lane.name}' is gone.")
    if is_ancestor(git, head, before):
        return Taken(branch, before, before)
    commits = len(own_commits(git, head, before))
    merged = merge_trees(git, before, head)
    if merged.outcome == "unknown":
        raise GitError(f"Git could not tell what the merge would give: {merged.problem}")
    if merged.outcome == "conflict":
        return Taken(branch, before, before, conflicts=merged.files or ("(no file named)",))
    changes = _changes(git, before, merged.tree)
    files = tuple(path for path, _ in changes)
    if refusing is not None:
        for words in refusing(changes):
            raise LaneError(f"Not taken: {words}")
    _require_room(git, before, merged.tree, files)
    made = _joined(git, merged.tree, (before, head), f"{subject}\n\nMerge branch '{lane.branch}' into {branch}\n")
    move_worktree(git, branch, before, made, f"{MARK}: {lane.branch}")
    return Taken(branch, before, made, commits, files)


def _branch(git: Git, lane: Lane) -> str:
    """The branch that the lane stands on. Raises LaneError: it is on none, or in the middle of something."""
    if operation := operation_in(git.folder):
        raise LaneError(f"A {operation} is open in the lane '{lane.name}'. A person has to finish or abort it first.")
    branch = git.run_now("symbolic-ref", "--quiet", "--short", "HEAD", check=False).stdout.strip()
    if not branch:
        raise LaneError(f"The lane '{lane.name}' is on no branch, so nothing can be taken into it.")
    return branch


def _require_room(git: Git, before: str, tree: str, files: tuple[str, ...]) -> None:
    """Raises LaneError when the files that would change were changed and not committed here, or are not only Git's."""
    asked = ("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=dirty")
    changed = git.run_on_files_now(*asked, limit_s=STATUS_LIMIT_S).names
    staged = [line[3:] for line in changed if line[0] != " "]
    if staged:
        raise LaneError(f"Git's index holds changes that are not committed: {_named(staged)}. Commit them first.")
    both = sorted({line[3:] for line in changed} & set(files))
    if both:
        raise LaneError(f"Changed here too and not committed: {_named(both)}. Commit that first, or put it aside.")
    if through := filtered_between(git, before, tree):
        raise LaneError(f"{through[0]} goes through a filter of Git. A person has to merge it in a terminal.")


def _joined(git: Git, tree: str, parents: tuple[str, str], words: str) -> str:
    made = Git(git.folder, person_identity(git)).run_now(
        "commit-tree",
        tree,
        *(word for parent in parents for word in ("-p", parent)),
        "-F",
        "-",
        config={"i18n.commitEncoding": "UTF-8"},
        given=words.encode("utf-8", "replace"),
    )
    return made.stdout.strip()


def _named(paths: list[str]) -> str:
    more = f" and {len(paths) - _LISTED} more" if len(paths) > _LISTED else ""
    return ", ".join(paths[:_LISTED]) + more
