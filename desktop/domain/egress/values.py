"""Traffic: who reached which host beyond this computer, how often and with how much."""

from typing import Literal

from desktop.domain.core.base import Frozen

ClientKind = Literal["command", "web", "server", "hook", "guest", "vendor", "release"]
"""Who reaches out: a command of an agent, a fetch or a search, an MCP server, a hook, another agent, the service of the
model by itself, the look for newer versions of the program."""


class Traffic(Frozen):
    """The exchange of one client with one host and port, counted. `client`: which one of its kind: the id of a server
    or a hook, "" for commands and the web. `refused`: how often it was kept from there. Of a model's service, `host`,
    each search counts as a connection; which hosts it reached and with how much is not known."""

    kind: ClientKind
    client: str = ""
    host: str
    port: int = 443
    connections: int = 0
    bytes_up: int = 0
    bytes_down: int = 0
    refused: int = 0

    @property
    def key(self) -> str:
        """Who reached which host and port."""
        return f"{self.kind}:{self.client}:{self.host}:{self.port}"

    def with_more(self, more: "Traffic | None") -> "Traffic":
        """All of both, which are of one client and host."""
        if more is None:
            return self
        return self.model_copy(
            update={
                "connections": self.connections + more.connections,
                "bytes_up": self.bytes_up + more.bytes_up,
                "bytes_down": self.bytes_down + more.bytes_down,
                "refused": self.refused + more.refused,
            }
        )
