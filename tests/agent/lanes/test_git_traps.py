"""Nothing that a repository or our environment configures runs, whatever is done with lanes."""

import subprocess
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.changes.commands import CommitChanges, LoadDiff, LoadLaneChanges, PushLane
from desktop.domain.changes.updates import ChangesCommitted, DiffLoaded, LaneChangesLoaded, LanePushed
from desktop.domain.changes.values import ChangeScope, Picked
from desktop.domain.lanes.commands import (
    ArchiveLane,
    DeleteLanes,
    LoadLaneBases,
    LoadTrash,
    LoadWorktrees,
    MergeLane,
    PlanDelete,
    PlanMerge,
    RebaseLanes,
    RefreshLanes,
    RestoreLane,
    UnarchiveLane,
)
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import (
    DeletePlanned,
    LaneBasesListed,
    LaneMerged,
    LanesDeleted,
    LaneStatusChanged,
    MergePlanned,
    StackRunChanged,
    TrashListed,
)
from tests.agent.rig import GIT_ENVIRONMENT, Rig
from tests.agent.trapped import Lanes, checkout, trapped
from tests.services.git_traps import Traps, without_traps

pytestmark = pytest.mark.asyncio


async def test_traps_are_sprung_by_plain_git(tmp_path: Path, repository: Path) -> None:
    traps = Traps(tmp_path)
    traps.plant(repository)
    (repository / "app.py").write_text("changed\n")
    (repository / "data.txt").write_text("changed\n")
    plain(repository, "status", "diff -- app.py", "add app.py", "add data.txt")
    assert {"fsmonitor", "command", "clean", "process"} <= {line.split()[0] for line in traps.fired()}
    plain(repository, "config filter.slow.required false", "config --unset filter.slow.process")
    plain(repository, "config core.fsmonitor false", "commit -m x", "checkout -b y")
    sprung = {line.split()[0] for line in traps.fired()}
    assert {"hook-pre-commit", "gpg", "hook-post-checkout", "module-fsmonitor"} <= sprung


def plain(folder: Path, *lines: str) -> None:
    """Git as anybody calls it, whatever comes of it."""
    for line in lines:
        subprocess.run(["git", *line.split()], cwd=folder, env=GIT_ENVIRONMENT, capture_output=True, timeout=20)


async def test_no_trap_is_sprung_by_anything_that_is_done_with_lanes(
    tmp_path: Path, folders: Folders, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    traps = trapped(tmp_path, repository, monkeypatch)
    kept = checkout(repository)
    rig = await Rig(folders).open(repository)
    try:
        lanes = Lanes(rig, traps)
        one, two = await lanes.make("one"), await lanes.make("two")
        await work(lanes, one, two)
        await lanes.do(LoadLaneBases(), LaneBasesListed)
        await rig.engine.handle(LoadWorktrees())
        merged = await bring_together(lanes, one, two)
        await ends(lanes, one, two)
        assert checkout(repository) == kept
        assert without_traps(repository, "cat-file", "blob", f"{merged}:app.py").splitlines()[0] == "mine"
    finally:
        await rig.engine.stop()
    assert traps.fired() == []


async def work(lanes: Lanes, one: Lane, two: Lane) -> None:
    """Edits, status, lists and diffs of changes, a commit."""
    for lane, words in ((one, "mine\n"), (two, "yours\n")):
        for name in ("app.py", "data.txt", "part.inc", "new.py"):
            (Path(lane.worktree_path) / name).write_text(words)
    status = await lanes.do(RefreshLanes(lane_ids=(one.id,)), LaneStatusChanged)
    assert status.statuses[0].problem == ""
    uncommitted = ChangeScope(kind="uncommitted")
    for scope in (uncommitted, ChangeScope(kind="lane")):
        changes = await lanes.do(LoadLaneChanges(lane_id=one.id, scope=scope), LaneChangesLoaded)
        assert {file.path for file in changes.files} == {"app.py", "data.txt", "new.py", "part.inc"}
    picked = []
    for file in changes.files:
        diff = await lanes.do(LoadDiff(lane_id=one.id, scope=uncommitted, path=file.path), DiffLoaded)
        picked.append(Picked(path=file.path, base_sha256=diff.diff.base_sha256, sha256=diff.diff.sha256))
    made = await lanes.do(
        CommitChanges(lane_id=one.id, message="Mine", picked=tuple(picked), head=changes.head), ChangesCommitted
    )
    assert made.files == 4


async def bring_together(lanes: Lanes, one: Lane, two: Lane) -> str:
    """Pushing, rebasing, merging in memory; the merged commit."""
    await lanes.do(PushLane(lane_id=one.id), LanePushed)
    root = lanes.rig.engine.project
    assert root is not None
    without_traps(Path(root.path), "branch", "target", "main")
    record = lanes.lane(one.id).model_copy(update={"base_ref": "target"})
    lanes.rig.engine.parts.base.ground.lanes.save(record)
    tip = without_traps(Path(one.worktree_path), "commit-tree", "main^{tree}", "-p", "main", "-m", "later").strip()
    without_traps(Path(root.path), "update-ref", "refs/heads/target", tip)
    await lanes.do(RebaseLanes(lane_id=one.id), StackRunChanged)
    run = await lanes.rig.until(
        lambda updates: next((u for u in updates if isinstance(u, StackRunChanged) and u.state != "running"), None)
    )
    assert [lane.state for lane in run.lanes] == ["succeeded"], run
    plan = await lanes.do(PlanMerge(lane_id=one.id), MergePlanned)
    assert plan.problem == ""
    return (await lanes.do(MergeLane(lane_id=one.id, digest=plan.digest), LaneMerged)).oid


async def ends(lanes: Lanes, one: Lane, two: Lane) -> None:
    """Archiving with and without the folder, deleting, restoring."""
    await lanes.rig.engine.handle(ArchiveLane(lane_id=one.id, free_disk=True))
    lanes.quiet("archive")
    await lanes.rig.engine.handle(UnarchiveLane(lane_id=one.id))
    lanes.quiet("unarchive")
    plan = await lanes.do(PlanDelete(lane_ids=(two.id,)), DeletePlanned)
    deleted = await lanes.do(DeleteLanes(lane_ids=(two.id,), digest=plan.digest, typed=plan.typed), LanesDeleted)
    assert deleted.results[0][2] == ""
    trash = await lanes.do(LoadTrash(), TrashListed)
    await lanes.rig.engine.handle(RestoreLane(trash_id=trash.lanes[0].trash_id))
    lanes.quiet("restore")
    assert (Path(two.worktree_path) / "new.py").read_text() == "yours\n"
