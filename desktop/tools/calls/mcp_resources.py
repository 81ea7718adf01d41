"""What a tool asks of the servers of a chat that have resources."""

from collections.abc import Awaitable
from typing import Protocol

from pydantic import JsonValue

from desktop.domain.core.content import Block
from desktop.domain.mcp.updates import McpResource
from desktop.policy.mcp.facts import McpFacts
from desktop.records import dataclass
from desktop.store.core.blobs import BlobStore


@dataclass(frozen=True)
class ReadResource:
    """What a resource holds: its texts, one below the other, with a line for whatever is no text. `left_out`: what was
    not taken, sentences. `images`: pictures for the model; `blocks`: what people see of what is no text."""

    text: str
    left_out: tuple[str, ...] = ()
    images: tuple[dict[str, JsonValue], ...] = ()
    blocks: tuple[Block, ...] = ()


class ServerResources(Protocol):
    """The resources of the chat's servers. There only where one may be used that can have some."""

    def facts(self, server: str) -> tuple[McpFacts, bool]:
        """What the gate knows of a request for one, and whether it can leave this computer. Asks nobody."""

    def listed(self, server: str) -> Awaitable[tuple[McpResource, ...]]:
        """Those of one server. Raises ToolError: it cannot be asked."""

    def read(self, server: str, uri: str, blobs: BlobStore) -> Awaitable[ReadResource]:
        """One of them; what is no text is kept in `blobs`. Raises ToolError: it cannot be read."""
