"""The question, plan and interrupted cards."""

import pytest
from PySide6.QtCore import QPoint, QPointF, QSettings, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from desktop.domain.commands import ContinueTurn
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import TurnStarted
from desktop.domain.gate.pending import Answer, Option, PlanReview, Question, QuestionRequest
from desktop.domain.updates import CommandFailed
from desktop.ui.gate.cards.kinds.interrupted import LATE
from desktop.ui.theme.theme import theme
from tests.ui.card_scenes import Scene, approval, envelope, questions, resolved

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier
PLAN = "# Fix the loop\n\n1. Read the middleware\n2. Strip `next`"


@pytest.fixture
def scene(qtbot, tmp_path):
    return opened(qtbot, tmp_path)


def opened(qtbot, folder, size=(760, 640)):
    scene = Scene(folder, size=size)
    qtbot.addWidget(scene.window)
    with qtbot.waitActive(scene.window):
        scene.window.show()
        scene.window.activateWindow()
    scene.composer.setFocus()
    return scene


def press(scene, name):
    scene.settle()
    QTest.mouseClick(scene.visible(name), LEFT)


def test_nothing_is_chosen_to_begin_with_and_choosing_does_not_send(scene):
    scene.ask(questions())
    assert not any(scene.get(f"question_option_{n}").isChecked() for n in (1, 2))
    press(scene, "question_option_1")
    assert scene.get("question_option_1").isChecked()
    assert not scene.sink.sent


def test_answers_survive_going_back_and_send_waits_for_the_required_ones(scene):
    scene.ask(questions())
    press(scene, "question_option_2")
    press(scene, "question_next")
    press(scene, "question_next")
    assert scene.get("question_position").text() == "3 of 3"
    assert not scene.visible("question_send").isEnabled()
    assert scene.visible("question_open").text() == "Answer question 2"
    press(scene, "question_back")
    press(scene, "question_back")
    assert scene.visible("question_option_2").isChecked()
    press(scene, "question_next")
    press(scene, "question_option_1")
    press(scene, "question_option_2")
    press(scene, "question_next")
    press(scene, "question_send")
    assert scene.sink.answers[0].answer == Answer(
        outcome="answered", choices={"dialect": ("sqlite",), "checks": ("unit", "lint")}
    )


def test_a_question_that_was_passed_over_is_named_and_reached(scene):
    texts = (("colour", "Which colour?"), ("size", "Which size?"), ("day", "Which day?"))
    option = (Option(label="This", value="this"),)
    asked = tuple(Question(id=name, header=name.title(), text=text, options=option) for name, text in texts)
    scene.ask(QuestionRequest(call_id="q", questions=asked))
    assert scene.get("question_title").text() == "The agent asks"
    assert scene.get("question_position").text() == "1 of 3 · Colour"
    press(scene, "question_option_1")
    press(scene, "question_next")
    press(scene, "question_other_choice")
    press(scene, "question_next")
    press(scene, "question_option_1")
    assert not scene.visible("question_send").isEnabled()
    press(scene, "question_open")
    assert scene.get("question_position").text() == "2 of 3 · Size"
    assert scene.get("question_open").isHidden()
    press(scene, "question_option_1")
    press(scene, "question_next")
    assert scene.get("question_open").isHidden()
    press(scene, "question_send")
    assert set(scene.sink.answers[0].answer.choices) == {"colour", "size", "day"}


def with_previews():
    options = tuple(
        Option(
            label=name, value=name, description="What comes of it.", preview=f"```sql\nCREATE {name}\nEND {name}\n```"
        )
        for name in ("one", "two", "three")
    )
    return QuestionRequest(call_id="q", questions=(Question(id="way", text="Which way?", options=options),))


def seen_whole(scene, part):
    return part.visibleRegion().boundingRect().height() >= part.height()


