"""Paths that people type."""

from pathlib import Path

import pytest

from desktop.config.folders import product_folders, typed_path


def test_a_tilde_is_the_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/here")
    assert typed_path("~/work") == Path("/home/here/work")
    assert typed_path(Path("/etc")) == Path("/etc")


def test_the_home_of_nobody_stays_as_it_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert typed_path("~no-such-user/work") == Path("~no-such-user/work")
    monkeypatch.setenv("BANKSMAN_HOME", "~no-such-user")
    assert product_folders().config == Path("~no-such-user/config").absolute()
