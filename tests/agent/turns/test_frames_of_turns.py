"""While a turn goes on a sandbox stands ready for its next command, and none when it is over."""

import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.domain.commands import Interrupt
from desktop.domain.events import ToolCallFinished
from desktop.domain.gate.pending import Answer
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.services.processes.tier_sandbox import sandbox_in

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is a part of Linux"),
]


@pytest_asyncio.fixture
async def confined(folders: Folders, repository: Path) -> AsyncIterator[Rig]:
    sandbox = await sandbox_in("bwrap")
    rig = await Rig(folders, EngineOptions(sandbox=sandbox)).open(repository)
    yield rig
    await rig.engine.stop()


def frames() -> list[int]:
    found = []
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):
            found += [child.pid] if "bwrap" in child.name() else []
    return found


async def test_a_frame_stands_ready_while_a_turn_goes_on_and_none_when_it_is_over(
    confined: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch made"), text_turn("done"))
    session_id = await confined.new("Do")
    asked = await confined.asked()
    (waiting,) = await confined.until(lambda updates: frames())
    await confined.answer(session_id, asked, Answer(outcome="allow_once"))
    await confined.until(lambda updates: confined.events(ToolCallFinished))
    assert (confined.lane(session_id) / "made").exists()
    await confined.until(lambda updates: waiting not in frames())
    await confined.ended()
    assert frames() == []


async def test_none_is_left_of_a_turn_that_is_stopped(confined: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch made"))
    session_id = await confined.new("Do")
    await confined.asked()
    await confined.until(lambda updates: frames())
    await confined.engine.handle(Interrupt(session_id=session_id))
    await confined.ended()
    assert frames() == []
