"""The board: all chats in columns by what they need, reached by keys, and up to date while it is seen."""

from datetime import timedelta

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from desktop.domain.core.work import Activity
from desktop.domain.updates import SessionsChanged
from desktop.ui.board.column import BoardColumn
from desktop.ui.models.keyed_rows import ROW_ROLE
from tests.ui.shell_samples import (
    IDLE,
    IN_LANE,
    NOW,
    WAITING,
    Recorder,
    find,
    make_chat,
    make_window,
    show_active,
    started,
)

BUSY = make_chat(7, "Move the tests", activity=Activity.RUNNING)
FAILED = make_chat(8, "Sort <b>the</b> imports", failed="network")


@pytest.fixture
def window(qtbot, tmp_path):
    window = make_window(tmp_path, Recorder())
    show_active(qtbot, window)
    window.apply_updates(started(IDLE, IN_LANE, WAITING, BUSY, FAILED))
    window.page.action_asked.emit("board")
    return window


def column(window, name: str) -> BoardColumn:
    found = window.findChild(QWidget, f"board_{name}")
    assert isinstance(found, BoardColumn)
    return found


def titles(window, name: str) -> list[str]:
    return [card.title for card in column(window, name).cards.rows]


def test_each_chat_stands_in_the_column_of_what_it_needs(window):
    assert sorted(titles(window, "waiting")) == ["Bump sqlglot", "Sort <b>the</b> imports"]
    assert titles(window, "working") == ["Move the tests"]
    assert sorted(titles(window, "idle")) == ["Explain the retry policy", "Fix login redirect loop"]
    assert titles(window, "review") == []
    assert column(window, "review").isHidden()
    cards = column(window, "waiting").cards
    said = cards.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "Approve" in said or "Failed" in said
    assert cards.data(QModelIndex()) is None
    assert cards.index(0, 0).data(ROW_ROLE).key.startswith("session:")


def test_a_chat_moves_when_its_state_does_and_the_others_stay(window):
    changed = BUSY.model_copy(update={"activity": Activity.IDLE})
    window.apply_updates([SessionsChanged(sessions=(IDLE, IN_LANE, WAITING, changed, FAILED))])
    assert titles(window, "working") == []
    assert "Move the tests" in titles(window, "review") + titles(window, "idle")


def test_keys_go_from_column_to_column_and_enter_opens(qtbot, window):
    waiting = column(window, "waiting")
    qtbot.waitUntil(waiting.hasFocus)
    qtbot.keyClick(waiting, Qt.Key.Key_Right)
    working = column(window, "working")
    assert working.hasFocus()
    qtbot.keyClick(working, Qt.Key.Key_Right)
    idle = column(window, "idle")
    assert idle.hasFocus()
    qtbot.keyClick(idle, Qt.Key.Key_Down)
    qtbot.keyClick(idle, Qt.Key.Key_Left)
    qtbot.keyClick(column(window, "working"), Qt.Key.Key_Return)
    assert window.page.session_id == BUSY.session_id
    assert window.findChild(QWidget, "board_cover").isHidden()


def test_words_filter_it_and_escape_leaves(qtbot, window):
    field = find(window, "board_filter", QLineEdit)
    field.setFocus()
    qtbot.keyClicks(field, "login")
    assert titles(window, "idle") == ["Fix login redirect loop"]
    assert titles(window, "waiting") == ["Bump sqlglot"]  # its lane is called so
    assert titles(window, "working") == []
    assert find(window, "board_working_empty", QLabel).text() == "Nothing matches “login”."
    qtbot.keyClicks(field, "zzz")
    window.page.action_asked.emit("board")
    assert find(window, "board_filter", QLineEdit).hasFocus()
    field.clear()
    assert find(window, "board_review_empty", QLabel).text() == "Nothing is done that you have not seen."
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert window.findChild(QWidget, "board_cover").isHidden()


def test_where_it_is_narrow_two_columns_stand_above_the_others(window):
    waiting, idle = column(window, "waiting"), column(window, "idle")
    assert waiting.mapTo(window, QPoint(0, 0)).y() == idle.mapTo(window, QPoint(0, 0)).y()
    window.findChild(QWidget, "board").resize(480, 600)
    window.findChild(QWidget, "board").layout().activate()
    assert waiting.mapTo(window, QPoint(0, 0)).y() < idle.mapTo(window, QPoint(0, 0)).y()


def test_200_chats_stand_once_each(window):
    many = tuple(make_chat(100 + n, f"Chat {n}", last_activity_at=NOW - timedelta(minutes=n)) for n in range(200))
    window.apply_updates([SessionsChanged(sessions=many)])
    cards = [card.key for name in ("waiting", "working", "review", "idle") for card in column(window, name).cards.rows]
    assert len(cards) == len(set(cards)) == 200


def test_a_title_that_is_too_long_for_its_card_gets_a_second_line(qtbot, window):
    cards = column(window, "idle")
    heights = [cards.visualRect(cards.cards.index(row, 0)).height() for row in range(2)]
    assert len(set(heights)) == 1
    cards.setFixedWidth(150)
    qtbot.waitUntil(lambda: cards.visualRect(cards.cards.index(0, 0)).height() > heights[0])
    cards.setFixedWidth(400)
    qtbot.waitUntil(lambda: cards.visualRect(cards.cards.index(0, 0)).height() == heights[0])