def test_the_preview_of_a_chosen_option_is_seen_whole_beside_it_in_a_low_window(qtbot, tmp_path):
    scene = opened(qtbot, tmp_path, (620, 670))
    scene.ask(with_previews())
    for number, name in ((3, "three"), (1, "one")):
        press(scene, f"question_option_{number}")
        preview, option = scene.visible("question_preview"), scene.visible(f"question_option_{number}")
        qtbot.waitUntil(lambda name=name, preview=preview: f"END {name}" in preview.toPlainText())
        qtbot.waitUntil(lambda preview=preview: seen_whole(scene, preview))
        assert seen_whole(scene, option)
    assert scene.get("question_card").body.verticalScrollBar().maximum() > 0


def test_where_both_have_no_room_the_option_stays_and_tab_leads_to_its_preview(qtbot, tmp_path):
    scene = opened(qtbot, tmp_path, (620, 420))
    scene.ask(with_previews())
    press(scene, "question_option_1")
    scene.settle()
    option, preview = scene.visible("question_option_1"), scene.visible("question_preview")
    assert seen_whole(scene, option)
    assert not seen_whole(scene, preview)
    for _ in range(8):
        if preview.hasFocus():
            break
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert preview.hasFocus()
    qtbot.waitUntil(lambda: seen_whole(scene, preview))


def test_what_a_person_scrolls_stays_where_they_scrolled_it(qtbot, tmp_path):
    scene = opened(qtbot, tmp_path, (620, 420))
    scene.ask(with_previews())
    press(scene, "question_option_3")
    scene.settle()
    body = scene.get("question_card").body
    moved = body.verticalScrollBar().value()
    assert moved > 0
    at = QPointF(body.viewport().rect().center())
    notch = QPoint(0, 120)
    buttons, modifiers, phase = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    wheel = QWheelEvent(at, body.viewport().mapToGlobal(at), QPoint(), notch, buttons, modifiers, phase, False)
    QApplication.sendEvent(body.viewport(), wheel)
    assert body.verticalScrollBar().value() < moved
    stays = body.verticalScrollBar().value()
    scene.window.resize(620, 410)
    scene.settle()
    assert body.verticalScrollBar().value() == stays


def test_a_restart_keeps_drafts_but_not_the_secret(qtbot, tmp_path):
    scene = opened(qtbot, tmp_path)
    scene.ask(questions())
    press(scene, "question_option_2")
    press(scene, "question_next")
    press(scene, "question_option_1")
    press(scene, "question_next")
    QTest.keyClicks(scene.visible("question_secret"), "hunter2")
    scene.tray.settings.sync()
    assert "hunter2" not in scene.settings_path.read_text()
    scene.window.close()

    again = opened(qtbot, tmp_path)
    again.ask(questions())
    assert again.visible("question_option_2").isChecked()
    press(again, "question_next")
    assert again.visible("question_option_1").isChecked()
    press(again, "question_next")
    assert again.visible("question_secret").text() == ""


def test_a_secret_is_hidden_on_screen_and_from_assistive_technology(scene):
    scene.ask(QuestionRequest(call_id="c", questions=(Question(id="t", text="The token?", secret=True),)))
    field = scene.get("question_secret")
    QTest.keyClicks(field, "hunter2")
    assert field.echoMode() is QLineEdit.EchoMode.Password
    assert "hunter2" not in field.displayText()
    assert scene.find("question_other") is None
    press(scene, "question_send")
    assert scene.sink.answers[0].answer.choices == {"t": ("hunter2",)}


def test_a_resolved_question_leaves_no_draft(scene):
    scene.ask(questions())
    press(scene, "question_option_2")
    scene.tray.settings.sync()
    assert "inp_1" in scene.settings_path.read_text()
    scene.hear([resolved(2, "inp_1", Answer(outcome="reject"))])
    scene.tray.settings.sync()
    assert "inp_1" not in QSettings(str(scene.settings_path), QSettings.Format.IniFormat).allKeys()
    assert "inp_1" not in scene.settings_path.read_text()


