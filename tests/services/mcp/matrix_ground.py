"""A project in which servers that people run are started as Banksman does: in the sandbox, over its own streams."""

import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

from desktop.domain.mcp.values import McpServer
from desktop.services.mcp.launching import McpLauncher, McpPlace
from desktop.services.mcp.link import McpHearing, McpLink
from desktop.services.mcp.stdio import StdioTransport
from desktop.services.peers.ring import LogRing
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from tests.agent.found_sandbox import found_sandbox
from tests.agent.rig import make_repository
from tests.services.mcp.real_servers import FOLDER, program_of

PLANTED = "sk-model-key-of-the-person"


class MatrixGround:
    """`lane`: a repository; `changes`: how often the last server said that its tools changed; `log`: what it said."""

    def __init__(self, folder: Path) -> None:
        self.lane = make_repository(folder / "shop")
        self.changes = 0
        self.log = LogRing()
        self._data = folder / "data"
        self._env = {**os.environ, "ANTHROPIC_API_KEY": PLANTED}
        options = SandboxOptions(hidden=(self._data,), scratch=folder, found=found_sandbox())
        self.sandbox = Sandbox(self._env, options)

    @property
    def words(self) -> dict[str, tuple[str, ...]]:
        """What each server is told to begin with."""
        return {
            "filesystem": (str(self.lane),),
            "git": ("--repository", str(self.lane)),
            "sqlite": ("--db-path", str(self.lane / "app.db")),
            "time": ("--local-timezone", "UTC"),
        }

    @contextlib.asynccontextmanager
    async def running(
        self, name: str, *, command: tuple[str, ...] = (), env: dict[str, str] | None = None, **fields: object
    ) -> AsyncIterator[McpLink]:
        """A server that has said hello; it has ended afterwards. `fields`: of its configuration."""
        words = command or (*program_of(name), *self.words.get(name, ()))
        server = McpServer.model_validate({"id": name, "command": words, "read": (str(FOLDER),), **fields})
        place = McpPlace(server, words, self.lane, self._data / "mcp" / name, env or {})
        transport = StdioTransport(McpLauncher(self.sandbox, self._env), place, self.log)
        self.changes = 0
        link = McpLink(transport, McpHearing(tools_changed=self._changed))
        await link.open()
        try:
            yield link
        finally:
            await link.close()

    def _changed(self) -> None:
        self.changes += 1
