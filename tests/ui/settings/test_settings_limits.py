"""The settings of limits, queue and checkpoints, and the Advanced page."""

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit

from desktop.config.settings import Settings
from desktop.domain.chats.queue_events import Limits
from desktop.domain.chats.updates import IndexRebuilt
from desktop.domain.updates import CommandFailed, EngineReady, SettingsChanged
from tests.ui.settings_place import Place


def enter(place, name, text):
    field = place.get(name, QLineEdit)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    field.clearFocus()
    field.editingFinished.emit()


def problem(place, name):
    return place.get(f"{name}_problem", QLabel).text()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("steps", "50", {"steps": 50}),
        ("tokens", "2,000,000", {"tokens": 2_000_000}),
        ("cost_microusd", "$2.50", {"cost_microusd": 2_500_000}),
        ("chat_microusd", "5", {"chat_microusd": 5_000_000}),
        ("day_microusd", "0.25", {"day_microusd": 250_000}),
        ("running_s", "1.5", {"running_s": 90}),
    ],
)
def test_a_limit_is_saved_in_its_own_unit(qtbot, name, text, expected):
    place = Place(qtbot, "general")
    enter(place, f"settings_general_limit_{name}", text)
    assert place.sink.sent[-1].settings.limits == Limits(**expected)
    place.saved()
    assert place.get(f"settings_general_limit_{name}_saved", QLabel).isVisible()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("steps", "0", "At least 1."),
        ("steps", "5000", "At most 1,000."),
        ("tokens", "9999", "The limit of tokens is at least 10,000, or 0 for none."),
        ("cost_microusd", "0.001", "The limit of a turn's cost is at least $0.01, or 0 for none."),
        ("running_s", "0.5", "The limit of running time is at least 1 minute, or 0 for none."),
        ("day_microusd", "much", "Write a number, or nothing for no limit."),
        ("tokens", "nan", "Write a number, or nothing for no limit."),
        ("tokens", "12000.5", "Write a number, or nothing for no limit."),
        ("tokens", "1e99", "Write a number, or nothing for no limit."),
        ("running_s", "-3", "At least 0."),
    ],
)
def test_a_limit_that_cannot_be_kept_is_refused_with_the_reason(qtbot, name, text, said):
    place = Place(qtbot, "general")
    enter(place, f"settings_general_limit_{name}", text)
    assert place.sink.kinds() == []
    assert problem(place, f"settings_general_limit_{name}") == said


def test_a_blank_limit_is_none_and_blank_steps_are_the_usual_ones(qtbot):
    place = Place(qtbot, "general", Settings(limits=Limits(steps=25, chat_microusd=5_000_000)))
    assert place.get("settings_general_limit_chat_microusd", QLineEdit).text() == "5.00"
    enter(place, "settings_general_limit_chat_microusd", " ")
    assert place.sink.sent[-1].settings.limits.chat_microusd == 0
    enter(place, "settings_general_limit_steps", " ")
    assert place.sink.sent[-1].settings.limits.steps == 100


def test_limits_that_change_elsewhere_appear(qtbot):
    place = Place(qtbot, "general")
    place.apply(SettingsChanged(settings=Settings(limits=Limits(tokens=1_250_000, running_s=5400))))
    assert place.get("settings_general_limit_tokens", QLineEdit).text() == "1,250,000"
    assert place.get("settings_general_limit_running_s", QLineEdit).text() == "90"


def test_queue_turns_and_checkpoints_are_saved(qtbot):
    place = Place(qtbot, "general")
    place.get("settings_general_queued_after_turn", QAbstractButton).click()
    assert place.sink.sent[-1].settings.deliver_queued == "after_turn"
    place.get("settings_general_checkpoint_yes", QAbstractButton).click()
    assert place.sink.sent[-1].settings.require_checkpoint
    place.get("settings_general_try_risky_yes", QAbstractButton).click()
    assert place.sink.sent[-1].settings.try_risky
    enter(place, "settings_general_turns_at_once", "4")
    assert place.sink.sent[-1].settings.turns_at_once == 4
    enter(place, "settings_general_turns_at_once", "40")
    assert place.sink.sent[-1].settings.turns_at_once == 4
    assert problem(place, "settings_general_turns_at_once") == "At most 16."


