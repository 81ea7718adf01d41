"""Up and Down bring back earlier messages; the unsent draft comes back unchanged."""

from PySide6.QtCore import Qt

from desktop.domain.events import UserMessage
from tests.ui.compose_place import Place, place
from tests.ui.shell_samples import IN_LANE, envelopes, said

__all__ = ["place"]
UP, DOWN = Qt.Key.Key_Up, Qt.Key.Key_Down


def press(qtbot, place: Place, key: Qt.Key) -> str:
    place.field.setFocus()
    qtbot.keyClick(place.field, key)
    return place.field.toPlainText()


def test_up_goes_back_through_this_chat_then_the_others_and_down_returns(place, qtbot):
    place.window.apply_updates(envelopes(IN_LANE.session_id, said("in the lane"), first=1))
    place.show(said("first"), said("second"))
    assert press(qtbot, place, UP) == "second"
    assert press(qtbot, place, UP) == "first"
    assert press(qtbot, place, UP) == "in the lane"
    assert press(qtbot, place, UP) == "in the lane"
    assert press(qtbot, place, DOWN) == "first"
    assert press(qtbot, place, DOWN) == "second"
    assert press(qtbot, place, DOWN) == ""


def test_up_in_a_text_of_ones_own_only_moves_the_caret(place, qtbot):
    place.show(said("first"))
    place.field.setPlainText("mine")
    assert press(qtbot, place, UP) == "mine"


def test_a_recalled_text_is_no_draft_until_it_is_changed(place, qtbot):
    place.show(said("first"))
    press(qtbot, place, UP)
    place.window.open_chat(IN_LANE.session_id)
    place.window.open_chat(place.window.book.chats[0].session_id)
    assert place.field.toPlainText() == ""


def test_several_lines_are_walked_before_the_next_message(place, qtbot):
    place.show(said("older"), said("line one\nline two"))
    assert press(qtbot, place, UP) == "line one\nline two"
    assert press(qtbot, place, DOWN) == "line one\nline two"
    assert press(qtbot, place, DOWN) == ""


def test_what_was_typed_is_recalled_not_what_the_model_got(place, qtbot):
    sent = UserMessage(parts=({"type": "text", "text": "Review login with care."},), display="/review login")
    files = UserMessage(parts=({"type": "text", "text": "Attached files, to be read"},), attachments=("a.txt",))
    note = UserMessage(parts=({"type": "text", "text": "a note"},), origin="note")
    place.show(sent, files, note)
    assert press(qtbot, place, UP) == "/review login"
    assert press(qtbot, place, UP) == "/review login"
