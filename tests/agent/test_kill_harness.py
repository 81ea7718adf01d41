"""An engine that is killed at random moments, again and again, loses nothing it said and does nothing twice.

Six deaths at moments that are drawn anew in each run of the tests; `python -m tests.bench.bench_kill 500` dies as often
as one says.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.domain.commands import ContinueTurn, SendMessage
from desktop.domain.events import TurnEnded
from desktop.domain.history.builder import to_messages
from tests.agent.kill_child import SaysYes
from tests.agent.kill_harness import KillHarness, Nursery
from tests.fakes.fake_model_api import FakeModelApi
from tests.validity import faults

pytestmark = pytest.mark.asyncio

DEATHS = 2


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close()


@pytest.mark.parametrize("life", range(3))
async def test_after_every_death_all_that_was_told_is_there_and_the_chat_goes_on(
    tmp_path: Path, model_api: FakeModelApi, nursery: Nursery, life: int
) -> None:
    harness = KillHarness(tmp_path, model_api, nursery)
    await asyncio.to_thread(harness.rounds, DEATHS)
    rig = SaysYes(harness.home)
    await rig.open(harness.repository)
    try:
        session = rig.engine.sessions.get(harness.session_id)
        ended = len(rig.events(TurnEnded))
        if session.state.interrupted:
            await rig.engine.handle(ContinueTurn(session_id=harness.session_id))
        else:
            await rig.engine.handle(SendMessage(session_id=harness.session_id, text="the last one"))
        assert (await rig.ended(ended + 1)).status == "completed", rig.events(TurnEnded)
        assert not rig.failures()
        assert not faults(to_messages(session.log))
        harness.check_marks(rig.lane(harness.session_id))
    finally:
        await rig.engine.stop()
    assert harness.check() > 0
