"""An earlier message that is edited: neither it nor what stood in the composer before is lost on the way."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.ui.compose_place import place as place
from tests.ui.shell_samples import IDLE, IN_LANE, said


def edit(place):
    place.show(said("Make it 42"))
    place.field.setPlainText("a draft")
    place.window.page.row_actions.history.edit_asked.emit("evt_1", "Make it 42", ())
    place.field.setPlainText("Make it 43")


def edit_and_send(place):
    edit(place)
    QTest.mouseClick(place.button("composer_send"), Qt.MouseButton.LeftButton)
    command = place.sink.last()
    assert (command.type, command.to_event_id, command.text) == ("rewind_session", "evt_1", "Make it 43")
    assert place.field.toPlainText() == ""


@pytest.mark.promise("ui-U69")
def test_the_former_draft_is_back_once_the_edited_message_is_taken(place):
    edit_and_send(place)
    place.happens(said("Make it 43"))
    assert place.field.toPlainText() == "a draft"


def test_the_former_draft_stands_before_what_was_typed_while_the_message_was_sent(place):
    edit_and_send(place)
    place.field.setPlainText("and then")
    place.happens(said("Make it 43"))
    assert place.field.toPlainText() == "a draft\n\nand then"


def test_an_edit_waits_while_another_chat_is_looked_at(place):
    edit(place)
    place.window.open_chat(IN_LANE.session_id)
    assert place.field.toPlainText() == ""
    assert not place.sees("edit_bar")
    place.window.open_chat(IDLE.session_id)
    assert place.field.toPlainText() == "Make it 43"
    assert place.sees("edit_bar")
    QTest.mouseClick(place.button("edit_cancel"), Qt.MouseButton.LeftButton)
    assert place.field.toPlainText() == "a draft"
