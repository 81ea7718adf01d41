"""A lane, a home, and scripted servers that are started for them in the real sandbox."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

from desktop.domain.mcp.values import McpServer
from desktop.services.egress.egress import Egress
from desktop.services.mcp.launching import McpLauncher, McpPlace
from desktop.services.mcp.link import McpHearing, McpLink
from desktop.services.mcp.stdio import StdioTransport
from desktop.services.peers.ring import LogRing
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from tests.agent.found_sandbox import found_sandbox

FAKE = Path(__file__).parent / "fakes" / "mcp_server.py"


class Ground:
    """A lane, a home, and servers started for them."""

    def __init__(self, folder: Path) -> None:
        self.lane, self.home = folder / "lane", folder / "data" / "mcp" / "fake"
        self.lane.mkdir()
        (self.lane / "app.py").write_text("print('hello')\n")
        self.secret = folder / "person"
        self.secret.mkdir()
        (self.secret / "key").write_text("hunter2")
        self.env = {**os.environ, "MODEL_KEY": "sk-model", "HOME": str(self.secret)}
        options = SandboxOptions(hidden=(folder / "data",), scratch=folder, found=found_sandbox())
        self.sandbox, self.egress = Sandbox(self.env, options), Egress()
        self.log = LogRing()
        self.links: list[McpLink] = []
        self.heard: list[str] = []

    def server(self, *words: str, **changes: object) -> McpServer:
        """The scripted server, started with these words."""
        command = (sys.executable, str(FAKE), *words)
        return McpServer(id="fake", command=command, read=(str(FAKE),)).model_copy(update=changes)

    def transport(self, server: McpServer, env: dict[str, str] | None = None) -> StdioTransport:
        """A process of it, not yet started."""
        folder = self.lane if server.folder != "none" else None
        place = McpPlace(server, server.command, folder, self.home, env or {}, "prj_1")
        return StdioTransport(McpLauncher(self.sandbox, self.env, self.egress), place, self.log)

    async def link(self, *words: str, env: dict[str, str] | None = None, **changes: object) -> McpLink:
        """A connection with it."""

        def logged(level: str, text: str) -> None:
            self.heard.append(f"{level} {text}")

        hearing = McpHearing(tools_changed=lambda: self.heard.append("changed"), log=logged)
        link = McpLink(self.transport(self.server(*words, **changes), env), hearing)
        self.links.append(link)
        await link.open()
        return link

    async def close(self) -> None:
        """End what was started."""
        for link in self.links:
            await link.close()
        await self.egress.close()
        await self.sandbox.close()


async def said(link: McpLink, tool: str, text: object = "", limit_s: float = 20) -> str:
    """The text that a tool answers."""
    answer = await link.call(tool, {"text": str(text)}, limit_s)
    return str(answer.content[0].text)


async def until(find: Callable[[], bool]) -> None:
    """Wait for a fact outside this process."""
    async with asyncio.timeout(40):
        while not find():
            await asyncio.sleep(0.02)
