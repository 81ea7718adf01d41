"""Resources of MCP servers named in a message by `@server:`, completed from what the servers have."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop.domain.mcp.commands import CompleteMcpArgument, LoadMcpResources
from desktop.domain.mcp.updates import McpArgumentCompleted, McpResource, McpResourcesLoaded, McpServersListed
from desktop.domain.updates import CommandFailed
from tests.ui.compose_place import Place, place
from tests.ui.mcp_samples import CHANGED, NEW, READY

__all__ = ["place"]
pytestmark = pytest.mark.promise("guests-M24")
NOTES = McpResource("notes://all", "All notes", "What was\u202e said")
DAY = McpResource("notes://{day}/text", "One day", "", is_template=True)


@pytest.fixture
def known(qtbot, place: Place):
    bare = type(CHANGED)(**{**vars(CHANGED), "no_resources": True})
    place.window.apply_updates([McpServersListed(servers=(READY, NEW, bare))])
    place.field.setFocus()
    qtbot.waitUntil(place.field.hasFocus)
    return place


def keys(place: Place) -> list[str]:
    return place.window.page._writing.mentions.popup.keys


def titles(place: Place) -> list[str]:
    popup = place.window.findChild(QWidget, "mention_popup")
    return [item.title for item in popup._list.items] if popup.isVisible() else []


def sent(place: Place, kind: type):
    return [one for one in place.sink.sent if isinstance(one, kind)]


def loaded(place: Place, *resources: McpResource) -> None:
    command = sent(place, LoadMcpResources)[-1]
    told = McpResourcesLoaded(server_id="files", resources=resources, command_id=command.command_id)
    place.window.apply_updates([told])


def test_servers_that_a_person_accepted_and_that_have_resources_are_listed(qtbot, known):
    qtbot.keyClicks(known.field, "Sort @")
    assert [one for one in keys(known) if "files" in one] == ["@files:"]
    qtbot.keyClicks(known.field, "x")
    assert keys(known) == []
    assert sent(known, LoadMcpResources) == []


def test_a_resource_is_named_by_a_key_and_asked_for_by_nobody(qtbot, known):
    qtbot.keyClicks(known.field, "Sort @fi")
    qtbot.keyClick(known.field, Qt.Key.Key_Tab)
    assert known.field.toPlainText() == "Sort @files:"
    (command,) = sent(known, LoadMcpResources)
    assert command.server_id == "files"
    loaded(known, NOTES, DAY)
    assert len(sent(known, LoadMcpResources)) == 1
    assert titles(known) == ["notes://all", "notes://{day}/text"]
    qtbot.keyClick(known.field, Qt.Key.Key_Return)
    assert known.field.toPlainText() == "Sort @files:notes://all "
    assert keys(known) == []
    assert {one.type for one in known.sink.sent}.isdisjoint({"send_message", "new_session"})


def test_a_gap_of_an_address_is_completed_by_the_server(qtbot, known):
    qtbot.keyClicks(known.field, "@files:")
    loaded(known, DAY)
    qtbot.keyClick(known.field, Qt.Key.Key_Down)
    qtbot.keyClick(known.field, Qt.Key.Key_Return)
    assert known.field.toPlainText() == "@files:notes://"
    qtbot.keyClicks(known.field, "mo")
    qtbot.waitUntil(lambda: any(one.value == "mo" for one in sent(known, CompleteMcpArgument)))
    command = sent(known, CompleteMcpArgument)[-1]
    assert (command.kind, command.name, command.argument) == ("resource", "notes://{day}/text", "day")
    values = ("monday morning", "mo")
    known.window.apply_updates([McpArgumentCompleted(values=values, command_id=command.command_id)])
    assert titles(known) == ["monday morning"]
    qtbot.keyClick(known.field, Qt.Key.Key_Tab)
    assert known.field.toPlainText() == "@files:notes://monday%20morning"


def test_a_list_that_was_closed_stays_closed_until_more_is_written(qtbot, known):
    qtbot.keyClicks(known.field, "@files:")
    loaded(known, NOTES)
    qtbot.keyClick(known.field, Qt.Key.Key_Escape)
    assert keys(known) == []
    loaded_again = known.window.page._writing.mentions
    loaded_again.on_text()
    assert keys(known) == []
    qtbot.keyClicks(known.field, "no")
    assert keys(known) == ["@files:notes://all"]


def test_why_nothing_is_listed_is_said(qtbot, known):
    qtbot.keyClicks(known.field, "@files:")
    loaded(known)
    assert titles(known) == ["files has no resources."]
    qtbot.keyClicks(known.field, " @files:")
    failed = CommandFailed(
        command_id=sent(known, LoadMcpResources)[-1].command_id, code="mcp", text="It is\u202e down."
    )
    known.window.apply_updates([failed])
    (title,) = titles(known)
    assert title.startswith("It is")
    assert "\u202e" not in title
