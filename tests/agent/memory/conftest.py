"""Searches before turns may take as long as they do on a busy machine."""

import pytest

from desktop.agent.memory import orientation


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orientation, "LIMIT_S", 30.0)
