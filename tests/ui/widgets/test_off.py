"""What is off says why, everywhere in the window."""

from pathlib import Path

from PySide6.QtGui import QAccessible, QAction
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.widgets.buttons.off import set_action_off, set_off

UI = Path(__file__).resolve().parents[3] / "desktop/ui"
ELSEWHERE = {
    "widgets/buttons/off.py": "the one place",
    "core/actions.py": "actions of the window: menus and the palette list those alone that can be done now",
    "window/outside/polite_end.py": "no widget",
}


def described(widget: QWidget) -> str:
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Description)


def test_the_reason_stands_in_place_of_what_it_does(qtbot: QtBot) -> None:
    button = QPushButton("Go")
    qtbot.addWidget(button)
    set_off(button, "Choose a lane.", "Goes there")
    assert (button.isEnabled(), button.toolTip(), described(button)) == (False, "Choose a lane.", "Choose a lane.")
    set_off(button, "", "Goes there")
    assert (button.isEnabled(), button.toolTip(), described(button)) == (True, "Goes there", "Goes there")


def test_what_a_button_says_while_it_is_on_comes_back(qtbot: QtBot) -> None:
    button = QPushButton("Go")
    qtbot.addWidget(button)
    button.setToolTip("Goes there")
    button.setAccessibleDescription("Goes there, and back")
    set_off(button, "Choose <a> lane.")
    set_off(button, "Wait.")
    assert (button.toolTip(), described(button)) == ("Wait.", "Wait. Goes there, and back")
    set_off(button, "")
    assert (button.toolTip(), described(button)) == ("Goes there", "Goes there, and back")


def test_an_entry_of_a_menu_says_it_in_its_tooltip(qtbot: QtBot) -> None:
    action = QAction("Go")
    set_action_off(action, "Choose a lane.")
    assert (action.isEnabled(), action.toolTip()) == (False, "Choose a lane.")
    set_action_off(action, "")
    assert (action.isEnabled(), action.toolTip()) == (True, "Go")


def test_nothing_in_the_window_is_turned_off_without_a_reason() -> None:
    calls = [
        f"{file.relative_to(UI)}:{number}"
        for file in sorted(UI.rglob("*.py"))
        if str(file.relative_to(UI)) not in ELSEWHERE
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if any(turning in line for turning in (".setEnabled(", ".setDisabled(", ".setEnabled)", ".setDisabled)"))
    ]
    assert not calls, f"{calls}: use set_off or set_action_off"
