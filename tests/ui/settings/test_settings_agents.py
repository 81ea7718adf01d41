"""The page Agents of the settings: which there are, how a missing one is installed, a test, and what is set for one."""

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QListWidget, QPlainTextEdit, QPushButton

from desktop.config.guests import GuestSettings
from desktop.config.settings import ANTHROPIC_ADDRESS, Endpoint, Settings
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.guests.updates import GuestListing, GuestSignedIn, GuestsListed, GuestTested
from desktop.domain.guests.values import GuestAbilities, GuestChoice, GuestOption, GuestSignIn
from desktop.domain.updates import CommandFailed, EngineReady
from desktop.providers.kinds import builtin_kinds
from desktop.ui.core.terminal_opener import TerminalOpener
from desktop.ui.widgets.dialogs.ask import AskDialog
from desktop.ui.widgets.pick_list import PickList
from tests.ui.settings_place import Place

HERE = GuestListing(
    id="claude",
    label="Claude Agent\u202e",
    program="/usr/local/bin/claude-agent-acp",
    sha256="3fa9c1d2e4b5" + "0" * 52,
    home_folders=(".claude",),
    takes_model="anthropic",
    hosts=("api.anthropic.com",),
    home_path="/data/claude",
)
MISSING = GuestListing(
    id="codex", label="Codex", problem="Codex is not installed on this computer.", install="npm install -g codex-acp"
)
BARE = GuestListing(id="fast", label="fast-agent", program="/opt/fast", asks=False)

KINDS = tuple(kind.shown for kind in builtin_kinds().values())
SERVICES = (
    Endpoint(id="a", label="Anthropic", kind="anthropic", base_url=ANTHROPIC_ADDRESS),
    Endpoint(id="o", label="OpenAI", kind="openai", base_url="https://api.openai.com/v1"),
    Endpoint(id="l", label="Local", kind="openai_compatible", base_url="http://127.0.0.1:1/v1"),
)


@pytest.fixture
def place(qtbot):
    place = Place(qtbot, "agents")
    place.apply(EngineReady(settings=Settings(), service_kinds=KINDS))
    reply(place, GuestsListed(command_id="", guests=(HERE, MISSING, BARE), faults=("guests.toml, line 3: no id",)))
    return place


def reply(place, update):
    place.apply(update.model_copy(update={"command_id": place.sink.sent[-1].command_id}))


def choose(place, at):
    place.get("settings_agents_list", QListWidget).setCurrentRow(at)


def pick(place, name, title):
    """Open the list of a field, and choose an entry of it."""
    place.click(name)
    shown = place.get(f"{name}_list", PickList, place.dialog)
    rows = [str(shown.model().index(row, 0).data()) for row in range(shown.model().rowCount())]
    shown.clicked.emit(shown.model().index(rows.index(title), 0))


def choices(place, name):
    """What the list of a field offers."""
    place.click(name)
    shown = place.get(f"{name}_list", PickList, place.dialog)
    return [str(shown.model().index(row, 0).data()) for row in range(shown.model().rowCount())]


def sent(place):
    return place.sink.sent[-1]


def test_each_agent_says_whether_it_is_here_and_where(place):
    found = place.get("settings_agents_list", QListWidget)
    assert [found.item(at).text() for at in range(found.count())] == [
        "Claude Agent⟦U+202E⟧ · installed",
        "Codex · not installed",
        "fast-agent · installed",
    ]
    told = place.text("settings_agents_found")
    assert told == "/usr/local/bin/claude-agent-acp · 3fa9c1d2e4b5\nWith its own sign-in it reaches api.anthropic.com."
    assert place.text("settings_agents_problem") == "guests.toml, line 3: no id"
    choose(place, 2)
    assert "it works in Full auto alone" in place.text("settings_agents_found")


@pytest.mark.promise("guests-A12")
def test_of_a_missing_agent_there_is_its_command_to_copy_and_nothing_else(place):
    choose(place, 1)
    assert "Banksman installs nothing" in place.text("settings_agents_missing")
    assert place.get("settings_agents_install", QPlainTextEdit).toPlainText() == "npm install -g codex-acp"
    place.click("settings_agents_install_copy")
    assert QGuiApplication.clipboard().text() == "npm install -g codex-acp"
    for name in ("test", "model", "mode", "idle"):
        assert not place.shown(f"settings_agents_{name}")
    assert place.sink.kinds() == ["list_guests"]


