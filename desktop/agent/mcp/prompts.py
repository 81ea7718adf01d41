"""McpPrompts: what a person takes from servers for a message: prompts with their arguments filled in, looked at before
they are sent (guests-M25), the resources that they can name in it, and what completes both (guests-M24)."""

from collections.abc import Awaitable, Callable

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.agent.mcp.hub import ChatServer
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.mcp.commands import CompleteMcpArgument, LoadMcpPrompt, LoadMcpResources
from desktop.domain.mcp.updates import McpArgumentCompleted, McpPromptLoaded, McpResourcesLoaded
from desktop.services.mcp.link import LIST_LIMIT_S
from desktop.services.mcp.prompts import filled_prompt
from desktop.services.mcp.resources import completed, listed_resources
from desktop.tools.text import clip

NOT_ACCEPTED = "This server waits for you: accept it in Settings, MCP servers."


class McpPrompts:
    """`found`: the server of an id as it stands; CommandError if there is none. Only one that a person accepted is
    asked."""

    def __init__(self, found: Callable[[str], Awaitable[ChatServer]], publish: Publish) -> None:
        self._found, self._publish = found, publish

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about what goes into a message."""
        return {LoadMcpPrompt: self._load, LoadMcpResources: self._resources, CompleteMcpArgument: self._complete}

    async def _load(self, command: LoadMcpPrompt) -> None:
        server = await self._usable(command.server_id)
        try:
            filled = await filled_prompt(await server.live.link(), command.prompt, dict(command.arguments))
        except BanksmanError as error:
            raise CommandError("mcp", str(error)) from error
        self._publish(
            McpPromptLoaded(
                server_id=command.server_id,
                prompt=command.prompt,
                text=clip(filled.text),
                pictures=filled.pictures,
                command_id=command.command_id,
            )
        )

    async def _resources(self, command: LoadMcpResources) -> None:
        server = await self._usable(command.server_id)
        try:
            found = await listed_resources(await server.live.link(), LIST_LIMIT_S)
        except BanksmanError as error:
            raise CommandError("mcp", str(error)) from error
        told = McpResourcesLoaded(server_id=command.server_id, resources=found, command_id=command.command_id)
        self._publish(told)

    async def _complete(self, command: CompleteMcpArgument) -> None:
        server, argument = await self._usable(command.server_id), (command.argument, command.value)
        try:
            link = await server.live.link()
            values = await completed(link, command.kind, command.name, argument, dict(command.given))
        except BanksmanError as error:
            raise CommandError("mcp", str(error)) from error
        self._publish(McpArgumentCompleted(values=values, command_id=command.command_id))

    async def _usable(self, server_id: str) -> ChatServer:
        found = await self._found(server_id)
        if not found.usable:
            raise CommandError("mcp", NOT_ACCEPTED)
        return found
