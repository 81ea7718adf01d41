"""Replaying commits on another base in memory: new commits with the old authors and messages; nothing else changes."""

from desktop.domain.core.errors import GitError
from desktop.records import dataclass
from desktop.services.git.commit_facts import person_identity
from desktop.services.git.run import DIFF_LIMIT_S, Git
from desktop.services.git.trees.merge import merge_settings, merge_trees

MAX_COMMITS = 2_000
_LEFT_OUT = (b"tree", b"parent", b"committer", b"gpgsig", b"gpgsig-sha256", b"mergetag")
_MERGES_OF_ITS_OWN = (
    "This lane holds merges whose result would be lost in a rebase. Merge the base into it instead, or rebase it in a "
    "terminal."
)


@dataclass(frozen=True)
class Replayed:
    """`head`: the last commit on the new base. With `conflicts` the commit `stopped_at` did not fit, and `head` is the
    one before it."""

    head: str
    conflicts: tuple[str, ...] = ()
    stopped_at: str = ""
    subject: str = ""


def own_commits(git: Git, head: str, *without: str) -> list[str]:
    """Commits of `head` that none of the others holds, oldest first, merges left out. Blocking.

    Raises:
        GitError: there are more than 2,000, or git could not tell.
    """
    excluded = [f"^{oid}" for oid in without if oid]
    asked = ("rev-list", "--reverse", "--topo-order", "--no-merges", head, *excluded)
    commits = git.run_now(*asked, limit_s=DIFF_LIMIT_S).stdout.split()
    if len(commits) > MAX_COMMITS:
        raise GitError(f"{len(commits):,} commits are too many to move. At most {MAX_COMMITS:,} can be.")
    return commits


def replay(git: Git, head: str, old: str, new: str) -> Replayed:
    """The commits of `head` that neither `old` nor `new` holds, on top of `new`. What is there already is left out.

    Raises:
        GitError: git could not tell, or the commits cannot be moved without loss; nothing was changed.
    """
    settings = merge_settings(git)
    identity = Git(git.folder, person_identity(git))
    committer = identity.run_now("var", "GIT_COMMITTER_IDENT").stdout.strip().encode()
    at, at_tree = new, _tree(git, new)
    for commit in own_commits(git, head, old, new):
        raw = git.run_now("cat-file", "commit", commit).raw
        parents = _headers(raw, b"parent")
        if parents == [at.encode()]:
            at, at_tree = commit, _tree(git, commit)
            continue
        if not parents:
            raise GitError(f"Commit {commit[:7]} has no parent, so it cannot be moved.")
        parent = parents[0].decode()
        beside = _write(git, at_tree, [parent], b"author " + committer, committer, b"\n")
        merged = merge_trees(git, beside, commit, settings)
        if merged.outcome == "unknown":
            raise GitError(f"Commit {commit[:7]} could not be moved: {merged.problem}")
        if merged.outcome == "conflict":
            return Replayed(at, merged.files or ("(no file named)",), commit, _subject(raw))
        if merged.tree == at_tree and _tree(git, parent) != _headers(raw, b"tree")[0].decode():
            continue
        at, at_tree = _moved(git, raw, merged.tree, at, committer), merged.tree
    _check_merges(git, head, old, new, at_tree)
    return Replayed(at)


def _check_merges(git: Git, head: str, old: str, new: str, tree: str) -> None:
    """A rebase leaves merges out; that is fine only where nothing but their parents made their result."""
    excluded = [f"^{oid}" for oid in (old, new) if oid]
    merges = git.run_now("rev-list", "--merges", "--max-count=1", head, *excluded, limit_s=DIFF_LIMIT_S).stdout
    if not merges.strip():
        return
    together = merge_trees(git, new, head)
    if together.outcome != "clean" or together.tree != tree:
        raise GitError(_MERGES_OF_ITS_OWN)


def _moved(git: Git, raw: bytes, tree: str, parent: str, committer: bytes) -> str:
    """The same commit with another tree and parent: author, message and encoding byte for byte."""
    head, _, message = raw.partition(b"\n\n")
    kept: list[bytes] = []
    keeping = True
    for line in head.split(b"\n"):
        if not line.startswith(b" "):
            keeping = line.partition(b" ")[0] not in _LEFT_OUT
        if keeping:
            kept.append(line)
    return _write(git, tree, [parent], b"\n".join(kept), committer, message)


def _write(git: Git, tree: str, parents: list[str], author: bytes, committer: bytes, message: bytes) -> str:
    """`author`: its line, and what other lines the commit has beside those that every commit has."""
    lines = [f"tree {tree}".encode(), *(f"parent {oid}".encode() for oid in parents)]
    first, *more = author.split(b"\n")
    raw = b"\n".join([*lines, first, b"committer " + committer, *more]) + b"\n\n" + message
    return git.run_now("hash-object", "-t", "commit", "-w", "--stdin", given=raw).stdout.strip()


def _headers(raw: bytes, name: bytes) -> list[bytes]:
    lines = raw.partition(b"\n\n")[0].split(b"\n")
    return [line[len(name) + 1 :] for line in lines if line.startswith(name + b" ")]


def _subject(raw: bytes) -> str:
    return raw.partition(b"\n\n")[2].partition(b"\n")[0].decode("utf-8", "replace")


def _tree(git: Git, commit: str) -> str:
    return git.run_now("rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}").stdout.strip()
