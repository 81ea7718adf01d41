"""MCP servers as a theme: what chats have of them, and what people do with them."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from desktop.agent.core.offers import offer
from desktop.agent.core.premises import Premises
from desktop.agent.core.session import Session
from desktop.agent.core.surroundings import Surroundings
from desktop.agent.core.theme import Theme, handled_late
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.mcp.places import OWN_FILE, is_configured
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.mcp import commands
from desktop.late import late
from desktop.tools.calls.mcp import ServerToolSearch
from desktop.tools.calls.mcp_resources import ServerResources
from desktop.tools.tool import Tool

if TYPE_CHECKING:
    from pathlib import Path

    from desktop.agent.mcp.asking.models import ModelOfChat
    from desktop.agent.mcp.late_build import McpParts


class Mcp:
    """The theme while nobody needs it: before each request it looks whether a file of servers is there. `make` makes
    the parts, at the first such file or command."""

    def __init__(self, own_file: "Path", make: Callable[[], "McpParts"]) -> None:
        self._own_file, self._make = own_file, make
        self._made: McpParts | None = None

    def parts(self) -> "McpParts":
        """The parts, made now unless they were before."""
        if self._made is None:
            self._made = self._make()
        return self._made

    async def look(self, session: Session, turn_id: str) -> None:
        """Before a request of a chat."""
        root = session.files.root if session.files is not None else None
        if self._made is not None or is_configured(self._own_file, root):
            await self.parts().look(session, turn_id)

    def tools(self, session: Session) -> tuple[Tool[Any], ...]:
        """The tools of servers that a chat has."""
        return self._made.tools(session) if self._made is not None else ()

    def search(self, session: Session) -> ServerToolSearch | None:
        """The search among them, None where a chat needs none."""
        return self._made.search(session) if self._made is not None else None

    def resources(self, session: Session) -> ServerResources | None:
        """The resources of a chat's servers, None where none may be used."""
        return self._made.resources(session) if self._made is not None else None

    async def close(self) -> None:
        """End what was made."""
        if self._made is not None:
            await self._made.close()


def mcp_theme(
    premises: Premises, here: Surroundings, settings: SettingsKeeper, log: ProjectLog, model: "ModelOfChat"
) -> Theme:
    """Without a server nothing is loaded, started or read; a look at a request costs whether two files are there.
    `model`: what servers that may have it asked get of the model of a chat."""
    env = dict(os.environ)

    def make() -> "McpParts":
        made: McpParts = late("desktop.agent.mcp.late_build").McpParts(premises, here, settings, log, model, env)
        return made

    mcp = Mcp(premises.folders.config / OWN_FILE, make)
    return Theme(
        "mcp",
        handled_late(commands, lambda: mcp.parts().handlers),
        offers=(offer(ServerToolSearch, mcp.search), offer(ServerResources, mcp.resources)),
        tools=mcp.tools,
        before_request=mcp.look,
        closed_last=(mcp,),
    )
