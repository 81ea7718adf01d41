"""A person's commit of what they ticked: whole files and parts of files, exactly as they were shown, or nothing."""

import os
import tempfile
from pathlib import Path

from desktop.domain.changes.values import Picked
from desktop.domain.core.errors import GitError, PathError
from desktop.records import dataclass
from desktop.services.changes.agent_commit import (
    CommitRequest,
    check_conflicts,
    commit_object,
    private_index,
    refreshed,
    staged_tree,
)
from desktop.services.changes.commit_choice import LARGE, SECRET, Choice, FilterNeeded, choose
from desktop.services.changes.file_diff import Lines, diff_of
from desktop.services.changes.listing import renames
from desktop.services.changes.picked_lines import chosen_lines, with_only
from desktop.services.changes.scope import uncommitted_sides
from desktop.services.changes.sides import FileState, Tree, require_lane_path, sha256_of, state_in_tree, state_now
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.leftovers import passing_prefix
from desktop.services.git.commit_facts import (
    MARK,
    check_unpushed,
    head_branch,
    head_commit_id,
    hooks_present,
    person_identity,
)
from desktop.services.git.file_search import is_secret
from desktop.services.git.reads import Repository
from desktop.services.git.run import Git

MOVED = "The branch moved since this was shown, so nothing was committed. Refresh and try again."
CHANGED = "{path} changed since it was shown, so nothing was committed. Refresh and try again."


class NeedsTick(GitError):
    """The commit was not made: some files need a tick of their own. `secret`: their names usually hold secrets;
    `large`: they are larger than 50 MB."""

    def __init__(self, secret: tuple[str, ...], large: tuple[str, ...]) -> None:
        super().__init__("Some files need a tick of their own before they are committed.")
        self.secret = secret
        self.large = large


@dataclass(frozen=True)
class PersonCommit:
    """The wish of a person for a commit. `head`: the last commit as it was shown; `allowed`: files with a tick of their
    own."""

    message: str
    picked: tuple[Picked, ...]
    head: str
    amend: bool = False
    allowed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Committed:
    """A commit that is on its branch. `notes`: sentences about what was not done."""

    oid: str
    branch: str
    paths: tuple[str, ...]
    notes: tuple[str, ...]


def commit_picked(files: LaneFiles, repository: Repository, order: PersonCommit) -> Committed:
    """Commit what is picked; everything else stays as it is, in the index too. Blocking.

    Raises:
        NeedsTick: a file needs a tick of its own.
        GitError: nothing was committed; branch and index are as before.
    """
    git = Git(files.root)
    branch, head = head_branch(git), head_commit_id(git)
    if repository.operation:
        raise GitError(f"A {repository.operation} is under way in this lane. Finish it or take it back first.")
    if head != order.head:
        raise GitError(MOVED)
    if not order.picked and not order.amend:
        raise GitError("Nothing is ticked.")
    identity = person_identity(git)
    if order.amend:
        check_unpushed(git, head)
    check_conflicts(git)
    tree, paths = _tree(git, files, repository, order, head)
    request = CommitRequest(order.message, amend=order.amend)
    oid = commit_object(git, request, head, tree, identity)
    reason = f"{MARK}: {order.message.strip().splitlines()[0]}"
    try:
        git.run_now("update-ref", "-m", reason, f"refs/heads/{branch}", oid, head or "0" * len(oid))
    except GitError as error:
        raise GitError(MOVED, stderr=error.stderr, status=error.status) from error
    notes = refreshed(git, paths)
    if hooks := hooks_present(git, files.root, repository):
        notes.insert(0, f"Hooks were not run: {', '.join(hooks)}.")
    return Committed(oid, branch, paths, tuple(notes))


