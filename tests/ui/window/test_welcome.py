"""The welcome page: steps, recent repositories, what it asks for, what it says when a repository is refused."""

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QSettings, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QPlainTextEdit, QPushButton, QWidget

from desktop.config.found import FoundService
from desktop.config.settings import DEMO_ENDPOINT, Endpoint, Settings
from desktop.domain.core.work import Project
from desktop.domain.guests.updates import GuestListing, GuestsListed
from desktop.domain.updates import (
    CommandFailed,
    EngineReady,
    KeysChanged,
    KeyState,
    ProjectOpened,
    SessionsChanged,
    SettingsChanged,
)
from desktop.ui.core.requests import Requests
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.window.build import whole_window, window_parts
from desktop.ui.window.welcome import TASKS, Welcome
from desktop.ui.window.welcome_parts import WelcomeStep
from desktop.ui.window.welcome_tour import TOUR_TASK
from tests.ui.shell_samples import NOW, make_chat

LEFT = Qt.MouseButton.LeftButton
HOSTILE = "/srv/‮<b>&x"
RECENT = ("/srv/shop", "/srv/gone", HOSTILE)
PROJECT = Project(id="prj_1", name="shop", path="/srv/shop", branch="main")


def use_theme():
    app = QApplication.instance()
    install_theme(app)


class Sink:
    """Keeps what was sent; `looks`: the looks for agents among it."""

    def __init__(self):
        self.sent, self.looks = [], []

    def send(self, command):
        (self.looks if command.type == "list_guests" else self.sent).append(command)


@pytest.fixture
def sink():
    return Sink()


@pytest.fixture
def requests(sink):
    return Requests(sink)


@pytest.fixture
def page(qtbot, requests):
    use_theme()
    holder = QWidget()
    qtbot.addWidget(holder)
    welcome = Welcome(requests, holder)
    holder.resize(800, 900)
    welcome.resize(800, 900)
    welcome.hearing.take([EngineReady(settings=Settings(recent_projects=RECENT)), keys("none")])
    holder.show()
    yield welcome
    holder.close()


@pytest.fixture
def window(qtbot, sink, tmp_path):
    use_theme()
    store = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    made = whole_window(sink, lambda: NOW, window_parts(store, lambda: NOW), store)
    qtbot.addWidget(made)
    made.apply_updates([EngineReady(settings=Settings(recent_projects=RECENT)), keys("none")])
    made.show()
    return made


def keys(place):
    return KeysChanged(keys=(KeyState(endpoint_id="anthropic", place=place, tail="wxyz"),))


def opened(*chats, problem=""):
    return [ProjectOpened(project=PROJECT, problem=problem), SessionsChanged(sessions=chats)]


def button(widget, name):
    found = widget.findChild(QPushButton, name)
    assert found is not None, name
    return found


def rows(page):
    return {row.property("item_id"): row for row in page.findChildren(QPushButton, "welcome_recent_open")}


def click(widget, name):
    QTest.mouseClick(button(widget, name), LEFT)


def words(widget):
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget)]


def test_each_control_of_a_first_start_has_its_name(page):
    for name in ("welcome_open", "welcome_add_key", "welcome_demo", "welcome_task_1", "welcome_task_3"):
        assert button(page, name).isVisibleTo(page)
    assert page.objectName() == "welcome"
    assert page.findChild(QWidget, "welcome_recent").isVisible()


def test_the_buttons_ask_for_a_folder_a_key_and_the_demo(page, qtbot, sink):
    for name, signal in (
        ("welcome_open", page.open_asked),
        ("welcome_add_key", page.key_asked),
        ("welcome_demo", page.demo_asked),
    ):
        with qtbot.waitSignal(signal):
            click(page, name)
    assert sink.sent == []


def agents(sink, *listed):
    return GuestsListed(command_id=sink.looks[-1].command_id, guests=listed)


CODEX = GuestListing(id="codex", label="Codex", program="/opt/codex-acp")


@pytest.mark.promise("guests-A2")
def test_an_installed_agent_is_offered_beside_a_key_and_takes_its_place(page, requests, sink):
    missing = GuestListing(id="claude", label="Claude Agent", install="npm install")
    requests.deliver([agents(sink, CODEX, missing)], page.hearing)
    assert button(page, "welcome_agent_codex").isVisible()
    assert page.findChild(QPushButton, "welcome_agent_claude") is None
    page.hearing.take(opened())
    click(page, "welcome_agent_codex")
    (saved,) = [command for command in sink.sent if command.type == "save_settings"]
    assert saved.settings.default_agent == "codex"
    page.hearing.take([SettingsChanged(settings=saved.settings)])
    assert "Codex carries out new chats." in words(page)
    assert button(page, "welcome_task_1").isEnabled()
    assert not button(page, "welcome_agent_codex").isVisible()
    assert "2  Choose who works" in words(page)
    assert page.window().focusWidget() is button(page, "welcome_task_1")
    assert page.holds


