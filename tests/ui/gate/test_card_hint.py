"""The line over the first card ever shown."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from desktop.domain.events import InputResolved
from desktop.domain.gate.pending import Answer
from desktop.domain.updates import SessionOpened
from tests.ui.shell_samples import WAITING, Recorder, card_events, envelopes, find, make_window, started, waits


def opened(qtbot, folder, sink, height=840):
    window = make_window(folder, sink)
    qtbot.addWidget(window)
    window.resize(1360, height)
    window.show()
    window.apply_updates(started(WAITING))
    window.open_chat(WAITING.session_id)
    log = tuple(envelopes(WAITING.session_id, *card_events()))
    window.apply_updates([SessionOpened(session_id=WAITING.session_id, envelopes=log)])
    return window


@pytest.mark.promise("ui-U156")
def test_the_first_card_says_its_keys_until_a_person_got_it(qtbot, tmp_path, sink):
    window = opened(qtbot, tmp_path, sink)
    hint = find(window, "card_hint")
    assert hint.isVisible()
    assert hint.findChild(QLabel).text() == "F8 jumps to a waiting card. Ctrl+Enter approves it."
    QTest.mouseClick(find(window, "card_hint_got_it", QPushButton), Qt.MouseButton.LeftButton)
    assert not hint.isVisible()
    assert find(window, "approval_card").isVisible()
    assert "answer_input" not in sink.kinds()
    assert not find(opened(qtbot, tmp_path, Recorder()), "card_hint").isVisible()


def test_it_goes_with_the_first_card_and_does_not_come_back(qtbot, tmp_path, sink):
    window = opened(qtbot, tmp_path, sink)
    answered = InputResolved(input_id=waits().input_id, answer=Answer(outcome="allow_once"))
    window.apply_updates(envelopes(WAITING.session_id, answered, first=len(card_events())))
    assert not find(window, "card_hint").isVisible()
    assert not find(opened(qtbot, tmp_path, Recorder()), "card_hint").isVisible()


def test_a_low_window_leaves_the_room_to_the_card(qtbot, tmp_path, sink):
    window = opened(qtbot, tmp_path, sink, height=480)
    assert not find(window, "card_hint").isVisible()
    window.resize(1360, 840)
    qtbot.waitUntil(find(window, "card_hint").isVisible)
