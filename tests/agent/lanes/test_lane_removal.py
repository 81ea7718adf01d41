"""Deleting, archiving and restoring lanes through a real engine."""

import asyncio
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.commands import SendMessage
from desktop.domain.core.checkpoint_events import CheckpointSkipped
from desktop.domain.lanes.commands import (
    ArchiveLane,
    DeleteLanes,
    PlanDelete,
    PurgeTrash,
    RepairLane,
    RestoreLane,
    UnarchiveLane,
)
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from desktop.domain.lanes.updates import LaneCreated, LanesChanged, LanesDeleted
from desktop.services.files.lane_files import LaneFiles
from desktop.services.history.checkpoints import LaneCheckpoints
from desktop.services.lanes.endings.removal import LaneRemoval
from tests.agent.lane_ground import delete, last, listed, plan, record, trash, with_lanes
from tests.agent.rig import Rig, git, make_repository
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.services.lane_place import tree_of

pytestmark = pytest.mark.asyncio


def state_of(repository: Path) -> tuple[object, ...]:
    """Everything of the person's checkout that no lane operation may change."""
    inner = ("HEAD", "index", "logs/HEAD")
    kept = [(repository / ".git" / name).read_bytes() for name in inner if (repository / ".git" / name).is_file()]
    files = {path: data for path, data in tree_of(repository).items() if not path.startswith(".git/")}
    return kept, files, git(repository, "for-each-ref", "refs/heads/main", "refs/stash")


@pytest.mark.promise("lanes-L32")
async def test_a_dirty_lane_is_deleted_and_restored_with_branch_and_files(folders: Folders, repository: Path) -> None:
    (lane,) = with_lanes(folders, repository, "fix")
    folder = Path(lane.worktree_path)
    (folder / "app.py").write_text("changed\n")
    (folder / ".env").write_text("KEY=1\n")
    (folder / ".gitignore").write_text(".env\n")
    git(folder, "add", ".gitignore")
    git(folder, "commit", "-qm", "only here")
    before, person = {p: d for p, d in tree_of(folder).items() if p != ".git"}, state_of(repository)
    rig = await Rig(folders).open(repository)
    planned = await plan(rig, lane)
    loss = planned.losses[0]
    assert (loss.refused, loss.files, loss.only_here, loss.ignored) == ("", ("app.py",), 1, ((".env", 6),))
    assert planned.typed == "fix"
    refused = DeleteLanes(lane_ids=(lane.id,), digest=planned.digest, typed="fi")
    await rig.engine.handle(refused)
    assert rig.failures()[-1].code == "not_typed"
    ((lane_id, trash_id, text),) = await delete(rig, lane, with_branch=True, keep_paths=(".env",))
    assert (lane_id, text) == (lane.id, "")
    assert not folder.exists()
    assert git(repository, "branch", "--list", "lane/*") == ""
    git(repository, "gc", "-q", "--prune=now")
    assert [one.trash_id for one in (await trash(rig)).lanes] == [trash_id]
    await rig.engine.handle(RestoreLane(trash_id=trash_id))
    back = last(rig, LaneCreated).lane
    assert (back.state, back.branch, back.worktree_path) == ("active", "lane/fix", str(folder))
    assert {p: d for p, d in tree_of(folder).items() if p != ".git"} == before
    assert git(folder, "log", "-1", "--format=%s").strip() == "only here"
    assert (await trash(rig)).lanes == ()
    assert state_of(repository) == person
    await rig.engine.stop()


@pytest.mark.promise("lanes-L28")
async def test_what_changes_after_the_plan_was_seen_is_shown_before_anything_goes(
    folders: Folders, repository: Path
) -> None:
    (lane,) = with_lanes(folders, repository, "fix")
    rig = await Rig(folders).open(repository)
    planned = await plan(rig, lane)
    assert planned.losses[0].nothing
    assert planned.typed == ""
    (Path(lane.worktree_path) / "new.txt").write_text("new\n")
    await rig.engine.handle(DeleteLanes(lane_ids=(lane.id,), digest=planned.digest))
    assert rig.failures()[-1].code == "plan_changed"
    assert (Path(lane.worktree_path) / "new.txt").is_file()
    assert not [update for update in rig.updates if isinstance(update, LanesDeleted)]
    await rig.engine.stop()


