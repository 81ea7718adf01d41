"""The pending tray: which card is shown, folding, late answers, size, names and announcements."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from desktop.domain.gate.pending import Answer, PlanReview
from desktop.domain.updates import CommandFailed, SessionOpened
from desktop.ui.gate.cards.sending import NOT_CONFIRMED, Sending
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.card_parts import BodyScroll
from tests.ui.card_scenes import SESSION, Scene, approval, asked, questions, resolved, sql

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def scene(qtbot, tmp_path):
    return opened(qtbot, tmp_path)


def opened(qtbot, folder, **place):
    scene = Scene(folder, **place)
    qtbot.addWidget(scene.window)
    with qtbot.waitActive(scene.window):
        scene.window.show()
        scene.window.activateWindow()
    scene.composer.setFocus()
    return scene


def card_id(scene):
    return scene.get("approval_card").property("item_id")


def test_an_empty_tray_is_hidden(scene):
    assert not scene.tray.isVisible()
    assert not scene.tray.focus_card()


def test_a_second_request_leaves_the_first_in_place_and_starts_no_guard(scene):
    scene.ask(approval())
    scene.settle()
    place = scene.get("approval_card").geometry()
    scene.hear([asked(2, sql()), asked(3, sql())])
    scene.settle()
    scene.seconds.pass_ms(-500)
    assert scene.get("tray_position").text() == "1 of 3"
    assert scene.get("approval_card").geometry() == place
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    assert [command.input_id for command in scene.sink.answers] == ["inp_1"]


def test_two_requests_of_one_batch_are_both_kept(scene):
    scene.hear([asked(1, approval()), asked(2, approval())])
    assert scene.get("tray_position").text() == "1 of 2"
    assert scene.tray.model.inputs()[1].input_id == "inp_2"


def test_after_an_answer_the_next_oldest_is_shown_with_a_new_guard(scene):
    scene.ask(approval(), approval())
    scene.settle()
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    scene.hear([resolved(3, "inp_1", Answer(outcome="allow_once"))])
    assert card_id(scene) == "inp_2"
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    assert len(scene.sink.answers) == 1


def test_records_that_only_look_back_never_enter(scene):
    scene.ask(approval(blocking=False))
    assert not scene.tray.isVisible()
    assert scene.tray.model.inputs() == ()


def test_open_inputs_come_from_the_events_of_the_opened_chat(scene):
    envelopes = (asked(1, approval()), asked(2, sql()), resolved(3, "inp_1", Answer(outcome="reject")))
    scene.hear([SessionOpened(session_id=SESSION, envelopes=envelopes[2:])])
    scene.hear([SessionOpened(session_id=SESSION, envelopes=envelopes[:2], first=False)])
    assert [item.input_id for item in scene.tray.model.inputs()] == ["inp_2"]


def test_events_of_another_chat_change_nothing(scene):
    other = asked(1, approval()).model_copy(update={"session_id": "ses_other"})
    scene.hear([other])
    assert not scene.tray.isVisible()


def test_previous_and_next_go_through_the_cards(scene):
    scene.ask(approval(), sql())
    QTest.mouseClick(scene.get("tray_next"), LEFT)
    assert scene.get("approval_title").text() == "Run SQL on staging?"
    assert scene.get("tray_position").text() == "2 of 2"
    QTest.mouseClick(scene.get("tray_previous"), LEFT)
    assert card_id(scene) == "inp_1"


def test_folding_leaves_one_line_that_names_what_waits(scene):
    scene.ask(sql(), approval())
    scene.settle()
    QTest.mouseClick(scene.get("tray_collapse"), LEFT)
    scene.settle()
    assert scene.tray.height() == theme().px(36)
    assert not scene.get("approval_card").isVisible()
    line = scene.get("tray_fold_line")
    assert "2 waiting: Run SQL on staging?" in [part.accessibleName() for part in line.findChildren(QWidget)]
    scene.ask(approval(), first_seq=8)
    assert scene.tray.is_folded
    assert scene.tray.focus_card()
    assert not scene.tray.is_folded


def test_a_first_card_opens_an_unfolded_tray(scene):
    scene.ask(approval())
    scene.tray.set_folded(True)
    scene.hear([resolved(2, "inp_1", Answer(outcome="reject"))])
    scene.ask(approval(), first_seq=3)
    assert not scene.tray.is_folded


def test_an_answer_after_the_request_was_closed_is_told_and_the_card_goes(scene):
    scene.ask(approval())
    scene.settle()
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    failed = CommandFailed(command_id=scene.sink.answers[0].command_id, code="input_closed", text="It is closed.")
    scene.hear([failed])
    assert scene.get("tray_note").text() == "This request is no longer open."
    assert scene.find("approval_card") is None


def test_the_later_of_two_answers_is_told_what_the_first_was(scene, qtbot):
    scene.ask(approval())
    scene.settle()
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    command_id = scene.sink.answers[0].command_id
    scene.hear([resolved(2, "inp_1", Answer(outcome="reject"))])
    with qtbot.waitSignal(scene.tray.told) as told:
        scene.hear([CommandFailed(command_id=command_id, code="input_closed", text="It is closed.")])
    assert told.args[0].startswith("This was already answered: declined at ")


def test_a_card_answered_elsewhere_hands_its_focus_to_the_next_cards_frame(scene):
    scene.ask(approval(), approval())
    scene.tray.focus_card()
    scene.settle()
    scene.hear([resolved(3, "inp_1", Answer(outcome="allow_once"))])
    assert QApplication.focusWidget() is scene.get("approval_card")
    assert card_id(scene) == "inp_2"


def test_when_the_last_card_goes_with_the_focus_the_composer_is_asked_to_take_it(scene, qtbot):
    scene.ask(approval())
    scene.tray.focus_card()
    with qtbot.waitSignal(scene.tray.focus_left):
        scene.hear([resolved(2, "inp_1", Answer(outcome="cancelled"), reason="mode")])


def test_a_sending_card_is_still_sending_when_it_is_shown_again(scene):
    scene.ask(approval(), approval())
    scene.settle()
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    QTest.mouseClick(scene.get("tray_next"), LEFT)
    QTest.mouseClick(scene.get("tray_previous"), LEFT)
    assert not scene.get("approval_allow_once").isEnabled()
    assert not scene.get("approval_decline").isEnabled()


def test_a_reason_is_kept_per_input_across_chats(scene):
    scene.ask(approval())
    scene.settle()
    QTest.mouseClick(scene.get("approval_decline"), LEFT)
    QTest.keyClicks(scene.get("approval_decline_reason"), "use uv")
    scene.tray.show_session("ses_other", "")
    assert not scene.tray.isVisible()
    scene.tray.show_session(SESSION, "lane/fix-login")
    scene.hear([SessionOpened(session_id=SESSION, envelopes=(asked(1, approval()), asked(2, approval())))])
    assert scene.get("approval_decline_reason").text() == "use uv"
    scene.settle()
    QTest.mouseClick(scene.get("tray_next"), LEFT)
    assert scene.get("approval_decline_reason").text() == ""


@pytest.mark.parametrize("zoom", [100, 200])
def test_the_buttons_are_whole_at_the_smallest_window(qtbot, tmp_path, zoom):
    theme().choose("light", zoom)
    try:
        scene = opened(qtbot, tmp_path, size=(520, 400))
        scene.ask(approval(text="\n".join(f"echo {n}" for n in range(50))))
        qtbot.wait(250)  # what is laid out a moment after the first look must not cut them

        def is_whole(name):
            button = scene.get(name)
            place = QRect(button.mapTo(scene.window, QPoint(0, 0)), button.size())
            return scene.window.rect().contains(place) and button.visibleRegion().boundingRect() == button.rect()

        for name in ("approval_allow_once", "approval_allow_session", "approval_decline"):
            qtbot.waitUntil(lambda name=name: is_whole(name))
        assert scene.tray.height() <= scene.window.height() * (0.6 if zoom < 150 else 0.85)
    finally:
        theme().choose("light", 100)


def test_every_control_of_every_card_has_a_name_of_its_own(scene):
    scene.ask(approval(head="3fa9c1b"), sql(irreversible=True, confirm_word="staging"), questions())
    scene.ask(PlanReview(call_id="c", plan="# Plan"), first_seq=9)
    for _ in range(4):
        for control in scene.tray.findChildren(QWidget):
            if not isinstance(control, QAbstractButton | QLineEdit | QPlainTextEdit | QTextEdit):
                continue
            reader = QAccessible.queryAccessibleInterface(control)
            assert reader.text(QAccessible.Text.Name), f"{control} has no name"
            assert control.objectName(), f"{control} has no object name"
        names = [w.objectName() for w in scene.tray.findChildren(QAbstractButton) if w.isVisible()]
        assert len(names) == len(set(names))
        QTest.mouseClick(scene.get("tray_next"), LEFT)


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (
            lambda: approval(asker="Sub-agent (explorer)"),
            "approval_card approval_title approval_chips approval_waiting approval_asker approval_evidence "
            "approval_reason approval_show_all approval_why approval_why_panel approval_allow_once "
            "approval_allow_session approval_decline approval_decline_reason approval_decline_confirm "
            "approval_decline_stop approval_decline_back approval_error approval_hint",
        ),
        (
            questions,
            "question_card question_text question_position question_options question_option_1 question_other "
            "question_secret question_back question_next question_send question_skip question_decline",
        ),
        (
            lambda: PlanReview(call_id="c", plan="# Plan"),
            "plan_card plan_text plan_approve plan_revise plan_revise_text plan_revise_send plan_decline",
        ),
    ],
)
def test_the_names_that_must_exist_exist(scene, make, names):
    scene.ask(make())
    for name in [*names.split(), "tray_collapse", "tray_previous", "tray_next", "tray_position"]:
        assert scene.find(name) is not None, name
    assert scene.tray.objectName() == "pending_tray"


def test_a_card_reads_as_an_alert_and_the_tray_as_a_group(scene):
    scene.ask(approval(), sql())
    card = QAccessible.queryAccessibleInterface(scene.get("approval_card"))
    assert card.role() is QAccessible.Role.AlertMessage
    assert card.text(QAccessible.Text.Name) == "Run a command in lane/fix-login?"
    tray = QAccessible.queryAccessibleInterface(scene.tray)
    assert tray.role() is QAccessible.Role.Grouping
    assert tray.text(QAccessible.Text.Name) == "Waiting, 2"


def test_another_theme_keeps_the_card_its_draft_and_the_focus(scene):
    scene.ask(approval(), sql())
    scene.settle()
    QTest.mouseClick(scene.get("tray_next"), LEFT)
    scene.tray.focus_card()
    try:
        theme().choose("dark", 120)
        assert scene.get("approval_title").text() == "Run SQL on staging?"
        assert QApplication.focusWidget() is scene.get("approval_card")
    finally:
        theme().choose("light", 100)


def test_another_zoom_keeps_evidence_that_was_seen_the_why_panel_and_the_decline_row(scene):
    scene.ask(approval(text="\n".join(f"step {n}" for n in range(200))))
    scene.settle()
    assert not scene.get("approval_allow_once").isEnabled()
    QTest.mouseClick(scene.get("approval_show_all"), LEFT)
    scene.settle()
    QTest.mouseClick(scene.get("approval_why"), LEFT)
    scene.settle()
    QTest.mouseClick(scene.get("approval_decline"), LEFT)
    QTest.keyClicks(scene.get("approval_decline_reason"), "not now")
    try:
        theme().choose("dark", 120)
        scene.settle()
        assert scene.get("approval_why_panel").isVisible()
        assert scene.get("approval_why").text() == "Hide why"
        assert scene.get("approval_decline_reason").hasFocus()
        assert scene.get("approval_decline_reason").text() == "not now"
        assert scene.get("approval_allow_once").isEnabled()
        assert not scene.get("approval_show_all").isVisible()
    finally:
        theme().choose("light", 100)


def test_another_theme_does_not_count_unseen_evidence_as_seen(scene):
    scene.ask(approval(text="\n".join(f"step {n}" for n in range(200))))
    scene.settle()
    try:
        theme().choose("dark", 100)
        scene.settle()
        assert not scene.get("approval_allow_once").isEnabled()
    finally:
        theme().choose("light", 100)


def test_another_theme_keeps_the_question_that_is_shown_and_a_typed_secret(scene):
    scene.ask(questions())
    scene.settle()
    for _ in range(2):
        QTest.mouseClick(scene.get("question_next"), LEFT)
        scene.settle()
    scene.visible("question_secret").setText("s3cret")
    try:
        theme().choose("dark", 100)
        scene.settle()
        assert scene.get("question_position").text() == "3 of 3"
        assert scene.visible("question_secret").text() == "s3cret"
    finally:
        theme().choose("light", 100)


def test_no_button_of_a_card_is_a_default_button(scene):
    scene.ask(approval())
    for button in scene.get("approval_card").findChildren(QWidget):
        if hasattr(button, "isDefault"):
            assert not button.isDefault()
            assert not button.autoDefault()


def test_tab_goes_through_the_card_in_reading_order(scene):
    scene.ask(approval(), approval())
    scene.settle()
    scene.tray.focus_card()
    seen = []
    for _ in range(8):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        seen.append(QApplication.focusWidget().objectName())
    assert seen == [
        "approval_evidence",
        "approval_why",
        "approval_allow_once",
        "approval_allow_session",
        "approval_decline",
        "tray_next",
        "tray_collapse",
        seen[-1],
    ]


def test_f8_steps_go_to_the_frame_of_the_next_card_and_end(scene):
    scene.ask(approval(), approval())
    assert scene.tray.focus_step(1)
    assert card_id(scene) == "inp_1"
    assert scene.tray.focus_step(1)
    assert card_id(scene) == "inp_2"
    assert QApplication.focusWidget() is scene.get("approval_card")
    assert not scene.tray.focus_step(1)


def test_the_count_is_told(scene, qtbot):
    with qtbot.waitSignal(scene.tray.count_changed) as counted:
        scene.ask(approval())
    assert counted.args == [1]


def test_the_contents_of_a_card_have_a_scroll_bar_only_while_they_need_one(qtbot):
    body = BodyScroll(None)
    qtbot.addWidget(body)
    content = QLabel("x")
    content.setFixedHeight(50)
    body.column.addWidget(content)
    body.resize(200, 80)
    body.show()
    qtbot.waitUntil(lambda: not body.verticalScrollBar().isVisible())
    content.setFixedHeight(300)
    qtbot.waitUntil(lambda: body.verticalScrollBar().isVisible())
    content.setFixedHeight(60)
    qtbot.waitUntil(lambda: not body.verticalScrollBar().isVisible())


def test_an_answer_without_an_echo_is_said_to_be_under_way_still(scene, qtbot):
    scene.ask(approval())
    scene.settle()
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    scene.get("approval_card").findChild(Sending).late.emit()
    assert scene.get("approval_hint").text() == "Still sending. Your answer is not confirmed yet."
    scene.hear([CommandFailed(command_id=scene.sink.answers[0].command_id, code="store", text="Full.")])
    assert scene.get("approval_hint").text() == ""


def test_an_answer_that_is_never_confirmed_gives_the_buttons_back_and_can_be_given_again(scene):
    scene.ask(approval())
    scene.settle()
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    assert not scene.get("approval_allow_once").isEnabled()
    scene.get("approval_card").findChild(Sending).given_up.emit()
    assert scene.get("approval_error").text() == NOT_CONFIRMED
    scene.settle()
    assert scene.get("approval_allow_once").isEnabled()
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    first, second = (answer.command_id for answer in scene.sink.answers)
    scene.hear([CommandFailed(command_id=first, code="internal", text="OSError: late.")])
    assert scene.get("approval_error").text() == ""
    scene.hear([CommandFailed(command_id=second, code="internal", text="OSError: no room.")])
    assert scene.get("approval_error").text() == "OSError: no room."
    scene.settle()
    assert scene.get("approval_allow_once").isEnabled()


def test_a_request_that_changed_is_drawn_again_in_its_place(scene):
    scene.ask(approval(), approval("Second"))
    QTest.mouseClick(scene.get("tray_next"), LEFT)
    scene.settle()
    changed = asked(2, approval(text="npm test -- -q", digest="cd" * 32))
    scene.hear([changed.model_copy(update={"seq": 9})])
    assert card_id(scene) == "inp_2"
    assert scene.get("approval_evidence").toPlainText() == "npm test -- -q"
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    assert not scene.sink.answers
    scene.settle()
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    assert scene.sink.answers[0].digest == "cd" * 32
