"""What tests of `banksman acp` stand on, as a plugin: a model service, a home that uses it, a repository."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acp_editor import use_service
from tests.agent.rig import make_repository
from tests.fakes.fake_model_api import FakeModelApi


@pytest.fixture
def model_api() -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        yield api


@pytest.fixture
def home(tmp_path: Path, model_api: FakeModelApi) -> Path:
    use_service(tmp_path / "home", model_api.url)
    return tmp_path / "home"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop")
