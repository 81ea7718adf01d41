"""An error that nobody caught is kept and told in the window, which goes on."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from desktop.ui.widgets.dialogs.output_viewer import OutputViewer
from desktop.ui.window.main_window import MainWindow
from desktop.ui.window.outside.crashes import HERE, Crashes
from tests.ui.shell_samples import Recorder, find, make_window


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    window = make_window(tmp_path, Recorder())
    qtbot.addWidget(window)
    window.show()
    return window


@pytest.fixture
def crashes(window: MainWindow, tmp_path: Path) -> Iterator[Crashes]:
    made = Crashes(tmp_path / "logs", lambda: window, window)
    yield made
    made.close()


def fail() -> None:
    try:
        raise LookupError("no such row")
    except LookupError:
        sys.excepthook(*sys.exc_info())


def test_it_is_told_with_a_report_to_read_and_copy(
    qtbot: QtBot, window: MainWindow, crashes: Crashes, tmp_path: Path
) -> None:
    fail()
    qtbot.waitUntil(lambda: [toast.text.text() for toast in window.notes.area.toasts] == [HERE])
    (report,) = (tmp_path / "logs").glob("crash-*.txt")
    act = next(one for one in window.notes.area.toasts[0].findChildren(QPushButton) if one.text() == "Read the report")
    QTest.mouseClick(act, Qt.MouseButton.LeftButton)
    viewer = window.findChild(OutputViewer)
    assert viewer is not None
    qtbot.waitUntil(viewer.isVisible)
    text = find(viewer, "output_text")
    assert isinstance(text, QPlainTextEdit)
    assert "LookupError: no such row" in text.toPlainText()
    assert "Nothing of it was sent anywhere." in text.toPlainText()
    QTest.mouseClick(find(viewer, "output_copy"), Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == report.read_text()


def test_the_same_error_is_told_once(qtbot: QtBot, window: MainWindow, crashes: Crashes, tmp_path: Path) -> None:
    for _ in range(3):
        fail()
    qtbot.waitUntil(lambda: bool(window.notes.area.toasts))
    assert len(list((tmp_path / "logs").glob("crash-*.txt"))) == 1
    assert len(window.notes.area.toasts) == 1