def test_the_model_of_an_agent_is_chosen_and_taken_back(place):
    pick(place, "settings_agents_model", "Anthropic")
    assert sent(place).settings.guest_models == {"claude": "anthropic"}
    place.saved()
    pick(place, "settings_agents_model", "Its own sign-in")
    assert sent(place).settings.guest_models == {"claude": ""}


@pytest.mark.parametrize(
    ("dialect", "offered", "told"),
    [
        ("anthropic", ["Anthropic"], "asks in Messages, so these are not offered: OpenAI (chat completions and Resp"),
        ("responses", ["OpenAI", "Local"], "asks in Responses, so these are not offered: Anthropic (Messages)."),
        ("openai", ["OpenAI", "Local"], "asks in chat completions, so these are not offered: Anthropic (Messages)."),
    ],
)
def test_an_agent_is_offered_the_services_that_speak_as_it_does(qtbot, dialect, offered, told):
    place = Place(qtbot, "agents", Settings(endpoints=SERVICES, default_endpoint="a"))
    place.apply(EngineReady(settings=place.facts.settings, service_kinds=KINDS))
    listed = HERE.model_copy(update={"takes_model": dialect})
    reply(place, GuestsListed(command_id="", guests=(listed,)))
    assert choices(place, "settings_agents_model") == ["Its own sign-in", *offered]
    assert told in place.text("settings_agents_model_help")


def test_a_service_that_is_set_stays_though_it_does_not_fit(qtbot):
    place = Place(qtbot, "agents", Settings(endpoints=SERVICES, default_endpoint="a", guest_models={"claude": "o"}))
    place.apply(EngineReady(settings=place.facts.settings, service_kinds=KINDS))
    reply(place, GuestsListed(command_id="", guests=(HERE,)))
    assert choices(place, "settings_agents_model") == ["Its own sign-in", "Anthropic", "OpenAI"]
    assert "OpenAI" in place.get("settings_agents_model", QPushButton).text()


def test_a_service_that_the_agent_takes_no_more_can_be_taken_back(qtbot):
    place = Place(qtbot, "agents", Settings(endpoints=SERVICES, default_endpoint="a", guest_models={"fast": "o"}))
    reply(place, GuestsListed(command_id="", guests=(BARE.model_copy(update={"endpoint_id": "o"}),)))
    assert choices(place, "settings_agents_model") == ["Its own sign-in", "OpenAI"]
    pick(place, "settings_agents_model", "Its own sign-in")
    assert sent(place).settings.guest_models == {"fast": ""}


def test_a_model_can_be_chosen_once_a_test_has_shown_that_it_takes_one(place):
    choose(place, 2)
    assert not place.shown("settings_agents_model")
    place.click("settings_agents_test")
    reply(place, GuestTested(command_id="", guest_id="fast", ok=True, text="It started."))
    assert place.sink.kinds()[-1] == "list_guests"
    told = BARE.model_copy(update={"takes_model": "anthropic"})
    reply(place, GuestsListed(command_id="", guests=(HERE, MISSING, told)))
    assert choices(place, "settings_agents_model") == ["Its own sign-in", "Anthropic"]
    assert place.text("settings_agents_tested") == "It started."


def test_what_is_set_for_one_agent_leaves_the_others_alone(qtbot):
    other = {"codex": GuestSettings(idle_minutes=3)}
    place = Place(qtbot, "agents", Settings(guests=other))
    reply(place, GuestsListed(command_id="", guests=(HERE, MISSING)))
    place.click("settings_agents_mode_plan")
    place.saved()
    place.write("settings_agents_idle", "25")
    claude = GuestSettings(most_mode=PermissionMode.PLAN, idle_minutes=25)
    assert sent(place).settings.guests == {**other, "claude": claude}
    place.write("settings_agents_idle", "121")
    assert place.text("settings_agents_idle_problem") == "At most 120."


