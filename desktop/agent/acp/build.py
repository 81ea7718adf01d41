"""Banksman as an agent of the Agent Client Protocol, as a theme: editors join at a socket, or speak over pipes."""

import asyncio
import json
import logging
import os
from collections.abc import Coroutine
from typing import TYPE_CHECKING

from desktop.agent.acp.ground import AcpGround
from desktop.agent.core.offers import offer
from desktop.agent.core.session import Session
from desktop.agent.core.theme import Theme
from desktop.agent.mcp.places import OWN_FILE, seeing_server
from desktop.config.instance import ACP_SOCKET, instance_folder
from desktop.domain.core.update import Update
from desktop.late import late
from desktop.tools.offers import UnsavedFiles

if TYPE_CHECKING:
    from desktop.agent.acp.connection import AcpConnection
    from desktop.services.acp.door import Door
    from desktop.services.acp.duplex import Duplex

logger = logging.getLogger(__name__)

GREETING_LIMIT_S = 10.0
SEEN = (
    "Commands of agents could join here too and answer in your place, because {why}. Close what holds the chats; the "
    "editor then gets an engine of its own."
)


class Acp:
    """Nothing of the theme is loaded before an editor comes but what opens the socket. `listens`: others may join."""

    def __init__(self, ground: AcpGround, *, listens: bool) -> None:
        self._ground = ground
        self._connections: list[AcpConnection] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._door: Door | None = None
        self._left = asyncio.Event()
        starting = (self.start,) if listens else ()
        offers = (offer(UnsavedFiles, self._files),)
        self.theme = Theme("acp", offers=offers, saw=self.saw, starting=starting, closed_first=(self,))

    def start(self) -> None:
        """Let other processes of this person join."""
        self._soon(self._open())

    def saw(self, update: Update) -> None:
        """Tell the editors."""
        if self._connections:
            self._ground.carrier.saw(update)
        for connection in self._connections:
            connection.saw(update)

    async def serve(self, duplex: "Duplex", *, in_checkout: bool) -> None:
        """Speak with an editor until it goes."""

        def used_elsewhere() -> bool:
            others = (one for one in self._connections if one is not connection)
            has_window = self._ground.here.has_window
            return has_window or any(one.has_chats for one in others) or bool(self._ground.sessions.running())

        make = late("desktop.agent.acp.connection").AcpConnection
        connection: AcpConnection = make(duplex, self._ground, used_elsewhere, in_checkout=in_checkout)
        self._connections.append(connection)
        try:
            await connection.run()
        finally:
            self._connections.remove(connection)
            self._left.set()

    async def wait_until_left(self) -> None:
        """Until no editor is there any more."""
        while self._connections:
            self._left.clear()
            await self._left.wait()

    async def close(self) -> None:
        """Leave all editors; nobody joins any more."""
        if self._door is not None:
            self._door.close()
        for connection in tuple(self._connections):
            await connection.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _files(self, session: Session) -> UnsavedFiles | None:
        """What an editor has of the files of a chat, or of the one above all of a child."""
        readers = (one.reader(session.root.session_id) for one in self._connections)
        return next((one for one in readers if one is not None), None)

    # Who joins

    async def _open(self) -> None:
        folder = instance_folder(self._ground.here.folders)
        door: Door = late("desktop.services.acp.door").Door(folder / ACP_SOCKET, self._entered)
        try:
            await door.open()
        except OSError as error:
            logger.info("Editors cannot join: %s", error)
            return
        self._door = door

    def _entered(self, duplex: "Duplex") -> None:
        self._soon(self._greet(duplex))

    async def _greet(self, duplex: "Duplex") -> None:
        """The first line says who joins, and ours whether they may; then both speak the protocol."""
        try:
            async with asyncio.timeout(GREETING_LIMIT_S):
                line = await duplex.take()
            said = json.loads(line or b"null")
        except (TimeoutError, ValueError, RecursionError):
            said = None
        if not isinstance(said, dict) or said.get("banksman") != "join":
            duplex.close()
            return
        why = await self._seen()
        duplex.write(json.dumps({"banksman": "refused" if why else "welcome", "why": why}).encode() + b"\n")
        if why:
            duplex.end_input()
            return
        await self.serve(duplex, in_checkout=said.get("in_checkout") is True)

    async def _seen(self) -> str:
        """Why nobody may join, a sentence, "" if they may: who reaches the socket can answer cards."""
        folder, path = instance_folder(self._ground.here.folders), os.environ.get("PATH", "")
        guard = await self._ground.here.sandbox.ready()
        if await asyncio.to_thread(guard.shows, folder, path):
            return SEEN.format(why="no sandbox hides this folder from them")
        own = self._ground.here.folders.config / OWN_FILE
        server = await asyncio.to_thread(seeing_server, folder, own, guard, path) if own.exists() else ""
        return SEEN.format(why=f"the MCP server {server} sees this folder") if server else ""

    def _soon(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
