"""The whole window: names, literal text, title, layout at each width, closing, palette, theme."""

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QDialog,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from desktop.domain.core.work import Activity
from desktop.domain.lanes.updates import LanesChanged
from desktop.domain.updates import (
    ActivityChanged,
    CommandFailed,
    EngineStopped,
    ProjectOpened,
    SessionOpened,
    SessionsChanged,
)
from desktop.ui.core.layout_store import LayoutStore
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.scrim import Scrim
from desktop.ui.window.front.top_bar import TopBar
from desktop.ui.window.main_window import MainWindow
from tests.ui.shell_samples import (
    IDLE,
    IN_LANE,
    LANE,
    NOW,
    PROJECT,
    SETTINGS,
    WAITING,
    begun,
    card_events,
    envelopes,
    fill,
    find,
    ini,
    make_chat,
    make_window,
    said,
    show_active,
    started,
    waits,
)

NAMES = (
    "top_bar", "top_sidebar_toggle", "top_repo_name", "top_repo_path", "top_search", "top_waiting", "top_settings",
    "top_inspector_toggle", "splitter_left", "toast_area", "sidebar", "sidebar_tree", "sidebar_search_toggle",
    "sidebar_filter", "sidebar_new", "sidebar_rename_field", "header_title", "header_title_edit", "header_lane",
    "header_state", "header_sandbox", "header_demo", "header_primary", "header_menu", "composer", "composer_text",
    "composer_mode", "composer_mode_plan", "composer_mode_edit", "composer_mode_full_auto", "composer_model",
    "model_popup", "model_search", "composer_stop", "composer_send", "composer_error", "composer_place", "palette",
    "palette_field", "palette_list", "welcome", "welcome_open", "transcript_view", "pending_tray",
)  # fmt: skip
NASTY = "<b>&x</b> [*]"


@pytest.fixture
def window(qtbot, tmp_path, sink):
    window = make_window(tmp_path, sink)
    show_active(qtbot, window)
    yield window
    theme().choose("light")


def show(window, chat, *events):
    window.open_chat(chat.session_id)
    fill(window, chat, *events)


def of_qt(widget):
    """Parts that Qt makes inside its own widgets."""
    return isinstance(widget.parent(), QLineEdit) or isinstance(widget, QHeaderView)


def test_every_named_part_is_there(window):
    assert window.objectName() == "main_window"
    missing = [name for name in NAMES if window.findChild(QWidget, name) is None]
    assert missing == []


def test_everything_a_person_can_use_has_a_name(window, qtbot):
    window.apply_updates(started(WAITING, IDLE))
    show(window, WAITING, *card_events())
    kinds = (QAbstractButton, QLineEdit, QPlainTextEdit, QAbstractItemView)
    used = [w for kind in kinds for w in window.findChildren(kind) if not of_qt(w)]
    nameless = [w for w in used if not w.objectName() and w.focusPolicy() != Qt.FocusPolicy.NoFocus]
    unsaid = [w.objectName() for w in used if isinstance(w, QAbstractButton) and not (w.text() or w.accessibleName())]
    unsaid += [w.objectName() for w in used if not isinstance(w, QAbstractButton) and not w.accessibleName()]
    assert [type(w).__name__ for w in nameless] == []
    assert unsaid == []


def test_before_a_repository_is_open_the_window_asks_for_one(window):
    window.apply_updates(started()[:2])
    assert find(window, "welcome").isVisible()
    assert not find(window, "composer").isVisible()


def test_a_title_is_shown_literally_everywhere(window, qtbot):
    chat = make_chat(50, NASTY, LANE, waiting=(waits(title=NASTY),))
    window.apply_updates(started(chat))
    show(window, chat, begun(title=NASTY))
    assert window.sidebar.model.find(f"session:{chat.session_id}").data() == NASTY
    assert find(window, "header_title", QAbstractButton).text() == NASTY.replace("&", "&&")
    assert window.windowTitle() == "<b>&x</b> [*][*] · shop-api · Banksman"
    window.notes.say(NASTY)
    toast = find(window, "toast")
    assert NASTY in [label.text() for label in toast.findChildren(QLabel)]
    rich = [
        label.objectName() or label.text()
        for label in window.findChildren(QLabel)
        if label.text() and label.textFormat() != Qt.TextFormat.PlainText and label.text() != "Chats"
    ]
    assert rich == []


