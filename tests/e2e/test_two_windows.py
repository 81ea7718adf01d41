"""Two windows over one real engine: a card, a stream and a draft seen from both; a second start opens a window."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.bridge.bridge import Bridge
from desktop.config.folders import Folders
from desktop.domain.commands import OpenProject
from desktop.domain.core.clock import utc_now
from desktop.store.database import DATABASE_NAME
from desktop.ui.theme.fonts import load_fonts
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.widgets.dialogs.ask import AskDialog
from desktop.ui.window.main_window import MainWindow
from desktop.ui.window.windows import Windows
from tests.agent.rig import folders_below, make_repository, write_settings
from tests.e2e.conftest import STOP_S, WAIT_MS, rests, takes_presses, unhurried
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn


class Pair:
    """A program with as many windows as a test opens."""

    def __init__(self, qtbot: QtBot, folders: Folders, repository: Path) -> None:
        self.qtbot = qtbot
        self.bridge = Bridge(folders)
        settings = QSettings(str(folders.config / "window.ini"), QSettings.Format.IniFormat)
        self.windows = Windows(self.bridge, utc_now, settings, QApplication.instance())
        self.bridge.batch.connect(self.windows.apply_updates, Qt.ConnectionType.QueuedConnection)
        self.windows.first.show()
        self.bridge.send(OpenProject(path=str(repository)))
        self.bridge.start()
        self.until(lambda: self.windows.first.engine.project is not None)

    def until(self, true: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(unhurried(true), timeout=WAIT_MS)

    def find(self, window: MainWindow, name: str) -> QWidget | None:
        return next((w for w in window.findChildren(QWidget, name) if w.isVisible()), None)

    def click(self, window: MainWindow, name: str) -> None:
        self.until(lambda: (one := self.find(window, name)) is not None and one.isEnabled())
        button = self.find(window, name)
        assert button is not None
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def allow(self, window: MainWindow) -> None:
        """Allow what the card in this window asks for."""
        window.activateWindow()
        self.until(lambda: takes_presses(self.find(window, "approval_allow_once")))
        self.click(window, "approval_allow_once")

    def send(self, window: MainWindow, text: str) -> None:
        window.activateWindow()
        window.page.composer.text.setFocus()
        QTest.keyClicks(window.page.composer.text, text)
        self.click(window, "composer_send")

    def read(self, window: MainWindow) -> str:
        """The transcript as a screen reader would read it."""
        model, role = window.page.transcript.model, Qt.ItemDataRole.AccessibleTextRole
        return "\n".join(str(model.index(row, 0).data(role)) for row in range(model.rowCount()))

    def idle(self) -> None:
        self.until(lambda: all(rests(window) for window in self.windows.all()))

    def close(self) -> None:
        for window in self.windows.all():
            window.closing.siblings = self.windows.all
            window.close()
        assert self.bridge.stop(STOP_S)
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def folders(tmp_path: Path, model_api: FakeModelApi) -> Folders:
    made = folders_below(tmp_path / "home")
    write_settings(made, model_api.url)
    return made


@pytest.fixture
def pair(qtbot: QtBot, qapp: QApplication, folders: Folders, repository: Path) -> Iterator[Pair]:
    load_fonts()
    install_theme(qapp)
    made = Pair(qtbot, folders, repository)
    yield made
    made.close()


def test_a_card_that_is_answered_in_one_window_is_gone_in_both(pair: Pair, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch one"), text_turn("All done."))
    first = pair.windows.first
    pair.send(first, "Touch it")
    pair.until(lambda: pair.find(first, "approval_card") is not None)
    second = pair.windows.open(first.page.session_id)
    pair.until(lambda: pair.find(second, "approval_card") is not None)
    pair.until(lambda: "Touch it" in pair.read(second))
    pair.allow(second)
    pair.until(lambda: pair.find(first, "approval_card") is None and pair.find(second, "approval_card") is None)
    pair.until(lambda: "All done." in pair.read(first) and "All done." in pair.read(second))
    pair.idle()
    assert pair.read(first) == pair.read(second)


def test_closing_one_window_stops_no_turn(pair: Pair, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch one"), text_turn("All done."))
    first = pair.windows.first
    pair.send(first, "Touch it")
    second = pair.windows.open(first.page.session_id)
    pair.until(lambda: pair.find(second, "approval_card") is not None)
    first.close()
    assert not first.isVisible()
    pair.allow(second)
    pair.until(lambda: "All done." in pair.read(second))
    pair.idle()


def test_another_repository_takes_no_window_along_without_a_word(
    pair: Pair, model_api: FakeModelApi, repository: Path, tmp_path: Path
) -> None:
    other = make_repository(tmp_path / "depot")
    model_api.script(tool_turn("bash", command="touch one"), text_turn("All done."))
    first = pair.windows.first
    pair.send(first, "Touch it")
    pair.until(lambda: pair.find(first, "approval_card") is not None)
    chat, second = first.page.session_id, pair.windows.open()
    second.open_path(str(repository / "folder below"))
    assert pair.find(second, "other_repository_dialog") is None
    second.open_path(str(other))
    pair.click(second, "other_repository_stay")
    pair.until(lambda: pair.find(second, "other_repository_dialog") is None)
    assert pair.find(first, "approval_card") is not None
    second.open_path(str(other))
    dialog = second.findChild(AskDialog, "other_repository_dialog")
    assert dialog is not None
    assert "depot" in dialog.windowTitle()
    assert "shop" in dialog.text.text()
    pair.click(second, "other_repository_change")
    pair.until(lambda: all(name_of(window) == "depot" for window in (first, second)))
    second.open_path(str(repository))
    pair.click(second, "other_repository_change")
    pair.until(lambda: all(name_of(window) == "shop" for window in (first, second)))
    first.open_chat(chat)
    pair.until(lambda: pair.find(first, "approval_card") is not None)
    pair.allow(first)
    pair.until(lambda: "All done." in pair.read(first))
    pair.idle()


def name_of(window: MainWindow) -> str:
    """The repository that a window shows."""
    return window.engine.project.name if window.engine.project is not None else ""


def test_what_is_sent_in_one_window_leaves_the_composer_of_the_other(pair: Pair, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Hello there."), text_turn("Again."))
    first = pair.windows.first
    pair.send(first, "Hello")
    pair.until(lambda: "Hello there." in pair.read(first))
    pair.idle()
    second = pair.windows.open(first.page.session_id)
    pair.until(lambda: "Hello there." in pair.read(second))
    second.activateWindow()
    pair.until(second.isActiveWindow)
    second.page.composer.text.setFocus()
    QTest.keyClicks(second.page.composer.text, "once more")
    assert first.page.composer.text.toPlainText() == "once more"
    pair.click(second, "composer_send")
    pair.until(lambda: "Again." in pair.read(first) and "Again." in pair.read(second))
    assert [window.page.composer.text.toPlainText() for window in (first, second)] == ["", ""]
    pair.idle()


def test_a_chat_whose_record_was_changed_on_disk_says_so_when_it_is_opened(
    qtbot: QtBot, qapp: QApplication, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    install_theme(qapp)
    model_api.script(text_turn("Hello there."))
    before = Pair(qtbot, folders, repository)
    pair_chat = before.windows.first.page
    before.send(before.windows.first, "Hello")
    before.until(lambda: "Hello there." in before.read(before.windows.first))
    before.idle()
    session_id = pair_chat.session_id
    before.close()
    with closing(sqlite3.connect(folders.store / DATABASE_NAME)) as database:
        names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]
        for name in names:
            database.execute(f"DROP TRIGGER {name}")
        database.execute("UPDATE event SET body = replace(body, 'Hello there.', 'Hello where.') WHERE session_id = ?",
                         (session_id,))  # fmt: skip
        database.commit()
    after = Pair(qtbot, folders, repository)
    try:
        after.windows.first.open_chat(session_id)
        after.until(lambda: after.find(after.windows.first, "record_strip") is not None)
        second = after.windows.open(session_id)
        after.until(lambda: after.find(second, "record_strip") is not None)
    finally:
        after.close()
