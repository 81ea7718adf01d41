"""What a person types to remember something, or to search the memory, in the window with its real parts."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLineEdit, QPlainTextEdit, QPushButton

from tests.ui.compose_place import Place
from tests.ui.shell_samples import IDLE, IN_LANE, Recorder, make_window, show_active, started

ENTER = Qt.Key.Key_Return


@pytest.fixture
def place(qtbot, tmp_path: Path) -> Place:
    sink = Recorder()
    window = make_window(tmp_path, sink, inspector=True)
    show_active(qtbot, window)
    window.apply_updates(started(IDLE, IN_LANE))
    return Place(window, sink)


def write(qtbot, place: Place, text: str) -> None:
    place.field.setFocus()
    qtbot.waitUntil(place.field.hasFocus)
    qtbot.keyClicks(place.field, text)


def test_what_is_to_be_remembered_is_looked_at_first_and_the_memory_is_searched(place, qtbot):
    place.show()
    write(qtbot, place, "/remember Round half up")
    qtbot.keyClick(place.field, ENTER)
    dialog = place.window.findChild(QDialog, "memory_dialog")
    assert dialog.findChild(QPlainTextEdit, "memory_dialog_text").toPlainText() == "Round half up"
    assert "save_memory" not in place.sink.kinds()
    dialog.findChild(QPushButton, "memory_dialog_save").click()
    assert (place.sink.last().type, place.sink.last().content) == ("save_memory", "Round half up")
    dialog.reject()
    write(qtbot, place, "/memory tax")
    qtbot.keyClick(place.field, ENTER)
    assert place.window.findChild(QLineEdit, "memory_search").text() == "tax"
    assert place.field.toPlainText() == ""
