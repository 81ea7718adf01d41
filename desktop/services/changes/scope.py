"""What the scopes that Git alone defines compare: a lane with its base or its last commit, a commit with its parent."""

from desktop.domain.core.errors import GitError
from desktop.domain.lanes.lane import Lane
from desktop.services.changes.sides import Sides, Tree
from desktop.services.git.run import Git, head_commit


def head_of(git: Git) -> str:
    """The lane's commit, "" when there is none yet. Blocking."""
    found = head_commit(git.folder)
    return found or git.run_now("rev-parse", "--verify", "--quiet", "HEAD^{commit}", check=False).stdout.strip()


def lane_sides(git: Git, lane: Lane) -> Sides:
    """The lane's files against the commit in which it and its base last agreed. Blocking. Raises GitError."""
    head = head_of(git)
    if not head:
        return Sides(Tree(empty_tree(git), as_written=True), words="nothing")
    base = _merge_base(git, head, lane)
    words = lane.base_ref if base and lane.base_ref not in ("", "HEAD") else "HEAD" if not base else base[:12]
    return Sides(Tree(base or head, as_written=True), words=words)


def uncommitted_sides(git: Git) -> Sides:
    """The lane's files against its last commit. Blocking. Raises GitError."""
    head = head_of(git)
    return Sides(Tree(head or empty_tree(git), as_written=True), words="HEAD" if head else "nothing")


def commit_sides(git: Git, reference: str) -> Sides:
    """A commit against its first parent. Blocking.

    Raises:
        GitError: there is no such commit.
    """
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options")
    oid = git.run_now(*asked, f"{reference}^{{commit}}", check=False).stdout.strip()
    if not oid:
        raise GitError(f'There is no commit "{reference}" in this repository.')
    parent = git.run_now(*asked, f"{oid}^1^{{commit}}", check=False).stdout.strip()
    return Sides(Tree(parent or empty_tree(git)), Tree(oid), words=parent[:12] or "nothing")


def empty_tree(git: Git) -> str:
    """The id of a tree without files; Git knows it without having it. Blocking."""
    return git.run_now("hash-object", "-t", "tree", "--stdin").stdout.strip()


def _merge_base(git: Git, head: str, lane: Lane) -> str:
    """Of the base's tips and the commit that the lane began at, what is nearest to the lane; "" for a lane without."""
    tips = _tips(git, lane.base_ref) if lane.base_ref not in ("", "HEAD") else []
    others = list(dict.fromkeys(oid for oid in (*tips, lane.base_oid) if oid))
    if not others:
        return ""
    found = git.run_now("merge-base", "--end-of-options", head, *others, check=False).stdout.split()
    return found[0] if found else lane.base_oid


def _tips(git: Git, base_ref: str) -> list[str]:
    """The commits of the base here and at the remote, as far as there are such branches."""
    names = (f"refs/heads/{base_ref}", f"refs/remotes/{base_ref}", f"refs/remotes/origin/{base_ref}")
    listed = git.run_now("for-each-ref", "--format=%(objectname) %(refname)", *names, check=False).stdout.splitlines()
    return [line.partition(" ")[0] for line in listed if line.partition(" ")[2] in names]
