"""Messages that wait: queued while a turn runs, changed in their chips, paused, and what is refused."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPlainTextEdit

from desktop.domain.chats.queue_events import QueuedMessageRemoved, QueuePaused
from desktop.domain.core.work import Activity
from desktop.domain.events import TurnEnded, TurnStarted, UserMessage
from desktop.domain.updates import CommandFailed
from desktop.ui.window.main_window import MainWindow
from tests.ui.compose_place import Place, place, queued
from tests.ui.shell_samples import IDLE, find, said, started

__all__ = ["place"]
ENTER, CONTROL = Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def running(place: Place) -> Place:
    place.show(TurnStarted(turn_id="trn_1"))
    place.does(Activity.RUNNING)
    return place


def chips(window: MainWindow) -> list[str]:
    return [chip.accessibleName() for chip in window.page.area.queue.chips]


def last(place: Place, kind: str):
    return next(command for command in reversed(place.sink.sent) if command.type == kind)


def test_while_a_turn_runs_enter_queues_and_control_enter_stops_the_step(running, qtbot):
    assert running.button("composer_send").text() == "Queue"
    qtbot.keyClicks(running.field, "also add a test")
    qtbot.keyClick(running.field, ENTER)
    sent = last(running, "send_message")
    assert (sent.text, sent.interrupt) == ("also add a test", False)
    running.happens(queued("que_1", "also add a test"))
    assert chips(running.window) == ["Queued: also add a test"]
    assert running.window.page.commands.on_the_way(IDLE.session_id) is None
    qtbot.keyClicks(running.field, "stop, do this")
    qtbot.keyClick(running.field, ENTER, CONTROL)
    sent = last(running, "send_message")
    assert (sent.text, sent.interrupt) == ("stop, do this", True)


def test_with_no_turn_control_enter_only_sends(place, qtbot):
    place.show()
    qtbot.keyClicks(place.field, "hello")
    qtbot.keyClick(place.field, ENTER, CONTROL)
    assert last(place, "send_message").interrupt is False


def test_where_control_enter_sends_shift_too_stops_the_step(running, qtbot):
    running.window.page.composer.set_enter_sends(False)
    qtbot.keyClicks(running.field, "one")
    qtbot.keyClick(running.field, ENTER)
    qtbot.keyClicks(running.field, "two")
    qtbot.keyClick(running.field, ENTER, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    sent = last(running, "send_message")
    assert (sent.text, sent.interrupt) == ("one\ntwo", True)


def test_a_message_that_waits_forgets_its_draft(running, qtbot, tmp_path):
    qtbot.keyClicks(running.field, "also add a test")
    qtbot.keyClick(running.field, ENTER)
    running.happens(queued("que_1", "also add a test"))
    running.window.new_chat()
    running.window.open_chat(IDLE.session_id)
    assert running.field.toPlainText() == ""


def test_the_eleventh_stays_in_the_field_with_a_sentence(running, qtbot):
    running.happens(*(queued(f"que_{n}", f"number {n}") for n in range(10)))
    qtbot.keyClicks(running.field, "one too many")
    qtbot.keyClick(running.field, ENTER)
    assert running.field.toPlainText() == "one too many"
    assert find(running.window, "composer_error", QLabel).text() == "The queue is full (10)."
    assert "send_message" not in running.sink.kinds()


def test_a_message_refused_by_the_queue_comes_back(running, qtbot):
    qtbot.keyClicks(running.field, "one too many")
    qtbot.keyClick(running.field, ENTER)
    command = last(running, "send_message")
    full = CommandFailed(command_id=command.command_id, code="queue_full", text="The queue is full (10).")
    running.window.apply_updates([full])
    assert running.field.toPlainText() == "one too many"
    assert find(running.window, "composer_error", QLabel).text() == "The queue is full (10)."


@pytest.mark.promise("ui-U117")
def test_chips_are_edited_in_their_place(running, qtbot):
    running.happens(queued("que_1", "first"), queued("que_2", "second", ("notes.txt",)))
    chip = running.window.page.area.queue.chips[1]
    assert chip.accessibleName() == "Queued: second · 1 file"
    qtbot.mouseClick(find(chip, "queue_edit"), Qt.MouseButton.LeftButton)
    field = find(chip, "queue_field", QPlainTextEdit)
    qtbot.waitUntil(field.hasFocus)
    qtbot.keyClicks(field, " thing")
    running.happens(queued("que_3", "third"))
    assert field.toPlainText() == "second thing"
    qtbot.keyClick(field, ENTER)
    edit = last(running, "edit_queued")
    assert (edit.queue_id, edit.text, edit.attachments) == ("que_2", "second thing", ("notes.txt",))
    assert not chip.editing


def test_escape_leaves_a_waiting_message_as_it_was(running, qtbot):
    running.happens(queued("que_1", "first"))
    chip = running.window.page.area.queue.chips[0]
    chip.edit()
    field = find(chip, "queue_field", QPlainTextEdit)
    qtbot.keyClicks(field, " changed")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert not chip.editing
    assert "edit_queued" not in running.sink.kinds()


def test_a_message_edited_to_nothing_is_sent_blank_which_takes_it_out(running, qtbot):
    running.happens(queued("que_1", "first"))
    chip = running.window.page.area.queue.chips[0]
    chip.edit()
    find(chip, "queue_field", QPlainTextEdit).setPlainText("")
    qtbot.mouseClick(find(chip, "queue_save"), Qt.MouseButton.LeftButton)
    assert last(running, "edit_queued").text == ""
    running.happens(QueuedMessageRemoved(queue_id="que_1", why="emptied"))
    assert not running.sees("queue_strip")


@pytest.mark.promise("ui-U117")
@pytest.mark.parametrize(
    ("button", "kind", "fields"),
    [
        ("queue_up", "move_queued", {"queue_id": "que_2", "position": 0}),
        ("queue_down", "move_queued", {"queue_id": "que_2", "position": 2}),
        ("queue_remove", "remove_queued", {"queue_id": "que_2"}),
        ("queue_send_now", "send_queued_now", {"queue_id": "que_2"}),
    ],
)
def test_the_buttons_of_a_chip_ask_the_engine(running, qtbot, button, kind, fields):
    running.happens(*(queued(f"que_{n}", f"number {n}") for n in (1, 2, 3)))
    chip = running.window.page.area.queue.chips[1]
    qtbot.mouseClick(find(chip, button), Qt.MouseButton.LeftButton)
    command = last(running, kind)
    assert {name: vars(command)[name] for name in fields} == fields


def test_the_ends_of_the_queue_cannot_be_passed(running):
    running.happens(queued("que_1", "first"), queued("que_2", "second"))
    first, second = running.window.page.area.queue.chips
    assert (find(first, "queue_up").isEnabled(), find(first, "queue_down").isEnabled()) == (False, True)
    assert (find(second, "queue_up").isEnabled(), find(second, "queue_down").isEnabled()) == (True, False)


def test_a_stopped_turn_keeps_the_chips_paused(running, qtbot):
    running.happens(
        queued("que_1", "first"), TurnEnded(turn_id="trn_1", status="interrupted"), QueuePaused(reason="stop")
    )
    running.does(Activity.IDLE)
    assert find(running.window, "queue_paused", QLabel).text() == "Queue paused. You stopped the turn."
    assert running.button("composer_send").text() == "Send"
    qtbot.mouseClick(running.button("queue_resume"), Qt.MouseButton.LeftButton)
    assert last(running, "resume_queue").session_id == IDLE.session_id
    delivered = UserMessage(parts=({"type": "text", "text": "first"},), origin="queued", queue_id="que_1")
    running.happens(delivered, QueuedMessageRemoved(queue_id="que_1", why="delivered"))
    assert not running.sees("queue_strip")


def test_the_queue_of_a_chat_comes_back_with_its_events(place):
    place.show(queued("que_1", "first"), QueuePaused(reason="restart"))
    assert chips(place.window) == ["Queued: first"]
    assert find(place.window, "queue_paused", QLabel).text() == "Queue paused. Banksman was closed meanwhile."
    place.window.new_chat()
    assert not place.sees("queue_strip")


def test_stop_with_shift_lets_the_step_end(running, qtbot):
    stop = running.button("composer_stop")
    assert "Shift" in stop.toolTip()
    running.window.page.stop(True)
    assert last(running, "interrupt").after_step is True
    assert stop.text() == "Stop"
    qtbot.mouseClick(stop, Qt.MouseButton.LeftButton)
    assert last(running, "interrupt").after_step is False
    assert stop.text() == "Stopping…"


def test_text_of_a_waiting_message_is_shown_as_text(place):
    place.window.apply_updates(started(IDLE))
    place.show(queued("que_1", "<b>bold</b> \u202e & more"))
    assert chips(place.window) == ["Queued: <b>bold</b> ⟦U+202E⟧ & more"]


def test_sending_shows_the_end_and_stays_there(place, qtbot):
    place.show(*(said(f"message {n}\n" * 4) for n in range(40)))
    view = place.window.page.transcript
    qtbot.waitUntil(lambda: view.verticalScrollBar().maximum() > 400)
    view.show_row(0)
    assert view.verticalScrollBar().value() < view.verticalScrollBar().maximum()
    qtbot.keyClicks(place.field, "one more")
    qtbot.keyClick(place.field, ENTER)
    qtbot.waitUntil(lambda: view.verticalScrollBar().value() == view.verticalScrollBar().maximum())


def test_what_waits_in_an_idle_chat_can_be_sent_on(place):
    place.show()
    place.happens(queued("que_1", "also add a test"))
    paused = find(place.window, "queue_paused", QLabel)
    assert paused.isVisible()
    assert "closed" in paused.text()
    place.button("queue_resume").click()
    assert last(place, "resume_queue").session_id == IDLE.session_id
