"""The work in a lane that its base does not have: its commits, its files, and what stands against a request from it."""

from pathlib import Path

from desktop.domain.core.errors import GitError
from desktop.domain.lanes.lane import Lane
from desktop.records import dataclass
from desktop.services.git.run import DIFF_LIMIT_S, DIFF_OPTIONS, STATUS_LIMIT_S, Git
from desktop.services.git.trees.merge import commit_id, merge_trees
from desktop.services.lanes.stacks.rebase import not_clean, operation_in

MAX_COMMITS = 1_000


@dataclass(frozen=True)
class LaneWork:
    """`base_oid`: "" where the base is not known here. `subjects`: of the lane's own commits, oldest first; `files`:
    how many differ from where it left the base. `dirty`: files that are not committed, at most five,
    without what only the setup made. `conflicts`: files
    that do not go together with the base; `unknown`: why that cannot be told."""

    branch: str
    head: str
    base_oid: str
    subjects: tuple[str, ...] = ()
    files: int = 0
    behind: int = 0
    dirty: tuple[str, ...] = ()
    operation: str = ""
    conflicts: tuple[str, ...] = ()
    unknown: str = ""


def lane_work(lane: Lane, remote: str, base: str) -> LaneWork:
    """The work that a request from the lane into the branch `base` of that remote would hold, by what is known here.
    Blocking.

    Raises:
        GitError: git could not tell.
    """
    folder = Path(lane.worktree_path)
    git = Git(folder)
    branch = git.run_now("symbolic-ref", "--quiet", "--short", "HEAD", check=False).stdout.strip()
    head, base_oid = commit_id(git, "HEAD"), commit_id(git, f"refs/remotes/{remote}/{base}") if base else ""
    dirty, operation = not_clean(git, lane.setup_files), operation_in(folder)
    if not head or not base_oid:
        return LaneWork(branch, head, base_oid, dirty=dirty, operation=operation)
    merged = merge_trees(git, base_oid, head)
    return LaneWork(
        branch,
        head,
        base_oid,
        subjects=_subjects(git, f"{base_oid}..{head}"),
        files=_files(git, base_oid, head),
        behind=int(git.run_now("rev-list", "--count", f"{head}..{base_oid}", "--").stdout),
        dirty=dirty,
        operation=operation,
        conflicts=merged.files if merged.outcome == "conflict" else (),
        unknown=merged.problem,
    )


def remote_branches(git: Git, remote: str) -> tuple[str, ...]:
    """The branches of a remote as they are known here, those with the newest commits first. Blocking.

    Raises:
        GitError: git could not tell.
    """
    prefix = f"refs/remotes/{remote}/"
    asked = ("for-each-ref", "--sort=-committerdate", "--count=300", "--format=%(refname)", prefix)
    names = [ref.removeprefix(prefix) for ref in git.run_now(*asked, limit_s=STATUS_LIMIT_S).stdout.splitlines()]
    return tuple(name for name in names if name != "HEAD")


def own_subjects(lane: Lane) -> tuple[str, ...]:
    """The subjects of the commits that the lane has beside its base as it is known here, oldest first. Blocking.

    Raises:
        GitError: git could not tell.
    """
    git = Git(Path(lane.worktree_path))
    base = next((oid for name in (lane.base_ref, lane.base_oid) if name and (oid := commit_id(git, name))), "")
    return _subjects(git, f"{base}..HEAD") if base else ()


def newest_own_work(folder: Path, base_oid: str) -> int | None:
    """When the newest of the lane's own commits was written, in seconds since 1970; None: it has none. What a rebase
    wrote anew keeps its time. Blocking.

    Raises:
        GitError: git could not tell.
    """
    git = Git(folder)
    known = commit_id(git, base_oid) if base_oid else ""
    without = ["--not", known] if known else []
    listed = git.run_now(
        "log",
        f"--max-count={MAX_COMMITS}",
        "--no-show-signature",
        "--format=%at",
        "HEAD",
        *without,
        "--",
        limit_s=STATUS_LIMIT_S,
    ).stdout.split()
    return max(map(int, listed), default=None)


def _subjects(git: Git, commits: str) -> tuple[str, ...]:
    listed = git.run_now(
        "log",
        "-z",
        "--reverse",
        f"--max-count={MAX_COMMITS}",
        "--no-merges",
        "--no-show-signature",
        "--encoding=UTF-8",
        "--format=tformat:%s",
        commits,
        "--",
        limit_s=STATUS_LIMIT_S,
    )
    return tuple(listed.raw.decode("utf-8", "replace").split("\0")[:-1])


def _files(git: Git, base_oid: str, head: str) -> int:
    asked = ("diff", *DIFF_OPTIONS, "--name-only", "-z", "--no-renames", f"{base_oid}...{head}", "--")
    done = git.run_now(*asked, limit_s=DIFF_LIMIT_S, check=False)
    if done.status != 0:
        raise GitError(f"git diff failed: {done.stderr.strip()}", stderr=done.stderr, status=done.status)
    return len(done.names)
