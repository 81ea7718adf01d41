"""The id of a lane's files: the id that Git would give their tree, worked out without Git and without writing."""

import hashlib
from collections.abc import Mapping

from desktop.domain.core.errors import GitError
from desktop.services.git.run import Git
from desktop.services.history.checkpoints import LaneCheckpoints
from desktop.services.history.refs import CheckpointRef


def lane_tree_id(checkpoints: LaneCheckpoints) -> str:
    """The id of the lane's files now, ignored ones apart; "" where not all of them could be looked at. An unchanged
    lane of 10,000 files takes about 0.1 s. Blocking.

    Raises:
        GitError: Git cannot be used in the lane.
    """
    now, tree = checkpoints.look_now()
    return "" if now.partial else with_large(tree, now.large)


def commit_tree_id(git: Git, commit: str) -> str:
    """The tree of a commit, "" where Git cannot tell. Blocking."""
    try:
        return git.run_now("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{tree}}").stdout.strip()
    except GitError:
        return ""


def checkpoint_tree_id(ref: CheckpointRef) -> str:
    """The id of the files that a checkpoint holds, as `lane_tree_id` gives it; "" for a partial one."""
    return "" if ref.partial else with_large(ref.tree, dict(ref.large))


def with_large(tree: str, large: Mapping[str, str]) -> str:
    """The id of a Git tree together with files that are not in it."""
    if not large:
        return tree
    named = "\0".join(f"{path}\0{oid}" for path, oid in sorted(large.items()))
    return f"{tree}+{hashlib.sha256(named.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"
