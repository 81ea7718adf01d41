"""BridgeSocket: where the guest of one chat, and nobody else, reaches the tools of Banksman (guests-A54)."""

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from pydantic import JsonValue

from desktop.policy.guests.bridged import SERVER
from desktop.services.acp.wire import LONGEST_MESSAGE, WireReader, WireWriter
from desktop.services.files.leftovers import passing_prefix
from desktop.services.guests.mcp_bridge import VARIABLE
from desktop.services.peers.frames import MIB, Frames
from desktop.services.processes.sandbox.landlock import own_program
from desktop.services.processes.sandbox.profile import own_folders

PROGRAM = ("mcp-bridge", "../../guests/mcp_bridge.py")
"""The program that guests start, as `own_program` takes it."""
MOST_TALKS = 8
MOST_UNREAD = 64 * MIB

Talk = Callable[[WireReader, WireWriter], Awaitable[None]]


class BridgeSocket:
    """On the engine's loop, from `open` to `close`. `talk` is awaited for each connection, and its end ends it."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._folder: Path | None = None
        self._server: asyncio.AbstractServer | None = None
        self._talks: set[asyncio.Task[None]] = set()

    @property
    def is_open(self) -> bool:
        """Whether it listens."""
        return self._server is not None

    @property
    def shown(self) -> tuple[Path, ...]:
        """What the guest must see of hidden places to reach it: its folder, and our program."""
        return (self._folder, *own_folders(PROGRAM[1])) if self._folder is not None else ()

    @property
    def told(self) -> JsonValue:
        """The server as the guest's protocol names it."""
        program, *words = own_program(*PROGRAM)
        env: list[JsonValue] = [{"name": VARIABLE, "value": str(self._place)}]
        return {"name": SERVER, "command": program, "args": [*words], "env": env}

    @property
    def _place(self) -> Path:
        return (self._folder or Path("/nonexistent")) / "mcp.sock"

    async def open(self) -> None:
        """Listen. Raises OSError: nothing of it is left."""
        self._folder = Path(tempfile.mkdtemp(prefix=passing_prefix()))
        try:
            loop = asyncio.get_running_loop()
            self._server = await loop.create_unix_server(lambda: _Ends(self._begin), str(self._place))
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End all connections, and take the socket away; it does not matter how often."""
        if self._server is not None:
            self._server.close()
        for task in self._talks:
            task.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, True)
        self._folder = self._server = None

    def _begin(self, ends: "_Ends") -> None:
        if len(self._talks) >= MOST_TALKS:
            ends.end_input()
            return
        task = asyncio.create_task(self._talked(ends), name="guest bridge")
        self._talks.add(task)
        task.add_done_callback(self._talks.discard)

    async def _talked(self, ends: "_Ends") -> None:
        try:
            await self._talk(ends.frames, ends)
        finally:
            ends.end_input()


class _Ends(asyncio.Protocol):
    """One connection: its lines, and the `WireWriter` to it."""

    def __init__(self, begin: "Callable[[_Ends], None]") -> None:
        self.frames = Frames(LONGEST_MESSAGE)
        self._begin = begin
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """For asyncio."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.frames.connection_made(transport)
        self._begin(self)

    def data_received(self, data: bytes) -> None:
        """For asyncio: the next bytes."""
        self.frames.data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """For asyncio: the connection is over."""
        self.frames.connection_lost(exc)

    def write(self, line: bytes) -> None:
        """As `WireWriter.write`."""
        pipe = self._transport
        if pipe is None or pipe.is_closing() or pipe.get_write_buffer_size() > MOST_UNREAD:
            raise BrokenPipeError
        pipe.write(line)

    def end_input(self) -> None:
        """As `WireWriter.end_input`."""
        if self._transport is not None:
            self._transport.close()
