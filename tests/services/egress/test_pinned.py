"""Connections of our own HTTP requests lead to judged addresses alone."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import httpcore2
import httpx2
import pytest

from desktop.services.egress.connecting import (
    AddressRefused,
    Resolver,
    first_socket,
    judged_addresses,
    system_addresses,
)
from desktop.services.egress.pinned import PinnedBackend
from desktop.services.egress.upstream import Upstream


def names(**known: Sequence[str]) -> Resolver:
    async def resolve(host: str, _port: int) -> Sequence[str]:
        found = known.get(host.partition(".")[0])
        if found is None:
            raise OSError(f"{host} is unknown.")
        return found

    return resolve


@asynccontextmanager
async def server(address: str = "127.0.0.1", port: int = 0) -> AsyncIterator[tuple[int, list[bytes]]]:
    """A web server that says which address it was reached at; with the requests that it got."""
    got: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        got.append(await reader.readuntil(b"\r\n\r\n"))
        body = address.encode()
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    served = await asyncio.start_server(answer, address, port)
    async with served:
        yield served.sockets[0].getsockname()[1], got


async def text_at(backend: PinnedBackend, url: str) -> str:
    async with httpcore2.AsyncConnectionPool(network_backend=backend) as pool:
        answer = await pool.request("GET", url, extensions={"timeout": {"connect": 5.0, "read": 5.0}})
        return answer.content.decode()


def test_a_named_private_host_is_reached_under_its_own_name() -> None:
    async def run() -> None:
        backend = PinnedBackend(resolve=names(wiki=["127.0.0.1"]), private=frozenset({"wiki.example"}))
        async with server() as (port, got):
            assert await text_at(backend, f"http://wiki.example:{port}/") == "127.0.0.1"
        assert f"Host: wiki.example:{port}".encode() in got[0]
        assert backend.reached == {"wiki.example": "127.0.0.1"}

    asyncio.run(run())


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["127.0.0.1", "8.8.8.8"], ["::ffff:127.0.0.1"], ["169.254.169.254"]],
)
@pytest.mark.promise("gate-W2")
def test_nothing_is_connected_to_when_one_address_is_not_public(addresses: list[str]) -> None:
    async def run() -> None:
        backend = PinnedBackend(resolve=names(evil=addresses), private=frozenset({"wiki.example"}))
        async with server() as (port, got):
            with pytest.raises(AddressRefused, match="is not an address of the public network"):
                await text_at(backend, f"http://evil.example:{port}/")
        assert got == []

    asyncio.run(run())


def test_a_refusal_comes_through_the_client_library_as_it_is() -> None:
    async def run() -> None:
        transport = httpx2.AsyncHTTPTransport(trust_env=False)
        await transport.aclose()
        transport._pool = httpcore2.AsyncConnectionPool(network_backend=PinnedBackend())
        async with httpx2.AsyncClient(transport=transport, trust_env=False) as client:
            with pytest.raises(AddressRefused):
                await client.get("http://127.0.0.1:9/")

    asyncio.run(run())


@pytest.mark.promise("gate-W2")
def test_a_name_that_leads_elsewhere_later_is_connected_where_it_was_judged() -> None:
    asked: list[str] = []

    async def alternating(host: str, _port: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) % 2 else ["127.0.0.2"]

    async def run() -> None:
        backend = PinnedBackend(resolve=alternating, private=frozenset({"wiki.example"}))
        async with server("127.0.0.1") as (port, _), server("127.0.0.2", port):
            said = [await text_at(backend, f"http://wiki.example:{port}/") for _ in range(4)]
        assert said == ["127.0.0.1", "127.0.0.2"] * 2
        assert len(asked) == 4

    asyncio.run(run())


def test_the_next_address_is_tried_when_one_takes_no_connection() -> None:
    async def run() -> None:
        backend = PinnedBackend(resolve=names(wiki=["127.0.0.3", "127.0.0.1"]), private=frozenset({"wiki.example"}))
        async with server() as (port, _):
            assert await text_at(backend, f"http://wiki.example:{port}/") == "127.0.0.1"

    asyncio.run(run())


@pytest.mark.parametrize(("known", "words"), [({}, "is unknown"), ({"wiki": []}, "has no address")])
def test_a_host_without_an_address_is_an_error_of_the_connection(known: dict[str, list[str]], words: str) -> None:
    async def run() -> None:
        backend = PinnedBackend(resolve=names(**known), private=frozenset({"wiki.example"}))
        with pytest.raises(httpcore2.ConnectError, match=words):
            await text_at(backend, "http://wiki.example:9/")

    asyncio.run(run())


def test_a_host_that_takes_no_connection_and_a_slow_resolver_are_told_apart() -> None:
    async def never(_host: str, _port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    async def run() -> None:
        async with server() as (port, _):
            pass
        backend = PinnedBackend(resolve=names(wiki=["127.0.0.1"]), private=frozenset({"wiki.example"}))
        with pytest.raises(httpcore2.ConnectError):
            await text_at(backend, f"http://wiki.example:{port}/")
        with pytest.raises(httpcore2.ConnectTimeout):
            await PinnedBackend(resolve=never).connect_tcp("wiki.example", 80, timeout=0.01)

    asyncio.run(run())


def test_sockets_of_this_computer_are_not_reached() -> None:
    with pytest.raises(httpcore2.ConnectError):
        asyncio.run(PinnedBackend().connect_unix_socket("/run/docker.sock"))


def test_the_resolver_of_this_computer_gives_each_address_once() -> None:
    assert "127.0.0.1" in asyncio.run(system_addresses("127.0.0.1", 80))


def test_with_no_address_left_the_last_error_is_told() -> None:
    with pytest.raises(OSError, match="no address"):
        asyncio.run(first_socket((), 80))
    with pytest.raises(AddressRefused):
        asyncio.run(judged_addresses("localhost", 80))


@asynccontextmanager
async def proxy(answer: bytes = b"HTTP/1.1 200 OK\r\n\r\n") -> AsyncIterator[tuple[int, list[bytes]]]:
    """A proxy that says this to every tunnel, and is itself the host behind it; with the places it was asked for."""
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0])
        writer.write(answer)
        await writer.drain()
        if answer.endswith(b"OK\r\n\r\n"):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\nfar")
        writer.close()

    served = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with served:
        yield served.sockets[0].getsockname()[1], asked


@pytest.mark.promise("guests-E6")
@pytest.mark.parametrize("by_name", [False, True])
def test_requests_of_our_own_go_through_the_proxy_of_the_person(by_name: bool) -> None:
    async def run() -> None:
        known = names(far=["8.8.8.8"], near=["10.0.0.1"], wiki=["127.0.0.1"])
        async with proxy() as (port, asked), server() as (own, got):
            through = Upstream("127.0.0.1", port, names=by_name)
            private = frozenset({"wiki.example"})
            backend = PinnedBackend(resolve=known, private=private, upstream=lambda: through)
            assert await text_at(backend, "http://far.example/") == "far"
            place = b"far.example" if by_name else b"8.8.8.8"
            assert asked == [b"CONNECT " + place + b":80 HTTP/1.1"]
            assert backend.reached["far.example"] == (f"127.0.0.1:{port}" if by_name else "8.8.8.8")
            if not by_name:
                with pytest.raises(AddressRefused):
                    await text_at(backend, "http://near.example/")
            assert await text_at(backend, f"http://wiki.example:{own}/") == "127.0.0.1"
        assert len(got) == 1, "a host of the person's own network is reached without the proxy"
        assert len(asked) == 1

    asyncio.run(run())


@pytest.mark.promise("guests-E6")
@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 407 No\r\n\r\n", b"nonsense\r\n\r\n", b"", b"HTTP/1.1 200 OK\r\n\r\nearly"]
)
def test_requests_of_our_own_go_nowhere_when_the_proxy_fails(answer: bytes) -> None:
    async def run() -> None:
        async with proxy(answer) as (port, _), server() as (own, got):
            through = Upstream("127.0.0.1", port)
            backend = PinnedBackend(resolve=names(far=["8.8.8.8"]), upstream=lambda: through)
            with pytest.raises(httpcore2.ConnectError, match="proxy of the settings"):
                await text_at(backend, f"http://far.example:{own}/")
        assert got == []

    asyncio.run(run())


def test_a_proxy_that_is_none_opens_nothing() -> None:
    def broken() -> Upstream | None:
        raise OSError("the proxy of the settings is none: no host")

    async def run() -> None:
        backend = PinnedBackend(resolve=names(far=["8.8.8.8"]), upstream=broken)
        with pytest.raises(httpcore2.ConnectError, match="is none"):
            await text_at(backend, "http://far.example/")

    asyncio.run(run())
