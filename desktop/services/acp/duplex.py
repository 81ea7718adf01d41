"""Duplex: one connection of the wire, over a socket or the two pipes of a program that was started to speak on them."""

import asyncio
import os
from collections.abc import Callable

from desktop.services.acp.wire import LONGEST_MESSAGE
from desktop.services.peers.frames import MIB, Frames

MOST_UNREAD = 64 * MIB


class Duplex(Frames):
    """Reads and writes lines. What the other side leaves unread is kept, up to 64 MiB. `opened` is called once there is
    a connection."""

    def __init__(self, opened: "Callable[[Duplex, asyncio.BaseTransport], None] | None" = None) -> None:
        super().__init__(LONGEST_MESSAGE)
        self._opened = opened
        self._writing: asyncio.WriteTransport | None = None
        self._room = asyncio.Event()
        self._room.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A socket is open, or the pipe that is read."""
        super().connection_made(transport)
        if self._writing is None and isinstance(transport, asyncio.WriteTransport):
            self._writing = transport
        if self._opened is not None:
            self._opened(self, transport)

    def pause_writing(self) -> None:
        """Much of what was written is not read yet."""
        self._room.clear()

    def resume_writing(self) -> None:
        """It was read."""
        self._room.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """The other side has gone."""
        super().connection_lost(exc)
        self._room.set()

    async def has_room(self) -> None:
        """Once most of what was written is read; at once where nobody reads any more. For whoever writes much."""
        await asyncio.sleep(0)
        await self._room.wait()

    def write(self, line: bytes) -> None:
        """Write a line.

        Raises:
            BrokenPipeError: nobody reads any more, or 64 MiB were left unread.
        """
        writing = self._writing
        if writing is None or writing.is_closing() or writing.get_write_buffer_size() > MOST_UNREAD:
            raise BrokenPipeError
        writing.write(line)

    def end_input(self) -> None:
        """Nothing more is written; what was written still goes out."""
        if self._writing is not None:
            self._writing.close()

    def write_to(self, transport: asyncio.WriteTransport) -> None:
        """Write to this pipe from now on."""
        self._writing = transport


class _Out(asyncio.BaseProtocol):
    """The pipe that is written to. `connection_lost`: nobody reads it."""

    def __init__(self, duplex: Duplex) -> None:
        self._duplex = duplex

    def pause_writing(self) -> None:
        """As of a duplex."""
        self._duplex.pause_writing()

    def resume_writing(self) -> None:
        """As of a duplex."""
        self._duplex.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Whoever reads it has gone, so nothing of theirs is worth an answer."""
        self._duplex.resume_writing()
        self._duplex.close()


async def over_pipes(reading: int, writing: int) -> Duplex:
    """The connection over two open pipes, which belong to it from here on.

    Raises:
        ValueError, OSError: one of them is no pipe.
    """
    loop, duplex = asyncio.get_running_loop(), Duplex()
    transport, _ = await loop.connect_write_pipe(lambda: _Out(duplex), os.fdopen(writing, "wb", buffering=0))
    await loop.connect_read_pipe(lambda: duplex, os.fdopen(reading, "rb", buffering=0))
    duplex.write_to(transport)
    return duplex
