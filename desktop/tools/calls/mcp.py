"""What a tool asks of the servers of a chat."""

from typing import Protocol

from desktop.records import dataclass


@dataclass(frozen=True)
class FoundServerTool:
    """A tool of a server, by the name under which it is called. `description`: as its server says, foreign text."""

    name: str
    shown: str
    description: str = ""


class ServerToolSearch(Protocol):
    """Searches the tools of the chat's servers. There only where they are too many to be told all."""

    def __call__(self, query: str, server: str, /) -> tuple[FoundServerTool, ...]:
        """Those that fit best, the best first; they can be called from the next request on. `server`: its id, "" for
        all."""
