"""From a lane to an open request, with real pushes: planned, opened once, adopted, and what failed is told."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.domain.commands import RenameSession
from desktop.domain.context.events import SideAnswered
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from desktop.domain.pulls.commands import CreatePullRequest, PlanPullRequest, SuggestPullText, UseOwnFork
from desktop.domain.pulls.updates import OwnForkUsed, PullRequestCreated, PullRequestPlanned, PullTextSuggested
from tests.agent.pr_rig import PullRig, pull_rig
from tests.agent.rig import folders_below, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn
from tests.fakes.github import faults
from tests.fakes.github.stand_in import FakeGitHub
from tests.services.lane_place import add_lane

pytestmark = pytest.mark.asyncio
pytest_plugins = ("tests.fakes.github.plugin",)
POST = "POST /repos/{owner}/{repo}/pulls"


@pytest_asyncio.fixture
async def pulls(github: FakeGitHub, tmp_path: Path) -> AsyncIterator[PullRig]:
    made = await pull_rig(github, folders_below(tmp_path / "home"), tmp_path)
    yield made
    await made.rig.engine.stop()


def opening(pulls: PullRig, **fields: object) -> CreatePullRequest:
    given = {"lane_id": pulls.lane.id, "title": "Fix line three", "body": "Why", "draft": False, **fields}
    return CreatePullRequest.model_validate(given)


async def test_a_request_is_planned_opened_and_linked(pulls: PullRig) -> None:
    folder = pulls.folder
    (folder / ".github").mkdir()
    (folder / ".github/PULL_REQUEST_TEMPLATE.md").write_text("## Why\n")
    (folder / "untidy.txt").write_text("x")
    planned = await pulls.answer(PlanPullRequest(lane_id=pulls.lane.id), PullRequestPlanned)
    assert (planned.title, planned.base, planned.branch, planned.remote, planned.repository, planned.private) == (
        "Change line three for fix", "main", "lane/fix", "origin", "octo/shop", True,
    )  # fmt: skip
    assert planned.body.startswith("## Summary\n\n## What changed\n\n- Change line three for fix\n\n## Validation")
    assert (planned.files, planned.pushes, planned.template) == (1, None, False)
    assert [(h.kind, h.blocks) for h in planned.hindrances] == [("dirty", False)]
    assert "untidy.txt" in await pulls.refused(opening(pulls))
    assert pulls.repo.head("lane/fix") is None, "nothing is pushed for a request that is refused"
    git(folder, "add", ".github")
    git(folder, "commit", "-qm", "Add a template")
    planned = await pulls.answer(PlanPullRequest(lane_id=pulls.lane.id), PullRequestPlanned)
    assert (planned.title, planned.body, planned.template) == ("fix", "## Why", True)
    order = opening(pulls, leave_out=True, draft=True, labels=("bug",), reviewers=("mona",))
    pulls.github.add_account("mona")
    pulls.repo.collaborator("mona")
    created = await pulls.answer(order, PullRequestCreated)
    (pull,) = pulls.repo.pulls
    assert (created.number, created.adopted, created.notices) == (pull.number, False, ())
    assert (pull.value.title, pull.value.body, pull.value.draft) == ("Fix line three", "Why", True)
    assert pull.head_sha == git(folder, "rev-parse", "HEAD").strip()
    assert git(folder, "rev-parse", "--abbrev-ref", "@{upstream}").strip() == "origin/lane/fix"
    assert pulls.book.link(pulls.lane.id).number == pull.number
    log = pulls.operations("push", "open_pull_request")
    assert [type(e).__name__ for e in log] == ["LaneOperationStarted"] * 2 + ["LaneOperationFinished"] * 2
    assert isinstance(log[0], LaneOperationStarted)
    assert isinstance(log[-1], LaneOperationFinished)
    assert (log[0].operation, log[-1].text) == ("open_pull_request", "#1 was opened.")
    assert pulls.github.token not in str(log)


@pytest.mark.promise("lanes-P7")
async def test_an_answer_that_was_lost_is_looked_up_and_nothing_is_opened_twice(pulls: PullRig) -> None:
    pulls.github.fail(faults.answer_lost(), on=POST)
    created = await pulls.answer(opening(pulls), PullRequestCreated)
    assert (created.number, len(pulls.repo.pulls), len(pulls.github.asked(POST))) == (1, 1, 1)
    again = await pulls.answer(opening(pulls, title="Another"), PullRequestCreated)
    assert (again.number, again.adopted, len(pulls.github.asked(POST))) == (1, True, 1)


async def test_what_failed_after_the_push_is_told_and_trying_again_pushes_nothing(pulls: PullRig) -> None:
    pushed = []
    pulls.github.on_push(pushed.append)
    errors = [{"resource": "PullRequest", "code": "custom", "message": "No commits between"}]
    pulls.github.fail(faults.refused(422, "Validation Failed", errors), on=POST)
    said = await pulls.refused(opening(pulls))
    assert said.startswith("The branch was pushed, but the request was not opened: GitHub refuses it: Validation")
    assert said.endswith("Trying again does not push twice.")
    pulls.github.fail(faults.offline(), on=POST)
    assert "broke the connection off" in await pulls.refused(opening(pulls))
    assert pulls.book.link(pulls.lane.id).number == 0
    created = await pulls.answer(opening(pulls, labels=("bug",)), PullRequestCreated)
    assert (created.number, len(pushed), len(pulls.repo.pulls)) == (1, 1, 1)


async def test_a_branch_that_was_rewritten_is_replaced_only_as_it_was_seen(pulls: PullRig) -> None:
    pulls.publish()
    git(pulls.folder, "commit", "--amend", "-qm", "Change line three, better")
    assert "does not have any more" in await pulls.refused(opening(pulls))
    foreign = pulls.repo.push("lane/fix", {"foreign.txt": "by mona\n"})
    said = await pulls.refused(opening(pulls, after_rewrite=True))
    assert "changed since it was last seen here, so nothing was replaced" in said
    assert (pulls.repo.head("lane/fix"), pulls.repo.pulls) == (foreign, [])


async def test_a_lane_that_stacks_proposes_into_its_parent_once_that_is_pushed(pulls: PullRig, tmp_path: Path) -> None:
    checkout = tmp_path / "shop"
    base = git(pulls.folder, "rev-parse", "HEAD").strip()
    git(pulls.folder, "commit", "--allow-empty", "-qm", "Empty")
    child = add_lane(
        checkout, tmp_path / "lanes" / "child", "child", 2, "lane/fix", base_oid=base, parent_id=pulls.lane.id
    )
    (Path(child.worktree_path) / "child.txt").write_text("x")
    git(Path(child.worktree_path), "add", "-A")
    git(Path(child.worktree_path), "commit", "-qm", "Child")
    pulls.rig.engine.parts.base.ground.lanes.save(child)
    planned = await pulls.answer(PlanPullRequest(lane_id=child.id), PullRequestPlanned)
    assert (planned.base, [h.kind for h in planned.hindrances]) == ("main", ["parent_not_pushed"])
    pulls.publish()
    planned = await pulls.answer(PlanPullRequest(lane_id=child.id), PullRequestPlanned)
    assert (planned.base, planned.title, planned.files, planned.hindrances) == ("lane/fix", "Child", 1, ())
    planned = await pulls.answer(PlanPullRequest(lane_id=child.id, base="nowhere"), PullRequestPlanned)
    assert [(h.kind, h.blocks) for h in planned.hindrances] == [("base", True)]
    git(pulls.folder, "reset", "-q", "--hard", "origin/main")
    assert await pulls.refused(opening(pulls)) == "Nothing to propose: lane/fix has no commit that main lacks."


@pytest.mark.promise("lanes-P8")
@pytest.mark.parametrize("name", ["store", "my-store"])
async def test_a_person_who_may_not_push_proposes_from_their_own_copy(pulls: PullRig, name: str) -> None:
    theirs = pulls.github.add_repo("mona/store", private=False)
    theirs.push("main", {"app.py": "x\n"})
    git(pulls.folder, "remote", "set-url", "origin", theirs.clone_url)
    header = f"http.extraHeader=Authorization: Bearer {pulls.github.token}"
    git(pulls.folder, "-c", header, "fetch", "-q", "origin")
    git(pulls.folder, "reset", "-q", "--hard", "origin/main")
    pulls.commit("mine\n", "Mine")
    said = await pulls.refused(opening(pulls))
    assert said.startswith("You may not push to mona/store. Fork it on 127.0.0.1")
    assert "Fork it on" in await pulls.refused(UseOwnFork(lane_id=pulls.lane.id))
    fork = theirs.fork("octo", name)
    planned = await pulls.answer(PlanPullRequest(lane_id=pulls.lane.id), PullRequestPlanned)
    (found,) = planned.hindrances
    assert (found.kind, found.action) == ("not_pushed", "use_fork")
    assert f"The branch can go to your fork, octo/{name}," in found.text
    used = await pulls.answer(UseOwnFork(lane_id=pulls.lane.id), OwnForkUsed)
    assert (used.repository, used.remote) == (f"octo/{name}", "fork")
    assert git(pulls.folder, "remote", "get-url", "fork").strip() == fork.clone_url
    assert [type(e) for e in pulls.operations("add_remote")] == [LaneOperationStarted, LaneOperationFinished]
    pulls.github.fail(faults.offline(), on=POST)
    assert "The branch was pushed, but the request was not opened" in await pulls.refused(opening(pulls))
    created = await pulls.answer(opening(pulls), PullRequestCreated)
    (pull,) = theirs.pulls
    assert fork.pulls == [], "the branch follows the fork, its request does not"
    assert (created.number, pull.head_sha) == (pull.number, fork.head("lane/fix"))
    assert theirs.head("lane/fix") is None
    found = await pulls.show()
    assert found.pull is not None
    assert (found.pull.number, found.repository and found.repository.slug) == (1, "mona/store")
    asked = len(pulls.github.asked(f"GET /repos/octo/{name}"))
    await pulls.look()
    assert len(pulls.github.asked(f"GET /repos/octo/{name}")) == asked, "that a remote is a fork is asked once"


async def test_the_model_suggests_words_once_from_commits_and_diff(
    github: FakeGitHub, tmp_path: Path, model_api: FakeModelApi
) -> None:
    pulls = await pull_rig(github, folders_below(tmp_path / "home"), tmp_path, model_api.url)
    try:
        order = SuggestPullText(lane_id=pulls.lane.id)
        assert "Open a chat" in (await pulls.answer(order, PullTextSuggested)).problem
        model_api.script(text_turn("hello"), text_turn("# Fix line three\n\nIt was wrong.\n"), text_turn(" "))
        await pulls.rig.new("Hello", lane_id=pulls.lane.id)
        await pulls.rig.ended()
        (pulls.folder / ".env").write_text("KEY=hunter2hunter2\n")
        git(pulls.folder, "add", "-f", ".env")
        git(pulls.folder, "commit", "-qm", "Settings")
        found = await pulls.answer(order.model_copy(update={"base": "main"}), PullTextSuggested)
        assert (found.title, found.body, found.problem) == ("Fix line three", "It was wrong.", "")
        prompt = str(model_api.requests[-1].body["messages"])
        assert "- Change line three for fix" in prompt
        assert "+line three of fix" in prompt
        assert ".env: content withheld" in prompt
        assert "hunter2" not in prompt
        assert "gave no words" in (await pulls.answer(order, PullTextSuggested)).problem
        assert [event.purpose for event in pulls.rig.events(SideAnswered)] == ["pull_text", "pull_text"]
    finally:
        await pulls.rig.engine.stop()


async def test_a_request_of_several_commits_begins_with_the_title_of_the_lanes_only_chat(
    github: FakeGitHub, tmp_path: Path, model_api: FakeModelApi
) -> None:
    pulls = await pull_rig(github, folders_below(tmp_path / "home"), tmp_path, model_api.url)
    try:
        git(pulls.folder, "commit", "-q", "--allow-empty", "-m", "One more")
        for titled, begun_with in (("Stop the login loop", "Stop the login loop"), ("Test it", "fix")):
            model_api.script(text_turn("hello"))
            chat = await pulls.rig.new("Hello", lane_id=pulls.lane.id)
            await pulls.rig.ended()
            assert await pulls.send(RenameSession(session_id=chat, title=titled)) == []
            planned = await pulls.answer(PlanPullRequest(lane_id=pulls.lane.id), PullRequestPlanned)
            assert planned.title == begun_with
    finally:
        await pulls.rig.engine.stop()
