"""Settings, About: the switch of the daily look, a look when a person says so, and what came of it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.domain.commands import SaveSettings
from desktop.domain.core.update import Update
from desktop.domain.releases.commands import LookForReleases
from desktop.domain.releases.updates import ReleasesStand
from desktop.domain.releases.values import Release
from desktop.domain.updates import CommandFailed, SettingsChanged
from desktop.ui.settings.dialog import SettingsDialog
from desktop.ui.settings.updates import ASKING, NEVER, NEWEST, OFF
from desktop.ui.window.main_window import MainWindow
from tests.ui.shell_samples import IDLE, NOW, SETTINGS, Recorder, find, make_window, started

LEFT = Qt.MouseButton.LeftButton
NEWER = Release(version="9.1.0", at=datetime(2026, 11, 20, 9, tzinfo=UTC), notes="Quicker.\n<b>Safer</b>\u202e.")


def stands(**fields: Any) -> ReleasesStand:
    return ReleasesStand(host="releases.example.org", page="https://example.org/banksman", **fields)


class Place:
    """The About page over a window that was told of newer versions, or (None) was not."""

    def __init__(self, qtbot: QtBot, folder: Path, told: ReleasesStand | None, *, on: bool = False) -> None:
        self.sink = Recorder()
        self.window: MainWindow = make_window(folder, self.sink)
        qtbot.addWidget(self.window)
        self.window.show()
        settings = SettingsChanged(settings=SETTINGS.model_copy(update={"look_for_releases": on}))
        self.hear(*started(IDLE), settings, *([told] if told is not None else []))
        self.window.show_settings("about")
        self.dialog = self.window.findChild(SettingsDialog)

    def hear(self, *updates: Update) -> None:
        self.window.apply_updates(list(updates))

    def said(self, name: str) -> str:
        label = find(self.window, name)
        assert isinstance(label, QLabel)
        return label.text() if not label.isHidden() else ""

    def button(self, name: str) -> QPushButton:
        button = find(self.window, name)
        assert isinstance(button, QPushButton)
        return button

    def press(self, name: str) -> None:
        QTest.mouseClick(find(self.window, name), LEFT)


def test_a_build_without_an_address_shows_nothing_of_it(qtbot: QtBot, tmp_path: Path) -> None:
    place = Place(qtbot, tmp_path, None)
    assert place.window.findChild(QWidget, "update_look_now") is None
    assert place.window.findChild(QWidget, "update_daily") is None


def test_off_it_says_so_and_the_switch_is_saved(qtbot: QtBot, tmp_path: Path) -> None:
    place = Place(qtbot, tmp_path, stands())
    assert place.said("update_state") == OFF
    assert "releases.example.org" in place.said("update_daily_help")
    assert place.button("update_page").isHidden()
    place.press("update_daily_on")
    saved = place.sink.last()
    assert isinstance(saved, SaveSettings)
    assert saved.settings.look_for_releases
    assert place.said("update_state") == NEVER


def test_a_look_says_that_it_asks_and_what_came_of_it(qtbot: QtBot, tmp_path: Path) -> None:
    place = Place(qtbot, tmp_path, stands(), on=True)
    place.press("update_look_now")
    asked = place.sink.last()
    assert isinstance(asked, LookForReleases)
    assert place.said("update_state") == ASKING
    assert not place.button("update_look_now").isEnabled()
    place.hear(stands(command_id=asked.command_id, looked_at=NOW - timedelta(minutes=1)))
    assert place.said("update_state").startswith(f"{NEWEST} Asked today ")
    assert place.button("update_look_now").isEnabled()


def test_a_newer_version_is_named_with_its_notes_as_text_and_its_page_opened(qtbot: QtBot, tmp_path: Path) -> None:
    opened: list[str] = []

    class Browser(QWidget):
        @Slot(QUrl)
        def take(self, url: QUrl) -> None:
            opened.append(url.toString())

    place, browser = Place(qtbot, tmp_path, stands(looked_at=NOW, newer=NEWER), on=True), Browser()
    qtbot.addWidget(browser)
    assert place.said("update_state").startswith("Banksman 9.1.0 of 20 Nov 2026 is out. Asked today ")
    assert "<b>Safer</b>" in place.said("update_notes")
    assert "\u202e" not in place.said("update_notes")
    assert place.button("update_page").toolTip() == "https://example.org/banksman"
    QDesktopServices.setUrlHandler("https", browser, "take")
    try:
        place.press("update_page")
    finally:
        QDesktopServices.unsetUrlHandler("https")
    assert opened == ["https://example.org/banksman"]


@pytest.mark.parametrize("on", [True, False])
def test_what_failed_is_said_and_tried_again_by_the_same_button(qtbot: QtBot, tmp_path: Path, on: bool) -> None:
    problem = "The list of versions is not signed as it should be. Nothing was done."
    place = Place(qtbot, tmp_path, stands(problem=problem), on=on)
    assert place.said("update_state") == problem
    place.press("update_look_now")
    asked = place.sink.last()
    place.hear(CommandFailed(command_id=asked.command_id, code="releases", text="It is off."))
    assert place.said("update_state") == "It is off."
    assert place.button("update_look_now").isEnabled()
