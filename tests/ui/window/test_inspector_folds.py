"""The inspector is a strip while there is nothing in it, opens when something comes, and does what the person says."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest

from desktop.domain.core.work import Activity
from desktop.domain.updates import ActivityChanged, TextDelta
from desktop.ui.changes.tab import ChangesTab
from desktop.ui.core.panel import UNCOUNTED
from desktop.ui.window.front.place import FOLDED_WIDTH
from desktop.ui.window.inspector import Inspector
from tests.ui.shell_samples import IDLE, IN_LANE, NOW, Recorder, find, make_window, show_active, started


@pytest.fixture
def window(qtbot, tmp_path):
    window = make_window(tmp_path, Recorder(), inspector=True)
    show_active(qtbot, window)
    window.apply_updates(started(IDLE, IN_LANE))
    window.open_chat(IDLE.session_id)
    return window


def inspector(window):
    return find(window, "inspector", Inspector)


def count(window, number):
    inspector(window).of(ChangesTab).counted.emit(number)


def comes(window, qtbot, number):
    """Something comes, and the inspector has unfolded for it."""
    count(window, number)
    qtbot.waitUntil(lambda: inspector(window).isVisible())


def delta(session_id, revision):
    return TextDelta(session_id=session_id, message_id="msg_1", part_index=0, revision=revision, text="a ")


def toggle(window):
    window.findChild(QAction, "action_toggle_inspector").trigger()


def test_with_nothing_in_it_it_is_a_strip(window):
    assert not inspector(window).isVisible()
    assert window.front.inspector.width() == FOLDED_WIDTH
    assert find(window, "inspector_unfold").isVisible()


def test_it_opens_when_something_comes_and_folds_when_that_is_gone(window, qtbot):
    comes(window, qtbot, 2)
    assert window.front.inspector.width() == 360
    count(window, 0)
    assert inspector(window).isVisible()
    qtbot.waitUntil(lambda: not inspector(window).isVisible())


def test_it_does_not_fold_under_the_hands_of_who_works_in_it(window, qtbot):
    comes(window, qtbot, 2)
    tabs = find(window, "inspector_tab_bar")
    tabs.setFocus()
    inspector(window)._settle.setInterval(1)
    with qtbot.waitSignal(inspector(window)._settle.timeout):
        count(window, 0)
    assert inspector(window).isVisible()
    window.page.composer.text.setFocus()
    qtbot.waitUntil(lambda: not inspector(window).isVisible())


def test_it_opens_whole_though_more_comes_while_it_unfolds(window, qtbot):
    frame = window.front.frame
    frame._unfold.timeout.connect(lambda: frame.set_vacant(False))
    comes(window, qtbot, 2)


def test_it_opens_in_a_pause_of_what_is_being_written(window, qtbot):
    frame = window.front.frame
    window.apply_updates([ActivityChanged(session_id=IDLE.session_id, activity=Activity.RUNNING, since=NOW)])
    for revision in range(20):
        window.apply_updates([delta(IDLE.session_id, revision)])
        count(window, 2)
        qtbot.wait(20)
        assert frame.unfolds
        assert not inspector(window).isVisible()
    qtbot.waitUntil(lambda: inspector(window).isVisible())


def test_what_other_chats_write_does_not_hold_it(window, qtbot):
    count(window, 2)
    for revision in range(40):
        window.apply_updates([delta(IN_LANE.session_id, revision)])
        qtbot.wait(5)
    assert inspector(window).isVisible()


def test_it_opens_for_what_could_not_be_read(window, qtbot):
    comes(window, qtbot, UNCOUNTED)
    assert find(window, "inspector_tab_bar").tabText(0) == "Changes"


def test_going_from_one_chat_with_changes_to_another_folds_nothing(window, qtbot):
    comes(window, qtbot, 2)
    told = []
    inspector(window).vacant_changed.connect(told.append)
    window.open_chat(IN_LANE.session_id)
    count(window, 0)
    count(window, 3)
    assert told == [False]
    assert inspector(window).isVisible()


def test_what_the_person_opened_stays_open(window, qtbot, tmp_path):
    QTest.mouseClick(find(window, "inspector_unfold"), Qt.MouseButton.LeftButton)
    assert inspector(window).isVisible()
    count(window, 2)
    count(window, 0)
    with qtbot.waitSignal(inspector(window).vacant_changed):
        pass
    assert inspector(window).isVisible()
    window.close()
    again = make_window(tmp_path, Recorder(), inspector=True)
    qtbot.addWidget(again)
    again.resize(1360, 840)
    again.show()
    assert inspector(again).isVisible()
    toggle(again)
    assert not inspector(again).isVisible()
    assert find(again, "inspector_unfold").isVisible()


def test_what_the_person_hid_does_not_open(window, qtbot):
    comes(window, qtbot, 2)
    toggle(window)
    count(window, 3)
    qtbot.wait(0)
    assert not inspector(window).isVisible()
    assert not find(window, "inspector_unfold").isVisible()


def test_what_the_person_does_with_the_strip_comes_before_its_unfolding(window, qtbot):
    count(window, 2)
    assert not inspector(window).isVisible()
    toggle(window)
    assert inspector(window).isVisible()
    toggle(window)
    for _ in range(3):
        qtbot.wait(0)
        assert not inspector(window).isVisible()


def test_a_tab_that_is_asked_for_is_shown_until_another_chat_is(window):
    window.page.tab_asked.emit("audit")
    assert inspector(window).isVisible()
    assert inspector(window).tab == "Audit"
    window.open_chat(IN_LANE.session_id)
    assert not inspector(window).isVisible()


def test_where_it_lies_over_the_centre_it_is_whole(window):
    window.resize(900, 700)
    assert not find(window, "inspector_unfold").isVisible()
    toggle(window)
    assert inspector(window).isVisible()


def test_what_was_hidden_is_shown_whole_when_the_person_asks_for_it(window, qtbot):
    comes(window, qtbot, 2)
    toggle(window)
    count(window, 0)
    with qtbot.waitSignal(inspector(window).vacant_changed):
        pass
    toggle(window)
    assert inspector(window).isVisible()
