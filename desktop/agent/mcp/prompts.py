"""McpPrompts: a prompt of a server with its arguments filled in, to be looked at before it is sent (guests-M25)."""

from collections.abc import Awaitable, Callable

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.agent.mcp.hub import ChatServer
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.mcp.commands import LoadMcpPrompt
from desktop.domain.mcp.updates import McpPromptLoaded
from desktop.services.mcp.prompts import filled_prompt
from desktop.tools.text import clip

NOT_ACCEPTED = "This server waits for you: accept it in Settings, MCP servers."


class McpPrompts:
    """`found`: the server of an id as it stands; CommandError if there is none."""

    def __init__(self, found: Callable[[str], Awaitable[ChatServer]], publish: Publish) -> None:
        self._found, self._publish = found, publish

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about prompts."""
        return {LoadMcpPrompt: self._load}

    async def _load(self, command: LoadMcpPrompt) -> None:
        found = await self._found(command.server_id)
        if not found.usable:
            raise CommandError("mcp", NOT_ACCEPTED)
        try:
            text = await filled_prompt(await found.live.link(), command.prompt, dict(command.arguments))
        except BanksmanError as error:
            raise CommandError("mcp", str(error)) from error
        self._publish(
            McpPromptLoaded(
                server_id=command.server_id, prompt=command.prompt, text=clip(text), command_id=command.command_id
            )
        )
