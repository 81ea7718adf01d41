"""What is asked before pasting, before programs in terminals end, and what is listed as left over."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QWidget

from desktop.domain.terminals.updates import Leftover
from desktop.ui.terminals.dialogs import LeftoversDialog, PasteDialog
from desktop.ui.window.dialogs.close import CloseDialog

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def host(qtbot):
    host = QWidget()
    qtbot.addWidget(host)
    host.show()
    return host


def words(dialog):
    return " ".join(label.text() for label in dialog.findChildren(QLabel))


def test_what_is_pasted_is_shown_with_what_would_not_be_seen(host):
    dialog = PasteDialog("ls\nrm -rf ~\x1b[201~\u202e\n", host, marked=False)
    dialog.open()
    assert "Paste 2 lines" in words(dialog)
    assert "runs at once" in words(dialog)
    assert "1 control character" in words(dialog)
    shown = dialog.findChild(QPlainTextEdit, "terminal_paste_preview").toPlainText()
    assert "U+001B" in shown
    assert "U+202E" in shown
    assert dialog.stay.hasFocus() or dialog.focusWidget() is dialog.stay
    dialog.reject()


@pytest.mark.parametrize(
    ("running", "programs", "said"),
    [
        (1, 0, "A chat is still running. Closing stops it; you can continue it later."),
        (2, 1, "2 chats are still running. Closing stops them; you can continue them later. "
               "A program runs in a terminal and is ended too."),
        (0, 1, "A program runs in a terminal. Closing ends it."),
        (0, 3, "3 programs run in terminals. Closing ends them."),
    ],
)  # fmt: skip
def test_closing_the_window_names_all_that_ends(host, running, programs, said):
    dialog = CloseDialog(running, host, programs=programs)
    dialog.open()
    assert words(dialog) == said
    dialog.reject()


def test_leftovers_are_ended_one_by_one_or_all(host, qtbot):
    one = Leftover(pid=11, started=1.5, name="node", lane_id="ln_1", command="node server.js")
    two = Leftover(pid=12, started=2.5, name="sleep\u202e", lane_id="ln_2")
    dialog = LeftoversDialog((one, two), {"ln_1": "fix"}, host)
    ended = []
    dialog.end_asked.connect(lambda pid, started: ended.append((pid, started)))
    dialog.open()
    assert "node server.js · pid 11 · fix" in words(dialog)
    assert "\u202e" not in words(dialog)
    QTest.mouseClick(dialog.findChild(QPushButton, "terminal_leftover_end_11"), LEFT)
    assert ended == [(11, 1.5)]
    dialog.show_processes((two,))
    with qtbot.waitSignal(dialog.agreed):
        QTest.mouseClick(dialog.go, LEFT)
