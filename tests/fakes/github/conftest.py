"""For the tests of the stand-in itself."""

from collections.abc import Iterator

import httpx2
import pytest

from tests.fakes.github.stand_in import FakeGitHub


@pytest.fixture
def http(github: FakeGitHub) -> Iterator[httpx2.Client]:
    """Plain requests with the token of the stand-in. There is no TLS here, so its certificates are not loaded."""
    headers = {"Authorization": f"Bearer {github.token}"}
    with httpx2.Client(base_url=github.api_url, headers=headers, verify=False) as client:
        yield client
