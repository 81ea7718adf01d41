"""McpParts: all of the theme, made with the first server that is configured or the first command about servers."""

import asyncio
import os
from collections.abc import Mapping
from functools import partial
from typing import Any

from desktop.agent.core.premises import Premises
from desktop.agent.core.session import Session
from desktop.agent.core.surroundings import Surroundings
from desktop.agent.core.theme import handlers_of
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.mcp.asking.models import McpSampling, ModelOfChat
from desktop.agent.mcp.book import McpBook
from desktop.agent.mcp.commands import McpCommands
from desktop.agent.mcp.hub import HOMES, HubParts, McpHub
from desktop.agent.mcp.importing import McpImporting
from desktop.agent.mcp.instructions import Instructions
from desktop.agent.mcp.offered import OfferedTools
from desktop.agent.mcp.places import OWN_FILE
from desktop.agent.mcp.prompts import McpPrompts
from desktop.agent.mcp.reach import McpReach
from desktop.agent.mcp.resources import ChatResources
from desktop.agent.mcp.secrets import McpSecrets
from desktop.agent.mcp.sign_in import McpSignIns, Servers
from desktop.agent.mcp.tools import ServerTools
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.permissions import Category
from desktop.services.mcp.checking import load_checking
from desktop.services.mcp.launching import McpLauncher
from desktop.store.mcp.pins import PinStore, RefusalStore
from desktop.tools.calls.mcp import ServerToolSearch
from desktop.tools.registry import builtin_tools
from desktop.tools.tool import Tool

FOLDER = "mcp"
_HEAVY = frozenset({Category.BASH, Category.EXTERNAL})


def taken_names() -> frozenset[str]:
    """The names that no tool of a server may have: of those that run commands, reach out or ask people. Servers of
    files and of Git call theirs as ours that read and write the lane, and every row says whose a tool is."""
    heavy = (tool for tool in builtin_tools().tools if tool.category in _HEAVY or tool.asks_person)
    return frozenset(name for tool in heavy for name in (tool.name, *tool.aliases))


class McpParts:
    """`handlers`: what carries out the commands about servers. `env`: the variables that Banksman was started with."""

    def __init__(
        self,
        premises: Premises,
        here: Surroundings,
        settings: SettingsKeeper,
        log: ProjectLog,
        model: ModelOfChat,
        env: Mapping[str, str],
    ) -> None:
        folders, publish = premises.folders, premises.telling.publish
        kept, path = folders.data / FOLDER, env.get("PATH", "")
        book = McpBook(folders.config / OWN_FILE, PinStore(kept), RefusalStore(kept), path)
        launcher, secrets = McpLauncher(here.sandbox, os.environ, here.egress), McpSecrets(settings, env)
        reach = McpReach(secrets, settings, here.egress)
        parts = HubParts(book, launcher, secrets, reach, kept / HOMES, taken_names(), McpSampling(model))
        self._hub = McpHub(parts, lambda: settings.redactor)
        self._commands = McpCommands(self._hub, log, publish, premises.project, premises.clock)
        self._sign_ins = McpSignIns(reach, Servers(self._commands.found, self._commands.tell), publish)
        self._offered = OfferedTools(
            self._hub.servers, ServerTools(lambda: settings.redactor, lambda: here.sandbox.report)
        )
        self._instructions = Instructions()
        importing = McpImporting(self._commands.save, self._commands.ids, publish, premises.project)
        prompts = McpPrompts(self._commands.found, publish)
        self.handlers = handlers_of(self._commands, self._sign_ins, importing, prompts)

    async def look(self, session: Session, turn_id: str) -> None:
        """Find out, before a request, which servers a chat has now, and record what its model is to know of them."""
        self._hub.turns[session.session_id] = turn_id
        await self._hub.look(session)
        if self._offered.of(session):
            await asyncio.to_thread(load_checking)
        said = self._instructions.news(session, self._hub.servers(session), turn_id)
        if said:
            session.append_many(said)

    def tools(self, session: Session) -> tuple[Tool[Any], ...]:
        """The tools of servers that a chat has."""
        return self._offered.of(session)

    def search(self, session: Session) -> ServerToolSearch | None:
        """The search of a chat, None where it is told of all its tools."""
        return self._offered.search(session)

    def resources(self, session: Session) -> ChatResources | None:
        """The resources of a chat's servers, None where none may be used."""
        if not any(one.usable for one in self._hub.servers(session)):
            return None
        return ChatResources(partial(self._hub.servers, session))

    async def close(self) -> None:
        """End what waits for people, then all servers."""
        await self._sign_ins.close()
        await self._commands.close()