def test_digits_choose_and_ctrl_enter_sends(scene):
    scene.ask(
        QuestionRequest(
            call_id="c",
            questions=(
                Question(id="d", text="Which?", options=(Option(label="A", value="a"), Option(label="B", value="b"))),
            ),
        )
    )
    scene.tray.focus_card()
    scene.settle()
    QTest.keyClick(scene.get("question_card"), Qt.Key.Key_Return, CONTROL)
    assert not scene.sink.sent
    assert scene.get("question_hint").text() == "Answer every required question first."
    scene.settle()
    QTest.keyClick(scene.get("question_card"), Qt.Key.Key_1)
    scene.settle()
    QTest.keyClick(scene.get("question_card"), Qt.Key.Key_2)
    assert not scene.get("question_option_1").isChecked()
    scene.settle()
    QTest.keyClick(scene.get("question_card"), Qt.Key.Key_Return, CONTROL)
    assert scene.sink.answers[0].answer.choices == {"d": ("b",)}


def test_something_else_is_sent_as_typed_and_takes_the_place_of_a_single_choice(scene):
    scene.ask(questions())
    press(scene, "question_option_1")
    QTest.keyClicks(scene.visible("question_other"), "MySQL 1")
    assert not scene.visible("question_option_1").isChecked()
    press(scene, "question_next")
    press(scene, "question_option_1")
    press(scene, "question_next")
    press(scene, "question_send")
    assert scene.sink.answers[0].answer.choices == {"dialect": ("MySQL 1",), "checks": ("unit",)}


def test_a_question_that_allows_no_free_text_has_no_field(scene):
    question = Question(id="d", text="Which?", freeform=False, options=(Option(label="A", value="a"),) * 2)
    scene.ask(QuestionRequest(call_id="c", questions=(question,)))
    assert scene.find("question_other") is None
    assert scene.find("question_other_choice") is None


def test_only_a_question_that_is_not_required_can_be_skipped(scene):
    scene.ask(questions())
    assert not scene.get("question_skip").isVisible()
    press(scene, "question_next")
    press(scene, "question_next")
    assert scene.get("question_skip").isVisible()


def test_a_question_can_be_declined_with_a_reason(scene):
    scene.ask(questions())
    press(scene, "question_decline")
    QTest.keyClicks(scene.visible("question_decline_reason"), "ask later")
    press(scene, "question_decline_confirm")
    assert scene.sink.answers[0].answer == Answer(outcome="reject", note="ask later")


def test_a_plan_is_drawn_as_markdown_and_approved_by_its_button(scene, qtbot):
    scene.ask(PlanReview(call_id="c", plan=PLAN))
    qtbot.waitUntil(lambda: scene.get("plan_approve").isEnabled())
    assert scene.get("plan_title").text() == "Review the plan"
    assert "Strip next" in scene.get("plan_text").toPlainText()
    assert scene.get("plan_mode_after").text() == "Mode after approval: Edit."
    press(scene, "plan_approve")
    assert scene.sink.answers[0].answer == Answer(outcome="allow_once")
    assert scene.sink.answers[0].digest == ""


def test_ctrl_enter_approves_the_plan_for_the_mode_it_names(scene):
    scene.ask(PlanReview(call_id="c", plan=PLAN))
    scene.tray.focus_card()
    scene.settle()
    QTest.keyClick(scene.get("plan_card"), Qt.Key.Key_Return, CONTROL)
    assert len(scene.sink.answers) == 1
    assert (scene.sink.answers[0].answer.mode, scene.sink.answers[0].answer.edited_plan) == (None, None)


def test_revising_needs_a_text_and_keeps_it_as_a_draft(scene):
    scene.ask(PlanReview(call_id="c", plan=PLAN), approval())
    press(scene, "plan_revise")
    assert not scene.get("plan_revise_send").isEnabled()
    QTest.keyClicks(scene.get("plan_revise_text"), "Add a test first")
    press(scene, "tray_next")
    press(scene, "tray_previous")
    press(scene, "plan_revise")
    assert scene.get("plan_revise_text").toPlainText() == "Add a test first"
    press(scene, "plan_revise_send")
    assert scene.sink.answers[0].answer == Answer(outcome="reject", note="Add a test first")


