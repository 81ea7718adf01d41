"""A rule that was just saved decides other open cards: a note says how many and leads to the first."""

from datetime import UTC, datetime

from PySide6.QtCore import Qt

from desktop.domain.events import Envelope, InputRequested, InputResolved
from desktop.domain.gate.pending import Answer
from desktop.domain.updates import SessionOpened
from tests.ui.card_requests import command
from tests.ui.shell_samples import IDLE, Recorder, begun, envelopes, find, make_window, started

AT = datetime(2026, 11, 21, 14, 2, tzinfo=UTC)


def opened(qtbot, tmp_path):
    window = make_window(tmp_path, Recorder(), inspector=True)
    qtbot.addWidget(window)
    window.resize(1360, 840)
    window.show()
    window.apply_updates(started(IDLE))
    window.open_chat(IDLE.session_id)
    log = tuple(envelopes(IDLE.session_id, begun()))
    window.apply_updates([SessionOpened(session_id=IDLE.session_id, envelopes=log)])
    return window


def event(seq, event):
    return Envelope(event_id=f"evt_{seq}", session_id=IDLE.session_id, seq=seq, parent_id=None, at=AT, event=event)


def asked(number):
    request = command(call_id=f"call_{number}")
    return event(50 + number, InputRequested(input_id=f"inp_{number}", call_id=request.call_id, request=request))


def resolved(number, reason):
    answer = Answer(outcome="allow_always", scope="project")
    return event(60 + number, InputResolved(input_id=f"inp_{number}", answer=answer, reason=reason))


def test_the_note_says_how_many_more_and_shows_them(qtbot, tmp_path):
    window = opened(qtbot, tmp_path)
    window.apply_updates([asked(1), asked(2), asked(3)])
    window.apply_updates([resolved(1, "person"), resolved(2, "rule"), resolved(3, "rule")])
    toast = find(window, "toast")
    assert toast.accessibleName() == "2 more requests were covered by this rule"
    assert window.page.transcript.model.index_of("resolved:inp_2") >= 0
    qtbot.mouseClick(find(window, "toast_action"), Qt.MouseButton.LeftButton)
    assert not window.notes.area.toasts


def test_one_alone_is_told_as_one_and_an_answer_of_a_person_is_not_told(qtbot, tmp_path):
    window = opened(qtbot, tmp_path)
    window.apply_updates([asked(1), asked(2)])
    window.apply_updates([resolved(1, "person")])
    assert not window.notes.area.toasts
    window.apply_updates([resolved(2, "rule")])
    assert find(window, "toast").accessibleName() == "1 more request was covered by this rule"


def test_a_card_leads_to_the_audit_tab(qtbot, tmp_path):
    window = opened(qtbot, tmp_path)
    window.apply_updates([asked(1)])
    with qtbot.waitSignal(window.page.tab_asked) as shown:
        find(window, "approval_show_audit").click()
    assert shown.args == ["audit"]
