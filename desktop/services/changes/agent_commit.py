"""Committing in a lane without a program of the lane: a private index, plumbing, and the branch moved by its old id."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from desktop.domain.core.errors import GitError
from desktop.records import dataclass
from desktop.services.changes.commit_choice import Choice, LeftOut, choose
from desktop.services.files.leftovers import passing_prefix
from desktop.services.git.commit_facts import (
    MARK,
    check_amend,
    head_branch,
    head_commit_id,
    hooks_present,
    lane_filters,
    parents_and_author,
    person_identity,
)
from desktop.services.git.index_copy import copy_index
from desktop.services.git.reads import Repository
from desktop.services.git.run import Git

INDEX_BEHIND = (
    "The commit stands and no file changed, but Git's index could not be brought up to date: {why}. It still holds the "
    "committed files as they were, so “git commit” in a terminal would take their changes back. Run “git reset” there "
    "first; it changes no file."
)


class NothingToCommit(GitError):
    """No file goes into the commit. `left_out`: those that changed all the same."""

    def __init__(self, text: str, left_out: tuple[LeftOut, ...]) -> None:
        super().__init__(text)
        self.left_out = left_out


@dataclass(frozen=True)
class CommitRequest:
    """The wish of an agent for a commit. `paths`: lane-relative files and folders, none for everything that changed.
    `allowed`: files that a person allowed by name although they usually hold secrets or are large."""

    message: str
    paths: tuple[str, ...] = ()
    allowed: frozenset[str] = frozenset()
    amend: bool = False


@dataclass(frozen=True)
class MadeCommit:
    """A commit that is on its branch. `paths`: what it changed. `notes`: sentences about what was not done. `before`:
    where the branch stood, "" for nowhere."""

    oid: str
    branch: str
    paths: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]
    before: str = ""


def commit(root: Path, repository: Repository, request: CommitRequest) -> MadeCommit:
    """Commit the working files as they are now. What the index holds of other files stays as it was. Blocking.

    Raises:
        GitError: nothing was committed; the branch and the index are as before.
    """
    git = Git(root)
    branch = head_branch(git)
    if repository.operation:
        raise GitError(f"A {repository.operation} is under way in this lane. A person has to finish or abort it first.")
    head = head_commit_id(git)
    identity = person_identity(git)
    if request.amend:
        check_amend(git, repository, branch, head)
    check_conflicts(git)
    with tempfile.TemporaryDirectory(prefix=passing_prefix()) as folder:
        own = private_index(root, repository, head, Path(folder))
        choice = choose(git, own, request.paths, request.allowed)
        if not choice.paths and not request.amend:
            raise NothingToCommit(_nothing(request, choice), choice.left_out)
        tree = staged_tree(own, choice)
    oid = commit_object(git, request, head, tree, identity)
    reason = f"{MARK}: {request.message.strip().splitlines()[0]}"
    git.run_now("update-ref", "-m", reason, f"refs/heads/{branch}", oid, head or "0" * len(oid))
    notes = [*_notes(git, root, repository, choice), *refreshed(git, choice.paths)]
    return MadeCommit(oid, branch, choice.paths, choice.left_out, tuple(notes), head)


def check_conflicts(git: Git) -> None:
    """Raises GitError when a file is in conflict."""
    open_files = sorted({name.rpartition("\t")[2] for name in git.run_now("ls-files", "--unmerged", "-z").names})
    if open_files:
        if len(open_files) == 1:
            raise GitError(f"Not committed: {open_files[0]} is in conflict. Resolve that first.")
        raise GitError(f"Not committed: {', '.join(open_files[:5])} are in conflict. Resolve that first.")


def private_index(root: Path, repository: Repository, head: str, folder: Path) -> Git:
    """git with an index of its own that holds exactly the last commit; what is known of unchanged files is kept."""
    index = folder / "index"
    copy_index(repository.git_folder, index)
    own = Git(root, {"GIT_INDEX_FILE": str(index)})
    command = ("read-tree", "--reset", head) if head else ("read-tree", "--empty")
    own.run_on_files_now("-c", "core.splitIndex=false", *command)  # a part of it may not stand beside the lane's index
    return own


def staged_tree(own: Git, choice: Choice) -> str:
    """The tree of a private index with the chosen files as they are now."""
    if gone := [path for path in choice.paths if path in choice.gone]:
        own.run_on_files_now("update-index", "--force-remove", "-z", "--stdin", given=_listed(gone))
    if there := [path for path in choice.paths if path not in choice.gone]:
        own.run_on_files_now("update-index", "--add", "--remove", "--replace", "-z", "--stdin", given=_listed(there))
    return own.run_on_files_now("write-tree").stdout.strip()


def commit_object(git: Git, request: CommitRequest, head: str, tree: str, identity: dict[str, str]) -> str:
    """A commit of this tree, on no branch yet.

    Raises:
        GitError: it would change nothing.
    """
    parents, author = [head] if head else [], identity
    if request.amend:
        parents, kept = parents_and_author(git, head)
        author = {**identity, **kept}
    if _tree_of(git, parents[0] if parents else "") == tree and len(parents) < 2:
        raise GitError("Not amended: the commit would have no changes left." if request.amend else "Nothing to commit.")
    made = Git(git.folder, author).run_now(
        "commit-tree",
        tree,
        *(word for parent in parents for word in ("-p", parent)),
        "-F",
        "-",
        config={"i18n.commitEncoding": "UTF-8"},
        given=f"{request.message.strip()}\n".encode(),
    )
    return made.stdout.strip()


def _tree_of(git: Git, commit_id: str) -> str:
    return git.run_now("rev-parse", f"{commit_id}^{{tree}}").stdout.strip() if commit_id else ""


def refreshed(git: Git, paths: tuple[str, ...]) -> list[str]:
    """Let the lane's own index know what was committed; its other entries stay. A failure is only told: the commit is
    on its branch, and the next one made here begins at the branch, not at this index."""
    literal = Git(git.folder, {"GIT_LITERAL_PATHSPECS": "1"})
    command = ("reset", "-q", "--refresh", "--pathspec-from-file=-", "--pathspec-file-nul")
    try:
        if paths:
            literal.run_on_files_now(*command, given=_listed(paths))
    except GitError as error:
        why = "another program holds its index.lock" if "index.lock" in error.stderr else str(error)
        return [INDEX_BEHIND.format(why=why)]
    return []


def _listed(paths: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def _notes(git: Git, root: Path, repository: Repository, choice: Choice) -> list[str]:
    notes: list[str] = []
    if hooks := hooks_present(git, root, repository):
        notes.append(f"Hooks were not run: {', '.join(hooks)}.")
    if filters := lane_filters(git, choice.filters):
        notes.append(f"Filters of this repository were not run: {', '.join(filters)}.")
    return notes


def _nothing(request: CommitRequest, choice: Choice) -> str:
    where = f" in {', '.join(request.paths[:5])}" if request.paths else ""
    why = " ".join(f"{out.path} is left out: {out.reason}." for out in choice.left_out[:10])
    return f"Nothing to commit: nothing has changed{where}." if not why else f"Nothing to commit{where}. {why}"
