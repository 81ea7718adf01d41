"""A whole round through a real engine, real git and the stand-in: an agent fixes, pushes, answers, and it converges."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.domain.changes.updates import LanePushed
from desktop.domain.core.ids import new_session_id
from desktop.domain.events import ToolCallDecided, ToolCallFinished
from desktop.domain.rounds import commands as c
from desktop.domain.rounds.items import LaunchChoice, PipelineSettings
from desktop.domain.rounds.updates import ResolutionPreview, RoundChanged
from tests.agent.pr_rig import LINES, PullRig, pull_rig
from tests.agent.rig import folders_below, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.github import faults
from tests.fakes.github.stand_in import FakeGitHub

pytestmark = pytest.mark.asyncio
pytest_plugins = ("tests.fakes.github.plugin",)
IN_FULL_AUTO = {"mode": "full-auto", "without_sandbox": True}


@pytest_asyncio.fixture
async def pulls(github: FakeGitHub, model_api: FakeModelApi, tmp_path: Path) -> AsyncIterator[PullRig]:
    made = await pull_rig(github, folders_below(tmp_path / "home"), tmp_path, model_api.url)
    yield made
    await made.rig.engine.stop()


async def launched(pulls: PullRig, **choice: object) -> str:
    """A round in full auto, begun as it was shown; its chat."""
    wanted = LaunchChoice.model_validate({**IN_FULL_AUTO, **choice})
    seen = await pulls.answer(c.PreviewResolution(lane_id=pulls.lane.id, choice=wanted), ResolutionPreview)
    assert seen.problem == ""
    session_id = new_session_id()
    command = c.LaunchResolution(lane_id=pulls.lane.id, session_id=session_id, digest=seen.digest, choice=seen.choice)
    assert await pulls.send(command) == []
    return session_id


async def polled(pulls: PullRig) -> RoundChanged:
    """Where the rounds stand after one more poll."""
    await pulls.rig.engine.parts.reviews.rounds.rounds.poll(pulls.lane.id)
    return next(update for update in reversed(pulls.rig.updates) if isinstance(update, RoundChanged))


async def until(pulls: PullRig, state: str) -> RoundChanged:
    """Where the rounds stand once they are in this state."""

    def reached(updates: list[object]) -> RoundChanged | None:
        told = [update for update in updates if isinstance(update, RoundChanged)]
        return told[-1] if told and told[-1].run.state == state else None

    return await pulls.rig.until(reached, timeout_s=80.0)


async def test_an_agent_fixes_pushes_answers_and_resolves_until_nothing_is_left(
    pulls: PullRig, model_api: FakeModelApi
) -> None:
    pulls.rig.engine.parts.reviews.rounds.rounds.poll_s = 3600.0
    head = pulls.publish()
    pull = pulls.repo.open_pull(pulls.lane.branch, title="Fix line three")
    pulls.repo.workflow(head, jobs={"unit": "failure", "lint": "success"})
    thread = pull.thread("app.py", 3, "**Say three in figures**", by="coderabbitai[bot]")
    await pulls.look()
    await pulls.send(
        c.SetPipeline(
            lane_id=pulls.lane.id, settings=PipelineSettings(auto_round=True, auto_merge=True, merge_method="squash")
        )
    )
    model_api.script(
        tool_turn("pr_refresh_issue_inventory"),
        tool_turn("pr_rerun_failed_checks"),
        tool_turn("read_file", file_path="app.py"),
        tool_turn("write_file", file_path="app.py", content=LINES.replace("line 3\n", "line 3, in figures\n")),
        tool_turn("commit_changes", message="Say three in figures"),
        tool_turn("push_lane"),
        tool_turn("pr_reply_to_review_thread", thread_id=thread.node_id, body="It says 3 now."),
        tool_turn("pr_resolve_review_thread", thread_id=thread.node_id),
        text_turn("One bounded round is done."),
    )
    await launched(pulls)
    waiting = await until(pulls, "polling")
    results = {e.call_id: str(e.content) for e in pulls.rig.events(ToolCallFinished)}
    decided = {e.tool: e for e in pulls.rig.events(ToolCallDecided)}
    assert "Say three in figures" in results[decided["pr_refresh_issue_inventory"].call_id]
    assert "<untrusted" in results[decided["pr_refresh_issue_inventory"].call_id]
    new_head = git(pulls.folder, "rev-parse", "HEAD").strip()
    assert pulls.repo.head(pulls.lane.branch) == new_head
    assert [comment.body for comment in thread.comments] == ["**Say three in figures**", "It says 3 now."]
    assert thread.resolved_by is not None
    record = waiting.rounds[0]
    assert (record.commits, record.files, record.head_before) == ((new_head,), 1, head)
    assert record.tokens > 0
    run = pulls.repo.workflow(new_head, jobs={"unit": None, "lint": "success"})
    assert (await polled(pulls)).run.waits_for == "1 check is still running."
    pulls.repo.finish(run.jobs[0].check)
    assert (await polled(pulls)).run.poller == "waiting_for_comments"
    merged = await polled(pulls)
    assert (merged.run.state, merged.rounds[0].fixed, pull.state) == ("merged", 2, "merged")
    assert len(model_api.requests) == 9


async def test_a_resolver_chat_is_offered_what_rounds_need_and_nothing_that_opens_more(
    pulls: PullRig, model_api: FakeModelApi
) -> None:
    head = pulls.publish()
    pulls.repo.open_pull(pulls.lane.branch)
    pulls.repo.workflow(head, jobs={"unit": "failure"})
    await pulls.look()
    model_api.script(
        tool_turn("create_pr_from_lane"), tool_turn("pr_refresh_issue_inventory", pr=99), text_turn("done")
    )
    await launched(pulls)
    await until(pulls, "polling")
    offered = {tool["name"] for tool in model_api.requests[0].body["tools"]}
    wanted = {
        "pr_refresh_issue_inventory", "pr_rerun_failed_checks", "pr_reply_to_review_thread", "pr_resolve_review_thread",
        "commit_changes", "push_lane", "rebase_lane", "lane_stash", "attach_proof", "report_completion",
    }  # fmt: skip
    assert wanted <= offered
    assert not offered & {"create_lane", "create_pr_from_lane"}
    refused, other = pulls.rig.events(ToolCallFinished)
    assert str(refused.content).endswith("create_pr_from_lane is not available in this chat.")
    assert str(other.content).endswith("This lane's pull request is #1.")


async def test_a_lane_behind_its_base_is_rebased_and_pushed_when_that_is_wished(
    pulls: PullRig, model_api: FakeModelApi
) -> None:
    head = pulls.publish()
    pull = pulls.repo.open_pull(pulls.lane.branch)
    pulls.repo.protect(checks=("unit",), strict=True)
    pulls.repo.workflow(head, jobs={"unit": "failure"})
    await pulls.look()
    model_api.script(text_turn("done"))
    await launched(pulls)
    await until(pulls, "polling")
    base = pulls.repo.push("main", {"other.py": "x = 1\n"})
    paused = await polled(pulls)
    assert (paused.run.state, paused.run.reason) == ("paused", "it is behind main")
    wanted = PipelineSettings(on_rebase_needed="auto_rebase")
    await pulls.send(c.SetPipeline(lane_id=pulls.lane.id, settings=wanted))
    assert await pulls.send(c.ResumeResolution(lane_id=pulls.lane.id)) == []
    waiting = await polled(pulls)
    assert (waiting.run.state, waiting.run.poller) == ("polling", "waiting_for_checks")
    new_head = git(pulls.folder, "rev-parse", "HEAD").strip()
    assert git(pulls.folder, "rev-parse", "HEAD~1").strip() == base
    assert pulls.repo.head(pulls.lane.branch) == new_head == pull.head_sha
    assert new_head != head
    assert any(isinstance(update, LanePushed) for update in pulls.rig.updates), "whoever shows the lane is told"


async def test_without_github_it_waits_and_pauses_after_a_quarter_of_an_hour(
    pulls: PullRig, model_api: FakeModelApi
) -> None:
    head = pulls.publish()
    pulls.repo.open_pull(pulls.lane.branch)
    pulls.repo.workflow(head, jobs={"unit": "failure"})
    await pulls.look()
    model_api.script(text_turn("done"))
    await launched(pulls)
    await until(pulls, "polling")
    pulls.github.fail(faults.offline(), times=None)
    waiting = await polled(pulls)
    assert (waiting.run.state, waiting.run.waits_for) == ("polling", "The pull request cannot be read just now.")
    pulls.clock.ahead += timedelta(minutes=16)
    paused = await polled(pulls)
    assert (paused.run.state, paused.run.reason) == ("paused", "offline for over 15 minutes")
    pulls.github.heal()
    assert await pulls.send(c.ResumeResolution(lane_id=pulls.lane.id)) == []
    assert (await polled(pulls)).run.offline_since is None