def test_hidden_characters_of_a_title_are_visible_in_header_and_window_title(window):
    chat = make_chat(51, "safe\u202egpj.exe")
    window.apply_updates(started(chat))
    show(window, chat, begun(title=chat.title))
    assert find(window, "header_title", QAbstractButton).text() == "safe⟦U+202E⟧gpj.exe"
    assert "safe⟦U+202E⟧gpj.exe" in window.windowTitle()


def test_the_window_title_names_what_is_open(window):
    window.apply_updates(started(IDLE))
    assert window.windowTitle() == "shop-api · Banksman"
    asked = envelopes(WAITING.session_id, *card_events())
    window.apply_updates([*asked, SessionsChanged(sessions=(WAITING, IDLE))])
    assert window.windowTitle() == "1 waiting · shop-api · Banksman"
    assert find(window, "top_waiting", QAbstractButton).text() == "1 waiting"


def test_a_chat_that_a_restart_cut_off_waits_too(window):
    cut = make_chat(52, "Cut", interrupted=True)
    window.apply_updates(started(cut, make_chat(53, "Put away", interrupted=True, archived=True)))
    assert find(window, "top_waiting", QAbstractButton).text() == "1 waiting"
    window.apply_updates([SessionsChanged(sessions=(cut.model_copy(update={"interrupted": False}),))])
    assert not find(window, "top_waiting", QAbstractButton).isVisible()


def test_what_waits_is_read_whole_in_the_smallest_window_at_the_largest_zoom(window):
    theme().choose("light", 200)
    try:
        window.resize(640, 480)
        window.apply_updates(started(IDLE))
        asked = envelopes(WAITING.session_id, *card_events())
        window.apply_updates([*asked, SessionsChanged(sessions=(WAITING, IDLE))])
        waiting = find(window, "top_waiting", QAbstractButton)
        bar = find(window, "top_bar", TopBar)
        bar.show_inspector_toggle(True)
        bar.layout().activate()
        assert waiting.isVisible()
        assert waiting.width() >= waiting.sizeHint().width(), (waiting.width(), waiting.sizeHint().width(), bar.width())
    finally:
        theme().choose("light", 100)


def test_f8_goes_to_the_waiting_card_of_another_chat(window, qtbot, sink):
    window.apply_updates(started(WAITING, IDLE))
    show(window, IDLE, begun())
    qtbot.keyClick(window, Qt.Key.Key_F8)
    assert sink.last().session_id == WAITING.session_id
    window.apply_updates(
        [SessionOpened(session_id=WAITING.session_id, envelopes=tuple(envelopes(WAITING.session_id, *card_events())))]
    )
    card = find(window, "approval_card")
    assert card.hasFocus()


@pytest.mark.parametrize(("width", "docked"), [(1360, True), (1024, True), (800, True), (700, False)])
def test_the_sidebar_is_docked_while_there_is_room(window, qtbot, width, docked):
    window.apply_updates(started(IDLE))
    window.resize(width, 700)
    qtbot.waitUntil(lambda: window.width() == width)
    assert window.sidebar.isVisible() is docked
    if docked:
        assert 220 <= window.sidebar.width() <= 270
        assert window.page.width() >= 480


def test_a_narrow_window_shows_the_sidebar_over_the_centre_until_escape(window, qtbot):
    window.apply_updates(started(IDLE))
    window.resize(700, 700)
    qtbot.mouseClick(find(window, "top_sidebar_toggle"), Qt.MouseButton.LeftButton)
    assert window.sidebar.isVisible()
    qtbot.keyClick(window.sidebar, Qt.Key.Key_Escape)
    assert not window.sidebar.isVisible()
    window.resize(1360, 840)
    assert window.sidebar.isVisible()
    assert window.sidebar.width() == 270


