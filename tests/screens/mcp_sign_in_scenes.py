"""Scenes of signing in to an MCP server at an address."""

from collections.abc import AsyncIterator

from tests.agent.mcp_rig import configure
from tests.fakes.oauth_http import FakeAuthority, SignedInMcpHttp
from tests.screens.stage import Stage

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
