"""Dialogs stand in the middle of their window."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

import desktop.ui
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.scrim import Scrim

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def window(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.setGeometry(40, 50, 600, 500)
    with qtbot.waitExposed(window):
        window.show()
    return window


def offset(dialog, window):
    """How far the middle of a dialog is from that of its window."""
    return dialog.geometry().center() - window.geometry().center()


@pytest.mark.parametrize("size", [(400, 200), (400, 500), (301, 251)])
def test_a_dialog_stands_in_the_middle_of_a_window_that_nobody_frames(window, size):
    dialog = Dialog(QWidget(window))
    dialog.resize(*size)
    dialog.open()
    assert offset(dialog, window).manhattanLength() <= 2
    dialog.close()
    window.move(100, 120)
    dialog.open()
    assert offset(dialog, window).manhattanLength() <= 2


def test_so_does_a_question_over_another_dialog(window):
    first = Dialog(window)
    first.resize(420, 300)
    first.open()
    asked = AskDialog(Question("ask", "Go on?", "It goes on.", ("Stay", "stay"), ("Go", "go")), first)
    asked.open()
    assert offset(asked, first).manhattanLength() <= 2


def test_a_dialog_larger_than_the_room_begins_where_the_room_does(window):
    dialog = Dialog(window)
    room = dialog.screen().availableGeometry()
    dialog.resize(room.width() + 60, room.height() + 60)
    dialog.open()
    assert dialog.pos() == room.topLeft()


def test_a_dialog_that_grows_while_it_is_shown_keeps_its_middle(window):
    dialog = Dialog(window)
    dialog.resize(300, 120)
    dialog.open()
    for size in ((300, 320), (400, 320), (300, 80)):
        dialog.resize(*size)
        assert offset(dialog, window).manhattanLength() <= 4


def test_a_dialog_that_grows_at_the_edge_of_the_screen_stays_on_it(window):
    dialog = Dialog(window)
    dialog.resize(300, 120)
    dialog.open()
    room = dialog.screen().availableGeometry()
    dialog.move(room.right() - 310, room.bottom() - 130)
    dialog.resize(360, 400)
    assert room.contains(dialog.geometry())


def test_a_dialog_follows_its_window_and_is_smaller_while_it_must_be(window):
    dialog = Dialog(window)
    dialog.resize(420, 300)
    dialog.open()
    for size in ((500, 400), (360, 280), (300, 500)):
        window.resize(*size)
        assert window.geometry().contains(dialog.geometry())
        assert offset(dialog, window).manhattanLength() <= 2
    window.resize(600, 500)
    assert (dialog.width(), dialog.height()) == (420, 300)
    assert offset(dialog, window).manhattanLength() <= 2


def test_a_dialog_that_somebody_moved_stays_there_as_far_as_the_window_reaches(window):
    dialog = Dialog(window)
    dialog.resize(200, 100)
    dialog.open()
    dialog.move(60, 70)
    window.resize(400, 300)
    assert (dialog.x(), dialog.y()) == (60, 70)
    window.resize(210, 300)
    assert dialog.frameGeometry().right() == window.frameGeometry().right()
    assert dialog.y() == 70


def test_a_dialog_over_a_dialog_follows_too(window):
    first = Dialog(window)
    first.resize(420, 300)
    first.open()
    second = Dialog(first)
    second.resize(300, 200)
    second.open()
    window.resize(500, 400)
    assert offset(second, first).manhattanLength() <= 2
    assert offset(second, window).manhattanLength() <= 4
    second.close()
    first.close()


def test_a_dialog_without_a_window_stands_where_the_system_puts_it(qtbot):
    dialog = Dialog()
    qtbot.addWidget(dialog)
    dialog.open()
    assert dialog.isVisible()


def test_every_dialog_is_one_that_stands_there():
    folder = Path(desktop.ui.__path__[0])
    own = [file for file in folder.rglob("*.py") if re.search(r"\(QDialog\)|= QDialog\(", file.read_text("utf-8"))]
    assert own == [folder / "widgets" / "dialogs" / "dialog.py"]


def test_a_dialog_under_another_one_is_shaded_until_that_is_closed(qtbot, window):
    first = Dialog(window)
    first.resize(420, 300)
    first.open()
    assert first.findChild(Scrim) is None
    second = Dialog(first)
    second.open()
    qtbot.waitUntil(lambda: first.findChild(Scrim) is not None)
    shade = first.findChild(Scrim, options=Qt.FindChildOption.FindDirectChildrenOnly)
    assert shade.isVisible()
    assert shade.geometry() == first.rect()
    first.resize(500, 340)
    qtbot.waitUntil(lambda: shade.size() == first.size())
    second.close()
    qtbot.waitUntil(lambda: not shade.isVisible())
    first.close()
