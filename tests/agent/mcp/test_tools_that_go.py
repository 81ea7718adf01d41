"""Tools that a server lists no more: seen by a person, forgotten with their yes, and new when they come back."""

import json
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.mcp import commands as c
from desktop.domain.mcp.updates import McpServerRow
from tests.agent.mcp_rig import accept, configure, fake_server, row, stands
from tests.agent.rig import Rig

pytestmark = pytest.mark.asyncio


def states(found: McpServerRow | None) -> dict[str, str]:
    assert found is not None
    return {tool.tool.name: tool.state for tool in found.tools}


async def test_a_tool_that_is_gone_is_forgotten_with_a_yes_and_new_when_it_is_back(
    rig: Rig, folders: Folders, repository: Path
) -> None:
    listed = repository / "tools.json"
    both = [{"name": name, "inputSchema": {"type": "object"}} for name in ("echo", "env")]
    listed.write_text(json.dumps(both))
    configure(folders, fake_server(f"tools={listed}"))
    await rig.engine.handle(c.TestMcpServer(server_id="fake"))
    await accept(rig)

    listed.write_text(json.dumps(both[:1]))
    await rig.engine.handle(c.RestartMcpServer(server_id="fake"))
    changed = await stands(rig, "changed")
    assert states(changed) == {"echo": "on", "env": "gone"}

    await rig.engine.handle(c.AcceptMcpPin(server_id="fake", sha256=changed.sha256))
    assert states(row(rig)) == {"echo": "on"}

    listed.write_text(json.dumps(both))
    await rig.engine.handle(c.RestartMcpServer(server_id="fake"))
    assert states(await stands(rig, "waiting")) == {"echo": "on", "env": "new"}
