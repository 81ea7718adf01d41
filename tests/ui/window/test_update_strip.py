"""The offer to look for newer versions, and the word of one: at the top of the window, never over work."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from desktop.domain.commands import SaveSettings
from desktop.domain.releases.updates import ReleasesOffered, ReleasesStand
from desktop.domain.releases.values import Release
from desktop.domain.updates import SettingsChanged
from desktop.ui.window.main_window import MainWindow
from tests.ui.shell_samples import IDLE, SETTINGS, Recorder, find, make_window, started

LEFT = Qt.MouseButton.LeftButton
ON = SettingsChanged(settings=SETTINGS.model_copy(update={"look_for_releases": True}))
EVERY = ("update_strip", "update_daily_yes", "update_daily_no", "update_strip_page", "update_strip_dismiss")
AT = datetime(2026, 11, 20, 9, tzinfo=UTC)


def stands(**fields: Any) -> ReleasesStand:
    return ReleasesStand(host="releases.example.org", page="https://example.org/banksman", **fields)


@pytest.fixture
def sink() -> Recorder:
    return Recorder()


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, sink: Recorder) -> MainWindow:
    window = make_window(tmp_path, sink)
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    window.apply_updates(started(IDLE))
    window.open_chat(IDLE.session_id)
    return window


def shown(window: MainWindow, *names: str) -> list[str]:
    every = names or (
        "update_strip",
        "update_daily_yes",
        "update_daily_no",
        "update_strip_page",
        "update_strip_dismiss",
    )
    return [name for name in every if find(window, name).isVisible()]


def text(window: MainWindow) -> str:
    label = find(window, "update_strip_text")
    assert isinstance(label, QLabel)
    return label.text()


def test_nothing_is_shown_where_nothing_is_offered(window: MainWindow) -> None:
    assert shown(window) == []
    window.apply_updates([stands()])
    assert shown(window) == []


def test_the_offer_takes_no_focus_and_opens_no_dialog(window: MainWindow) -> None:
    field = find(window, "composer_text")
    field.setFocus()
    QTest.keyClicks(field, "half a sen")
    window.apply_updates([stands(), ReleasesOffered()])
    assert shown(window) == ["update_strip", "update_daily_yes", "update_daily_no"]
    assert "releases.example.org" in text(window)
    assert QApplication.focusWidget() is field
    assert QApplication.activeModalWidget() is None
    QTest.keyClicks(field, "tence")
    assert field.property("plainText") == "half a sentence"
    QTest.mouseClick(find(window, "update_daily_no"), LEFT)
    assert QApplication.focusWidget() is field


def test_yes_switches_it_on(window: MainWindow, sink: Recorder) -> None:
    window.apply_updates([stands(), ReleasesOffered()])
    QTest.mouseClick(find(window, "update_daily_yes"), LEFT)
    saved = sink.last()
    assert isinstance(saved, SaveSettings)
    assert saved.settings == ON.settings
    assert shown(window) == []


def test_no_changes_nothing_and_the_offer_is_gone(window: MainWindow, sink: Recorder) -> None:
    window.apply_updates([stands(), ReleasesOffered()])
    before = list(sink.sent)
    QTest.mouseClick(find(window, "update_daily_no"), LEFT)
    window.apply_updates([stands()])
    assert sink.sent == before
    assert shown(window) == []


def test_an_answer_elsewhere_ends_the_offer(window: MainWindow) -> None:
    window.apply_updates([stands(), ReleasesOffered()])
    window.apply_updates([ON])
    assert shown(window) == []


def test_a_newer_version_is_told_until_it_was_seen_and_the_next_one_again(window: MainWindow) -> None:
    told = stands(looked_at=AT, newer=Release(version="9.1.0", at=AT))
    window.apply_updates([told])
    assert shown(window) == []  # it is off: what a person's own look found stands in Settings
    window.apply_updates([ON, told])
    assert shown(window) == ["update_strip", "update_strip_page", "update_strip_dismiss"]
    assert text(window) == "Banksman 9.1.0 is out. Nothing was downloaded."
    QTest.mouseClick(find(window, "update_strip_dismiss"), LEFT)
    window.apply_updates([told])
    assert shown(window) == []
    window.apply_updates([stands(looked_at=AT, newer=Release(version="9.2.0", at=AT))])
    assert text(window) == "Banksman 9.2.0 is out. Nothing was downloaded."
