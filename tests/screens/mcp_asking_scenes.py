"""Scenes of what MCP servers ask for: a form and an address on cards, the model; and servers of other programs."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from desktop.domain.mcp.commands import AcceptMcpPin, TestMcpServer
from desktop.domain.mcp.updates import McpServerRow, McpServersListed
from tests.agent.mcp_rig import configure, fake_server
from tests.fakes.fake_model_api import text_turn, tool_turn
from tests.screens.stage import Stage

TASK = "Close the release in the tracker"
FORM = {
    "mode": "form",
    "message": "The release 2.4 has three open points. Where do they go?",
    "requestedSchema": {
        "type": "object",
        "properties": {
            "target": {"type": "string", "title": "Move them to", "enum": ["2.4.1", "2.5", "the backlog"]},
            "note": {"type": "string", "title": "Note", "description": "Stands below each of them"},
            "tell": {"type": "boolean", "title": "Tell those who reported them"},
        },
        "required": ["target"],
    },
}
ADDRESS = {
    "mode": "url",
    "message": "The tracker wants you to confirm the release in its own page.",
    "url": "https://tracker.example.com/releases/2.4/confirm?from=banksman",
    "elicitationId": "1",
}
ASKED = "Sum up in two sentences:\n- rounding\n- taxes"
WISH = {
    "systemPrompt": "You write release notes.",
    "messages": [{"role": "user", "content": {"type": "text", "text": ASKED}}],
    "maxTokens": 300,
}
_OTHERS: dict[str, Any] = {
    "mcpServers": {
        "files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."]},
        "tracker": {"command": "tracker-mcp", "args": ["--team", "shop"], "env": {"TRACKER_TOKEN": "s3cr3t-v4lue-9x"}},
        "docs": {"url": "https://docs.example.com/mcp", "headers": {"X-Team": "shop"}},
        "shell": {"command": ""},
    }
}


async def mcp_asks(stage: Stage) -> AsyncIterator[str]:
    """93 a server asks a person: a form, then an address"""
    await _accepted(stage)
    calls = (_call("elicitation/create", FORM), _call("elicitation/create", ADDRESS))
    chat = await stage.chat(TASK, *calls, text_turn("Done."), title="The release")
    await stage.card()
    await stage.answer(chat)
    await stage.find("question_card")
    await stage.rest(0.5)
    yield "93-mcp-form-card"
    await stage.answer(chat, "reject")
    await stage.until(lambda: stage.open_input(chat), "the second call")
    await stage.answer(chat)
    await stage.until(lambda: stage.open_input(chat), "the address")
    await stage.rest(0.5)
    yield "93-mcp-address-card"


async def mcp_samples(stage: Stage) -> AsyncIterator[str]:
    """93 a server wants the model, and the row of what it got"""
    await _accepted(stage)
    stage.script(ASKED, text_turn("Rounding is in one place. Taxes follow it."))
    chat = await stage.chat(TASK, _call("sampling/createMessage", WISH), text_turn("Done."), title="Release notes")
    await stage.card()
    await stage.answer(chat)
    await stage.find("question_card")
    await stage.rest(0.5)
    yield "93-mcp-model-card"
    await stage.answer(chat, "answered", choices={"may": ("Once",)})
    await stage.ended(chat)
    await stage.rest(0.5)
    yield "93-mcp-model-row"


async def mcp_import(stage: Stage) -> AsyncIterator[str]:
    """93 servers of other programs, to be ticked and taken over"""
    path = Path.home() / ".cursor" / "mcp.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(_OTHERS))
    stage.window.show_settings("mcp")
    await stage.click("settings_mcp_import")
    await stage.find("mcp_import_dialog")
    await stage.rest()
    yield "93-mcp-import"
    await stage.click("mcp_import_cancel")
    path.unlink()


def _call(method: str, params: dict[str, Any]) -> Any:
    return tool_turn("mcp__tracker__request", text=json.dumps({"method": method, "params": params}))


async def _accepted(stage: Stage) -> None:
    """A server that may ask people and use the model, accepted by a person."""
    configure(stage.folders, fake_server("asks", server_id="tracker", elicits=True, samples=True))
    stage.send(TestMcpServer(server_id="tracker"))
    row = await stage.until(lambda: _row(stage, "waiting"), "the server")
    tools = tuple((one.tool.name, one.sha256) for one in row.tools)
    stage.send(AcceptMcpPin(server_id="tracker", sha256=row.sha256, tools=tools))
    await stage.until(lambda: _on(stage), "its tool")


def _on(stage: Stage) -> bool:
    lists = [update for update in stage.updates if isinstance(update, McpServersListed)]
    return any(tool.state == "on" for row in lists[-1].servers for tool in row.tools)


def _row(stage: Stage, state: str) -> McpServerRow | None:
    lists = [update for update in stage.updates if isinstance(update, McpServersListed)]
    return next((row for row in (lists[-1].servers if lists else ()) if row.state == state), None)
