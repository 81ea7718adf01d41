"""Showing a lane's files in the person's own checkout, and bringing what was edited there back into the lane."""

from pathlib import Path

from desktop.domain.core.errors import BanksmanError, LaneError
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import WORKTREE_LIMIT_S, Git
from desktop.services.git.trees.listing import LaneTree
from desktop.services.git.trees.merge import commit_id
from desktop.services.history.branch_move import filtered, filtered_between, in_the_way
from desktop.services.history.refs import now_in_seconds
from desktop.services.history.tree_fit import RawLane, remove_file
from desktop.services.lanes.base import where_open
from desktop.services.lanes.stacks.rebase import not_clean, operation_in

BASE_REFS = "refs/banksman/handover-base"
SHOWN_REFS = "refs/banksman/handover"
EDITED_REFS = "refs/banksman/handover-edits"
RETURNING_REFS = "refs/banksman/handover-returning"
"""There while the checkout returns: the files as they were edited, which the lane has by then."""
NOT_NOW = "There are changes in your checkout that are not committed: {}. Commit them, or put them away first."


@dataclass(frozen=True)
class Handover:
    """The state of the person's checkout before it showed a lane. `branch` "" when it was on none; `commit`: what it
    shows."""

    lane_id: str
    branch: str
    head: str
    commit: str


@dataclass(frozen=True)
class Returned:
    """The result of bringing the checkout back. `changed`: files that came into the lane. `edits`: a ref that holds the
    checkout as it was with its edits, "" when nothing was edited. With `conflicts` nothing was changed. `branch`: where
    the checkout is now, "" for none; `gone`: a person moved it meanwhile."""

    changed: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    edits: str = ""
    gone: bool = False
    branch: str = ""


def check_checkout(folder: Path) -> tuple[str, str]:
    """Branch ("" for none) and commit of the checkout, which is clean. Blocking.

    Raises:
        LaneError: it is not; nothing was changed.
        GitError: git could not tell.
    """
    if operation := operation_in(folder):
        raise LaneError(f"A {operation} is open in your checkout. Finish it there first.")
    git = Git(folder)
    if files := not_clean(git):
        raise LaneError(NOT_NOW.format(", ".join(files)))
    head = commit_id(git, "HEAD")
    if not head:
        raise LaneError("Your checkout has no commit yet.")
    return git.run_now("symbolic-ref", "--quiet", "--short", "HEAD", check=False).stdout.strip(), head


def show(checkout: LaneFiles, handover: Handover) -> None:
    """Check out the lane's files as they are in `commit`, without a branch. Blocking.

    Raises:
        LaneError, GitError: nothing was changed.
    """
    git = Git(checkout.root)
    if blocking := in_the_way(git, handover.head, handover.commit):
        raise LaneError(f"Files that Git does not keep are in the way in your checkout: {', '.join(blocking[:5])}.")
    if through := filtered_between(git, handover.head, handover.commit):
        raise LaneError(f"{through[0]} goes through a filter of Git, so it cannot be shown. Use a terminal.")
    git.run_now("update-ref", f"{SHOWN_REFS}/{handover.lane_id}", handover.commit)
    _check_out(git, "--detach", handover.commit)
    try:
        raw = RawLane(checkout, handover.lane_id)
        raw.keep(raw.look(), f"{BASE_REFS}/{handover.lane_id}", reason=handover.commit)
    except BanksmanError:
        _check_out(git, *_where_it_stood(git, handover))
        raise


def is_shown(folder: Path, handover: Handover) -> bool:
    """Whether the checkout still is on no branch, at the lane's files or at commits made on them. Blocking."""
    git = Git(folder)
    if git.run_now("symbolic-ref", "--quiet", "HEAD", check=False).status == 0:
        return False
    head = commit_id(git, "HEAD")
    asked = ("merge-base", "--is-ancestor", handover.commit, head)
    return bool(head) and git.run_now(*asked, check=False).status == 0


def bring_back(checkout: LaneFiles, lane: LaneFiles | None, handover: Handover) -> Returned:
    """Take what was edited in the checkout into the lane, then return the checkout to where it stood. Blocking.

    `lane`: None when the lane is gone. Edits that do not fit stay where they are, and are kept on a ref as well.

    Raises:
        LaneError: something stands against it; checkout and lane are as before.
        GitError, NotPutBack: git or the disk failed; nothing that was edited is lost.
    """
    if not is_shown(checkout.root, handover):
        forget_handover(Git(checkout.root), handover)
        return Returned(gone=True)
    if finish_return(checkout, handover):
        return Returned(branch=_branch(Git(checkout.root)))
    if operation := operation_in(checkout.root):
        raise LaneError(f"A {operation} is open in your checkout. Finish it there first.")
    raw = RawLane(checkout, handover.lane_id)
    base, edited = _base(raw, handover), raw.look()
    edits = ""
    changed: tuple[str, ...] = ()
    if (base.entries, base.large) != (edited.entries, edited.large):
        differing = [
            path for path in {*base.entries, *edited.entries} if base.entries.get(path) != edited.entries.get(path)
        ]
        if through := filtered(raw.refs.git, differing):
            raise LaneError(f"{through[0]} goes through a filter of Git. Take your edits over in a terminal.")
        number = int(now_in_seconds().timestamp())
        edits = f"{EDITED_REFS}/{handover.lane_id}/{number}"
        raw.keep(edited, edits, reason=handover.commit, number=number)
        if lane is None:
            raise LaneError(f"The lane is gone, so what you edited stays in your checkout. It is kept in {edits} too.")
        fitted = RawLane(lane, handover.lane_id).bring(base, edited)
        if fitted.conflicts:
            return Returned(conflicts=fitted.conflicts, edits=edits)
        changed = fitted.changed
    _return(raw, base, edited, handover, edits or handover.commit)
    return Returned(changed, edits=edits, branch=_branch(raw.refs.git))


