"""Rebasing one lane: checked, replayed in memory, and only then moved; or begun with git and left open for a person."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from desktop.domain.core.errors import GitError, LaneError
from desktop.domain.lanes.lane import Lane, SetupFile
from desktop.records import dataclass
from desktop.services.files.pointers import git_folders
from desktop.services.git.commit_facts import person_identity
from desktop.services.git.reads import Repository
from desktop.services.git.replay import replay
from desktop.services.git.run import STATUS_LIMIT_S, Git
from desktop.services.git.trees.merge import commit_id, is_ancestor, merge_settings
from desktop.services.history.branch_move import move_worktree
from desktop.services.lanes.base import BaseCommit, newest_base
from desktop.services.lanes.setup_files import unchanged

REBASE_LIMIT_S = 120.0
MARK = "rebase (banksman)"
MOST_LACKING = 20
_LISTED = 5


@dataclass(frozen=True)
class RebasePlan:
    """The plan of rebasing one lane: the commits of `head` that `old` does not hold go onto `new`, called `name`."""

    lane: Lane
    name: str
    head: str
    old: str
    new: str


@dataclass(frozen=True)
class Rebased:
    """The result of rebasing one lane. `after` is where the branch stands now; `base`: the commit that it is based on
    now, "" when that did not change. With `conflict` nothing was changed, unless `left_open`: then git's rebase waits
    in the lane."""

    state: Literal["succeeded", "skipped", "conflict"]
    before: str
    after: str
    conflicts: tuple[str, ...] = ()
    text: str = ""
    left_open: bool = False
    base: str = ""


def operation_in(folder: Path) -> str:
    """The rebase, merge, … that is open in a worktree, "" for none. Looks at a few files; starts nothing.

    Raises:
        GitError: there is no worktree.
    """
    try:
        own, shared = git_folders(folder)
    except (OSError, ValueError) as error:
        raise GitError(f"'{folder}' is not a worktree any more.") from error
    return Repository(own, shared).operation


def not_clean(git: Git, made: Sequence[SetupFile] = ()) -> tuple[str, ...]:
    """Files that are not committed, untracked ones too, at most the first five. Those that the setup `made` are not
    among them while they are as it left them. Blocking.

    Raises:
        GitError: git could not tell.
    """
    shown = f"--untracked-files={'all' if made else 'normal'}"
    asked = ("status", "--porcelain=v1", "-z", "--no-renames", shown, "--ignore-submodules=dirty")
    listed = git.run_on_files_now(*asked, limit_s=STATUS_LIMIT_S).names
    kept = {f"?? {path}" for path in unchanged(git.folder, made)}
    changed = {f"?? {file.path}" for file in made} - kept
    counted = [line for line in listed if line not in kept][:_LISTED]
    return tuple(f"{line[3:]} (made by setup, changed since)" if line in changed else line[3:] for line in counted)


def hindrance(lane: Lane) -> str:
    """Why the lane cannot be rebased or merged now, "" if nothing stands against it (lanes-L38). Blocking.

    Raises:
        GitError: git could not tell.
    """
    if lane.state != "active":
        return f"The lane '{lane.name}' is {lane.state}."
    folder = Path(lane.worktree_path)
    if operation := operation_in(folder):
        return f"A {operation} is open in the lane '{lane.name}'. Continue or abort it first."
    git = Git(folder)
    branch = git.run_now("symbolic-ref", "--quiet", "--short", "HEAD", check=False).stdout.strip()
    if not lane.branch or branch != lane.branch:
        where = f"on {branch}" if branch else "on no branch"
        return f"The lane '{lane.name}' is {where}, not on {lane.branch or 'a branch of its own'}."
    if files := not_clean(git, lane.setup_files):
        return f"The lane '{lane.name}' has changes that are not committed: {', '.join(files)}. Commit them first."
    return ""


def plan_rebase(lane: Lane, parent: Lane | None, onto: str = "") -> RebasePlan:
    """The plan of rebasing the lane now. `onto`: a branch or commit instead of its base. Blocking.

    Raises:
        LaneError, GitError: there is nothing to rebase onto.
    """
    git = Git(Path(lane.worktree_path))
    if onto:
        base = BaseCommit(onto, commit_id(git, onto))
        if not base.oid:
            raise LaneError(f"There is no commit '{onto}' in this repository.")
    else:
        base = newest_base(git, lane, parent)
    head = commit_id(git, f"refs/heads/{lane.branch}")
    if not head:
        raise LaneError(f"The branch {lane.branch} of the lane '{lane.name}' is gone.")
    return RebasePlan(lane, base.name, head, _old_base(git, lane, head, base.oid), base.oid)


def lacking(lane: Lane, parent: Lane | None) -> tuple[BaseCommit, tuple[str, ...], int]:
    """The newest of the lane's base, the newest commits of it that the lane lacks, at most MOST_LACKING as
    "abc1234 subject", and how many it lacks in all. Blocking.

    Raises:
        LaneError, GitError: there is nothing to compare with.
    """
    git = Git(Path(lane.worktree_path))
    base = newest_base(git, lane, parent)
    between = (base.oid, f"^refs/heads/{lane.branch}", "--")
    asked = ("log", f"--max-count={MOST_LACKING}", "--no-show-signature", "--no-color", "--format=%h %s")
    lines = git.run_now(*asked, "--encoding=UTF-8", "--abbrev=7", *between).stdout.splitlines()
    return base, tuple(lines), int(git.run_now("rev-list", "--count", *between).stdout)


def moved_onto(plan: RebasePlan, new: str) -> RebasePlan:
    """The plan onto another commit: the parent was rebased meanwhile."""
    return replace(plan, new=new)


def is_contained(plan: RebasePlan) -> bool:
    """Whether the lane stands on its new base already. Blocking."""
    git = Git(Path(plan.lane.worktree_path))
    if not is_ancestor(git, plan.new, plan.head):
        return False
    went_back = plan.new != plan.old and is_ancestor(git, plan.new, plan.old)
    return not (went_back and is_ancestor(git, plan.old, plan.head))


def rebase(plan: RebasePlan, *, keep_conflict: bool = False) -> Rebased:
    """Put the lane's own commits on the new base. A conflict changes nothing; with `keep_conflict` git's own rebase is
    begun and left open. Blocking.

    Raises:
        LaneError: the lane is not as it must be; nothing was changed.
        GitError: git failed; nothing was changed.
    """
    if why := hindrance(plan.lane):
        raise LaneError(why)
    git = Git(Path(plan.lane.worktree_path))
    if is_contained(plan):
        base = plan.new if is_ancestor(git, plan.old, plan.new) else ""
        return Rebased("skipped", plan.head, plan.head, text=f"It is on {plan.name} already.", base=base)
    made = replay(git, plan.head, plan.old, plan.new)
    if made.conflicts and keep_conflict:
        return _begun(git, plan)
    if made.conflicts:
        text = f'The commit {made.stopped_at[:7]} "{made.subject}" does not fit on {plan.name}.'
        return Rebased("conflict", plan.head, plan.head, made.conflicts, text)
    move_worktree(git, plan.lane.branch, plan.head, made.head, f"{MARK}: onto {plan.name}")
    return Rebased("succeeded", plan.head, made.head, text=f"Now on {plan.name} {plan.new[:7]}.", base=plan.new)


def moved_on(lane: Lane, after: str) -> str:
    """Why a lane cannot be set back from where a rebase left it, "" if it stands there and nobody else has it.

    Blocking.

    Raises:
        GitError: git could not tell.
    """
    git = Git(Path(lane.worktree_path))
    if commit_id(git, f"refs/heads/{lane.branch}") != after:
        return f"The lane '{lane.name}' has changed since. It stays as it is."
    asked = ("for-each-ref", "--count=1", "--format=%(refname)", f"--contains={after}", "refs/remotes")
    return f"The lane '{lane.name}' was pushed since. It stays as it is." if git.run_now(*asked).stdout.strip() else ""


def take_back(lane: Lane, before: str, after: str) -> None:
    """Set the lane back from `after`, where a rebase left it, to `before`. Blocking.

    Raises:
        LaneError: it does not stand there any more, is not clean, or was pushed; nothing was changed.
        GitError: git failed; nothing was changed.
    """
    if why := hindrance(lane) or moved_on(lane, after):
        raise LaneError(why)
    move_worktree(Git(Path(lane.worktree_path)), lane.branch, after, before, f"{MARK}: undone")


def _begun(git: Git, plan: RebasePlan) -> Rebased:
    """git's own rebase, which stops at the conflict."""
    own = Git(git.folder, person_identity(git))
    options = (
        "--no-autostash",
        "--no-fork-point",
        "--no-gpg-sign",
        "--no-verify",
        "--no-stat",
        "--no-autosquash",
        "--no-rerere-autoupdate",
        "--empty=drop",
    )
    command = ("rebase", *options, "--onto", plan.new, plan.old)
    done = own.run_now(*command, limit_s=REBASE_LIMIT_S, check=False, config=merge_settings(git))
    if operation_in(git.folder):
        files = tuple(sorted({line.partition("\t")[2] for line in git.run_now("ls-files", "-u", "-z").names}))
        text = "The rebase is open in the lane. Resolve the files, then continue or abort."
        return Rebased("conflict", plan.head, plan.head, files, text, left_open=True)
    if done.status != 0:
        raise GitError(f"git rebase failed: {done.stderr.strip()}", stderr=done.stderr, status=done.status)
    text = f"Now on {plan.name} {plan.new[:7]}."
    return Rebased("succeeded", plan.head, commit_id(git, "HEAD"), text=text, base=plan.new)


def _old_base(git: Git, lane: Lane, head: str, new: str) -> str:
    """The commit that the lane was made on or last rebased to; where it is not recorded, what both have in common."""
    if lane.base_oid and commit_id(git, lane.base_oid):
        return lane.base_oid
    common = git.run_now("merge-base", head, new, check=False).stdout.strip()
    if not common:
        raise LaneError(f"The lane '{lane.name}' has nothing in common with its base.")
    return common
