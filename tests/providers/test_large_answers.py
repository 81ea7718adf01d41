"""Answers larger than any memory: bounded while they are decoded, told as a fault, and stopped at once."""

import asyncio
import gzip
import json
import time
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext

import pytest

from desktop.config.settings import Endpoint
from desktop.domain.events import AssistantMessage
from desktop.providers.anthropic import AnthropicProvider
from desktop.providers.base import Delta, ProviderError, Request
from desktop.providers.event_stream import server_events

pytestmark = pytest.mark.asyncio
MIB = 1024**2
SSE = "text/event-stream"
START = b'event: message_start\ndata: {"type":"message_start","message":{"model":"m"}}\n\n'
DELTA = b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"%s"}}\n\n'
STOP = b'data: {"type":"message_stop"}\n\n'


@asynccontextmanager
async def service(
    body: list[bytes], kind: str, status: int = 200, *, encoding: str = "", endless: bool = False
) -> AsyncIterator[AnthropicProvider]:
    """A service that answers each request with these bytes; `endless`: over and over until nobody reads."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        await reader.readexactly(length)
        extra = f"content-encoding: {encoding}\r\n" if encoding else ""
        writer.write(f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\n{extra}connection: close\r\n\r\n".encode())
        try:
            while True:
                for piece in body:
                    writer.write(piece)
                    await writer.drain()
                if not endless:
                    break
        except ConnectionError:
            pass
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    provider = AnthropicProvider(
        Endpoint(id="e", label="E", kind="compatible", base_url=f"http://127.0.0.1:{port}", auth="none"), None
    )
    try:
        yield provider
    finally:
        await provider.close()
        server.close()
        await server.wait_closed()


async def asked(provider: AnthropicProvider) -> list[Delta]:
    messages = [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]
    return [delta async for delta in provider.stream(Request(model="m", system="s", messages=messages))]


async def failure(provider: AnthropicProvider) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await asked(provider)
    return caught.value


@contextmanager
def little_memory(most_mib: int) -> Iterator[None]:
    """Whatever happens inside takes no more than so much at once."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < most_mib * MIB, f"{peak / MIB:.0f} MiB"