@pytest.mark.promise("gate-V5")
def test_a_long_plan_can_be_approved_only_once_its_end_was_seen(scene, qtbot):
    scene.ask(PlanReview(call_id="c", plan="\n\n".join(f"Step {n}" for n in range(200))))
    scene.settle()
    assert not scene.get("plan_approve").isEnabled()
    bar = scene.get("plan_text").verticalScrollBar()

    def at_end():
        bar.setValue(bar.maximum())
        return scene.get("plan_approve").isEnabled()

    qtbot.waitUntil(at_end)


def test_pictures_and_markup_in_a_plan_are_text(scene):
    scene.ask(PlanReview(call_id="c", plan="<img src=x> ![alt](file:///etc/passwd) <b>x</b>"))
    assert scene.get("plan_text").toPlainText() == "<img src=x> alt — file:///etc/passwd <b>x</b>"


def test_a_fence_in_a_plan_stands_as_code_with_its_language_apart(scene):
    scene.ask(PlanReview(call_id="c", plan="Do this:\n\n```python\nx = 1\n  y = 2\n```\n\nThen stop."))
    document = scene.get("plan_text").document()
    before, code, after = (document.findBlockByNumber(number) for number in range(3))
    assert code.text() == "python\u2028x = 1\u2028  y = 2"
    boxes = [QTextCursor(block).currentTable() for block in (before, code, after)]
    assert [box is not None for box in boxes] == [False, True, False]
    assert boxes[1].cellAt(code.position()).format().background().color() == theme().color("sunken")
    assert after.text() == "Then stop."
    ranges = code.textFormats()
    inks = [one.format.foreground().color().name() for one in ranges]
    assert (inks[0], inks[-1]) == (theme().color("muted").name(), theme().color("text").name())


def test_the_next_page_has_the_focus_on_its_first_answer(scene):
    scene.ask(questions())
    scene.settle()
    scene.tray.focus_card()
    scene.seconds.pass_ms(500)
    scene.get("question_next").setFocus()
    press(scene, "question_next")
    first = QApplication.focusWidget()
    assert first is not None
    assert first.isVisible()
    assert first.objectName() not in ("question_back", "question_next", "question_decline")


def test_a_restart_leaves_an_interrupted_card_that_no_key_answers(scene):
    scene.ask(approval())
    scene.hear([resolved(2, "inp_1", Answer(outcome="cancelled"), reason="restart")])
    assert scene.get("interrupted_title").text() == "Interrupted: Run a command in lane/fix-login"
    assert scene.get("interrupted_waiting").text() == "Interrupted 2 min ago"
    assert scene.find("approval_allow_once") is None
    scene.tray.focus_card()
    scene.settle()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Backspace):
        QTest.keyClick(scene.get("interrupted_card"), key, CONTROL)
    assert not scene.sink.sent
    press(scene, "interrupted_continue")
    assert isinstance(scene.sink.sent[0], ContinueTurn)
    scene.hear([envelope(3, TurnStarted(turn_id="t2", kind="continue"))])
    assert not scene.tray.isVisible()


def one_question():
    option = (Option(label="42", value="42"), Option(label="43", value="43"))
    return QuestionRequest(call_id="q", questions=(Question(id="n", text="Which number?", options=option),))


def after_restart(scene, request):
    scene.ask(request)
    scene.hear([resolved(2, "inp_1", Answer(outcome="cancelled"), reason="restart")])
    scene.settle()


