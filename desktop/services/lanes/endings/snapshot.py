"""Snapshots of whole lanes before their folder goes (lanes-L27): every byte that Git does not ignore, as raw as it is.

One commit on `refs/banksman/trash/<lane id>/<time>`: its tree is the working files, its parents are HEAD, a commit of
the staged files and a commit with everything else that git kept of the worktree. Plain git can restore from it.
"""

import json
import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from desktop.domain.core.base import Frozen
from desktop.domain.core.errors import GitError, LaneError
from desktop.domain.lanes.lane import Lane
from desktop.services.files.folder_handles import READ_FLAGS
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import WORKTREE_LIMIT_S, Git
from desktop.services.git.trees.listing import MAX_FILE_BYTES, SUBMODULE, LaneTree, TreeEntry, TreeReader
from desktop.services.git.worktree_place import WorktreePlace
from desktop.services.history.refs import SCRATCH_REFS, CheckpointRef, CheckpointRefs
from desktop.services.lanes.git_state import keep_git_state, make_commit

TRASH_REFS = "refs/banksman/trash"
NO_LIMIT = 1 << 62
_TITLE = "Banksman trash"
_FIELDS = "%(refname)%00%(objectname)%00%(tree)%00%(contents)%00"
_STAMP = "%Y%m%dT%H%M%SZ"
_HASH_LIMIT_S = 600.0


class LaneSnapshot(Frozen):
    """A snapshot as its commit describes it. `id` is "<lane id>/<time>".

    `head`: the commit that was checked out, "" for none; `branch`: what HEAD named, "" when detached; `branch_oid`:
    where the lane's own branch stood. `index`: the commit of the staged files, "" when they are only in `state`.
    `files_from`: "folder", or where the files come from when the folder was gone. `kept`: names of the copies of
    ignored files and inner repositories beside it, `left_out`: those that were not to be kept. `by`: a chat, "" for the
    person.
    """

    id: str
    lane: Lane
    at: datetime
    purpose: Literal["delete", "archive"]
    by: str = ""
    head: str = ""
    branch: str = ""
    branch_oid: str = ""
    upstream: str = ""
    index: str = ""
    state: str = ""
    files_from: Literal["folder", "checkpoint", "head"] = "folder"
    kept: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    holds: str = ""
    commit: str = ""
    tree: str = ""

    @property
    def ref(self) -> str:
        """The hidden ref that holds the snapshot."""
        return f"{TRASH_REFS}/{self.id}"


class SnapshotTaker:
    """Takes one snapshot of one worktree and compares it with the folder afterwards. Every method blocks.

    `whole`: folders with a repository of their own inside that the caller keeps otherwise.

    Raises:
        GitError, LaneError, PathError: the lane cannot be kept as it is; nothing was changed.
    """

    def __init__(self, place: WorktreePlace, lane: Lane, *, whole: frozenset[str] = frozenset()) -> None:
        self._place = place
        self._lane = lane
        self._whole = whole
        self._files = LaneFiles(place.folder, name=lane.name)
        self._refs = CheckpointRefs(place.folder, lane.id, max_new_bytes=NO_LIMIT, environment=place.environment)
        self._reader = TreeReader(self._files, self._refs.object_format(), max_file_bytes=NO_LIMIT)

    def take(self, facts: LaneSnapshot) -> LaneSnapshot:
        """The snapshot, read back and compared; its ref names it. `facts` says what is known beforehand."""
        tree = self._look()
        written = self._write(tree)
        return self._commit(facts.model_copy(update={"tree": written}), tree)

    def holds_all_of(self, snapshot: LaneSnapshot, folder: Path) -> bool:
        """Whether the files, which stand in `folder` now, are still exactly those of the snapshot."""
        place = self._place.at(folder)
        self._files = LaneFiles(folder, name=self._lane.name)
        self._refs = CheckpointRefs(folder, self._lane.id, environment=place.environment)
        self._reader.moved(self._files)
        return self._look().entries == tree_entries(self._refs.git, snapshot.commit)

    def _look(self) -> LaneTree:
        listed = [path for path in self._refs.listed() if path.rstrip("/") not in self._whole]
        tree = self._reader.read(listed, max_files=NO_LIMIT)
        for path in listed:
            entry = tree.entries.get(path.rstrip("/"))
            if entry is None or entry.mode == SUBMODULE:
                _check_nothing_to_keep(self._files.root, path.rstrip("/"))
        return tree

    def _write(self, tree: LaneTree) -> str:
        """The id of a git tree with exactly these files."""
        for path, entry in tree.entries.items():
            if entry.mode != SUBMODULE and (self._files.root / path).lstat().st_size > MAX_FILE_BYTES:
                self._write_large(path, entry)
        scratch = f"{SCRATCH_REFS}/trash-{self._lane.id}"
        planned = CheckpointRef(self._lane.id, 0, "", "", datetime.now(UTC), "trash")
        written = self._refs.write(planned, None, tree, self._reader.content, ref=scratch)
        try:
            if written.tree_now.entries != tree.entries:
                raise LaneError(f"Files of the lane '{self._lane.name}' change while they are read. Try again.")
        finally:
            self._refs.drop_ref(scratch)
        return written.tree

    def _write_large(self, path: str, entry: TreeEntry) -> None:
        """A file that is too large for the memory goes into the repository piece by piece."""
        folder, name = self._files.open_parent(path)
        with folder:
            fd = folder.open(name, READ_FLAGS)
            try:
                made = self._refs.store_file(fd, limit_s=_HASH_LIMIT_S)
            finally:
                os.close(fd)
        if made != entry.oid:
            raise LaneError(f"{path} changes while it is read. Try again.")

    def _commit(self, facts: LaneSnapshot, tree: LaneTree) -> LaneSnapshot:
        return _make(self._place, facts, tree.entries)


