"""Stack runs, conflicts and merges through the engine, on real repositories; the person's checkout stays as it is."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypeVar

import pytest
import pytest_asyncio

from desktop.config.folders import Folders
from desktop.domain.lane import Lane
from desktop.domain.lane_commands import (
    ContinueOperation,
    LoadConflicts,
    MergeLane,
    PlanMerge,
    RebaseLanes,
    ReparentLane,
    ResolveConflict,
    UndoStackRun,
)
from desktop.domain.lane_updates import (
    ConflictsLoaded,
    LaneMerged,
    LaneOperationChanged,
    LanesChanged,
    MergePlanned,
    StackRunChanged,
)
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
    assert stack.place.untouched() == before or getattr(rig, "checkout_moved", False)


def last(rig: Rig, kind: type[U]) -> U:
    return [update for update in rig.updates if isinstance(update, kind)][-1]




async def test_a_stack_moves_lane_by_lane_and_back_again_after_a_restart(stack: Stack, rig: Rig) -> None:
    place, before = stack.place, stack.heads()
    place.commit(place.lane("other").worktree_path, "later", {"main.txt": "m\n"})
    git(place.root, "update-ref", "refs/remotes/origin/main", place.oid("lane/other"))
    await rig.engine.handle(RebaseLanes(lane_id=stack.a.id, with_children=True))
    run = last(rig, StackRunChanged)
    assert (run.state, [lane.state for lane in run.lanes], run.can_undo) == ("completed", ["succeeded"] * 3, True)
    assert place.subjects("lane/c") == ["of c", "of b", "of a", "later", "first"]
    lanes = {lane.id: lane for lane in last(rig, LanesChanged).lanes}
    assert lanes[stack.b.id].base_oid == place.oid("lane/a")
    await rig.engine.handle(RebaseLanes(lane_id=stack.a.id, with_children=True))
    assert [lane.state for lane in last(rig, StackRunChanged).lanes] == ["skipped"] * 3
    await rig.engine.stop()

    again = await Rig(stack.folders).open(place.root)
    told = await again.until(lambda us: next((u for u in us if isinstance(u, StackRunChanged)), None))
    assert told.state == "completed"
    await again.engine.handle(UndoStackRun(run_id=run.run_id))
    assert again.failures() == []
    assert last(again, StackRunChanged).state == "undone"
    assert stack.heads() == before
    await again.engine.handle(UndoStackRun(run_id=run.run_id))
    assert again.failures()[-1].text == "There is no run to undo."
    await again.engine.stop()
