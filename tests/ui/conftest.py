"""For all tests of widgets: they look as they do in the program, whichever test runs first in a process."""

import pytest
from PySide6.QtWidgets import QApplication

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
