"""ChatResources: the resources of a chat's servers, listed and read, as a tool of the chat has them (guests-M24)."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop.agent.mcp.hub import ChatServer
from desktop.agent.mcp.results import failure, read_resource
from desktop.domain.core.errors import BanksmanError
from desktop.domain.mcp.updates import McpResource
from desktop.policy.mcp.facts import RESOURCES, McpFacts
from desktop.services.mcp.link import McpError, McpLink
from desktop.services.mcp.resources import listed_resources
from desktop.services.mcp.results import read_answer
from desktop.store.core.blobs import BlobStore
from desktop.tools.calls.mcp_resources import ReadResource

if TYPE_CHECKING:
    from mcp.types import ReadResourceResult

_NO_SUCH = "There is no such server in this chat. It has: {names}."


class ChatResources:
    """`servers` gives those of the chat now. Only one that a person accepted is asked."""

    def __init__(self, servers: Callable[[], tuple[ChatServer, ...]]) -> None:
        self._servers = servers

    def facts(self, server: str) -> tuple[McpFacts, bool]:
        """What the gate knows of a request for one, and whether it can leave this computer. Asks nobody."""
        found = next((one.server for one in self._servers() if one.server.id == server), None)
        leaves = found is not None and (bool(found.url) or found.network != "off")
        return McpFacts(server=server, tool=RESOURCES, pin_sha256="", read=True), leaves

    async def listed(self, server: str) -> tuple[McpResource, ...]:
        """What the server lists, and the templates that it has. Raises ToolError: it cannot be asked."""
        try:
            return await listed_resources(await self._link(server), self._limit_s(server))
        except BanksmanError as error:
            raise failure(server, error) from error

    async def read(self, server: str, uri: str, blobs: BlobStore) -> ReadResource:
        """What a resource holds; bytes are kept in `blobs`. Raises ToolError: it cannot be read."""
        try:
            link = await self._link(server)
            asked = link.session.read_resource(uri)
            said: ReadResourceResult = await link.asked(f"the resource {uri}", asked, self._limit_s(server))
        except BanksmanError as error:
            raise failure(server, error) from error
        contents = [one.model_dump(mode="json", by_alias=True) for one in said.contents]
        answer = read_answer({"content": [{"type": "resource", "resource": one} for one in contents]})
        return read_resource(answer, blobs)

    async def _link(self, server: str) -> McpLink:
        usable = {one.server.id: one for one in self._servers() if one.usable}
        if server not in usable:
            raise McpError(_NO_SUCH.format(names=", ".join(usable) or "none"), "off")
        return await usable[server].live.link()

    def _limit_s(self, server: str) -> float:
        return next(one.server.time_limit_s for one in self._servers() if one.server.id == server)
