"""The window in which cards are tried, shown and active. A module that needs another size overrides `scene_size`."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.ui.card_scenes import Scene


@pytest.fixture
def scene_size() -> tuple[int, int]:
    return (760, 640)


@pytest.fixture
def scene(qtbot: QtBot, tmp_path: Path, scene_size: tuple[int, int]) -> Scene:
    scene = Scene(tmp_path, size=scene_size)
    qtbot.addWidget(scene.window)
    with qtbot.waitActive(scene.window):
        scene.window.show()
        scene.window.activateWindow()
    scene.composer.setFocus()
    return scene
