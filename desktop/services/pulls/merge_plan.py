"""The needs of a merge of a lane's request, and what stands in its way (lanes-P32). Pure."""

from collections.abc import Iterator

from desktop.domain.pulls.pull_request import ForgeMergeMethod, Hindrance, PullRequest, PullSnapshot
from desktop.records import dataclass

TYPED = frozenset({"checks_failing", "checks_pending", "checks_none"})
"""Hindrances that a person passes over by typing the number of the request."""
_MOST = 4


@dataclass(frozen=True)
class LaneState:
    """The differences between the lane and its request. `known`: the request's head is a commit that is known here;
    `unpushed`: commits that the request lacks, `only_there`: that the lane lacks; `dirty`: something is not committed.
    `problem`: why that is not known."""

    known: bool = True
    unpushed: int = 0
    only_there: int = 0
    dirty: bool = False
    problem: str = ""


def merge_hindrances(snapshot: PullSnapshot, lane: LaneState) -> tuple[Hindrance, ...]:
    """The hindrances to merging a pull request, those that cannot be passed over first. Unknown is never taken for fine
    (lanes-P11)."""
    pull = snapshot.pull
    if pull is None or snapshot.problem is not None:
        text = snapshot.problem.text if snapshot.problem is not None else "This lane has no pull request."
        return (Hindrance(kind="unknown", text=text, action="refresh"),)
    found = [*_state(pull, snapshot), *_mergeable(pull), *_threads(snapshot), *_checks(snapshot), *_lane(pull, lane)]
    return tuple(sorted(found, key=lambda one: not one.blocks))


def methods_of(snapshot: PullSnapshot) -> tuple[ForgeMergeMethod, ...]:
    """The ways in which this repository merges; all, where it does not tell."""
    told = snapshot.facts.methods if snapshot.facts is not None else ()
    return told or ("merge", "squash", "rebase")


def can_delete_branch(snapshot: PullSnapshot) -> bool:
    """Whether the head is a branch of the repository itself that nobody else needs and that stays otherwise."""
    pull, facts = snapshot.pull, snapshot.facts
    if pull is None or facts is None or pull.head_repository is None:
        return False
    own = pull.head_repository.slug.casefold() == facts.repository.slug.casefold()
    return own and facts.can_push and not facts.deletes_branch and pull.head not in (pull.base, facts.default_branch)


def _state(pull: PullRequest, snapshot: PullSnapshot) -> Iterator[Hindrance]:
    if pull.state in ("merged", "closed"):
        yield Hindrance(kind="not_open", text=f"Pull request #{pull.number} is {pull.state}.")
    elif pull.state == "draft":
        yield Hindrance(kind="draft", text="It is a draft.", action="ready")
    if snapshot.read_only:
        yield Hindrance(kind="read_only", text=snapshot.read_only)
    elif snapshot.facts is not None and not snapshot.facts.can_push:
        yield Hindrance(kind="no_right", text=f"You may not merge in {snapshot.facts.repository.slug}.")


def _mergeable(pull: PullRequest) -> Iterator[Hindrance]:
    if pull.state not in ("open", "draft"):
        return
    reason = pull.reason.rstrip(".")
    if pull.mergeable == "conflicts":
        text = f"It conflicts with {pull.base}. Rebase the lane and solve the conflict."
        yield Hindrance(kind="conflicts", text=text, action="rebase")
    elif pull.mergeable == "behind":
        yield Hindrance(kind="behind", text=f"It is behind {pull.base}.", action="update_branch")
    elif pull.mergeable == "unknown":
        text = "GitHub has not worked out yet whether it can be merged."
        yield Hindrance(kind="unsettled", text=text, action="refresh")
    elif pull.mergeable == "blocked" and pull.state == "open":
        unmet = f"The rules of {pull.base} are not met."
        if reason:
            unmet = f"The rules of {pull.base} are not met: {reason}."
        text = f"{unmet} Merging passes over them, if you have the right to."
        yield Hindrance(kind="bypass", text=text, blocks=False)


def _threads(snapshot: PullSnapshot) -> Iterator[Hindrance]:
    if "threads" not in snapshot.known:
        yield Hindrance(kind="threads_unknown", text=_missing(snapshot, "threads", "review threads"), action="refresh")
        return
    count = len(snapshot.open_threads)
    if count:
        text = "1 review thread is not resolved." if count == 1 else f"{count} review threads are not resolved."
        if "threads" in snapshot.capped:
            text = f"At least {count} review threads are not resolved."
        yield Hindrance(kind="open_threads", text=text, blocks=False, action="threads")


def _checks(snapshot: PullSnapshot) -> Iterator[Hindrance]:
    if "checks" not in snapshot.known:
        yield Hindrance(kind="checks_unknown", text=_missing(snapshot, "checks", "checks"), action="refresh")
        return
    failing, pending = snapshot.failing, snapshot.pending
    if failing:
        names = ", ".join(check.name for check in failing[:_MOST])
        more = f" and {len(failing) - _MOST} more" if len(failing) > _MOST else ""
        yield Hindrance(kind="checks_failing", text=f"Failed: {names}{more}.", blocks=False, action="checks")
    if pending:
        n = len(pending)
        text = "1 check is still running." if n == 1 else f"{n} checks are still running."
        yield Hindrance(kind="checks_pending", text=text, blocks=False, action="checks")
    if not snapshot.checks:
        yield Hindrance(kind="checks_none", text="No check ran on this commit.", blocks=False)


def _lane(pull: PullRequest, lane: LaneState) -> Iterator[Hindrance]:
    if lane.problem:
        yield Hindrance(kind="lane_unknown", text=f"The lane could not be read: {lane.problem}", action="refresh")
        return
    if not lane.known or (lane.only_there and lane.unpushed):
        text = f"{pull.head} on GitHub is at {pull.head_oid[:7]}, which this lane did not push."
        yield Hindrance(kind="head_moved", text=text, action="fetch")
    elif lane.only_there:
        text = (
            f"{pull.head} on GitHub has 1 commit that this lane lacks; they would be merged too."
            if lane.only_there == 1
            else f"{pull.head} on GitHub has {lane.only_there} commits that this lane lacks; they would be merged too."
        )
        yield Hindrance(kind="head_ahead", text=text, blocks=False, action="fetch")
    elif lane.unpushed:
        text = (
            "1 commit is not pushed and would not be merged."
            if lane.unpushed == 1
            else f"{lane.unpushed} commits are not pushed and would not be merged."
        )
        yield Hindrance(kind="unpushed", text=text, blocks=False, action="push")
    if lane.dirty:
        text = "Something in the lane is not committed and would not be merged."
        yield Hindrance(kind="dirty", text=text, blocks=False, action="commit")


def _missing(snapshot: PullSnapshot, part: str, words: str) -> str:
    why = next((text for name, text in snapshot.missing if name == part), "")
    return f"It is not known how its {words} stand{f': {why}' if why else '.'}"
