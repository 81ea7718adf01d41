"""A button that is off says why."""

from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop.ui.widgets.buttons.off import set_off


def test_the_reason_stands_in_place_of_what_it_does(qtbot: QtBot) -> None:
    button = QPushButton("Go")
    qtbot.addWidget(button)
    set_off(button, "Choose a lane.", "Goes there")
    assert (button.isEnabled(), button.toolTip()) == (False, "Choose a lane.")
    set_off(button, "", "Goes there")
    assert (button.isEnabled(), button.toolTip()) == (True, "Goes there")
