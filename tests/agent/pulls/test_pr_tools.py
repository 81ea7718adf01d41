"""Agents push and work on pull requests: each call is a card with its exact target, or is looked back on."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.domain.commands import SendMessage
from desktop.domain.core.content import CodeBlock, TextBlock
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import InputRequested, ToolCallDecided, ToolCallFinished
from desktop.domain.gate.events import SessionTainted
from desktop.domain.gate.pending import Answer, ApprovalRequest
from tests.agent.pr_rig import PullRig, pull_rig
from tests.agent.rig import folders_below, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.github.stand_in import FakeGitHub

pytestmark = pytest.mark.asyncio
pytest_plugins = ("tests.fakes.github.plugin",)
EDIT, AUTO = PermissionMode.EDIT, PermissionMode.FULL_AUTO
ONCE = Answer(outcome="allow_once")


@pytest_asyncio.fixture
async def pulls(github: FakeGitHub, tmp_path: Path, model_api: FakeModelApi) -> AsyncIterator[PullRig]:
    made = await pull_rig(github, folders_below(tmp_path / "home"), tmp_path, model_api.url)
    yield made
    await made.rig.engine.stop()


def results(pulls: PullRig) -> list[tuple[str, str]]:
    return [(event.outcome, str(event.content)) for event in pulls.rig.events(ToolCallFinished)]


def request_of(asked: InputRequested) -> ApprovalRequest:
    assert isinstance(asked.request, ApprovalRequest)
    return asked.request


async def test_a_push_and_a_request_are_cards_with_where_they_go(pulls: PullRig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("push_lane"), tool_turn("push_lane"),
        tool_turn("create_pr_from_lane", body="Fixes it", draft=True),
        tool_turn("create_pr_from_lane", title="Again", body="x"), text_turn("done"),
    )  # fmt: skip
    session_id = await pulls.rig.new("Propose it", lane_id=pulls.lane.id)
    asked = await pulls.rig.asked()
    request = request_of(asked)
    place = f"Push: lane/fix to origin, {pulls.repo.clone_url}"
    assert (request.card.title, request.card.blocks) == ("Push this lane's branch", (TextBlock(text=place),))
    assert (request.category.value, "leaves_computer" in request.risk_flags) == ("external", True)
    assert [offer.scope for offer in request.grants] == ["once", "session"]
    assert pulls.repo.head("lane/fix") is None
    await pulls.rig.answer(session_id, asked, Answer(outcome="allow_always", scope="session"))
    asked = await pulls.rig.asked(2)
    request = request_of(asked)
    assert request.card.title == "Open a draft pull request from this lane"
    assert request.card.blocks == (
        TextBlock(text=f"{place}\nRequest: into main of octo/shop on {pulls.github.host}, as octo\n"
                       "Title: Change line three for fix"),
        CodeBlock(language="markdown", text="Fixes it"),
    )  # fmt: skip
    assert (request.editable, [offer.scope for offer in request.grants]) == (("title", "body"), ["once"])
    assert pulls.repo.pulls == []
    await pulls.rig.answer(session_id, asked, ONCE)
    await pulls.rig.answer(session_id, await pulls.rig.asked(3), ONCE)
    await pulls.rig.ended()
    head = git(pulls.folder, "rev-parse", "HEAD").strip()
    (pull,) = pulls.repo.pulls
    assert (pull.value.title, pull.value.body, pull.value.draft, pull.head_sha) == (
        "Change line three for fix", "Fixes it", True, head,
    )  # fmt: skip
    said = results(pulls)
    assert said[0] == ("ok", f"Pushed 1 commit to origin/lane/fix ({head[:7]}).")
    assert said[1] == ("error", "Nothing to push: origin/lane/fix has every commit.")
    assert said[2][0] == "ok"
    assert said[2][1].endswith(f"Pull request #1 (draft): {pulls.repo.base_url}/octo/shop/pull/1")
    assert said[3] == ("ok", "Pull request #1 already exists for this branch; linked.")


async def test_what_cannot_be_proposed_is_refused_with_the_reason(pulls: PullRig, model_api: FakeModelApi) -> None:
    (pulls.folder / "untidy.txt").write_text("x")
    calls = [
        tool_turn("create_pr_from_lane", title="T", body="b"),
        tool_turn("create_pr_from_lane", title="T", body="b", base="--x"),
        tool_turn("create_pr_from_lane", title="T", body=f"the token is {pulls.github.token}"),
        tool_turn("pr_resolve_review_thread", thread_id="PRRT_1"), text_turn("done"),
    ]  # fmt: skip
    model_api.script(*calls)
    await pulls.rig.new("Propose it", AUTO, lane_id=pulls.lane.id)
    await pulls.rig.ended()
    said = results(pulls)
    assert said[0] == ("error", "Not committed: untidy.txt. It stays out of the request. Commit it first.")
    assert [outcome for outcome, _ in said[1:]] == ["refused"] * 3
    assert "must be the name of a branch" in said[1][1]
    assert "the text holds the secret" in said[2][1]
    assert said[3][1] == (
        "pr_resolve_review_thread is not available: this lane has no open pull request. A person can open or link one."
    )
    assert (pulls.repo.pulls, pulls.repo.head("lane/fix")) == ([], None)


async def test_threads_are_answered_and_resolved_only_where_they_belong(
    pulls: PullRig, model_api: FakeModelApi
) -> None:
    head = pulls.publish()
    pull = pulls.repo.open_pull("lane/fix", title="Fix three")
    pulls.repo.push("other", {"b.py": "x\n"})
    foreign = pulls.repo.open_pull("other").thread("b.py", 1, "And here?")
    old = pull.thread("app.py", 3, "Why three?")
    pulls.repo.workflow(head, jobs={"unit": "failure"})
    await pulls.show()
    model_api.script(
        tool_turn("pr_resolve_review_thread", thread_id=old.node_id),
        tool_turn("pr_reply_to_review_thread", pr=1, thread_id=old.node_id, body="Because."),
        tool_turn("pr_reply_to_review_thread", thread_id=foreign.node_id, body="Hi"),
        tool_turn("pr_resolve_review_thread", thread_id=foreign.node_id),
        tool_turn("pr_reply_to_review_thread", pr="#2", thread_id=foreign.node_id, body="Hi"),
        tool_turn("pr_rerun_failed_checks", check_names=["unit", "nightly"]),
        tool_turn("push_lane"), text_turn("done"),
    )  # fmt: skip
    session_id = await pulls.rig.new("Work on it", AUTO, lane_id=pulls.lane.id)
    asked = await pulls.rig.asked()
    request = request_of(asked)
    assert request.reason == "Nothing was committed since this comment."
    shown = request.card.blocks[0]
    assert isinstance(shown, TextBlock)
    assert shown.text.startswith(f"Pull request #1 of octo/shop on {pulls.github.host}, as octo: Fix three\nThread on ")
    assert "mona: Why three?" in shown.text
    pulls.commit("y", "Explain it")
    await pulls.rig.answer(session_id, asked, Answer(outcome="reject", note="not yet"))
    await pulls.rig.ended()
    said = results(pulls)
    assert said[0][0] == "declined"
    assert said[1][0] == "ok"
    assert said[1][1].startswith(f"Replied in thread {old.node_id}: {pulls.repo.base_url}/octo/shop/pull/1")
    assert said[2] == ("error", f"Thread {foreign.node_id} does not belong to #1.")
    assert said[3] == ("error", f"Thread {foreign.node_id} does not belong to #1.")
    assert said[4][0] == "refused"
    assert "#2 is not this lane's pull request (#1)" in said[4][1]
    assert said[5][0] == "ok"
    assert said[5][1].startswith('1 of 2 checks will run again.\n<untrusted source="github:octo/shop#1">nightly: ')
    assert [c.body for c in old.comments] == ["Why three?", "Because."]
    assert (old.resolved_by, foreign.resolved_by, len(foreign.comments)) == (None, None, 1)
    assert [t.source for t in pulls.rig.events(SessionTainted)] == ["github:octo/shop#1"]
    reviewed = [e for e in pulls.rig.events(InputRequested) if not e.request.blocking]
    assert len(reviewed) >= 4, "what ran without asking is looked back on"
    assert pulls.book.store.agent_comments(pulls.lane.id), "what an agent wrote is known as such"


@pytest.mark.promise("lanes-P30")
async def test_a_thread_is_resolved_unasked_only_after_a_later_commit(pulls: PullRig, model_api: FakeModelApi) -> None:
    pulls.publish()
    pull = pulls.repo.open_pull("lane/fix")
    thread, late = pull.thread("app.py", 3, "Why?"), pull.thread("app.py", 4, "And?")
    await pulls.show()
    (pulls.folder / "more.txt").write_text("y")
    git(pulls.folder, "add", "-A")
    git(pulls.folder, "commit", "-qm", "Explain", "--date=2099-01-01T00:00:00Z")
    late.comments[-1].created_at = late.comments[-1].created_at.replace(year=2100)
    calls = [("pr_resolve_review_thread", one.node_id) for one in (late, late, thread, thread)]
    model_api.script(*(tool_turn(name, thread_id=thread_id) for name, thread_id in calls), text_turn("done"))
    session_id = await pulls.rig.new("Work on it", AUTO, lane_id=pulls.lane.id)
    asked = await pulls.rig.asked()
    assert request_of(asked).reason == "Nothing was committed since this comment."
    await pulls.rig.answer(session_id, asked, ONCE)
    await pulls.rig.ended()
    assert results(pulls) == [
        ("error", "Nothing was committed since this comment. Call it again, and a person is asked."),
        ("ok", "Resolved."), ("ok", "Resolved."), ("ok", "Was already resolved."),
    ]  # fmt: skip
    decided = [event.verdict for event in pulls.rig.events(ToolCallDecided)]
    assert decided == [Verdict.ALLOW, Verdict.ASK, Verdict.ALLOW, Verdict.ALLOW]
    await pulls.look()
    pull.close()
    model_api.script(tool_turn("pr_rerun_failed_checks"), tool_turn("pr_rerun_failed_checks"), text_turn("done"))
    await pulls.send(SendMessage(session_id=session_id, text="Again"))
    await pulls.rig.ended(2)
    assert results(pulls)[4] == ("error", "Pull request #1 is closed.")
