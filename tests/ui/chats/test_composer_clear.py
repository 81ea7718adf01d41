"""Clearing what is written: only the draft, and it can be taken back."""

from PySide6.QtCore import QMimeData, Qt, QUrl

from desktop.domain.chats.updates import AttachmentReady
from desktop.ui.chats.composer.attachment_strip import AttachmentChip
from tests.ui.compose_place import Place, place
from tests.ui.shell_samples import IN_LANE

__all__ = ["place"]


def chips(place: Place) -> list[str]:
    return [chip.accessibleName() for chip in place.window.findChildren(AttachmentChip) if chip.isVisible()]


def attach(place: Place) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/srv/notes.txt")])
    place.window.page.composer.text.insertFromMimeData(data)
    request = place.sink.last().request_id
    ready = AttachmentReady(request_id=request, logical_name="notes.txt", sha256="a" * 64, size_bytes=1200)
    place.window.apply_updates([ready])


def clear(qtbot, place: Place) -> None:
    qtbot.mouseClick(place.button("composer_clear"), Qt.MouseButton.LeftButton)


def test_the_button_is_there_only_while_something_is_written(place, qtbot):
    place.show()
    assert not place.sees("composer_clear")
    qtbot.keyClicks(place.field, "hello")
    assert place.sees("composer_clear")
    clear(qtbot, place)
    assert (place.field.toPlainText(), place.sees("composer_clear")) == ("", False)


def test_text_and_files_come_back_by_undo(place, qtbot):
    place.show()
    attach(place)
    qtbot.keyClicks(place.field, "hello")
    clear(qtbot, place)
    assert (place.field.toPlainText(), chips(place)) == ("", [])
    qtbot.mouseClick(place.button("composer_undo_button"), Qt.MouseButton.LeftButton)
    assert (place.field.toPlainText(), chips(place)) == ("hello", ["notes.txt, 1.2 KB"])
    assert not place.sees("composer_undo")


def test_what_was_typed_after_clearing_stays(place, qtbot):
    place.show()
    qtbot.keyClicks(place.field, "first")
    clear(qtbot, place)
    qtbot.keyClicks(place.field, "second")
    qtbot.mouseClick(place.button("composer_undo_button"), Qt.MouseButton.LeftButton)
    assert place.field.toPlainText() == "first\nsecond"


def test_ctrl_z_takes_clearing_back_too(place, qtbot):
    place.show()
    qtbot.keyClicks(place.field, "hello")
    clear(qtbot, place)
    qtbot.keyClick(place.field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert place.field.toPlainText() == "hello"


def test_another_chat_offers_no_undo(place, qtbot):
    place.show()
    qtbot.keyClicks(place.field, "hello")
    clear(qtbot, place)
    place.window.open_chat(IN_LANE.session_id)
    assert not place.sees("composer_undo")


def test_ctrl_z_takes_the_choice_of_a_command_back(place, qtbot):
    place.show()
    place.field.setFocus()
    qtbot.waitUntil(place.field.hasFocus)
    qtbot.keyClicks(place.field, "/rena")
    qtbot.keyClick(place.field, Qt.Key.Key_Tab)
    assert place.field.toPlainText() == "/rename "
    qtbot.keyClick(place.field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert place.field.toPlainText() == "/rena"