@pytest.mark.promise("lanes-L29")
async def test_the_checkout_lanes_with_children_and_locked_ones_are_refused(folders: Folders, repository: Path) -> None:
    parent, locked = with_lanes(folders, repository, "parent", "locked")
    (child,) = with_lanes(folders, repository, "child", parent_id=parent.id)
    (own,) = with_lanes(folders, repository, "own", type="attached")
    own_fields = {"type": "primary", "worktree_path": str(repository), "branch": "main", "name": "shop"}
    checkout = own.model_copy(update={"id": "ln_checkout", **own_fields})
    record(folders, checkout)
    git(repository, "worktree", "lock", "--reason", "on a stick", locked.worktree_path)
    shutil.copytree(child.worktree_path, folders.lanes / "copy", symlinks=True)
    rig = await Rig(folders).open(repository)
    results = {lane_id: text for lane_id, _, text in await delete(rig, parent, locked, own)}
    assert "stack on it: “child”" in results[parent.id]
    assert "on a stick" in results[locked.id]
    assert results[own.id] == ""
    assert Path(own.worktree_path).is_dir()
    assert "lane/own" in git(repository, "branch", "--list", "lane/*")
    results = {lane_id: text for lane_id, _, text in await delete(rig, parent, child)}
    assert results == {parent.id: "", child.id: ""}
    before = state_of(repository)
    ((_, _, text),) = await delete(rig, checkout)
    assert text == "This is your own checkout. Banksman does not delete it."
    assert state_of(repository) == before
    await rig.engine.stop()


@pytest.mark.promise("lanes-L26")
async def test_archiving_keeps_or_frees_the_folder_and_comes_back(folders: Folders, repository: Path) -> None:
    kept, freed = with_lanes(folders, repository, "kept", "freed")
    (Path(freed.worktree_path) / "new.txt").write_text("new\n")
    rig = await Rig(folders).open(repository)
    await rig.engine.handle(ArchiveLane(lane_id=kept.id))
    await rig.engine.handle(ArchiveLane(lane_id=freed.id, free_disk=True))
    assert rig.failures() == []
    assert Path(kept.worktree_path).is_dir()
    assert not Path(freed.worktree_path).exists()
    assert "lane/freed" in git(repository, "branch", "--list", "lane/*")
    assert (await listed(rig, freed.id, "archived")).freed
    assert (await trash(rig)).lanes == ()
    await rig.engine.handle(UnarchiveLane(lane_id=kept.id))
    await rig.engine.handle(UnarchiveLane(lane_id=freed.id))
    assert rig.failures() == []
    assert (Path(freed.worktree_path) / "new.txt").read_text() == "new\n"
    assert not (await listed(rig, freed.id, "active")).freed
    begun = [event.operation for event in rig.events(LaneOperationStarted)]
    assert begun == []  # they stand in the log of the project, which is no chat
    assert rig.events(LaneOperationFinished) == []
    await rig.engine.handle(ArchiveLane(lane_id=freed.id, free_disk=True))
    assert await delete(rig, await listed(rig, freed.id, "archived"), with_branch=True)
    (gone,) = (await trash(rig)).lanes
    await rig.engine.handle(RestoreLane(trash_id=gone.trash_id))
    assert (Path(freed.worktree_path) / "new.txt").read_text() == "new\n"
    await rig.engine.stop()


