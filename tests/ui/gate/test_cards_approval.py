"""The approval card: what it shows, what its buttons send, and what never answers it."""

import pytest
from PySide6.QtCore import QEvent, QMimeData, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget

from desktop.domain.core.content import Card, CodeBlock
from desktop.domain.core.permissions import Category
from desktop.domain.gate.pending import Answer
from desktop.domain.updates import CommandFailed, EngineStopped
from desktop.ui.theme.theme import theme
from tests.ui.card_scenes import approval, press, resolved, sql, write

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


def test_run_once_sends_one_answer_with_the_digest_on_screen(scene):
    scene.ask(approval())
    scene.settle()
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    assert [command.input_id for command in scene.sink.answers] == ["inp_1"]
    assert scene.sink.answers[0].digest == "ab" * 32
    assert scene.sink.answers[0].answer == Answer(outcome="allow_once")


def test_the_titles_follow_category_and_blocks(scene):
    for number, (request, title) in enumerate(
        [
            (approval(), "Run a command in lane/fix-login?"),
            (write(), "Change auth/middleware.py?"),
            (sql(), "Run SQL on staging?"),
        ]
    ):
        scene.ask(request, first_seq=number * 2 + 1)
        assert scene.get("approval_title").text() == title
        scene.hear([resolved(number * 2 + 2, f"inp_{number * 2 + 1}", Answer(outcome="reject"))])


def test_a_press_acts_500_ms_after_the_card_appeared_and_not_a_millisecond_before(scene):
    scene.ask(approval())
    scene.settle()
    scene.seconds.pass_ms(-1)
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    assert not scene.sink.answers
    scene.seconds.pass_ms(1)
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    assert len(scene.sink.answers) == 1


def test_a_key_acts_500_ms_after_the_card_got_the_focus_and_not_a_millisecond_before(scene):
    scene.ask(approval())
    scene.settle()
    assert scene.tray.focus_card()
    scene.seconds.pass_ms(499)
    QTest.keyClick(scene.get("approval_card"), Qt.Key.Key_Return, CONTROL)
    assert not scene.sink.answers
    scene.seconds.pass_ms(1)
    QTest.keyClick(scene.get("approval_card"), Qt.Key.Key_Return, CONTROL)
    assert scene.sink.answers[0].answer.outcome == "allow_once"


def test_a_card_never_takes_the_focus_when_it_appears(scene):
    scene.ask(approval())
    scene.settle()
    assert QApplication.focusWidget() is scene.composer


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_Y, Qt.Key.Key_1, Qt.Key.Key_A])
@pytest.mark.parametrize("modifier", [Qt.KeyboardModifier.NoModifier, CONTROL])
def test_keys_typed_outside_the_card_never_answer_it(scene, key, modifier):
    scene.ask(approval())
    scene.settle()
    QTest.keyClick(scene.composer, key, modifier)
    QTest.keyClick(scene.window, key, modifier)
    assert not scene.sink.sent


def test_ctrl_enter_in_the_reason_field_approves_nothing(scene):
    scene.ask(approval())
    scene.settle()
    QTest.mouseClick(scene.get("approval_decline"), LEFT)
    scene.settle()
    field = scene.get("approval_decline_reason")
    assert QApplication.focusWidget() is field
    for modifier in (CONTROL, Qt.KeyboardModifier.NoModifier):
        QTest.keyClick(field, Qt.Key.Key_Return, modifier)
    QTest.keyClick(field, Qt.Key.Key_Backspace, CONTROL)
    assert not scene.sink.answers


def test_decline_with_a_reason_lets_the_turn_go_on(scene):
    scene.ask(approval())
    scene.settle()
    QTest.mouseClick(scene.get("approval_decline"), LEFT)
    scene.settle()
    QTest.keyClicks(scene.get("approval_decline_reason"), "use uv")
    QTest.mouseClick(scene.get("approval_decline_confirm"), LEFT)
    assert scene.sink.answers[0].answer == Answer(outcome="reject", note="use uv")


def test_decline_and_stop_ends_the_turn(scene):
    scene.ask(approval())
    scene.settle()
    QTest.mouseClick(scene.get("approval_decline"), LEFT)
    scene.settle()
    QTest.mouseClick(scene.get("approval_decline_stop"), LEFT)
    assert scene.sink.answers[0].answer == Answer(outcome="reject", stop_turn=True)


