"""Several windows over one engine: what each is told, whose answer is whose, drafts, layout and closing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.config.instance import request_window
from desktop.domain.chats.commands import ForkSession
from desktop.domain.chats.updates import SessionForkedOff
from desktop.domain.commands import OpenSession
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.core.work import Activity
from desktop.domain.updates import (
    ActivityChanged,
    CommandFailed,
    EngineReady,
    EngineStopped,
    ProjectOpened,
    SessionOpened,
    SessionsChanged,
    SettingsChanged,
)
from desktop.ui.chats.composer.drafts import Drafts
from desktop.ui.core.layout_store import LayoutStore
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.window.main_window import MainWindow
from desktop.ui.window.outside.request_watch import RequestWatch
from desktop.ui.window.windows import Windows
from tests.ui.shell_samples import NOW, PROJECT, SETTINGS, Recorder, begun, envelopes, find, ini, make_chat, said, waits

CHAT, OTHER = make_chat(1, "First"), make_chat(2, "Second")
TOLD: list[Update] = [
    EngineReady(settings=SETTINGS),
    ProjectOpened(project=PROJECT),
    SessionsChanged(sessions=(CHAT, OTHER)),
]


@pytest.fixture
def sink() -> Recorder:
    return Recorder()


@pytest.fixture
def windows(qtbot: QtBot, qapp: QApplication, tmp_path: Path, sink: Recorder) -> Iterator[Windows]:
    install_theme(qapp)
    made = Windows(sink, lambda: NOW, ini(tmp_path, "window"), qapp)
    qtbot.addWidget(made.first)
    made.first.show()
    made.apply_updates(TOLD)
    yield made
    made.apply_updates([EngineStopped(reason="The test is over.")])
    for window in made.all():
        window.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def second(qtbot: QtBot, windows: Windows, session_id: str = "") -> MainWindow:
    window = windows.open(session_id)
    qtbot.waitUntil(window.isVisible)
    return window


def composer(window: MainWindow) -> QWidget:
    return find(window, "composer_text")


def type_in(qtbot: QtBot, window: MainWindow, text: str) -> None:
    window.activateWindow()
    field = window.page.composer.text
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    QTest.keyClicks(field, text)


def opened(sink: Recorder) -> list[OpenSession]:
    return [command for command in sink.sent if isinstance(command, OpenSession)]


def test_a_new_window_knows_what_the_first_one_was_told(qtbot: QtBot, windows: Windows) -> None:
    window = second(qtbot, windows)
    assert window.engine.ready
    assert window.engine.project == PROJECT
    assert {chat.session_id for chat in window.book.chats} == {CHAT.session_id, OTHER.session_id}
    assert window.page.session_id == ""
    assert find(window, "composer_send").isVisible()


def test_the_action_and_the_entry_of_a_chat_open_windows(qtbot: QtBot, windows: Windows) -> None:
    windows.first.open_chat(CHAT.session_id)
    windows.first.activateWindow()
    qtbot.waitUntil(windows.first.isActiveWindow)
    QTest.keyClick(
        windows.first, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )  # fmt: skip
    qtbot.waitUntil(lambda: len(windows.all()) == 2)
    windows.first.sidebar.chat_action.emit(OTHER.session_id, "window")
    assert [window.page.session_id for window in windows.all()] == [CHAT.session_id, "", OTHER.session_id]


def test_every_window_gets_every_update(qtbot: QtBot, windows: Windows) -> None:
    window = second(qtbot, windows)
    windows.apply_updates([SessionsChanged(sessions=(CHAT,))])
    assert [one.book.chats for one in (windows.first, window)] == [(CHAT,), (CHAT,)]


def test_a_chat_that_another_window_opens_is_not_drawn_anew(qtbot: QtBot, windows: Windows, sink: Recorder) -> None:
    window = second(qtbot, windows, CHAT.session_id)
    windows.first.open_chat(CHAT.session_id)
    mine, theirs = opened(sink)
    log = tuple(envelopes(CHAT.session_id, begun(), said("Here.")))
    windows.apply_updates([SessionOpened(session_id=CHAT.session_id, envelopes=log, command_id=mine.command_id)])
    assert window.page.transcript.model.rowCount() > 0
    assert windows.first.page.transcript.model.rowCount() == 0
    windows.apply_updates([SessionOpened(session_id=CHAT.session_id, envelopes=log, command_id=theirs.command_id)])
    assert windows.first.page.transcript.model.rowCount() == window.page.transcript.model.rowCount()


def test_a_failure_is_told_where_the_command_came_from(qtbot: QtBot, windows: Windows, sink: Recorder) -> None:
    window = second(qtbot, windows, CHAT.session_id)
    window.page.rename("Other title")
    asked = sink.last()
    windows.apply_updates([CommandFailed(command_id=asked.command_id, code="failed", text="No room.")])
    assert [bool(one.findChildren(QWidget, "toast")) for one in (windows.first, window)] == [False, True]


def test_a_fork_opens_in_the_window_that_asked_for_it(qtbot: QtBot, windows: Windows, sink: Recorder) -> None:
    window = second(qtbot, windows, CHAT.session_id)
    window.sidebar.chat_action.emit(CHAT.session_id, "fork")
    fork = sink.last()
    assert isinstance(fork, ForkSession)
    there = SessionForkedOff(command_id=fork.command_id, session_id=OTHER.session_id, source_session_id=CHAT.session_id)
    windows.apply_updates([there])
    assert (windows.first.page.session_id, window.page.session_id) == ("", OTHER.session_id)


def test_what_answers_a_window_that_is_closed_reaches_nobody(qtbot: QtBot, windows: Windows, sink: Recorder) -> None:
    window = second(qtbot, windows, CHAT.session_id)
    window.sidebar.chat_action.emit(CHAT.session_id, "fork")
    asked = sink.last().command_id
    window.close()
    fork = SessionForkedOff(command_id=asked, session_id=OTHER.session_id, source_session_id=CHAT.session_id)
    windows.apply_updates([fork])
    assert windows.first.page.session_id == ""


def test_one_draft_is_seen_in_both_windows_and_the_last_typed_wins(qtbot: QtBot, windows: Windows) -> None:
    windows.first.open_chat(CHAT.session_id)
    window = second(qtbot, windows, CHAT.session_id)
    type_in(qtbot, window, "from the second")
    assert windows.first.page.composer.text.toPlainText() == "from the second"
    type_in(qtbot, windows.first, "!")
    assert window.page.composer.text.toPlainText() == windows.first.page.composer.text.toPlainText()
    assert "!" in window.page.composer.text.toPlainText()


def test_drafts_of_other_chats_do_not_mix(qtbot: QtBot, windows: Windows) -> None:
    windows.first.open_chat(CHAT.session_id)
    window = second(qtbot, windows, OTHER.session_id)
    type_in(qtbot, window, "second chat")
    assert windows.first.page.composer.text.toPlainText() == ""


def test_the_text_under_the_cursor_is_not_replaced_from_outside(qtbot: QtBot, tmp_path: Path, windows: Windows) -> None:
    windows.first.open_chat(CHAT.session_id)
    type_in(qtbot, windows.first, "mine")
    drafts = windows.findChild(Drafts)
    assert drafts is not None
    drafts.keep(CHAT.session_id, "theirs")
    assert windows.first.page.composer.text.toPlainText() == "mine"


def test_settings_are_shared_and_the_layout_is_not(qtbot: QtBot, windows: Windows, tmp_path: Path) -> None:
    window = second(qtbot, windows)
    windows.apply_updates([SettingsChanged(settings=SETTINGS.model_copy(update={"default_mode": PermissionMode.PLAN}))])
    assert {one.engine.settings.default_mode for one in windows.all()} == {PermissionMode.PLAN}
    find(window, "top_sidebar_toggle").click()  # type: ignore[attr-defined]
    assert not window.sidebar.isVisible()
    assert windows.first.sidebar.isVisible()
    window.close()
    windows.first.close()
    stored = ini(tmp_path, "window")
    assert LayoutStore(stored).flag("window/sidebar_shown", True)
    assert not LayoutStore(stored, "window_2").flag("window/sidebar_shown", True)


def test_only_the_last_window_asks_before_it_stops_a_turn(qtbot: QtBot, windows: Windows) -> None:
    window = second(qtbot, windows)
    windows.apply_updates([ActivityChanged(session_id=CHAT.session_id, activity=Activity.RUNNING, since=NOW)])
    window.close()
    assert not window.isVisible()
    assert window.findChild(QWidget, "close_dialog") is None
    assert windows.all() == [windows.first]
    windows.first.close()
    assert windows.first.isVisible()
    find(windows.first, "close_stop").click()  # type: ignore[attr-defined]
    assert not windows.first.isVisible()


def test_quitting_asks_once_and_closes_all(qtbot: QtBot, windows: Windows) -> None:
    window = second(qtbot, windows)
    windows.apply_updates([ActivityChanged(session_id=CHAT.session_id, activity=Activity.RUNNING, since=NOW)])
    window.closing.quit()
    assert windows.first.isVisible()
    find(window, "close_stop").click()  # type: ignore[attr-defined]
    assert not windows.first.isVisible()
    assert windows.all() == []


def test_the_first_window_may_go_before_the_second(qtbot: QtBot, windows: Windows) -> None:
    window = second(qtbot, windows)
    windows.first.close()
    windows.apply_updates([SessionsChanged(sessions=(CHAT,))])
    assert window.book.chats == (CHAT,)
    third = windows.open()
    assert third.book.chats == (CHAT,)
    window.close()
    third.close()


def test_a_request_of_a_second_start_is_heard_and_taken(qtbot: QtBot, tmp_path: Path) -> None:
    folder = tmp_path / "instance"
    watch = RequestWatch(folder)
    with qtbot.waitSignal(watch.asked, timeout=20_000) as heard:
        file = request_window(folder, str(tmp_path))
    assert heard.args == [str(tmp_path)]
    assert not file.exists()
    assert folder.stat().st_mode & 0o077 == 0


def test_a_request_left_while_the_first_process_began_is_heard_too(qtbot: QtBot, tmp_path: Path) -> None:
    request_window(tmp_path / "instance", "")
    watch = RequestWatch(tmp_path / "instance")
    with qtbot.waitSignal(watch.asked, timeout=20_000) as heard:
        pass
    assert heard.args == [""]


def test_without_the_folder_nothing_is_heard_and_nothing_breaks(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    watch = RequestWatch(tmp_path / "data" / "instance")
    qtbot.wait(50)
    assert watch is not None
    assert (tmp_path / "data").is_file()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_message_of_the_system_leads_to_the_window_that_was_used_last(windows: Windows, qtbot: QtBot) -> None:
    sent: list[str] = []
    windows.notices.send = lambda title, text: sent.append(title)
    windows.open()
    windows.first.activateWindow()
    qtbot.waitUntil(windows.first.isActiveWindow)
    elsewhere = QWidget()
    qtbot.addWidget(elsewhere)
    elsewhere.show()
    elsewhere.activateWindow()
    qtbot.waitUntil(elsewhere.isActiveWindow)
    asking = CHAT.model_copy(update={"waiting": (waits(),)})
    windows.apply_updates([SessionsChanged(sessions=(asking, OTHER))])
    windows.notices.gather.timeout.emit()
    assert sent == ["First is waiting for you"]
    windows.notices.clicked()
    assert windows.first.page.session_id == CHAT.session_id
    qtbot.waitUntil(windows.first.isActiveWindow)