def test_agents_are_looked_for_once_and_not_where_there_is_a_key(page, requests, sink):
    assert len(sink.looks) == 1
    page.hearing.take(opened())
    assert len(sink.looks) == 1
    page.hearing.take([keys("keyring")])
    requests.deliver([agents(sink, CODEX)], page.hearing)
    assert not button(page, "welcome_agent_codex").isVisible()


def test_a_refused_choice_of_an_agent_is_told(page, requests, sink):
    requests.deliver([agents(sink, CODEX)], page.hearing)
    click(page, "welcome_agent_codex")
    failed = CommandFailed(command_id=sink.sent[-1].command_id, code="x", text="It cannot be saved.")
    requests.deliver([failed], page.hearing)
    assert "It cannot be saved." in words(page)


def test_recent_repositories_are_listed_in_order_and_open_by_click(page, sink):
    assert tuple(rows(page)) == RECENT
    QTest.mouseClick(rows(page)["/srv/shop"], LEFT)
    assert [(command.type, command.path) for command in sink.sent] == [("open_project", "/srv/shop")]


def test_a_hostile_path_is_shown_as_it_is_and_never_as_markup(page):
    row = rows(page)[HOSTILE]
    shown = [label for label in row.findChildren(QLabel) if label.text()]
    assert {label.textFormat() for label in shown} == {Qt.TextFormat.PlainText}
    assert "⟦U+202E⟧<b>&x" in [label.text() for label in shown]
    assert row.accessibleName() == "Open ⟦U+202E⟧<b>&x, /srv/⟦U+202E⟧<b>&x"
    assert "&lt;b&gt;&amp;x" in row.toolTip()


def test_a_refusal_is_said_in_place_and_a_missing_folder_is_marked(page, sink, requests):
    page.open_path("/srv/gone")
    sentence = "'/srv/gone' is not a folder."
    requests.deliver(
        [CommandFailed(command_id=sink.sent[-1].command_id, code="not_a_folder", text=sentence)], page.hearing
    )
    problem = page.findChild(QLabel, "welcome_problem")
    assert problem.isVisible()
    assert problem.text() == sentence
    assert "not found" in words(rows(page)["/srv/gone"])
    assert "not found" not in words(rows(page)["/srv/shop"])
    page.open_path("/srv/shop")
    assert not problem.isVisible()


def test_another_refusal_marks_no_repository_as_missing(page, sink, requests):
    page.open_path("/srv/gone")
    requests.deliver(
        [CommandFailed(command_id=sink.sent[-1].command_id, code="bare", text="It is bare.")], page.hearing
    )
    assert "not found" not in words(rows(page)["/srv/gone"])
    requests.deliver([CommandFailed(command_id="cmd_other", code="failed", text="Something else.")], page.hearing)
    assert page.findChild(QLabel, "welcome_problem").text() == "It is bare."


def drop(page, *urls):
    mime = QMimeData()
    mime.setUrls([QUrl(url) for url in urls])
    copy, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(50, 50), copy, mime, LEFT, none)
    QApplication.sendEvent(page.viewport(), enter)
    event = QDropEvent(QPointF(50, 50), copy, mime, LEFT, none)
    QApplication.sendEvent(page.viewport(), event)
    return enter.isAccepted()


def test_a_dropped_folder_is_opened(page, sink):
    assert drop(page, "file:///srv/other%20one")
    assert [command.path for command in sink.sent] == ["/srv/other one"]


def test_two_folders_or_a_web_address_are_not_taken(page, sink):
    drop(page, "file:///srv/a", "file:///srv/b")
    drop(page, "https://example.com/x")
    assert sink.sent == []


def test_tasks_wait_for_a_repository_and_a_key(page, qtbot):
    task = button(page, "welcome_task_1")
    assert not task.isEnabled()
    page.hearing.take(opened())
    assert not task.isEnabled()
    page.hearing.take([keys("keyring")])
    assert task.isEnabled()
    with qtbot.waitSignal(page.task_chosen) as chosen:
        QTest.mouseClick(task, LEFT)
    assert chosen.args == [TASKS[0]]


def test_no_step_is_done_before_a_key_is_known(qtbot, requests):
    holder = QWidget()
    qtbot.addWidget(holder)
    page = Welcome(requests, holder)
    page.hearing.take([EngineReady(settings=Settings()), *opened()])
    step = page.findChildren(WelcomeStep)[1]
    assert not step.accessibleName().endswith("done")
    assert "Looking for a key in the system keyring…" in words(page)
    assert not any("New chats use" in word for word in words(page))
    assert not page.holds, "a repository that was open before shows its chats, not a step that may be done"
    page.hearing.take([keys("none")])
    assert any(word.startswith("No key yet.") for word in words(page))
    assert page.holds
    page.hearing.take([keys("keyring")])
    assert step.accessibleName() == "Step 2, Add a model key, done"
    assert any("New chats use" in word for word in words(page))


def test_the_demo_needs_no_key(page):
    page.hearing.take([EngineReady(settings=Settings(default_endpoint=DEMO_ENDPOINT.id)), *opened()])
    assert button(page, "welcome_task_1").isEnabled()


def test_the_page_holds_until_a_key_is_there_and_a_task_was_chosen(page):
    assert not page.holds
    page.open_path("/srv/shop")
    page.hearing.take(opened())
    assert page.holds
    page.hearing.take([keys("keyring")])
    assert page.holds
    click(page, "welcome_task_2")
    assert not page.holds