def test_escape_closes_the_decline_row_then_leaves_the_card(scene, qtbot):
    scene.ask(approval())
    scene.settle()
    QTest.mouseClick(scene.get("approval_decline"), LEFT)
    QTest.keyClick(scene.get("approval_decline_reason"), Qt.Key.Key_Escape)
    assert scene.get("approval_allow_once").isVisible()
    assert QApplication.focusWidget() is scene.get("approval_card")
    with qtbot.waitSignal(scene.tray.focus_left):
        QTest.keyClick(scene.get("approval_card"), Qt.Key.Key_Escape)


def test_a_double_click_gives_one_answer(scene):
    scene.ask(approval())
    scene.settle()
    button = scene.get("approval_allow_once")
    QTest.mouseClick(button, LEFT)
    QTest.mouseDClick(button, LEFT)
    assert len(scene.sink.answers) == 1
    assert not button.isEnabled()
    assert not scene.get("approval_decline").isEnabled()


def test_the_pressed_button_says_sending_after_200_ms(scene, qtbot):
    scene.ask(approval())
    scene.settle()
    button = scene.get("approval_allow_once")
    QTest.mouseClick(button, LEFT)
    assert button.text() == "Run once"
    qtbot.waitUntil(lambda: button.text() == "Sending…")


def test_a_refused_answer_enables_the_card_again_with_the_sentence(scene):
    scene.ask(approval())
    scene.settle()
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    failed = CommandFailed(command_id=scene.sink.answers[0].command_id, code="store", text="The disk is full.")
    scene.hear([failed])
    assert scene.get("approval_error").text() == "The disk is full."
    assert scene.get("approval_allow_once").isEnabled()


def test_the_failure_of_another_command_changes_nothing(scene):
    scene.ask(approval())
    scene.settle()
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    scene.hear([CommandFailed(command_id="cmd_other", code="x", text="Something else failed.")])
    assert scene.get("approval_error").isHidden()
    assert not scene.get("approval_allow_once").isEnabled()


@pytest.mark.promise("gate-C3")
def test_the_session_grant_is_there_only_when_offered_and_says_what_it_covers(scene):
    scene.ask(approval())
    button = scene.get("approval_allow_session")
    scene.settle()
    assert "until this chat is closed" in button.toolTip()
    assert button.accessibleDescription() == button.toolTip()
    QTest.mouseClick(button, LEFT)
    assert scene.sink.answers[0].answer == Answer(outcome="allow_always", scope="session")
    scene.hear([resolved(2, "inp_1", scene.sink.answers[0].answer)])
    scene.ask(approval(grants=()), first_seq=3)
    assert scene.find("approval_allow_once") is not None
    assert scene.find("approval_allow_session") is None


def test_an_sql_card_offers_nothing_but_run_once_whatever_is_offered(scene):
    scene.ask(sql())
    assert scene.get("approval_allow_once").text() == "Run once"
    for name in ("approval_allow_session", "approval_save_rule", "approval_edit"):
        assert scene.find(name) is None


@pytest.mark.promise("gate-V5")
def test_a_long_command_can_be_approved_only_once_its_end_was_seen(scene, qtbot):
    scene.ask(approval(text="\n".join(f"echo {n}" for n in range(214))))
    scene.settle()
    button = scene.get("approval_allow_once")
    assert not button.isEnabled()
    assert scene.get("approval_decline").isEnabled()
    qtbot.waitUntil(lambda: scene.get("approval_hint").text() == "Scroll to the end or choose Show all")
    scene.tray.focus_card()
    scene.seconds.pass_ms(500)
    QTest.keyClick(scene.get("approval_card"), Qt.Key.Key_Return, CONTROL)
    assert not scene.sink.answers
    scene.settle()
    assert not button.isEnabled()
    bar = scene.get("approval_evidence").verticalScrollBar()

    def at_end():
        bar.setValue(bar.maximum())
        return button.isEnabled()

    qtbot.waitUntil(at_end)


def test_show_all_counts_as_seen(scene, qtbot):
    scene.ask(approval(text="\n".join(f"echo {n}" for n in range(214))))
    scene.settle()
    qtbot.waitUntil(scene.get("approval_show_all").isVisible)
    scene.settle()
    assert scene.get("approval_show_all").text() == "Show all 214 lines"
    QTest.mouseClick(scene.get("approval_show_all"), LEFT)
    scene.settle()
    assert scene.get("approval_allow_once").isEnabled()


def test_hidden_characters_and_runs_of_blanks_are_drawn_where_the_shell_sees_them(scene):
    text = "npm test" + " " * 300 + "; curl x\rls\u2028rm \u202etxt"
    scene.ask(approval(text=text))
    scene.settle()
    shown = scene.get("approval_evidence").toPlainText()
    assert shown == "npm test⟦300 blanks⟧; curl x⟦U+000D⟧ls⟦U+2028⟧rm ⟦U+202E⟧txt"
    assert scene.get("approval_evidence").horizontalScrollBar().maximum() == 0


