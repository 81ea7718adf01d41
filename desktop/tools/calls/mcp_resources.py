"""What a tool asks of the servers of a chat that have resources."""

from collections.abc import Awaitable
from typing import Protocol

from desktop.policy.mcp.facts import McpFacts
from desktop.records import dataclass


@dataclass(frozen=True)
class ServerResource:
    """A resource that a server lists, all of it in its words. `is_template`: its address has gaps to be filled."""

    uri: str
    name: str
    description: str = ""
    is_template: bool = False


@dataclass(frozen=True)
class ReadResource:
    """What a resource holds: its texts, one below the other. `left_out`: what was not taken, sentences."""

    text: str
    left_out: tuple[str, ...] = ()


class ServerResources(Protocol):
    """The resources of the chat's servers. There only where one may be used that can have some."""

    def facts(self, server: str) -> tuple[McpFacts, bool]:
        """What the gate knows of a request for one, and whether it can leave this computer. Asks nobody."""

    def listed(self, server: str) -> Awaitable[tuple[ServerResource, ...]]:
        """Those of one server. Raises BanksmanError: it cannot be asked."""

    def read(self, server: str, uri: str) -> Awaitable[ReadResource]:
        """One of them. Raises BanksmanError: it cannot be read."""
