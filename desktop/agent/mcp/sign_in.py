"""McpSignIns: people sign in to servers at an address, in their own browser, which the window opens when they click."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from types import ModuleType
from typing import TYPE_CHECKING

from pydantic import SecretStr

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.agent.mcp.hub import ChatServer
from desktop.agent.mcp.reach import McpReach, address_of
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.mcp import commands as c
from desktop.domain.mcp.updates import McpSignInEnded, McpSignInWaits
from desktop.late import late
from desktop.records import dataclass
from desktop.services.processes.stubborn import to_its_end

if TYPE_CHECKING:
    from desktop.services.mcp.sign_in.oauth import Client, SignIn

logger = logging.getLogger(__name__)

NO_NEED = "It takes calls without a sign-in."
NO_ADDRESS = "It is a program on this computer, which nobody signs in to."
CANCELLED = "You ended the sign-in."


@dataclass(frozen=True)
class Servers:
    """What is asked about servers. `found`: the one of an id, CommandError if there is none; `tell`: how all stand."""

    found: Callable[[str], Awaitable[ChatServer]]
    tell: Callable[[str], Awaitable[None]]


class McpSignIns:
    """Engine thread only. One sign-in at a time for each server; another one ends it."""

    def __init__(self, reach: McpReach, servers: Servers, publish: Publish) -> None:
        self._reach = reach
        self._servers = servers
        self._publish = publish
        self._waiting: dict[str, asyncio.Task[object]] = {}

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about signing in."""
        return {
            c.AuthoriseMcpServer: self._begin,
            c.CancelMcpSignIn: self._cancel,
            c.SignOutOfMcpServer: self._sign_out,
        }

    async def close(self) -> None:
        """End all that wait."""
        for server_id in list(self._waiting):
            await self._end(server_id)

    async def _begin(self, command: c.AuthoriseMcpServer) -> None:
        server_id = command.server_id
        asking = asyncio.create_task(self._asked(server_id, self._waiting.get(server_id)), name="mcp challenge")
        self._waiting[server_id] = asking
        await asyncio.wait({asking})
        replaced = self._waiting.get(server_id) is not asking
        if not replaced:
            del self._waiting[server_id]
        if asking.cancelled() or (replaced and asking.exception() is None):
            self._publish(_ended(command, CANCELLED))
            return
        found, challenge = asking.result()
        self._waiting[server_id] = asyncio.create_task(
            self._sign_in(found, challenge, command), name=f"mcp sign-in {server_id}"
        )

    async def _asked(self, server_id: str, before: asyncio.Task[object] | None) -> tuple[ChatServer, str]:
        """The server, and what it says when it wants a sign-in, once the sign-in before this one is over.

        Raises:
            CommandError: nobody signs in to it.
        """
        if before is not None:
            before.cancel()
            await to_its_end(asyncio.wait({before}))
        found = await self._servers.found(server_id)
        if not found.server.url:
            raise CommandError("mcp", NO_ADDRESS)
        return found, await self._challenge(found)

    async def _challenge(self, found: ChatServer) -> str:
        """What the server says when it wants a sign-in; one that was not asked yet is asked now."""
        challenge = self._reach.challenge(found.server)
        if challenge is not None:
            return challenge
        try:
            await found.live.link()
        except BanksmanError as error:
            challenge = self._reach.challenge(found.server)
            if challenge is None:
                raise CommandError("mcp", str(error)) from error
            return challenge
        raise CommandError("mcp", NO_NEED)

    async def _sign_in(self, found: ChatServer, challenge: str, command: c.AuthoriseMcpServer) -> None:
        problem, returns_to = "", ""
        oauth = await asyncio.to_thread(late, "desktop.services.mcp.sign_in.oauth")
        try:
            place = address_of(found.server)
            async with AsyncExitStack() as stack:
                network = self._reach.network(found.server.id, place)
                connection = await stack.enter_async_context(oauth.Connection(place, network))
                sign_in = await oauth.begin(connection, challenge, _client(oauth, command))
                stack.callback(sign_in.close)
                self._publish(_waits(command, sign_in))
                grant = await sign_in.grant()
            await self._reach.grants.keep(found.server.id, place.text, grant)
            await found.live.restart()
        except asyncio.CancelledError:
            self._publish(_ended(command, CANCELLED))
            raise
        except BanksmanError as error:
            problem, returns_to = str(error), error.returns_to if isinstance(error, oauth.NeedsClient) else ""
        self._publish(_ended(command, problem, returns_to))
        await self._servers.tell("")

    async def _cancel(self, command: c.CancelMcpSignIn) -> None:
        await self._end(command.server_id)

    async def _sign_out(self, command: c.SignOutOfMcpServer) -> None:
        found = await self._servers.found(command.server_id)
        await self._end(command.server_id)
        await self._reach.forget(command.server_id)
        await found.live.rest()
        await self._servers.tell(command.command_id)

    async def _end(self, server_id: str) -> None:
        task = self._waiting.get(server_id)
        if task is None:
            return
        task.cancel()
        await asyncio.wait({task})
        if self._waiting.get(server_id) is task:
            del self._waiting[server_id]


def _client(oauth: ModuleType, command: c.AuthoriseMcpServer) -> "Client | None":
    if not command.client_id:
        return None
    secret = command.client_secret or SecretStr("")
    method = "client_secret_post" if secret.get_secret_value() else "none"
    made: Client = oauth.Client(command.client_id.strip(), secret, method)
    return made


def _waits(command: c.AuthoriseMcpServer, sign_in: "SignIn") -> McpSignInWaits:
    return McpSignInWaits(
        server_id=command.server_id,
        address=sign_in.address,
        authority=sign_in.authority.issuer,
        resource=sign_in.authority.resource,
        scopes=sign_in.authority.scopes,
        sent_to=sign_in.authority.sent_to,
        command_id=command.command_id,
    )


def _ended(command: c.AuthoriseMcpServer, problem: str, returns_to: str = "") -> McpSignInEnded:
    return McpSignInEnded(
        server_id=command.server_id,
        problem=problem,
        needs_client=bool(returns_to),
        returns_to=returns_to,
        command_id=command.command_id,
    )