@pytest.mark.promise("lanes-L32")
async def test_a_lane_is_forgotten_by_hand_or_after_thirty_days(folders: Folders, repository: Path) -> None:
    now = [datetime(2026, 3, 1, tzinfo=UTC)]
    first, second = with_lanes(folders, repository, "first", "second")
    rig = await Rig(folders, clock=lambda: now[0]).open(repository)
    await delete(rig, first, second)
    one, other = (await trash(rig)).lanes
    await rig.engine.handle(PurgeTrash(trash_id=one.trash_id))
    assert [lane.trash_id for lane in (await trash(rig)).lanes] == [other.trash_id]
    assert one.ref not in git(repository, "for-each-ref")
    await rig.engine.stop()
    now[0] += timedelta(days=29)
    rig = await Rig(folders, clock=lambda: now[0]).open(repository)
    assert len((await trash(rig)).lanes) == 1
    await rig.engine.stop()


async def test_the_remote_branch_goes_only_while_it_is_what_was_last_seen(folders: Folders, repository: Path) -> None:
    remote = repository.parent / "remote.git"
    git(repository, "init", "-q", "--bare", str(remote))
    git(repository, "remote", "add", "origin", str(remote))
    same, other, gone = with_lanes(folders, repository, "same", "other", "gone")
    for lane in (same, other, gone):
        git(Path(lane.worktree_path), "push", "-q", "-u", "origin", lane.branch)
    git(repository, "push", "-q", "origin", "main")
    git(remote, "branch", "-D", gone.branch)
    moved = git(repository, "commit-tree", "-m", "theirs", "HEAD^{tree}").strip()
    git(repository, "push", "-q", "--force", str(remote), f"{moved}:refs/heads/{other.branch}")
    rig = await Rig(folders).open(repository)
    planned = await plan(rig, same)
    assert planned.losses[0].remote_branch == "origin/lane/same"
    results = {
        lane_id: text for lane_id, _, text in await delete(rig, same, other, gone, with_branch=True, with_remote=True)
    }
    assert results[same.id] == results[gone.id] == ""
    assert "it has other commits by now" in results[other.id]
    assert git(remote, "branch", "--format=%(refname:short)").split() == ["lane/other", "main"]
    assert git(repository, "branch", "--list", "lane/*") == ""
    await rig.engine.stop()


async def test_the_branch_that_others_build_on_is_kept(folders: Folders, repository: Path) -> None:
    (lane,) = with_lanes(folders, repository, "fix")
    folder = Path(lane.worktree_path)
    git(repository, "checkout", "-q", "-b", "elsewhere")
    git(folder, "checkout", "-q", "main")
    record(folders, lane.model_copy(update={"branch": "main"}))
    rig = await Rig(folders).open(repository)
    planned = await plan(rig, lane)
    assert "others build on" in planned.losses[0].branch_kept
    await delete(rig, lane, with_branch=True)
    assert "main" in git(repository, "branch", "--list", "main")
    await rig.engine.stop()


@pytest.mark.promise("lanes-L30")
async def test_a_deletion_that_was_killed_after_the_folder_went_is_finished(folders: Folders, repository: Path) -> None:
    (lane,) = with_lanes(folders, repository, "fix")
    (Path(lane.worktree_path) / "new.txt").write_text("new\n")
    kept = folders.data / "trash" / "lanes"
    removal = LaneRemoval(str(repository), lane, lambda snapshot_id: kept / snapshot_id.replace("/", "-"))
    snapshot = removal.snapshot("delete", datetime.now(UTC))
    removal.remove(snapshot)
    record(folders, lane.model_copy(update={"state": "deleting", "trash_ref": snapshot.ref}))
    rig = await Rig(folders).open(repository)
    await rig.until(lambda updates: [one for one in updates if isinstance(one, LanesChanged) and not _worktrees(one)])
    (gone,) = (await trash(rig)).lanes
    await rig.engine.handle(RestoreLane(trash_id=gone.trash_id))
    assert (Path(lane.worktree_path) / "new.txt").read_text() == "new\n"
    await rig.engine.stop()


