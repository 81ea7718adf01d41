"""An engine whose sandbox was tried before the engine was there."""

import os

import pytest

from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.updates import SandboxReported
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from tests.agent.rig import Rig

pytestmark = pytest.mark.asyncio
NO_TIERS = SandboxOptions(tiers=())


async def test_a_probe_that_is_over_before_the_engine_is_made_is_told_once_when_it_starts(folders: Folders) -> None:
    sandbox = Sandbox(os.environ, NO_TIERS)
    sandbox.probe_ahead()
    report = await sandbox.probe()
    rig = Rig(folders, EngineOptions(sandbox=sandbox))
    assert told(rig) == [], "nobody listens before the engine starts"
    await rig.engine.start()
    assert told(rig) == [report]
    await rig.engine.stop()


async def test_a_probe_that_ends_between_the_making_and_the_start_is_told_once(folders: Folders) -> None:
    sandbox = Sandbox(os.environ, NO_TIERS)
    sandbox.probe_ahead()
    rig = Rig(folders, EngineOptions(sandbox=sandbox))
    report = await sandbox.probe()
    await rig.engine.start()
    assert told(rig) == [report]
    await rig.engine.stop()


def told(rig: Rig) -> list[SandboxReport]:
    """The reports that were told, in order."""
    return [update.report for update in rig.updates if isinstance(update, SandboxReported)]
