"""Lanes that git and the record do not agree on: what is told, and what each repair does."""

import os
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.agent.lanes.standing.status import StatusCommands
from desktop.config.folders import Folders
from desktop.domain.core.update import Update
from desktop.domain.lanes.commands import ImportLane, RefreshLanes, RepairLane
from desktop.domain.lanes.lane import Lane, LaneFinding
from desktop.domain.lanes.updates import LanesChanged
from tests.agent.lane_ground import delete, last, listed, record, trash, with_lanes
from tests.agent.rig import Rig, git
from tests.services.lane_place import tree_of

pytestmark = pytest.mark.asyncio


async def found(rig: Rig, lane: Lane, kind: str) -> LaneFinding:
    def find(updates: list[Update]) -> LaneFinding | None:
        told = [update for update in updates if isinstance(update, LanesChanged)]
        findings = told[-1].findings if told else ()
        return next((one for one in findings if one.lane_id == lane.id and one.kind == kind), None)

    return await rig.until(find)


async def repair(rig: Rig, lane: Lane, offer: str, path: str = "") -> None:
    before = len(rig.failures())
    await rig.engine.handle(RepairLane(lane_id=lane.id, offer=offer, path=path))
    assert [one.text for one in rig.failures()[before:]] == []
    await rig.until(lambda updates: not any(one.lane_id == lane.id for one in _newest(updates).findings))


def _newest(updates: list[Update]) -> LanesChanged:
    return next(update for update in reversed(updates) if isinstance(update, LanesChanged))


def files(folder: Path) -> dict[str, bytes]:
    return {path: data for path, data in tree_of(folder).items() if path != ".git"}


@pytest.fixture
def lanes(folders: Folders, repository: Path) -> dict[str, Lane]:
    made = with_lanes(folders, repository, "gone", "moved", "link", "branch", "on", "locked", "forgotten")
    for lane in made:
        (Path(lane.worktree_path) / "new.txt").write_text(f"new in {lane.name}\n")
        git(Path(lane.worktree_path), "add", "new.txt")
    return {lane.name: lane for lane in made}


@pytest_asyncio.fixture
async def rig(folders: Folders, repository: Path, lanes: dict[str, Lane]):
    shutil.rmtree(lanes["gone"].worktree_path)
    Path(lanes["moved"].worktree_path).rename(folders.lanes / "elsewhere")
    (Path(lanes["link"].worktree_path) / ".git").unlink()
    git(repository, "update-ref", "-d", "refs/heads/lane/branch")
    git(Path(lanes["on"].worktree_path), "checkout", "-q", "-b", "other")
    git(repository, "worktree", "lock", "--reason", "on a stick", lanes["locked"].worktree_path)
    shutil.rmtree(repository / ".git" / "worktrees" / "forgotten")
    rig = await Rig(folders).open(repository)
    yield rig
    await rig.engine.stop()


@pytest.mark.promise("lanes-L35")
async def test_every_finding_is_told_and_repaired(rig: Rig, lanes: dict[str, Lane], repository: Path, folders) -> None:
    gone = await found(rig, lanes["gone"], "gone")
    assert gone.text == f"The lane folder is gone: {lanes['gone'].worktree_path}."
    assert (await listed(rig, lanes["gone"].id, "broken")).problem == gone.text
    person = tree_of(repository / ".git" / "refs" / "heads"), git(repository, "status", "--porcelain=v2", "--branch")
    await repair(rig, lanes["gone"], "recreate")
    assert (Path(lanes["gone"].worktree_path) / "new.txt").read_text() == "new in gone\n"
    assert (await listed(rig, lanes["gone"].id, "active")).problem == ""

    assert (await found(rig, lanes["link"], "link")).offers[0] == "restore_link"
    before = files(Path(lanes["link"].worktree_path))
    await repair(rig, lanes["link"], "restore_link")
    assert files(Path(lanes["link"].worktree_path)) == before
    assert git(Path(lanes["link"].worktree_path), "branch", "--show-current").strip() == "lane/link"

    await found(rig, lanes["forgotten"], "link")
    await repair(rig, lanes["forgotten"], "restore_link")
    assert git(Path(lanes["forgotten"].worktree_path), "status", "--porcelain") == "?? new.txt\n"

    await found(rig, lanes["on"], "on_branch")
    await repair(rig, lanes["on"], "follow")
    assert (await listed(rig, lanes["on"].id, "active")).branch == "other"

    assert "on a stick" in (await found(rig, lanes["locked"], "locked")).text
    await repair(rig, lanes["locked"], "unlock")
    assert "\nlocked" not in git(repository, "worktree", "list", "--porcelain")
    assert (
        tree_of(repository / ".git" / "refs" / "heads"),
        git(repository, "status", "--porcelain=v2", "--branch"),
    ) == person

    await found(rig, lanes["branch"], "branch_gone")
    await repair(rig, lanes["branch"], "recreate_branch")
    assert git(Path(lanes["branch"].worktree_path), "status", "--porcelain") == "A  new.txt\n"


