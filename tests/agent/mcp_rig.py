"""Servers for a real engine: the scripted one of the fakes, configured and accepted as a person would."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from desktop.agent.lanes.project_log import project_log_id
from desktop.agent.mcp.book import McpBook
from desktop.config.folders import Folders
from desktop.domain.mcp.commands import AcceptMcpPin, LoadMcpServers
from desktop.domain.mcp.updates import McpServerRow, McpServersListed
from desktop.domain.mcp.values import McpPin, McpPinnedTool, McpTool
from desktop.domain.updates import ProjectOpened
from desktop.store.mcp.pins import PinStore, RefusalStore
from tests.agent.rig import Rig

FAKE = Path(__file__).parents[1] / "fakes" / "mcp_server.py"


def fake_command(*words: str) -> list[str]:
    """The words that start the scripted server."""
    return [sys.executable, str(FAKE), *words]


def configure(folders: Folders, *servers: dict[str, Any]) -> Path:
    """Write the person's file."""
    path = folders.config / "mcp.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(_table(server) for server in servers), encoding="utf-8")
    return path


def fake_server(*words: str, server_id: str = "fake", **more: object) -> dict[str, Any]:
    """The scripted server as a table of that file."""
    return {"id": server_id, "command": fake_command(*words), "read": [str(FAKE)], **more}


def _table(server: dict[str, Any]) -> str:
    lines = ["[[server]]"]
    for name, value in server.items():
        inline = (
            ", ".join(f"{json.dumps(key)} = {json.dumps(one)}" for key, one in value.items())
            if isinstance(value, dict)
            else ""
        )
        lines.append(f"{name} = {{ {inline} }}" if isinstance(value, dict) else f"{name} = {json.dumps(value)}")
    return "\n".join(lines) + "\n"


def accepted_before(folders: Folders, *tools: McpTool, server_id: str = "fake") -> None:
    """A server that is configured, with these tools as a person accepted them in an earlier run; it is not started."""
    pins = PinStore(folders.data / "mcp")
    book = McpBook(folders.config / "mcp.toml", pins, RefusalStore(folders.data / "mcp"), os.environ["PATH"])
    entry = book.booked("", None).get(server_id)
    assert entry is not None
    pinned = tuple(McpPinnedTool(tool=tool, sha256=tool.sha256) for tool in tools)
    pins.put("", McpPin(server=server_id, sha256=entry.sha256, basis=entry.basis, tools=pinned))


def row(rig: Rig, server_id: str = "fake") -> McpServerRow | None:
    """The server as the windows were told last."""
    lists = [update for update in rig.updates if isinstance(update, McpServersListed)]
    return next((one for one in lists[-1].servers if one.id == server_id), None) if lists else None


def listed(rig: Rig) -> McpServersListed:
    """What the windows were told last."""
    return [update for update in rig.updates if isinstance(update, McpServersListed)][-1]


async def stands(rig: Rig, state: str, server_id: str = "fake") -> McpServerRow:
    """The server, once it is in that state."""

    def find(updates: object) -> McpServerRow | None:
        found = row(rig, server_id)
        return found if found is not None and found.state == state else None

    return await rig.until(find)


async def accept(rig: Rig, server_id: str = "fake", wanted: Callable[[str], bool] = lambda name: True) -> McpServerRow:
    """Accept a server that waits, with its tools, as a person does on its card."""
    await rig.engine.handle(LoadMcpServers())
    found = row(rig, server_id)
    assert found is not None
    tools = tuple((one.tool.name, one.sha256) for one in found.tools if wanted(one.tool.name))
    await rig.engine.handle(AcceptMcpPin(server_id=server_id, sha256=found.sha256, tools=tools))
    assert not rig.failures(), rig.failures()
    now = row(rig, server_id)
    assert now is not None
    return now


def project_events(rig: Rig) -> list[object]:
    """What the log of the repository holds."""
    opened = [update for update in rig.updates if isinstance(update, ProjectOpened)]
    log = rig.engine._store.events.read(project_log_id(opened[-1].project.id))
    return [envelope.event for envelope in log]
