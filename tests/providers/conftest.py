from collections.abc import Iterator

import pytest

from tests.fakes.fake_model_api import FakeModelApi


@pytest.fixture
def model_api() -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        yield api
