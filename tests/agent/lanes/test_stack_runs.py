"""Stack runs, conflicts and merges through the engine, on real repositories; the person's checkout stays as it is."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeVar

import pytest
import pytest_asyncio

from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.lanes.stacks import auto_rebase
from desktop.config.folders import Folders
from desktop.domain.changes.commands import PlanPushes, PushLane
from desktop.domain.changes.updates import LanePushed, PushesPlanned
from desktop.domain.commands import SaveSettings
from desktop.domain.core.update import Update
from desktop.domain.lanes.commands import (
    ContinueOperation,
    LoadBehind,
    LoadConflicts,
    MergeLane,
    PlanMerge,
    RebaseLanes,
    RefreshLanes,
    ReparentLane,
    ResolveConflict,
    UndoStackRun,
)
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import (
    BehindLoaded,
    ConflictsLoaded,
    LaneMerged,
    LaneOperationChanged,
    LanesChanged,
    LaneStatusChanged,
    MergePlanned,
    StackRunChanged,
)
from desktop.services.git.run import INDEX_WAITS_S
from desktop.services.history.branch_move import MOVING_REF
from desktop.services.projects import open_project
from desktop.store.database import open_store
from tests.agent.rig import Rig, folders_below, git, write_settings
from tests.services.merge_place import LINES, Place, make_place

pytestmark = pytest.mark.asyncio

U = TypeVar("U")


class Stack:
    """Lanes a, b and c, each on the one before, each with a commit; main went on. `rig`: an engine over them."""

    def __init__(self, place: Place, folders: Folders) -> None:
        self.place, self.folders = place, folders
        a = place.lane("a")
        place.commit(a.worktree_path, "of a", {"a.txt": "a\n"})
        b = place.lane("b", parent=a)
        place.commit(b.worktree_path, "of b", {"app.py": LINES.replace("two", "b")})
        c = place.lane("c", parent=b)
        place.commit(c.worktree_path, "of c", {"c.txt": "c\n"})
        self.a, self.b, self.c = a, b, c
        store = open_store(folders.store)
        for lane in (a, b, c):
            store.lanes.save(lane)
        store.close()

    def heads(self) -> list[str]:
        return [self.place.oid(lane.branch) for lane in (self.a, self.b, self.c)]


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stack:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    folders = folders_below(tmp_path / "home")
    write_settings(folders, "http://127.0.0.1:9")
    return Stack(make_place(tmp_path), folders)


@pytest_asyncio.fixture
async def rig(stack: Stack) -> AsyncIterator[Rig]:
    rig = await Rig(stack.folders).open(stack.place.root)
    before = stack.place.untouched()
    yield rig
    await rig.engine.stop()
    if (stack.place.root / ".git" / "HEAD").read_text().startswith("ref:"):  # a test may detach it by hand
        assert stack.place.untouched() == before


def last(rig: Rig, kind: type[U]) -> U:
    return [update for update in rig.updates if isinstance(update, kind)][-1]


async def listed(rig: Rig, lane_id: str, true: Callable[[Lane], bool]) -> None:
    """Wait until the newest list of lanes says so."""

    def newest(updates: list[Update]) -> bool:
        lists = [update for update in updates if isinstance(update, LanesChanged)]
        return bool(lists) and any(lane.id == lane_id and true(lane) for lane in lists[-1].lanes)

    await rig.until(newest)


async def test_a_stack_moves_lane_by_lane_and_back_again_after_a_restart(stack: Stack, rig: Rig) -> None:
    place, before = stack.place, stack.heads()
    place.commit(place.lane("other").worktree_path, "later", {"main.txt": "m\n"})
    git(place.root, "update-ref", "refs/remotes/origin/main", place.oid("lane/other"))
    await rig.engine.handle(LoadBehind(lane_id=stack.a.id))
    behind = last(rig, BehindLoaded)
    assert (behind.base, [line[8:] for line in behind.commits], behind.more) == ("origin/main", ["later"], 0)
    await rig.engine.handle(RebaseLanes(lane_id=stack.a.id, with_children=True))
    run = last(rig, StackRunChanged)
    assert (run.state, [lane.state for lane in run.lanes], run.can_undo) == ("completed", ["succeeded"] * 3, True)
    assert place.subjects("lane/c") == ["of c", "of b", "of a", "later", "first"]
    await listed(rig, stack.b.id, lambda lane: lane.base_oid == place.oid("lane/a"))
    await rig.engine.handle(RebaseLanes(lane_id=stack.a.id, with_children=True))
    assert [lane.state for lane in last(rig, StackRunChanged).lanes] == ["skipped"] * 3
    await rig.engine.stop()

    again = await Rig(stack.folders).open(place.root)
    told = await again.until(lambda us: next((u for u in us if isinstance(u, StackRunChanged)), None))
    assert told.state == "completed"
    assert (told.run_id, told.can_undo) == (run.run_id, True)  # the second run moved nothing
    await again.engine.handle(UndoStackRun(run_id=run.run_id))
    assert again.failures() == []
    assert last(again, StackRunChanged).state == "undone"
    assert stack.heads() == before
    await again.engine.handle(UndoStackRun(run_id=run.run_id))
    assert again.failures()[-1].text == "There is no run to undo."
    await again.engine.stop()


async def test_asking_what_a_lane_lacks_lets_its_status_be_read_again(stack: Stack, rig: Rig) -> None:
    def behind(updates: list[Update], wanted: int) -> bool:
        told = (update.statuses for update in updates if isinstance(update, LaneStatusChanged))
        of_a = [status.behind for statuses in told for status in statuses if status.lane_id == stack.a.id]
        return bool(of_a) and of_a[-1] == wanted

    place = stack.place
    await rig.until(lambda updates: behind(updates, 0))
    place.commit(place.lane("other").worktree_path, "later", {"main.txt": "m\n"})
    git(place.root, "update-ref", "refs/remotes/origin/main", place.oid("lane/other"))
    await rig.engine.handle(LoadBehind(lane_id=stack.a.id))
    await rig.until(lambda updates: behind(updates, 1))


async def test_a_conflict_in_the_second_keeps_the_first_and_blocks_the_third_until_it_is_resolved(
    stack: Stack, rig: Rig
) -> None:
    place, before = stack.place, stack.heads()
    other = place.lane("other")
    place.commit(other.worktree_path, "against b", {"app.py": LINES.replace("two", "main's")})
    git(place.root, "update-ref", "refs/remotes/origin/main", place.oid("lane/other"))
    folder = Path(stack.b.worktree_path)
    index = Path(git(folder, "rev-parse", "--absolute-git-dir").strip(), "index").read_bytes()
    await rig.engine.handle(RebaseLanes(lane_id=stack.a.id, with_children=True))
    run = last(rig, StackRunChanged)
    assert (run.state, [lane.state for lane in run.lanes]) == ("failed", ["succeeded", "conflict", "blocked"])
    assert run.lanes[1].conflicts == ("app.py",)
    heads = stack.heads()
    assert heads[0] != before[0]
    assert heads[1:] == before[1:]
    assert git(folder, "status", "--porcelain") == ""
    assert Path(git(folder, "rev-parse", "--absolute-git-dir").strip(), "index").read_bytes() == index

    await rig.engine.handle(RebaseLanes(lane_id=stack.b.id, keep_conflict=True))
    left = last(rig, StackRunChanged)
    assert (left.run_id, [lane.state for lane in left.lanes]) == (run.run_id, ["succeeded", "conflict", "pending"])
    await rig.engine.handle(RebaseLanes(lane_id=stack.b.id))
    assert "A rebase is open in the lane 'b'" in rig.failures()[-1].text
    await rig.engine.handle(LoadConflicts(lane_id=stack.b.id))
    found = last(rig, ConflictsLoaded)
    assert [(file.path, file.resolved) for file in found.files] == [("app.py", False)]
    await rig.engine.handle(ContinueOperation(lane_id=stack.b.id, abort=True))
    assert stack.heads() == heads
    taken_back = last(rig, StackRunChanged)
    assert (taken_back.run_id, [lane.state for lane in taken_back.lanes]) == (
        run.run_id, ["succeeded", "conflict", "blocked"],
    )  # fmt: skip
    await rig.engine.handle(RebaseLanes(lane_id=stack.b.id, keep_conflict=True))
    await rig.engine.handle(ResolveConflict(lane_id=stack.b.id, path="app.py", take="theirs"))
    await rig.engine.handle(ContinueOperation(lane_id=stack.b.id))
    ended = last(rig, LaneOperationChanged)
    assert (ended.text, ended.run_id) == ("The rebase is finished.", run.run_id)
    whole = last(rig, StackRunChanged)
    assert (whole.run_id, whole.state, [lane.state for lane in whole.lanes]) == (
        run.run_id, "completed", ["succeeded"] * 3,
    )  # fmt: skip
    assert place.subjects("lane/c") == ["of c", "of b", "of a", "against b", "first"]
    await rig.engine.handle(UndoStackRun(run_id=run.run_id))
    assert stack.heads() == before
    assert (rig.failures()[1:], last(rig, StackRunChanged).undo) == ([], "")
    await listed(rig, stack.b.id, lambda lane: lane.base_oid == stack.b.base_oid)


async def test_a_run_goes_on_after_a_restart_and_one_undo_takes_all_of_it_back(stack: Stack, rig: Rig) -> None:
    place, before = stack.place, stack.heads()
    place.commit(place.lane("other").worktree_path, "against b", {"app.py": LINES.replace("two", "main's")})
    git(place.root, "update-ref", "refs/remotes/origin/main", place.oid("lane/other"))
    await rig.engine.handle(RebaseLanes(lane_id=stack.a.id, with_children=True))
    await rig.engine.handle(RebaseLanes(lane_id=stack.b.id, keep_conflict=True))
    run = last(rig, StackRunChanged)
    await rig.engine.stop()

    again = await Rig(stack.folders).open(place.root)
    told = await again.until(lambda us: next((u for u in us if isinstance(u, StackRunChanged)), None))
    assert (told.run_id, [lane.state for lane in told.lanes]) == (run.run_id, ["succeeded", "conflict", "pending"])
    await again.engine.handle(RebaseLanes(lane_id=stack.b.id, keep_conflict=True))  # it is open: only told again
    await again.engine.handle(ResolveConflict(lane_id=stack.b.id, path="app.py", take="theirs"))
    loose = Path(stack.c.worktree_path, "loose.txt")
    loose.write_text("x")
    await again.engine.handle(ContinueOperation(lane_id=stack.b.id))
    told = last(again, StackRunChanged)
    assert (told.state, [lane.state for lane in told.lanes]) == ("failed", ["succeeded", "succeeded", "blocked"])
    assert "'c' has changes that are not committed: loose.txt" in told.lanes[2].text
    assert again.failures() == []
    assert stack.heads()[2] == before[2]
    loose.unlink()
    await again.engine.handle(UndoStackRun(run_id=run.run_id))
    assert stack.heads() == before
    await again.engine.stop()


async def test_a_conflict_in_the_first_goes_on_with_what_was_ticked_and_is_undone_as_one(
    stack: Stack, rig: Rig
) -> None:
    place = stack.place
    place.commit(place.lane("other").worktree_path, "against a", {"a.txt": "main's\n"})
    git(place.root, "update-ref", "refs/remotes/origin/main", place.oid("lane/other"))
    before = stack.heads()
    await rig.engine.handle(RebaseLanes(lane_id=stack.a.id, keep_conflict=True, with_children=True))
    run = last(rig, StackRunChanged)
    assert [lane.state for lane in run.lanes] == ["conflict", "pending", "pending"]
    git(Path(stack.a.worktree_path), "rebase", "--abort")  # in a terminal, of which the record knows nothing
    await rig.engine.handle(RebaseLanes(lane_id=stack.a.id, keep_conflict=True))
    await rig.engine.handle(ResolveConflict(lane_id=stack.a.id, path="a.txt", take="theirs"))
    told = len(rig.updates)
    await rig.engine.handle(ContinueOperation(lane_id=stack.a.id))
    steps = [u for u in rig.updates[told:] if isinstance(u, StackRunChanged)]
    assert {step.run_id for step in steps} == {run.run_id}
    assert next([lane.state for lane in step.lanes] for step in steps if step.state == "running") == [
        "succeeded", "pending", "pending",
    ]  # fmt: skip
    assert ([lane.state for lane in steps[-1].lanes], steps[-1].can_undo) == (["succeeded"] * 3, True)
    assert place.subjects("lane/c") == ["of c", "of b", "of a", "against a", "first"]
    await rig.engine.handle(UndoStackRun(run_id=run.run_id))
    assert stack.heads() == before


async def test_a_run_is_undone_although_another_git_works_in_a_lane_for_a_moment(stack: Stack, rig: Rig) -> None:
    place, before = stack.place, stack.heads()
    place.commit(place.lane("other").worktree_path, "later", {"main.txt": "m\n"})
    git(place.root, "update-ref", "refs/remotes/origin/main", place.oid("lane/other"))
    await rig.engine.handle(RebaseLanes(lane_id=stack.a.id))
    run = last(rig, StackRunChanged)
    folder = Path(stack.a.worktree_path)
    lock = Path(git(folder, "rev-parse", "--absolute-git-dir").strip(), "index.lock")
    lock.touch()
    await rig.engine.handle(UndoStackRun(run_id=run.run_id))
    assert rig.failures()[-1].text == (
        f"Another git holds the index.lock of '{folder}', so nothing was done. Try again when it ended."
    )
    undoing = asyncio.create_task(rig.engine.handle(UndoStackRun(run_id=run.run_id)))
    await asyncio.sleep(INDEX_WAITS_S / 4)  # another git is at work
    lock.unlink()
    await undoing
    assert last(rig, StackRunChanged).state == "undone"
    assert stack.heads() == before


async def test_a_move_that_a_crash_cut_off_is_taken_back_at_the_next_start(stack: Stack) -> None:
    place, folder = stack.place, Path(stack.a.worktree_path)
    target = place.oid("lane/b")
    git(folder, "read-tree", "-m", "-u", "HEAD", target)  # the files are moved, the branch is not
    git(folder, "update-ref", MOVING_REF, target)
    assert git(folder, "status", "--porcelain") == "M  app.py\n"
    rig = await Rig(stack.folders).open(place.root)
    async with asyncio.timeout(20):
        while git(folder, "for-each-ref", "refs/worktree"):
            await asyncio.sleep(0.02)
    assert git(folder, "status", "--porcelain") == ""
    assert (folder / "app.py").read_text() == LINES
    await rig.engine.stop()


@pytest.mark.promise("lanes-L38")
async def test_nothing_moves_when_one_lane_of_the_stack_is_not_ready_and_one_run_at_a_time(
    stack: Stack, rig: Rig
) -> None:
    place, before = stack.place, stack.heads()
    other = place.lane("other")
    place.commit(other.worktree_path, "later", {"main.txt": "m\n"})
    git(place.root, "update-ref", "refs/remotes/origin/main", place.oid("lane/other"))
    loose = Path(stack.c.worktree_path, "loose.txt")
    loose.write_text("x")
    await rig.engine.handle(RebaseLanes(lane_id=stack.a.id, with_children=True))
    assert "The lane 'c' has changes that are not committed: loose.txt." in rig.failures()[-1].text
    assert stack.heads() == before
    loose.unlink()
    both = [rig.engine.handle(RebaseLanes(lane_id=lane.id, with_children=True)) for lane in (stack.a, stack.b)]
    await asyncio.gather(*both)
    assert rig.failures()[-1].text == "A stack run is already going on."
    assert last(rig, StackRunChanged).state == "completed"


@pytest.mark.promise("lanes-L42")
async def test_another_parent_is_a_rebase_and_a_conflict_leaves_the_old_one(stack: Stack, rig: Rig) -> None:
    place = stack.place
    await rig.engine.handle(ReparentLane(lane_id=stack.a.id, parent_id=stack.c.id))
    assert "is this lane, or stacks on it" in rig.failures()[-1].text
    await rig.engine.handle(ReparentLane(lane_id=stack.c.id, parent_id=stack.a.id))
    assert place.subjects("lane/c") == ["of c", "of a", "first"]
    await listed(rig, stack.c.id, lambda lane: (lane.parent_id, lane.base_oid) == (stack.a.id, place.oid("lane/a")))
    place.commit(stack.a.worktree_path, "against b", {"app.py": LINES.replace("two", "a")})
    await rig.engine.handle(ReparentLane(lane_id=stack.b.id))
    assert place.subjects("lane/b") == ["of b", "first"]
    await rig.engine.handle(ReparentLane(lane_id=stack.b.id, parent_id=stack.a.id))
    assert last(rig, StackRunChanged).lanes[0].state == "conflict"
    await listed(rig, stack.b.id, lambda lane: lane.parent_id == "")


async def test_a_merge_is_bound_to_its_plan_and_can_be_found_in_the_record(stack: Stack, rig: Rig) -> None:
    place = stack.place
    await rig.engine.handle(PlanMerge(lane_id=stack.b.id))
    assert "open in the lane 'a'" in last(rig, MergePlanned).problem
    await rig.engine.handle(PlanMerge(lane_id=stack.a.id))
    plan = last(rig, MergePlanned)
    assert (plan.base, plan.problem, plan.in_checkout, plan.checkout) == ("main", "", True, "")
    await rig.engine.handle(MergeLane(lane_id=stack.a.id, digest=plan.digest))
    assert "main is open in your checkout" in rig.failures()[-1].text
    place.commit(stack.a.worktree_path, "more", {"more.txt": "m\n"})
    await rig.engine.handle(MergeLane(lane_id=stack.a.id, digest=plan.digest, update_checkout=True))
    assert rig.failures()[-1].code == "changed"
    assert place.subjects("main") == ["first"]
    git(place.root, "checkout", "-q", "--detach")
    detached = place.untouched()
    await rig.engine.handle(PlanMerge(lane_id=stack.a.id, method="squash"))
    plan = last(rig, MergePlanned)
    assert (plan.in_checkout, len(plan.commits), len(plan.files)) == (False, 2, 2)
    await rig.engine.handle(MergeLane(lane_id=stack.a.id, digest=plan.digest, method="squash"))
    merged = last(rig, LaneMerged)
    assert merged.oid == place.oid("main")
    assert place.oid("main^{tree}") == plan.tree
    assert place.untouched() == detached
    await rig.engine.stop()
    store = open_store(stack.folders.store)
    project = await open_project(place.root)
    ends = [end for _, end in ProjectLog(store.events, lambda: project).history("merge")]
    store.close()
    assert [end.status for end in ends if end is not None] == ["failed", "done"]
    assert (ends[-1].result["oid"], ends[-1].result["base"]) == (merged.oid, "main")


async def test_branches_are_pushed_after_a_run_as_they_were_seen_and_the_base_only_forward(stack: Stack) -> None:
    place, remote = stack.place, stack.place.root.parent / "remote.git"
    git(remote.parent, "clone", "-q", "--bare", str(place.root), remote.name)
    git(place.root, "remote", "add", "origin", str(remote))
    git(place.root, "fetch", "-q", "origin")
    git(remote, "branch", "-D", "lane/c")
    git(place.root, "update-ref", "-d", "refs/remotes/origin/lane/c")
    place.commit(place.lane("other").worktree_path, "later", {"main.txt": "m\n"})
    git(place.root, "update-ref", "refs/heads/later", place.oid("lane/other"))
    rig = await Rig(stack.folders).open(place.root)
    lanes, heads = (stack.a.id, stack.b.id, stack.c.id), stack.heads()
    await rig.engine.handle(RebaseLanes(lane_id=stack.a.id, with_children=True, onto="later"))
    await rig.engine.handle(PlanPushes(lane_ids=(*lanes, "ln_gone")))
    planned = last(rig, PushesPlanned).pushes
    assert [(one.branch, one.known, one.replaced) for one in planned[:3]] == [
        ("lane/a", True, 1), ("lane/b", True, 2), ("lane/c", False, 0),
    ]  # fmt: skip
    assert (planned[3].problem, planned[3].digest) == ("This lane does not exist any more.", "")
    place.commit(stack.b.worktree_path, "unseen", {"b.txt": "b\n"})
    for one in planned[:3]:
        await rig.engine.handle(PushLane(lane_id=one.lane_id, force=one.replaced > 0, digest=one.digest))
    assert [failed.code for failed in rig.failures()] == ["changed"]
    assert git(remote, "rev-parse", "lane/a").strip() == place.oid("lane/a") != heads[0]
    assert git(remote, "rev-parse", "lane/b").strip() == heads[1]
    assert git(remote, "rev-parse", "lane/c").strip() == stack.heads()[2]

    config = (place.root / ".git" / "config").read_bytes()
    git(place.root, "update-ref", "refs/heads/main", place.oid("lane/a"))
    await rig.engine.handle(PlanPushes(lane_ids=(stack.a.id,), branch="main"))
    (base,) = last(rig, PushesPlanned).pushes
    assert (base.branch, base.commits, base.replaced, base.needed) == ("main", 2, 0, True)
    await rig.engine.handle(PushLane(lane_id=stack.a.id, branch="main", digest=base.digest))
    assert last(rig, LanePushed).branch == "main"
    assert git(remote, "rev-parse", "main").strip() == place.oid("main")
    assert (place.root / ".git" / "config").read_bytes() == config
    await rig.engine.stop()


@pytest.mark.promise("lanes-L43")
async def test_a_clean_lane_follows_its_base_by_itself_once_that_is_switched_on(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auto_rebase, "DELAY_S", 0.2)
    place = stack.place
    git(place.root, "update-ref", "refs/remotes/origin/main", place.oid("main"))
    rig = await Rig(stack.folders).open(place.root)
    settings = rig.engine.settings.current.model_copy(update={"auto_rebase": True})
    await rig.engine.handle(SaveSettings(settings=settings))
    await rig.until(lambda us: {s.lane_id for u in us if isinstance(u, LaneStatusChanged) for s in u.statuses} == {
        stack.a.id, stack.b.id, stack.c.id
    })  # fmt: skip
    loose = Path(stack.b.worktree_path, "loose.txt")
    loose.write_text("x")
    place.commit(place.lane("other").worktree_path, "later", {"main.txt": "m\n"})
    git(place.root, "update-ref", "refs/remotes/origin/main", place.oid("lane/other"))
    await rig.engine.handle(RefreshLanes(lane_ids=(stack.a.id, stack.b.id, stack.c.id)))
    run = await rig.until(
        lambda us: next((u for u in us if isinstance(u, StackRunChanged) and u.state == "completed"), None)
    )
    assert [(lane.lane_id, lane.state) for lane in run.lanes] == [(stack.a.id, "succeeded")]
    assert place.subjects("lane/a") == ["of a", "later", "first"]
    assert place.subjects("lane/b") == ["of b", "of a", "first"]  # it has work that is not committed
    loose.unlink()
    await rig.engine.handle(RefreshLanes(lane_ids=(stack.b.id,)))
    await rig.until(lambda us: place.subjects("lane/b") == ["of b", "of a", "later", "first"])
    await rig.engine.stop()
    store = open_store(stack.folders.store)
    project = await open_project(place.root)
    begun = [start for start, _ in ProjectLog(store.events, lambda: project).history("rebase")]
    store.close()
    assert {start.by for start in begun} == {"system"}
