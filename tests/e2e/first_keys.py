"""The first minutes by keys alone: the tour, a repository, a model service, a first task."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit

from desktop.ui.gate.cards.card import InputCard
from desktop.ui.window.welcome import TASKS
from desktop.ui.window.welcome_tour import TOUR_TASK
from tests.e2e.conftest import Desk, rests
from tests.e2e.keyboard_day import CONTROL, Keys

Key = Qt.Key
Heard = Callable[[Desk, str], None]
NAME, SECRET = "Local", "sk-local-1234"
FORM = "settings_providers_new"
MOST_CARDS = 12


def in_front(desk: Desk) -> Keys:
    """The keys of a person who looks at the window."""
    desk.window.activateWindow()
    desk.until(desk.window.isActiveWindow, what="the window in front")
    return Keys(desk)


def set_up(desk: Desk, repository: Path, address: str, heard: Heard) -> None:
    """Through the steps of the first page, to a message that would be sent."""
    keys = in_front(desk)
    heard(desk, "Step 1, Open a repository, next")
    desk.until(lambda: _focus_name() == "welcome_open", what="the first step to have the focus")
    keys.press(Key.Key_Space)
    _choose_folder(desk, keys, repository)
    desk.until(lambda: desk.window.engine.project is not None, what="the repository")
    in_front(desk)  # as a window manager does
    heard(desk, "Step 2, Add a model key, next")
    keys.tab_press("welcome_add_key")
    desk.until(desk.see("settings_dialog").isActiveWindow, what="the settings in front")
    _add_service(desk, keys, address, heard)
    keys.press(Key.Key_Escape)
    desk.gone("settings_dialog")
    keys = in_front(desk)
    heard(desk, "Step 3, Give it a first task, next")
    desk.ready("welcome_task_2")
    keys.tab_press("welcome_task_2")
    composer = desk.window.page.composer.text
    desk.until(lambda: composer.toPlainText() == TASKS[1], what="the task in the message field")
    desk.until(composer.hasFocus, what="the message field to have the focus")
    keys.press(Key.Key_A, CONTROL)
    keys.press(Key.Key_Delete)


def take_tour(desk: Desk, heard: Heard) -> None:
    """The tour on the sample repository, to its end."""
    keys = in_front(desk)
    desk.until(lambda: _focus_name() == "welcome_open", what="the first step to have the focus")
    heard(desk, "Start the tour")
    keys.tab_press("welcome_tour")
    composer = desk.window.page.composer.text
    desk.until(lambda: composer.toPlainText() == TOUR_TASK and composer.hasFocus(), what="its task")
    keys.press(Key.Key_Return)
    for _ in range(MOST_CARDS):
        desk.until(lambda: _card(desk) is not None or _ended(desk), what="a card or the end")
        card = _card(desk)
        if card is None:
            return
        _answer(desk, keys, card)
    raise AssertionError("the tour has no end")


def _answer(desk: Desk, keys: Keys, card: InputCard) -> None:
    """What the card is for, with yes."""
    jump = desk.window.findChild(QAction, "action_next_waiting")
    assert jump is not None
    desk.until(jump.isEnabled, what="the window to know of it")
    keys.press(Key.Key_F8)
    desk.until(card.hasFocus, what=f"{card.accessibleName()} to have the focus, not {_focus_name()}")
    desk.until(card.guard.is_open, what="the guard to open")
    if card.prefix == "question":
        keys.press(Key.Key_1)
        keys.tab_press("question_send")
    else:
        keys.press(Key.Key_Return, CONTROL)
    desk.until(lambda: _card(desk) is not card, what="the answer to count")


def _card(desk: Desk) -> InputCard | None:
    """The card in the tray that can be answered."""
    cards = [card for card in desk.window.findChildren(InputCard) if card.isVisible() and card.can_answer]
    return cards[0] if cards else None


def _ended(desk: Desk) -> bool:
    return bool(desk.window.page.session_id) and rests(desk.window) and "Worked " in desk.transcript_text()


def _choose_folder(desk: Desk, keys: Keys, folder: Path) -> None:
    """Type a path in the system's dialog, as Qt draws it where there is no desktop."""
    desk.see("open_repository_dialog")
    desk.until(lambda: isinstance(QApplication.focusWidget(), QLineEdit), what="the field for the path")
    keys.press(Key.Key_A, CONTROL)
    keys.type(str(folder))
    keys.press(Key.Key_Return)
    desk.gone("open_repository_dialog")


def _add_service(desk: Desk, keys: Keys, address: str, heard: Heard) -> None:
    keys.tab_press("settings_providers_add")
    keys.tab_press(f"{FORM}_kind")
    desk.see(f"{FORM}_kind_popup")
    keys.type("anthropic-compatible")
    keys.press(Key.Key_Return)
    desk.gone(f"{FORM}_kind_popup")
    for name, text in (("label", NAME), ("url", address), ("key", SECRET)):
        keys.tab_to(f"{FORM}_{name}")
        keys.type(text)
    keys.tab_press(f"{FORM}_test")
    result = desk.see(f"{FORM}_test_result")
    assert isinstance(result, QLabel)
    desk.until(lambda: "model" in result.text() and "Asking" not in result.text(), what="what it lists")
    heard(desk, result.text())
    keys.tab_press(f"{FORM}_model_choose")
    desk.see(f"{FORM}_model_popup")
    keys.press(Key.Key_Return)
    desk.gone(f"{FORM}_model_popup")
    keys.tab_press(f"{FORM}_add")
    desk.gone(FORM)
    desk.until(lambda: any(one.label == NAME for one in desk.window.engine.settings.endpoints), what="the service")


def _focus_name() -> str:
    focused = QApplication.focusWidget()
    return focused.objectName() if focused is not None else ""
