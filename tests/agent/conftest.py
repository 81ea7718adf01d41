from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.config.folders import Folders
from tests.agent.rig import Rig, folders_below, make_repository, write_settings
from tests.fakes.fake_model_api import FakeModelApi


@pytest.fixture
def model_api() -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        yield api


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop")


@pytest.fixture
def folders(tmp_path: Path, model_api: FakeModelApi) -> Folders:
    folders = folders_below(tmp_path / "home")
    write_settings(folders, model_api.url, model_api.kind)
    return folders


@pytest.fixture
def rig_type() -> type[Rig]:
    return Rig


@pytest_asyncio.fixture
async def rig(folders: Folders, repository: Path, rig_type: type[Rig]) -> AsyncIterator[Rig]:
    rig = await rig_type(folders).open(repository)
    yield rig
    await rig.engine.stop()
