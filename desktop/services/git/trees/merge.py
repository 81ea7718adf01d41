"""Merging in memory: what two commits give together, as a tree; no file, index or branch is touched, no driver runs."""

import os
from typing import Literal

from desktop.domain.core.errors import GitError, git_reason
from desktop.records import dataclass
from desktop.services.git.merge_place import merging
from desktop.services.git.run import Git

MERGE_LIMIT_S = 20.0
MERGE_TREE = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages")
_OID_CHARS = frozenset("0123456789abcdef")
_OID_LENGTHS = (40, 64)
_SETTINGS = {
    "rerere.enabled": "false",
    "rerere.autoUpdate": "false",
    "merge.renormalize": "false",
    "merge.autoStash": "false",
    "merge.log": "false",
    "merge.stat": "false",
    "merge.conflictStyle": "merge",
    "rebase.autoSquash": "false",
    "rebase.stat": "false",
    "rebase.forkPoint": "false",
    "rebase.backend": "merge",
    "rebase.rebaseMerges": "false",
    "rebase.missingCommitsCheck": "ignore",
    "notes.rewrite.rebase": "false",
    "tag.gpgSign": "false",
    "gpg.program": "false",
    "gpg.x509.program": "false",
    "gpg.ssh.program": "false",
    "core.editor": "true",
    "sequence.editor": "true",
    "core.commentChar": "#",
}


@dataclass(frozen=True)
class TreeMerge:
    """`conflict`: `files` cannot be merged by themselves, and `tree` holds them with marks. `unknown`: git could not
    tell, with its words in `problem`; that is never taken for clean."""

    outcome: Literal["clean", "conflict", "unknown"]
    tree: str = ""
    files: tuple[str, ...] = ()
    problem: str = ""


def merge_settings(git: Git) -> dict[str, str]:
    """The settings of every call that merges: no filter, driver, signer or recorded resolution of anybody runs.
    Blocking."""
    return {**git.emptied_filters(), **_SETTINGS}


def merge_trees(git: Git, ours: str, theirs: str, settings: dict[str, str] | None = None) -> TreeMerge:
    """The result of merging the commit `theirs` into the commit `ours`. Both are ids. Blocking; raises nothing."""
    config = merge_settings(git) if settings is None else settings
    try:
        with merging(git, ours, theirs) as there:
            done = there.run_now(*MERGE_TREE, ours, theirs, limit_s=MERGE_LIMIT_S, check=False, config=config)
    except (GitError, OSError) as error:
        return TreeMerge("unknown", problem=str(error))
    return outcome_of(done.raw, done.status, done.stderr)


def outcome_of(raw: bytes, status: int, words: str) -> TreeMerge:
    """The result of `git merge-tree` (lanes-L44): status 1 is a conflict only where the id of a tree comes first,
    because git ends so for names that it does not know, too."""
    parts = raw.split(b"\0")
    tree = parts[0].decode("ascii", "replace")
    if not is_oid(tree) or status not in (0, 1):
        return TreeMerge("unknown", problem=git_reason(words) or f"git merge-tree gave status {status}")
    if status == 0:
        return TreeMerge("clean", tree)
    names = tuple(dict.fromkeys(os.fsdecode(part) for part in parts[1:] if part))
    return TreeMerge("conflict", tree, names)


def is_oid(word: str) -> bool:
    """Whether this is the full id of an object."""
    return len(word) in _OID_LENGTHS and all(char in _OID_CHARS for char in word)


def commit_id(git: Git, name: str) -> str:
    """The commit that a name means, "" for none. Blocking."""
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    found = git.run_now(*asked, check=False)
    return found.stdout.strip() if found.status == 0 else ""


def is_ancestor(git: Git, old: str, new: str) -> bool:
    """Whether `new` holds everything that `old` holds. Blocking.

    Raises:
        GitError: git could not tell.
    """
    found = git.run_now("merge-base", "--is-ancestor", old, new, check=False)
    if found.status not in (0, 1):
        raise GitError(f"git merge-base failed: {found.stderr.strip()}", stderr=found.stderr, status=found.status)
    return found.status == 0
