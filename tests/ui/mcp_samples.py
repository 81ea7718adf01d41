"""MCP servers as the engine tells of them, for tests of what the window shows."""

from desktop.domain.mcp.updates import McpServerRow, McpToolRow
from desktop.domain.mcp.values import McpServer, McpTool


def tool(name, state="on", **more):
    """A tool that reads a path, and how it stands."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    offered = McpTool(name=name, description=f"Does {name} with a path.", input_schema=schema)
    return McpToolRow(tool=offered, sha256=offered.sha256, state=state, **more)


def server(server_id="files", **more):
    """A program that serves files."""
    values = {"command": ("npx", "-y", "server-files", "${lane}"), "env": (("TOKEN", "${secret:FILES}"),)}
    return McpServer(id=server_id, **{**values, **more})


READY = McpServerRow(
    server=server(), state="ready", place="/home/you/mcp.toml", sha256="a" * 64, basis={"command": ["npx"]},
    accepted=True, version="files 1.2", protocol="2025-11-25", ready_ms=640, person="you", day="2026-11-20",
    tools=(tool("read"), tool("write", policy="allow"), tool("move", state="never", policy="never")),
)  # fmt: skip
NEW = McpServerRow(
    server=server("tracker", command=("tracker",), env=()), state="waiting", sha256="b" * 64,
    basis={"command": ["tracker"]}, tools=(tool("search", "new"), tool("create", "new")),
)  # fmt: skip
CHANGED = McpServerRow(
    server=server("docs", command=(), url="https://docs.example/mcp", env=()), state="changed", sha256="c" * 64,
    basis={"url": "https://docs.example/mcp"}, accepted=True, person="you", day="2026-11-20",
    tools=(
        tool("find"), tool("look", "changed", difference="@@ -1 +1 @@\n-Looks up\n+Looks up and sends\u202e"),
        tool("gone", "gone"),
    ),
)  # fmt: skip
DOWN = McpServerRow(
    server=server("shop-db", command=("uvx", "mcp-server-sqlite"), scope="repository"), state="failed",
    why="It ended with 1 three times: ModuleNotFoundError: mcp.server.fastmcp.", place="/srv/shop/.mcp.json",
    sha256="d" * 64, accepted=True,
)  # fmt: skip
