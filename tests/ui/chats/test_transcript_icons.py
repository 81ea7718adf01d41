"""Icons of calls, and the ring of what runs."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.domain.core.work import Activity
from desktop.domain.events import ToolCallFinished, ToolCallStarted
from desktop.domain.updates import ActivityChanged
from desktop.ui.chats.folds.rows import Call
from desktop.ui.chats.transcript.painting.icons import RUNNING_ICON, call_icon
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.theme.icons import pixmap
from tests.ui.transcript_log import SESSION, START, Log, look


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> Iterator[TranscriptView]:
    look(qapp)
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 600)
    view = TranscriptView(window)
    view.resize(728, 500)
    view.open(SESSION)
    view.hearing.take([ActivityChanged(session_id=SESSION, activity=Activity.RUNNING, since=START)])
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    yield view
    window.hide()


def timer(view: TranscriptView) -> QTimer:
    found = view.findChild(QTimer, "transcript_ring_timer")
    assert found is not None
    return found


def running(log: Log, call_id: str = "c1") -> None:
    log.decided(call_id, "pytest -q", category="bash")
    log.add(ToolCallStarted(call_id=call_id, tool="t"))


@pytest.mark.parametrize(
    ("category", "title", "icon"),
    [
        ("read", "Read auth/middleware.py", "file-text"), ("read", "Search “next=” in auth/", "search"),
        ("read", "Find files *.py", "search"), ("read", "List auth", "folder-open"),
        ("read", "Ask: Which dialect?", "message-circle-question-mark"), ("read", "Update the todo list", "list-todo"),
        ("read", "Read the todo list", "list-todo"), ("read", "Present the plan", "list-todo"),
        ("read", "Name this chat “x”", "message-square"), ("read", "Something else", "eye"),
        ("write", "Edit a.py", "file-diff"), ("bash", "Read line", "terminal"), ("external", "x", "globe"),
    ],
)  # fmt: skip
def test_an_icon_tells_what_kind_of_thing_a_call_does(qapp: QApplication, category: str, title: str, icon: str) -> None:
    look(qapp)
    assert call_icon(Call("c", title, category, "ok"))[0] == icon
    assert not pixmap(icon).isNull()


def test_a_waiting_question_does_not_look_like_an_approval() -> None:
    assert call_icon(Call("c", "Ask: x", "read", "waiting", asks="question"))[0] == "message-circle-question-mark"
    assert call_icon(Call("c", "rm x", "bash", "waiting", asks="approval"))[0] == "shield-alert"


def test_the_ring_of_a_running_call_turns_until_the_call_ends(view: TranscriptView, qtbot: QtBot) -> None:
    log = Log()
    running(log)
    view.hearing.take([log.opened()])
    assert call_icon(view.model.rows[0].calls[0])[0] == RUNNING_ICON
    assert timer(view).isActive()
    before = view.grab().toImage()
    with qtbot.waitSignal(timer(view).timeout):
        pass
    assert view.grab().toImage() != before
    view.hearing.take([log.add(ToolCallFinished(call_id="c1", outcome="ok"))])
    assert not timer(view).isActive()


def test_no_ring_turns_out_of_view_or_behind_another_window(view: TranscriptView, qtbot: QtBot) -> None:
    log = Log()
    running(log)
    for number in range(40):
        log.says("words\n\n" * 3, f"m{number}")
    view.hearing.take([log.opened()])
    assert not timer(view).isActive()
    view.verticalScrollBar().setValue(0)
    assert timer(view).isActive()
    other = QWidget()
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    qtbot.waitUntil(lambda: not view.isActiveWindow())
    assert not timer(view).isActive()
    view.window().activateWindow()
    qtbot.waitUntil(lambda: timer(view).isActive())
    view.window().hide()
    qtbot.waitUntil(lambda: not timer(view).isActive())
