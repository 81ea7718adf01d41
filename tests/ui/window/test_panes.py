"""Two chats beside each other in one window: opened, gone between, answered, narrowed, closed, and there again."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QWidget

from desktop.domain.chats.updates import SessionDeletionScheduled
from desktop.domain.core.work import Project
from desktop.domain.updates import ProjectOpened, SessionOpened, SessionsChanged
from desktop.ui.changes.tab import ChangesTab
from desktop.ui.chats.page import ChatPage
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.layouts.key_splitter import SplitterHandle
from desktop.ui.window.inspector import Inspector
from tests.ui.shell_samples import (
    IDLE,
    IN_LANE,
    NOW,
    WAITING,
    begun,
    card_events,
    envelopes,
    fill,
    find,
    make_window,
    said,
    show_active,
    started,
)


@pytest.fixture
def window(qtbot, tmp_path, sink):
    window = make_window(tmp_path, sink, inspector=True)
    show_active(qtbot, window)
    window.apply_updates(started(IDLE, IN_LANE, WAITING))
    window.open_chat(IDLE.session_id)
    fill(window, IDLE, begun(title=IDLE.title), said("Why three times?"))
    yield window
    theme().choose("light")


def beside(window, chat=IN_LANE):
    """Open a chat beside the one on screen, by the menu of the sidebar."""
    window.sidebar.chat_action.emit(chat.session_id, "beside")


def act(window, name):
    action = window.findChild(QAction, f"action_{name}")
    assert action.isEnabled(), name
    action.trigger()


def shown(window):
    return [page.session_id for page in window.contents.panes.pages]


def seen(window):
    pages = [page for page in window.findChildren(ChatPage) if page.isVisible()]
    return [page.session_id for page in sorted(pages, key=lambda one: one.mapTo(window, QPoint()).x())]


def test_a_second_pane_is_made_when_it_is_opened_first(window):
    assert len(window.findChildren(ChatPage)) == 1
    beside(window)
    assert shown(window) == [IDLE.session_id, IN_LANE.session_id] == seen(window)
    assert window.page.session_id == IN_LANE.session_id
    act(window, "close_pane")
    assert shown(window) == [IDLE.session_id] == seen(window)
    beside(window, WAITING)
    assert len(window.findChildren(ChatPage)) == 2


def test_what_is_opened_beside_has_the_keys_and_the_inspector(window, sink):
    beside(window)
    assert window.page.composer.text.hasFocus()
    fill(window, IN_LANE, begun(), said("Fix it"))
    inspector = find(window, "inspector", Inspector)
    assert inspector.session_id == IN_LANE.session_id
    left = window.contents.panes.pages[0]
    QTest.mouseClick(left.transcript.viewport(), Qt.MouseButton.LeftButton)
    assert window.page is left
    assert inspector.session_id == IDLE.session_id
    assert "Explain the retry policy" in window.windowTitle()


def test_the_inspector_is_told_of_the_chat_to_which_one_goes_and_its_page_does_not_begin_anew(window, sink):
    beside(window)
    fill(window, IN_LANE, begun(), said("Fix it"))
    left = window.contents.panes.pages[0]
    rows, anew = [row.text for row in left.transcript.model.rows], []
    left.transcript.model.modelReset.connect(lambda: anew.append(1))
    before = len(sink.sent)
    act(window, "other_pane")
    (asked,) = [one for one in sink.sent[before:] if one.type == "open_session"]
    assert asked.session_id == IDLE.session_id
    told = tuple(envelopes(IDLE.session_id, begun(title=IDLE.title), said("Why three times?")))
    opened = SessionOpened(session_id=IDLE.session_id, envelopes=told, command_id=asked.command_id)
    fold = find(window, "inspector", Inspector).of(ChangesTab).fold
    assert not fold.is_there
    window.apply_updates([opened])
    assert (fold.session_id, fold.is_there) == (IDLE.session_id, True)
    assert (anew, [row.text for row in left.transcript.model.rows]) == ([], rows)
    before = len(sink.sent)
    left.composer.text.setFocus()
    assert [one for one in sink.sent[before:] if one.type == "open_session"] == []


def test_a_message_goes_to_the_chat_of_the_pane_in_which_it_is_written(window, sink):
    beside(window)
    fill(window, IN_LANE, begun(), said("Fix it"))
    QTest.keyClicks(window.page.composer.text, "Go on")
    act(window, "other_pane")
    assert window.page.session_id == IDLE.session_id
    assert window.page.composer.text.toPlainText() == ""
    act(window, "other_pane")
    QTest.keyClick(window.page.composer.text, Qt.Key.Key_Return)
    told = [one for one in sink.sent if one.type == "send_message"]
    assert [(one.session_id, one.text) for one in told] == [(IN_LANE.session_id, "Go on")]


def test_ctrl_enter_answers_no_card_of_the_pane_without_the_focus(window, qtbot, sink):
    beside(window, WAITING)
    fill(window, WAITING, *card_events())
    card = find(window.page, "approval_card")
    act(window, "other_pane")
    qtbot.waitUntil(card.guard.is_open)
    for target in (window.page.composer.text, window.page.transcript, window):
        QTest.keyClick(target, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert "answer_input" not in sink.kinds()
    act(window, "next_waiting")
    assert window.page.session_id == WAITING.session_id
    assert card.hasFocus()
    qtbot.waitUntil(card.guard.is_open)
    QTest.keyClick(card, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert sink.kinds().count("answer_input") == 1


def test_f6_walks_through_both_chats(window, qtbot):
    beside(window)
    fill(window, IN_LANE, begun(), said("Fix it"))
    window.sidebar.tree.setFocus()
    left, right = window.contents.panes.pages
    for part in (left.transcript, left.composer.text, right.transcript, right.composer.text):
        qtbot.keyClick(window, Qt.Key.Key_F6)
        assert part.hasFocus()
    assert window.page is right
    qtbot.keyClick(window, Qt.Key.Key_F6)
    assert find(window, "inspector_unfold").hasFocus()
    assert window.page is right


def test_the_active_pane_can_be_seen(window):
    beside(window)
    left, right = window.contents.panes.pages
    assert (left.accessibleName(), right.accessibleName()) == ("Other chat", "Active chat")
    titles = [find(page, "header_title").property("role") for page in (left, right)]
    assert titles == ["", "title"]
    act(window, "close_pane")
    assert find(window.page, "header_title").property("role") == "title"
    assert window.page.accessibleName() == ""


def test_no_chat_stands_in_both_panes(window):
    beside(window)
    window.open_chat(IDLE.session_id)
    assert window.page is window.contents.panes.pages[0]
    assert shown(window) == [IDLE.session_id, IN_LANE.session_id]
    beside(window, IN_LANE)
    assert window.page is window.contents.panes.pages[1]
    beside(window, WAITING)
    assert shown(window) == [WAITING.session_id, IN_LANE.session_id]


def test_by_its_key_the_chat_that_was_on_screen_before_comes_beside(window, qtbot):
    window.open_chat(IN_LANE.session_id)
    qtbot.keyClick(window, Qt.Key.Key_Backslash, Qt.KeyboardModifier.ControlModifier)
    assert shown(window) == [IN_LANE.session_id, IDLE.session_id]


def test_with_no_other_chat_the_page_of_a_new_one_comes_beside(window):
    act(window, "open_beside")
    assert shown(window) == [IDLE.session_id, ""]
    act(window, "close_pane")
    act(window, "new_chat")
    act(window, "open_beside")
    assert shown(window) == ["", IDLE.session_id]


def test_nothing_comes_beside_a_page_of_a_new_chat_where_there_is_no_other(qtbot, tmp_path, sink):
    window = make_window(tmp_path, sink)
    qtbot.addWidget(window)
    window.show()
    window.apply_updates(started())
    act(window, "open_beside")
    assert shown(window) == [""]
    assert find(window, "toast").accessibleName() == "There is no other chat to open beside this one."


@pytest.mark.parametrize("which", [0, 1])
def test_either_pane_can_be_closed_and_the_other_has_all_the_room(window, which):
    beside(window)
    pages = window.contents.panes.pages
    button = find(pages[which], "pane_close", QAbstractButton)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.page is pages[1 - which]
    assert seen(window) == [pages[1 - which].session_id]
    assert window.page.composer.text.hasFocus()
    assert not find(window.page, "pane_close").isVisible()
    assert not window.findChild(QAction, "action_close_pane").isEnabled()


def test_where_it_is_narrow_one_is_shown_and_a_switch_leads_to_the_other(window):
    beside(window, WAITING)
    fill(window, WAITING, *card_events())
    window.open_chat(IDLE.session_id)
    act(window, "toggle_inspector")
    window.resize(1024, 700)
    assert seen(window) == [IDLE.session_id]
    right = find(window, "pane_right", QAbstractButton)
    assert right.accessibleName() == "Right chat: Fix login redirect loop · waiting"
    QTest.mouseClick(right, Qt.MouseButton.LeftButton)
    assert seen(window) == [WAITING.session_id]
    assert window.page.composer.text.hasFocus()
    act(window, "other_pane")
    assert seen(window) == [IDLE.session_id]
    window.resize(1360, 840)
    assert seen(window) == [IDLE.session_id, WAITING.session_id]
    assert not find(window, "pane_switch").isVisible()


def test_at_1024_both_have_room_while_the_inspector_is_folded(window):
    beside(window)
    window.resize(1024, 700)
    assert len(seen(window)) == 2
    for page in window.contents.panes.pages:
        send = find(page, "composer_send")
        assert page.rect().contains(send.mapTo(page, send.rect().center()))


def test_the_line_between_them_is_moved_by_keys_and_kept(window, qtbot, tmp_path, sink):
    beside(window)
    panes, handle = window.contents.panes, find(window, "splitter_panes", SplitterHandle)
    before = panes.pages[0].width()
    handle.setFocus()
    QTest.keyClick(handle, Qt.Key.Key_Right)
    assert panes.pages[0].width() > before
    share = panes.share
    window.close()
    again = make_window(tmp_path, sink, inspector=True)
    qtbot.addWidget(again)
    assert again.contents.panes.share == share
    again.contents.panes.set_share(50)
    handle.reset.emit()
    assert panes.share == 50


def test_both_chats_are_there_again_after_a_restart(window, qtbot, tmp_path, sink):
    beside(window)
    window.open_chat(IDLE.session_id)
    window.close()
    again = make_window(tmp_path, sink, inspector=True)
    qtbot.addWidget(again)
    again.resize(1360, 840)
    again.show()
    again.apply_updates(started(IDLE, IN_LANE))
    assert shown(again) == [IDLE.session_id, IN_LANE.session_id]
    assert again.page.session_id == IDLE.session_id


def test_of_two_chats_the_one_that_is_left_is_there_after_a_restart(window, qtbot, tmp_path, sink):
    beside(window)
    window.close()
    again = make_window(tmp_path, sink)
    qtbot.addWidget(again)
    again.apply_updates(started(IN_LANE))
    assert shown(again) == [IN_LANE.session_id]


@pytest.mark.parametrize("deleted", [IDLE, IN_LANE])
def test_the_pane_of_a_chat_that_is_deleted_closes(window, deleted):
    beside(window)
    window.apply_updates([SessionDeletionScheduled(session_id=deleted.session_id, title=deleted.title, at=NOW)])
    left = IDLE if deleted is IN_LANE else IN_LANE
    assert shown(window) == [left.session_id]


def test_another_repository_has_one_pane(window):
    beside(window)
    other = Project(id="prj_2", name="other", path="/srv/other", branch="main")
    window.apply_updates([ProjectOpened(project=other), SessionsChanged(sessions=())])
    assert shown(window) == [""]


def test_both_chats_on_screen_count_as_seen(window):
    beside(window)
    newer = [one.model_copy(update={"last_activity_at": NOW}) for one in (IDLE, IN_LANE)]
    window.apply_updates([SessionsChanged(sessions=tuple(newer))])
    unseen = [one for one in newer if window.contents.seen.at[one.session_id] < one.last_activity_at]
    assert unseen == []


def test_every_button_of_two_panes_has_a_name_that_no_sibling_has(window):
    beside(window)
    fill(window, IN_LANE, begun(), said("Fix it"))
    panes = [pane for pane in window.findChildren(QWidget, "pane") if pane.isVisible()]
    assert len({pane.page.accessibleName() for pane in panes}) == 2


def test_a_card_that_comes_beside_takes_no_key_of_the_chat_in_which_one_writes(window, qtbot, sink):
    beside(window, WAITING)
    act(window, "other_pane")
    field = window.page.composer.text
    fill(window, WAITING, *card_events())
    card = find(window.contents.panes.other, "approval_card")
    assert field.hasFocus()
    qtbot.waitUntil(card.guard.is_open)
    for modifier in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier):
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Escape):
            QTest.keyClick(field, key, modifier)
    assert field.hasFocus()
    assert not [one for one in sink.sent if one.type == "answer_input"]


def test_a_card_to_which_one_comes_back_by_a_key_waits_again(window, qtbot, sink):
    beside(window, WAITING)
    fill(window, WAITING, *card_events())
    card = find(window.page, "approval_card")
    window.page.tray.focus_card()
    qtbot.waitUntil(card.guard.is_open)
    act(window, "other_pane")
    act(window, "other_pane")
    assert card.hasFocus()
    assert not card.guard.is_open()
    QTest.keyClick(card, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert not [one for one in sink.sent if one.type == "answer_input"]