def bomb(size: int, before: bytes = b"", unit: bytes = b" ") -> list[bytes]:
    """`before` and so many bytes more, compressed to a thousandth. One piece is made, which stands there again and
    again; the end, which nobody reads to, is left out."""
    made = zlib.compressobj(9, wbits=31)
    first = made.compress(before) + made.flush(zlib.Z_FULL_FLUSH)
    block = unit * (4 * MIB // len(unit))
    piece = made.compress(block) + made.flush(zlib.Z_FULL_FLUSH)
    return [first, *[piece] * (size // len(block))]


@pytest.mark.parametrize("kind", ["application/json", SSE])
@pytest.mark.parametrize("unit", [b" ", b"data: x\n", b":\n", b"\n"])
async def test_a_thousand_times_its_packed_size_is_refused_at_the_bound(kind: str, unit: bytes) -> None:
    packed = bomb(128 * MIB, b"{" if kind != SSE else START, unit)
    async with service(packed, kind, encoding="gzip") as provider:
        with little_memory(150) if unit == b" " else nullcontext():
            failed = await failure(provider)
    assert "the service sent more than" in failed.failure.message
    assert not failed.failure.retryable


async def test_of_an_error_only_the_beginning_is_read() -> None:
    said = json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}).encode()
    async with service(bomb(128 * MIB, b"<html>"), "text/html", 529, encoding="gzip") as provider:
        with little_memory(30):
            failed = (await failure(provider)).failure
    assert (failed.category, failed.http_status) == ("overloaded", 529)
    async with service([gzip.compress(said)], "application/json", 529, encoding="gzip") as provider:
        assert (await failure(provider)).failure.message == "busy"


async def test_fifty_megabytes_in_one_piece_of_text_are_refused_quickly_and_small() -> None:
    body = [START, DELTA % (b"a" * (50 * MIB)), STOP]
    async with service(body, SSE) as provider:
        with little_memory(100):
            failed = await failure(provider)
        began = time.process_time()
        again = await failure(provider)
        assert time.process_time() - began < 2
    assert "more than 24 MiB in one event" in failed.failure.message
    assert again.failure == failed.failure
    assert not failed.failure.retryable


QUIET = {
    "pings": b'event: ping\ndata: {"type": "ping"}\n\n',
    "empty deltas": DELTA % b"",
    "unknown": b'data: {"type":"progress"}\n\n',
    "empty": b"data:\n\n",
}


@pytest.mark.parametrize("quiet", QUIET.values(), ids=QUIET)
async def test_a_flood_of_events_without_content_is_refused_soon(quiet: bytes) -> None:
    async with service([START, quiet * 1_000], SSE, endless=True) as provider:
        began = time.process_time()
        failed = await failure(provider)
        assert time.process_time() - began < 5
    assert "more than 50,000 events in a row without content" in failed.failure.message
    assert not failed.failure.retryable


async def test_quiet_events_between_those_of_the_answer_do_not_count_together() -> None:
    some = [QUIET["pings"] * 40_000, DELTA % b"a"]
    async with service([START, *some, *some, STOP], SSE) as provider:
        message = (await asked(provider))[-1]
    assert isinstance(message, AssistantMessage)
    assert message.parts == ({"type": "text", "text": "aa"},)


async def test_a_text_after_the_end_of_the_answer_is_no_part_of_it() -> None:
    async with service([START + DELTA % b"a" + STOP + DELTA % b"b"], SSE) as provider:
        message = (await asked(provider))[-1]
    assert isinstance(message, AssistantMessage)
    assert message.parts == ({"type": "text", "text": "a"},)


async def test_a_long_text_arrives_whole_in_time_by_its_length() -> None:
    async with service([START, DELTA % (b"a" * (16 * MIB)), STOP], SSE) as provider:
        message = (await asked(provider))[-1]
    assert isinstance(message, AssistantMessage)
    (part,) = message.parts
    assert isinstance(part, dict)
    assert len(str(part["text"])) == 16 * MIB


async def test_a_compressed_stream_of_any_kind_arrives_and_an_unknown_or_broken_one_is_named() -> None:
    whole = START + DELTA % b"hello" + STOP
    for encoding, packed in (("gzip", gzip.compress(whole)), ("deflate", zlib.compress(whole)), ("identity", whole)):
        async with service([packed], SSE, encoding=encoding) as provider:
            message = (await asked(provider))[-1]
            assert isinstance(message, AssistantMessage)
            assert message.parts == ({"type": "text", "text": "hello"},)
    async with service([whole], SSE, encoding="zstd") as provider:
        assert "in the encoding 'zstd'" in (await failure(provider)).failure.message
    async with service([b"no gzip"], SSE, encoding="gzip") as provider:
        assert "compressed answer that is broken" in (await failure(provider)).failure.message


async def test_a_stop_works_at_once_while_a_bomb_is_decoded() -> None:
    async with service(bomb(16 * MIB, b"", b": keep waiting\n"), SSE, encoding="gzip", endless=True) as provider:
        task = asyncio.create_task(asked(provider))
        await asyncio.sleep(0.05)
        began = time.process_time()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert time.process_time() - began < 1


async def test_events_are_the_same_however_the_bytes_are_cut() -> None:
    body = "event: a\r\ndata: é1\r\ndata:2\r\n\r\n: note\n\ndata: 3\n\nid: 7\n\nevent: b\r\rdata: cut".encode()
    wanted = [("a", "é1\n2"), ("ping", ""), (None, "3"), ("b", "")]
    for size in (1, 2, 3, 7, len(body)):

        async def chunks(size: int = size) -> AsyncIterator[bytes]:
            for at in range(0, len(body), size):
                yield body[at : at + size]

        assert [tuple(event) async for batch in server_events(chunks()) for event in batch] == wanted
