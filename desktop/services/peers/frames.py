"""Frames: the lines that a peer writes, one message each, bounded before anything reads them (guests-M3, guests-A7)."""

import asyncio
from collections import deque

MIB = 1024 * 1024
MOST_WAITING = MIB


class Frames(asyncio.Protocol):
    """The lines of one pipe in their order. A line that is too long ends them: `problem` says so, and the rest is not
    read. When more waits than 1 MiB the pipe is read no further until somebody takes some."""

    def __init__(self, longest: int) -> None:
        """`longest`: how many bytes a line may have."""
        self.problem = ""
        self._longest = longest
        self._lines: deque[bytes] = deque()
        self._waiting = 0
        self._begun = bytearray()
        self._news = asyncio.Event()
        self._over = False
        self._transport: asyncio.ReadTransport | None = None
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The pipe is open."""
        if isinstance(transport, asyncio.ReadTransport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        """The next bytes."""
        if self._over:
            return
        *ended, rest = data.split(b"\n")
        for part in ended:
            self._begun += part
            if not self._fits():
                return
            self._lines.append(bytes(self._begun))
            self._waiting += len(self._begun)
            self._begun.clear()
        self._begun += rest
        self._fits()
        self._pause()
        self._news.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """The other side closed the pipe; half a line at its end is none."""
        self._end()

    async def take(self) -> bytes | None:
        """The next line, None when there are no more."""
        while not self._lines:
            if self._over:
                return None
            self._news.clear()
            await self._news.wait()
        line = self._lines.popleft()
        self._waiting -= len(line)
        if self._paused and self._waiting <= MOST_WAITING and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()
        return line

    def close(self) -> None:
        """Read no more."""
        self._end()
        if self._transport is not None:
            self._transport.close()

    def _fits(self) -> bool:
        if len(self._begun) <= self._longest:
            return True
        self.problem = f"It sent a message of more than {self._longest // MIB} MiB."
        self._begun = bytearray()
        self.close()
        return False

    def _pause(self) -> None:
        if self._waiting > MOST_WAITING and not self._paused and self._transport is not None and not self._over:
            self._paused = True
            self._transport.pause_reading()

    def _end(self) -> None:
        self._over = True
        self._news.set()
