"""What is typed after `/`: listed, run, sent as text, and commands from files."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from desktop.domain.chats.updates import ContextMeterChanged, InstructionsListed, SlashCommand
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import Activity
from desktop.domain.events import TurnStarted
from desktop.ui.chats.composer.slash_commands import TABLE, Typed, matching, offered, typed, typing
from desktop.ui.core.panel import all_actions
from desktop.ui.window.build import PANELS
from tests.ui.compose_place import Place, place
from tests.ui.shell_samples import IDLE, find

__all__ = ["place"]
ENTER = Qt.Key.Key_Return


def popup(place: Place):
    return place.window.page._writing.slash.popup


def error(place: Place) -> str:
    label = find(place.window, "composer_error", QLabel)
    assert isinstance(label, QLabel)
    return label.text() if label.isVisible() else ""


def write(qtbot, place: Place, text: str) -> None:
    place.field.setFocus()
    qtbot.waitUntil(place.field.hasFocus)
    qtbot.keyClicks(place.field, text)


def listed(place: Place, *commands: SlashCommand, untrusted: str = "") -> None:
    update = InstructionsListed(session_id=IDLE.session_id, files=(), commands=commands, untrusted_sha256=untrusted)
    place.window.apply_updates([update])


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("/plan", Typed("plan")),
        ("/full-auto ", Typed("full-auto")),
        ("/rename A new title", Typed("rename", "A new title")),
        ("/compact the\ntables", Typed("compact", "the\ntables")),
        ("/x?", None),
        ("/srv/www is full", None),
        ("/", None),
        ("plan", None),
        (" /plan", None),
        ("//plan", None),
    ],
)
def test_a_text_is_read_as_a_command_or_not(text, read):
    assert typed(text) == read


def test_a_name_is_being_typed_until_a_blank_or_another_sign():
    assert [typing(text) for text in ("/", "/re", "/re ", "/x?", "a/", "")] == ["", "re", None, None, None, None]


def test_names_that_begin_so_come_before_those_with_the_letters_in_order():
    assert matching("re", ["archive", "rename", "rewind", "plan"]) == ["rename", "rewind", "archive"]
    assert matching("", ["b", "a"]) == ["b", "a"]


def test_every_offered_command_leads_somewhere():
    ids = {spec.id for spec in all_actions(PANELS)}
    assert {spec.name for spec in TABLE} - {spec.name for spec in offered(True, ids)} <= {"rewind"}
    assert {spec.name for spec in offered(False, ids)} < {spec.name for spec in offered(True, ids)}
    assert len({spec.name for spec in TABLE}) == len(TABLE)


def test_the_list_opens_at_the_first_sign_and_narrows(place, qtbot):
    place.show()
    write(qtbot, place, "/")
    assert popup(place).isVisible()
    assert popup(place).keys[:3] == ["help", "new", "plan"]
    write(qtbot, place, "ren")
    assert popup(place).keys == ["rename"]
    write(qtbot, place, "x")
    assert not popup(place).isVisible()
    place.field.setPlainText("see a/b")
    assert not popup(place).isVisible()


def test_enter_runs_the_chosen_entry_and_empties_the_field(place, qtbot):
    place.show()
    write(qtbot, place, "/pla")
    qtbot.keyClick(place.field, ENTER)
    assert (place.sink.last().type, place.sink.last().mode) == ("set_mode", PermissionMode.PLAN)
    assert place.field.toPlainText() == ""
    assert "send_message" not in place.sink.kinds()


def test_up_down_tab_and_escape_work_in_the_list(place, qtbot):
    place.show()
    write(qtbot, place, "/")
    qtbot.keyClick(place.field, Qt.Key.Key_Down)
    assert popup(place).current == "new"
    qtbot.keyClick(place.field, Qt.Key.Key_Up)
    qtbot.keyClick(place.field, Qt.Key.Key_Tab)
    assert place.field.toPlainText() == "/help"
    assert not popup(place).isVisible()
    write(qtbot, place, "x")
    place.field.setPlainText("")
    write(qtbot, place, "/")
    qtbot.keyClick(place.field, Qt.Key.Key_Escape)
    assert (popup(place).isVisible(), place.field.toPlainText()) == (False, "/")


def test_a_command_that_needs_more_is_written_out_first(place, qtbot):
    place.show()
    write(qtbot, place, "/rena")
    qtbot.keyClick(place.field, ENTER)
    assert place.field.toPlainText() == "/rename "
    qtbot.keyClick(place.field, ENTER)
    assert error(place) == "Write what follows: /rename {title}"
    write(qtbot, place, "Retries")
    qtbot.keyClick(place.field, ENTER)
    assert (place.sink.last().type, place.sink.last().title) == ("rename_session", "Retries")
    assert error(place) == ""


def test_commands_of_the_context_reach_the_engine(place, qtbot):
    place.show()
    write(qtbot, place, "/compact keep the tables")
    qtbot.keyClick(place.field, ENTER)
    assert (place.sink.last().type, place.sink.last().keep) == ("compact", "keep the tables")
    write(qtbot, place, "/clear")
    qtbot.keyClick(place.field, ENTER)
    assert place.sink.last().type == "clear_context"


def test_effort_takes_one_of_its_levels_and_keeps_the_model(place, qtbot):
    place.show()
    write(qtbot, place, "/effort lots")
    qtbot.keyClick(place.field, ENTER)
    assert error(place) == "Write one of: off, low, medium, high."
    place.field.setPlainText("/effort high")
    qtbot.keyClick(place.field, ENTER)
    assert (place.sink.last().type, place.sink.last().model, place.sink.last().thinking) == (
        "set_model", "opus", "high",
    )  # fmt: skip


@pytest.mark.promise("ui-U124")
def test_an_unknown_command_is_asked_about_once_and_then_sent(place, qtbot):
    place.show()
    write(qtbot, place, "/nothing")
    qtbot.keyClick(place.field, ENTER)
    assert error(place) == "There is no command /nothing. Press Enter again to send it as text."
    assert "send_message" not in place.sink.kinds()
    qtbot.keyClick(place.field, ENTER)
    assert (place.sink.last().type, place.sink.last().text) == ("send_message", "/nothing")


@pytest.mark.parametrize("text", ["/x?", "/rebase the lane?", "/srv/www is full", "/plan the next release"])
def test_text_that_only_looks_like_a_command_is_sent(place, qtbot, text):
    place.show()
    place.field.setPlainText(text)
    place.field.setFocus()
    qtbot.keyClick(place.field, ENTER)
    assert (place.sink.last().type, place.sink.last().text) == ("send_message", text)


def test_stop_is_offered_only_while_a_turn_runs(place, qtbot):
    place.show(TurnStarted(turn_id="trn_1"))
    write(qtbot, place, "/sto")
    assert popup(place).keys == []
    place.does(Activity.RUNNING)
    place.field.setPlainText("")
    write(qtbot, place, "/sto")
    assert popup(place).keys == ["stop"]
    qtbot.keyClick(place.field, ENTER)
    assert place.sink.last().type == "interrupt"


def test_actions_of_the_window_are_run(place, qtbot):
    place.show()
    write(qtbot, place, "/new")
    qtbot.keyClick(place.field, ENTER)
    assert place.window.page.session_id == ""
    write(qtbot, place, "/rename x")
    qtbot.keyClick(place.field, ENTER)
    assert "rename_session" not in place.sink.kinds()


def test_rules_lead_to_the_settings(place, qtbot):
    place.show()
    with qtbot.waitSignal(place.window.page.settings_asked) as wanted:
        write(qtbot, place, "/rules")
        qtbot.keyClick(place.field, ENTER)
    assert wanted.args == ["permissions"]


def test_cost_opens_what_the_meter_knows(place, qtbot):
    place.show()
    place.window.apply_updates([ContextMeterChanged(session_id=IDLE.session_id, used=10, window=100)])
    write(qtbot, place, "/cost")
    qtbot.keyClick(place.field, ENTER)
    assert place.sees("context_popup")


def test_commands_from_files_are_listed_and_sent_as_they_are_typed(place, qtbot):
    place.show()
    write(qtbot, place, "/")
    assert place.sink.last().type == "load_instructions"
    own = SlashCommand(name="review", description="Look with care", path="/h/review.md", body="…", source="user")
    listed(place, own)
    assert popup(place).keys[-1] == "review"
    write(qtbot, place, "rev")
    qtbot.keyClick(place.field, ENTER)
    assert (place.sink.last().type, place.sink.last().text) == ("send_message", "/review")


def test_commands_of_a_repository_ask_for_trust_before_their_first_use(place, qtbot):
    place.show()
    ship = SlashCommand(
        name="ship", description="Ship it", path=".banksman/commands/ship.md", body="Ship", source="repository",
        usable=False,
    )  # fmt: skip
    listed(place, ship, untrusted="f" * 64)
    write(qtbot, place, "/ship now")
    qtbot.keyClick(place.field, ENTER)
    assert "send_message" not in place.sink.kinds()
    dialog = find(place.window, "trust_commands_dialog")
    assert any("/ship" in label.text() for label in dialog.findChildren(QLabel))
    qtbot.mouseClick(find(dialog, "trust_commands_yes"), Qt.MouseButton.LeftButton)
    assert (place.sink.last().type, place.sink.last().sha256) == ("trust_commands", "f" * 64)
    listed(place, ship.model_copy(update={"usable": True}))
    qtbot.keyClick(place.field, ENTER)
    assert (place.sink.last().type, place.sink.last().text) == ("send_message", "/ship now")


@pytest.mark.promise("memory-SK8")
def test_a_skill_that_nobody_accepted_leads_to_where_it_is_looked_at(place, qtbot):
    place.show()
    notes = SlashCommand(
        name="notes", description="Write notes", path="notes/SKILL.md", body="", source="skill", usable=False
    )
    listed(place, notes, untrusted="f" * 64)
    write(qtbot, place, "/notes now")
    with qtbot.waitSignal(place.window.page.settings_asked) as wanted:
        qtbot.keyClick(place.field, ENTER)
    assert wanted.args == ["skills"]
    assert "send_message" not in place.sink.kinds()
    listed(place, notes.model_copy(update={"usable": True}))
    qtbot.keyClick(place.field, ENTER)
    assert (place.sink.last().type, place.sink.last().text) == ("send_message", "/notes now")


@pytest.mark.parametrize(("typed", "page"), [("/skills", "skills"), ("/agents", "skills"), ("/mcp", "mcp")])
def test_skills_agents_and_servers_are_listed_in_the_settings(place, qtbot, typed, page):
    place.show()
    write(qtbot, place, typed)
    with qtbot.waitSignal(place.window.page.settings_asked) as wanted:
        qtbot.keyClick(place.field, ENTER)
    assert wanted.args == [page]


def test_a_chat_that_is_only_on_its_way_is_not_asked_for_its_commands(place, qtbot):
    write(qtbot, place, "begin")
    qtbot.keyClick(place.field, ENTER)
    write(qtbot, place, "/")
    assert popup(place).isVisible()
    assert place.sink.last().type == "new_session"


def test_choosing_a_model_keeps_the_effort(place):
    place.window.page.commands.set_model("s", "e", "m", "high")
    assert place.sink.last().thinking == "high"
