"""What a person takes from servers for a message, in a real engine: prompts, resources, and what completes both."""

import base64
import io

import pytest
from PIL import Image

from desktop.config.folders import Folders
from desktop.domain.chats.commands import AddAttachment
from desktop.domain.chats.updates import AttachmentReady
from desktop.domain.mcp import commands as c
from desktop.domain.mcp.updates import (
    McpArgumentCompleted,
    McpPromptLoaded,
    McpPromptRow,
    McpResource,
    McpResourcesLoaded,
)
from tests.agent.mcp_rig import accept, configure
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn
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
        assert (
            loaded.text == "Sort ticket 7.\n\nIt broke.\n\n[Something that is neither text nor a picture was left out.]"
        )
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


@pytest.mark.promise("guests-M25")
async def test_pictures_of_a_prompt_are_given_with_it_and_reach_the_model_as_files_of_the_message(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    file = io.BytesIO()
    Image.new("RGB", (2, 3)).save(file, "PNG")
    picture = file.getvalue()
    large = picture[:16] + (30_000).to_bytes(4, "big") * 2
    said = [
        {"role": "user", "content": {"type": "image", "data": base64.b64encode(raw).decode(), "mimeType": "image/png"}}
        for raw in (picture, large, b"no picture")
    ]
    with FakeMcpHttp() as server:
        server.habits.answers = {"prompts/get": {"messages": [MESSAGES[0], *said]}}
        configure(folders, {"id": "tools", "url": server.url})
        await rig.engine.handle(c.TestMcpServer(server_id="tools"))
        await accept(rig, "tools")
        await rig.engine.handle(c.LoadMcpPrompt(session_id="", server_id="tools", prompt="triage"))
    (loaded,) = [one for one in rig.updates if isinstance(one, McpPromptLoaded)]
    assert loaded.pictures == (picture,)
    left_out = "[Something that is neither text nor a picture was left out.]"
    assert loaded.text == f"Sort ticket 7.\n\n[Picture 1]\n\n{left_out}\n\n{left_out}"
    await rig.engine.handle(AddAttachment(request_id="a", name="tools picture 1", data=loaded.pictures[0]))
    (ready,) = [one for one in rig.updates if isinstance(one, AttachmentReady)]
    model_api.script(text_turn("Seen."))
    await rig.new(loaded.text, attachments=(ready.logical_name,))
    await rig.ended()
    parts = model_api.requests[0].body["messages"][0]["content"]
    assert [one["type"] for one in parts].count("image") == 1


@pytest.mark.promise("guests-M24")
async def test_what_a_server_has_is_listed_for_a_person_and_words_are_completed(rig: Rig, folders: Folders) -> None:
    template = {"uriTemplate": "notes://{day}", "name": "A day"}
    with FakeMcpHttp() as server:
        server.habits.answers = {
            "resources/list": {"resources": [{"uri": "notes://all", "name": "All"}]},
            "resources/templates/list": {"resourceTemplates": [template]},
            "completion/complete": {"completion": {"values": ["monday", "", "x" * 501]}},
        }
        configure(folders, {"id": "tools", "url": server.url})
        list_them = c.LoadMcpResources(server_id="tools")
        await rig.engine.handle(c.TestMcpServer(server_id="tools"))
        await rig.engine.handle(list_them)
        assert rig.failures()[-1].text == "This server waits for you: accept it in Settings, MCP servers."
        assert "resources/list" not in server.methods, "nothing is asked of a server that nobody accepted"
        rig.updates.remove(rig.failures()[-1])
        assert not (await accept(rig, "tools")).no_resources
        await rig.engine.handle(list_them)
        (loaded,) = [one for one in rig.updates if isinstance(one, McpResourcesLoaded)]
        assert loaded.resources == (McpResource("notes://all", "All"), McpResource("notes://{day}", "A day", "", True))
        complete = c.CompleteMcpArgument(
            server_id="tools", kind="resource", name="notes://{day}", argument="day", value="mo", given=(("a", "b"),)
        )
        await rig.engine.handle(complete)
        asked = server.seen[-1].json["params"]
        assert asked["ref"] == {"type": "ref/resource", "uri": "notes://{day}"}
        assert asked["argument"] == {"name": "day", "value": "mo"}
        assert asked["context"] == {"arguments": {"a": "b"}}
        await rig.engine.handle(
            c.CompleteMcpArgument(server_id="tools", kind="prompt", name="triage", argument="ticket", value="7")
        )
        assert server.seen[-1].json["params"]["ref"] == {"type": "ref/prompt", "name": "triage"}
        completed = [one.values for one in rig.updates if isinstance(one, McpArgumentCompleted)]
        assert completed == [("monday",), ("monday",)]


async def test_a_server_without_resources_or_proposals_is_asked_for_none(rig: Rig, folders: Folders) -> None:
    with FakeMcpHttp(abilities=()) as server:
        configure(folders, {"id": "tools", "url": server.url})
        await rig.engine.handle(c.TestMcpServer(server_id="tools"))
        assert (await accept(rig, "tools")).no_resources
        await rig.engine.handle(c.LoadMcpResources(server_id="tools"))
        await rig.engine.handle(
            c.CompleteMcpArgument(server_id="tools", kind="prompt", name="triage", argument="ticket")
        )
        assert not rig.failures()
        assert {"resources/list", "completion/complete"}.isdisjoint(server.methods)


async def test_a_prompt_that_a_server_does_not_give_is_told(rig: Rig, folders: Folders) -> None:
    with FakeMcpHttp() as server:
        configure(folders, {"id": "tools", "url": server.url})
        await rig.engine.handle(c.TestMcpServer(server_id="tools"))
        assert (await accept(rig, "tools")).prompts == ()
        await rig.engine.handle(c.LoadMcpPrompt(session_id="", server_id="tools", prompt="gone"))
        assert "Method not found" in rig.failures()[-1].text
