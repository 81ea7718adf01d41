"""Editing a call on its card: checked before it can run, and never the original in its place."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit

from desktop.domain.commands import CheckEdit
from desktop.domain.events import InputResolved
from desktop.domain.gate.pending import Answer
from desktop.domain.updates import CommandFailed, EditChecked
from desktop.ui.chats.folds.words import resolved_lines, resolved_sentence
from desktop.ui.gate.cards.kinds.edit_controls import field_name
from desktop.ui.gate.cards.kinds.edit_pane import edit_pieces
from tests.ui.card_requests import command, drop, edited
from tests.ui.card_scenes import SESSION, approval, press

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier
LINE = "npm run build"


def type_line(scene, text=LINE):
    field = scene.visible("approval_edit_field")
    field.selectAll()
    QTest.keyClicks(field, text)


def checks(scene):
    return [sent for sent in scene.sink.sent if isinstance(sent, CheckEdit)]


def test_the_fields_hold_the_raw_text_in_place_of_the_evidence(scene):
    scene.ask(command())
    press(scene, "approval_edit")
    field = scene.visible("approval_edit_field")
    assert field.toPlainText() == "git status --short && npm run build -- --minify"
    assert field.accessibleName() == "Command"
    assert QApplication.focusWidget() is field
    assert not scene.get("approval_evidence").isVisible()
    assert not scene.get("approval_edit_check").isEnabled()


def test_a_check_sends_all_arguments_and_nothing_runs(scene):
    scene.ask(command())
    press(scene, "approval_edit")
    type_line(scene)
    press(scene, "approval_edit_check")
    assert [sent.edited_input for sent in checks(scene)] == [{"command": LINE, "timeout_s": 120}]
    assert scene.get("approval_edit_hint").text() == "Checking…"
    assert not scene.get("approval_edit_check").isEnabled()
    assert not scene.sink.answers


def test_a_checked_edit_shows_the_change_and_runs_with_its_own_digest(scene):
    scene.ask(command())
    press(scene, "approval_edit")
    type_line(scene)
    press(scene, "approval_edit_check")
    scene.hear([edited(command(), LINE)])
    scene.settle()
    chips = [label.text() for label in scene.get("approval_chips").findChildren(QLabel)]
    assert "edited by you" in chips
    texts = [box.toPlainText() for box in scene.tray.findChildren(QPlainTextEdit, "approval_evidence")]
    assert texts == ["@@ -1 +1 @@\n-git status --short && npm run build -- --minify\n+npm run build", LINE]
    for name in ("approval_allow_session", "approval_save_rule"):
        assert scene.find(name) is None, name
    press(scene, "approval_allow_once")
    sent = scene.sink.answers[0]
    assert sent.answer == Answer(outcome="allow_once", edited_input={"command": LINE, "timeout_s": 120})
    assert sent.digest == "cd" * 32


def test_a_checked_edit_can_be_declined_with_the_digest_that_was_asked(scene):
    scene.ask(command())
    press(scene, "approval_edit")
    type_line(scene)
    press(scene, "approval_edit_check")
    scene.hear([edited(command(), LINE)])
    press(scene, "approval_decline")
    press(scene, "approval_decline_confirm")
    assert (scene.sink.answers[0].answer.outcome, scene.sink.answers[0].digest) == ("reject", "ab" * 32)


def test_discarding_a_checked_edit_shows_the_agents_version_again(scene):
    scene.ask(command())
    press(scene, "approval_edit")
    type_line(scene)
    press(scene, "approval_edit_check")
    scene.hear([edited(command(), LINE)])
    press(scene, "approval_edit_undo")
    assert scene.find("approval_allow_session") is not None
    press(scene, "approval_edit")
    assert scene.visible("approval_edit_field").toPlainText().startswith("git status")


def test_an_invalid_edit_says_so_under_its_field_and_a_refused_one_under_all(scene):
    scene.ask(command())
    press(scene, "approval_edit")
    type_line(scene, "(")
    press(scene, "approval_edit_check")
    sent = checks(scene)[0].edited_input
    invalid = EditChecked(
        session_id=SESSION, input_id="inp_1", edited_input=sent, problem="Not closed.", field="command"
    )
    scene.hear([invalid])
    assert scene.get("approval_edit_error").text() == "Not closed."
    press(scene, "approval_edit_check")
    refused = EditChecked(session_id=SESSION, input_id="inp_1", edited_input=sent, problem="Refused: it pushes.")
    scene.hear([refused])
    assert scene.get("approval_edit_refused").text() == "Refused: it pushes."
    assert scene.get("approval_edit_error").isHidden()
    assert scene.get("approval_edit_discard").isEnabled()
    assert not scene.sink.answers


def test_what_was_checked_before_the_last_change_is_not_shown(scene):
    scene.ask(command())
    press(scene, "approval_edit")
    type_line(scene)
    press(scene, "approval_edit_check")
    scene.hear([edited(command(), "npm run deploy")])
    assert scene.visible("approval_edit_field").isVisible()
    assert scene.find("approval_edit_undo") is None


def test_a_check_that_could_not_be_made_is_told_and_can_be_tried_again(scene):
    scene.ask(command())
    press(scene, "approval_edit")
    type_line(scene)
    press(scene, "approval_edit_check")
    failed = CommandFailed(command_id=checks(scene)[0].command_id, code="lane", text="The lane is gone.")
    scene.hear([failed])
    assert scene.get("approval_edit_refused").text() == "The lane is gone."
    assert scene.get("approval_edit_check").isEnabled()


def test_a_half_edited_call_is_kept_and_discard_forgets_it(scene):
    scene.ask(command(), command())
    press(scene, "approval_edit")
    type_line(scene)
    press(scene, "tray_next")
    press(scene, "tray_previous")
    press(scene, "approval_edit")
    assert scene.visible("approval_edit_field").toPlainText() == LINE
    press(scene, "approval_edit_discard")
    assert scene.get("approval_allow_once").isVisible()
    press(scene, "approval_edit")
    assert scene.visible("approval_edit_field").toPlainText().startswith("git status")


def test_keys_in_a_field_answer_nothing_and_e_opens_it(scene):
    scene.ask(command())
    scene.tray.focus_card()
    scene.settle()
    QTest.keyClick(scene.get("approval_card"), Qt.Key.Key_E)
    field = scene.visible("approval_edit_field")
    assert QApplication.focusWidget() is field
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Backspace):
        QTest.keyClick(field, key, CONTROL)
    assert not scene.sink.answers


def test_an_edited_call_that_cannot_be_undone_still_needs_its_word(scene):
    request = drop()
    scene.ask(request)
    press(scene, "approval_edit")
    type_line(scene, "DROP TABLE carts")
    press(scene, "approval_edit_check")
    sent = checks(scene)[0].edited_input
    changed = request.model_copy(update={"arguments": sent, "digest": "cd" * 32, "edited_from": "ab" * 32})
    checked = EditChecked(session_id=SESSION, input_id="inp_1", edited_input=sent, request=changed)
    scene.hear([checked])
    scene.settle()
    assert not scene.get("approval_allow_once").isEnabled()
    scene.get("approval_confirm_word").setFocus()
    QTest.keyClicks(scene.get("approval_confirm_word"), "shop-live")
    press(scene, "approval_allow_once")
    assert scene.sink.answers[0].answer == Answer(outcome="allow_once", edited_input=sent, confirm="shop-live")


def test_a_value_of_another_kind_is_not_sent(scene):
    scene.ask(command(editable=("timeout_s",)))
    press(scene, "approval_edit")
    type_line(scene, "soon")
    press(scene, "approval_edit_check")
    assert scene.get("approval_edit_error").text() == "This is no value of that kind."
    type_line(scene, "30")
    press(scene, "approval_edit_check")
    assert [sent.edited_input["timeout_s"] for sent in checks(scene)] == [30]


def test_text_that_was_not_touched_is_sent_to_the_letter(scene):
    arguments = {"command": "echo \u00a0\u2029x\r\ny", "timeout_s": 1}
    scene.ask(command(arguments=arguments, editable=("command", "timeout_s")))
    press(scene, "approval_edit")
    fields = scene.tray.findChildren(QPlainTextEdit, "approval_edit_field")
    fields[1].setFocus()
    fields[1].selectAll()
    QTest.keyClicks(fields[1], "2")
    press(scene, "approval_edit_check")
    assert checks(scene)[0].edited_input == {"command": arguments["command"], "timeout_s": 2}


def test_a_call_without_editable_arguments_offers_no_edit(scene):
    scene.ask(approval())
    assert scene.find("approval_edit") is None


def test_the_difference_is_drawn_argument_by_argument():
    pieces = edit_pieces({"a_b": "1", "same": 2}, {"a_b": "2", "same": 2, "new": [1]})
    assert [piece.caption for piece in pieces] == ["A b, your change  +1 −1", "New, your change  +1 −1"]
    assert field_name("new_string") == "New text"
    long = edit_pieces({"t": "a\n" * 3_000}, {"t": "b\n" * 3_000})
    assert long[0].text.count("\n-") + long[0].text.startswith("-") == 3_001


def test_an_edit_that_no_longer_holds_gives_way_to_the_agents_version_and_is_kept_as_a_draft(scene):
    scene.ask(command())
    press(scene, "approval_edit")
    type_line(scene)
    press(scene, "approval_edit_check")
    scene.hear([edited(command(), LINE)])
    press(scene, "approval_allow_once")
    words = "The request changed while it was on screen. Look at it again."
    sent = scene.sink.answers[0]
    scene.hear([CommandFailed(command_id=sent.command_id, code="digest_differs", text=words)])
    assert scene.get("approval_error").text() == words
    scene.settle()
    assert scene.get("approval_allow_once").isEnabled()
    assert scene.find("approval_edit_undo") is None
    press(scene, "approval_edit")
    assert scene.visible("approval_edit_field").toPlainText() == LINE
    assert scene.get("approval_edit_check").isEnabled()


def test_the_resolved_row_names_both_versions():
    answer = Answer(outcome="allow_once", edited_input={"command": LINE, "timeout_s": 120})
    event = InputResolved(input_id="inp_1", answer=answer)
    assert resolved_sentence(event, command()).startswith("You edited this and allowed it once: ")
    assert resolved_lines(event, command()) == (
        "command, the agent's: git status --short && npm run build -- --minify",
        "command, yours: npm run build",
    )
    rule = InputResolved(input_id="inp_1", answer=Answer(outcome="allow_always", scope="project"))
    assert resolved_sentence(rule, command()).startswith("You saved a rule for this: ")
