"""McpReach: servers at an address: their connections with headers and tokens, and which of them want a sign-in."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Literal

from desktop.agent.egress.upstream import own_upstream
from desktop.agent.mcp.secrets import McpSecrets
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.egress.values import Traffic
from desktop.domain.mcp.values import McpServer
from desktop.late import late
from desktop.policy.mcp.addresses import ServerAddress, check_server
from desktop.policy.network.hosts import Refused
from desktop.services.egress.egress import Egress
from desktop.services.mcp.link import McpError, McpTransport
from desktop.services.mcp.sign_in.grants import GrantBook

if TYPE_CHECKING:
    from desktop.services.egress.pinned import PinnedBackend

SignIn = Literal["none", "wanted", "done"]


class McpReach:
    """Engine thread only. `grants`: what people were given when they signed in."""

    def __init__(self, secrets: McpSecrets, settings: SettingsKeeper, egress: Egress) -> None:
        self.grants = GrantBook(settings.keys.entries, lambda: settings.redactor)
        self._secrets = secrets
        self._egress = egress
        self._upstream = own_upstream(settings)
        self._wants: dict[tuple[str, str], str] = {}
        self._signed_in: set[tuple[str, str]] = set()

    async def transport(self, server: McpServer) -> McpTransport:
        """A connection with a server at an address, not yet entered.

        Raises:
            BanksmanError: it may not be at this address, or a secret for it is missing.
        """
        place = address_of(server)
        headers = await self._secrets.filled(server.id, server.headers)
        http = await asyncio.to_thread(late, "desktop.services.mcp.http")
        tokens = await asyncio.to_thread(late, "desktop.services.mcp.sign_in.tokens")
        auth = None
        network = self.network(server.id, place)
        if not any(name.lower() == "authorization" for name in headers):
            auth = tokens.Bearer(tokens.Tokens(server.id, place, self.grants, network=network), place)
            if await self.grants.find(server.id, place.text) is not None:
                self._signed_in.add((server.id, server.url))

        def wanted(challenge: str | None) -> None:
            self._note(server, challenge)

        made: McpTransport = http.HttpTransport(place, headers=headers, auth=auth, wanted=wanted, network=network)
        return made

    def network(self, server_id: str, place: ServerAddress) -> "PinnedBackend":
        """What connects to a server, and to those who sign people in for it: through the person's proxy, and all of it
        counted. What it needs is loaded before."""
        made: PinnedBackend = late("desktop.services.egress.pinned").PinnedBackend(
            private=place.reachable, upstream=self._upstream
        )
        made.counted.add(partial(self._count, server_id))
        return made

    def _count(self, server_id: str, host: str, port: int, **numbers: int) -> None:
        """What goes to a server is of the project's record, as chats share it."""
        self._egress.note("", Traffic(kind="server", client=server_id, host=host, port=port, **numbers))

    def challenge(self, server: McpServer) -> str | None:
        """What the server said when it wanted a sign-in; None: it wants none now, or nobody asked it."""
        return self._wants.get((server.id, server.url))

    def standing(self, server: McpServer) -> SignIn:
        """Whether a person has to sign in to a server, or did."""
        if self.challenge(server) is not None:
            return "wanted"
        return "done" if (server.id, server.url) in self._signed_in else "none"

    async def forget(self, server_id: str) -> None:
        """Forget what was given for a server."""
        for key in [key for key in self._wants if key[0] == server_id]:
            del self._wants[key]
        self._signed_in = {key for key in self._signed_in if key[0] != server_id}
        await self.grants.forget(server_id)

    def _note(self, server: McpServer, challenge: str | None) -> None:
        if challenge is None:
            self._wants.pop((server.id, server.url), None)
        else:
            self._wants[(server.id, server.url)] = challenge


def address_of(server: McpServer) -> ServerAddress:
    """The address of a server. Raises McpError: it may not be there."""
    found = check_server(server.url, private=server.private_host)
    if isinstance(found, Refused):
        raise McpError(found.reason, "off")
    return found