def test_a_question_that_a_restart_closed_is_answered_with_what_was_chosen_before(scene):
    scene.ask(one_question())
    press(scene, "question_option_1")
    scene.hear([resolved(2, "inp_1", Answer(outcome="cancelled"), reason="restart")])
    assert scene.get("question_waiting").text() == "Interrupted 2 min ago"
    assert scene.get("question_late").text() == LATE
    assert scene.get("question_option_1").isChecked()
    scene.settle()
    scene.tray.focus_card()
    scene.settle()
    QTest.keyClick(scene.get("question_card"), Qt.Key.Key_Return, CONTROL)
    assert scene.sink.answers[0].answer.outcome == "answered"
    scene.hear([envelope(3, TurnStarted(turn_id="t2", kind="continue"))])
    assert not scene.tray.isVisible()


def test_a_question_that_a_restart_closed_is_dismissed_without_a_word_to_the_agent(scene):
    after_restart(scene, one_question())
    assert scene.get("question_decline").text() == "Dismiss"
    scene.tray.focus_card()
    scene.settle()
    QTest.keyClick(scene.get("question_card"), Qt.Key.Key_Backspace, CONTROL)
    assert scene.find("question_card") is None
    assert not scene.sink.sent


def test_a_plan_that_a_restart_closed_is_approved_but_not_for_full_auto(scene):
    after_restart(scene, PlanReview(call_id="c1", plan="1. Do it"))
    assert scene.get("plan_late").text() == LATE
    assert scene.find("plan_approve_full_auto") is None
    press(scene, "plan_approve")
    assert scene.sink.answers[0].answer.outcome == "allow_once"


@pytest.mark.parametrize(
    "request_",
    [
        PlanReview(call_id="c1", plan="1. Do it", mode_after=PermissionMode.FULL_AUTO),
        QuestionRequest(call_id="c1", questions=(Question(id="q1", text="The token?", secret=True),)),
    ],
)
def test_full_auto_and_secrets_are_not_given_after_a_restart(scene, request_):
    after_restart(scene, request_)
    assert scene.find("interrupted_card") is not None


def test_a_chat_that_cannot_go_on_says_why_and_gives_the_buttons_back(scene):
    scene.ask(approval())
    scene.hear([resolved(2, "inp_1", Answer(outcome="cancelled"), reason="restart")])
    press(scene, "interrupted_continue")
    assert not scene.get("interrupted_continue").isEnabled()
    why = "There is no key for Anthropic. Add one in Settings › Providers & keys."
    sent = scene.sink.sent[0]
    scene.hear([CommandFailed(command_id=sent.command_id, code="no_key", text=why, session_id=sent.session_id)])
    assert scene.get("interrupted_error").text() == why
    scene.settle()
    assert scene.get("interrupted_continue").isEnabled()
    assert scene.get("interrupted_dismiss").isEnabled()
    press(scene, "interrupted_continue")
    assert [type(command) for command in scene.sink.sent] == [ContinueTurn, ContinueTurn]


def test_an_interrupted_card_can_be_dismissed(scene):
    scene.ask(approval())
    scene.hear([resolved(2, "inp_1", Answer(outcome="cancelled"), reason="restart")])
    press(scene, "interrupted_dismiss")
    assert scene.find("interrupted_card") is None
    assert not scene.sink.sent


def test_typing_digits_in_the_other_field_chooses_nothing(scene):
    scene.ask(questions())
    field = scene.visible("question_other")
    field.setFocus()
    scene.settle()
    QTest.keyClicks(field, "12")
    assert QApplication.focusWidget() is field
    assert not scene.visible("question_option_1").isChecked()
    assert not scene.visible("question_option_2").isChecked()


def test_an_address_that_a_server_wants_to_have_opened_can_be_copied(scene):
    body = "It wants you to confirm.\n\nIt wants you to open this address of a.example:\n\nhttps://a.example/go?x=1"
    scene.ask(QuestionRequest(call_id="q", body=body, questions=(Question(id="t", text="Did you?"),)))
    press(scene, "question_copy_address")
    assert QGuiApplication.clipboard().text() == "https://a.example/go?x=1"
    assert not scene.sink.sent
