"""The uncommitted files of the person's checkout, taken along into a new lane: kept by Git first, then written there.

The checkout is only read here. Its bytes are taken as they stand on the disk: no filter, hook or attribute counts.
"""

import contextlib
import json
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from desktop.domain.core.errors import GitError, LaneError, PathError
from desktop.records import dataclass
from desktop.services.files.folder_handles import READ_FLAGS
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.leftovers import passing_prefix
from desktop.services.files.pointers import git_folders
from desktop.services.git.index_copy import copy_index
from desktop.services.git.reader import RepoReader
from desktop.services.git.run import STATUS_LIMIT_S, Git, head_commit
from desktop.services.git.trees.listing import SUBMODULE, LaneTree, TreeReader
from desktop.services.history.refs import CheckpointRef, CheckpointRefs, now_in_seconds
from desktop.services.history.restore import NotPutBack, Restorer

START_REFS = "refs/banksman/start"
MAX_SHOWN = 5
_WHO = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (("NAME", "Banksman"), ("EMAIL", "checkpoints@banksman.invalid"))
}


@dataclass(frozen=True)
class Uncommitted:
    """The files of a checkout that differ from HEAD. `paths`: every file that differs, staged or not, untracked ones
    too; `left_out`: submodules and repositories inside it, which cannot be taken along."""

    head: str
    paths: tuple[str, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Carried:
    """Uncommitted work as it was kept for a lane: the `paths` that differ, staged or not, their files as of then,
    those of HEAD in their place (`before`), the tree of the index, and the permissions of the regular files."""

    lane_id: str
    head: str
    paths: tuple[str, ...]
    files: LaneTree
    before: LaneTree
    index_tree: str
    modes: dict[str, int]


class KnownPaths(CheckpointRefs):
    """Git's objects and refs for a fixed set of paths: nothing beside them is looked at, and none of them counts as
    ignored, because they were chosen one by one."""

    def __init__(self, root: Path, lane_id: str, paths: Iterable[str]) -> None:
        super().__init__(root, lane_id)
        self._paths = sorted(paths)

    def listed(self) -> list[str]:
        """The paths that are known."""
        return self._paths

    def ignored(self, paths: Iterable[str]) -> frozenset[str]:
        """The ignored ones among these paths: none."""
        return frozenset()


def uncommitted(checkout: Path) -> Uncommitted:
    """The files in the person's checkout that are not committed. Blocking.

    Raises:
        LaneError: files are in conflict, or there is no commit yet.
        GitError: it cannot be read.
    """
    head = head_commit(checkout)
    if not head:
        raise LaneError("This repository has no commit yet.")
    command = ("status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=none")
    fields = Git(checkout).run_on_files_now(*command, limit_s=STATUS_LIMIT_S).names
    paths: list[str] = []
    left_out: list[str] = []
    for field in fields:
        kind, rest = field[:1], field[2:]
        if kind == "u":
            raise LaneError("Files of your checkout are in conflict. Resolve that first, or start from a branch.")
        if kind == "1":
            _, submodule, *_modes, path = rest.split(" ", 7)
            (left_out if submodule.startswith("S") else paths).append(path)
        elif kind == "?":
            (left_out if rest.endswith("/") else paths).append(rest)
    return Uncommitted(head, tuple(sorted(paths)), tuple(sorted(left_out)))


def keep(checkout: Path, lane_id: str) -> Carried:
    """Keep what is not committed, where plain Git finds it: a commit of HEAD with these files on
    `refs/banksman/start/<lane>/files`, one of the index beside it. The checkout is only read. Blocking.

    Raises:
        LaneError: there is nothing to take along, or something that cannot be.
        GitError: it could not be kept.
    """
    found = uncommitted(checkout)
    if not found.paths:
        raise LaneError("There is nothing uncommitted in your checkout to take along.")
    refs = KnownPaths(checkout, lane_id, found.paths)
    reader = TreeReader(LaneFiles(checkout), refs.object_format())
    now = reader.read(found.paths)
    if now.large:
        raise LaneError(
            f"Files over 50 MiB cannot be taken along: {named(now.large)}. Move them away, or start from a branch."
        )
    scratch = f"{START_REFS}/{lane_id}/new"
    written = refs.write(
        CheckpointRef(lane_id, 0, "", "", now_in_seconds(), "start"), None, now, reader.content, ref=scratch
    )
    if written.tree_now.partial:
        raise LaneError("Your uncommitted changes are too much to take along: more than 2 GiB.")
    files, index_tree = written.tree_now, _index_tree(checkout)
    before = _committed(refs, found.head, found.paths)
    carried = Carried(
        lane_id, found.head, found.paths, files, before, index_tree, _permissions(LaneFiles(checkout), files.entries)
    )
    _keep_tree(refs.git, _files_ref(lane_id), _whole_tree(refs.git, found, files), carried)
    _keep_tree(refs.git, _index_ref(lane_id), index_tree, carried)
    refs.drop_ref(scratch)
    return carried


def kept(checkout: Path, lane_id: str) -> Carried | None:
    """The files that were kept for a lane whose creation did not come to its end; None: nothing was kept. Blocking."""
    if not RepoReader(checkout).ref_names(f"{START_REFS}/{lane_id}/"):
        return None
    refs = KnownPaths(checkout, lane_id, ())
    names = (_files_ref(lane_id), _index_ref(lane_id))
    fields = "%(refname)%00%(objectname)%00%(tree)%00%(parent)%00%(contents:body)%00"
    parts = refs.git.run_now("for-each-ref", f"--format={fields}", *names).stdout.split("\0")
    found = {parts[at].strip(): parts[at + 1 : at + 5] for at in range(0, len(parts) - 5, 5)}
    if set(found) != set(names):
        return None
    commit, _, head, listed = found[names[0]]
    try:
        facts = json.loads(listed)
        paths = tuple(str(path) for path in facts["paths"])
        modes = {str(path): int(mode) for path, mode in facts["modes"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise GitError(f"What was kept for a new lane cannot be read: {names[0]}.") from error
    files, before = _committed(refs, commit, paths), _committed(refs, head, paths)
    return Carried(lane_id, head, paths, files, before, found[names[1]][1], modes)


def set_permissions(files: LaneFiles, wanted: dict[str, int]) -> None:
    """The regular files among these get their permissions back, as far as the system allows. Blocking."""
    for path, mode in wanted.items():
        with contextlib.suppress(OSError, PathError):
            folder, name = files.open_parent(path)
            with folder:
                fd = folder.open(name, READ_FLAGS)
            try:
                os.fchmod(fd, mode)
            finally:
                os.close(fd)


def give(carried: Carried, lane_folder: Path) -> None:
    """The lane, which stands at the HEAD of then, gets the files and the index. Blocking.

    Raises:
        LaneError: a file could not be written.
        GitError: Git failed.
    """
    refs = KnownPaths(lane_folder, carried.lane_id, carried.paths)
    reader = TreeReader(LaneFiles(lane_folder), refs.object_format())
    try:
        steps = Restorer(LaneFiles(lane_folder), refs, reader).put_back(carried.files, reader.read(carried.paths))
    except NotPutBack as error:
        raise LaneError(f"Your changes could not be written into the lane: {error}") from error
    if steps.left:
        raise LaneError(f"These changes could not be written into the lane: {named(steps.left)}.")
    set_permissions(LaneFiles(lane_folder), carried.modes)
    git = Git(lane_folder)
    git.run_on_files_now("read-tree", "--reset", carried.index_tree)
    refresh(git)


def forget(checkout: Path, lane_id: str) -> None:
    """Remove the refs that were kept for carrying files into a lane. Blocking."""
    git = Git(checkout)
    for ref in (_files_ref(lane_id), _index_ref(lane_id), f"{START_REFS}/{lane_id}/new"):
        git.run_now("update-ref", "-d", ref, check=False)


def refresh(git: Git) -> None:
    """Let the index know which files are as it has them; a file that differs is no failure. Blocking."""
    git.run_now("update-index", "-q", "--refresh", config=git.emptied_filters(), limit_s=STATUS_LIMIT_S, check=False)


def named(paths: Iterable[str]) -> str:
    """The first five paths in words, then how many more there are."""
    listed = sorted(paths)
    more = f" and {len(listed) - MAX_SHOWN} more" if len(listed) > MAX_SHOWN else ""
    return ", ".join(listed[:MAX_SHOWN]) + more


def private_index(checkout: Path, folder: Path) -> Git:
    """git in the checkout with a copy of its index, which lies in `folder`. Blocking."""
    copied = folder / "index"
    copy_index(git_folders(checkout)[0], copied)
    return Git(checkout, {"GIT_INDEX_FILE": str(copied)})


def _permissions(files: LaneFiles, paths: Iterable[str]) -> dict[str, int]:
    """Who may read, write and run each of these regular files. Blocking."""
    found: dict[str, int] = {}
    for path in paths:
        with contextlib.suppress(OSError, PathError):
            folder, name = files.open_parent(path)
            with folder:
                there = folder.stat(name)
            if stat.S_ISREG(there.st_mode):
                found[path] = stat.S_IMODE(there.st_mode) & 0o777
    return found


def _files_ref(lane_id: str) -> str:
    return f"{START_REFS}/{lane_id}/files"


def _index_ref(lane_id: str) -> str:
    return f"{START_REFS}/{lane_id}/index"


def _keep_tree(git: Git, ref: str, tree: str, carried: Carried) -> None:
    """A commit of the tree, whose message says what a tree cannot; JSON, because names may hold any byte."""
    facts = {"paths": carried.paths, "modes": carried.modes}
    message = f"Banksman: uncommitted changes\n\n{json.dumps(facts)}\n".encode()
    made = Git(git.folder, _WHO).run_now("commit-tree", tree, "-p", carried.head, "-F", "-", given=message)
    git.run_now("update-ref", ref, made.stdout.strip())


def _whole_tree(git: Git, found: Uncommitted, files: LaneTree) -> str:
    """The tree of HEAD with these files in the place of what differs."""
    with tempfile.TemporaryDirectory(prefix=passing_prefix()) as folder:
        own = Git(git.folder, {"GIT_INDEX_FILE": str(Path(folder) / "index")})
        own.run_on_files_now("read-tree", found.head)
        gone = [path for path in found.paths if path not in files.entries]
        zeros = "0" * len(found.head)
        lines = [os.fsencode(f"0 {zeros}\t{path}") for path in gone]
        lines += [os.fsencode(f"{entry.mode} {entry.oid}\t{path}") for path, entry in sorted(files.entries.items())]
        given = b"".join(line + b"\0" for line in lines)
        own.run_on_files_now("update-index", "--replace", "-z", "--index-info", given=given)
        return own.run_on_files_now("write-tree").stdout.strip()


def _index_tree(checkout: Path) -> str:
    with tempfile.TemporaryDirectory(prefix=passing_prefix()) as folder:
        return private_index(checkout, Path(folder)).run_on_files_now("write-tree").stdout.strip()


def _committed(refs: CheckpointRefs, commit: str, paths: Iterable[str]) -> LaneTree:
    """These files as a commit has them; those that it does not have are not in it."""
    whole = refs.tree_of(CheckpointRef(refs.lane_id, 0, commit, "", now_in_seconds())).entries
    return LaneTree({path: whole[path] for path in paths if path in whole and whole[path].mode != SUBMODULE})
