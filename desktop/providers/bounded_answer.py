"""The bound on an answer: decoded by pieces and counted, so that no answer is larger in memory than its bound.

A service may compress its answers, and a few megabytes of them can be gigabytes when they are decoded at once.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator, Iterator

import httpx2

from desktop.providers.errors import TooMuch

MOST_BYTES = 64 * 1024**2
MOST_ERROR_BYTES = 1024**2
_PIECE = 64 * 1024
_BREATHE_BYTES = 1024**2
_ZLIB_OR_GZIP = 47
_NO_ENCODING = ("", "identity")
ACCEPTED = "gzip, deflate"


async def bound(response: httpx2.Response) -> None:
    """A hook of the client: the body of the response is decoded here, and read up to its bound."""
    encoding = response.headers.pop("content-encoding", "").strip().lower()
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream, encoding, is_error=response.status_code >= 400)


class _Bounded(httpx2.AsyncByteStream):
    """Of an error only the beginning is read, which tells what it is; an answer that is too large is a fault."""

    def __init__(self, stream: httpx2.AsyncByteStream, encoding: str, *, is_error: bool) -> None:
        self._stream = stream
        self._encoding = encoding
        self._is_error = is_error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        decoder = _decoder(self._encoding)
        most = MOST_ERROR_BYTES if self._is_error else MOST_BYTES
        taken = breathed = 0
        async for chunk in self._stream:
            small = decoder is None and len(chunk) <= _PIECE
            for piece in (chunk,) if small else _pieces(decoder, chunk):
                taken += len(piece)
                if taken > most and self._is_error:
                    return
                if taken > most:
                    raise TooMuch(f"the service sent more than {most // 1024**2} MiB in one answer")
                yield piece
                if taken - breathed > _BREATHE_BYTES:  # a stop is heard between the pieces
                    breathed = taken
                    await asyncio.sleep(0)

    async def aclose(self) -> None:
        await self._stream.aclose()


def _decoder(encoding: str) -> "zlib._Decompress | None":
    if encoding in _NO_ENCODING:
        return None
    if encoding in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(_ZLIB_OR_GZIP)
    raise httpx2.DecodingError(f"the service sent an answer in the encoding {encoding[:40]!r}, which was not asked for")


def _pieces(decoder: "zlib._Decompress | None", chunk: bytes) -> Iterator[bytes]:
    if decoder is None:
        yield from (chunk[at : at + _PIECE] for at in range(0, len(chunk), _PIECE))
        return
    rest = chunk
    try:
        while rest and not decoder.eof:
            yield decoder.decompress(rest, _PIECE)
            rest = decoder.unconsumed_tail
    except zlib.error as error:
        raise httpx2.DecodingError(f"the service sent a compressed answer that is broken: {error}") from error
