"""Merging a lane into its base without a pull request: made in memory, shown as a plan, then one ref is moved."""

import hashlib
from dataclasses import replace
from pathlib import Path

from desktop.domain.core.errors import GitError, LaneError
from desktop.domain.core.work import ChangedFile
from desktop.domain.lanes.commands import MergeMethod
from desktop.domain.lanes.lane import Lane
from desktop.records import dataclass
from desktop.services.git.commit_facts import person_identity
from desktop.services.git.replay import own_commits, replay
from desktop.services.git.run import DIFF_LIMIT_S, Git
from desktop.services.git.trees.merge import commit_id, is_ancestor, merge_trees
from desktop.services.history.branch_move import filtered_between, in_the_way, move_worktree
from desktop.services.history.diff import tree_changes
from desktop.services.lanes.base import local_branch, where_open
from desktop.services.lanes.stacks.rebase import hindrance, operation_in

MARK = "merge (banksman)"
MAX_LISTED = 500
_SQUASHED = 100


@dataclass(frozen=True)
class MergePlan:
    """The plan of merging a lane. `result`: the commit that the base would stand at. `open_in`: the worktree that has
    the base checked out, None for none."""

    base: str
    base_oid: str
    head: str
    problem: str = ""
    commits: tuple[str, ...] = ()
    files: tuple[ChangedFile, ...] = ()
    conflicts: tuple[str, ...] = ()
    tree: str = ""
    open_in: Path | None = None
    in_checkout: bool = False
    checkout: str = ""

    def digest(self, lane: Lane, method: MergeMethod) -> str:
        """The digest of what a person agrees to: these commits, this base, this method, this tree."""
        facts = "\0".join((lane.id, method, self.base, self.base_oid, self.head, self.tree))
        return hashlib.sha256(facts.encode()).hexdigest()


def plan_merge(lane: Lane, parent: Lane | None, method: MergeMethod, lanes: tuple[Lane, ...]) -> MergePlan:
    """The plan of merging the lane into its base. `lanes`: all of the repository, to name the one that has the base
    open. What stands against it is in `problem`. Blocking.

    Raises:
        LaneError, GitError: it cannot be found out.
    """
    git = Git(Path(lane.worktree_path))
    base = local_branch(git, lane, parent)
    base_oid, head = commit_id(git, f"refs/heads/{base}"), commit_id(git, f"refs/heads/{lane.branch}")
    plan = MergePlan(base, base_oid, head)
    if not head or not lane.branch:
        return replace(plan, problem=f"The lane '{lane.name}' is on no branch.")
    if base == lane.branch:
        return replace(plan, problem=f"{base} is the branch of this very lane.")
    if is_ancestor(git, head, base_oid):
        return replace(plan, problem=f"{base} holds everything of this lane already.")
    commits = tuple(_subjects(git, base_oid, head))
    plan = replace(plan, commits=commits, problem=hindrance(lane))
    plan = _merged(git, plan, method)
    return _opened(git, plan, lanes) if not plan.problem else plan


def merge(lane: Lane, plan: MergePlan, method: MergeMethod, *, update_checkout: bool = False) -> str:
    """Carry out the plan, which was made a moment ago and has no problem; the commit that the base stands at now.

    Blocking.

    Raises:
        LaneError: something stands against it; nothing was changed.
        GitError: git failed, or the base was moved meanwhile; nothing was changed.
    """
    if plan.problem:
        raise LaneError(plan.problem)
    if plan.in_checkout and plan.checkout:
        raise LaneError(plan.checkout)
    git = Git(Path(lane.worktree_path))
    made = _commit(git, lane, plan, method)
    reason = f"{MARK}: {lane.branch}"
    now_open = where_open(git, plan.base)
    if (now_open.path if now_open is not None else None) != plan.open_in:
        raise LaneError(f"{plan.base} was opened or closed somewhere meanwhile. Look at the plan again.")
    if plan.open_in is not None and not update_checkout:
        raise LaneError(open_in_checkout(plan.base))
    if plan.open_in is not None:
        move_worktree(Git(plan.open_in), plan.base, plan.base_oid, made, reason)
    else:
        git.run_now("update-ref", "-m", reason, f"refs/heads/{plan.base}", made, plan.base_oid)
    return made


def open_in_checkout(base: str) -> str:
    """The sentence of a refusal (lanes-L50)."""
    return f"{base} is open in your checkout. Push a pull request, or update it there."


