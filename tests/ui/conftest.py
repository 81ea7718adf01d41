"""For all tests of widgets: they look as they do in the program, whichever test runs first in a process."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from desktop.language import ENGLISH, GERMAN, wear
from desktop.ui.theme.stylesheet import install_theme
from tests.ui.shell_samples import Recorder


@pytest.fixture(scope="session", autouse=True)
def _themed(qapp: QApplication) -> None:
    """Fonts and style decide what fits; a test that came first would measure those of Qt."""
    install_theme(qapp)


@pytest.fixture
def sink() -> Recorder:
    """Keeps the commands that a person's actions send."""
    return Recorder()


@pytest.fixture
def german() -> Iterator[None]:
    """What is asked for in the test is told in German; what modules hold stays English."""
    languages = Path(__file__).resolve().parents[2] / "resources" / "languages"
    wear(GERMAN, languages)
    yield
    wear(ENGLISH, languages)
