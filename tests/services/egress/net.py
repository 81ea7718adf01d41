"""Servers on this computer that stand for hosts of the network, and requests to the proxy."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from desktop.policy.network.hosts import AllowedHost, check_allowed
from desktop.services.egress.connecting import Resolver
from desktop.services.egress.egress import Egress
from desktop.services.egress.routes import Routes
from desktop.services.egress.upstream import Upstream

SITE = "site.example"


def allowed(*lines: str) -> tuple[AllowedHost, ...]:
    found = tuple(check_allowed(line) for line in lines)
    assert all(isinstance(one, AllowedHost) for one in found)
    return tuple(one for one in found if isinstance(one, AllowedHost))


def names(known: dict[str, Sequence[str]]) -> Resolver:
    async def resolve(host: str, _port: int) -> Sequence[str]:
        if host not in known:
            raise OSError(f"{host} is unknown.")
        return known[host]

    return resolve


def local_egress(known: dict[str, Sequence[str]] | None = None, upstream: Upstream | None = None) -> Egress:
    """A proxy for which `site.example` stands on this computer."""
    table = {SITE: ["127.0.0.1"], f"www.{SITE}": ["127.0.0.1"], **(known or {})}
    private = frozenset({SITE, f"www.{SITE}"})
    return Egress(lambda: Routes(resolve=names(table), private=private, upstream=lambda: upstream))


@asynccontextmanager
async def echo_server() -> AsyncIterator[int]:
    """Gives back what it gets, until it gets no more."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(65_536):
            writer.write(piece)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@asynccontextmanager
async def web_server(body: bytes = b"hello") -> AsyncIterator[tuple[int, list[bytes]]]:
    """Answers each request with this; with the heads that it got."""
    heads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], heads


async def ask(place: Path, request: str | bytes) -> bytes:
    """All that the proxy answers, until it closes."""
    reader, writer = await asyncio.open_unix_connection(str(place))
    writer.write(request if isinstance(request, bytes) else request.replace("\n", "\r\n").encode())
    try:
        return await asyncio.wait_for(reader.read(), 20)
    finally:
        writer.close()


async def tunnel(place: Path, target: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, bytes]:
    """A tunnel, with the first line of the answer."""
    reader, writer = await asyncio.open_unix_connection(str(place))
    writer.write(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
    return reader, writer, head.split(b"\r\n")[0]
