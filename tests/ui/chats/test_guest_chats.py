"""Chats of agents of others in the window: the chip with what keeps the agent, its models, its commands, its end."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QMenu

from desktop.domain.changes.commands import SIGN_IN_LANE, OpenTerminal
from desktop.domain.core.checkpoint_events import CheckpointMade
from desktop.domain.core.work import Activity
from desktop.domain.events import ModelChanged, TurnEnded, TurnStarted
from desktop.domain.guests.events import GuestNoticed, GuestSessionEnded
from desktop.domain.guests.updates import GuestChanged, GuestListing, GuestsListed
from desktop.domain.guests.values import GuestAbilities, GuestChoice, GuestOption, GuestSlash
from desktop.domain.terminals.updates import TerminalClosed
from desktop.domain.updates import SettingsChanged
from desktop.ui.widgets.pick_list import PickList
from tests.ui.compose_place import Place, place
from tests.ui.shell_samples import IDLE, find

__all__ = ["place"]
MODEL = GuestOption(
    id="model", name="Model", category="model", value="opus",
    choices=(GuestChoice(value="opus", name="Opus"), GuestChoice(value="haiku", name="Haiku\u202e", about="fast")),
)  # fmt: skip
CLAUDE = GuestChanged(
    session_id=IDLE.session_id,
    guest_id="claude",
    label="Claude Agent",
    version="0.101.0",
    state="running",
    options=(MODEL,),
    commands=(GuestSlash(name="review", about="Looks at it"), GuestSlash(name="plan", about="theirs"),
              GuestSlash(name="compact", about="x", warning="The agent shortens what it remembers.")),
    lines=("Commands: asks first (its word) · contained by the sandbox (full)", "Reads: sandbox\u202e"),
)  # fmt: skip


@pytest.fixture
def chat(place: Place) -> Place:
    """A chat of an agent, which told of itself."""
    place.show(ModelChanged(endpoint_id="guest:claude", model=""))
    place.window.apply_updates([CLAUDE])
    return place


def listed(place: Place, *guests: GuestListing) -> GuestsListed:
    """The answer to the last look for agents."""
    asked = [one for one in place.sink.sent if one.type == "list_guests"][-1]
    return GuestsListed(command_id=asked.command_id, guests=guests)


def rows(shown: PickList) -> list[str]:
    return [str(shown.model().index(row, 0).data()) for row in range(shown.model().rowCount())]


def label(place: Place, name: str) -> str:
    found = find(place.window, name, QLabel)
    assert isinstance(found, QLabel)
    return found.text()


@pytest.mark.promise("guests-A41")
def test_the_chip_names_agent_and_version_and_leads_to_what_keeps_it(chat, qtbot):
    assert chat.button("header_agent").text() == "Claude Agent 0.101.0"
    qtbot.mouseClick(chat.button("header_agent"), Qt.MouseButton.LeftButton)
    lines = [one.text() for one in find(chat.window, "agent_popup_lines").findChildren(QLabel)]
    assert lines == ["Commands", "asks first (its word) · contained by the sandbox (full)", "Reads", "sandbox⟦U+202E⟧"]
    qtbot.mouseClick(chat.button("agent_popup_end"), Qt.MouseButton.LeftButton)
    assert (chat.sink.last().type, chat.sink.last().session_id) == ("end_guest", IDLE.session_id)
    chat.window.apply_updates([CLAUDE.model_copy(update={"state": "resting"})])
    qtbot.mouseClick(chat.button("header_agent"), Qt.MouseButton.LeftButton)
    assert "the next message starts it" in label(chat, "agent_popup_state")
    assert not chat.sees("agent_popup_end")


def test_an_agent_at_work_cannot_be_ended(chat, qtbot):
    chat.happens(TurnStarted(turn_id="t1"))
    chat.does(Activity.STREAMING)
    qtbot.mouseClick(chat.button("header_agent"), Qt.MouseButton.LeftButton)
    assert not chat.button("agent_popup_end").isEnabled()


def test_a_chat_of_our_own_has_no_such_chip(place):
    place.show()
    assert not place.sees("header_agent")


@pytest.mark.promise("guests-A46")
def test_the_models_of_the_agent_are_in_the_list_of_models(chat, qtbot):
    assert chat.button("composer_model").text() == "Opus"
    qtbot.mouseClick(chat.button("composer_model"), Qt.MouseButton.LeftButton)
    shown = find(chat.window, "model_list", PickList)
    assert isinstance(shown, PickList)
    assert rows(shown) == ["Opus", "Haiku⟦U+202E⟧"]
    shown.clicked.emit(shown.model().index(1, 0))
    sent = chat.sink.last()
    assert (sent.type, sent.option_id, sent.value) == ("set_guest_option", "model", "haiku")


@pytest.mark.promise("guests-A47")
def test_the_commands_of_the_agent_stand_below_ours_and_are_sent_as_text(chat, qtbot):
    chat.field.setFocus()
    qtbot.keyClicks(chat.field, "/")
    popup = chat.window.page._writing.slash.popup
    shown = popup.findChild(PickList)
    names = rows(shown)
    assert names.count("/plan") == 1
    assert names[-2:] == ["/review", "/compact"]
    assert names.index("/rename {title}") < names.index("/review")
    assert "/clear" not in names
    told = str(shown.model().index(len(names) - 1, 0).data(Qt.ItemDataRole.AccessibleTextRole))
    assert "The agent shortens what it remembers. · of Claude Agent" in told
    qtbot.keyClicks(chat.field, "review now")
    qtbot.keyClick(chat.field, Qt.Key.Key_Return)
    assert (chat.sink.last().type, chat.sink.last().text) == ("send_message", "/review now")


@pytest.mark.qt_log_ignore("does not support")
@pytest.mark.promise("guests-A14")
def test_what_the_agent_sees_to_itself_is_not_in_the_menu_of_the_chat(chat, qtbot):
    qtbot.mouseClick(chat.button("header_menu"), Qt.MouseButton.LeftButton)
    menu = find(chat.window, "header_menu_list", QMenu)
    assert isinstance(menu, QMenu)
    entries = [action.text() for action in menu.actions()]
    assert "Fork" in " ".join(entries)
    assert not [one for one in entries if one.startswith(("Summarise", "Clear"))]
    menu.close()


@pytest.mark.promise("guests-A2")
def test_a_chat_whose_agent_is_missing_says_so_and_sends_nothing(place):
    place.show(ModelChanged(endpoint_id="guest:codex", model=""))
    asked = [one for one in place.sink.sent if one.type == "list_guests"]
    assert len(asked) == 1
    missing = GuestListing(id="codex", label="Codex", problem="Codex is not installed on this computer.")
    place.window.apply_updates([GuestsListed(command_id=asked[0].command_id, guests=(missing,))])
    assert "Codex is not installed on this computer." in place.button("composer_send").toolTip()
    assert place.window.page.composer.state.model == "Codex"


@pytest.mark.promise("guests-A14")
def test_an_agent_that_reads_no_pictures_is_given_none(chat):
    page = chat.window.page
    assert not page._reads_images(IDLE.session_id)
    chat.window.apply_updates([CLAUDE.model_copy(update={"abilities": GuestAbilities(image=True)})])
    assert page._reads_images(IDLE.session_id)


@pytest.mark.promise("guests-A52")
def test_a_chat_whose_agent_is_missing_goes_on_with_another_one(place, qtbot):
    place.show(ModelChanged(endpoint_id="guest:codex", model=""))
    missing = GuestListing(id="codex", label="Codex", problem="Codex is not installed on this computer.")
    here = GuestListing(id="claude", label="Claude Agent", program="/opt/claude")
    place.window.apply_updates([listed(place, missing, here)])
    assert label(place, "agent_strip_text") == "Codex is not installed on this computer. The chat can be read."
    qtbot.mouseClick(place.button("agent_strip_choose"), Qt.MouseButton.LeftButton)
    shown = find(place.window, "model_list", PickList)
    assert rows(shown) == ["Banksman", "Claude Agent", "More agents…"]
    shown.clicked.emit(shown.model().index(1, 0))
    sent = place.sink.last()
    assert (sent.type, sent.session_id, sent.driver) == ("continue_with", IDLE.session_id, "claude")


@pytest.mark.qt_log_ignore("does not support")
@pytest.mark.promise("guests-A52")
def test_a_chat_of_our_own_is_handed_to_an_agent_from_its_menu(place, qtbot):
    place.show()
    qtbot.mouseClick(place.button("header_menu"), Qt.MouseButton.LeftButton)
    menu = find(place.window, "header_menu_list", QMenu)
    next(action for action in menu.actions() if action.text() == "Continue with…").trigger()
    menu.close()
    shown = find(place.window, "model_list", PickList)
    assert rows(shown) == ["More agents…"]
    place.window.apply_updates([listed(place, GuestListing(id="claude", label="Claude Agent", program="/opt/claude"))])
    assert rows(shown) == ["Claude Agent", "More agents…"]
    assert not place.sees("agent_strip")


def actions(place: Place) -> list[str]:
    """The words of all buttons in the transcript."""
    return [words for row in place.window.page.transcript.model.rows for _, words in row.actions]


@pytest.mark.parametrize(
    ("reason", "offered"),
    [
        ("guest_ended", ["Start again", "Copy details"]),
        ("guest_sign_in", ["Sign in…", "Try again", "Agents…", "Copy details"]),
        ("no_guest", ["Agents…", "Try again", "Copy details"]),
        ("unasked", ["Put the files back", "Go on", "Copy details"]),
    ],
)
def test_a_turn_that_its_agent_ended_offers_what_can_be_done(chat, reason, offered):
    kept = CheckpointMade(checkpoint_id="c1", reason="turn_start", commit="a" * 40)
    end = TurnEnded(turn_id="t1", status="failed", reason=reason, detail="It went wrong.")
    chat.happens(TurnStarted(turn_id="t1"), kept, end)
    assert actions(chat) == offered


@pytest.mark.promise("guests-A39")
def test_an_agent_that_ended_by_itself_is_told_with_its_last_lines(chat):
    ended = GuestSessionEnded(guest_id="claude", why="crash", exit_status=3, detail="out of memory\u202e\nbye")
    chat.happens(TurnStarted(turn_id="t1"), GuestNoticed(kind="mode", text="It changed its mode."), ended)
    said = {row.text: (row.detail, row.level) for row in chat.window.page.transcript.model.rows}
    assert said["The agent ended by itself with status 3"] == ("out of memory⟦U+202E⟧\nbye", "danger")
    assert said["It changed its mode."][1] == "warning"
    chat.happens(GuestSessionEnded(guest_id="claude", why="idle"))
    assert len(chat.window.page.transcript.model.rows) == len(said)


@pytest.mark.promise("guests-A2")
def test_a_usual_agent_that_is_gone_is_told_on_the_page_of_a_new_chat(place):
    settings = place.window.engine.settings.model_copy(update={"default_agent": "codex"})
    place.window.apply_updates([SettingsChanged(settings=settings)])
    missing = GuestListing(id="codex", label="Codex", problem="Codex is not installed on this computer.")
    place.window.apply_updates([listed(place, missing)])
    said = [one.text() for one in place.window.page.messages.currentWidget().findChildren(QLabel)]
    assert "Choose another agent, or a model." in said
    assert "Codex is not installed on this computer." in said


@pytest.mark.promise("guests-A15")
def test_a_sign_in_opens_a_terminal_of_the_agents_sandbox_once(chat):
    def asked() -> list[OpenTerminal]:
        chat.window.page.transcript.row_action.emit("row:1", "sign_in")
        return [one for one in chat.sink.sent if isinstance(one, OpenTerminal)]

    (opened,) = asked()
    assert (opened.guest_id, opened.lane_id) == ("claude", SIGN_IN_LANE)
    drawer = chat.window.terminals.drawer
    assert opened.columns == drawer.view.grid(drawer.size())[0]  # the first has not been on screen yet
    assert chat.sees("terminal_drawer")
    assert "In the sandbox of the agent · its sign-in" in label(chat, "terminal_whose")
    assert not chat.button("terminal_new").isEnabled()
    assert len(asked()) == 1
    ended = TerminalClosed(terminal_id=opened.terminal_id, lane_id=SIGN_IN_LANE, exit_code=1, kept=1)
    chat.window.apply_updates([ended])
    assert len(asked()) == 2
    last = chat.sink.last()
    chat.window.apply_updates([TerminalClosed(terminal_id=last.terminal_id, lane_id=SIGN_IN_LANE, asked=True)])
    assert "your shell" in label(chat, "terminal_whose")