async def test_a_folder_that_was_away_for_a_moment_is_missed_when_it_goes_again(
    folders: Folders, repository: Path
) -> None:
    (lane,) = with_lanes(folders, repository, "once")
    aside = folders.lanes / "aside"
    rig = await Rig(folders).open(repository)
    status = next(one for one in rig.engine.parts.themes.attendants if isinstance(one, StatusCommands))
    compared, status._recheck = status._recheck, lambda: None  # the folder is back before it is compared with git

    async def read(*, missed: bool) -> None:
        await rig.engine.handle(RefreshLanes(lane_ids=(lane.id,)))
        await rig.until(lambda _: lane.id in status.statuses and bool(status.statuses[lane.id].problem) is missed)

    await read(missed=False)
    Path(lane.worktree_path).rename(aside)
    await read(missed=True)
    aside.rename(lane.worktree_path)
    await read(missed=False)
    status._recheck = compared
    Path(lane.worktree_path).rename(aside)
    await read(missed=True)
    try:
        await found(rig, lane, "gone")
    finally:
        await rig.engine.stop()


async def test_a_moved_folder_is_located(rig: Rig, lanes: dict[str, Lane], folders: Folders) -> None:
    lane, elsewhere = lanes["moved"], folders.lanes / "elsewhere"
    finding = await found(rig, lane, "gone")
    await rig.engine.handle(RepairLane(lane_id=lane.id, offer="locate", path=str(folders.lanes)))
    assert "is not the folder of this lane" in rig.failures()[-1].text
    assert finding.offers[-2:] == ("locate", "delete")
    await repair(rig, lane, "locate", str(elsewhere))
    now = await listed(rig, lane.id, "active")
    assert now.worktree_path == str(elsewhere)
    assert git(elsewhere, "status", "--porcelain") == "A  new.txt\n"


@pytest.mark.promise("lanes-L36")
async def test_switching_back_is_refused_while_it_could_lose_anything(rig: Rig, lanes: dict[str, Lane]) -> None:
    lane = lanes["on"]
    await found(rig, lane, "on_branch")
    await rig.engine.handle(RepairLane(lane_id=lane.id, offer="switch_back"))
    assert "are changed" in rig.failures()[-1].text
    git(Path(lane.worktree_path), "commit", "-qm", "new")
    await repair(rig, lane, "switch_back")
    assert git(Path(lane.worktree_path), "branch", "--show-current").strip() == "lane/on"
    await rig.engine.handle(RepairLane(lane_id=lane.id, offer="recreate"))
    assert rig.failures()[-1].code == "no_offer"


async def test_a_lane_whose_folder_is_gone_can_be_deleted_and_its_commits_come_back(
    rig: Rig, lanes: dict[str, Lane], repository: Path
) -> None:
    await found(rig, lanes["gone"], "gone")
    ((_, trash_id, text),) = await delete(rig, lanes["gone"], with_branch=True)
    assert (bool(trash_id), text) == (True, "")
    assert lanes["gone"].worktree_path not in git(repository, "worktree", "list")
    assert [one.trash_id for one in (await trash(rig)).lanes] == [trash_id]


