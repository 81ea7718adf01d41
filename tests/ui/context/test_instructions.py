"""The list of instruction files and of commands from files, over a real window."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from desktop.domain.chats.commands import LoadInstructions, TrustCommands
from desktop.domain.chats.library_events import InstructionFile
from desktop.domain.chats.updates import InstructionsListed, SlashCommand
from desktop.domain.updates import CommandFailed, SessionOpened
from desktop.ui.core.actions import Actions
from desktop.ui.window.main_window import MainWindow
from tests.ui.shell_samples import IDLE, IN_LANE, Recorder, begun, envelopes, find, make_window, started

DIGEST = "a" * 64
FILES = (
    InstructionFile(path="AGENTS.md", sha256="1" * 64, bytes=3200),
    InstructionFile(
        path="web/CLAUDE.md",
        sha256="2" * 64,
        bytes=40_000,
        cut=True,
        changed_by="an agent in the chat “Fix” on 2026-02-03",
    ),
)
OWN = SlashCommand(name="note", description="Write a note", path="/home/me/commands/note.md", body="x", source="user")
THEIRS = SlashCommand(
    name="ship", description="Ship\u202eit", path=".banksman/commands/ship.md", body="x", source="repository",
    usable=False,
)  # fmt: skip
LISTED = InstructionsListed(
    session_id=IDLE.session_id, files=FILES, commands=(OWN, THEIRS), untrusted_sha256=DIGEST,
    problems=("docs/AGENTS.md is a link out of the lane, so it is not read.",),
)  # fmt: skip


@pytest.fixture
def sink() -> Recorder:
    return Recorder()


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, sink: Recorder) -> MainWindow:
    made = make_window(tmp_path, sink, inspector=True)
    qtbot.addWidget(made)
    made.show()
    made.apply_updates(started(IDLE, IN_LANE))
    made.open_chat(IDLE.session_id)
    log = tuple(envelopes(IDLE.session_id, begun()))
    made.apply_updates([SessionOpened(session_id=IDLE.session_id, envelopes=log)])
    actions = made.findChild(Actions)
    assert actions is not None
    actions.action("instructions").trigger()
    return made


def words(window: MainWindow, name: str) -> list[str]:
    """The texts of a list, empty while it is hidden."""
    view = find(window, name)
    texts = [label.text() for label in view.findChildren(QLabel) if label.isVisible() and label.text()]
    return texts if view.isVisible() else []


def click(window: MainWindow, name: str) -> None:
    QTest.mouseClick(find(window, name), Qt.MouseButton.LeftButton)


def test_the_files_in_force_are_listed_with_size_and_what_is_cut(window: MainWindow, sink: Recorder) -> None:
    (asked,) = [command for command in sink.sent if isinstance(command, LoadInstructions)]
    assert asked.session_id == IDLE.session_id
    window.apply_updates([LISTED])
    assert words(window, "instructions_files") == [
        "AGENTS.md · 3.2 KB",
        "web/CLAUDE.md · 40 KB · only its beginning is used\nChanged by an agent in the chat “Fix” on 2026-02-03",
    ]
    assert words(window, "instructions_problems") == list(LISTED.problems)


def test_commands_say_where_they_come_from_and_whether_they_are_trusted(window: MainWindow) -> None:
    window.apply_updates([LISTED])
    assert words(window, "instructions_commands") == ["/note: Write a note\n/home/me/commands/note.md · your own"]
    (untrusted,) = words(window, "instructions_untrusted")
    assert untrusted.endswith(".banksman/commands/ship.md · from the repository, not trusted")
    assert "\u202e" not in untrusted


def test_trust_is_given_to_exactly_what_is_shown(window: MainWindow, sink: Recorder) -> None:
    window.apply_updates([LISTED])
    click(window, "instructions_trust")
    trust = sink.last()
    assert isinstance(trust, TrustCommands)
    assert (trust.session_id, trust.sha256) == (IDLE.session_id, DIGEST)
    assert not find(window, "instructions_trust").isEnabled()
    usable = THEIRS.model_copy(update={"usable": True})
    window.apply_updates([LISTED.model_copy(update={"commands": (OWN, usable), "untrusted_sha256": ""})])
    assert not find(window, "instructions_trust").isVisible()
    assert len(words(window, "instructions_commands")) == 2


def test_commands_that_changed_meanwhile_are_not_trusted_and_it_is_said(window: MainWindow, sink: Recorder) -> None:
    window.apply_updates([LISTED])
    click(window, "instructions_trust")
    failed = CommandFailed(command_id=sink.last().command_id, code="changed", text="The commands changed. Look again.")
    window.apply_updates([failed])
    assert words(window, "instructions_problems") == ["The commands changed. Look again."]
    assert find(window, "instructions_trust").isEnabled()


def test_a_chat_without_such_files_says_so(window: MainWindow) -> None:
    window.apply_updates([InstructionsListed(session_id=IDLE.session_id, files=())])
    shown = [find(window, name) for name in ("instructions_no_files", "instructions_no_commands")]
    assert [label.text() for label in shown if isinstance(label, QLabel) and label.isVisible()] == [
        "There is no AGENTS.md and no CLAUDE.md for this chat.",
        "No file offers a command.",
    ]
    assert not find(window, "instructions_trust").isVisible()


def test_lists_of_other_chats_are_passed_over(window: MainWindow) -> None:
    window.apply_updates([LISTED.model_copy(update={"session_id": IN_LANE.session_id})])
    assert words(window, "instructions_files") == []


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_the_menu_of_the_chat_leads_there(window: MainWindow) -> None:
    click(window, "instructions_close")
    click(window, "header_menu")
    menu = next(menu for menu in window.findChildren(QWidget, "header_menu_list") if menu.isVisible())
    assert "Instruction files…" in [action.text() for action in menu.actions()]
    menu.close()


def test_the_settings_lead_there_for_the_chat_on_screen(window: MainWindow, sink: Recorder) -> None:
    click(window, "instructions_close")
    window.show_settings("advanced")
    click(window, "settings_advanced_instructions")
    assert isinstance(sink.last(), LoadInstructions)
    assert any(button.isVisible() for button in window.findChildren(QWidget, "instructions_close"))


def test_the_settings_offer_no_files_where_no_chat_is_on_screen(window: MainWindow) -> None:
    click(window, "instructions_close")
    window.new_chat()
    window.show_settings("advanced")
    assert not find(window, "settings_advanced_instructions").isEnabled()


@pytest.mark.promise("guests-A53")
def test_files_of_an_external_agent_are_said_to_be_read_by_it(window: MainWindow) -> None:
    read = InstructionFile(path="GEMINI.md", sha256="3" * 64, bytes=120)
    window.apply_updates([InstructionsListed(session_id=IDLE.session_id, files=(read,), read_by_agent=True)])
    assert find(window, "instructions_about").text().startswith("Read by the agent itself")
    assert words(window, "instructions_files") == ["GEMINI.md · 120 B"]
