"""A probe that begins before anything needs it: whoever asks first gets its report, and later ones are made anew."""

import os
from pathlib import Path

import pytest

from desktop.agent.gate.own_sandbox import own_sandbox
from desktop.agent.gate.sandbox import SandboxCommands
from desktop.domain.core.update import Update
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.updates import SandboxReported
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from tests.agent.rig import folders_below

pytestmark = pytest.mark.asyncio
NO_TIER = SandboxOptions(tiers=())


async def test_the_first_to_ask_gets_the_report_made_ahead() -> None:
    seen: list[SandboxReport] = []
    sandbox = Sandbox(os.environ, NO_TIER)
    sandbox.reported.add(seen.append)
    sandbox.probe_ahead()
    assert await sandbox.probe() is seen[0]
    assert len(seen) == 1


async def test_who_only_waits_for_the_sandbox_leaves_the_report_made_ahead() -> None:
    seen: list[SandboxReport] = []
    sandbox = Sandbox(os.environ, NO_TIER)
    sandbox.reported.add(seen.append)
    sandbox.probe_ahead()
    desk = SandboxCommands(sandbox, lambda update: None)
    await desk.ready()
    await sandbox.ready()
    assert await desk.probe() is seen[0], "full auto begins with what was just tried"
    await sandbox.ready()
    assert len(seen) == 1
    assert await desk.probe() is seen[1]


async def test_a_report_made_ahead_counts_also_when_the_probe_is_over() -> None:
    seen: list[SandboxReport] = []
    sandbox = Sandbox(os.environ, NO_TIER)
    sandbox.reported.add(seen.append)
    sandbox.probe_ahead()
    await sandbox.close()
    assert await sandbox.probe() is seen[0]
    assert await sandbox.probe() is not seen[0]
    assert len(seen) == 2


async def test_after_a_launch_failed_the_report_made_ahead_is_void() -> None:
    seen: list[SandboxReport] = []
    sandbox = Sandbox(os.environ, NO_TIER)
    sandbox.reported.add(seen.append)
    sandbox.probe_ahead()
    await sandbox.close()
    sandbox.failed()
    assert await sandbox.probe() is not seen[0]


async def test_a_report_that_is_there_already_is_told(tmp_path: Path) -> None:
    sandbox = Sandbox(os.environ, NO_TIER)
    report = await sandbox.probe()
    told: list[Update] = []
    desk = SandboxCommands(sandbox, told.append)
    assert desk.report is report
    assert told == []
    desk.start()
    desk.start()
    assert told == [SandboxReported(report=report)]


async def test_the_sandbox_of_the_program_hides_its_own_folders(tmp_path: Path) -> None:
    folders = folders_below(tmp_path / "home")
    folders.data.mkdir(parents=True)
    (folders.data / "secret").write_text("s")
    guard = await own_sandbox(folders, tmp_path / "lanes").ready()
    assert folders.data.resolve() in guard.places.all_hidden
    assert list(folders.data.iterdir()) == [folders.data / "secret"]


async def test_a_report_of_the_same_process_spares_the_first_probe_only() -> None:
    found = await Sandbox(os.environ).probe()
    if found.tier == "none":
        pytest.skip("no sandbox works on this machine")
    sandbox = Sandbox(os.environ, SandboxOptions(found=found))
    guard = await sandbox.ready()
    assert (guard.tier, sandbox.report) == (found.tier, found)
    assert (await sandbox.probe()).id != found.id
