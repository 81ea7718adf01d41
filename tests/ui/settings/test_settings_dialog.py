"""The settings dialog: pages, checks, what is sent, keys that are never shown, the theme taken at once."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QSlider,
    QWidget,
)

from desktop.config.folders import resource_folder
from desktop.config.notification_settings import NotificationSettings
from desktop.config.settings import ANTHROPIC_ENDPOINT, Appearance, Endpoint, Settings
from desktop.domain.chats.sounds import SoundPlayed
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import Project, SessionSummary
from desktop.domain.memory.values import OwnWords
from desktop.domain.updates import (
    CommandFailed,
    EndpointChecked,
    EngineReady,
    EngineStopped,
    KeysChanged,
    KeyState,
    ModelInfo,
    ProjectOpened,
    SessionsChanged,
    SettingsChanged,
)
from desktop.language import ENGLISH, GERMAN, wear
from desktop.providers.kinds import builtin_kinds
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.requests import Requests
from desktop.ui.settings.dialog import SettingsDialog
from desktop.ui.settings.fields import Field
from desktop.ui.settings.notifications import NotificationsPage
from desktop.ui.settings.page import SettingsPage
from desktop.ui.theme.fonts import families
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.buttons.choice_button import ChoiceButton
from tests.ui.card_scenes import NOW
from tests.ui.settings_place import Place as SettingsPlace

LANGUAGES = resource_folder() / "languages"
LEFT = Qt.MouseButton.LeftButton
SECRET = "sk-ant-thisisthesecretkey1234"
LOCAL = Endpoint(id="local", label="<b>&x</b>", kind="compatible", base_url="http://127.0.0.1:1234", auth="none")
SETTINGS = Settings(endpoints=(ANTHROPIC_ENDPOINT, LOCAL))
KINDS = tuple(kind.shown for kind in builtin_kinds().values())
COMPATIBLE = builtin_kinds()["compatible"].shown


def use_theme():
    app = QApplication.instance()
    install_theme(app)


class Sink:
    """Keeps what was sent."""

    def __init__(self):
        self.sent = []

    def send(self, command):
        self.sent.append(command)


class Place:
    """A dialog over a window, its facts and its sink."""

    def __init__(self, qtbot, settings=SETTINGS, key="none", kinds=KINDS):
        use_theme()
        self.sink = Sink()
        self.requests = Requests(self.sink)
        self.facts = EngineFacts()
        self.window = QWidget()
        self.window.resize(1360, 840)
        qtbot.addWidget(self.window)
        self.window.show()
        keys = KeysChanged(keys=(KeyState(endpoint_id="anthropic", place=key, tail="1234" if key != "none" else ""),))
        self.facts.hearing.take([EngineReady(settings=settings, service_kinds=kinds), keys])
        self.dialog = SettingsDialog(self.requests, self.facts, self.window)
        self.dialog.open()

    def apply(self, *updates):
        self.facts.hearing.take(updates)
        self.requests.deliver(updates, self.dialog.hearing)

    def get(self, name, kind=QWidget):
        found = self.dialog.findChild(kind, name)
        assert found is not None, name
        return found

    def show_all(self, last):
        """Every page once, so that all of them are made; `last` is the one that stays."""
        pages = self.get("settings_pages", QListWidget)
        for row in range(pages.count()):
            pages.setCurrentRow(row)
        self.dialog.show_page(last)

    def card(self, endpoint_id):
        cards = self.dialog.findChildren(QWidget, "settings_providers_endpoint")
        return next(card for card in cards if card.property("item_id") == endpoint_id)

    def of(self, endpoint_id, name, kind=QWidget):
        found = self.card(endpoint_id).findChild(kind, name)
        assert found is not None, name
        return found

    def click(self, name):
        QTest.mouseClick(self.get(name, QAbstractButton), LEFT)

    def saved(self):
        """Let the engine save the last settings that were sent."""
        self.apply(SettingsChanged(settings=self.sink.sent[-1].settings))


@pytest.fixture
def place(qtbot):
    yield Place(qtbot)
    theme().choose("light", 100)


def write(edit, text):
    edit.setFocus()
    edit.selectAll()
    QTest.keyClicks(edit, text)
    QTest.keyClick(edit, Qt.Key.Key_Return)


def test_it_is_window_modal_and_lists_its_pages_by_name(place):
    assert place.dialog.windowModality() is Qt.WindowModality.WindowModal
    assert place.dialog.isVisible()
    pages = place.get("settings_pages", QListWidget)
    titles = [pages.item(row).text() for row in range(pages.count())]
    assert titles == [
        "General", "Providers & keys", "Agents", "Secrets of agents", "GitHub", "Permissions & rules", "Databases",
        "Web", "Skills", "Hooks", "MCP servers",
        "Appearance", "Notifications", "Advanced", "About",
    ]  # fmt: skip
    for name in ("general", "providers", "permissions", "databases", "appearance", "notifications"):
        place.dialog.show_page(name)
        assert place.get(f"settings_{name}").isVisible()


def test_every_control_has_a_name_of_the_settings(place):
    place.show_all("providers")
    for control in place.dialog.findChildren(QWidget):
        if isinstance(control, QAbstractButton | QLineEdit | QListWidget):
            if control.objectName().startswith("qt_"):
                continue
            assert control.objectName().startswith(("settings_", "github_")), control
            assert control.accessibleName() or control.text(), control.objectName()


def test_a_change_is_sent_at_once_and_confirmed_when_the_engine_has_saved_it(place, qtbot):
    place.click("settings_general_mode_plan")
    command = place.sink.sent[-1]
    assert (command.type, command.settings.default_mode) == ("save_settings", PermissionMode.PLAN)
    saved = place.get("settings_general_mode_saved")
    assert not saved.isVisible()
    place.saved()
    assert saved.isVisible()
    qtbot.waitUntil(lambda: not saved.isVisible(), timeout=10_000)


def test_lanes_follow_their_base_by_themselves_only_when_that_is_chosen(place):
    assert place.get("settings_general_auto_rebase_no", QPushButton).isChecked()
    place.click("settings_general_auto_rebase_yes")
    assert place.sink.sent[-1].settings.auto_rebase


def test_what_the_engine_could_not_save_goes_back_and_says_why(place):
    place.click("settings_general_enter_line")
    place.apply(CommandFailed(command_id=place.sink.sent[-1].command_id, code="failed", text="The disk is full."))
    assert place.get("settings_general_enter_problem", QLabel).text() == "The disk is full."
    assert place.facts.settings == SETTINGS
    assert place.get("settings_general_enter_send", QPushButton).isChecked()


@pytest.mark.promise("memory-ME18")
def test_words_of_the_repository_are_saved_for_it_alone(place):
    assert not place.get("settings_general_memory_changes").isVisible()
    project = Project(id="prj_1", path="/home/me/shop", name="shop", branch="main")
    other = OwnWords(project="/home/me/other", asks=("warum",))
    settings = SETTINGS.model_copy(update={"memory_words": (other,)})
    place.apply(ProjectOpened(project=project), SettingsChanged(settings=settings))
    changes = place.get("settings_general_memory_changes", QLineEdit)
    assert changes.isVisible()
    write(changes, "two words")
    assert "no single word" in place.get("settings_general_memory_changes_problem", QLabel).text()
    write(changes, "Repariere, baue")
    saved = place.sink.sent[-1].settings
    assert saved.memory_words == (other, OwnWords(project="/home/me/shop", changes=("repariere", "baue")))
    place.saved()
    assert changes.text() == "repariere, baue"
    write(changes, " ")
    assert place.sink.sent[-1].settings.memory_words == (other,)


def test_a_lanes_folder_that_is_no_whole_path_is_not_saved(place):
    edit = place.get("settings_general_lanes_root", QLineEdit)
    write(edit, "lanes")
    assert place.sink.sent == []
    assert "whole path" in place.get("settings_general_lanes_root_problem", QLabel).text()
    assert edit.text() == "lanes"
    write(edit, "/srv/lanes")
    assert place.sink.sent[-1].settings.lanes_root == "/srv/lanes"
    assert not place.get("settings_general_lanes_root_problem").isVisible()


def test_the_shell_is_a_whole_path_and_the_editor_a_command_whose_quotes_are_closed(place):
    shell = place.get("settings_general_shell", QLineEdit)
    write(shell, "zsh")
    assert "whole path of a shell" in place.get("settings_general_shell_problem", QLabel).text()
    write(shell, "/bin/zsh")
    assert place.sink.sent[-1].settings.shell == "/bin/zsh"
    browser = place.get("settings_general_browser", QLineEdit)
    write(browser, "chromium")
    assert "whole path of a browser" in place.get("settings_general_browser_problem", QLabel).text()
    write(browser, "/usr/bin/chromium")
    assert place.sink.sent[-1].settings.browser == "/usr/bin/chromium"
    editor = place.get("settings_general_editor", QLineEdit)
    write(editor, "'my ed")
    assert "not closed" in place.get("settings_general_editor_problem", QLabel).text()
    write(editor, "'my ed' {path}:{line}")
    assert place.sink.sent[-1].settings.editor == ("my ed", "{path}:{line}")


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("models.example.com", "https://"),
        ("http://models.example.com", "this computer only"),
        ("ftp://models.example.com", "https://"),
        ("https://", "names a host"),
        ("https://me:secret@models.example.com", "no name, key"),
        ("https://models.example.com:port", "no address"),
    ],
)
def test_an_address_that_a_key_must_not_go_to_is_refused_with_the_reason(place, address, reason):
    place.dialog.show_page("providers")
    write(place.of("anthropic", "settings_providers_url", QLineEdit), address)
    assert place.sink.sent == []
    assert reason in place.of("anthropic", "settings_providers_url_problem", QLabel).text()


def test_an_address_is_saved_in_its_short_form(place):
    place.dialog.show_page("providers")
    edit = place.of("anthropic", "settings_providers_url", QLineEdit)
    write(edit, "https://models.example.com/v1/")
    assert place.sink.sent[-1].settings.endpoints[0].base_url == "https://models.example.com"
    assert edit.text() == "https://models.example.com"


@pytest.mark.parametrize(("text", "reason"), [("many", "whole number"), ("12", "At least 256"), ("999999", "At most")])
def test_the_longest_answer_is_a_number_within_its_limits(place, text, reason):
    place.dialog.show_page("providers")
    write(place.of("anthropic", "settings_providers_max_output", QLineEdit), text)
    assert place.sink.sent == []
    assert reason in place.of("anthropic", "settings_providers_max_output_problem", QLabel).text()


def test_a_key_goes_out_once_and_is_never_shown(place):
    place.dialog.show_page("providers")
    edit = place.of("anthropic", "settings_providers_key", QLineEdit)
    assert edit.hasFocus()
    assert edit.echoMode() is QLineEdit.EchoMode.Password
    QTest.keyClicks(edit, SECRET)
    QTest.mouseClick(place.of("anthropic", "settings_providers_key_save"), LEFT)
    (command,) = place.sink.sent
    assert (command.type, command.endpoint_id) == ("save_key", "anthropic")
    assert command.key.get_secret_value() == SECRET
    assert SECRET not in repr(command)
    assert edit.text() == ""
    place.apply(KeysChanged(keys=(KeyState(endpoint_id="anthropic", place="keyring", tail="1234"),)))
    state = place.of("anthropic", "settings_providers_key_state", QLabel)
    assert state.isVisible()
    assert "1234" in state.text()
    place.show_all("providers")
    everything = "".join(
        f"{widget.accessibleName()}{widget.accessibleDescription()}{widget.toolTip()}"
        + (widget.text() if isinstance(widget, QLabel | QLineEdit | QAbstractButton) else "")
        for widget in place.dialog.findChildren(QWidget)
    )
    assert "secretkey" not in everything


def test_a_key_in_the_field_has_no_accessible_value(place):
    place.dialog.show_page("providers")
    edit = place.of("anthropic", "settings_providers_key", QLineEdit)
    QTest.keyClicks(edit, SECRET)
    value = QAccessible.queryAccessibleInterface(edit).text(QAccessible.Text.Value)
    assert "secretkey" not in value


def test_a_key_with_blanks_inside_is_not_sent(place):
    place.dialog.show_page("providers")
    edit = place.of("anthropic", "settings_providers_key", QLineEdit)
    QTest.keyClicks(edit, "two words")
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert place.sink.sent == []
    assert "blanks" in place.of("anthropic", "settings_providers_key_problem", QLabel).text()


def test_a_key_that_the_engine_refuses_says_why(place):
    place.dialog.show_page("providers")
    edit = place.of("anthropic", "settings_providers_key", QLineEdit)
    QTest.keyClicks(edit, SECRET)
    QTest.keyClick(edit, Qt.Key.Key_Return)
    place.apply(CommandFailed(command_id=place.sink.sent[-1].command_id, code="failed", text="The keyring is locked."))
    assert place.of("anthropic", "settings_providers_key_problem", QLabel).text() == "The keyring is locked."
    assert edit.isVisible()
    assert edit.text() == ""


def test_a_stored_key_is_replaced_or_after_asking_removed(qtbot):
    place = Place(qtbot, key="keyring")
    place.dialog.show_page("providers")
    assert not place.of("anthropic", "settings_providers_key").isVisible()
    QTest.mouseClick(place.of("anthropic", "settings_providers_key_replace"), LEFT)
    assert place.of("anthropic", "settings_providers_key").isVisible()
    QTest.mouseClick(place.of("anthropic", "settings_providers_key_cancel"), LEFT)
    QTest.mouseClick(place.of("anthropic", "settings_providers_key_remove"), LEFT)
    assert place.sink.sent == []
    place.click("settings_remove_key_go")
    assert [(command.type, command.endpoint_id) for command in place.sink.sent] == [("remove_key", "anthropic")]


def test_a_system_without_a_keyring_is_said(place):
    sentence = "This system has no keyring. The key is kept until Banksman closes."
    place.dialog.show_page("providers")
    place.apply(KeysChanged(keys=(), keyring_problem=sentence))
    shown = place.get("settings_providers_keyring", QLabel)
    assert shown.isVisible()
    assert shown.text() == sentence


def test_a_test_shows_what_the_engine_says_and_offers_its_models(place):
    place.dialog.show_page("providers")
    QTest.mouseClick(place.of("anthropic", "settings_providers_test"), LEFT)
    command = place.sink.sent[-1]
    assert (command.type, command.endpoint) == ("check_endpoint", ANTHROPIC_ENDPOINT)
    assert not place.of("anthropic", "settings_providers_test").isEnabled()
    models = (ModelInfo(id="one", name="One"), ModelInfo(id="two", name="Two"))
    place.apply(
        EndpointChecked(command_id=command.command_id, endpoint_id="anthropic", ok=True, text="2 models", models=models)
    )
    assert place.of("anthropic", "settings_providers_test_result", QLabel).text() == "2 models"
    QTest.mouseClick(place.of("anthropic", "settings_providers_model_choose"), LEFT)
    field = place.get("settings_providers_model_search", QLineEdit)
    QTest.keyClicks(field, "Two")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert place.sink.sent[-1].settings.endpoints[0].default_model == "two"


def test_a_failed_test_shows_the_exact_sentence(place):
    place.dialog.show_page("providers")
    QTest.mouseClick(place.of("local", "settings_providers_test"), LEFT)
    sentence = "No connection to 127.0.0.1:1234."
    place.apply(
        EndpointChecked(command_id=place.sink.sent[-1].command_id, endpoint_id="local", ok=False, text=sentence)
    )
    assert place.of("local", "settings_providers_test_result", QLabel).text() == sentence
    assert place.of("local", "settings_providers_test").isEnabled()


def test_a_service_that_needs_no_key_shows_no_key_field(place):
    place.dialog.show_page("providers")
    assert not place.of("local", "settings_providers_key").isVisible()


def test_a_hostile_name_is_shown_as_it_is(place):
    place.dialog.show_page("providers")
    labels = place.card("local").findChildren(QLabel)
    assert {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}
    assert "<b>&x</b>" in [label.text() for label in labels]
    QTest.mouseClick(place.of("local", "settings_providers_remove"), LEFT)
    asked = place.get("settings_remove_dialog", QDialog)
    assert "Remove <b>&x</b>?" in [label.text() for label in asked.findChildren(QLabel)]


def test_the_theme_is_taken_at_once(place):
    place.dialog.show_page("appearance")
    place.click("settings_appearance_theme_dark")
    assert theme().tokens.name == "dark"
    assert place.sink.sent[-1].settings.appearance.theme == "dark"
    place.click("settings_appearance_language_de")
    assert place.sink.sent[-1].settings.appearance.language == "de"
    place.click("settings_appearance_theme_light")
    assert theme().tokens.name == "light"


def test_a_look_from_a_file_is_taken_and_left_again(place):
    place.dialog.show_page("appearance")
    field = place.get("settings_appearance_other", ChoiceButton)
    assert field.value == "system"
    field.chosen.emit("high-contrast-dark")
    assert theme().tokens.name == "high-contrast-dark"
    assert place.sink.sent[-1].settings.appearance.theme == "high-contrast-dark"
    assert field.value == "high-contrast-dark"
    place.click("settings_appearance_theme_light")
    assert (theme().tokens.name, field.value) == ("light", "system")


def test_a_theme_that_could_not_be_saved_goes_back(place):
    place.dialog.show_page("appearance")
    place.click("settings_appearance_theme_dark")
    place.apply(CommandFailed(command_id=place.sink.sent[-1].command_id, code="failed", text="The disk is full."))
    assert theme().choice == "system"


def test_notifications_are_switched_tried_and_quiet_at_night(place):
    place.dialog.show_page("notifications")
    struck = []
    place.dialog.findChild(NotificationsPage).sounds.struck.connect(lambda: struck.append(1))
    looked = place.sink.sent[-1]
    place.apply(SoundPlayed(command_id=looked.command_id, player="pw-play"))
    assert place.get("settings_notifications_player", QLabel).text() == "Played by pw-play."
    place.click("settings_notifications_try_done")
    asked = place.sink.sent[-1]
    assert (looked.sound, asked.type, asked.sound, asked.volume) == (None, "play_sound", "done", 70)
    place.apply(SoundPlayed(command_id=asked.command_id))
    assert struck == [1], "the bell is rung where no program played it"
    assert place.get("settings_notifications_player", QLabel).text().startswith("No program that plays sounds")
    place.click("settings_notifications_sounds_off")
    quiet = place.get("settings_notifications_quiet", QLineEdit)
    write(quiet, "22:00")
    assert "Write two times of day" in place.get("settings_notifications_quiet_problem", QLabel).text()
    write(quiet, "22:00 - 7:00")
    wanted = NotificationSettings(sounds=False, quiet_hours="22:00-07:00")
    assert place.sink.sent[-1].settings.notifications == wanted
    place.saved()
    assert quiet.text() == "22:00-07:00"


def test_each_kind_of_event_the_volume_and_the_text_of_messages_are_set(place):
    place.dialog.show_page("notifications")
    place.click("settings_notifications_tell_done")
    place.saved()
    place.click("settings_notifications_sound_pull")
    place.saved()
    place.click("settings_notifications_unfocused_off")
    place.saved()
    place.click("settings_notifications_details_on")
    place.saved()
    slider = place.get("settings_notifications_volume", QSlider)
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Left)
    assert place.sink.sent[-1].settings.notifications == NotificationSettings(
        untold=("done",), unheard=("pull",), only_unfocused=False, details=True, volume=65
    )
    place.saved()
    place.click("settings_notifications_tell_done")
    assert place.sink.sent[-1].settings.notifications.untold == ()


def test_muted_chats_are_listed_and_heard_of_again(place):
    place.dialog.show_page("notifications")
    nobody = place.get("settings_notifications_nobody", QLabel)
    assert nobody.text() == "No chat is muted. A chat is muted in its own menu."
    chats = tuple(
        SessionSummary(session_id=f"ses_{number}", title=title, mode="edit", created_at=NOW, last_activity_at=NOW,
                       muted=muted)
        for number, title, muted in ((1, "Loud", False), (2, "Quiet\u202e", True))
    )  # fmt: skip
    place.apply(SessionsChanged(sessions=chats))
    listed = place.get("settings_notifications_muted", QListWidget)
    button = place.get("settings_notifications_unmute", QPushButton)
    assert ([listed.item(row).text() for row in range(listed.count())], button.isEnabled()) == (
        ["Quiet⟦U+202E⟧"], False,
    )  # fmt: skip
    assert nobody.isHidden()
    listed.setCurrentRow(0)
    button.click()
    asked = place.sink.sent[-1]
    assert (asked.type, asked.session_id, asked.muted) == ("mute_session", "ses_2", False)
    place.apply(CommandFailed(command_id=asked.command_id, code="frozen", text="The disk is full."))
    assert "The disk is full." in [label.text() for label in place.dialog.findChildren(QLabel) if label.isVisible()]
    place.apply(SessionsChanged(sessions=chats[:1]))
    assert (listed.isHidden(), button.isHidden(), nobody.isVisible()) == (True, True, True)


def test_the_zoom_moves_by_ten_within_its_limits(place):
    place.dialog.show_page("appearance")
    edit = place.get("settings_appearance_zoom", QLineEdit)
    place.click("settings_appearance_zoom_more")
    assert (edit.text(), theme().zoom) == ("110 %", 1.1)
    write(edit, "400")
    assert place.get("settings_appearance_zoom_problem", QLabel).text() == "At most 200."
    assert theme().zoom == 1.1
    write(edit, "150")
    assert (edit.text(), theme().zoom) == ("150 %", 1.5)


def test_a_change_made_elsewhere_appears_but_not_over_what_is_being_typed(place):
    lanes = place.get("settings_general_lanes_root", QLineEdit)
    lanes.setFocus()
    QTest.keyClicks(lanes, "/srv/mi")
    place.apply(
        SettingsChanged(settings=SETTINGS.model_copy(update={"enter_sends": False, "lanes_root": "/srv/theirs"}))
    )
    assert place.get("settings_general_enter_line", QPushButton).isChecked()
    assert lanes.text() == "/srv/mi"


def test_closing_saves_what_was_typed(place):
    lanes = place.get("settings_general_lanes_root", QLineEdit)
    lanes.setFocus()
    QTest.keyClicks(lanes, "/srv/lanes")
    QTest.keyClick(lanes, Qt.Key.Key_Escape)
    assert not place.dialog.isVisible()
    assert place.sink.sent[-1].settings.lanes_root == "/srv/lanes"


def test_closing_asks_before_it_throws_an_invalid_value_away(place, qtbot):
    write(place.get("settings_general_lanes_root", QLineEdit), "lanes")
    place.click("settings_close")
    assert place.dialog.isVisible()
    asked = place.get("settings_discard_dialog", QDialog)
    assert asked.windowTitle() == "Discard the change to Folder of lanes?"
    place.click("settings_discard_stay")
    assert place.dialog.isVisible()
    place.click("settings_close")
    with qtbot.waitSignal(place.dialog.finished):
        place.get("settings_discard_go", QPushButton).click()
    assert place.sink.sent == []


def test_nothing_can_be_changed_before_the_engine_told_the_settings_or_after_it_stopped(qtbot):
    place = Place(qtbot)
    place.apply(EngineStopped(reason="It ended."))
    assert not place.get("settings_general_mode_plan").isEnabled()
    assert place.get("settings_state", QLabel).text() == "The engine stopped, so nothing can be saved."
    window, facts = QWidget(), EngineFacts()
    qtbot.addWidget(window)
    early = SettingsDialog(Requests(Sink()), facts, window)
    early.open()
    assert not early.findChild(QPushButton, "settings_general_mode_plan").isEnabled()
    updates = [EngineReady(settings=SETTINGS)]
    facts.hearing.take(updates)
    early.hearing.take(updates)
    assert early.findChild(QPushButton, "settings_general_mode_plan").isEnabled()


def test_a_page_is_made_when_it_is_shown_first_and_knows_what_came_before(place):
    assert [page.name for page in place.dialog.findChildren(SettingsPage)] == ["general"]
    place.apply(SettingsChanged(settings=Settings(notifications=NotificationSettings(quiet_hours="22:00-07:00"))))
    place.dialog.show_page("notifications")
    assert [page.name for page in place.dialog.findChildren(SettingsPage)] == ["general", "notifications"]
    assert place.get("settings_notifications_quiet", QLineEdit).text() == "22:00-07:00"
    place.show_all("general")
    made = place.dialog.findChildren(SettingsPage)
    place.show_all("general")
    assert place.dialog.findChildren(SettingsPage) == made
    assert len(made) == place.get("settings_pages", QListWidget).count()


def test_density_reading_width_and_fonts_are_taken_at_once(place):
    place.dialog.show_page("appearance")
    comfortable, column = theme().dense(46), theme().reading_width
    place.click("settings_appearance_density_compact")
    place.saved()
    place.click("settings_appearance_reading_wide")
    place.saved()
    assert theme().dense(46) < comfortable
    assert theme().reading_width > column
    for name, text in (("settings_appearance_text_size", "15"), ("settings_appearance_code_size", "17")):
        edit = place.get(name, QLineEdit)
        edit.setText(text)
        edit.editingFinished.emit()
        place.saved()
    assert (theme().font().pixelSize(), theme().mono().pixelSize()) == (15, 17)
    look = place.sink.sent[-1].settings.appearance
    assert (look.density, look.reading, look.text_size, look.code_size) == ("compact", "wide", 15, 17)
    theme().wear(Appearance(), "light")
    assert (theme().font().pixelSize(), theme().mono().pixelSize(), theme().dense(46)) == (13, 12, 46)


def test_a_size_that_is_too_large_is_not_saved(place):
    place.dialog.show_page("appearance")
    number = len(place.sink.sent)
    edit = place.get("settings_appearance_text_size", QLineEdit)
    edit.setText("40")
    edit.editingFinished.emit()
    assert place.get("settings_appearance_text_size_problem", QLabel).text()
    assert len(place.sink.sent) == number


def test_a_font_is_chosen_among_those_that_are_here_and_code_is_of_one_width(place):
    place.dialog.show_page("appearance")
    field = place.get("settings_appearance_code_font", ChoiceButton)
    field.chosen.emit("DejaVu Sans Mono")
    place.saved()
    assert place.sink.sent[-1].settings.appearance.code_font == "DejaVu Sans Mono"
    assert theme().mono().family() == "DejaVu Sans Mono"
    assert "Noto Sans" in families(fixed=False)
    assert "Noto Sans" not in families(fixed=True)
    field.chosen.emit("system:")
    place.saved()
    assert place.sink.sent[-1].settings.appearance.code_font == ""


def test_a_font_that_is_not_here_is_named_and_the_usual_one_used(qtbot):
    gone = Settings(appearance=Appearance(text_font="No Such Font"))
    place = SettingsPlace(qtbot, "appearance", gone)
    theme().wear(gone.appearance, "light")
    assert place.get("settings_appearance_text_font", ChoiceButton).full_text == "No Such Font (not here)"
    assert theme().font().family() != "No Such Font"
    theme().wear(Appearance(), "light")


@pytest.mark.parametrize("page", ["general", "appearance", "notifications"])
def test_tab_goes_from_the_list_of_pages_through_the_page_to_close(place, page):
    place.window.activateWindow()
    place.show_all(page)
    pages = place.get("settings_pages", QListWidget)
    pages.setFocus()
    shown = place.get(f"settings_{page}")
    met = []
    while place.dialog.focusWidget() is not place.get("settings_close"):
        QTest.keyClick(place.dialog.focusWidget(), Qt.Key.Key_Tab)
        met.append(place.dialog.focusWidget())
        assert len(met) < 100
    assert len(met) > 3
    assert all(shown.isAncestorOf(one) for one in met[:-1])


@pytest.mark.parametrize("page", ["general", "appearance", "notifications"])
def test_the_names_of_all_fields_can_be_read_whole(qtbot, page):
    place = SettingsPlace(qtbot, page)
    titles = [label for field in place.dialog.findChildren(Field) if field.isVisible()
              for label in field.findChildren(QLabel) if label.text() == field.label]  # fmt: skip
    assert titles
    qtbot.waitUntil(lambda: all(label.width() >= label.sizeHint().width() for label in titles))


def test_the_name_of_a_field_that_is_longer_than_the_column_is_not_cut(qtbot):
    host = QWidget()
    qtbot.addWidget(host)
    field = Field("Deliver queued messages in the fonts of another system", "settings_long", host)
    host.show()
    field.show()
    (title,) = [label for label in field.findChildren(QLabel) if label.text() == field.label]
    qtbot.waitUntil(lambda: title.width() >= title.sizeHint().width())


@pytest.mark.parametrize("language", [ENGLISH, GERMAN])
def test_no_page_is_wider_than_its_place(qtbot, language):
    wear(language, LANGUAGES)
    try:
        place = Place(qtbot)
        project = Project(id="prj_1", name="shop", path="/work/shop")
        place.apply(ProjectOpened(project=project))
        place.show_all("general")
        for page in place.dialog.findChildren(SettingsPage):
            assert page.widget().minimumSizeHint().width() <= page.viewport().width(), page.name
    finally:
        wear(ENGLISH, LANGUAGES)
