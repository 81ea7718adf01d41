"""The popup list: when it closes by itself."""

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.ui.widgets.picker import Picker, PickItem


@pytest.fixture
def picker(qtbot):
    window = QWidget()
    window.resize(600, 400)
    field = QLineEdit(window)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    field.setFocus()
    picker = Picker(("popup", "popup_field", "popup_list"), "Choose", "Search", window)
    picker.set_items([PickItem("a", "One", ""), PickItem("b", "Two", "")])
    picker.open_at(QRect(window.mapToGlobal(field.pos()), field.size()))
    yield picker
    window.hide()


def test_another_size_of_the_window_closes_it(picker, qtbot):
    assert picker.isVisible()
    picker.window().resize(500, 300)
    qtbot.waitUntil(lambda: not picker.isVisible())


def test_the_same_size_leaves_it_open(picker, qtbot):
    picker.window().resize(picker.window().size())
    qtbot.wait(50)
    assert picker.isVisible()
