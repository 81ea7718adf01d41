"""What changed between two looks at a request is told once, and only where both looks know it."""

from datetime import UTC, datetime

import pytest

from desktop.domain.pulls.pull_request import (
    Author,
    Check,
    ForgeProblem,
    PullRequest,
    PullSnapshot,
    RepositoryId,
    Review,
    ReviewThread,
)
from desktop.domain.pulls.transitions import checks_outcome, ready_to_merge, transitions

NOW = datetime(2026, 1, 2, tzinfo=UTC)
SHOP = RepositoryId(host="github.com", owner="o", name="shop")
PULL = PullRequest(number=42, repository=SHOP, title="t", state="open", base="main", head="b", head_oid="1" * 40)
ALL = frozenset({"pull", "checks", "threads", "comments", "reviews", "files", "commits"})


def look(*checks: Check, pull: PullRequest = PULL, **fields: object) -> PullSnapshot:
    given = {"lane_id": "ln_a", "pull": pull, "checks": checks, "known": ALL, "viewer": "me", **fields}
    return PullSnapshot.model_validate(given)


def check(conclusion: str = "success", name: str = "unit", **fields: object) -> Check:
    return Check.model_validate({"id": 1, "name": name, "conclusion": conclusion, **fields})


RUNS = check("", state="running")
FAILED, PASSED = check("failure"), check()
APPROVED = (Review(id="1", author=Author(login="mona"), verdict="approved"),)
CHANGES = (Review(id="2", author=Author(login="mona"), verdict="changes_requested"),)
COMMENTED = Review(id="3", author=Author(login="mona"))
MERGEABLE = PULL.model_copy(update={"mergeable": "yes"})
THREAD = ReviewThread(id="T", path="a.py", line=1)


def kinds(before: PullSnapshot | None, after: PullSnapshot) -> list[tuple[str, bool]]:
    return [(one.kind, one.notify) for one in transitions(before, after, NOW, settled=before)]


@pytest.mark.promise("lanes-P35")
@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (look(RUNS), look(FAILED), [("checks_failed", True)]),
        (look(FAILED), look(FAILED), []),
        (look(FAILED), look(FAILED, pull=PULL.model_copy(update={"head_oid": "2" * 40})), [("checks_failed", True)]),
        (look(RUNS), look(PASSED), [("checks_passed", False)]),
        (look(FAILED), look(check("failure"), check("", "lint", state="queued")), []),
        (look(), look(PASSED), [("checks_passed", False)]),
        (look(known={"pull"}), look(FAILED), []),
        (look(RUNS), look(known={"pull"}), []),
        (look(), look(reviews=CHANGES), [("changes_requested", True)]),
        (look(reviews=CHANGES), look(reviews=(*CHANGES, *APPROVED)), [("approved", False)]),
        (look(reviews=APPROVED), look(reviews=APPROVED), []),
        (look(reviews=APPROVED), look(reviews=(*APPROVED, COMMENTED)), []),
        (look(viewer=""), look(viewer="", reviews=APPROVED), [("approved", False)]),
        (look(), look(pull=PULL.model_copy(update={"reviewers": ("me",)})), [("review_asked", False)]),
        (look(), look(pull=PULL.model_copy(update={"reviewers": ("you",)})), []),
        (look(PASSED), look(PASSED, pull=MERGEABLE), [("ready_to_merge", True)]),
        (look(PASSED), look(PASSED, pull=MERGEABLE, threads=(THREAD,)), []),
        (look(), look(pull=MERGEABLE), []),
        (look(RUNS), look(FAILED, pull=PULL.model_copy(update={"state": "merged"})), [("merged", False)]),
        (look(), look(pull=PULL.model_copy(update={"state": "closed"})), [("closed", False)]),
        (look(pull=PULL.model_copy(update={"state": "closed"})), look(), []),
        (None, look(FAILED), []),
        (look(RUNS), look(FAILED, pull=PULL.model_copy(update={"number": 43})), []),
        (look(RUNS), look(FAILED, problem=ForgeProblem(kind="offline", text="x")), []),
    ],
)  # fmt: skip
def test_each_change_is_told_once(before: PullSnapshot, after: PullSnapshot, told: list[tuple[str, bool]]) -> None:
    assert kinds(before, after) == told


def test_that_it_can_be_merged_is_told_once_although_github_forgets_it_for_a_while() -> None:
    ready, unclear = look(PASSED, pull=MERGEABLE), look(PASSED)
    assert transitions(unclear, ready, NOW, settled=ready) == ()
    assert transitions(unclear, ready, NOW, settled=None) == (), "the first look after a start"
    runs = look(RUNS, pull=MERGEABLE)
    assert [one.kind for one in transitions(unclear, ready, NOW, settled=runs)] == ["ready_to_merge"]


def test_a_sentence_names_the_request_and_what_failed() -> None:
    names = tuple(check("failure", name) for name in ("a", "b", "c", "d"))
    (told,) = transitions(look(RUNS), look(*names), NOW)
    assert (told.text, told.number, told.lane_id, told.at) == ("#42: a, b, c and 1 more failed.", 42, "ln_a", NOW)


def test_checks_count_as_failed_only_once_none_is_pending() -> None:
    assert checks_outcome(look(FAILED, FAILED.model_copy(update={"name": "b"}), RUNS)) == "pending"
    assert checks_outcome(look(check("timed_out"))) == "bad"
    assert checks_outcome(look(check("skipped"), check("neutral"))) == "ok"
    assert checks_outcome(look()) is None
    assert checks_outcome(look(FAILED, known={"pull"})) is None, "unknown is never none"
    assert not ready_to_merge(look(PASSED, pull=MERGEABLE, known=ALL - {"threads"}))
    assert not ready_to_merge(look(PASSED, pull=MERGEABLE.model_copy(update={"state": "draft"})))
