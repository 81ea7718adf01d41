"""The fixture `github`: a started stand-in, empty but for the account of its token."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.fakes.github.stand_in import FakeGitHub


@pytest.fixture
def github(tmp_path: Path) -> Iterator["FakeGitHub"]:
    """GitHub on 127.0.0.1. At the end of the test each departure from GitHub's published description that was seen, in
    a request or in an answer, is an error."""
    stand_in = importlib.import_module("tests.fakes.github.stand_in")  # half a second that most tests need not wait
    with stand_in.FakeGitHub(tmp_path / "github") as service:
        yield service
