"""The id of a lane's files: the id that Git would give their tree, worked out without Git and without writing."""

import hashlib
import os
from collections.abc import Mapping

from desktop.domain.core.errors import GitError
from desktop.services.git.run import Git
from desktop.services.git.tree_listing import LaneTree, NewHash, TreeEntry
from desktop.services.history.checkpoints import LaneCheckpoints
from desktop.services.history.refs import CheckpointRef

_FOLDER = b"40000"


def lane_tree_id(checkpoints: LaneCheckpoints) -> str:
    """The id of the lane's files now, ignored ones apart; "" where not all of them could be looked at. An unchanged
    lane of 10,000 files takes about 0.1 s. Blocking.

    Raises:
        GitError: Git cannot be used in the lane.
    """
    now, new_hash = checkpoints.look_now()
    return tree_id(now, new_hash)


def commit_tree_id(git: Git, commit: str) -> str:
    """The tree of a commit, "" where Git cannot tell. Blocking."""
    try:
        return git.run_now("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{tree}}").stdout.strip()
    except GitError:
        return ""


def tree_id(tree: LaneTree, new_hash: NewHash) -> str:
    """The id of a tree. Files that are too large to be kept in Git count by the ids of their contents."""
    return "" if tree.partial else with_large(_folder_id(tree.entries, new_hash), tree.large)


def checkpoint_tree_id(ref: CheckpointRef) -> str:
    """The id of the files that a checkpoint holds, as `lane_tree_id` gives it; "" for a partial one."""
    return "" if ref.partial else with_large(ref.tree, dict(ref.large))


def with_large(tree: str, large: Mapping[str, str]) -> str:
    """The id of a Git tree together with files that are not in it."""
    if not large:
        return tree
    named = "\0".join(f"{path}\0{oid}" for path, oid in sorted(large.items()))
    return f"{tree}+{hashlib.sha256(named.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"


def _folder_id(entries: Mapping[str, TreeEntry], new_hash: NewHash) -> str:
    """The id of the tree object of all these files, the deepest folders first."""
    rows: dict[str, list[tuple[bytes, bytes, bytes, str]]] = {"": []}
    for path, entry in entries.items():
        folder, _, name = path.rpartition("/")
        missing = folder
        while missing not in rows:
            rows[missing] = []
            missing = missing.rpartition("/")[0]
        raw = os.fsencode(name)
        rows[folder].append((raw, entry.mode.encode(), raw, entry.oid))
    for folder in sorted((folder for folder in rows if folder), key=lambda one: one.count("/"), reverse=True):
        parent, _, name = folder.rpartition("/")
        raw = os.fsencode(name)
        rows[parent].append((raw + b"/", _FOLDER, raw, _object_id(rows.pop(folder), new_hash)))
    return _object_id(rows[""], new_hash)


def _object_id(rows: list[tuple[bytes, bytes, bytes, str]], new_hash: NewHash) -> str:
    body = b"".join(mode + b" " + name + b"\0" + bytes.fromhex(oid) for _, mode, name, oid in sorted(rows))
    return new_hash(b"tree %d\0" % len(body) + body).hexdigest()
