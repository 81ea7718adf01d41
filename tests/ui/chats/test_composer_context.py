"""The context meter in its states, what it opens, an offered summary, and a chat that spends fast."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPlainTextEdit

from desktop.domain.chats.updates import CompactionOffered, ContextMeterChanged, SpendAlarm
from desktop.domain.context.events import Compacted
from desktop.domain.core.work import Activity
from desktop.domain.updates import CommandFailed
from desktop.ui.context.meter import cost_words, meter_words
from tests.ui.compose_place import Place, place
from tests.ui.shell_samples import IDLE, IN_LANE, find

__all__ = ["place"]


def meter(used: int, window: int = 100_000, session_id: str = IDLE.session_id, **fields) -> ContextMeterChanged:
    return ContextMeterChanged(session_id=session_id, used=used, window=window, **fields)


def offer(session_id: str = IDLE.session_id) -> CompactionOffered:
    return CompactionOffered(
        command_id="cmd_1",
        session_id=session_id, staging_id="stg_1", summary="# Goal\n- Mend it.", tokens_before=142_000,
        tokens_after=18_000, keeps="Your last message stays word for word.",
    )  # fmt: skip


def last(place: Place, kind: str):
    return next(command for command in reversed(place.sink.sent) if command.type == kind)


@pytest.mark.promise("ui-U122")
@pytest.mark.parametrize(
    ("used", "window", "words", "role", "warning"),
    [
        (41_000, 100_000, "41 % of context", "", ""),
        (69_999, 100_000, "69 % of context", "", ""),
        (70_000, 100_000, "70 % of context", "warning", "filling up"),
        (89_999, 100_000, "89 % of context", "warning", "filling up"),
        (90_000, 100_000, "90 % of context", "danger", "compacts soon"),
        (120_000, 100_000, "120 % of context", "danger", "compacts soon"),
        (12_400, 0, "12.4k tokens", "", ""),
        (0, 100_000, "0 % of context", "", ""),
    ],
)
def test_the_meter_says_how_full_the_window_is(used, window, words, role, warning):
    found = meter_words(meter(used, window, compacts_at=88_000))
    assert (found.whole, found.role, found.warning) == (words, role, warning)


def test_what_is_not_compacted_by_itself_is_not_said_to_be() -> None:
    assert meter_words(meter(95_000, 100_000)).warning == "nearly full"


@pytest.mark.parametrize(
    ("cost", "unknown", "words"),
    [
        (210_000, False, "Cost of this chat: $0.21"),
        (0, True, "Cost of this chat: unknown"),
        (210_000, True, "Cost of this chat: $0.21 and more that nobody knows"),
    ],
)
def test_a_cost_that_nobody_knows_is_said_to_be_unknown(cost, unknown, words):
    assert cost_words(meter(1, cost_microusd=cost, cost_unknown=unknown)) == words


def test_the_meter_belongs_to_the_chat_on_screen(place):
    place.show()
    assert not place.sees("composer_context")
    place.window.apply_updates([meter(75_000), meter(5_000, session_id=IN_LANE.session_id)])
    button = place.button("composer_context")
    assert button.text() == "75 % of context · filling up"
    assert button.accessibleName() == "Context: 75 % of context · filling up"
    place.window.open_chat(IN_LANE.session_id)
    assert place.button("composer_context").text() == "5 % of context"
    place.window.new_chat()
    assert not place.sees("composer_context")


def test_the_popup_tells_parts_and_cost_and_leads_to_a_summary(place, qtbot):
    place.show()
    parts = {"system": 3_100, "tools": 8_000, "messages": 20_400, "results": 9_000, "images": 500}
    place.window.apply_updates([meter(41_000, cost_microusd=210_000, **parts)])
    qtbot.mouseClick(place.button("composer_context"), Qt.MouseButton.LeftButton)
    popup = find(place.window, "context_popup")
    words = [label.text() for label in popup.findChildren(QLabel)]
    assert {"About 41k of 100k tokens", "3.1k", "20.4k", "Cost of this chat: $0.21"} <= set(words)
    qtbot.waitUntil(place.button("context_compact").hasFocus)
    qtbot.mouseClick(place.button("context_compact"), Qt.MouseButton.LeftButton)
    assert (last(place, "compact").session_id, popup.isVisible()) == (IDLE.session_id, False)


def test_while_a_turn_runs_nothing_is_summarised_by_hand(place, qtbot):
    place.show()
    place.does(Activity.RUNNING)
    place.window.apply_updates([meter(41_000)])
    qtbot.mouseClick(place.button("composer_context"), Qt.MouseButton.LeftButton)
    assert not place.button("context_compact").isEnabled()


def test_escape_closes_the_popup_and_gives_the_focus_back(place, qtbot):
    place.show()
    place.window.apply_updates([meter(41_000)])
    place.field.setFocus()
    place.window.page.composer.meter.open_popup()
    popup = find(place.window, "context_popup")
    qtbot.keyClick(popup, Qt.Key.Key_Escape)
    assert not popup.isVisible()
    qtbot.waitUntil(place.field.hasFocus)


def test_an_offered_summary_is_changed_and_applied(place, qtbot):
    place.show()
    place.window.apply_updates([offer()])
    dialog = find(place.window, "compaction_dialog")
    assert find(dialog, "compaction_figures", QLabel).text() == "About 142k → 18k tokens"
    assert "word for word" in find(dialog, "compaction_keeps", QLabel).text()
    find(dialog, "compaction_summary", QPlainTextEdit).setPlainText("Only this.")
    qtbot.mouseClick(find(dialog, "compaction_apply"), Qt.MouseButton.LeftButton)
    command = last(place, "apply_compaction")
    assert (command.staging_id, command.summary) == ("stg_1", "Only this.")
    assert dialog.isVisible()
    place.happens(Compacted(summary="Only this.", trigger="manual", staging_id="stg_1", edited=True))
    assert not dialog.isVisible()


def test_a_refused_summary_stays_with_its_changes(place, qtbot):
    place.show()
    place.window.apply_updates([offer()])
    dialog = find(place.window, "compaction_dialog")
    field = find(dialog, "compaction_summary", QPlainTextEdit)
    field.setPlainText("Only this.")
    qtbot.mouseClick(find(dialog, "compaction_apply"), Qt.MouseButton.LeftButton)
    failed = CommandFailed(command_id=last(place, "apply_compaction").command_id, code="running", text="It works.")
    place.window.apply_updates([failed])
    assert find(dialog, "compaction_error", QLabel).text() == "It works."
    assert (field.toPlainText(), find(dialog, "compaction_apply").isEnabled()) == ("Only this.", True)
    field.setPlainText("  ")
    assert not find(dialog, "compaction_apply").isEnabled()
    qtbot.mouseClick(find(dialog, "compaction_cancel"), Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()


def test_a_summary_of_another_chat_waits_until_that_is_shown(place):
    place.show()
    place.window.apply_updates([offer(IN_LANE.session_id)])
    assert not place.sees("compaction_dialog")
    place.window.open_chat(IN_LANE.session_id)
    assert place.sees("compaction_dialog")


def test_a_chat_that_spends_fast_is_told_in_a_note_that_stays(place):
    place.show()
    place.window.apply_updates([SpendAlarm(session_id=IDLE.session_id, text="2.1M tokens in 5 min.")])
    toast = find(place.window, "toast")
    assert toast.accessibleName() == "2.1M tokens in 5 min."
    assert toast.goes_in_ms() == -1


@pytest.mark.qt_log_ignore("does not support")
def test_the_menu_of_the_chat_acts_on_the_context(place):
    place.show()
    place.window.page.header._open_menu()
    menu = find(place.window, "header_menu_list")
    entries = {action.text(): action for action in menu.actions()}
    entries["Summarise earlier messages"].trigger()
    entries["Clear the context"].trigger()
    assert place.sink.kinds()[-2:] == ["compact", "clear_context"]
    menu.close()