def _tree(
    git: Git, files: LaneFiles, repository: Repository, order: PersonCommit, head: str
) -> tuple[str, tuple[str, ...]]:
    """The last commit's tree with what is picked, which is looked at before and afterwards; and what it changes."""
    shown = _as_shown(files, order)
    with tempfile.TemporaryDirectory(prefix=passing_prefix()) as folder:
        own = private_index(files.root, repository, head, Path(folder))
        choice = _choice(git, own, files, order)
        tree = staged_tree(own, choice)
        parts = [one for one in order.picked if one.hunks or one.lines]
        for one in parts:
            _enter_part(own, head, one, shown[one.path])
        if parts:
            tree = own.run_on_files_now("write-tree").stdout.strip()
    if _as_shown(files, order) != shown:
        raise GitError(CHANGED.format(path="A file"))
    return tree, choice.paths


def _as_shown(files: LaneFiles, order: PersonCommit) -> dict[str, FileState | None]:
    """The picked files as they are now. Raises GitError when one is not what was shown."""
    found: dict[str, FileState | None] = {}
    for one in order.picked:
        try:
            state = state_now(files, require_lane_path(one.path))
        except PathError as error:
            raise GitError(str(error)) from error
        if one.path in found:
            raise GitError(f"{one.path} is ticked twice.")
        known = one.sha256 or state is None or state.data is not None
        if known and sha256_of(state) != one.sha256:
            raise GitError(CHANGED.format(path=one.path))
        found[one.path] = state
    return found


def _choice(git: Git, own: Git, files: LaneFiles, order: PersonCommit) -> Choice:
    """All that is picked, with the old names of renamed files."""
    if not order.picked:
        return Choice((), frozenset(), (), frozenset())
    renamed = renames(git, uncommitted_sides(git)) if any(one.old_path for one in order.picked) else {}
    old = [one.old_path for one in order.picked if one.old_path and renamed.get(one.path) == one.old_path]
    named = tuple(dict.fromkeys([*(one.path for one in order.picked), *old]))
    try:
        choice = choose(git, own, named, order.allowed)
    except FilterNeeded as error:
        raise GitError(
            f'{error.path} goes through the Git filter "{error.name}", which Banksman does not run. '
            "Untick it here and commit it in a terminal."
        ) from error
    held = {reason: [out.path for out in choice.left_out if out.reason == reason] for reason in (SECRET, LARGE)}
    known = [path for path in choice.paths if is_secret(path) and path not in (*choice.gone, *order.allowed)]
    secret = sorted([*held[SECRET], *known])
    if secret or held[LARGE]:
        raise NeedsTick(tuple(secret), tuple(held[LARGE]))
    if choice.left_out:
        raise GitError(f"{choice.left_out[0].path} is not committed from here: {choice.left_out[0].reason}.")
    return choice


def _enter_part(own: Git, head: str, picked: Picked, now: FileState | None) -> None:
    """The index has the file as it was, with the picked lines as they are now."""
    tree = Tree(head, as_written=True)
    old = state_in_tree(Git(own.folder), tree, picked.old_path or picked.path) if head else None
    if sha256_of(old) != picked.base_sha256 or (now is not None and now.data is None):
        raise GitError(CHANGED.format(path=picked.path))
    lines = Lines(picked.context, ignore_space=picked.ignore_space, anyway=True)
    hunks = diff_of(old, now, picked.path, lines=lines).hunks
    chosen = chosen_lines(hunks, picked)
    if chosen is None:
        raise GitError(CHANGED.format(path=picked.path))
    before, after = (side.data or b"" if side is not None else b"" for side in (old, now))
    data = with_only(before, after, hunks, chosen)
    kept = old or now
    mode = kept.mode if kept is not None else "100644"
    words = ("hash-object", "-w", "--stdin", f"--path={picked.path}")
    oid = own.run_on_files_now(*words, given=data).stdout.strip()
    entry = f"{mode} {oid}\t".encode() + os.fsencode(picked.path) + b"\0"
    own.run_on_files_now("update-index", "-z", "--index-info", given=entry)
