"""Taking a commit back: the branch goes back while nobody else has it, else a new commit turns it round."""

from typing import Literal

from desktop.domain.core.errors import GitError
from desktop.domain.undo.steps import BranchStep
from desktop.records import dataclass
from desktop.services.changes.agent_commit import CommitRequest, commit_object, refreshed
from desktop.services.git.commit_facts import check_unpushed, head_branch, head_commit_id, person_identity
from desktop.services.git.run import Git
from desktop.services.git.trees.merge import commit_id, is_ancestor, merge_trees
from desktop.services.history.branch_move import in_the_way, move_worktree
from desktop.services.history.diff import changed_paths

MARK = "undo (banksman)"


@dataclass(frozen=True)
class CommitUndo:
    """How a commit is taken back. `way` back: the branch goes from `at` to `to`, the files stay; turn: a commit on
    `head` turns it round; done: it was taken back already; blocked: `problem` says why. `paths`: files that the commit
    changed."""

    way: Literal["back", "turn", "done", "blocked"]
    at: str = ""
    to: str = ""
    head: str = ""
    tree: str = ""
    problem: str = ""
    paths: tuple[str, ...] = ()


def plan_commit_undo(git: Git, step: BranchStep, head: str = "") -> CommitUndo:
    """How the step is taken now. `head`: where the branch will stand by then, "" for where it stands. Blocking.

    Raises:
        GitError: git could not tell.
    """
    if head_branch(git) != step.branch:
        return CommitUndo("blocked", problem=f"The lane is not on the branch {step.branch} any more.")
    now, at = head or head_commit_id(git), step.at
    target = step.to or commit_id(git, f"{at}^")
    if not target:
        return CommitUndo("blocked", problem="It is the first commit, or it is not in the repository any more.")
    if now == target and not step.turn:
        return CommitUndo("done", at, target, now)
    paths = tuple(sorted(changed_paths(git, at, target)))
    if now == at and (step.forward or (not step.turn and _unpushed(git, at))):
        return CommitUndo("back", at, target, now, paths=paths)
    if step.forward or not is_ancestor(git, at, now):
        return CommitUndo("blocked", problem=f"The branch {step.branch} was moved since.")
    if commit_id(git, f"{at}^2"):
        return CommitUndo("blocked", problem="It is a merge; Git has to be told which side stays.")
    return _turned(git, CommitUndo("turn", at, target, now, paths=paths), looked=not head)


def go_back(git: Git, branch: str, plan: CommitUndo) -> None:
    """The branch stands at `to`, if it still stood at `at`; no file changes, and the index is as the branch. Blocking.

    Raises:
        GitError: nothing was changed.
    """
    git.run_now("update-ref", "-m", f"{MARK}: {plan.at[:7]}", f"refs/heads/{branch}", plan.to, plan.at)
    refreshed(git, plan.paths)


def turn_round(git: Git, branch: str, plan: CommitUndo) -> str:
    """The commit that turns it round, on the branch and in the files. Blocking.

    Raises:
        GitError: nothing was changed.
    """
    subject = git.run_now("log", "-1", "--no-show-signature", "--format=%s", plan.at).stdout.strip()
    message = f'Revert "{subject}"\n\nThis reverts commit {plan.at}.'
    made = commit_object(git, CommitRequest(message), plan.head, plan.tree, person_identity(git))
    move_worktree(git, branch, plan.head, made, f"{MARK}: {plan.at[:7]}")
    return made


def _turned(git: Git, plan: CommitUndo, *, looked: bool) -> CommitUndo:
    """With the tree that comes of turning it round; not `looked`: others are taken back before, so it is not known."""
    if not looked:
        return plan
    ours, theirs = _beside(git, plan.head, plan.at), _beside(git, plan.to, plan.at)
    merged = merge_trees(git, ours, theirs)
    if merged.outcome != "clean":
        why = ", ".join(merged.files[:5]) or merged.problem
        return CommitUndo(
            "blocked", problem=f"Turning it round does not fit what came later: {why}.", paths=merged.files
        )
    if merged.tree == _tree(git, plan.head):
        return CommitUndo("done", plan.at, plan.to, plan.head)
    changed = changed_paths(git, plan.head, merged.tree)
    dirty = sorted(changed & {line[3:] for line in git.run_on_files_now(*_STATUS).names})
    if blocking := (dirty or in_the_way(git, plan.head, merged.tree)):
        words = f"Its files hold changes that are not committed: {', '.join(blocking[:5])}."
        return CommitUndo("blocked", problem=words, paths=tuple(blocking))
    return CommitUndo("turn", plan.at, plan.to, plan.head, merged.tree, paths=tuple(sorted(changed)))


_STATUS = ("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=dirty")


def _beside(git: Git, commit: str, parent: str) -> str:
    """A commit with the files of `commit` that follows `parent`, on no branch: so `parent` is what both sides share."""
    named = Git(git.folder, person_identity(git))
    return named.run_now("commit-tree", _tree(git, commit), "-p", parent, "-F", "-", given=b"undo\n").stdout.strip()


def _tree(git: Git, commit: str) -> str:
    return git.run_now("rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}").stdout.strip()


def _unpushed(git: Git, head: str) -> bool:
    try:
        check_unpushed(git, head)
    except GitError:
        return False
    return True