def snapshot_without_folder(place: WorktreePlace, facts: LaneSnapshot, tree: str) -> LaneSnapshot:
    """A snapshot of a lane whose folder is gone: what git still keeps of it, with `tree` as its files. Blocking.

    Raises:
        GitError: it could not be made.
    """
    return _make(place, facts.model_copy(update={"tree": tree}), tree_entries(place.git(), tree))


def snapshots_in(git: Git, prefix: str = "") -> list[LaneSnapshot]:
    """Every snapshot of the repository whose id begins with `prefix`, latest first. Blocking.

    Raises:
        GitError: they cannot be listed.
    """
    where = f"{TRASH_REFS}/{prefix}" if prefix else f"{TRASH_REFS}/"
    raw = git.run_now("for-each-ref", f"--format={_FIELDS}", where, limit_s=WORKTREE_LIMIT_S).stdout.split("\0")
    rows = [raw[at : at + 4] for at in range(0, len(raw) - 4, 4)]
    found = [_parsed(ref.lstrip("\n"), commit, tree, message) for ref, commit, tree, message in rows]
    return sorted((one for one in found if one is not None), key=lambda one: (one.at, one.id), reverse=True)


def drop_snapshot(git: Git, snapshot: LaneSnapshot) -> None:
    """The snapshot is gone for good, if its ref still names it. Blocking.

    Raises:
        GitError: it names something else by now.
    """
    git.run_now("update-ref", "-d", snapshot.ref, snapshot.commit)


def renewed(git: Git, snapshot: LaneSnapshot, purpose: Literal["delete", "archive"], at: datetime) -> LaneSnapshot:
    """A snapshot of the same content under a new id, for another purpose. Blocking.

    Raises:
        GitError: it could not be made.
    """
    place = WorktreePlace(git.folder, git.folder, git.folder)
    lane_id = snapshot.lane.id
    facts = snapshot.model_copy(update={"id": new_snapshot_id(git, lane_id, at), "at": at, "purpose": purpose})
    parents = tuple(git.run_now("rev-list", "--parents", "--max-count=1", snapshot.commit).stdout.split()[1:])
    return _committed(place, facts, parents, tree_entries(git, snapshot.commit))


def new_snapshot_id(git: Git, lane_id: str, at: datetime) -> str:
    """An id that no snapshot has."""
    stamp = f"{lane_id}/{at.astimezone(UTC).strftime(_STAMP)}"
    taken = set(git.run_now("for-each-ref", "--format=%(refname)", f"{TRASH_REFS}/{lane_id}/").stdout.split())
    number, found = 1, stamp
    while f"{TRASH_REFS}/{found}" in taken:
        number += 1
        found = f"{stamp}-{number}"
    return found


