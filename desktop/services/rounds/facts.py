"""The facts from a lane's folder about a round of work on its pull request: its head, what is unfinished, what
changed."""

from pathlib import Path

from desktop.domain.core.errors import BanksmanError
from desktop.domain.lanes.lane import Lane
from desktop.records import dataclass
from desktop.services.changes.push import plan_push
from desktop.services.git.commit_facts import head_commit_id
from desktop.services.git.run import Git
from desktop.services.lanes.stacks.rebase import hindrance

MOST_FILES = 1_000
_BEHIND = "GitHub has commits on {branch} that this lane does not have. Bring them into the lane first."


@dataclass(frozen=True)
class LaneRoundFacts:
    """`unfit`: why no round can begin in the lane; `unfinished`: what of its work is not pushed; both sentences, "" for
    nothing. `commits`: the last ones, newest first, each with a short id and its subject."""

    head: str = ""
    unfit: str = ""
    unfinished: str = ""
    commits: tuple[str, ...] = ()


def round_facts(lane: Lane, pull_head: str, most_commits: int) -> LaneRoundFacts:
    """The state of the lane for a round. What git cannot tell makes it unfit. Blocking."""
    try:
        return _facts(lane, pull_head, most_commits)
    except (BanksmanError, OSError) as error:
        return LaneRoundFacts(unfit=str(error), unfinished=str(error))


def changed_since(lane: Lane, before: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The commits since `before`, oldest first, and the files that they change, at most 1,000. Blocking.

    Raises:
        GitError: git could not tell.
    """
    git = Git(Path(lane.worktree_path))
    head = head_commit_id(git)
    if not before or not head or before == head:
        return (), ()
    commits = git.run_now("rev-list", "--reverse", f"--max-count={MOST_FILES}", f"{before}..{head}").stdout.split()
    listed = git.run_now("diff", "--name-only", "-z", "--no-renames", before, head).names
    return tuple(commits), tuple(listed[:MOST_FILES])


def _facts(lane: Lane, pull_head: str, most_commits: int) -> LaneRoundFacts:
    unfit = hindrance(lane)
    git = Git(Path(lane.worktree_path))
    head = head_commit_id(git)
    log = git.run_now("log", f"-n{max(most_commits, 1)}", "--format=%h %s", "HEAD").stdout.splitlines()
    if not unfit and pull_head and not _holds(git, pull_head, head):
        unfit = _BEHIND.format(branch=lane.branch)
    return LaneRoundFacts(head, unfit, _unfinished(git, unfit), tuple(log))


def _holds(git: Git, oid: str, head: str) -> bool:
    """Whether the branch holds that commit; a commit that is not here is not in it."""
    return git.run_now("merge-base", "--is-ancestor", oid, head, check=False).status == 0


def _unfinished(git: Git, unfit: str) -> str:
    if unfit:
        return unfit
    plan = plan_push(git)
    if plan.ahead is None:
        return f"{plan.branch} is not pushed."
    if plan.ahead == 1:
        return "1 commit is not pushed."
    return f"{plan.ahead} commits are not pushed." if plan.ahead else ""