async def test_what_was_deleted_long_ago_goes_with_its_checkpoints(folders: Folders, repository: Path) -> None:
    now = [datetime(2026, 3, 1, tzinfo=UTC)]
    gone, hidden = with_lanes(folders, repository, "gone", "hidden")
    for name in (f"{gone.id}-20260101T000000Z", "ln_of_another-20260101T000000Z"):
        (folders.data / "trash" / "lanes" / name / "files").mkdir(parents=True)
    for lane in (gone, hidden):
        LaneCheckpoints(LaneFiles(Path(lane.worktree_path)), lane.id).take("manual", "one")
    rig = await Rig(folders, clock=lambda: now[0]).open(repository)
    edits = f"refs/banksman/handover-edits/{hidden.id}/commits-{int(now[0].timestamp())}-0"
    git(repository, "update-ref", edits, "HEAD")
    await delete(rig, gone)
    await rig.engine.handle(ArchiveLane(lane_id=hidden.id, free_disk=True))
    await rig.engine.stop()
    now[0] += timedelta(days=31)
    rig = await Rig(folders, clock=lambda: now[0]).open(repository)
    refs, trashed = "", folders.data / "trash" / "lanes"
    async with asyncio.timeout(20):
        while any(one in (refs := git(repository, "for-each-ref", "refs/banksman")) for one in (gone.id, edits)):
            await asyncio.sleep(0.05)
        while any(folder.name.startswith(gone.id) for folder in trashed.iterdir()):
            await asyncio.sleep(0.05)
    assert f"refs/banksman/trash/{hidden.id}/" in refs
    assert {folder.name for folder in trashed.iterdir()} == {"ln_of_another-20260101T000000Z"}
    assert f"refs/banksman/checkpoints/{hidden.id}/1" in refs
    assert (await trash(rig)).lanes == ()
    await rig.engine.stop()


def _worktrees(update: LanesChanged) -> list[str]:
    return [lane.id for lane in update.lanes if lane.type != "primary"]


async def test_a_chat_works_on_in_its_lane_after_that_was_deleted_and_restored(
    rig: Rig, model_api: FakeModelApi, repository: Path
) -> None:
    first, second = ({"file_path": f"{name}.txt", "content": f"{name}\n"} for name in ("first", "second"))
    model_api.script(
        tool_turn("write_file", **first), text_turn("done"), tool_turn("write_file", **second), text_turn("done")
    )
    session_id = await rig.new("Write")
    await rig.ended()
    lane = rig.engine.sessions.get(session_id).lane
    assert lane is not None
    ((_, trash_id, text),) = await delete(rig, lane, with_branch=True)
    assert text == ""
    await rig.engine.handle(RestoreLane(trash_id=trash_id))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Again"))
    assert (await rig.ended(2)).status == "completed"
    folder = Path(lane.worktree_path)
    assert [(folder / f"{name}.txt").read_text() for name in ("first", "second")] == ["first\n", "second\n"]
    assert [event.reason for event in rig.events(CheckpointSkipped)] == []
    assert rig.failures() == []
    assert git(repository, "status", "--porcelain") == ""


async def test_a_lane_of_another_repository_is_left_alone(folders: Folders, repository: Path) -> None:
    (lane,) = with_lanes(folders, repository, "fix")
    other = make_repository(repository.parent / "other")
    rig = await Rig(folders).open(other)
    commands = (
        PlanDelete(lane_ids=(lane.id,)), DeleteLanes(lane_ids=(lane.id,), digest=""), ArchiveLane(lane_id=lane.id),
        UnarchiveLane(lane_id=lane.id), RepairLane(lane_id=lane.id, offer="forget"),
    )  # fmt: skip
    for command in commands:
        await rig.engine.handle(command)
    assert [one.code for one in rig.failures()] == ["unknown_lane"] * 4 + ["no_offer"]
    assert Path(lane.worktree_path).is_dir()
    await rig.engine.stop()