async def test_another_repository_in_a_lanes_place_is_never_touched(folders: Folders, repository: Path) -> None:
    (lane,) = with_lanes(folders, repository, "fix")
    folder = Path(lane.worktree_path)
    other = repository.parent / "other"
    shutil.copytree(repository, other)
    (folder / ".git").write_text(f"gitdir: {other / '.git'}\n")
    before = tree_of(other)
    rig = await Rig(folders).open(repository)
    finding = await found(rig, lane, "link")
    results = await delete(rig, lane)
    assert "does not point at its own folder" in results[0][2]
    await repair(rig, lane, finding.offers[0])
    assert tree_of(other) == before
    assert git(folder, "rev-parse", "--show-toplevel").strip() == str(folder)
    await rig.engine.stop()


async def test_a_lane_whose_making_was_cut_off_can_be_finished_or_removed(folders: Folders, repository: Path) -> None:
    made = with_lanes(folders, repository, "one", "two")
    for lane in made:
        git(repository, "worktree", "remove", "--force", lane.worktree_path)
        git(repository, "branch", "-D", lane.branch)
    oid = git(repository, "rev-parse", "HEAD").strip()
    at = datetime(2026, 1, 1, tzinfo=UTC)
    changes = {"state": "creating", "device": 0, "inode": 0, "base_oid": oid, "created_at": at}
    record(folders, *(lane.model_copy(update=changes) for lane in made))
    rig = await Rig(folders).open(repository)
    one, two = made
    assert (await found(rig, one, "interrupted")).offers == ("finish", "take_back")
    await found(rig, two, "interrupted")
    await repair(rig, one, "finish")
    assert (Path(one.worktree_path) / "app.py").is_file()
    await rig.engine.handle(RepairLane(lane_id=two.id, offer="take_back"))
    await rig.until(lambda updates: all(lane.id != two.id for lane in _newest(updates).lanes))
    assert not Path(two.worktree_path).exists()
    assert "lane/two" not in git(repository, "branch", "--list")
    assert rig.failures() == []
    await rig.engine.stop()


async def test_a_worktree_among_the_lanes_that_is_none_is_told_until_it_is_imported(
    folders: Folders, repository: Path
) -> None:
    (one,) = with_lanes(folders, repository, "one")
    stray, outside = folders.lanes / "shop" / "stray", repository.parent / "outside"
    for folder in (stray, outside):
        git(repository, "worktree", "add", "-q", "-b", folder.name, str(folder))
    rig = await Rig(folders).open(repository)
    await rig.until(lambda updates: any(isinstance(u, LanesChanged) and u.unknown for u in updates))
    assert _newest(rig.updates).unknown == (str(stray.resolve()),)
    await rig.engine.handle(ImportLane(lane_id="ln_0123456789ab", path=str(stray)))
    assert rig.failures() == []
    await rig.until(lambda updates: not _newest(updates).unknown)
    assert Path(one.worktree_path).is_dir()
    await rig.engine.stop()


async def test_an_old_lock_is_taken_away_and_a_young_one_is_not(folders: Folders, repository: Path) -> None:
    young, old = with_lanes(folders, repository, "young", "old")
    locks = {lane.name: repository / ".git" / "worktrees" / lane.name / "index.lock" for lane in (young, old)}
    for lock in locks.values():
        lock.write_text("")
    hours_ago = time.time() - 7200
    os.utime(locks["old"], (hours_ago, hours_ago))
    rig = await Rig(folders).open(repository)
    await found(rig, old, "stale_lock")
    assert [one.lane_id for one in last(rig, LanesChanged).findings] == [old.id]
    await repair(rig, old, "unlock")
    assert not locks["old"].exists()
    assert locks["young"].exists()
    await rig.engine.stop()
