"""MCP servers as a theme: what chats have of them, and what people do with them."""

import asyncio
import os
from functools import partial

from desktop.agent.core.offers import offer
from desktop.agent.core.premises import Premises
from desktop.agent.core.session import Session
from desktop.agent.core.surroundings import Surroundings
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.mcp.book import McpBook
from desktop.agent.mcp.commands import McpCommands
from desktop.agent.mcp.hub import HOMES, HubParts, McpHub
from desktop.agent.mcp.importing import McpImporting
from desktop.agent.mcp.instructions import Instructions
from desktop.agent.mcp.offered import OfferedTools
from desktop.agent.mcp.prompts import McpPrompts
from desktop.agent.mcp.reach import McpReach
from desktop.agent.mcp.resources import ChatResources
from desktop.agent.mcp.secrets import McpSecrets
from desktop.agent.mcp.sign_in import McpSignIns, Servers
from desktop.agent.mcp.tools import ServerTools
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.permissions import Category
from desktop.services.mcp.checking import load_checking
from desktop.services.mcp.config import FILE_NAME
from desktop.services.mcp.launching import McpLauncher
from desktop.store.mcp.pins import PinStore
from desktop.tools.calls.mcp import ServerToolSearch
from desktop.tools.calls.mcp_resources import ServerResources
from desktop.tools.registry import builtin_tools

FOLDER = "mcp"
_HEAVY = frozenset({Category.BASH, Category.EXTERNAL})


def taken_names() -> frozenset[str]:
    """The names that no tool of a server may have: of those that run commands, reach out or ask people. Servers of
    files and of Git call theirs as ours that read and write the lane, and every row says whose a tool is."""
    heavy = (tool for tool in builtin_tools().tools if tool.category in _HEAVY or tool.asks_person)
    return frozenset(name for tool in heavy for name in (tool.name, *tool.aliases))


def mcp_theme(premises: Premises, here: Surroundings, settings: SettingsKeeper, log: ProjectLog) -> Theme:
    """Without a server nothing is started, read or imported; a look at a request costs whether two files are there."""
    folders = premises.folders
    book = McpBook(folders.config / FILE_NAME, PinStore(folders.data / FOLDER), os.environ.get("PATH", ""))
    launcher, secrets = McpLauncher(here.sandbox, os.environ, here.egress), McpSecrets(settings, os.environ)
    reach = McpReach(secrets, settings)
    parts = HubParts(book, launcher, secrets, reach, folders.data / FOLDER / HOMES, taken_names())
    hub = McpHub(parts, lambda: settings.redactor)
    commands = McpCommands(hub, log, premises.telling.publish, premises.project, premises.clock)
    sign_ins = McpSignIns(reach, Servers(commands.found, commands.tell), premises.telling.publish)

    offered = OfferedTools(hub.servers, ServerTools(lambda: settings.redactor))

    instructions = Instructions()

    async def look(session: Session, turn_id: str) -> None:
        hub.turns[session.session_id] = turn_id
        await hub.look(session)
        if offered.of(session):
            await asyncio.to_thread(load_checking)
        said = instructions.news(session, hub.servers(session), turn_id)
        if said:
            session.append_many(said)

    importing = McpImporting(commands.save, commands.ids, premises.telling.publish, premises.project)
    return Theme(
        "mcp",
        handlers_of(commands, sign_ins, importing, McpPrompts(commands.found, premises.telling.publish)),
        offers=(offer(ServerToolSearch, offered.search), offer(ServerResources, partial(_resources, hub))),
        tools=offered.of,
        before_request=look,
        closed_last=(sign_ins, commands),
    )


def _resources(hub: McpHub, session: Session) -> ChatResources | None:
    if not any(one.usable for one in hub.servers(session)):
        return None
    return ChatResources(partial(hub.servers, session))
