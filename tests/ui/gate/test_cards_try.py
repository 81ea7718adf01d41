"""The card of a command that can be tried in a copy: the offer, how far it is, the difference, and its button."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from desktop.domain.preview.commands import ApplyEffect, TryInCopy
from desktop.domain.preview.effect import Effect
from desktop.domain.preview.updates import TriedInCopy, TryProgress
from desktop.domain.updates import CommandFailed
from tests.ui.card_requests import command, tried, tried_with_ignored
from tests.ui.card_scenes import SESSION, envelope, press

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def scene_size():
    return (900, 1800)


def came(scene, event):
    scene.hear([TriedInCopy(session_id=SESSION, input_id="inp_1", tried=event)])
    scene.settle()


def see_all(scene):
    more = scene.get("approval_try_show_all")
    if more.isVisible():
        press(scene, "approval_try_show_all")
    scene.settle()


def test_a_command_that_cannot_be_tried_offers_nothing(scene):
    scene.ask(command())
    assert scene.window.findChild(QPushButton, "approval_try") is None
    assert not scene.get("approval_apply_effect").isVisible()


@pytest.mark.promise("memory-EP5")
def test_a_try_is_asked_for_shown_and_applied(scene):
    scene.ask(command(can_try=True))
    press(scene, "approval_try")
    (sent,) = scene.sink.sent
    assert isinstance(sent, TryInCopy)
    assert (sent.input_id, sent.digest) == ("inp_1", "ab" * 32)
    scene.hear([TryProgress(session_id=SESSION, input_id="inp_1", text="Running in the copy…")])
    assert scene.get("approval_try_text").text() == "Running in the copy…"
    assert not scene.get("approval_try").isVisible()
    came(scene, tried())
    assert scene.get("approval_try_text").text() == "In the copy: 3 changed · 1 new · 1 deleted"
    assert scene.get("approval_try_ending").text() == "exit 0 · 1.8 s"
    assert "the network are no part of a copy" in scene.get("approval_try_limits").text()
    assert "2 files that Git ignores" in scene.get("approval_try_limits").text()
    assert scene.get("approval_allow_once").text() == "Run for real"
    see_all(scene)
    press(scene, "approval_apply_effect")
    answer = scene.sink.sent[-1]
    assert isinstance(answer, ApplyEffect)
    assert (answer.input_id, answer.digest, answer.effect) == ("inp_1", "ab" * 32, "cd" * 32)
    assert not scene.sink.answers


def test_the_key_t_tries_it_and_the_key_for_yes_applies_what_was_shown(scene):
    scene.ask(command(can_try=True))
    scene.settle()
    scene.tray.focus_card()
    scene.settle()
    QTest.keyClick(scene.window.focusWidget(), Qt.Key.Key_T)
    assert [type(sent) for sent in scene.sink.sent] == [TryInCopy]
    came(scene, tried())
    see_all(scene)
    scene.tray.focus_card()
    scene.settle()
    assert "apply" in scene.get("approval_keys").text()
    QTest.keyClick(scene.window.focusWidget(), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert isinstance(scene.sink.sent[-1], ApplyEffect)


def test_running_it_for_real_is_the_ordinary_yes(scene):
    scene.ask(command(can_try=True))
    press(scene, "approval_try")
    came(scene, tried())
    press(scene, "approval_allow_once")
    (answer,) = scene.sink.answers
    assert (answer.answer.outcome, answer.answer.effect) == ("allow_once", "")


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (tried(problem="No preview: the lane is too large.", digest=""), "No preview: the lane is too large."),
        (tried(digest="", effect=Effect()), "In the copy: no file differs"),
    ],
)
def test_a_try_without_an_effect_changes_no_button(scene, event, words):
    scene.ask(command(can_try=True))
    press(scene, "approval_try")
    came(scene, event)
    assert scene.get("approval_try_text").text() == words
    assert scene.get("approval_allow_once").text() == "Run once"
    assert not scene.get("approval_apply_effect").isVisible()
    assert scene.get("approval_try").text() == "Try again"


def test_what_cannot_be_applied_says_why(scene):
    scene.ask(command(can_try=True))
    effect = tried().effect.model_copy(update={"stops": (".git/config is protected.",)})
    came_of = tried(digest="", effect=effect, finished=False, ending="timed_out", exit_code=None)
    press(scene, "approval_try")
    came(scene, came_of)
    assert ".git/config is protected." in scene.get("approval_try_stops").text()
    assert scene.get("approval_try_ending").text() == "Not finished: timed out · 1.8 s"
    assert not scene.get("approval_apply_effect").isVisible()


def test_a_try_that_was_refused_can_be_asked_for_again(scene):
    scene.ask(command(can_try=True))
    press(scene, "approval_try")
    refused = CommandFailed(command_id=scene.sink.sent[0].command_id, code="no_try", text="This cannot be tried.")
    scene.hear([refused])
    assert scene.get("approval_error").text() == "This cannot be tried."
    assert scene.get("approval_try").isVisible()


def test_an_effect_of_another_version_of_the_call_is_not_offered(scene):
    scene.ask(command(can_try=True))
    press(scene, "approval_try")
    came(scene, tried(call_digest="ef" * 32))
    assert not scene.get("approval_apply_effect").isVisible()


def test_an_effect_that_no_longer_fits_leaves_the_card_open(scene):
    scene.ask(command(can_try=True))
    press(scene, "approval_try")
    came(scene, tried())
    see_all(scene)
    press(scene, "approval_apply_effect")
    text = "Not applied: src/app.ts changed since the command was tried."
    scene.hear([CommandFailed(command_id=scene.sink.sent[-1].command_id, code="lane_changed", text=text)])
    assert scene.get("approval_error").text() == text
    assert scene.get("approval_try").isVisible()


def test_a_try_on_record_is_there_when_the_card_is_drawn_again(scene):
    scene.ask(command(can_try=True), command())
    scene.hear([envelope(7, tried())])
    press(scene, "tray_next")
    press(scene, "tray_previous")
    assert scene.get("approval_try_text").text() == "In the copy: 3 changed · 1 new · 1 deleted"
    assert scene.get("approval_apply_effect").isVisible()


@pytest.mark.promise("memory-EP4")
def test_ignored_files_are_part_of_what_is_applied_once_they_are_ticked_and_seen(scene):
    scene.ask(command(can_try=True))
    press(scene, "approval_try")
    came(scene, tried_with_ignored())
    tick = scene.get("approval_try_ignored")
    assert (tick.text(), tick.isChecked()) == ("Apply the 2 files that Git ignores too", False)
    assert "an undo does not put them back" in scene.get("approval_try_kept_nowhere").text()
    assert "not applied" not in scene.get("approval_try_limits").text()
    see_all(scene)
    press(scene, "approval_try_ignored")
    assert tick.isChecked()
    press(scene, "approval_apply_effect")
    assert scene.sink.sent[-1].effect == "ef" * 32


def test_an_unticked_box_leaves_ignored_files_out(scene):
    scene.ask(command(can_try=True))
    press(scene, "approval_try")
    came(scene, tried_with_ignored())
    see_all(scene)
    press(scene, "approval_try_ignored")
    press(scene, "approval_try_ignored")
    press(scene, "approval_apply_effect")
    assert scene.sink.sent[-1].effect == "cd" * 32


def test_where_only_ignored_files_differ_the_tick_brings_the_button(scene):
    scene.ask(command(can_try=True))
    press(scene, "approval_try")
    effect = tried_with_ignored().effect.model_copy(update={"files": ()})
    came(scene, tried_with_ignored(effect=effect, digest="", blocks=()))
    assert not scene.get("approval_apply_effect").isVisible()
    see_all(scene)
    press(scene, "approval_try_ignored")
    assert scene.get("approval_apply_effect").isVisible()
    assert scene.get("approval_allow_once").text() == "Run for real"
    press(scene, "approval_try_ignored")
    assert not scene.get("approval_apply_effect").isVisible()
    assert scene.get("approval_allow_once").text() == "Run once"


def test_ignored_files_that_cannot_be_ticked_say_why(scene):
    scene.ask(command(can_try=True))
    press(scene, "approval_try")
    effect = tried().effect.model_copy(update={"beside_stop": "More than 500 files that Git ignores would differ."})
    came(scene, tried(effect=effect))
    assert "not applied: More than 500 files" in scene.get("approval_try_limits").text()