@pytest.mark.promise("memory-SU5")
def test_how_deep_sub_agents_may_stand_is_saved(qtbot):
    place = Place(qtbot, "general")
    place.get("settings_general_subagents_3", QAbstractButton).click()
    assert (place.sink.sent[-1].settings.subagents, place.sink.sent[-1].settings.subagent_depth) == (True, 3)
    place.get("settings_general_subagents_0", QAbstractButton).click()
    assert not place.sink.sent[-1].settings.subagents
    place.apply(SettingsChanged(settings=Settings(subagent_depth=2)))
    assert place.get("settings_general_subagents_2", QAbstractButton).isChecked()


def test_how_often_pull_requests_are_looked_at_is_saved(qtbot):
    place, name = Place(qtbot, "advanced"), "settings_advanced_pull_every"
    assert place.get(name, QLineEdit).text() == "60"
    enter(place, name, "0")
    place.saved()
    assert place.sink.sent[-1].settings.pull_every_s == 0
    enter(place, name, "3")
    assert problem(place, name) == "At least 5 seconds, or 0 for never."
    assert place.sink.sent[-1].settings.pull_every_s == 0


@pytest.mark.promise("guests-E6")
def test_a_proxy_is_saved_and_the_page_says_what_names_leave_unchecked(qtbot):
    place, name = Place(qtbot, "advanced"), "settings_advanced_proxy"
    enter(place, name, "http://proxy.example:3128/")
    place.saved()
    assert place.sink.sent[-1].settings.upstream_proxy == "http://proxy.example:3128"
    for bad in (
        "proxy.example:3128",
        "https://proxy.example:1",
        "http://me:pw@proxy.example:1",
        "http://proxy.example",
    ):
        enter(place, name, bad)
        assert problem(place, name).startswith("Give http://, a host and a port")
    place.get("settings_advanced_proxy_names_names", QAbstractButton).click()
    place.saved()
    assert place.sink.sent[-1].settings.upstream_names
    assert any(
        "no longer checked" in label.text() for label in place.get(name, QLineEdit).window().findChildren(QLabel)
    )


def test_chats_are_found_on_disk(qtbot):
    place = Place(qtbot, "advanced")
    button, state = place.get("settings_advanced_find", QAbstractButton), "settings_advanced_find_state"
    button.click()
    assert place.sink.kinds() == ["rebuild_index"]
    assert not button.isEnabled()
    place.apply(IndexRebuilt(chats=0, percent=40, done=False))
    assert place.get(state, QLabel).text() == "Looking… 40 %"
    place.apply(IndexRebuilt(chats=12))
    assert place.get(state, QLabel).text() == "12 chats found."
    assert button.isEnabled()


def test_a_search_on_disk_that_fails_says_why(qtbot):
    place = Place(qtbot, "advanced")
    place.get("settings_advanced_find", QAbstractButton).click()
    failed = CommandFailed(command_id=place.sink.sent[-1].command_id, code="failed", text="The disk is full.")
    place.apply(failed)
    assert problem(place, "settings_advanced_find") == "The disk is full."
    assert place.get("settings_advanced_find", QAbstractButton).isEnabled()


def test_the_folders_of_chats_and_logs_are_shown(qtbot):
    place = Place(qtbot, "advanced")
    place.apply(EngineReady(settings=Settings(), store_folder="/home/me/data/store", log_folder="/home/me/logs"))
    place.dialog.show_page("advanced")
    assert place.get("settings_advanced_store_folder", QLineEdit).text() == "/home/me/data/store"
    assert place.get("settings_advanced_log_folder", QLineEdit).text() == "/home/me/logs"
    assert place.get("settings_advanced_log_folder", QLineEdit).isReadOnly()