def test_a_toggled_sidebar_and_its_width_come_back_in_the_next_window(window, qtbot, tmp_path, sink):
    window.apply_updates(started(IDLE))
    handle = find(window, "splitter_left")
    handle.setFocus()
    qtbot.keyClick(handle, Qt.Key.Key_Right)
    assert window.sidebar.width() == 286
    qtbot.keyClick(window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert not window.sidebar.isVisible()
    window.close()
    again = make_window(tmp_path, sink)
    qtbot.addWidget(again)
    again.show()
    assert not again.sidebar.isVisible()
    qtbot.mouseClick(find(again, "top_sidebar_toggle"), Qt.MouseButton.LeftButton)
    assert again.sidebar.width() == 286


def test_nonsense_in_the_stored_layout_gives_defaults(qtbot, tmp_path, sink):
    stored = ini(tmp_path, "window")
    for key in ("geometry", "sidebar", "inspector", "sidebar_shown", "chat"):
        stored.setValue(f"window/{key}", ["a", "list"])
    stored.setValue("seen/chats", "nonsense\nses_1 yesterday")
    stored.sync()
    window = make_window(tmp_path, sink)
    qtbot.addWidget(window)
    window.show()
    assert window.sidebar.width() == 270


def test_a_place_that_is_gone_puts_the_window_on_a_screen(qtbot, tmp_path):
    store = LayoutStore(QSettings(str(tmp_path / "w.ini"), QSettings.Format.IniFormat))
    far = QWidget()
    qtbot.addWidget(far)
    far.setGeometry(90_000, 90_000, 640, 480)
    store.restore_geometry(far)
    assert QApplication.primaryScreen().availableGeometry().intersects(far.geometry())


def test_at_the_least_size_and_double_zoom_send_and_the_cards_buttons_are_whole(window, qtbot):
    look = SETTINGS.appearance.model_copy(update={"zoom": 200})
    window.apply_updates(started(WAITING, settings=SETTINGS.model_copy(update={"appearance": look})))
    show(window, WAITING, *card_events())
    window.resize(640, 480)
    for name in ("approval_allow_once", "approval_decline", "composer_send", "composer_stop"):
        qtbot.waitUntil(
            lambda name=name: find(window, name).visibleRegion().boundingRect() == find(window, name).rect()
        )
    assert find(window, "composer_send").accessibleName() == "Queue"


def test_a_note_lies_over_the_composer_not_on_it(window, qtbot):
    window.apply_updates(started(IDLE))
    window.notes.say("The model could not be changed: the endpoint does not answer. Look at its address and try again.")
    area, composer = find(window, "toast_area"), find(window, "composer")
    qtbot.waitUntil(lambda: area.height() > 40)
    assert area.mapTo(window, area.rect().bottomLeft()).y() < composer.mapTo(window, composer.rect().topLeft()).y()


def test_a_window_that_starts_does_not_offer_a_first_chat_before_the_list_is_there(window, qtbot):
    ready, keys, opened, listed, lanes = started(IDLE)
    start, nothing = find(window, "sidebar_start"), find(window, "sidebar_nothing", QLabel)
    for batch in ([ready, keys], [opened]):
        window.apply_updates(batch)
        assert not start.isVisible()
    qtbot.waitUntil(lambda: nothing.isVisible() and nothing.text() == "Loading chats…")
    window.apply_updates([listed, lanes])
    assert not nothing.isVisible()
    window.apply_updates([SessionsChanged(sessions=())])
    window.apply_updates([LanesChanged(lanes=())])
    assert start.isVisible()


def test_the_lane_of_the_header_is_shown_in_the_sidebar(window, qtbot):
    window.apply_updates(started(IDLE, IN_LANE))
    show(window, IN_LANE, begun())
    qtbot.mouseClick(find(window, "header_lane"), Qt.MouseButton.LeftButton)
    assert window.sidebar.tree.currentIndex().data() == IN_LANE.title


def test_a_repository_in_which_no_chat_can_start_says_why(window):
    window.apply_updates([*started(), ProjectOpened(project=PROJECT, problem="It has no commit yet.")])
    assert "It has no commit yet." in [label.text() for label in window.page.findChildren(QLabel)]
    find(window, "composer_text", QPlainTextEdit).setPlainText("hello")
    assert find(window, "composer_send").toolTip() == "It has no commit yet."


def test_closing_over_a_running_turn_asks_and_keeps_open(window, qtbot):
    running = make_chat(60, "Runs", activity=Activity.RUNNING)
    window.apply_updates(started(running))
    assert not window.close()
    qtbot.mouseClick(find(window, "close_keep"), Qt.MouseButton.LeftButton)
    assert window.isVisible()
    assert not window.close()
    stop = [b for b in window.findChildren(QAbstractButton, "close_stop") if b.isVisible()]
    qtbot.mouseClick(stop[0], Qt.MouseButton.LeftButton)
    assert not window.isVisible()


def test_closing_with_only_a_waiting_card_does_not_ask(window):
    window.apply_updates(started(WAITING))
    assert window.close()


def test_the_palette_finds_actions_and_chats(window, qtbot):
    window.apply_updates(started(IDLE, IN_LANE))
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    field = find(window, "palette_field", QLineEdit)
    assert field.isVisible()
    field.setText("retry")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert window.page.session_id == IDLE.session_id
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    field.setText("> theme dark")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert theme().tokens.name == "dark"


def test_the_theme_changes_live_and_keeps_draft_and_focus(window, qtbot, sink):
    window.apply_updates(started(IDLE))
    text = find(window, "composer_text", QPlainTextEdit)
    text.setFocus()
    qtbot.keyClicks(text, "half a sentence")
    window.findChild(type(window.contents._actions.action("theme_dark")), "action_theme_dark").trigger()
    assert sink.last().settings.appearance.theme == "dark"
    assert window.palette().window().color().name() == theme().tokens.canvas.lower()
    assert text.toPlainText() == "half a sentence"
    assert text.hasFocus()


def test_the_settings_choose_theme_and_zoom(window):
    look = SETTINGS.appearance.model_copy(update={"theme": "dark", "zoom": 150})
    window.apply_updates(started(IDLE, settings=SETTINGS.model_copy(update={"appearance": look})))
    assert (theme().tokens.name, theme().zoom) == ("dark", 1.5)


def test_the_last_chat_is_opened_again(qtbot, tmp_path, sink):
    first = make_window(tmp_path, sink)
    qtbot.addWidget(first)
    first.apply_updates(started(IDLE, IN_LANE))
    first.open_chat(IN_LANE.session_id)
    first.close()
    second = make_window(tmp_path, sink)
    qtbot.addWidget(second)
    second.apply_updates(started(IDLE, IN_LANE))
    assert second.page.session_id == IN_LANE.session_id


def test_a_chat_that_ends_out_of_sight_is_marked_until_it_is_opened(window):
    window.apply_updates(started(IDLE, IN_LANE))
    show(window, IN_LANE, begun())
    later = IDLE.model_copy(update={"last_activity_at": NOW})
    window.apply_updates([SessionsChanged(sessions=(later, IN_LANE))])
    row = window.sidebar.model.find(f"session:{IDLE.session_id}")
    assert "not yet seen" in row.data(Qt.ItemDataRole.AccessibleTextRole)
    window.open_chat(IDLE.session_id)
    row = window.sidebar.model.find(f"session:{IDLE.session_id}")
    assert "idle" in row.data(Qt.ItemDataRole.AccessibleTextRole)


def test_a_stopped_engine_is_said_and_nothing_can_be_sent(window):
    window.apply_updates(started(IDLE))
    window.apply_updates([EngineStopped(reason="The disk is gone.")])
    find(window, "composer_text", QPlainTextEdit).setPlainText("hello")
    send = find(window, "composer_send", QAbstractButton)
    assert not send.isEnabled()
    assert "The disk is gone." in send.toolTip()
    toast = find(window, "toast")
    assert "The disk is gone. Your chats are saved: close Banksman and start it again." in toast.accessibleName()
    copy = next(one for one in toast.findChildren(QAbstractButton) if one.text() == "Copy details")
    copy.click()
    assert QGuiApplication.clipboard().text() in toast.accessibleName()
    assert "The disk is gone." in QGuiApplication.clipboard().text()


def test_a_failed_command_becomes_a_note(window, sink):
    window.apply_updates(started(IDLE))
    window.sidebar.renamed.emit(IDLE.session_id, "New")
    window.apply_updates([CommandFailed(command_id=sink.last().command_id, code="x", text="It was refused.")])
    assert find(window, "toast").accessibleName() == "It was refused."


@pytest.mark.promise("sessions-SL1")
def test_waiting_is_never_drawn_as_running(window):
    window.apply_updates(started(WAITING))
    show(window, WAITING, *card_events())
    for activity in Activity:
        window.apply_updates([ActivityChanged(session_id=WAITING.session_id, activity=activity, since=NOW)])
        assert find(window, "header_state", QLabel).text() == "waiting for you"


def test_ctrl_n_opens_an_empty_page_and_ctrl_1_a_chat(window, qtbot):
    window.apply_updates(started(IDLE))
    show(window, IDLE, begun(), said("hello"))
    qtbot.keyClick(window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert window.page.session_id == ""
    qtbot.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert window.page.session_id == IDLE.session_id


def test_f6_walks_the_panes(window, qtbot):
    window.apply_updates(started(IDLE))
    show(window, IDLE, begun(), said("hello"))
    window.sidebar.tree.setFocus()
    visited = []
    for _ in range(3):
        qtbot.keyClick(window, Qt.Key.Key_F6)
        visited.append(QApplication.focusWidget().objectName())
    assert visited == ["transcript_view", "composer_text", "sidebar_tree"]


def test_dialogs_are_windows_of_their_own_without_a_nested_loop(window):
    assert isinstance(window, MainWindow)
    assert window.findChildren(QDialog) == []


def test_the_key_of_a_tab_goes_there(tmp_path, sink, qtbot):
    window = make_window(tmp_path, sink, inspector=True)
    show_active(qtbot, window)
    window.apply_updates(started(IDLE))
    show(window, IDLE, begun(title=IDLE.title))
    inspector = find(window, "inspector")
    for key, tab in ((Qt.Key.Key_5, "Audit"), (Qt.Key.Key_1, "Changes")):
        window.page.composer.text.setFocus()
        QTest.keyClick(window, key, Qt.KeyboardModifier.AltModifier)
        assert inspector.tab == tab
        focused = window.focusWidget()
        assert inspector.isAncestorOf(focused), focused.objectName()
        assert focused.isVisible()


def test_a_dialog_darkens_the_window_until_it_is_closed(qtbot, window):
    dialog = QDialog(window)
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    dialog.open()
    qtbot.waitUntil(
        lambda: any(
            one.isVisible() for one in window.findChildren(Scrim, options=Qt.FindChildOption.FindDirectChildrenOnly)
        )
    )
    (shade,) = window.findChildren(Scrim, options=Qt.FindChildOption.FindDirectChildrenOnly)
    window.resize(900, 640)
    qtbot.waitUntil(lambda: shade.size() == window.size())
    dialog.reject()
    qtbot.waitUntil(lambda: not shade.isVisible())


def test_be_asked_less_shows_the_rules_in_place_of_the_inbox(qtbot, window):
    window.apply_updates(started(WAITING))
    window.findChild(QAction, "action_inbox").trigger()
    qtbot.waitUntil(lambda: find(window, "inbox_dialog").isVisible())
    QTest.mouseClick(find(window, "inbox_rules"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: find(window, "settings_permissions").isVisible())
    assert window.findChild(QDialog, "inbox_dialog") is None or not find(window, "inbox_dialog").isVisible()