def _merged(git: Git, plan: MergePlan, method: MergeMethod) -> MergePlan:
    """With the tree that comes of it, or with what is in conflict."""
    if method == "rebase":
        replayed = replay(git, plan.head, "", plan.base_oid)
        if replayed.conflicts:
            return replace(plan, conflicts=replayed.conflicts, problem=plan.problem or _conflict_words(plan))
        tree = git.run_now("rev-parse", f"{replayed.head}^{{tree}}").stdout.strip()
    else:
        together = merge_trees(git, plan.base_oid, plan.head)
        if together.outcome == "unknown":
            return replace(plan, problem=f"Git could not tell what the merge would give: {together.problem}")
        if together.outcome == "conflict":
            return replace(plan, conflicts=together.files, problem=plan.problem or _conflict_words(plan))
        tree = together.tree
    files = tree_changes(git, f"{plan.base_oid}^{{tree}}", tree)
    slim = tuple(file.model_copy(update={"unified": ""}) for file in files)
    return replace(plan, tree=tree, files=slim)


def _opened(git: Git, plan: MergePlan, lanes: tuple[Lane, ...]) -> MergePlan:
    """With where the base is open, and whether it can be moved there."""
    place = where_open(git, plan.base)
    if place is None:
        return plan
    if not place.primary:
        other = next((lane.name for lane in lanes if Path(lane.worktree_path).resolve() == place.path.resolve()), "")
        where = f"the lane '{other}'" if other else f"the worktree {place.path}"
        return replace(plan, problem=f"{plan.base} is open in {where}. It can only be moved from there.")
    return replace(plan, open_in=place.path, in_checkout=True, checkout=_checkout_problem(place.path, plan))


def _checkout_problem(folder: Path, plan: MergePlan) -> str:
    """Why the person's checkout cannot be moved forward with the base, "" if it can."""
    own = Git(folder)
    if operation := operation_in(folder):
        return f"A {operation} is open in your checkout. Finish it there first."
    asked = ("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=dirty")
    changed = [line[3:] for line in own.run_on_files_now(*asked).names]
    if changed:
        return f"Your checkout has changes that are not committed: {', '.join(changed[:5])}."
    if through := filtered_between(own, plan.base_oid, plan.tree):
        return f"In your checkout, {through[0]} goes through a filter of Git. Merge there, in a terminal."
    if blocking := in_the_way(own, plan.base_oid, plan.tree):
        return f"In your checkout, files that Git does not keep are in the way: {', '.join(blocking[:5])}."
    return ""


def _commit(git: Git, lane: Lane, plan: MergePlan, method: MergeMethod) -> str:
    """The commit that the base is to stand at."""
    if method == "rebase":
        replayed = replay(git, plan.head, "", plan.base_oid)
        tree = git.run_now("rev-parse", f"{replayed.head}^{{tree}}").stdout.strip()
        if replayed.conflicts or tree != plan.tree:
            raise GitError("The commits changed meanwhile. Look at the plan again.")
        return replayed.head
    parents = [plan.base_oid, plan.head] if method == "merge" else [plan.base_oid]
    words = f"Merge branch '{lane.branch}' into {plan.base}\n"
    if method == "squash":
        listed = "\n".join(f"* {line.partition(' ')[2]}" for line in plan.commits[:_SQUASHED])
        words = f"{lane.name}\n\n{lane.description}\n\n{listed}\n" if lane.description else f"{lane.name}\n\n{listed}\n"
    made = Git(git.folder, person_identity(git)).run_now(
        "commit-tree",
        plan.tree,
        *(word for parent in parents for word in ("-p", parent)),
        "-F",
        "-",
        config={"i18n.commitEncoding": "UTF-8"},
        given=words.encode(),
    )
    return made.stdout.strip()


def _subjects(git: Git, base: str, head: str) -> list[str]:
    """The commits that come, newest first, as "abc1234 subject"."""
    own_commits(git, head, base)  # refuses what is too many
    asked = (
        "log",
        f"--max-count={MAX_LISTED}",
        "--no-show-signature",
        "--no-color",
        "--format=%h %s",
        "--encoding=UTF-8",
    )
    return git.run_now(*asked, "--abbrev=7", head, f"^{base}", "--", limit_s=DIFF_LIMIT_S).stdout.splitlines()


def _conflict_words(plan: MergePlan) -> str:
    return f"It does not fit on {plan.base} without conflicts. Update the lane from its base first."
