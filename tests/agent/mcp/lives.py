"""Servers as chats use them, with the folders that they know of, and one call of a tool."""

from pathlib import Path

from desktop.agent.mcp.asking.folders import ServerFolders
from desktop.agent.mcp.live import USUAL, LiveServer, Pace
from desktop.services.mcp.link import McpHearing, McpTransport
from desktop.services.peers.ring import LogRing
from tests.mcp_ground import Ground


class Lives(Ground):
    """Servers that are started when they are used. `states`: what was told of the newest; `starts`: how often one was
    started."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.made: list[LiveServer] = []
        self.states: list[str] = []
        self.starts = 0

    def live(self, *words: str, pace: Pace = USUAL, **changes: object) -> LiveServer:
        """The scripted server with these words and changes; it asks for no roots."""
        server = self.server(*words, **changes)
        folders = ServerFolders(server, self.lane)

        async def connect(log: LogRing) -> McpTransport:
            self.starts += 1
            folders.begin()
            return self.transport(server)

        async def roots(context: object) -> object:
            raise AssertionError("The scripted server asks for none.")

        made = LiveServer(server, connect, lambda live: self.states.append(live.state), self.log, pace)
        made.hearing = McpHearing(roots=roots, folders=folders.look)
        self.made.append(made)
        return made

    async def close(self) -> None:
        """End them."""
        for live in self.made:
            await live.close()
        await super().close()


async def call(live: LiveServer, tool: str, text: object = "") -> str:
    """The text that a tool of the server answers."""
    await live.link()
    (known,) = [one for one in live.tools or () if one.name == tool]
    answer = await live.call(tool, known.sha256, {"text": str(text)})
    return str(answer.content[0].text)