def test_a_repository_that_is_all_set_up_needs_no_steps(page):
    page.hearing.take([keys("keyring"), *opened()])
    assert not page.holds


def test_a_repository_with_chats_or_without_a_commit_does_not_hold(page):
    page.hearing.take(opened(make_chat(1, "Fix it")))
    assert not page.holds
    page.hearing.take(opened(problem="This repository has no commit yet."))
    assert not page.holds


def test_in_the_window_a_task_fills_the_composer_and_sends_no_message(window, sink):
    window.open_path("/srv/shop")
    window.apply_updates([*opened(), keys("keyring")])
    welcome = window.findChild(Welcome)
    assert welcome.isVisible()
    sent = len(sink.sent)
    click(welcome, "welcome_task_1")
    assert not welcome.isVisible()
    assert window.findChild(QPlainTextEdit, "composer_text").toPlainText() == TASKS[0]
    assert [one.type for one in sink.sent[sent:]] == ["prepare_lane"]


@pytest.mark.promise("ui-U152")
def test_in_the_window_every_step_can_be_skipped(window):
    window.apply_updates(opened())
    assert window.findChild(Welcome).isVisible()
    click(window, "welcome_skip")
    assert window.findChild(QPlainTextEdit, "composer_text").isVisible()


def test_in_the_window_a_new_chat_skips_the_steps_too(window):
    window.apply_updates(opened())
    window.new_chat()
    assert not window.findChild(Welcome).isVisible()


def test_in_the_window_the_buttons_lead_to_the_folder_the_key_and_the_demo(window, qtbot):
    click(window, "welcome_open")
    dialog = window.findChild(QFileDialog, "open_repository_dialog")
    assert dialog.isVisible()
    dialog.reject()
    with qtbot.waitSignal(window.demo_asked):
        click(window, "welcome_demo")
    click(window, "welcome_add_key")
    assert window.findChild(QWidget, "settings_providers").isVisible()


GATEWAY = Endpoint(
    id="env-anthropic", label="gateway.example.com", kind="compatible", base_url="https://gateway.example.com",
    auth="x-api-key", default_model="claude-sonnet-4-6",
)  # fmt: skip


@pytest.mark.promise("sessions-SV4")
def test_a_gateway_of_the_environment_stands_in_the_second_step_with_its_variables(page):
    found = FoundService(endpoint=GATEWAY, address_from="ANTHROPIC_BASE_URL", used=True)
    state = KeyState(endpoint_id="env-anthropic", place="environment", variable="ANTHROPIC_API_KEY")
    page.hearing.take([KeysChanged(keys=(KeyState(endpoint_id="anthropic", place="none"), state), found=(found,))])
    (_, key_step, _) = page.findChildren(WelcomeStep)[:3]
    assert key_step.done
    assert key_step.sentence.text() == (
        "New chats use claude-sonnet-4-6 of gateway.example.com, found in your environment (ANTHROPIC_BASE_URL)."
    )
    variable = KeyState(endpoint_id="anthropic", place="environment", variable="ANTHROPIC_API_KEY")
    page.hearing.take([KeysChanged(keys=(variable,))])
    assert key_step.sentence.text().endswith("with the key of ANTHROPIC_API_KEY in your environment.")


def test_the_tour_is_asked_for_and_fills_the_composer_once_its_repository_is_open(page, sink, requests):
    suggested = []
    page.task_chosen.connect(suggested.append)
    QTest.mouseClick(page.findChild(QPushButton, "welcome_tour"), LEFT)
    assert [one.type for one in sink.sent] == ["open_sample"]
    failed = [CommandFailed(command_id=sink.sent[-1].command_id, code="failed", text="No git.")]
    requests.deliver(failed, page.hearing)
    assert page.findChild(QLabel, "welcome_problem").text() == "No git."
    QTest.mouseClick(page.findChild(QPushButton, "welcome_tour"), LEFT)
    page.hearing.take([ProjectOpened(project=PROJECT, sample=True)])
    assert suggested == [TOUR_TASK]
    assert not page.holds
    page.hearing.take([ProjectOpened(project=PROJECT, sample=True)])
    assert suggested == [TOUR_TASK], "it was opened again by somebody"


def test_a_service_without_a_model_in_the_environment_is_offered_beside_the_key(page):
    asked = []
    page.service_asked.connect(asked.append)
    offer = page.findChild(QPushButton, "welcome_found_set_up")
    assert not offer.isVisibleTo(page)
    openai = Endpoint(id="env-openai", label="OpenAI", kind="openai", base_url="https://api.openai.com/v1")
    found = FoundService(endpoint=openai, key_from="OPENAI_API_KEY", used=True)
    page.hearing.take([KeysChanged(keys=(KeyState(endpoint_id="anthropic", place="none"),), found=(found,))])
    assert offer.isVisibleTo(page)
    assert offer.text() == "Set up OpenAI…"
    QTest.mouseClick(offer, LEFT)
    assert asked == ["env-openai"]
