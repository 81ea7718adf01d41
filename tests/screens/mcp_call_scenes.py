"""Scenes of calls to MCP servers: the card with all arguments, SQL for a server, the row and a refusal."""

import json
from collections.abc import AsyncIterator
from typing import Any

from desktop.domain.mcp.commands import AcceptMcpPin, TestMcpServer
from desktop.domain.mcp.updates import McpServerRow, McpServersListed
from tests.agent.mcp_rig import configure, fake_server
from tests.fakes.fake_model_api import text_turn, tool_turn
from tests.screens.stage import Stage

TASK = "Note in the tracker what is left to do"
BODY = "\n".join(f"{n}. Move the rounding of line {n} into one place, and test it." for n in range(1, 41))
CREATE: dict[str, Any] = {
    "name": "create_issue",
    "description": "Creates an issue in the tracker and returns its number.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "project": {"type": "string"},
            "title": {"type": "string"},
            "body": {"type": "string"},
            "labels": {"type": "array", "items": {"type": "string"}},
            "estimate": {"type": "object", "properties": {"days": {"type": "integer"}, "sure": {"type": "boolean"}}},
        },
        "required": ["project", "title"],
    },
    "annotations": {"readOnlyHint": False, "openWorldHint": True},
}
QUERY: dict[str, Any] = {
    "name": "write_query",
    "description": "Runs a statement on the shop's database.",
    "inputSchema": {"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"]},
}
GIVEN = {
    "project": "SHOP",
    "title": "Rounding in one place",
    "body": BODY,
    "labels": ["tax", "refactor"],
    "estimate": {"days": 2, "sure": False},
}


async def mcp_call_card(stage: Stage) -> AsyncIterator[str]:
    """92 the card of a call to a server, the row of its result, and the next card with the last calls"""
    await _accepted(stage)
    again = {**GIVEN, "title": "Tests of it", "body": "One line."}
    calls = (tool_turn("mcp__tracker__create_issue", **GIVEN), tool_turn("mcp__tracker__create_issue", **again))
    chat = await stage.chat(TASK, *calls, text_turn("Noted."), title="What is left")
    await stage.card()
    await stage.rest(0.5)
    yield "92-mcp-call-card"
    await stage.answer(chat)
    await stage.until(lambda: stage.open_input(chat), "the second card")
    await stage.card()
    await stage.rest(0.5)
    yield "92-mcp-call-card-again"
    await stage.answer(chat, "reject", note="One issue is enough.")
    await stage.ended(chat)
    await stage.rest(0.5)
    yield "92-mcp-call-rows"


async def mcp_sql_card(stage: Stage) -> AsyncIterator[str]:
    """92 the card of SQL that goes to a server"""
    await _accepted(stage)
    call = tool_turn("mcp__tracker__write_query", sql="DELETE FROM orders\nWHERE placed < '2020-01-01'")
    await stage.chat(TASK, call, title="Old orders")
    await stage.card()
    await stage.rest(0.5)
    yield "92-mcp-sql-card"


async def _accepted(stage: Stage) -> None:
    """A server with two tools that a person accepted."""
    home = stage.folders.data / "mcp" / "homes" / "tracker"
    home.mkdir(parents=True, exist_ok=True)
    (home / "tools").write_text(json.dumps([CREATE, QUERY]), encoding="utf-8")
    answer = {"content": [{"type": "text", "text": "Created SHOP-41."}], "structuredContent": {"number": 41}}
    (home / "answers").write_text(json.dumps({"create_issue": answer}), encoding="utf-8")
    words = (f"tools={home / 'tools'}", f"answers={home / 'answers'}")
    configure(stage.folders, fake_server(*words, server_id="tracker", dialect="sqlite"))
    stage.send(TestMcpServer(server_id="tracker"))
    row = await stage.until(lambda: _row(stage, "waiting"), "the server")
    tools = tuple((one.tool.name, one.sha256) for one in row.tools)
    stage.send(AcceptMcpPin(server_id="tracker", sha256=row.sha256, tools=tools))
    await stage.until(lambda: _row(stage, "ready"), "its tools")


def _row(stage: Stage, state: str) -> McpServerRow | None:
    lists = [update for update in stage.updates if isinstance(update, McpServersListed)]
    return next((row for row in (lists[-1].servers if lists else ()) if row.state == state), None)
