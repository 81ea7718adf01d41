"""Rules for one lane go with the work that they were made for."""

from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.commands import SaveRule
from desktop.domain.gate.rules import Rule
from desktop.domain.lanes.commands import ArchiveLane, MergeLane, PlanMerge, UnarchiveLane
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LaneMerged, MergePlanned
from desktop.domain.updates import RulesListed
from tests.agent.lane_ground import last, listed, with_lanes
from tests.agent.rig import Rig, git

pytestmark = pytest.mark.asyncio


async def allowed(rig: Rig, *lanes: Lane) -> None:
    """A rule of the project for each of these lanes."""
    for lane in lanes:
        rule = Rule(
            id="", decision="allow", kind="command", scope="project", tokens=("make", "test"), lane=lane.id,
            created_by="settings",
        )  # fmt: skip
        await rig.engine.handle(SaveRule(rule=rule))
    assert rig.failures() == []


async def lanes_with_rules(rig: Rig) -> list[str]:
    """The lanes that rules speak of now."""
    await rig.engine.parts.chats.gate.rules.list()
    return sorted(state.rule.lane for file in last(rig, RulesListed).files for state in file.rules)


async def test_an_archived_lane_comes_back_without_its_rules(folders: Folders, repository: Path) -> None:
    done, open_ = with_lanes(folders, repository, "done", "open")
    rig = await Rig(folders).open(repository)
    await allowed(rig, done, open_)
    assert await lanes_with_rules(rig) == sorted([done.id, open_.id])
    await rig.engine.handle(ArchiveLane(lane_id=done.id))
    await listed(rig, done.id, "archived")
    assert await lanes_with_rules(rig) == [open_.id]
    await rig.engine.handle(UnarchiveLane(lane_id=done.id))
    await listed(rig, done.id, "active")
    assert await lanes_with_rules(rig) == [open_.id]
    await rig.engine.stop()


async def test_a_merged_lane_keeps_no_rule_although_it_stays(folders: Folders, repository: Path) -> None:
    done, open_ = with_lanes(folders, repository, "done", "open")
    folder = Path(done.worktree_path)
    (folder / "new.txt").write_text("new\n")
    git(folder, "add", "new.txt")
    git(folder, "commit", "-qm", "new")
    rig = await Rig(folders).open(repository)
    await allowed(rig, done, open_)
    await rig.engine.handle(PlanMerge(lane_id=done.id))
    await rig.engine.handle(MergeLane(lane_id=done.id, digest=last(rig, MergePlanned).digest, update_checkout=True))
    assert last(rig, LaneMerged).lane_id == done.id
    assert await lanes_with_rules(rig) == [open_.id]
    await rig.engine.stop()
