"""The notes of a window: where they stand beside what is read and answered, and when an offer leaves."""

import pytest
from PySide6.QtCore import QPoint, QRect

from desktop.domain.chats.updates import SessionDeletionScheduled
from desktop.domain.lanes.updates import LanesChanged
from desktop.domain.updates import SessionsChanged
from tests.ui.shell_samples import (
    IDLE,
    IN_LANE,
    LANE,
    NOW,
    WAITING,
    Recorder,
    begun,
    card_events,
    fill,
    find,
    make_window,
    said,
    started,
)

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
LONG = "\n\n".join(f"Line {n} of a long message." for n in range(80))


@pytest.fixture
def window(qtbot, tmp_path):
    window = make_window(tmp_path, Recorder())
    qtbot.addWidget(window)
    window.resize(1024, 700)
    with qtbot.waitExposed(window):
        window.show()
    window.apply_updates(started(IDLE, WAITING, IN_LANE))
    return window


def open_chat(window, chat, *events):
    window.open_chat(chat.session_id)
    fill(window, chat, *events)


def area_of(window, widget):
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


def covers(window, name):
    return area_of(window, window.notes.area).intersects(area_of(window, find(window, name)))


def test_a_note_lies_under_a_short_chat_and_over_nothing_that_is_written(window, qtbot):
    open_chat(window, IDLE, begun(), said("Hello"))
    window.notes.say("Saved")
    transcript = window.page.transcript
    end = transcript.mapTo(window, QPoint(0, transcript.end_y)).y()
    qtbot.waitUntil(lambda: area_of(window, window.notes.area).top() >= end)
    assert area_of(window, transcript.viewport()).bottom() < area_of(window, window.notes.area.toasts[0]).top()
    assert not covers(window, "composer")


def test_a_note_covers_nothing_of_a_long_chat_and_leaves_it_as_it_was(window, qtbot):
    open_chat(window, IDLE, begun(), said(LONG))
    transcript, bar = window.page.transcript, window.page.transcript.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    shown = area_of(window, transcript.viewport())
    window.notes.say("Saved", error=True)
    qtbot.waitUntil(lambda: area_of(window, transcript.viewport()).height() < shown.height() - 30)
    seen = area_of(window, transcript.viewport())
    assert seen.top() == shown.top()
    assert seen.bottom() < area_of(window, window.notes.area.toasts[0]).top()
    assert bar.value() == bar.maximum(), "its end stays in sight"
    for name in ("composer", "find_bar"):
        assert not covers(window, name)
    window.notes.area.toasts[0].dismiss()
    assert area_of(window, transcript.viewport()).height() == shown.height()
    assert bar.value() == bar.maximum()


def test_rows_that_are_read_stay_where_they_are_under_a_note(window, qtbot):
    open_chat(window, IDLE, begun(), said(LONG))
    transcript, bar = window.page.transcript, window.page.transcript.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    bar.setValue(40)
    window.notes.say("Saved", error=True)
    qtbot.waitUntil(lambda: transcript.viewportMargins().bottom() > 0)
    assert bar.value() == 40


def test_notes_follow_the_chat_that_is_shown(window, qtbot):
    open_chat(window, IDLE, begun(), said(LONG))
    window.notes.say("Saved", error=True)
    open_chat(window, IN_LANE, begun(), said("Hello"))
    window.notes.area.toasts[0].dismiss()
    assert window.page.transcript.viewportMargins().bottom() == 0


def test_a_note_lies_on_no_card_and_on_no_terminal(window, qtbot):
    open_chat(window, WAITING, *card_events())
    window.terminals.dock.show_drawer(True)
    window.notes.say("Saved")
    for name in ("pending_tray", "composer", "terminal_drawer"):
        qtbot.waitUntil(lambda name=name: not covers(window, name))


def test_an_offer_to_take_a_deletion_back_leaves_when_the_chat_is_there_again(window):
    deleting = SessionDeletionScheduled(session_id=IDLE.session_id, title=IDLE.title, at=NOW)
    window.apply_updates([deleting])
    window.apply_updates([SessionsChanged(sessions=(WAITING, IN_LANE))])
    (note,) = window.notes.area.toasts
    assert note.text.text() == f"Deleted “{IDLE.title}”."
    assert 0 < note.goes_in_ms() <= 9_500
    window.apply_updates([SessionsChanged(sessions=(IDLE, WAITING, IN_LANE))])
    assert window.notes.area.toasts == []


def test_an_offer_to_restore_lanes_leaves_after_ten_seconds_or_when_they_are_there_again(window):
    window.lane_host.offer("Deleted “fix-login”.", "Undo", lambda: None, (LANE.id,))
    window.apply_updates([LanesChanged(lanes=())])
    (note,) = window.notes.area.toasts
    assert 0 < note.goes_in_ms() <= 10_500
    window.apply_updates([LanesChanged(lanes=(LANE,))])
    assert window.notes.area.toasts == []


def test_a_note_of_another_chat_leaves_when_that_chat_is_shown(window):
    open_chat(window, IDLE, begun(), said("Hello"))
    shown = window.contents.panes.on_screen
    assert WAITING.session_id not in shown
    window.notes.tell(
        "Another is waiting for you", "Open", list, lambda: WAITING.session_id in window.contents.panes.on_screen
    )
    window.apply_updates([SessionsChanged(sessions=(IDLE, WAITING, IN_LANE))])
    assert len(window.notes.area.toasts) == 1
    window.open_chat(WAITING.session_id)
    assert window.notes.area.toasts == []