def finish_return(checkout: LaneFiles, handover: Handover) -> bool:
    """Go on with returning the checkout where a crash cut that off; whether there was anything to go on with. What was
    edited had come into the lane before. Blocking.

    Raises:
        LaneError: files were changed since, so everything stays as it is.
        GitError, NotPutBack: as `bring_back`.
    """
    raw = RawLane(checkout, handover.lane_id)
    git = raw.refs.git
    kept = commit_id(git, f"{RETURNING_REFS}/{handover.lane_id}")
    if not kept or not is_shown(checkout.root, handover):
        return False
    head, target = commit_id(git, "HEAD"), commit_id(git, _where_it_stood(git, handover)[-1])
    base, edited, now = _base(raw, handover), raw.tree_at(kept), raw.look()
    sides = [tree.entries for tree in (base, edited, raw.tree_at(head), raw.tree_at(target))]
    foreign = sorted(path for path, entry in now.entries.items() if all(side.get(path) != entry for side in sides))
    if foreign:
        raise LaneError(
            f"Banksman closed while your checkout returned to its branch, and {', '.join(foreign[:5])} changed since. "
            f"What you edited before is in the lane. Return with git in a terminal."
        )
    _put_back(raw, base, (edited, now), handover, head)
    return True


def _branch(git: Git) -> str:
    return git.run_now("symbolic-ref", "--quiet", "--short", "HEAD", check=False).stdout.strip()


def _return(raw: RawLane, base: LaneTree, edited: LaneTree, handover: Handover, kept: str) -> None:
    """The checkout as it was, now that everything edited in it is elsewhere; `kept` holds it."""
    git = raw.refs.git
    head = commit_id(git, "HEAD")
    if raw.look().entries != edited.entries:
        raise LaneError("Your checkout is being changed right now, so it stays as it is. Try again.")
    if head != handover.commit:
        when = int(now_in_seconds().timestamp())
        git.run_now("update-ref", f"{EDITED_REFS}/{handover.lane_id}/commits-{when}-{head[:12]}", head)
    git.run_now("update-ref", f"{RETURNING_REFS}/{handover.lane_id}", kept)
    _put_back(raw, base, (edited, edited), handover, head)


def _put_back(raw: RawLane, base: LaneTree, found: tuple[LaneTree, LaneTree], handover: Handover, head: str) -> None:
    """`found`: the files as they were edited, and as they are now."""
    git, (edited, now) = raw.refs.git, found
    held = set(git.run_now("ls-tree", "-r", "--name-only", "-z", "--full-tree", head).names)
    loose = [path for path in now.entries if path not in held and path not in base.entries]
    git.run_on_files_now("read-tree", "--reset", "-u", head)
    for path in loose:
        remove_file(raw.files, path)
    _check_out(git, *_where_it_stood(git, handover))
    _keep_ignored(raw, base, edited, handover)
    forget_handover(git, handover)


def _where_it_stood(git: Git, handover: Handover) -> tuple[str, ...]:
    """What to check out: the branch, unless it is gone or open in another worktree by now."""
    there = handover.branch and commit_id(git, f"refs/heads/{handover.branch}")
    if there and where_open(git, handover.branch) is None:
        return (handover.branch,)
    return ("--detach", handover.head)


def _keep_ignored(raw: RawLane, base: LaneTree, edited: LaneTree, handover: Handover) -> None:
    """What the checkout had beside the lane's files stays, also when it was committed meanwhile by hand."""
    shown = raw.tree_at(handover.commit).entries
    beside = {path: entry for path in base.entries if path not in shown and (entry := edited.entries.get(path))}
    now = raw.look(also=LaneTree(beside))
    missing = {path: entry for path, entry in beside.items() if path not in now.entries}
    if missing:
        raw.put(LaneTree({**now.entries, **missing}, now.large), now, tuple(missing))


def _check_out(git: Git, *arguments: str) -> None:
    """Never over files that git ignores; nothing configured runs."""
    asked = ("checkout", "--quiet", "--no-overwrite-ignore", "--no-recurse-submodules", "--no-guess", *arguments, "--")
    git.run_on_files_now(*asked, limit_s=WORKTREE_LIMIT_S)


def _base(raw: RawLane, handover: Handover) -> LaneTree:
    """The files as the checkout got them; as Git holds them where a crash came before they were read."""
    git = raw.refs.git
    kept = next(iter(raw.refs.listed_below(f"{BASE_REFS}/{handover.lane_id}")), None)
    if kept is not None and kept.reason == handover.commit:
        return raw.refs.tree_of(kept)
    base = commit_id(git, f"{BASE_REFS}/{handover.lane_id}")
    return raw.tree_at(base or handover.commit)


def forget_handover(git: Git, handover: Handover) -> None:
    """The checkout shows the lane no more."""
    for refs in (BASE_REFS, SHOWN_REFS, RETURNING_REFS):
        git.run_now("update-ref", "-d", f"{refs}/{handover.lane_id}", check=False)
