"""How many commits a step takes, and in what order its events stand in them."""

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Envelope
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


async def test_a_step_with_a_call_takes_four_commits(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    ticks = itertools.count()
    rig = Rig(folders, clock=lambda: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(milliseconds=next(ticks)))
    await rig.open(repository)
    model_api.script(tool_turn("bash", command="touch x"), tool_turn("bash", command="touch y"), text_turn("done"))
    await rig.new("Touch", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    await rig.engine.stop()
    told = [update for update in rig.updates if isinstance(update, Envelope)]
    commits = [tuple(e.kind for e in together) for _, together in itertools.groupby(told, lambda e: e.at)]
    second = [n for n, kinds in enumerate(commits) if kinds == ("assistant_message",)][1]
    assert commits[second : second + 5] == [
        ("assistant_message",),
        ("tool_call_decided",),
        ("checkpoint_made", "tool_call_started"),
        ("evidence_recorded", "tool_call_finished", "input_requested"),
        ("assistant_message",),
    ]
