"""Each entry of the palette does something that a person sees, also in a chat with nothing in it and nothing chosen."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QLabel, QLineEdit, QWidget
from pytestqt.exceptions import TimeoutError as NothingHappened
from pytestqt.qtbot import QtBot

from desktop.domain.updates import SessionOpened
from desktop.ui.core.panel import all_actions
from desktop.ui.theme.theme import theme
from desktop.ui.window.build import PANELS
from desktop.ui.window.main_window import MainWindow
from tests.ui.shell_samples import IDLE, IN_LANE, Recorder, begun, envelopes, find, make_window, show_active, started

CLOSING = ("close_window", "quit")
ENTRIES = [spec.id for spec in all_actions(PANELS) if spec.in_palette and spec.id not in CLOSING]


@pytest.fixture
def sink() -> Recorder:
    return Recorder()


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, sink: Recorder) -> Iterator[MainWindow]:
    window = make_window(tmp_path, sink, inspector=True)
    show_active(qtbot, window)
    window.apply_updates(started(IN_LANE, IDLE))
    yield window
    theme().choose("light")


def seen(window: MainWindow, sink: Recorder, told: list[str]) -> list[object]:
    """What a person can see of the program, what was sent for them, and what the window asked the program for."""
    tops = [top for top in QApplication.topLevelWidgets() if top.isVisible()]
    parts = [part for top in tops for part in (top, *top.findChildren(QWidget)) if part.isVisible()]
    shown = [(part.objectName(), part.geometry().getRect(), part.isEnabled(), words(part)) for part in parts]
    look = (theme().choice, theme().px(100), window.isFullScreen())
    return [shown, QApplication.focusWidget(), len(sink.sent), tuple(told), look]


def words(part: QWidget) -> str:
    """What stands on it."""
    if isinstance(part, QAbstractButton):
        return f"{part.text()}{part.isChecked()}"
    return part.text() if isinstance(part, QLabel | QLineEdit) else ""


def settle(window: MainWindow, *, empty_chat: bool, sides: bool) -> None:
    """Nothing is open and nothing is chosen; both sides are shown, or neither is."""
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()
    for top in QApplication.topLevelWidgets():
        for dialog in (top, *top.findChildren(QDialog)):
            if isinstance(dialog, QDialog) and dialog.isVisible():
                dialog.reject()
    if empty_chat:
        window.open_chat(IN_LANE.session_id)
    else:
        window.new_chat()
    for name in ("sidebar", "inspector"):
        if find(window, name).isVisible() != sides:
            pressed(window, f"toggle_{name}")
    window.activateWindow()
    (window.sidebar.tree if sides else find(window, "composer_text")).setFocus()


def pressed(window: MainWindow, entry: str) -> bool:
    """Carry out an entry; False when it is not offered now."""
    action = window.findChild(QAction, f"action_{entry}")
    assert action is not None
    action.trigger()
    return action.isEnabled()


@pytest.mark.timeout(120)  # every entry, one after the other
@pytest.mark.parametrize(
    ("empty_chat", "sides"), [(True, True), (False, True), (True, False)], ids=["empty chat", "no chat", "chat alone"]
)
def test_no_entry_of_the_palette_is_silent(
    qtbot: QtBot, window: MainWindow, sink: Recorder, empty_chat: bool, sides: bool
) -> None:
    told: list[str] = []
    window.settings_asked.connect(lambda _page: told.append("settings"))
    window.window_asked.connect(lambda _chat: told.append("window"))
    window.open_chat(IN_LANE.session_id)
    first = tuple(envelopes(IN_LANE.session_id, begun()))
    window.apply_updates([SessionOpened(session_id=IN_LANE.session_id, envelopes=first)])
    silent = []
    for entry in ENTRIES:
        settle(window, empty_chat=empty_chat, sides=sides)
        before = seen(window, sink, told)
        if not pressed(window, entry):
            continue
        try:
            qtbot.waitUntil(lambda before=before: seen(window, sink, told) != before, timeout=600)
        except NothingHappened:
            silent.append(entry)
    assert silent == []


@pytest.mark.parametrize("entry", CLOSING)
def test_an_entry_that_ends_something_closes_the_window(qtbot: QtBot, window: MainWindow, entry: str) -> None:
    assert pressed(window, entry)
    qtbot.waitUntil(lambda: not window.isVisible())
    assert not find(window, "composer").isVisible()
