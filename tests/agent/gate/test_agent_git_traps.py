"""No trap of a repository is sprung by an agent's tools, checkpoints, reverts, a handover, or a worktree taken in."""

from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.changes.commands import LoadDiff, RevertPicked, UndoRevert
from desktop.domain.changes.updates import ChangeReverted, DiffLoaded
from desktop.domain.changes.values import ChangeScope, Picked
from desktop.domain.chats.commands import LoadCheckpoints, MakeCheckpoint, RestoreCheckpoint
from desktop.domain.chats.updates import CheckpointsListed
from desktop.domain.core.checkpoint_events import FilesRestored
from desktop.domain.core.ids import new_lane_id
from desktop.domain.core.update import Update
from desktop.domain.events import ToolCallFinished
from desktop.domain.lanes.commands import AdoptLane, BringBack, ImportLane, RefreshLanes, TryInCheckout
from desktop.domain.lanes.lane import Lane, LaneStatus
from desktop.domain.lanes.updates import HandoverChanged, LaneCreated, LaneStatusChanged
from tests.agent.rig import Rig
from tests.agent.trapped import Lanes, checkout, trapped
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.services.git_traps import without_traps

pytestmark = pytest.mark.asyncio
EVERY_GIT_TOOL = (
    tool_turn("write_file", file_path="new.py", content="new\n"),
    tool_turn("write_file", file_path="more.txt", content="more\n"),
    tool_turn("git_status"), tool_turn("git_diff"), tool_turn("git_log"),
    tool_turn("lane_stash", action="push", message="aside"), tool_turn("lane_stash", action="list"),
    tool_turn("lane_stash", action="apply"), tool_turn("lane_stash", action="drop"),
    tool_turn("commit_changes", message="Work", paths=["new.py"]),
    tool_turn("move_file", from_path="new.py", to_path="moved.py"),
    tool_turn("commit_changes", message="Moved and more"),
    tool_turn("rebase_lane"), tool_turn("delete_file", file_path="moved.py"), text_turn("Done."),
)  # fmt: skip


@pytest.mark.promise("gate-S17")
async def test_no_trap_is_sprung_by_tools_checkpoints_reverts_handover_and_import(
    tmp_path: Path, folders: Folders, repository: Path, monkeypatch: pytest.MonkeyPatch, model_api: FakeModelApi
) -> None:
    traps = trapped(tmp_path, repository, monkeypatch)
    kept = checkout(repository)
    rig = await Rig(folders).open(repository)
    try:
        lanes = Lanes(rig, traps)
        model_api.script(*EVERY_GIT_TOOL)
        chat = await rig.new("Work")
        await rig.ended()
        lanes.quiet("tools")
        outcomes = [(one.outcome, one.content) for one in rig.events(ToolCallFinished)]
        assert {outcome for outcome, _ in outcomes} == {"ok"}, [one for one in outcomes if one[0] != "ok"]
        lane = lanes.lane(rig.engine.sessions.get(chat).state.lane_id)
        await back_and_forth(lanes, chat, lane)
        await taken_in(lanes, repository, tmp_path / "theirs")
        assert checkout(repository) == kept
        await shown_in_the_checkout(lanes, lane, repository)
        assert (repository / "app.py").read_bytes() == kept["app.py"]
    finally:
        await rig.engine.stop()
    assert traps.fired() == []


async def back_and_forth(lanes: Lanes, chat: str, lane: Lane) -> None:
    """A checkpoint and the way back to it; a revert and its undo."""
    app = Path(lane.worktree_path) / "app.py"
    first = app.read_text()
    listed = await lanes.do(MakeCheckpoint(session_id=chat, name="before"), CheckpointsListed)
    app.write_text("later\n")
    await lanes.do(LoadCheckpoints(session_id=chat), CheckpointsListed)
    named = next(one for one in listed.checkpoints if one.name == "before")
    await lanes.rig.engine.handle(RestoreCheckpoint(session_id=chat, checkpoint_id=named.checkpoint_id))
    lanes.quiet("restore")
    assert lanes.rig.events(FilesRestored)
    assert app.read_text() == first
    app.write_text("later\n")
    uncommitted = ChangeScope(kind="uncommitted")
    diff = (await lanes.do(LoadDiff(lane_id=lane.id, scope=uncommitted, path="app.py"), DiffLoaded)).diff
    picked = Picked(path="app.py", base_sha256=diff.base_sha256, sha256=diff.sha256)
    gone = await lanes.do(RevertPicked(lane_id=lane.id, scope=uncommitted, picked=(picked,)), ChangeReverted)
    assert app.read_text() == first
    await lanes.do(UndoRevert(lane_id=lane.id, revert_id=gone.revert_id), ChangeReverted)
    assert app.read_text() == "later\n"


def read(updates: list[Update], lane_id: str) -> LaneStatus | None:
    """How a lane stands, once that was told."""
    told = [one for update in updates if isinstance(update, LaneStatusChanged) for one in update.statuses]
    return next((one for one in told if one.lane_id == lane_id), None)


async def taken_in(lanes: Lanes, repository: Path, folder: Path) -> None:
    """A worktree that was there before becomes a lane, and one of our own."""
    without_traps(repository, "worktree", "add", "-q", "-b", "theirs", str(folder), "main")
    (folder / "data.txt").write_text("theirs\n")
    lanes.traps.forget()
    lane_id = new_lane_id()
    await lanes.do(ImportLane(lane_id=lane_id, path=str(folder)), LaneCreated)
    await lanes.rig.engine.handle(RefreshLanes(lane_ids=(lane_id,)))
    assert (await lanes.rig.until(lambda updates: read(updates, lane_id))).problem == ""
    await lanes.rig.engine.handle(AdoptLane(lane_id=lane_id))
    lanes.quiet("adopt")


async def shown_in_the_checkout(lanes: Lanes, lane: Lane, repository: Path) -> None:
    """The person's checkout shows the lane, is edited there, and stands on its branch again."""
    shown = await lanes.do(TryInCheckout(lane_id=lane.id), HandoverChanged)
    assert shown.lane_id == lane.id
    assert (repository / "app.py").read_text() == "later\n"
    (repository / "app.py").write_text("later still\n")
    back = await lanes.do(BringBack(), HandoverChanged)
    assert back.lane_id == ""
    assert Path(lane.worktree_path, "app.py").read_text() == "later still\n"
    assert (repository / ".git" / "HEAD").read_text().strip() == "ref: refs/heads/main"