def test_a_test_says_what_the_agent_can_and_how_long_it_took(place):
    place.click("settings_agents_test")
    assert not place.get("settings_agents_test", QPushButton).isEnabled()
    option = GuestOption(id="m", name="Model", category="model", value="a", choices=(GuestChoice(value="a", name="A"),))
    tested = GuestTested(
        command_id="", guest_id="claude", ok=True, text="Claude Agent 1.0 started in 1.2 s.",
        abilities=GuestAbilities(load=True, image=True, modes=("default", "plan")), options=(option,),
    )  # fmt: skip
    reply(place, tested)
    told = place.text("settings_agents_tested")
    assert told == (
        "Claude Agent 1.0 started in 1.2 s.\nOpens its chats again; reads pictures; 2 modes; model: 1 choice."
    )
    place.click("settings_agents_test")
    failed = GuestTested(
        command_id="", guest_id="claude", ok=False, text="It ended.", needs_sign_in=True, log=("no licence\u202e",)
    )
    reply(place, failed)
    assert (
        place.text("settings_agents_tested")
        == "It ended.\nIt wants you to sign in first.\nIts own last lines:\n> no licence⟦U+202E⟧"
    )
    place.click("settings_agents_test")
    place.apply(CommandFailed(command_id=sent(place).command_id, code="x", text="It cannot be started."))
    assert place.text("settings_agents_tested") == "It cannot be started."
    choose(place, 2)
    assert not place.shown("settings_agents_tested")


@pytest.mark.promise("guests-A15")
def test_the_sign_in_of_an_agent_is_a_command_for_a_terminal_of_the_person(place):
    assert not place.shown("settings_agents_sign_in")
    place.click("settings_agents_test")
    told = GuestSignIn(id="t", name="Terminal", terminal=True, words=("--login",), env={"A": "b c"})
    reply(place, GuestTested(command_id="", guest_id="claude", ok=False, text="No.", sign_ins=(told,)))
    line = place.get("settings_agents_sign_in", QPlainTextEdit)
    assert line.toPlainText() == "env HOME=/data/claude 'A=b c' /usr/local/bin/claude-agent-acp --login"
    place.click("settings_agents_sign_in_copy")
    assert QGuiApplication.clipboard().text() == line.toPlainText()
    login = HERE.model_copy(update={"login": ("codex", "login"), "endpoint_id": ""})
    place.click("settings_agents_again")
    reply(place, GuestsListed(command_id="", guests=(login,)))
    assert place.get("settings_agents_sign_in", QPlainTextEdit).toPlainText() == "env HOME=/data/claude codex login"
    place.click("settings_agents_again")
    reply(place, GuestsListed(command_id="", guests=(login.model_copy(update={"endpoint_id": "anthropic"}),)))
    assert not place.shown("settings_agents_sign_in")


WAYS = (
    GuestSignIn(id="login", name="Log in\u202e", about="with your account"),
    GuestSignIn(id="term", name="Subscription", terminal=True),
    GuestSignIn(id="key", name="A key", variables=("SOME_KEY",)),
)


def tested(place):
    place.click("settings_agents_test")
    reply(place, GuestTested(command_id="", guest_id="claude", ok=False, text="No.", sign_ins=WAYS))


@pytest.mark.promise("guests-A15")
def test_each_way_of_the_agent_is_a_button_with_its_words(place):
    tested(place)
    assert place.get("settings_agents_way_0", QPushButton).text() == "Log in⟦U+202E⟧"
    assert place.text("settings_agents_way_0_about") == "with your account"
    assert not place.shown("settings_agents_way_2")
    assert "it wants SOME_KEY in its environment" in place.text("settings_agents_way_2_about")
    place.click("settings_agents_way_0")
    assert (sent(place).type, sent(place).guest_id, sent(place).method_id) == ("sign_in_to_guest", "claude", "login")
    assert "It may take five minutes." in place.text("settings_agents_way_state")
    assert not place.get("settings_agents_way_1", QPushButton).isEnabled()
    reply(place, GuestSignedIn(command_id="", guest_id="claude", method_id="login", ok=True, text="You are in."))
    assert place.text("settings_agents_way_state") == "You are in."
    assert place.get("settings_agents_way_1", QPushButton).isEnabled()
    assert not place.shown("settings_agents_way_cancel")
    choose(place, 2)
    assert not place.shown("settings_agents_way_0")


