"""What is in the way of opening and of merging a request: each in words, and whether a person may pass over it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls.pull_request import (
    Check,
    ForgeProblem,
    PullRequest,
    PullSnapshot,
    RepositoryFacts,
    RepositoryId,
    ReviewThread,
)
from desktop.services.changes.push import PushPlan
from desktop.services.changes.work import LaneWork
from desktop.services.pulls.hindrances import Proposal, creation_hindrances
from desktop.services.pulls.merge_plan import LaneState, can_delete_branch, merge_hindrances, methods_of

SHOP = RepositoryId(host="github.com", owner="o", name="shop")
FACTS = RepositoryFacts(repository=SHOP, default_branch="main", can_push=True, methods=("squash",))
PULL = PullRequest(
    number=42, repository=SHOP, title="t", base="main", head="lane/fix", head_oid="1" * 40, head_repository=SHOP,
    mergeable="yes",
)  # fmt: skip
ALL = frozenset({"pull", "checks", "threads"})
PASSED = Check(id=1, name="unit", conclusion="success")
FINE = LaneState()
LANE = Lane(
    id="ln_a", project_id="p", name="fix", branch="lane/fix", worktree_path="/x", device=1, inode=1,
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
)  # fmt: skip
WORK = LaneWork("lane/fix", "1" * 40, "2" * 40, ("Fix",), 1)
PUSH = PushPlan("lane/fix", "1" * 40, "origin", "x")


def look(pull: dict[str, Any] | None = None, **fields: Any) -> PullSnapshot:
    given = {"lane_id": "ln_a", "facts": FACTS, "pull": PULL.model_copy(update=pull or {}), "known": ALL,
             "checks": (PASSED,), **fields}  # fmt: skip
    return PullSnapshot.model_validate(given)


@pytest.mark.promise("lanes-P32")
@pytest.mark.parametrize(
    ("snapshot", "lane", "kinds", "words"),
    [
        (look(), FINE, [], ""),
        (look({"state": "draft"}), FINE, ["draft!"], "It is a draft."),
        (look({"state": "closed"}), FINE, ["not_open!"], "Pull request #42 is closed."),
        (look({"mergeable": "conflicts"}), FINE, ["conflicts!"], "conflicts with main"),
        (look({"mergeable": "behind"}), FINE, ["behind!"], "behind main"),
        (look({"mergeable": "unknown"}), FINE, ["unsettled!"], "not worked out"),
        (look({"mergeable": "blocked", "reason": "1 review is missing."}), FINE, ["bypass"], ": 1 review is missing."),
        (look(checks=()), FINE, ["checks_none"], "No check ran"),
        (look(checks=(Check(id=1, name="u", conclusion="cancelled"),)), FINE, ["checks_failing"], "Failed: u."),
        (look(checks=(Check(id=1, name="u", state="queued"),)), FINE, ["checks_pending"], "1 check is still running."),
        (look(known={"pull", "threads"}, missing=(("checks", "No right."),)), FINE, ["checks_unknown!"], ": No right."),
        (look(known={"pull", "checks"}), FINE, ["threads_unknown!"], "review threads stand."),
        (look(threads=(ReviewThread(id="T"),)), FINE, ["open_threads"], "1 review thread is not resolved."),
        (look(threads=(ReviewThread(id="T", outdated=True), ReviewThread(id="U", resolved=True))), FINE, [], ""),
        (look(facts=FACTS.model_copy(update={"can_push": False})), FINE, ["no_right!"], "may not merge in o/shop"),
        (look(read_only="The token may only read."), FINE, ["read_only!"], "may only read"),
        (look(), LaneState(known=False), ["head_moved!"], "which this lane did not push"),
        (look(), LaneState(unpushed=1, only_there=1), ["head_moved!"], "did not push"),
        (look(), LaneState(only_there=2), ["head_ahead"], "2 commits that this lane lacks"),
        (look(), LaneState(unpushed=1, dirty=True), ["unpushed", "dirty"], "1 commit is not pushed"),
        (look(), LaneState(problem="gone"), ["lane_unknown!"], "could not be read: gone"),
        (look(problem=ForgeProblem(kind="offline", text="Offline.")), FINE, ["unknown!"], "Offline."),
        (PullSnapshot(lane_id="a"), FINE, ["unknown!"], "no pull request"),
    ],
)  # fmt: skip
def test_what_is_in_the_way_of_a_merge(snapshot: PullSnapshot, lane: LaneState, kinds: list[str], words: str) -> None:
    found = merge_hindrances(snapshot, lane)
    assert [f"{one.kind}{'!' if one.blocks else ''}" for one in found] == kinds
    assert words in " ".join(one.text for one in found)


def test_a_branch_is_offered_for_removal_only_where_nobody_needs_it() -> None:
    assert can_delete_branch(look())
    fork = RepositoryId(host="github.com", owner="mona", name="shop")
    for pull in ({"head_repository": fork}, {"head_repository": None}, {"head": "main"}):
        assert not can_delete_branch(look(pull))
    for facts in ({"can_push": False}, {"deletes_branch": True}):
        assert not can_delete_branch(look(facts=FACTS.model_copy(update=facts)))
    assert methods_of(look()) == ("squash",)
    assert methods_of(look(facts=None)) == ("merge", "squash", "rebase")


@pytest.mark.promise("lanes-P6")
@pytest.mark.parametrize(
    ("changes", "kinds", "words"),
    [
        ({}, [], ""),
        ({"work": {"operation": "rebase"}}, ["operation!"], "A rebase is open"),
        ({"work": {"branch": ""}}, ["branch!"], "on no branch"),
        ({"work": {"branch": "other"}}, ["branch!"], "on other, not on lane/fix"),
        ({"base": ""}, ["base!"], "Choose the branch"),
        ({"base": "lane/fix"}, ["same_branch!"], "cannot be proposed to itself"),
        ({"base": "lane/fix", "same_place": False}, [], ""),
        ({"work": {"base_oid": ""}}, ["base!"], "origin/main is not known here"),
        ({"work": {"subjects": (), "files": 0}}, ["nothing_ahead!"], "has no commit that main lacks"),
        ({"work": {"dirty": ("a b.py",)}}, ["dirty"], "Not committed: a b.py."),
        ({"work": {"dirty": tuple("abcdefg")}}, ["dirty"], "a, b, c, d, e and 2 more"),
        ({"push": PushPlan("lane/fix", "1", "origin", "x", rewritten=True)}, ["rewritten"], "does not have any more"),
        ({"work": {"conflicts": ("a.py",), "behind": 3}}, ["conflict"], "Conflicts with origin/main in a.py."),
        ({"work": {"behind": 1}}, ["behind"], "1 commit behind origin/main."),
        ({"push": None, "not_pushed": "No remote.", "work": {"behind": 2}}, ["not_pushed!", "behind"], "No remote."),
        ({"read_only": "Archived."}, ["read_only!"], "Archived."),
        ({"existing": 7}, ["exists"], "#7 already exists"),
    ],
)
def test_what_is_in_the_way_of_opening(changes: dict[str, Any], kinds: list[str], words: str) -> None:
    work = LaneWork(**{**vars(WORK), **changes.pop("work", {})})
    given = {"lane": LANE, "work": work, "push": PUSH, "base": "main", "remote": "origin", **changes}
    found = creation_hindrances(Proposal(**given))
    assert [f"{one.kind}{'!' if one.blocks else ''}" for one in found] == kinds
    assert words in " ".join(one.text for one in found)