def _make(place: WorktreePlace, facts: LaneSnapshot, entries: dict[str, TreeEntry]) -> LaneSnapshot:
    """Commit the tree with everything else, read it back, and only then give it its ref."""
    also = tuple(oid for oid in (facts.head, facts.branch_oid) if oid)
    state = keep_git_state(place, also)
    facts = facts.model_copy(update={"index": state.index, "state": state.state})
    parents = tuple(oid for oid in (facts.head, state.index, state.state) if oid)
    return _committed(place, facts, parents, entries)


def _committed(
    place: WorktreePlace, facts: LaneSnapshot, parents: tuple[str, ...], entries: dict[str, TreeEntry]
) -> LaneSnapshot:
    message = f"{_TITLE}: {facts.lane.name}\n\n{facts.model_dump_json(exclude={'commit', 'tree'})}\n"
    made = facts.model_copy(update={"commit": make_commit(place, facts.tree, parents, message)})
    git = place.git()
    _compare(git, made, parents, entries)
    git.run_now("update-ref", made.ref, made.commit, "0" * len(made.commit))
    if made not in snapshots_in(git, made.id):
        raise LaneError(f"The snapshot of the lane '{facts.lane.name}' could not be read back. Nothing was removed.")
    return made


def _compare(git: Git, made: LaneSnapshot, parents: tuple[str, ...], entries: dict[str, TreeEntry]) -> None:
    """Everything that should be in the snapshot is in it, and git has all of it."""
    read = tree_entries(git, made.commit)
    said = git.run_now("rev-list", "--parents", "--max-count=1", made.commit).stdout.split()
    blobs = sorted({entry.oid for entry in read.values() if entry.mode != SUBMODULE})
    given = "".join(f"{oid}\n" for oid in blobs).encode()
    checked = git.run_now("cat-file", "--batch-check", given=given, limit_s=WORKTREE_LIMIT_S).stdout if given else ""
    missing = [line for line in checked.splitlines() if len(words := line.split()) != 3 or words[1] != "blob"]
    if read != entries or tuple(said[1:]) != parents or missing:
        raise LaneError(f"The snapshot of the lane '{made.lane.name}' is not what its files are. Nothing was removed.")


def tree_entries(git: Git, tree: str) -> dict[str, TreeEntry]:
    """The files of a tree or commit, by their path. Blocking."""
    listed = git.run_now("ls-tree", "-r", "-z", "--full-tree", tree, limit_s=WORKTREE_LIMIT_S)
    entries = {}
    for line in listed.names:
        head, _, path = line.partition("\t")
        mode, _, oid = head.split(" ")
        entries[path] = TreeEntry(mode, oid)
    return entries


def _check_nothing_to_keep(root: Path, path: str) -> None:
    """Raises LaneError when something stands at `path` that holds bytes and is in no tree."""
    try:
        mode = (root / path).lstat().st_mode
        if stat.S_ISREG(mode) or stat.S_ISLNK(mode):
            raise LaneError(f"{path} cannot be read, so the lane cannot be kept. Nothing was removed.")
        if stat.S_ISDIR(mode) and any((root / path).iterdir()):
            raise LaneError(
                f"{path} is a repository of its own inside the lane. Move it elsewhere first. Nothing was removed."
            )
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise LaneError(f"{path} cannot be looked at ({error.strerror}). Nothing was removed.") from error


def _parsed(ref: str, commit: str, tree: str, message: str) -> LaneSnapshot | None:
    try:
        told = json.loads(message.partition("\n\n")[2])
        found = LaneSnapshot.model_validate({**told, "commit": commit, "tree": tree})
    except (ValueError, ValidationError, TypeError):
        return None
    return found if found.ref == ref else None


def commit_of(git: Git, name: str) -> str:
    """The commit of a ref, "" when there is no such ref."""
    found = git.run_now("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", check=False)
    if found.status not in (0, 1):
        raise GitError(f"{name} cannot be read: {found.stderr.strip()}", status=found.status)
    return found.stdout.strip() if found.status == 0 else ""
