"""What stays over the window and over a chat while the store, or the record of a chat, is not as it should be."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from desktop.domain.chats.updates import StoreDamaged
from desktop.domain.commands import ContinueTurn, SendMessage
from desktop.domain.updates import CommandFailed, SessionOpened
from desktop.ui.widgets.strip import Strip
from desktop.ui.window.main_window import MainWindow
from tests.ui.shell_samples import IDLE, IN_LANE, Recorder, begun, envelopes, find, make_window, said, started

CHANGED = CommandFailed(
    command_id="", code="chain", session_id=IDLE.session_id,
    text="The record of this chat was changed outside Banksman (entry 214).",
)  # fmt: skip
DAMAGED = StoreDamaged(problems=("The chats cannot be written: the disk is read-only.", "Two chats cannot be read."))
FROZEN = CommandFailed(
    command_id="", code="frozen", session_id=IDLE.session_id, text="Nothing was recorded: the disk is full."
)  # fmt: skip


@pytest.fixture
def sink() -> Recorder:
    return Recorder()


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, sink: Recorder) -> MainWindow:
    made = make_window(tmp_path, sink, inspector=True)
    qtbot.addWidget(made)
    made.show()
    made.apply_updates(started(IDLE, IN_LANE))
    made.open_chat(IDLE.session_id)
    log = tuple(envelopes(IDLE.session_id, begun(), said("Hello")))
    made.apply_updates([SessionOpened(session_id=IDLE.session_id, envelopes=log)])
    return made


def shown(window: MainWindow, name: str) -> str:
    """The text of a strip, "" while it is hidden."""
    text = find(window, f"{name}_text")
    assert isinstance(text, QLabel)
    return text.text() if text.isVisible() else ""


def click(window: MainWindow, name: str) -> None:
    button = next(widget for widget in window.findChildren(QWidget, name) if widget.isVisible())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def write(window: MainWindow, text: str) -> None:
    window.page.composer.text.setFocus()
    QTest.keyClicks(window.page.composer.text, text)


def messages(sink: Recorder) -> list[str]:
    return [command.text for command in sink.sent if isinstance(command, SendMessage)]


def test_a_damaged_store_is_said_over_the_window_and_blocks_the_composer(window: MainWindow, sink: Recorder) -> None:
    assert shown(window, "store_strip") == ""
    window.apply_updates([DAMAGED])
    assert shown(window, "store_strip") == " ".join(DAMAGED.problems)
    write(window, "go on")
    assert not find(window, "composer_send").isEnabled()
    assert "read" in find(window, "composer_send").toolTip() + window.page.composer.state.blocked
    window.new_chat()
    assert window.page.composer.state.blocked == "The chats can only be read now."
    window.apply_updates([StoreDamaged(problems=())])
    assert shown(window, "store_strip") == ""
    assert window.page.composer.state.blocked == ""


def test_what_waits_to_be_recorded_is_said_until_it_is(window: MainWindow) -> None:
    window.apply_updates([FROZEN])
    assert shown(window, "store_strip") == FROZEN.text
    assert find(window, "store_strip").property("role") == "warning"
    window.apply_updates([*envelopes(IN_LANE.session_id, begun())])
    assert shown(window, "store_strip") == FROZEN.text
    window.apply_updates([*envelopes(IDLE.session_id, said("more"), first=2)])
    assert shown(window, "store_strip") == ""


def test_signs_that_draw_nothing_are_shown_in_the_strip(window: MainWindow) -> None:
    window.apply_updates([StoreDamaged(problems=("a\u202eb",))])
    assert "\u202e" not in shown(window, "store_strip")


def test_a_changed_record_is_said_over_that_chat_alone(window: MainWindow) -> None:
    window.apply_updates([CHANGED])
    assert shown(window, "record_strip") == CHANGED.text
    assert not window.findChildren(QWidget, "toast")
    window.open_chat(IN_LANE.session_id)
    assert shown(window, "record_strip") == ""
    window.open_chat(IDLE.session_id)
    assert shown(window, "record_strip") == CHANGED.text


def test_details_of_a_changed_record_are_in_the_audit(window: MainWindow) -> None:
    window.apply_updates([CHANGED])
    click(window, "record_strip_details")
    assert find(window, "audit_panel").isVisible()


def test_going_on_with_a_changed_record_asks_once(window: MainWindow, sink: Recorder) -> None:
    window.apply_updates([CHANGED])
    write(window, "go on")
    click(window, "composer_send")
    assert messages(sink) == []
    click(window, "record_changed_go")
    assert messages(sink) == ["go on"]
    window.page.commands.send_message(IDLE.session_id, "and more")
    assert messages(sink) == ["go on", "and more"]


def test_a_message_that_is_not_sent_after_all_comes_back(window: MainWindow, sink: Recorder) -> None:
    window.apply_updates([CHANGED])
    write(window, "go on")
    click(window, "composer_send")
    click(window, "record_changed_leave")
    assert messages(sink) == []
    assert window.page.composer.text.toPlainText() == "go on"
    click(window, "composer_send")
    assert find(window, "record_changed_go") is not None


def test_continuing_a_turn_of_a_changed_record_asks_too(window: MainWindow, sink: Recorder) -> None:
    window.apply_updates([CHANGED])
    go_on = ContinueTurn(session_id=IDLE.session_id)
    window.page.commands.send(go_on)
    assert go_on not in sink.sent
    click(window, "record_changed_go")
    assert go_on in sink.sent


def test_other_chats_go_on_without_a_question(window: MainWindow, sink: Recorder) -> None:
    window.apply_updates([CHANGED])
    window.page.commands.send_message(IN_LANE.session_id, "hello")
    assert messages(sink) == ["hello"]


def test_buttons_go_below_a_text_that_would_be_squeezed_beside_them(qtbot: QtBot) -> None:
    region = QWidget()
    qtbot.addWidget(region)
    strip = Strip("some_strip", region)
    buttons = [strip.add_button(text, f"button_{text}") for text in ("Recreate", "Delete lane…", "More")]
    strip.say("The lane folder is gone: /home/robin/.banksman/data/lanes/shop-api-99b33c01/fix-the-login-loop.")
    region.show()

    def at(width: int) -> bool:
        """Whether the buttons stand beside the text at this width."""
        strip.resize(width, strip.room(width))
        strip.layout().activate()
        assert all(strip.rect().contains(one.geometry()) for one in (strip.text, *buttons))
        assert strip.text.height() >= strip.text.heightForWidth(strip.text.width())
        return buttons[0].x() > strip.text.geometry().right()

    assert at(1200)
    assert not at(420)
    assert strip.room(420) < 5 * strip.fontMetrics().lineSpacing() + buttons[0].height()
    for button in buttons:
        button.hide()
    strip.resize(420, strip.room(420))
    strip.layout().activate()
    assert strip.text.width() > 350