@pytest.mark.promise("guests-A15")
def test_a_sign_in_of_the_agent_is_cancelled_and_its_failure_told(place):
    tested(place)
    place.click("settings_agents_way_0")
    asked = place.sink.sent[-1].command_id
    place.click("settings_agents_way_cancel")
    assert (sent(place).type, sent(place).guest_id) == ("cancel_guest_sign_in", "claude")
    ended = GuestSignedIn(
        command_id=asked, guest_id="claude", method_id="login", ok=False, text="Cancelled.", log=("last\u202e",)
    )
    place.apply(ended)
    assert place.text("settings_agents_way_state") == "Cancelled.\nIts own last lines:\n> last⟦U+202E⟧"
    place.click("settings_agents_way_0")
    place.apply(CommandFailed(command_id=sent(place).command_id, code="x", text="It is not here."))
    assert place.text("settings_agents_way_state") == "It is not here."


@pytest.mark.parametrize("ok", [True, False])
def test_the_focus_is_on_what_cancels_a_sign_in_and_comes_back_to_its_button(place, ok):
    tested(place)
    place.get("settings_agents_way_1", QPushButton).setFocus()
    way = place.get("settings_agents_way_0", QPushButton)
    way.setFocus()
    way.click()
    assert place.dialog.focusWidget() is place.get("settings_agents_way_cancel")
    reply(place, GuestSignedIn(command_id="", guest_id="claude", method_id="login", ok=ok, text="Over."))
    assert place.dialog.focusWidget() is way


def test_new_chats_are_given_to_an_agent_that_is_here(place):
    place.click("settings_agents_default")
    shown = place.get("settings_agents_default_list", PickList, place.dialog)
    rows = [str(shown.model().index(row, 0).data()) for row in range(shown.model().rowCount())]
    assert rows == ["Banksman, with a model of yours", "Claude Agent⟦U+202E⟧", "fast-agent"]
    shown.clicked.emit(shown.model().index(2, 0))
    assert sent(place).settings.default_agent == "fast"


@pytest.mark.promise("guests-A15")
def test_a_sign_in_closes_the_settings_and_asks_the_window_for_its_terminal(place):
    wanted = []
    opener = TerminalOpener(place.window)
    opener.sign_in_asked.connect(lambda *asked: wanted.append(asked))
    place.click("settings_agents_sign_in_here")
    assert wanted == [("claude", "")]
    assert not place.dialog.isVisible()


def test_an_agent_that_asks_through_banksman_is_not_signed_in(place):
    place.click("settings_agents_again")
    reply(place, GuestsListed(command_id="", guests=(HERE.model_copy(update={"endpoint_id": "anthropic"}),)))
    assert not place.shown("settings_agents_sign_in_here")


@pytest.mark.promise("guests-A13")
def test_a_person_is_asked_about_another_version_where_they_want_that(place):
    place.click("settings_agents_changed_ask")
    assert sent(place).settings.guests == {"claude": GuestSettings(asks_when_changed=True)}


@pytest.mark.promise("guests-A35")
def test_the_persons_own_folders_are_given_after_a_look_at_what_that_means(place):
    before = len(place.sink.sent)
    place.click("settings_agents_folders_mine")
    dialog = place.dialog.findChild(AskDialog, "settings_agents_give_dialog")
    said = " ".join(label.text() for label in dialog.findChildren(QLabel))
    assert (
        "This agent can then change settings and hooks that run without the sandbox when you use it elsewhere." in said
    )
    assert "~/.claude" in said
    assert len(place.sink.sent) == before
    place.click("settings_agents_give_go", dialog)
    assert sent(place).settings.guests == {"claude": GuestSettings(own_folders=True)}
    place.saved()
    place.click("settings_agents_folders_own")
    assert sent(place).settings.guests == {"claude": GuestSettings()}
    choose(place, 2)
    assert not place.shown("settings_agents_folders")
