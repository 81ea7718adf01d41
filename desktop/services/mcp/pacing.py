"""Pacing: a server is read no further while many of its own requests wait for their answers (guests-M2)."""

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from desktop.late import late
from desktop.services.mcp.answers import answer_of

if TYPE_CHECKING:
    from mcp.client._transport import ReadStream, TransportStreams, WriteStream
    from mcp.shared.message import SessionMessage

MOST_UNANSWERED = 100


def paced(streams: "TransportStreams") -> "TransportStreams":
    """The same streams, on which a server that asks without end, or does not read what it is answered, waits itself. A
    request with the id of one that is not answered yet is none."""
    read, write = streams
    waiting = _Unanswered()
    return _Reading(read, waiting), _Writing(write, waiting)


class _Unanswered:
    """The requests of a server that nobody answered yet, by id."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._room = asyncio.Event()
        self._room.set()

    async def room(self) -> None:
        """Wait until it may ask more."""
        await self._room.wait()

    def takes(self, item: "SessionMessage | Exception") -> bool:
        """Whether what it sent counts."""
        types = late("mcp.types")
        if isinstance(item, Exception):
            return True
        if isinstance(item.message, types.JSONRPCRequest):
            return self._asked(str(item.message.id))
        if isinstance(item.message, types.JSONRPCNotification) and item.message.method == "notifications/cancelled":
            self._settled(str((item.message.params or {}).get("requestId")))
        return True

    def answered(self, item: "SessionMessage") -> None:
        """This goes out to it."""
        types = late("mcp.types")
        if isinstance(item.message, (types.JSONRPCResponse, types.JSONRPCError)):
            self._settled(str(item.message.id))

    def _asked(self, number: str) -> bool:
        new = number not in self._ids
        self._ids.add(number)
        if len(self._ids) >= MOST_UNANSWERED:
            self._room.clear()
        return new

    def _settled(self, number: str) -> None:
        self._ids.discard(number)
        if len(self._ids) < MOST_UNANSWERED:
            self._room.set()


class _Reading:
    def __init__(self, stream: "ReadStream[SessionMessage | Exception]", waiting: _Unanswered) -> None:
        self._stream, self._waiting = stream, waiting

    async def receive(self) -> "SessionMessage | Exception":
        """The next message."""
        return await self._next(self._stream.receive)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> "SessionMessage | Exception":
        return await self._next(self._stream.__anext__)

    async def _next(self, take: "Callable[[], Awaitable[SessionMessage | Exception]]") -> "SessionMessage | Exception":
        while True:
            await self._waiting.room()
            item = await take()
            if isinstance(item, Exception) and (answer := answer_of(item)) is not None:
                item = late("mcp.shared.message").SessionMessage(answer)
            if self._waiting.takes(item):
                return item

    async def aclose(self) -> None:
        """Read no more."""
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stream.__aexit__(kind, error, trace)


class _Writing:
    def __init__(self, stream: "WriteStream[SessionMessage]", waiting: _Unanswered) -> None:
        self._stream, self._waiting = stream, waiting

    async def send(self, item: "SessionMessage", /) -> None:
        """Write a message."""
        await self._stream.send(item)
        self._waiting.answered(item)

    async def aclose(self) -> None:
        """Write no more."""
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stream.__aexit__(kind, error, trace)
