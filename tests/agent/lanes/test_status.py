"""How lanes stand, as the engine tells it: on request, after what chats do, and when a lane is not its own folder."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.changes.commands import LoadLaneChanges
from desktop.domain.chats.commands import RestoreCheckpoint
from desktop.domain.commands import NewSession, SendMessage
from desktop.domain.core.checkpoint_events import CheckpointMade
from desktop.domain.core.clock import utc_now
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.lanes.commands import RefreshLanes
from desktop.domain.lanes.lane import Lane, LaneStatus
from desktop.domain.lanes.updates import LaneStatusChanged
from desktop.services.files.pointers import git_folders
from tests.agent.lane_ground import listed, with_lanes
from tests.agent.rig import Rig, events, git
from tests.fakes.fake_model_api import FakeModelApi
from tests.fakes.model_turns import text_turn, tool_turn

pytestmark = pytest.mark.asyncio


def newest(updates: list[Update], lane: Lane) -> LaneStatus | None:
    told = [s for u in updates if isinstance(u, LaneStatusChanged) for s in u.statuses if s.lane_id == lane.id]
    return told[-1] if told else None


async def told(rig: Rig, lane: Lane, holds: Callable[[LaneStatus], bool]) -> LaneStatus:
    """The newest status of a lane, once it is so."""

    def find(updates: list[Update]) -> LaneStatus | None:
        status = newest(updates, lane)
        return status if status is not None and holds(status) else None

    return await rig.until(find)


async def test_lanes_are_read_when_a_repository_opens_on_request_and_after_calls_that_write(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    one, two = with_lanes(folders, repository, "one", "two")
    rig = await Rig(folders).open(repository)
    try:
        assert (await told(rig, one, lambda s: s.ahead == 0)).problem == ""
        await told(rig, two, lambda s: s.ahead == 0)
        (Path(two.worktree_path) / "new.py").write_text("x\n")
        await rig.engine.handle(RefreshLanes(lane_ids=(two.id,)))
        assert (await told(rig, two, lambda s: s.dirty)).untracked == 1
        model_api.script(tool_turn("write_file", path="more.py", content="print(2)\n"), text_turn("Done."))
        session_id = new_session_id()
        command = NewSession(session_id=session_id, text="Write", mode=PermissionMode.EDIT, lane_id=one.id)
        await rig.engine.handle(command)
        await rig.ended()
        assert (await told(rig, one, lambda s: s.dirty)).untracked == 1
        git(Path(one.worktree_path), "add", "-A")
        git(Path(one.worktree_path), "commit", "-q", "-m", "work")
        await rig.engine.handle(RefreshLanes(lane_ids=(one.id, two.id)))
        status = await told(rig, one, lambda s: s.ahead == 1)
        assert (status.only_here, status.changed_files) == (1, 1)
        await rig.engine.handle(RefreshLanes(lane_ids=(one.id,)))
        await asyncio.sleep(0.01)  # it is being read
        asked_at = utc_now()
        await rig.engine.handle(RefreshLanes(lane_ids=(one.id,)))
        await told(rig, one, lambda s: s.read_at >= asked_at)
    finally:
        await rig.engine.stop()


@pytest.mark.promise("lanes-G8")
async def test_a_lane_that_is_not_its_own_folder_keeps_its_values_is_broken_and_begins_no_turn(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    (lane,) = with_lanes(folders, repository, "one")
    (Path(lane.worktree_path) / "new.py").write_text("x\n")
    rig = await Rig(folders).open(repository)
    try:
        await told(rig, lane, lambda s: s.dirty)
        model_api.script(text_turn("Hello."))
        session_id = new_session_id()
        await rig.engine.handle(NewSession(session_id=session_id, text="Hello", lane_id=lane.id))
        await rig.ended()
        pointer = Path(lane.worktree_path) / ".git"
        kept = pointer.read_text()
        pointer.write_text(f"gitdir: {git_folders(repository)[0]}\n")
        await rig.engine.handle(RefreshLanes(lane_ids=(lane.id,)))
        status = await told(rig, lane, lambda s: bool(s.problem))
        assert status.problem == 'Lane "one" does not point at its own folder. Repair or remove it.'
        assert status.untracked == 1
        await listed(rig, lane.id, "broken")
        await rig.engine.handle(SendMessage(session_id=session_id, text="Go on"))
        assert [(failed.code, failed.text) for failed in rig.failures()] == [("lane_broken", status.problem)]
        assert len(model_api.requests) == 1
        pointer.write_text(kept)
        await rig.engine.handle(RefreshLanes(lane_ids=(lane.id,)))
        await told(rig, lane, lambda s: not s.problem)
        await listed(rig, lane.id, "active")
    finally:
        await rig.engine.stop()


async def test_a_lane_is_read_again_after_its_files_went_back_and_after_a_listing_that_says_something_else(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    (lane,) = with_lanes(folders, repository, "one")
    rig = await Rig(folders).open(repository)
    try:
        model_api.script(tool_turn("write_file", path="more.py", content="print(2)\n"), text_turn("Done."))
        session_id = new_session_id()
        command = NewSession(session_id=session_id, text="Write", mode=PermissionMode.EDIT, lane_id=lane.id)
        await rig.engine.handle(command)
        await rig.ended()
        await told(rig, lane, lambda s: s.uncommitted == 1)
        before = next(e for e in events(rig.updates) if isinstance(e, CheckpointMade))
        await rig.engine.handle(RestoreCheckpoint(session_id=session_id, checkpoint_id=before.checkpoint_id))
        await told(rig, lane, lambda s: s.uncommitted == 0)
        (Path(lane.worktree_path) / "by_hand.py").write_text("x\n")
        await rig.engine.handle(LoadLaneChanges(lane_id=lane.id, session_id=session_id))
        await told(rig, lane, lambda s: s.uncommitted == 1)
    finally:
        await rig.engine.stop()
