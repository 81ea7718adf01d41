"""Files that a setup made and git does not ignore: they are told as the setup's, and stand against nothing."""

import os
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.changes.commands import LoadLaneChanges
from desktop.domain.changes.updates import LaneChangesLoaded
from desktop.domain.chats.queue_events import MessageQueued
from desktop.domain.core.update import Update
from desktop.domain.lanes.commands import (
    BringBack,
    PlanDelete,
    RebaseLanes,
    RefreshLanes,
    RunSetup,
    SkipSetupWait,
    SwitchLaneBranch,
    TryInCheckout,
)
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import DeletePlanned, StackRunChanged
from tests.agent.lane_ground import with_lanes
from tests.agent.lanes.test_lane_setup import lane_file, lane_of, reached, trust
from tests.agent.lanes.test_status import told
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn

pytestmark = pytest.mark.asyncio

MADE = "gen/made.txt"


async def set_up(folders: Folders, repository: Path) -> tuple[Rig, list[Lane]]:
    """Two lanes whose setup made the same file, and a commit on their base."""
    lane_file(repository, '[setup]\ncommand = "mkdir -p gen; echo made > gen/made.txt"\n')
    lanes = list(with_lanes(folders, repository, "one", "two"))
    rig = await Rig(folders).open(repository)
    await trust(rig)
    ready = []
    for lane in lanes:
        await rig.engine.handle(RunSetup(lane_id=lane.id))
        ready.append(await reached(rig, lane.id, "ready"))
    return rig, ready


def run_of(updates: list[Update]) -> StackRunChanged:
    return [update for update in updates if isinstance(update, StackRunChanged)][-1]


def branch_of(lane: Lane) -> str:
    """Where the lane stands, by git."""
    return git(Path(lane.worktree_path), "branch", "--show-current").strip()


def goes_on(repository: Path, name: str) -> None:
    """The base gets a commit with this file."""
    (repository / name).parent.mkdir(exist_ok=True)
    (repository / name).write_text("base\n")
    git(repository, "add", name)
    git(repository, "commit", "-q", "-m", f"add {name}")


async def test_what_the_setup_made_is_no_overlap_and_stands_not_against_an_update(
    folders: Folders, repository: Path
) -> None:
    rig, (one, two) = await set_up(folders, repository)
    both = [Path(lane.worktree_path, "both.txt") for lane in (one, two)]
    for place in both:
        place.write_text(str(place))
    await rig.engine.handle(RefreshLanes(lane_ids=(one.id, two.id)))
    status = await told(rig, one, lambda known: known.by_setup == 1 and bool(known.overlaps))
    assert (status.untracked, status.changed_files, status.overlaps[0].files) == (1, 1, ("both.txt",))
    for place in both:
        place.unlink()
    await rig.engine.handle(RefreshLanes(lane_ids=(one.id,)))
    status = await told(rig, one, lambda known: not known.untracked)
    assert (status.dirty, status.by_setup, status.changed_files) == (False, 1, 0)
    goes_on(repository, "later.txt")
    await rig.engine.handle(RebaseLanes(lane_id=one.id))
    assert rig.failures() == []
    assert run_of(rig.updates).state == "completed"
    folder = Path(one.worktree_path)
    assert ((folder / MADE).read_text(), (folder / "later.txt").read_text()) == ("made\n", "base\n")

    await rig.engine.handle(LoadLaneChanges(lane_id=one.id))
    files = [update for update in rig.updates if isinstance(update, LaneChangesLoaded)][-1].files
    assert [(file.path, file.status, file.by_setup) for file in files] == [(MADE, "untracked", True)]
    await rig.engine.handle(PlanDelete(lane_ids=(one.id,)))
    planned = [update for update in rig.updates if isinstance(update, DeletePlanned)][-1]
    assert MADE in str(planned.losses[0].files)
    await rig.engine.stop()


