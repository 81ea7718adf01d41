"""McpImporting: taking over servers that other programs of the person are configured to start (guests-M10)."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from pydantic import SecretStr

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.core.work import Project
from desktop.domain.mcp import commands as c
from desktop.domain.mcp.updates import McpFault, McpImportsFound
from desktop.services.mcp.imports import Found, find_imports, programs


class McpImporting:
    """Engine thread only; files are read on worker threads. `save`: carries out what a person saves. `taken`: ids of
    servers that there are."""

    def __init__(
        self,
        save: Callable[[c.SaveMcpServer], Awaitable[None]],
        taken: Callable[[], Awaitable[set[str]]],
        publish: Publish,
        project: Callable[[], Project | None],
        home: Path | None = None,
    ) -> None:
        self._save, self._taken, self._publish = save, taken, publish
        self._project = project
        self._home = home

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about importing."""
        return {c.FindMcpImports: self._find, c.ImportMcpServers: self._import}

    async def _find(self, command: c.FindMcpImports) -> None:
        found, faults = await self._found()
        shown = tuple(one.shown for one in found)
        self._publish(McpImportsFound(imports=shown, faults=tuple(faults), command_id=command.command_id))

    async def _import(self, command: c.ImportMcpServers) -> None:
        """Exactly what was shown: one that another program changed meanwhile has another key."""
        found = {one.shown.key: one for one in (await self._found())[0]}
        wanted = [found[key] for key in command.keys if key in found]
        if len(wanted) != len(command.keys):
            raise CommandError("mcp", "The other programs are configured otherwise by now. Look at the list again.")
        taken = await self._taken()
        for one in wanted:
            if one.shown.problem:
                raise CommandError("mcp", f"{one.shown.server.id} cannot be taken over: {one.shown.problem}")
            server = one.shown.server.model_copy(update={"id": _free(one.shown.server.id, taken)})
            taken.add(server.id)
            secrets = tuple((name, SecretStr(value)) for name, value in one.secrets)
            await self._save(c.SaveMcpServer(server=server, secrets=secrets, command_id=command.command_id))

    async def _found(self) -> tuple[list[Found], list[McpFault]]:
        project = self._project()
        app_data = os.environ.get("APPDATA", "")
        known = programs(self._home or Path.home(), app_data=Path(app_data) if app_data else None)
        return await asyncio.to_thread(partial(find_imports, known, Path(project.path) if project else None))


def _free(server_id: str, taken: set[str]) -> str:
    """The id, with a number where another server has it."""
    number, name = 2, server_id
    while name in taken:
        name = f"{server_id[:20]}-{number}"
        number += 1
    return name