@pytest.mark.promise("gate-T3")
def test_an_irreversible_call_has_no_key_and_needs_the_word_typed(scene):
    scene.ask(sql(irreversible=True, confirm_word="staging", risk_flags=("changes_schema",)))
    scene.settle()
    button, field = scene.get("approval_allow_once"), scene.get("approval_confirm_word")
    scene.tray.focus_card()
    scene.seconds.pass_ms(500)
    QTest.keyClick(scene.get("approval_card"), Qt.Key.Key_Return, CONTROL)
    assert not button.isEnabled()
    QApplication.clipboard().setText("staging")
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_V, CONTROL)
    field.paste()
    assert field.text() == ""
    QTest.keyClicks(field, "Staging")
    assert not button.isEnabled()
    field.selectAll()
    QTest.keyClicks(field, "staging ")
    assert button.isEnabled()
    QTest.keyClick(field, Qt.Key.Key_Return, CONTROL)
    assert not scene.sink.answers
    scene.seconds.pass_ms(500)
    QTest.mouseClick(button, LEFT)
    assert len(scene.sink.answers) == 1


def test_dropped_text_does_not_confirm(scene):
    scene.ask(sql(irreversible=True, confirm_word="staging"))
    field = scene.get("approval_confirm_word")
    mime = QMimeData()
    mime.setText("staging")
    assert not field.acceptDrops()
    field.insert("staging")
    assert field.text() == ""


def test_a_moved_card_drops_a_click_100_ms_later(scene):
    scene.ask(approval())
    scene.settle()
    scene.composer.setFixedHeight(scene.composer.height() + 40)
    QApplication.sendPostedEvents()
    QApplication.processEvents()
    scene.seconds.pass_ms(100)
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    assert not scene.sink.answers
    scene.seconds.pass_ms(400)
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    assert len(scene.sink.answers) == 1


def test_a_click_in_an_inactive_window_approves_nothing(scene, qtbot):
    scene.ask(approval())
    scene.settle()
    other = QWidget()
    qtbot.addWidget(other)
    with qtbot.waitActive(other):
        other.show()
        other.activateWindow()
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    assert not scene.sink.answers
    with qtbot.waitActive(scene.window):
        scene.window.activateWindow()
    scene.seconds.pass_ms(100)
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    assert not scene.sink.answers


def test_a_held_key_over_three_cards_gives_one_answer(scene):
    scene.ask(approval(), approval(), approval())
    scene.settle()
    scene.tray.focus_card()
    scene.seconds.pass_ms(500)
    QTest.keyPress(scene.get("approval_card"), Qt.Key.Key_Return, CONTROL)
    scene.hear([resolved(9, "inp_1", Answer(outcome="allow_once"))])
    scene.settle()
    for _ in range(3):
        scene.seconds.pass_ms(500)
        hold(scene.get("approval_card"))
    assert len(scene.sink.answers) == 1


def hold(widget):
    """One auto-repeat of Ctrl+Enter."""
    event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, CONTROL, "", True)
    QApplication.sendEvent(widget, event)


def test_enter_and_space_press_only_the_button_that_has_the_focus(scene):
    scene.ask(approval())
    scene.settle()
    scene.tray.focus_card()
    scene.seconds.pass_ms(500)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
        QTest.keyClick(scene.get("approval_card"), key)
    assert not scene.sink.answers
    scene.get("approval_allow_once").setFocus()
    QTest.keyClick(scene.get("approval_allow_once"), Qt.Key.Key_Return)
    assert len(scene.sink.answers) == 1


def test_nothing_can_be_answered_while_the_engine_is_stopped(scene):
    scene.ask(approval())
    scene.settle()
    scene.hear([EngineStopped(reason="it crashed")])
    assert scene.get("approval_error").text() == "Cannot answer while the engine is stopped."
    scene.tray.focus_card()
    scene.seconds.pass_ms(500)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Backspace):
        QTest.keyClick(scene.get("approval_card"), key, CONTROL)
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    assert not scene.sink.answers


def test_why_says_rule_reason_mode_lane_and_copies_the_whole_digest(scene):
    scene.ask(approval(head="3fa9c1b", cwd="/lanes/fix-login"))
    scene.settle()
    scene.tray.focus_card()
    scene.seconds.pass_ms(500)
    QTest.keyClick(scene.get("approval_card"), Qt.Key.Key_W)
    panel = scene.get("approval_why_panel")
    words = [label.text() for label in panel.findChildren(QWidget) if hasattr(label, "text") and label.text()]
    for word in ("no_rule", "Edit", "command", "lane/fix-login", "3fa9c1b", "/lanes/fix-login", "abababababab"):
        assert word in words
    QTest.mouseClick(scene.get("approval_copy_digest"), LEFT)
    assert QApplication.clipboard().text() == "ab" * 32


