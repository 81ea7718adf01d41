"""Two connections joined: what comes on one goes out on the other, at the pace of the slower, counted."""

import asyncio
import contextlib
from collections.abc import Callable

from desktop.records import dataclass

PIECE = 256 * 1024
IDLE_S = 120.0


@dataclass
class Passed:
    """Bytes that went up to the host and down from it."""

    up: int = 0
    down: int = 0


class End(asyncio.BufferedProtocol):
    """One end of a joined pair, on the event loop. `counted` is told how many bytes came on it; it returns whether
    they may be passed on: if not, both ends close at once. `heard` is given them."""

    def __init__(self, counted: Callable[[int], bool], heard: Callable[[bytes], None] | None = None) -> None:
        self.other: End | None = None
        self.over = asyncio.get_running_loop().create_future()
        self.last = asyncio.get_running_loop().time()
        self.ended = False
        self.early = b""
        """What came on this end before it was joined."""
        self._counted, self._heard = counted, heard
        self._transport: asyncio.Transport | None = None
        self._buffer = memoryview(bytearray(PIECE))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """For asyncio. Nothing is read before the two are joined."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=4 * PIECE)
        transport.pause_reading()
        asyncio.get_running_loop().call_soon(self._rest)

    def _rest(self) -> None:
        """Python 3.11.2, which Debian 12 has, begins to read a socket once this is over, although it was told not to
        here; what came before the two are joined would be lost."""
        if self.other is None:
            self.resume()
            self.pause()

    def get_buffer(self, sizehint: int) -> memoryview:
        """For asyncio: where the next bytes go. With TLS it takes parts of this, which must not be copies."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """For asyncio: so many bytes came."""
        self.last = asyncio.get_running_loop().time()
        if not self._counted(nbytes):
            self.abort()
        elif self.other is not None:
            piece = bytes(self._buffer[:nbytes])
            if self._heard is not None:
                self._heard(piece)
            self.other.write(piece)

    def eof_received(self) -> bool:
        """For asyncio: nothing more comes on this one; the other way may still be used."""
        self.ended = True
        if self.other is not None:
            self.other.finish()
            return not self.other.ended and self._transport is not None and self._transport.can_write_eof()
        return False

    def pause_writing(self) -> None:
        """For asyncio: this end takes no more for now, so the other is not read."""
        if self.other is not None:
            self.other.pause()

    def resume_writing(self) -> None:
        """For asyncio: this end takes more again."""
        if self.other is not None:
            self.other.resume()

    def connection_lost(self, exc: Exception | None) -> None:
        """For asyncio: the connection is over, so the other is ended, with what it was still to send."""
        if not self.over.done():
            self.over.set_result(None)
        if self.other is not None:
            self.other.close()

    def write(self, piece: bytes) -> None:
        """Send this."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(piece)

    def finish(self) -> None:
        """Say that nothing more is sent."""
        if self._transport is not None and self._transport.can_write_eof() and not self._transport.is_closing():
            self._transport.write_eof()

    def pause(self) -> None:
        """Read no more for now."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.pause_reading()

    def resume(self) -> None:
        """Read again."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def close(self) -> None:
        """End it once what is on its way was sent."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """End both at once."""
        for end in (self, self.other):
            if end is not None and end._transport is not None:
                with contextlib.suppress(AttributeError):  # Python 3.11.2: over TLS, where it has ended already
                    end._transport.abort()


async def joined(near: End, far: End, *, idle_s: float = IDLE_S) -> None:
    """Pass on between the two until both are over, or nothing came for so long. Cancelled, both end at once."""
    loop = asyncio.get_running_loop()
    near.other, far.other = far, near
    near.write(far.early)
    near.resume()
    far.resume()
    try:
        while not (near.over.done() and far.over.done()):
            wait_s = max(near.last, far.last) + idle_s - loop.time()
            if wait_s <= 0:
                return
            await asyncio.wait({near.over, far.over}, timeout=wait_s, return_when=asyncio.ALL_COMPLETED)
    finally:
        near.abort()
