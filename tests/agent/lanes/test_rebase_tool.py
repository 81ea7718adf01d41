"""rebase_lane and lane_stash in real turns: the lane of the chat moves, other lanes only when a person says so."""

import os
from pathlib import Path

import pytest

from desktop.domain.commands import SendMessage
from desktop.domain.core.ids import new_lane_id
from desktop.domain.events import ToolCallFinished
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.lanes.commands import CreateLane
from desktop.domain.lanes.updates import LaneCreated
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.services.merge_place import checkout_hash

pytestmark = pytest.mark.asyncio


@pytest.fixture(autouse=True)
def person(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    git(repository, "config", "user.name", "Petra")
    git(repository, "config", "user.email", "petra@example.org")


async def test_an_agent_puts_aside_commits_and_rebases_its_own_lane(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(
        tool_turn("write_file", file_path="aside.txt", content="later\n"),
        tool_turn("lane_stash", action="push", message="for later"),
        tool_turn("write_file", file_path="mine.txt", content="mine\n"),
        tool_turn("commit_changes", message="Mine"),
        text_turn("Committed."),
    )
    chat = await rig.new("Work")
    await rig.ended()
    lane_id = rig.engine.sessions.get(chat).state.lane_id
    child = CreateLane(lane_id=new_lane_id(), name="On top", parent_id=lane_id, run_setup=False)
    await rig.engine.handle(child)
    made = next(update.lane for update in rig.updates if isinstance(update, LaneCreated))
    Path(made.worktree_path, "child.txt").write_text("c\n")
    git(Path(made.worktree_path), "add", "-A")
    git(Path(made.worktree_path), "commit", "-q", "-m", "Child's")
    (repository / "main.txt").write_text("m\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "Main's")
    before = checkout_hash(repository)
    model_api.script(
        tool_turn("rebase_lane"),
        tool_turn("lane_stash", action="pop"),
        tool_turn("lane_stash", action="push"),
        tool_turn("rebase_lane", include_children=True),
        text_turn("Rebased."),
    )
    await rig.engine.handle(SendMessage(session_id=chat, text="Rebase it"))
    asked = await rig.asked()
    assert isinstance(asked.request, ApprovalRequest)
    assert asked.request.card.title == "Rebase this lane onto its base with the lanes that stack on it"
    assert git(repository, "log", "-1", "--format=%s", made.branch) == "Child's\n"
    await rig.answer(chat, asked, Answer(outcome="allow_once"))
    await rig.ended(2)
    texts = [str(event.content) for event in rig.events(ToolCallFinished)]
    assert texts[1].startswith("Put aside as stash 1: 1 file.")
    main = git(repository, "rev-parse", "main").strip()
    lane = rig.lane(chat)
    name = rig.engine.sessions.get(chat).lane
    assert name is not None
    assert texts[4] == f"{name.name}: succeeded. Now on main {main[:7]}."
    assert texts[5].startswith('Brought back stash 1 "for later": 1 file')
    assert texts[7].splitlines()[0] == f"{name.name}: skipped. It is on main already."
    assert texts[7].splitlines()[1].startswith("On top: succeeded. Now on lane/")
    assert git(lane, "log", "--format=%s").split("\n")[:2] == ["Mine", "Main's"]
    assert git(repository, "log", "--format=%s", made.branch).split("\n")[:3] == ["Child's", "Mine", "Main's"]
    assert checkout_hash(repository) == before