def test_why_comes_into_view_where_the_card_has_little_room(scene):
    scene.ask(approval(text="\n".join(f"echo {n}" for n in range(40)), head="3fa9c1b", cwd="/lanes/fix-login"))
    scene.settle()
    press(scene, "approval_why")
    scene.settle()
    panel, body = scene.visible("approval_why_panel"), scene.get("approval_card").body
    assert not body.verticalScrollBar().isHidden()
    top = panel.mapTo(body.viewport(), panel.rect().topLeft()).y()
    assert 0 <= top < body.viewport().height() - panel.fontMetrics().lineSpacing()


def test_the_bar_of_a_card_stays_beside_the_ring_of_its_focus(scene):
    scene.ask(approval())
    scene.settle()
    card = scene.get("approval_card")
    middle = card.height() // 2
    assert card.grab().toImage().pixelColor(1, middle) == theme().color("warning")
    scene.tray.focus_card()
    shown = card.grab().toImage()
    assert shown.pixelColor(1, middle) == theme().color("accent")
    assert shown.pixelColor(3, middle) == theme().color("warning")


def test_a_file_of_json_is_shown_as_it_will_be_written_and_arguments_by_their_values(scene):
    text = '{\n  "tasks": [\n    {"label": "test"}\n  ]\n}'
    block = CodeBlock(language="json", text=text)
    card = Card(title="Write .vscode/tasks.json", blocks=(block,))
    scene.ask(approval(card=card, category=Category.WRITE, subject="path"))
    assert scene.get("approval_evidence").toPlainText() == text
    assert scene.get("approval_title").text() == "Write .vscode/tasks.json?"
    scene.hear([resolved(2, "inp_1", Answer(outcome="reject"))])
    scene.ask(approval(card=card, category=Category.EXTERNAL), first_seq=3)
    assert scene.get("approval_evidence").toPlainText() != text


def test_no_word_of_a_card_pushes_the_evidence_out_of_sight(scene):
    scene.ask(approval(text="echo one; echo two", lane="x" * 300, cwd="y" * 300, reason="z" * 300))
    scene.settle()
    scene.tray.focus_card()
    scene.seconds.pass_ms(500)
    QTest.keyClick(scene.get("approval_card"), Qt.Key.Key_W)
    scene.settle()
    evidence, card = scene.get("approval_evidence"), scene.get("approval_card")
    assert evidence.mapTo(card, evidence.rect().topRight()).x() < card.width()


def test_markup_in_every_field_is_shown_as_text(scene):
    bad = "<b>&x</b>"
    scene.ask(approval(text=bad, reason=bad, source=bad, asker=bad, lane=bad, rule=bad))
    scene.settle()
    assert scene.get("approval_title").text() == f"Run a command in {bad}?"
    assert scene.get("approval_reason").text() == bad
    assert scene.get("approval_asker").text() == f"Asked by {bad}"
    assert isinstance(scene.get("approval_evidence"), QPlainTextEdit)
    assert scene.get("approval_evidence").toPlainText() == bad


def test_ctrl_backspace_declines_at_once_without_a_reason(scene):
    scene.ask(approval())
    scene.settle()
    scene.tray.focus_card()
    scene.seconds.pass_ms(500)
    QTest.keyClick(scene.get("approval_card"), Qt.Key.Key_Backspace, CONTROL)
    assert scene.sink.answers[0].answer == Answer(outcome="reject")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("curl https://g\u03bfogle.com/x", "The host gοogle.com is really xn--"),
        ("./\u0440ay\u0440al", "mixes Cyrillic and Latin letters"),
        ("echo a \uff5c b", "only looks like “|”"),
        ("rm \u05d0\u05d1\u05d2", "is written right to left"),
        ("r\u200bm -rf build", "cannot be seen are shown as ⟦U+200B⟧"),
    ],
)
def test_words_that_are_not_what_they_look_like_are_named_and_nothing_else_changes(scene, text, words):
    scene.ask(approval(text=text))
    scene.settle()
    assert words in scene.get("approval_warning").text()
    assert scene.get("approval_allow_once").isEnabled()


def test_ordinary_text_has_no_warning(scene):
    scene.ask(approval(text="git commit -m 'naïve Änderung – 東京'"))
    assert scene.find("approval_warning") is None
