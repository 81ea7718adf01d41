"""Prompts of MCP servers after `/`: a form for their arguments, and a text that the person sends."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QListView, QPushButton

from desktop.domain.mcp.commands import CompleteMcpArgument, LoadMcpPrompt
from desktop.domain.mcp.updates import McpArgumentCompleted, McpPromptLoaded, McpPromptRow, McpServersListed
from desktop.domain.updates import CommandFailed
from tests.ui.compose_place import Place, place
from tests.ui.mcp_samples import NEW, READY
from tests.ui.shell_samples import find

__all__ = ["place"]
TRIAGE = McpPromptRow("triage", "Sort a ticket\u202e", (("ticket", "Its number", True), ("tone", "", False)))
ODD = McpPromptRow("Ticket Über")


def with_prompts(row, *prompts):
    return type(row)(**{**vars(row), "prompts": prompts})


@pytest.fixture
def known(place: Place):
    rows = (with_prompts(READY, TRIAGE, ODD), with_prompts(NEW, McpPromptRow("secret")))
    place.window.apply_updates([McpServersListed(servers=rows)])
    return place


def write(qtbot, place: Place, text: str) -> None:
    place.field.setFocus()
    qtbot.waitUntil(place.field.hasFocus)
    qtbot.keyClicks(place.field, text)


def dialog_of(place: Place) -> QDialog:
    return next(one for one in place.window.findChildren(QDialog, "mcp_prompt_dialog") if one.isVisible())


def asked(place: Place) -> list[LoadMcpPrompt]:
    return [one for one in place.sink.sent if isinstance(one, LoadMcpPrompt)]


def opened(qtbot, place: Place) -> QDialog:
    write(qtbot, place, "/files:triage")
    qtbot.keyClick(place.field, Qt.Key.Key_Return)
    return dialog_of(place)


def test_prompts_of_accepted_servers_are_listed_under_their_names(qtbot, known):
    write(qtbot, known, "/files:")
    shown = [item.key for item in known.window.page._writing.slash._items("files:")]
    assert shown == ["files:triage"]
    assert known.window.page._writing.slash._items("tracker:") == []


@pytest.mark.promise("guests-M25")
def test_a_prompt_is_filled_in_by_a_form_and_sent_by_nobody(qtbot, known):
    dialog = opened(qtbot, known)
    about = dialog.findChild(QLabel, "mcp_prompt_about").text()
    assert "Sort a ticket" in about
    assert "\u202e" not in about
    go = dialog.findChild(QPushButton, "mcp_prompt_go")
    qtbot.mouseClick(go, Qt.MouseButton.LeftButton)
    assert dialog.findChild(QLabel, "mcp_prompt_problem").text() == "ticket is needed."
    assert asked(known) == []
    dialog.findChild(QLineEdit, "mcp_prompt_field_1").setText("7")
    qtbot.mouseClick(go, Qt.MouseButton.LeftButton)
    (command,) = asked(known)
    assert (command.server_id, command.prompt, command.arguments) == ("files", "triage", (("ticket", "7"),))
    loaded = McpPromptLoaded(
        server_id="files", prompt="triage", text="Sort 7.\u200b\nNow.", command_id=command.command_id
    )
    known.window.apply_updates([loaded])
    text = known.field.toPlainText()
    assert text.startswith("From the prompt triage of the MCP server files:\n\nSort 7.")
    assert "\u200b" not in text
    assert {one.type for one in known.sink.sent}.isdisjoint({"send_message", "new_session"}), "nothing is sent"


@pytest.mark.promise("guests-M25")
def test_pictures_of_a_prompt_are_files_of_the_message(qtbot, known):
    dialog = opened(qtbot, known)
    dialog.findChild(QLineEdit, "mcp_prompt_field_1").setText("7")
    qtbot.mouseClick(dialog.findChild(QPushButton, "mcp_prompt_go"), Qt.MouseButton.LeftButton)
    command_id = asked(known)[0].command_id
    loaded = McpPromptLoaded(
        server_id="files", prompt="triage", text="See.", pictures=(b"one", b"two"), command_id=command_id
    )
    known.window.apply_updates([loaded])
    added = [one for one in known.sink.sent if one.type == "add_attachment"]
    assert [(one.name, one.data) for one in added] == [("files picture 1", b"one"), ("files picture 2", b"two")]
    assert {one.type for one in known.sink.sent}.isdisjoint({"send_message", "new_session"}), "nothing is sent"


@pytest.mark.promise("guests-M24")
def test_what_a_server_proposes_for_an_argument_is_taken_by_tab(qtbot, known):
    dialog = opened(qtbot, known)
    field = dialog.findChild(QLineEdit, "mcp_prompt_field_1")
    proposals = dialog.findChild(QListView, "mcp_prompt_proposals")
    dialog.findChild(QLineEdit, "mcp_prompt_field_2").setText("calm")
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)

    def write(text: str) -> CompleteMcpArgument:
        before = len(known.sink.sent)
        qtbot.keyClicks(field, text)
        qtbot.waitUntil(lambda: any(isinstance(one, CompleteMcpArgument) for one in known.sink.sent[before:]))
        return known.sink.sent[-1]

    command = write("7")
    assert (command.kind, command.name, command.argument, command.value) == ("prompt", "triage", "ticket", "7")
    assert command.given == (("tone", "calm"),)
    values = ("7", "71", "72\u202e")
    known.window.apply_updates([McpArgumentCompleted(values=values, command_id=command.command_id)])
    assert proposals.isVisible()
    shown = [proposals.model().index(row, 0).data() for row in range(proposals.model().rowCount())]
    assert shown[0] == "71"
    assert "\u202e" not in shown[1]
    qtbot.keyClick(field, Qt.Key.Key_Down)
    qtbot.keyClick(field, Qt.Key.Key_Up)
    qtbot.keyClick(field, Qt.Key.Key_Tab)
    assert (field.text(), proposals.isVisible()) == ("71", False)
    command = write("3")
    known.window.apply_updates([McpArgumentCompleted(values=("713x",), command_id=command.command_id)])
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert (dialog.isVisible(), proposals.isVisible(), field.text()) == (True, False, "713")
    command = write("4")
    known.window.apply_updates([CommandFailed(command_id=command.command_id, code="mcp", text="No.")])
    assert dialog.findChild(QLabel, "mcp_prompt_problem").text() == ""


def test_what_a_server_refuses_stands_in_the_form(qtbot, known):
    dialog = opened(qtbot, known)
    dialog.findChild(QLineEdit, "mcp_prompt_field_1").setText("7")
    qtbot.mouseClick(dialog.findChild(QPushButton, "mcp_prompt_go"), Qt.MouseButton.LeftButton)
    known.window.apply_updates(
        [CommandFailed(command_id=asked(known)[0].command_id, code="mcp", text="No such ticket.")]
    )
    assert dialog.findChild(QLabel, "mcp_prompt_problem").text() == "No such ticket."
    assert find(dialog, "mcp_prompt_go", QPushButton).isEnabled()
