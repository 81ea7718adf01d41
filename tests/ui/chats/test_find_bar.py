"""Finding words in the chat on screen."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit

from desktop.domain.chats.updates import FoundInSession
from desktop.domain.context.events import Rewound
from desktop.domain.updates import SessionOpened
from desktop.ui.chats.transcript.painting.text_piece import DocumentPiece
from tests.ui.shell_samples import IDLE, begun, chat_window, envelopes, find, said
from tests.ui.transcript_log import Log

CHAT = IDLE.session_id


@pytest.fixture
def window(qtbot, tmp_path, sink):
    return chat_window(qtbot, tmp_path, sink)


@pytest.fixture
def log(window):
    log = Log(CHAT)
    log.add(begun())
    for word in ("cat", "Category", "dog"):
        log.user(f"a {word} here")
    log.call("c1", content="the hidden cat")
    log.call("c2", content="nothing")
    window.apply_updates([log.opened()])
    return log


def looked_for(window, qtbot, sink, text):
    """Open the bar by its key and type."""
    QTest.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    field = find(window, "find_text", QLineEdit)
    field.clear()
    QTest.keyClicks(field, text)
    sent = len(sink.sent)
    qtbot.waitUntil(lambda: any(c.type == "find_in_session" and c.text == text for c in sink.sent[sent - 1 :]))
    return find(window, "find_bar")


def answer(window, sink, *ids, counts=None):
    """Each entry holds it once, or as often as `counts` says."""
    found = FoundInSession(
        request_id=sink.last().request_id, session_id=CHAT, event_ids=ids, counts=counts or (1,) * len(ids)
    )
    window.apply_updates([found])


@pytest.mark.promise("ui-U63")
def test_matches_are_counted_marked_and_walked_round(window, log, qtbot, sink):
    bar = looked_for(window, qtbot, sink, "cat")
    first, second = log.envelopes[1].event_id, log.envelopes[2].event_id
    answer(window, sink, first, second)
    count = find(bar, "find_count", QLabel)
    view = window.page.transcript
    assert (count.text(), view.found_row) == ("2 of 2", "row:2")
    view.viewport().grab()
    layout = view.layouts.layout_of(view.model.index_of("row:2"))
    assert [piece.marks for piece in layout.pieces if isinstance(piece, DocumentPiece)] == [((2, 5),)]
    QTest.keyClick(window, Qt.Key.Key_F3)
    assert (count.text(), view.found_row) == ("1 of 2", "row:1")
    QTest.keyClick(window, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert count.text() == "2 of 2"
    QTest.keyClick(find(bar, "find_text"), Qt.Key.Key_Return)
    assert count.text() == "1 of 2"


@pytest.mark.promise("ui-U63")
def test_each_place_of_an_entry_counts_and_the_one_that_a_person_is_at_stands_out(window, log, qtbot, sink):
    twice = log.user("the cat sees a cat")
    window.apply_updates([log.opened()])
    bar = looked_for(window, qtbot, sink, "cat")
    answer(window, sink, log.envelopes[1].event_id, twice.event_id, counts=(1, 2))
    count = find(bar, "find_count", QLabel)
    view = window.page.transcript

    def marked():
        view.viewport().grab()
        layout = view.layouts.layout_of(view.model.index_of(view.found_row))
        return [piece.marks[piece.marked] for piece in layout.pieces if isinstance(piece, DocumentPiece)]

    assert (count.text(), marked()) == ("3 of 3", [(15, 18)])
    QTest.keyClick(window, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert (count.text(), marked()) == ("2 of 3", [(4, 7)])
    QTest.keyClick(window, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert (count.text(), view.found_row) == ("1 of 3", "row:1")


def test_a_match_in_a_closed_call_opens_it(window, log, qtbot, sink):
    looked_for(window, qtbot, sink, "hidden")
    result = next(e.event_id for e in log.envelopes if e.event.type == "tool_call_finished")
    answer(window, sink, result)
    view = window.page.transcript
    assert view.is_expanded(view.found_row, "c1")
    assert not view.is_expanded(view.found_row, "c2")


def test_case_and_whole_words_are_asked_of_the_engine_and_an_old_answer_is_dropped(window, log, qtbot, sink):
    bar = looked_for(window, qtbot, sink, "cat")
    old = sink.last()
    qtbot.mouseClick(find(bar, "find_case"), Qt.MouseButton.LeftButton, pos=find(bar, "find_case").rect().center())
    find(bar, "find_word").click()
    assert (sink.last().case or find(bar, "find_case").isChecked(), sink.last().whole_word) == (sink.last().case, True)
    window.apply_updates([FoundInSession(request_id=old.request_id, session_id=CHAT, event_ids=("x",), counts=(1,))])
    assert find(bar, "find_count", QLabel).text() == ""
    answer(window, sink)
    assert find(bar, "find_count", QLabel).text() == "No matches"
    assert not find(bar, "find_next").isEnabled()


def test_escape_closes_the_bar_and_leaves_nothing_marked(window, log, qtbot, sink):
    bar = looked_for(window, qtbot, sink, "cat")
    answer(window, sink, log.envelopes[1].event_id)
    QTest.keyClick(find(bar, "find_text"), Qt.Key.Key_Escape)
    assert bar.isHidden()
    assert window.page.transcript.found is None


def test_another_chat_closes_the_bar(window, log, qtbot, sink):
    bar = looked_for(window, qtbot, sink, "cat")
    window.new_chat()
    window.page.transcript.open("ses_other")
    assert bar.isHidden()


def test_a_match_among_rewound_messages_shows_them(window, qtbot, sink):
    log = envelopes(CHAT, begun(), said("one"), said("the cat left"))
    log += envelopes(CHAT, Rewound(to_event_id=log[1].event_id, abandoned_head_id=log[2].event_id), first=3)
    window.apply_updates([SessionOpened(session_id=CHAT, envelopes=tuple(log))])
    assert "the cat left" not in [row.text for row in window.page.transcript.model.rows]
    looked_for(window, qtbot, sink, "cat")
    answer(window, sink, log[2].event_id)
    assert "the cat left" in [row.text for row in window.page.transcript.model.rows]


def test_the_bar_stays_in_the_corner_when_the_messages_get_narrower(window, log, qtbot, sink):
    bar = looked_for(window, qtbot, sink, "cat")
    messages = window.page.transcript
    for width in (900, 500):
        messages.resize(width, messages.height())
        assert 0 <= messages.viewport().width() - bar.geometry().right() < 40
