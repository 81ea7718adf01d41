"""The plan card: a person changes the plan, chooses full auto, and approves what is on screen and nothing else."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.pending import Answer, PlanReview
from desktop.domain.updates import CommandFailed
from tests.ui.card_scenes import Scene, press, resolved

LEFT = Qt.MouseButton.LeftButton
PLAN = "# Gift cards\n\n1. A table."


@pytest.fixture
def scene(qtbot, tmp_path):
    scene = Scene(tmp_path)
    qtbot.addWidget(scene.window)
    with qtbot.waitActive(scene.window):
        scene.window.show()
        scene.window.activateWindow()
    scene.ask(PlanReview(call_id="c", plan=PLAN))
    return scene


def edit(scene, text):
    press(scene, "plan_edit")
    field = scene.visible("plan_edit_text")
    assert field.hasFocus()
    field.selectAll()
    QTest.keyClicks(field, text)


def answers(scene):
    return [command.answer for command in scene.sink.answers]


def test_the_changed_plan_is_shown_and_approved(scene):
    edit(scene, "Only read.")
    assert not scene.get("plan_text").isVisible()
    press(scene, "plan_edit_use")
    assert scene.get("plan_text").toPlainText() == "Only read."
    assert scene.visible("plan_edited").text() == "Edited by you. The agent gets this text."
    press(scene, "plan_approve")
    assert answers(scene) == [Answer(outcome="allow_once", edited_plan="Only read.")]


def test_discarding_shows_and_approves_the_agents_plan(scene):
    edit(scene, "Only read.")
    press(scene, "plan_edit_discard")
    assert "Gift cards" in scene.get("plan_text").toPlainText()
    assert not scene.get("plan_edited").isVisible()
    press(scene, "plan_approve")
    assert answers(scene) == [Answer(outcome="allow_once")]


def test_a_plan_without_a_text_cannot_be_used_and_never_stands_for_the_agents_own(scene):
    edit(scene, "   ")
    scene.settle()
    assert not scene.visible("plan_edit_use").isEnabled()
    QTest.keyClick(scene.visible("plan_edit_text"), Qt.Key.Key_Escape)
    scene.settle()
    assert "Gift cards" in scene.get("plan_text").toPlainText()


def test_ctrl_enter_approves_nothing_while_the_plan_is_changed(scene):
    edit(scene, "Only read.")
    scene.settle()
    QTest.keyClick(scene.visible("plan_edit_text"), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(scene.get("plan_card"), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert answers(scene) == []


def test_what_was_typed_is_there_when_the_card_comes_back(scene, qtbot, tmp_path):
    edit(scene, "Only read.")
    other = Scene(tmp_path)
    qtbot.addWidget(other.window)
    other.window.show()
    other.ask(PlanReview(call_id="c", plan=PLAN))
    other.settle()
    assert other.get("plan_text").toPlainText() == "Only read."
    assert other.get("plan_edited").isVisible()
    other.hear([resolved(5, "inp_1", Answer(outcome="reject"))])
    other.ask(PlanReview(call_id="c", plan=PLAN), first_seq=6)
    assert "Gift cards" in other.get("plan_text").toPlainText()


def test_full_auto_has_a_button_of_its_own_and_sends_the_changed_plan_with_it(scene):
    edit(scene, "Only read.")
    press(scene, "plan_edit_use")
    press(scene, "plan_approve_full_auto")
    auto = PermissionMode.FULL_AUTO
    assert answers(scene) == [Answer(outcome="allow_once", mode=auto, edited_plan="Only read.")]


def test_where_full_auto_needs_a_word_the_card_waits_and_the_answer_goes_once_it_is_given(scene):
    asked = []
    scene.tray.full_auto_asked.connect(lambda reason, go: asked.append((reason, go)))
    press(scene, "plan_approve_full_auto")
    sent = scene.sink.answers[0]
    scene.hear([CommandFailed(command_id=sent.command_id, code="no_sandbox", text="It is not full.")])
    ((reason, go),) = asked
    assert reason == "It is not full."
    scene.settle()
    assert scene.get("plan_approve").isEnabled()
    assert not scene.get("plan_error").isVisible()
    go()
    assert not scene.get("plan_approve").isEnabled()
    first, second = scene.sink.answers
    assert second.answer == first.answer.model_copy(update={"without_sandbox": True})
    assert second.command_id != first.command_id
    scene.hear([CommandFailed(command_id=second.command_id, code="input_closed", text="Closed.")])
    assert scene.find("plan_card") is None


def test_a_plan_made_in_full_auto_offers_it_once(scene):
    scene.hear([resolved(2, "inp_1", Answer(outcome="reject"))])
    scene.ask(PlanReview(call_id="c", plan=PLAN, mode_after=PermissionMode.FULL_AUTO), first_seq=3)
    assert scene.find("plan_approve_full_auto") is None
