"""Without a window nobody looks at the list of lanes, so no Git runs for it."""

from pathlib import Path

import pytest

from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.lanes.commands import RefreshLanes
from desktop.domain.lanes.updates import LaneStatusChanged
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn

pytestmark = pytest.mark.asyncio


async def test_lanes_are_read_when_somebody_asks_alone(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    rig = await Rig(folders, EngineOptions(kind="hosted")).open(repository)
    model_api.script(text_turn("Done."))
    await rig.new("go", PermissionMode.EDIT)
    await rig.ended()
    standing = rig.engine.parts.lanes.standing
    assert not standing.theme.attendants
    assert not standing.status.statuses
    await rig.engine.handle(RefreshLanes())

    def told(_: object) -> bool | None:
        return any(isinstance(update, LaneStatusChanged) for update in rig.updates) or None

    await rig.until(told)
    await rig.engine.stop()
