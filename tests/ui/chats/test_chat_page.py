"""The centre: sending, drafts, refusals, modes, models, header facts."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QPlainTextEdit

from desktop.domain.boundaries.events import BoundaryProposed
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import Activity
from desktop.domain.events import ModeChanged, TurnStarted
from desktop.domain.history.fold_state import fold_log
from desktop.domain.history.state import SessionState
from desktop.domain.updates import (
    ActivityChanged,
    CommandFailed,
    EndpointChecked,
    KeysChanged,
    KeyState,
    ModelInfo,
    RetryScheduled,
    SandboxReported,
    SessionOpened,
    SessionsChanged,
)
from desktop.ui.chats.composer.boundaries import BoundaryChip
from desktop.ui.widgets.layouts.column import column_width
from tests.ui.shell_samples import (
    IDLE,
    IN_LANE,
    LANE,
    NOW,
    ago,
    begun,
    envelopes,
    find,
    make_chat,
    make_window,
    said,
    sandbox,
    show_active,
    started,
)

ENTER = Qt.Key.Key_Return


@pytest.fixture
def window(qtbot, tmp_path, sink):
    window = make_window(tmp_path, sink)
    show_active(qtbot, window)
    window.apply_updates(started(IDLE, IN_LANE))
    return window


def text(window):
    return find(window, "composer_text", QPlainTextEdit)


def button(window, name):
    return find(window, name, QAbstractButton)


def show(window, chat, *events):
    window.open_chat(chat.session_id)
    log = tuple(envelopes(chat.session_id, *(events or (begun(),))))
    window.apply_updates([SessionOpened(session_id=chat.session_id, envelopes=log)])


def doing(chat, activity, **fields):
    return ActivityChanged(session_id=chat.session_id, activity=activity, since=fields.get("since", NOW))


def write(qtbot, window, words):
    text(window).setFocus()
    qtbot.keyClicks(text(window), words)


def test_a_new_chat_begins_with_its_first_message_in_a_lane(window, qtbot, sink):
    assert not button(window, "composer_send").isEnabled()
    write(qtbot, window, "Fix the login")
    qtbot.keyClick(text(window), ENTER)
    command = sink.last()
    assert command.type == "new_session"
    assert (command.text, command.place, command.mode) == ("Fix the login", "lane", PermissionMode.EDIT)
    assert (command.endpoint_id, command.model) == ("anthropic", "opus")
    assert window.page.session_id == command.session_id
    assert text(window).toPlainText() == ""
    assert not find(window, "composer_place").isVisible()


def test_a_new_chat_can_work_in_the_checkout_on_purpose(window, qtbot, sink):
    qtbot.mouseClick(button(window, "composer_place_checkout"), Qt.MouseButton.LeftButton)
    write(qtbot, window, "Tidy up")
    qtbot.mouseClick(button(window, "composer_send"), Qt.MouseButton.LeftButton)
    assert sink.last().place == "checkout"
    window.new_chat()
    assert button(window, "composer_place_lane").isChecked()


def test_a_refused_first_message_comes_back_to_the_page_of_a_new_chat(window, qtbot, sink):
    write(qtbot, window, "Fix the login")
    qtbot.keyClick(text(window), ENTER)
    window.apply_updates([CommandFailed(command_id=sink.last().command_id, code="lane", text="The branch exists.")])
    assert window.page.session_id == ""
    assert text(window).toPlainText() == "Fix the login"
    assert find(window, "composer_error", QLabel).text() == "The branch exists."
    assert find(window, "composer_error").isVisible()


def test_what_was_typed_into_a_chat_that_never_began_comes_back_too(window, qtbot, sink):
    write(qtbot, window, "Fix the login")
    qtbot.keyClick(text(window), ENTER)
    write(qtbot, window, "and add a test")
    window.apply_updates([CommandFailed(command_id=sink.last().command_id, code="lane", text="The branch exists.")])
    assert text(window).toPlainText() == "Fix the login\n\nand add a test"


def test_a_message_is_sent_to_the_open_chat_and_shift_enter_breaks_the_line(window, qtbot, sink):
    show(window, IDLE)
    write(qtbot, window, "one")
    qtbot.keyClick(text(window), ENTER, Qt.KeyboardModifier.ShiftModifier)
    write(qtbot, window, "two")
    qtbot.keyClick(text(window), ENTER)
    assert (sink.last().type, sink.last().text) == ("send_message", "one\ntwo")
    assert text(window).toPlainText() == ""
    assert not button(window, "composer_send").isEnabled()


def test_a_refused_message_returns_before_what_was_typed_meanwhile(window, qtbot, sink):
    show(window, IDLE)
    write(qtbot, window, "first")
    qtbot.keyClick(text(window), ENTER)
    command = sink.last()
    write(qtbot, window, "second")
    window.apply_updates([CommandFailed(command_id=command.command_id, code="busy", text="A turn runs.")])
    assert text(window).toPlainText() == "first\n\nsecond"
    assert find(window, "composer_error", QLabel).text() == "A turn runs."


def test_while_a_turn_runs_a_message_waits_and_stop_is_there(window, qtbot, sink):
    show(window, IDLE)
    assert not button(window, "composer_stop").isVisible()
    window.apply_updates([doing(IDLE, Activity.RUNNING)])
    assert button(window, "composer_send").text() == "Queue"
    write(qtbot, window, "and a test")
    qtbot.keyClick(window, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    assert sink.last().type == "interrupt"
    assert button(window, "composer_stop").text() == "Stopping…"
    assert text(window).toPlainText() == "and a test"
    window.apply_updates([doing(IDLE, Activity.IDLE)])
    assert not button(window, "composer_stop").isVisible()
    assert button(window, "composer_send").text() == "Send"
    assert button(window, "composer_send").isEnabled()


def test_drafts_stay_with_their_chat_and_survive_a_restart(window, qtbot, tmp_path, sink):
    show(window, IDLE)
    write(qtbot, window, "for the first")
    show(window, IN_LANE)
    assert text(window).toPlainText() == ""
    write(qtbot, window, "for the second")
    show(window, IDLE)
    assert text(window).toPlainText() == "for the first"
    window.close()
    again = make_window(tmp_path, sink)
    qtbot.addWidget(again)
    again.apply_updates(started(IDLE, IN_LANE))
    again.open_chat(IN_LANE.session_id)
    assert text(again).toPlainText() == "for the second"


def test_a_draft_is_forgotten_only_when_the_message_was_accepted(window, qtbot, tmp_path, sink):
    show(window, IDLE)
    write(qtbot, window, "hello")
    qtbot.keyClick(text(window), ENTER)
    window.close()
    again = make_window(tmp_path, sink)
    qtbot.addWidget(again)
    again.apply_updates(started(IDLE))
    assert text(again).toPlainText() == "hello"
    again.show()
    text(again).setFocus()
    qtbot.keyClick(text(again), ENTER)
    again.apply_updates(envelopes(IDLE.session_id, said("hello"), first=1))
    again.close()
    third = make_window(tmp_path, sink)
    qtbot.addWidget(third)
    third.apply_updates(started(IDLE))
    assert text(third).toPlainText() == ""


def test_the_same_words_typed_again_while_they_are_sent_are_a_draft(window, qtbot, sink):
    show(window, IDLE)
    write(qtbot, window, "go on")
    qtbot.keyClick(text(window), ENTER)
    write(qtbot, window, "go on")
    window.apply_updates(envelopes(IDLE.session_id, said("go on"), first=1))
    show(window, IN_LANE)
    show(window, IDLE)
    assert text(window).toPlainText() == "go on"


@pytest.mark.promise("gate-L1")
def test_the_mode_switch_shows_the_folded_mode_until_the_engine_confirms(window, qtbot, sink):
    show(window, IDLE)
    qtbot.mouseClick(button(window, "composer_mode_plan"), Qt.MouseButton.LeftButton)
    assert (sink.last().type, sink.last().mode) == ("set_mode", PermissionMode.PLAN)
    assert button(window, "composer_mode_edit").isChecked()
    assert "…" in button(window, "composer_mode_plan").text()
    text(window).setPlainText("hello")
    assert not button(window, "composer_send").isEnabled()
    changed = ModeChanged(mode=PermissionMode.PLAN, previous=PermissionMode.EDIT, by="person")
    window.apply_updates(envelopes(IDLE.session_id, changed, first=1))
    assert button(window, "composer_mode_plan").isChecked()
    assert button(window, "composer_mode_plan").text() == "Plan"
    assert button(window, "composer_send").isEnabled()


def test_a_refused_mode_keeps_the_old_one_and_says_why(window, qtbot, sink):
    show(window, IDLE)
    qtbot.mouseClick(button(window, "composer_mode_plan"), Qt.MouseButton.LeftButton)
    window.apply_updates([CommandFailed(command_id=sink.last().command_id, code="mode", text="Not now.")])
    assert button(window, "composer_mode_edit").isChecked()
    assert button(window, "composer_mode_plan").text() == "Plan"
    assert find(window, "toast").accessibleName() == "Not now."


def test_full_auto_asks_first_and_staying_changes_nothing(window, qtbot, sink):
    window.apply_updates([SandboxReported(report=sandbox("none"))])
    show(window, IDLE)
    qtbot.mouseClick(button(window, "composer_mode_full_auto"), Qt.MouseButton.LeftButton)
    dialog = find(window, "full_auto_dialog")
    assert dialog.isVisible()
    stay = button(dialog, "full_auto_stay")
    assert stay.text() == "Stay in Edit"
    qtbot.waitUntil(stay.hasFocus)
    qtbot.mouseClick(stay, Qt.MouseButton.LeftButton)
    assert "set_mode" not in sink.kinds()
    assert button(window, "composer_mode_edit").isChecked()


def test_full_auto_without_a_sandbox_is_sent_only_after_the_dialog(window, qtbot, sink):
    window.apply_updates([SandboxReported(report=sandbox("none"))])
    show(window, IDLE)
    for _ in range(2):
        mode = PermissionMode.PLAN if _ else PermissionMode.EDIT
        assert window.page.composer.state.mode in (mode, PermissionMode.EDIT)
    qtbot.keyClick(window, "M", Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    dialog = find(window, "full_auto_dialog")
    qtbot.mouseClick(button(dialog, "full_auto_without_sandbox"), Qt.MouseButton.LeftButton)
    assert (sink.last().mode, sink.last().without_sandbox) == (PermissionMode.FULL_AUTO, True)
    changed = ModeChanged(mode=PermissionMode.FULL_AUTO, previous=PermissionMode.EDIT, by="person")
    assert not find(window, "header_sandbox").isVisible()
    window.apply_updates(envelopes(IDLE.session_id, changed, first=1))
    assert find(window, "header_sandbox").isVisible()


def test_labels_of_two_chats_follow_their_own_mode(window):
    show(window, IDLE, begun(PermissionMode.PLAN))
    show(window, IN_LANE, begun(PermissionMode.FULL_AUTO))
    assert button(window, "composer_mode_full_auto").isChecked()
    window.open_chat(IDLE.session_id)
    assert button(window, "composer_mode_plan").isChecked()
    assert not find(window, "header_sandbox").isVisible()


def test_the_model_list_offers_what_the_endpoints_have(window, qtbot, sink):
    models = (ModelInfo(id="opus", name="Opus", window=200_000), ModelInfo(id="haiku", name="Haiku"))
    window.apply_updates([EndpointChecked(command_id="", endpoint_id="anthropic", ok=True, text="", models=models)])
    show(window, IDLE)
    qtbot.mouseClick(button(window, "composer_model"), Qt.MouseButton.LeftButton)
    field = find(window, "model_search", QLineEdit)
    assert field.isVisible()
    field.setText("haiku")
    qtbot.keyClick(field, ENTER)
    assert (sink.last().type, sink.last().endpoint_id, sink.last().model) == ("set_model", "anthropic", "haiku")
    assert button(window, "composer_model").text() == "Opus", "as the service calls it"


def test_without_a_key_nothing_is_sent_and_the_list_leads_to_the_settings(window, qtbot):
    window.apply_updates([KeysChanged(keys=(KeyState(endpoint_id="anthropic", place="none"),))])
    text(window).setPlainText("hello")
    assert button(window, "composer_send").toolTip() == "Add a key for Anthropic first."
    qtbot.mouseClick(button(window, "composer_model"), Qt.MouseButton.LeftButton)
    field = find(window, "model_search", QLineEdit)
    field.setText("add key")
    qtbot.keyClick(field, ENTER)
    assert find(window, "settings_dialog").isVisible()


def test_the_header_renames_on_f2_and_by_click(window, qtbot, sink):
    show(window, IDLE)
    qtbot.keyClick(window, Qt.Key.Key_F2)
    edit = find(window, "header_title_edit", QLineEdit)
    assert edit.isVisible()
    edit.setText("Retries")
    qtbot.keyClick(edit, ENTER)
    assert (sink.last().type, sink.last().title) == ("rename_session", "Retries")
    qtbot.mouseClick(button(window, "header_title"), Qt.MouseButton.LeftButton)
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert sink.kinds().count("rename_session") == 1
    assert button(window, "header_title").isVisible()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "idle"),
        ({"interrupted": True}, "interrupted"),
        ({"failed": "tests exit 1"}, "failed"),
        ({"archived": True}, "archived"),
        ({"activity": Activity.STOPPING}, "stopping…"),
        ({"activity": Activity.STREAMING}, "running"),
    ],
)
def test_the_header_says_exactly_one_state(window, fields, words):
    chat = make_chat(70, "One", **fields)
    window.apply_updates([SessionsChanged(sessions=(chat,))])
    window.open_chat(chat.session_id)
    assert find(window, "header_state", QLabel).text() == words


def test_the_header_counts_down_a_retry_and_tells_how_long_a_turn_runs(window):
    show(window, IDLE)
    window.apply_updates(
        [
            doing(IDLE, Activity.RETRYING),
            RetryScheduled(
                session_id=IDLE.session_id,
                reason="overloaded",
                attempt=2,
                max_attempts=5,
                retry_at=NOW - (ago(seconds=8) - NOW),
            ),
        ]
    )
    assert find(window, "header_state", QLabel).text() == "retrying in 8 s"
    window.apply_updates([doing(IDLE, Activity.RUNNING, since=ago(minutes=2))])
    assert find(window, "header_state", QLabel).text() == "running · 2 min"


def test_chips_of_the_header_stand_while_they_are_true(window, qtbot):
    own = make_chat(71, "Mine", primary=True, demo=True)
    window.apply_updates([SessionsChanged(sessions=(own, IN_LANE))])
    window.open_chat(own.session_id)
    shown = {name for name in ("header_primary", "header_demo", "header_lane") if find(window, name).isVisible()}
    assert shown == {"header_primary", "header_demo"}
    window.open_chat(IN_LANE.session_id)
    qtbot.waitUntil(lambda: button(window, "header_lane").text() == "lane/fix-login")


def test_the_state_of_a_long_chat_comes_before_its_older_events(window):
    log = envelopes(IDLE.session_id, begun(PermissionMode.PLAN), said("a"), TurnStarted(turn_id="trn_2"), said("b"))
    window.open_chat(IDLE.session_id)
    newest = SessionOpened(session_id=IDLE.session_id, envelopes=tuple(log[2:]), complete=False)
    state = fold_log(SessionState.begin(IDLE.session_id), log)
    older = SessionOpened(session_id=IDLE.session_id, envelopes=(log[1],), first=False, complete=False, state=state)
    oldest = SessionOpened(session_id=IDLE.session_id, envelopes=(log[0],), first=False)
    window.apply_updates([newest])
    assert button(window, "composer_mode_edit").isChecked()
    window.apply_updates([older])
    assert button(window, "composer_mode_plan").isChecked()
    window.apply_updates([oldest])
    assert button(window, "composer_mode_plan").isChecked()


@pytest.mark.parametrize(("centre", "column"), [(1090, 760), (730, 622), (700, 592), (699, 651), (480, 432)])
def test_rows_tray_and_composer_share_one_column(qapp, centre, column):
    assert column_width(centre) == column


def test_the_composer_grows_with_its_lines_up_to_its_share(window, qtbot):
    show(window, IDLE)
    composer = find(window, "composer")
    small = composer.height()
    text(window).setPlainText("\n".join("line" for _ in range(8)))
    qtbot.waitUntil(lambda: composer.height() > small + 60)
    text(window).setPlainText("\n".join("line" for _ in range(80)))
    qtbot.wait(50)
    assert composer.height() <= window.page.height() * 0.4 + 1
    text(window).setPlainText("")
    qtbot.waitUntil(lambda: composer.height() == small)
    assert 98 <= small <= 104


def test_a_long_title_keeps_its_beginning_where_the_lane_leaves_too_little_room(window, qtbot):
    chat = make_chat(7, "A title that is long enough to be cut", lane_id=LANE.id, lane_name="x" * 60)
    window.apply_updates(started(chat))
    window.open_chat(chat.session_id)
    title, header = find(window, "header_title", QAbstractButton), window.page.header
    for width in (700, 480, 400, 240):
        window.resize(max(640, 1360 - 700 + width), 840)
        header.resize(width, header.height())
        header.layout().activate()
        shown = title.text().removesuffix("…")
        assert title.text().startswith("A title that is long eno" if width >= 400 else "A"), (width, shown)
        assert header.layout().minimumSize().width() <= width


def test_the_header_counts_what_is_forbidden_and_leads_there(window, qtbot):
    found = BoundaryProposed(boundary_id="b1", quote="never push", action="push", title="Don’t push", rules=())
    by_agent = found.model_copy(update={"boundary_id": "b2", "by": "agent"})
    show(window, IDLE, begun(), found, by_agent)
    chip = find(window, "header_boundaries", QAbstractButton)
    assert (chip.text(), chip.isVisible()) == ("1 boundary", True)
    assert "Don’t push" in chip.toolTip()
    window.activateWindow()
    chip.click()
    focused = find(window, "boundary_strip").findChildren(BoundaryChip)[0]
    qtbot.waitUntil(focused.hasFocus)


@pytest.mark.promise("memory-SB8")
def test_who_forbids_something_in_another_language_is_told_while_they_write(window):
    hint, typed = find(window, "composer_foreign", QLabel), text(window)
    assert hint.isHidden()
    typed.setPlainText("Bitte niemals pushen")
    assert not hint.isHidden()
    assert hint.text() == (
        "What is forbidden counts in English. Say a boundary in English, or add it under Settings › Rules."
    )
    typed.setPlainText("Please never push to this branch")
    assert hint.isHidden()
