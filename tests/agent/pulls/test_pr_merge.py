"""Merging a lane's request: planned with data of now, bound to the head that was seen, and what comes after it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.domain.lanes.updates import LaneCreated
from desktop.domain.pulls.commands import (
    ListPullRequests,
    MergePullRequest,
    OpenPullAsLane,
    PlanPullMerge,
)
from desktop.domain.pulls.updates import PullMergePlanned, PullRequestMerged, PullRequestsListed
from tests.agent.pr_rig import PullRig, pull_rig
from tests.agent.rig import folders_below, git
from tests.fakes.github import faults
from tests.fakes.github.control import PullControl
from tests.fakes.github.stand_in import FakeGitHub

pytestmark = pytest.mark.asyncio
pytest_plugins = ("tests.fakes.github.plugin",)


@pytest_asyncio.fixture
async def pulls(github: FakeGitHub, tmp_path: Path) -> AsyncIterator[PullRig]:
    made = await pull_rig(github, folders_below(tmp_path / "home"), tmp_path)
    yield made
    await made.rig.engine.stop()


@pytest_asyncio.fixture
async def pull(pulls: PullRig) -> PullControl:
    pulls.publish()
    made = pulls.repo.open_pull(pulls.lane.branch, title="Fix three")
    await pulls.show()
    return made


async def planned(pulls: PullRig) -> tuple[PullMergePlanned, list[tuple[str, bool]]]:
    plan = await pulls.answer(PlanPullMerge(lane_id=pulls.lane.id), PullMergePlanned)
    return plan, [(one.kind, one.blocks) for one in plan.hindrances]


def merging(pulls: PullRig, pull: PullControl, **fields: object) -> MergePullRequest:
    given = {"lane_id": pulls.lane.id, "head_oid": pull.head_sha, "method": "squash", **fields}
    return MergePullRequest.model_validate(given)


@pytest.mark.promise("lanes-P32")
async def test_a_merge_says_what_is_in_the_way_and_takes_only_what_was_accepted(
    pulls: PullRig, pull: PullControl
) -> None:
    plan, kinds = await planned(pulls)
    assert (kinds, plan.typed, plan.number, plan.head_oid) == ([("checks_none", False)], True, 1, pull.head_sha)
    assert (set(plan.methods), plan.can_delete_branch) == ({"merge", "squash", "rebase"}, True)
    assert "Type 1 to merge all the same" in await pulls.refused(merging(pulls, pull))
    pulls.repo.check(pull.head_sha, "unit", "failure")
    pulls.repo.check(pull.head_sha, "lint", None)
    pull.thread("app.py", 3, "Why?")
    pulls.commit("x")
    (pulls.folder / "untidy.txt").write_text("x")
    pull.change(draft=True)
    plan, kinds = await planned(pulls)
    assert kinds == [
        ("draft", True), ("open_threads", False), ("checks_failing", False), ("checks_pending", False),
        ("unpushed", False), ("dirty", False),
    ]  # fmt: skip
    assert await pulls.refused(merging(pulls, pull, typed_number=1)) == "It is a draft."
    pull.change(draft=False)
    for ticks in ((), ("open_threads",), ("open_threads", "unpushed")):
        await pulls.refused(merging(pulls, pull, typed_number=1, ticks=ticks))
    assert (pull.state, len(pulls.github.asked("PUT *merge"))) == ("open", 0)
    pulls.repo.push("main", {"app.py": "quite different\n"})
    _, kinds = await planned(pulls)
    assert kinds[0] == ("conflicts", True)


async def test_a_merge_is_bound_to_the_head_and_looked_up_when_its_answer_is_lost(
    pulls: PullRig, pull: PullControl
) -> None:
    pulls.repo.check(pull.head_sha, "unit")
    assert (await planned(pulls))[1] == []
    moved = "The branch changed while you looked. Refresh."
    assert await pulls.refused(merging(pulls, pull, head_oid="0" * 40)) == moved
    pulls.github.fail(faults.refused(409, "Head branch was modified. Review and try the merge again."), on="PUT *merge")
    assert await pulls.refused(merging(pulls, pull)) == moved
    pulls.github.fail(faults.refused(405, "Pull Request is not mergeable"), on="PUT *merge")
    said = await pulls.refused(merging(pulls, pull))
    assert said == "GitHub says it cannot be merged: Pull Request is not mergeable."
    pulls.github.fail(faults.server_error(), on="PUT *merge")
    assert "status 502" in await pulls.refused(merging(pulls, pull))
    assert pull.state == "open"
    pulls.github.fail(faults.answer_lost(), on="PUT *merge")
    order = merging(pulls, pull, delete_branch=True, archive_lane=True)
    before = git(Path(pulls.rig.engine.project.path), "status", "--porcelain=v2", "--branch")
    merged = await pulls.answer(order, PullRequestMerged)
    assert (merged.number, merged.merge_oid, merged.notices, merged.archived) == (
        1, pulls.repo.head("main"), (), True,
    )  # fmt: skip
    checkout = Path(pulls.rig.engine.project.path)
    assert git(checkout, "rev-parse", "origin/main").strip() == pulls.repo.head("main"), "the base was fetched"
    assert (pulls.repo.head("lane/fix"), pulls.rig.engine.parts.base.ground.lanes.get(pulls.lane.id).state) == (
        None,
        "archived",
    )
    assert (
        git(checkout, "status", "--porcelain=v2", "--branch").split("# branch.ab")[0] == before.split("# branch.ab")[0]
    ), "the person's checkout is as it was"


async def test_what_fails_after_a_merge_is_a_notice_and_the_merge_stands(pulls: PullRig, pull: PullControl) -> None:
    pulls.repo.check(pull.head_sha, "unit")
    moved: list[str] = []
    pulls.github.fail(faults.offline(), on="* /octo/shop.git/*", times=None)
    merged = await pulls.answer(merging(pulls, pull, delete_branch=True), PullRequestMerged)
    moved += merged.notices
    assert pull.state == "merged"
    assert any(one.startswith("origin could not be fetched") for one in moved)
    assert any(one.startswith("The remote branch was not deleted") for one in moved)
    log = [e for e in pulls.operations("merge_pull_request") if e.type == "lane_operation_finished"]
    assert [(e.status, e.text) for e in log] == [("done", "#1 was merged into main.")]


@pytest.mark.promise("lanes-P2")
async def test_requests_are_listed_and_opened_as_lanes_those_of_forks_too(pulls: PullRig, pull: PullControl) -> None:
    repo = pulls.repo
    repo.push("feature", {"feature.py": "x\n"})
    own = repo.open_pull("feature", title="A feature")
    pulls.github.add_account("mona")
    repo.collaborator("mona", "read")
    fork = repo.fork("mona")
    oid = fork.push("patch", {"patch.py": "x\n"}, by="mona")
    foreign = repo.open_pull("mona:patch", title="A patch: “läuft”", by="mona")
    listed = await pulls.answer(ListPullRequests(lane_id=pulls.lane.id), PullRequestsListed)
    assert {(one.number, one.lane_id, one.head_owner) for one in listed.requests} == {
        (pull.number, pulls.lane.id, "octo"), (own.number, "", "octo"), (foreign.number, "", "mona"),
    }  # fmt: skip
    order = OpenPullAsLane(lane_id=pulls.lane.id, number=own.number, new_lane_id="ln_00000000000a")
    made = (await pulls.answer(order, LaneCreated)).lane
    assert (made.branch, made.base_ref, made.pr_number) == ("feature", "origin/main", own.number)
    assert git(Path(made.worktree_path), "rev-parse", "HEAD").strip() == own.head_sha
    order = OpenPullAsLane(lane_id=pulls.lane.id, number=foreign.number, new_lane_id="ln_00000000000b")
    theirs = (await pulls.answer(order, LaneCreated)).lane
    assert (git(Path(theirs.worktree_path), "rev-parse", "HEAD").strip(), theirs.pr_number) == (oid, foreign.number)
    assert theirs.branch.startswith("lane/pr-3-a-patch")
    assert git(Path(theirs.worktree_path), "for-each-ref", "refs/banksman/pull") == ""
    found = await pulls.book.fresh(theirs.id)
    assert (found.pull and found.pull.number, found.pull and found.pull.head) == (foreign.number, "patch")
    again = OpenPullAsLane(lane_id=pulls.lane.id, number=own.number, new_lane_id="ln_00000000000c")
    assert "feature" in await pulls.refused(again)
