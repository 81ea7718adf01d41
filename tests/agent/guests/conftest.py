from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.config.folders import Folders
from tests.agent.guest_rig import ScriptedGuests
from tests.agent.rig import Rig


@pytest.fixture
def guests(tmp_path: Path) -> ScriptedGuests:
    folder = tmp_path / "guest"
    folder.mkdir()
    return ScriptedGuests(folder)


@pytest_asyncio.fixture
async def rig(guests: ScriptedGuests, folders: Folders, repository: Path) -> AsyncIterator[Rig]:
    rig = await Rig(folders, guests.options).open(repository)
    yield rig
    await rig.engine.stop()
