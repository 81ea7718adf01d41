"""Scenes of MCP servers at an address: signing in to one, and a prompt of one."""

from collections.abc import AsyncIterator

from desktop.domain.mcp.commands import TestMcpServer
from desktop.domain.mcp.updates import McpServersListed
from desktop.domain.mcp.values import McpTool
from tests.agent.mcp_rig import accepted_before, configure
from tests.fakes.mcp_http import FakeMcpHttp
from tests.fakes.oauth_http import FakeAuthority, SignedInMcpHttp
from tests.screens.stage import Stage

TRIAGE = {
    "name": "triage",
    "description": "Sorts a ticket: what it is about, how bad it is, and who should look at it",
    "arguments": [
        {"name": "ticket", "description": "Its number or address", "required": True},
        {"name": "team", "description": "Whose rules count"},
    ],
}
SCOPES = "issues:read issues:write projects:read"


async def mcp_sign_in(stage: Stage) -> AsyncIterator[str]:
    """A server that wants a sign-in, the dialog with the whole address, and one that a person needs an id for."""
    with FakeAuthority() as authority, SignedInMcpHttp(authority) as server:
        server.scopes = SCOPES
        configure(stage.folders, {"id": "tracker", "url": server.url})
        stage.window.show_settings("mcp")
        await stage.click("settings_mcp_test")
        await stage.find("settings_mcp_waiting_tracker_look")
        await stage.rest(0.5)
        yield "91-mcp-sign-in-wanted"
        await stage.click("settings_mcp_waiting_tracker_look")
        await stage.find("mcp_sign_in_open")
        await stage.rest(0.5)
        yield "91-mcp-sign-in"
        await stage.click("mcp_sign_in_cancel")
        authority.metadata = {"registration_endpoint": None}
        await stage.click("settings_mcp_waiting_tracker_look")
        await stage.find("mcp_sign_in_client")
        await stage.rest(0.5)
        yield "91-mcp-sign-in-client"
        await stage.click("mcp_sign_in_cancel")


async def mcp_prompt(stage: Stage) -> AsyncIterator[str]:
    """A prompt of a server among the slash commands, and the form for its arguments."""
    with FakeMcpHttp() as server:
        server.habits.answers = {"prompts/list": {"prompts": [TRIAGE]}}
        configure(stage.folders, {"id": "tracker", "url": server.url})
        accepted_before(stage.folders, McpTool(name="echo"), server_id="tracker")
        stage.send(TestMcpServer(server_id="tracker"))
        await stage.until(lambda: [one for one in stage.updates if _has_prompts(one)], "the prompts")
        await stage.type("composer_text", "/tracker:")
        await stage.rest(0.5)
        yield "91-mcp-prompt-listed"
        await stage.type("composer_text", "triage")
        await stage.click("composer_send")
        await stage.find("mcp_prompt_go")
        await stage.rest(0.5)
        yield "91-mcp-prompt"
        await stage.click("mcp_prompt_cancel")


def _has_prompts(update: object) -> bool:
    return isinstance(update, McpServersListed) and any(row.prompts for row in update.servers)