async def test_once_changed_it_counts_as_any_other_and_is_named_as_the_setups(
    folders: Folders, repository: Path
) -> None:
    rig, (one, _two) = await set_up(folders, repository)
    place = Path(one.worktree_path, MADE)
    found = place.stat()
    place.write_text("mine\n")
    os.utime(place, ns=(found.st_atime_ns, found.st_mtime_ns))  # of the same size and time as before
    await rig.engine.handle(RefreshLanes(lane_ids=(one.id,)))
    status = await told(rig, one, lambda known: known.untracked == 1)
    assert (status.dirty, status.by_setup) == (True, 0)
    goes_on(repository, "later.txt")
    await rig.engine.handle(RebaseLanes(lane_id=one.id))
    assert "not committed: gen/made.txt (made by setup, changed since). Commit them" in rig.failures()[-1].text
    await rig.engine.handle(LoadLaneChanges(lane_id=one.id))
    files = [update for update in rig.updates if isinstance(update, LaneChangesLoaded)][-1].files
    assert [(file.path, file.by_setup) for file in files] == [(MADE, False)]
    await rig.engine.handle(RunSetup(lane_id=one.id))
    again = await reached(rig, one.id, "ready")
    assert (place.read_text(), again.setup_files) == ("made\n", ())  # it was a person's by then
    await rig.engine.stop()


async def test_it_is_never_overwritten_by_a_commit_of_the_base_that_has_such_a_file(
    folders: Folders, repository: Path
) -> None:
    rig, (one, _two) = await set_up(folders, repository)
    head = git(Path(one.worktree_path), "rev-parse", "HEAD")
    goes_on(repository, MADE)
    await rig.engine.handle(RebaseLanes(lane_id=one.id))
    (lane,) = run_of(rig.updates).lanes
    assert (lane.state, "are in the way: gen/made.txt" in lane.text) == ("blocked", True)
    assert Path(one.worktree_path, MADE).read_text() == "made\n"
    assert git(Path(one.worktree_path), "rev-parse", "HEAD") == head
    await rig.engine.stop()


async def test_it_keeps_no_lane_from_another_branch_until_it_is_changed_or_in_the_way(
    folders: Folders, repository: Path
) -> None:
    rig, (one, _two) = await set_up(folders, repository)
    git(repository, "branch", "free")
    git(repository, "checkout", "-q", "-b", "holds-it")
    goes_on(repository, MADE)
    git(repository, "checkout", "-q", "-")
    place = Path(one.worktree_path, MADE)
    await rig.engine.handle(SwitchLaneBranch(lane_id=one.id, branch="holds-it"))
    assert MADE in rig.failures()[-1].text
    assert (place.read_text(), branch_of(one)) == ("made\n", one.branch)
    await rig.engine.handle(SwitchLaneBranch(lane_id=one.id, branch="free"))
    assert (place.read_text(), branch_of(one)) == ("made\n", "free")
    place.write_text("mine\n")
    await rig.engine.handle(SwitchLaneBranch(lane_id=one.id, branch=one.branch))
    assert "1 file in this lane is not committed" in rig.failures()[-1].text
    await rig.engine.stop()


async def test_a_lane_with_it_can_be_shown_in_the_checkout_and_brought_back(folders: Folders, repository: Path) -> None:
    rig, (one, _two) = await set_up(folders, repository)
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "all of it")
    await rig.engine.handle(TryInCheckout(lane_id=one.id))
    assert (repository / MADE).read_text() == "made\n"
    await rig.engine.handle(BringBack())
    assert rig.failures() == []
    assert not (repository / MADE).exists()
    await rig.engine.handle(RefreshLanes(lane_ids=(one.id,)))
    status = await told(rig, one, lambda known: known.by_setup == 1)
    assert not status.dirty
    await rig.engine.stop()


async def test_a_file_that_was_there_before_the_setup_is_not_the_setups(folders: Folders, repository: Path) -> None:
    rig, (one, _two) = await set_up(folders, repository)
    Path(one.worktree_path, "mine.txt").write_text("mine")
    await rig.engine.handle(RunSetup(lane_id=one.id))
    again = await reached(rig, one.id, "ready")
    assert [file.path for file in again.setup_files] == [MADE]
    await rig.engine.handle(RebaseLanes(lane_id=one.id))
    assert "not committed: mine.txt. Commit them" in rig.failures()[-1].text
    await rig.engine.stop()


async def test_nothing_is_taken_for_the_setups_where_a_turn_worked_beside_it(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    lane_file(repository, '[setup]\ncommand = "until [ -e go ]; do sleep 0.02; done"\n')
    await trust(rig)
    model_api.script(text_turn("done"))
    session_id = await rig.new("now please")
    lane = lane_of(rig, session_id)
    await reached(rig, lane.id, "running")
    await rig.until(lambda updates: bool(rig.events(MessageQueued)))
    await rig.engine.handle(SkipSetupWait(session_id=session_id))
    await rig.ended()
    Path(lane.worktree_path, "go").touch()
    assert (await reached(rig, lane.id, "ready")).setup_files == ()
