"""Prompts of servers in a real engine: listed once a server runs, filled in for a person, and never by themselves."""

import pytest

from desktop.config.folders import Folders
from desktop.domain.mcp import commands as c
from desktop.domain.mcp.updates import McpPromptLoaded, McpPromptRow
from tests.agent.mcp_rig import accept, configure
from tests.agent.rig import Rig
from tests.fakes.mcp_http import FakeMcpHttp

pytestmark = pytest.mark.asyncio
TRIAGE = {
    "name": "triage",
    "description": "Sort a ticket",
    "arguments": [{"name": "ticket", "description": "Its number", "required": True}, {"name": "tone"}],
}
MESSAGES = [
    {"role": "user", "content": {"type": "text", "text": "Sort ticket 7."}},
    {"role": "user", "content": {"type": "resource", "resource": {"uri": "t://7", "text": "It broke."}}},
    {"role": "assistant", "content": {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}},
]


async def test_a_prompt_is_listed_and_filled_in_when_a_person_asks(rig: Rig, folders: Folders) -> None:
    with FakeMcpHttp() as server:
        server.habits.answers = {"prompts/list": {"prompts": [TRIAGE]}, "prompts/get": {"messages": MESSAGES}}
        configure(folders, {"id": "tools", "url": server.url})
        load = c.LoadMcpPrompt(session_id="", server_id="tools", prompt="triage", arguments=(("ticket", "7"),))
        await rig.engine.handle(c.TestMcpServer(server_id="tools"))
        await rig.engine.handle(load)
        assert rig.failures()[-1].text == "This server waits for you: accept it in Settings, MCP servers."
        rig.updates.remove(rig.failures()[-1])
        row = await accept(rig, "tools")
        arguments = (("ticket", "Its number", True), ("tone", "", False))
        assert row.prompts == (McpPromptRow("triage", "Sort a ticket", arguments),)
        assert "prompts/get" not in server.methods
        await rig.engine.handle(load)
        (loaded,) = [one for one in rig.updates if isinstance(one, McpPromptLoaded)]
        assert loaded.text == "Sort ticket 7.\n\nIt broke.\n\n[Something that is no text was left out.]"
        assert server.seen[-1].json["params"]["arguments"] == {"ticket": "7"}


@pytest.mark.promise("guests-M25")
async def test_a_resource_that_a_prompt_names_is_read_of_its_server_unless_it_is_a_file(
    rig: Rig, folders: Folders
) -> None:
    links = [{"role": "user", "content": {"type": "resource_link", "uri": uri, "name": "Notes"}}
             for uri in ("notes://7", "file:///etc/hosts")]  # fmt: skip
    with FakeMcpHttp() as server:
        server.habits.answers = {
            "prompts/get": {"messages": links},
            "resources/read": {"contents": [{"uri": "notes://7", "text": "Broken."}]},
        }
        configure(folders, {"id": "tools", "url": server.url})
        await rig.engine.handle(c.TestMcpServer(server_id="tools"))
        await accept(rig, "tools")
        await rig.engine.handle(c.LoadMcpPrompt(session_id="", server_id="tools", prompt="triage"))
        (loaded,) = [one for one in rig.updates if isinstance(one, McpPromptLoaded)]
        assert loaded.text == "Broken.\n\nfile:///etc/hosts"
        assert server.methods.count("resources/read") == 1


async def test_a_prompt_that_a_server_does_not_give_is_told(rig: Rig, folders: Folders) -> None:
    with FakeMcpHttp() as server:
        configure(folders, {"id": "tools", "url": server.url})
        await rig.engine.handle(c.TestMcpServer(server_id="tools"))
        assert (await accept(rig, "tools")).prompts == ()
        await rig.engine.handle(c.LoadMcpPrompt(session_id="", server_id="tools", prompt="gone"))
        assert "Method not found" in rig.failures()[-1].text
