"""After a restart rounds are looked at again, but nothing is launched or merged before a person says so."""

import asyncio
from pathlib import Path

import pytest

from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.domain.commands import OpenProject
from desktop.domain.core.ids import new_session_id
from desktop.domain.rounds import commands as c
from desktop.domain.rounds.items import LaunchChoice, PipelineSettings
from desktop.domain.rounds.updates import InventoryChanged, ResolutionPreview, RoundChanged
from tests.agent.pr_rig import AT_ONCE, Clock, PullRig, pull_rig, signed_in
from tests.agent.rig import Rig, folders_below
from tests.fakes.fake_model_api import FakeModelApi, text_turn
from tests.fakes.github.stand_in import FakeGitHub

pytestmark = pytest.mark.asyncio
pytest_plugins = ("tests.fakes.github.plugin",)


async def begun(github: FakeGitHub, model_api: FakeModelApi, folders: Folders, tmp_path: Path) -> PullRig:
    """An engine with a round under way, which goes on by itself."""
    made = await pull_rig(github, folders, tmp_path, model_api.url)
    head = made.publish()
    made.repo.open_pull(made.lane.branch)
    made.repo.workflow(head, jobs={"unit": "failure"})
    await made.look()
    await made.send(c.SetPipeline(lane_id=made.lane.id, settings=PipelineSettings(auto_round=True, auto_merge=True)))
    seen = await made.answer(c.PreviewResolution(lane_id=made.lane.id, choice=LaunchChoice()), ResolutionPreview)
    launch = c.LaunchResolution(
        lane_id=made.lane.id, session_id=new_session_id(), digest=seen.digest, choice=seen.choice
    )
    assert await made.send(launch) == []
    return made


async def again(made: PullRig, folders: Folders, tmp_path: Path) -> PullRig:
    """The next process."""
    clock = Clock()
    rig = Rig(folders, EngineOptions(github_pace=AT_ONCE), clock.now)
    await rig.engine.start()
    await rig.engine.handle(OpenProject(path=str(tmp_path / "shop")))
    await signed_in(rig, made.github)
    return PullRig(rig, made.github, made.repo, made.lane, clock)


def shown(made: PullRig) -> RoundChanged:
    """What was told of the rounds last."""
    return next(update for update in reversed(made.rig.updates) if isinstance(update, RoundChanged))


@pytest.mark.promise("lanes-P25")
async def test_polling_goes_on_and_nothing_is_launched_by_itself(
    github: FakeGitHub, model_api: FakeModelApi, tmp_path: Path
) -> None:
    folders = folders_below(tmp_path / "home")
    model_api.script(text_turn("done"))
    first = await begun(github, model_api, folders, tmp_path)
    await first.rig.until(lambda _updates: shown(first).run.state == "polling")
    await first.rig.engine.stop()
    second = await again(first, folders, tmp_path)
    rounds = second.rig.engine.parts.reviews.rounds.rounds
    assert second.lane.id in rounds._timers, "polling goes on"
    await rounds.poll(second.lane.id)
    await rounds.poll(second.lane.id)
    assert (shown(second).run.state, shown(second).run.reason) == ("paused", "Banksman was started again")
    assert len(model_api.requests) == 1
    await second.rig.engine.stop()


async def test_a_round_that_was_cut_off_is_paused_and_keeps_its_items(
    github: FakeGitHub, model_api: FakeModelApi, tmp_path: Path
) -> None:
    folders = folders_below(tmp_path / "home")
    model_api.script(text_turn("slow", delay_s=30.0))
    first = await begun(github, model_api, folders, tmp_path)
    await asyncio.to_thread(model_api.wait_for_requests, 1)
    await first.rig.engine.stop()
    second = await again(first, folders, tmp_path)
    await second.send(c.LoadInventory(lane_id=second.lane.id))
    assert shown(second).run.state == "paused"
    assert shown(second).run.reason.startswith("Banksman was closed during the round.")
    told = next(update for update in reversed(second.rig.updates) if isinstance(update, InventoryChanged))
    assert [item.state for item in told.items] == ["sent_to_agent"]
    assert second.lane.id not in second.rig.engine.parts.reviews.rounds.rounds._timers
    await second.rig.engine.stop()
