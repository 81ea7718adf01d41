"""The changes between two looks at a pull request that a person should hear of (lanes-P35). Pure."""

from collections.abc import Iterator
from datetime import datetime

from desktop.domain.pulls.pull_request import Outcome, PullRequest, PullSnapshot
from desktop.domain.pulls.updates import PullTransition, TransitionKind

_NOTIFIED: frozenset[TransitionKind] = frozenset({"checks_failed", "changes_requested", "ready_to_merge"})
_MOST_NAMED = 3


def transitions(
    before: PullSnapshot | None, after: PullSnapshot, now: datetime, *, settled: PullSnapshot | None = None
) -> tuple[PullTransition, ...]:
    """The transitions that people are told of after a new look, each once. Nothing without an earlier look at the same
    request, and nothing of parts that one of the two does not know. `settled`: the last look of which GitHub knew
    whether it can be merged; for a while after each push it does not."""
    pull = after.pull
    if before is None or before.pull is None or pull is None or after.problem is not None:
        return ()
    if (before.pull.number, before.pull.repository) != (pull.number, pull.repository):
        return ()
    said = _closed(before.pull, pull) or [*_checks(before, after), *_reviews(before, after), *_ready(settled, after)]
    return tuple(
        PullTransition(
            lane_id=after.lane_id,
            number=pull.number,
            kind=kind,
            text=f"#{pull.number}: {text}",
            notify=kind in _NOTIFIED,
            at=now,
        )
        for kind, text in said
    )


def checks_outcome(snapshot: PullSnapshot) -> Outcome | None:
    """The outcome of all checks together: bad only once none is pending. None: there are none, or they are not
    known."""
    if "checks" not in snapshot.known or not snapshot.checks:
        return None
    if snapshot.pending:
        return "pending"
    return "bad" if snapshot.failing else "ok"


def ready_to_merge(snapshot: PullSnapshot) -> bool:
    """Whether nothing that GitHub tells stands against a merge, and at least one check says so (lanes-P32)."""
    pull = snapshot.pull
    return (
        pull is not None
        and pull.state == "open"
        and pull.mergeable == "yes"
        and "threads" in snapshot.known
        and not snapshot.open_threads
        and checks_outcome(snapshot) == "ok"
    )


def _closed(before: PullRequest, after: PullRequest) -> list[tuple[TransitionKind, str]]:
    if after.state == before.state or after.state not in ("merged", "closed"):
        return []
    return [("merged", "merged.")] if after.state == "merged" else [("closed", "closed.")]


def _checks(before: PullSnapshot, after: PullSnapshot) -> Iterator[tuple[TransitionKind, str]]:
    """Told when the last check has ended, and told again when another commit failed the same way."""
    was, now = checks_outcome(before), checks_outcome(after)
    if now not in ("ok", "bad"):
        return
    moved = before.pull is not None and after.pull is not None and before.pull.head_oid != after.pull.head_oid
    if "checks" not in before.known or (was == now and not moved):
        return
    if now == "ok":
        yield "checks_passed", "all checks passed."
        return
    names = [check.name for check in after.failing]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    yield "checks_failed", f"{', '.join(names[:_MOST_NAMED])}{more} failed."


def _reviews(before: PullSnapshot, after: PullSnapshot) -> Iterator[tuple[TransitionKind, str]]:
    if not {"reviews"} <= before.known & after.known:
        return
    was, now = before.review, after.review
    if after.viewer and before.pull is not None and after.pull is not None:
        asked = after.viewer in after.pull.reviewers and after.viewer not in before.pull.reviewers
        if asked:
            yield "review_asked", "your review is asked for."
    if now == was:
        return
    if now == "changes_requested":
        yield "changes_requested", "changes were requested."
    elif now == "approved":
        yield "approved", "approved."


def _ready(before: PullSnapshot | None, after: PullSnapshot) -> Iterator[tuple[TransitionKind, str]]:
    if before is not None and ready_to_merge(after) and not ready_to_merge(before):
        yield "ready_to_merge", "ready to merge."
