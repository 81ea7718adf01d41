"""The proxy: hosts of a list and no others, limits, counts, and that it closes when anything is wrong."""

import asyncio
import errno
import os
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from desktop.domain.egress.values import Traffic
from desktop.services.egress import relay
from desktop.services.egress.client import LEND, LENT, PORT, VARIABLES, EgressClient, Limits
from desktop.services.egress.egress import DAY_S, Egress, KeptOut, Reach, Reports, Unreached
from desktop.services.egress.routes import Routes
from desktop.services.egress.tally import MOST_HOSTS, OTHERS
from desktop.services.egress.upstream import Upstream
from tests.services.egress.net import SITE, allowed, ask, echo_server, local_egress, names, tunnel, web_server

pytestmark = pytest.mark.asyncio


@pytest.mark.promise("guests-E1")
async def test_a_tunnel_to_a_host_of_the_list_passes_on_both_ways() -> None:
    egress = local_egress()
    async with echo_server() as port:
        with egress.client("command", "", allowed(f"{SITE}:{port}"), owner="s") as way:
            reader, writer, line = await tunnel(way.socket, f"{SITE}:{port}")
            assert line == b"HTTP/1.1 200 Connection established"
            writer.write(b"abc" * 100_000)
            writer.write_eof()
            assert await reader.read() == b"abc" * 100_000
            writer.close()
    assert egress.take("s") == (
        Traffic(kind="command", host=SITE, port=port, connections=1, bytes_up=300_000, bytes_down=300_000),
    )
    assert egress.take("s") == ()
    await egress.close()


@pytest.mark.promise("guests-E1")
async def test_a_request_for_a_whole_address_is_made_there_and_serves_nothing_else() -> None:
    egress = local_egress()
    async with web_server() as (port, heads):
        with egress.client("server", "db", allowed(f"{SITE}:{port}")) as way:
            said = await ask(
                way.socket,
                f"GET http://{SITE}:{port}/x?y HTTP/1.1\nHost: other.example\nProxy-Authorization: Basic eA==\n"
                "Connection: keep-alive\nAccept: */*\n\n",
            )
    assert said.endswith(b"\r\n\r\nhello")
    assert heads[0].decode().split("\r\n")[:4] == [
        "GET /x?y HTTP/1.1",
        f"Host: {SITE}:{port}",
        "Accept: */*",
        "Connection: close",
    ]
    assert b"Basic" not in heads[0]
    await egress.close()


REFUSED = [
    "CONNECT other.example:443 HTTP/1.1",
    "CONNECT site.example.evil.example:443 HTTP/1.1",
    "CONNECT evilsite.example:443 HTTP/1.1",
    "CONNECT sub.site.example:443 HTTP/1.1",
    "CONNECT site.example:22 HTTP/1.1",
    "CONNECT site.example:80 HTTP/1.1",
    "CONNECT 127.0.0.1:443 HTTP/1.1",
    "CONNECT 8.8.8.8:443 HTTP/1.1",
    "CONNECT [::1]:443 HTTP/1.1",
    "CONNECT localhost:443 HTTP/1.1",
    "GET http://site.example/ HTTP/1.1",
    "GET http://other.example/ HTTP/1.1",
]


@pytest.mark.promise("guests-E2")
@pytest.mark.parametrize("line", REFUSED)
async def test_a_host_or_port_that_is_not_on_the_list_is_answered_with_403(line: str) -> None:
    egress, told = local_egress(), list[KeptOut]()
    egress.kept_out.add(told.append)
    with egress.client("hook", "h1", allowed(SITE), owner="s") as way:
        said = await ask(way.socket, f"{line}\n\n")
    assert said.startswith(b"HTTP/1.1 403 Forbidden\r\n")
    assert f"{told[0].host}".encode() in said
    assert (told[0].owner, told[0].kind, told[0].client) == ("s", "hook", "h1")
    (counted,) = egress.take("s")
    assert (counted.host, counted.refused, counted.connections) == (told[0].host, 1, 0)
    await egress.close()


MALFORMED = [
    b"",
    b"hello\r\n\r\n",
    b"CONNECT site.example HTTP/1.1\r\n\r\n",
    b"CONNECT site.example:0 HTTP/1.1\r\n\r\n",
    b"CONNECT site.example:99999 HTTP/1.1\r\n\r\n",
    b"CONNECT 0x7f.1:443 HTTP/1.1\r\n\r\n",
    b"CONNECT 2130706433:443 HTTP/1.1\r\n\r\n",
    b"CONNECT a@site.example:443 HTTP/1.1\r\n\r\n",
    b"CONNECT site.example:443 HTTP/2\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: site.example\r\n\r\n",
    b"GET https://site.example/ HTTP/1.1\r\n\r\n",
    b"GET http://a:b@site.example/ HTTP/1.1\r\n\r\n",
    b"GET http://127.0.0.1/ HTTP/1.1\r\n\r\n",
    b"GET http://site.example/ HTTP/1.1\r\n folded: x\r\n\r\n",
    b"GET http://site.example/ HTTP/1.1\nHost: x\r\n\r\n",
    b"GET http://site.example/ HTTP/1.1\r\nA: b\rC: d\r\n\r\n",
    b"GET http://site.example/\tx HTTP/1.1\r\n\r\n",
    b"x" * 70_000,
]


@pytest.mark.parametrize("head", MALFORMED)
async def test_what_is_no_clear_request_is_answered_with_400_or_closed(head: bytes) -> None:
    egress = local_egress()
    with egress.client("command", "", allowed(SITE, f"{SITE}:80")) as way:
        reader, writer = await asyncio.open_unix_connection(str(way.socket))
        writer.write(head)
        writer.write_eof()
        try:
            said = await asyncio.wait_for(reader.read(), 20)
        except ConnectionResetError:
            said = b""
        writer.close()
    assert said == b"" if not head else said[:12] in (b"", b"HTTP/1.1 400")
    await egress.close()


@pytest.mark.promise("gate-W2")
@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["169.254.169.254"]])
async def test_a_host_of_the_list_that_leads_to_this_computer_is_refused(addresses: list[str]) -> None:
    egress = local_egress({"rebound.example": addresses})
    with egress.client("command", "", allowed("rebound.example"), owner="s") as way:
        said = await ask(way.socket, "CONNECT rebound.example:443 HTTP/1.1\n\n")
    assert b"403 Forbidden" in said
    assert b"not an address of the public network" in said
    assert egress.take("s")[0].refused == 1
    await egress.close()


async def test_this_computer_is_reached_at_a_port_that_is_named() -> None:
    egress = Egress()
    async with echo_server() as port:
        with egress.client("server", "db", allowed(f"localhost:{port}")) as way:
            _, writer, line = await tunnel(way.socket, f"localhost:{port}")
            writer.close()
    assert b"200" in line
    await egress.close()


async def test_a_host_that_cannot_be_reached_is_answered_with_502_and_told_with_its_reason() -> None:
    egress, told = local_egress({"none.example": []}), list[Unreached]()
    egress.unreached.add(told.append)
    async with echo_server() as port:
        pass
    places = (f"{SITE}:{port}", "unknown.example:443", "none.example:443")
    with egress.client("command", "", allowed(*places), owner="s") as way:
        for place in places:
            assert b"502 Bad Gateway" in await ask(way.socket, f"CONNECT {place} HTTP/1.1\n\n")
        await ask(way.socket, "CONNECT other.example:443 HTTP/1.1\n\n")
    assert told == [
        Unreached("s", SITE, port, "connection refused"),
        Unreached("s", "unknown.example", 443, "unknown.example is unknown"),
        Unreached("s", "none.example", 443, "none.example has no address"),
    ]
    await egress.close()


WHY = [
    (TimeoutError(), "no answer"),
    (OSError(), "no answer"),
    (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "its name was not found"),
    (OSError(errno.ENETUNREACH, "Network is unreachable"), "there is no way to it from here"),
    (ssl.SSLCertVerificationError(1, "no"), "its certificate is not trusted"),
    (OSError("x\n" * 1000), ("x " * 100).rstrip()),
]


@pytest.mark.parametrize(("error", "why"), WHY)
async def test_a_reason_that_a_host_is_not_reached_is_a_short_line(error: OSError, why: str) -> None:
    async def resolve(_host: str, _port: int) -> list[str]:
        raise error

    egress, told = Egress(lambda: Routes(resolve=resolve)), list[Unreached]()
    egress.unreached.add(told.append)
    with egress.client("command", "", allowed(SITE)) as way:
        said = await ask(way.socket, f"CONNECT {SITE}:443 HTTP/1.1\n\n")
    assert said.decode().endswith(f"{SITE}:443 cannot be reached: {why}.\n")
    assert [one.why for one in told] == [why]
    await egress.close()


@pytest.mark.promise("guests-E1")
async def test_a_tunnel_to_port_80_is_one_where_the_list_names_that_port() -> None:
    """Nothing need listen there: the list let it through, and the connection was tried."""
    egress = local_egress()
    with egress.client("guest", "g1", allowed(f"{SITE}:80"), owner="s") as way:
        _reader, writer, line = await tunnel(way.socket, f"{SITE}:80")
        writer.close()
    assert line.split()[1] in (b"200", b"502")
    assert not any(one.refused for one in egress.take("s"))
    await egress.close()


@pytest.mark.promise("guests-E4")
async def test_once_closed_nothing_connects_and_what_was_connected_has_ended() -> None:
    egress = local_egress()
    async with echo_server() as port:
        way = egress.client("command", "", allowed(f"{SITE}:{port}"))
        reader, writer, _ = await tunnel(way.socket, f"{SITE}:{port}")
        way.close()
        way.close()
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await reader.readexactly(1)
        with pytest.raises(OSError, match=r"No such file|refused"):
            await asyncio.open_unix_connection(str(way.socket))
        writer.close()
    await egress.close()


@asynccontextmanager
async def client_of(place: Path, limits: Limits) -> AsyncIterator[tuple[EgressClient, list[int], str]]:
    used, serving = [0], list[asyncio.Task[None]]()

    def use(more: int) -> int:
        used[0] += more
        return used[0]

    routes = Routes(resolve=names({SITE: ["127.0.0.1"]}), private=frozenset({SITE}))
    reports = Reports(lambda *_, **__: None, lambda *_: None, lambda *_: None, lambda: None, use, serving.append)
    async with echo_server() as port:
        target = f"{SITE}:{port}"
        with EgressClient(Reach(allowed(target)), place, routes, reports, limits) as client:
            yield client, used, target
    await asyncio.gather(*serving, return_exceptions=True)
    await asyncio.sleep(0)


@pytest.mark.promise("guests-E4")
async def test_a_client_has_so_many_connections_at_a_time(tmp_path: Path) -> None:
    async with client_of(tmp_path / "s", Limits(connections=2)) as (client, _, target):
        kept = [await tunnel(client.socket, target) for _ in range(2)]
        assert (await ask(client.socket, b"")).startswith(b"HTTP/1.1 503 Busy")
        for _, writer, _ in kept:
            writer.close()


@pytest.mark.promise("guests-E4")
async def test_a_client_has_so_many_bytes_a_day(tmp_path: Path) -> None:
    async with client_of(tmp_path / "s", Limits(bytes_a_day=1_000)) as (client, used, target):
        reader, writer, _ = await tunnel(client.socket, target)
        writer.write(b"x" * 2_000)
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await reader.readexactly(2_000)
        writer.close()
        assert used[0] >= 2_000
        assert b"429" in await ask(client.socket, f"CONNECT {target} HTTP/1.1\n\n")


@pytest.mark.promise("guests-E4")
async def test_a_connection_on_which_nothing_comes_is_ended(tmp_path: Path) -> None:
    async with client_of(tmp_path / "s", Limits(idle_s=0.05, head_s=0.5)) as (client, _, target):
        reader, writer, _ = await tunnel(client.socket, target)
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await asyncio.wait_for(reader.readexactly(1), 20)
        writer.close()
        silent, writer = await asyncio.open_unix_connection(str(client.socket))
        assert await asyncio.wait_for(silent.read(), 20) == b""
        writer.close()


async def test_the_bytes_of_clients_of_one_name_count_together_for_a_day() -> None:
    now = [0.0]
    egress = Egress(lambda: Routes(resolve=names({})), clock=lambda: now[0])
    first = egress.client("server", "db", allowed(SITE), owner="p")
    second = egress.client("server", "db", allowed(SITE), owner="p")
    assert isinstance(first, EgressClient)
    assert isinstance(second, EgressClient)
    assert (first._reports.used(5), second._reports.used(6)) == (5, 11)
    now[0] = DAY_S
    assert second._reports.used(1) == 1
    await egress.close()


@pytest.mark.promise("guests-E1")
async def test_a_listening_socket_that_is_lent_is_served_and_one_alone() -> None:
    egress = local_egress()
    async with echo_server() as port:
        with egress.client("command", "", allowed(f"{SITE}:{port}")) as way:
            for expected in (LENT, b""):
                server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
                server.bind(("127.0.0.1", 0))
                lent_port = server.getsockname()[1]
                proxy = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                proxy.connect(str(way.socket))
                socket.send_fds(proxy, [LEND], [server.fileno()])
                proxy.setblocking(False)
                assert await asyncio.get_running_loop().sock_recv(proxy, 8) == expected
                server.close()
                proxy.close()
                if expected:
                    reader, writer = await asyncio.open_connection("127.0.0.1", lent_port)
                    writer.write(f"CONNECT {SITE}:{port} HTTP/1.1\r\n\r\n".encode())
                    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
                    writer.close()
    await egress.close()


async def test_another_open_file_is_not_taken_for_a_socket() -> None:
    egress = local_egress()
    with egress.client("command", "", allowed(SITE)) as way:
        for words, family in ((b"listen\n", socket.AF_UNIX), (b"GET / ", socket.AF_INET)):
            mine = socket.socket(family, socket.SOCK_STREAM)
            proxy = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            proxy.connect(str(way.socket))
            socket.send_fds(proxy, [words], [mine.fileno()])
            proxy.setblocking(False)
            assert await asyncio.get_running_loop().sock_recv(proxy, 8) == b""
            mine.close()
            proxy.close()
    await egress.close()


async def test_a_file_that_is_lent_again_and_again_is_not_kept_open(tmp_path: Path) -> None:
    egress = local_egress()
    with egress.client("command", "", allowed(SITE)) as way, (tmp_path / "file").open("wb") as file:
        before = len(list(Path("/dev/fd").iterdir()))
        for _ in range(20):
            proxy = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            proxy.connect(str(way.socket))
            socket.send_fds(proxy, [LEND], [file.fileno()])
            proxy.setblocking(False)
            assert await asyncio.get_running_loop().sock_recv(proxy, 8) == b""
            proxy.close()
        await asyncio.sleep(0.05)
        assert len(list(Path("/dev/fd").iterdir())) <= before + 1
    await egress.close()


async def test_a_lent_socket_that_its_owner_ends_is_looked_at_no_more() -> None:
    egress = local_egress()
    with egress.client("command", "", allowed(SITE)) as way:
        server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        server.bind(("127.0.0.1", 0))
        proxy = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        proxy.connect(str(way.socket))
        socket.send_fds(proxy, [LEND], [server.fileno()])
        proxy.setblocking(False)
        assert await asyncio.get_running_loop().sock_recv(proxy, 8) == LENT
        server.shutdown(socket.SHUT_RDWR)
        await asyncio.sleep(0.1)
        assert isinstance(way, EgressClient)
        first, lent = (one.fileno() for one in way._listening)
        loop = asyncio.get_running_loop()
        assert (loop.remove_reader(first), loop.remove_reader(lent)) == (True, False)
        server.close()
        proxy.close()
    await egress.close()


async def test_the_program_inside_and_the_proxy_outside_mean_the_same() -> None:
    assert (relay.PORT, relay.LEND, relay.LENT) == (PORT, LEND, LENT)
    assert VARIABLES["https_proxy"] == VARIABLES["HTTP_PROXY"] == f"http://127.0.0.1:{PORT}"


async def test_a_client_that_tries_ever_more_hosts_is_counted_together_in_the_end() -> None:
    egress = local_egress()
    for number in range(MOST_HOSTS + 5):
        egress.note("s", Traffic(kind="web", host=f"h{number}.example", connections=1))
    counted = egress.take("s")
    assert len(counted) == MOST_HOSTS + 1
    assert next(one for one in counted if one.host == OTHERS).connections == 5
    assert egress.owners() == ()


@pytest.mark.promise("guests-E6")
@pytest.mark.parametrize("by_name", [False, True])
async def test_a_proxy_of_the_person_is_given_the_judged_address_or_the_name(by_name: bool) -> None:
    lines: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines.append((await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0])
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nfirst words")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        upstream = Upstream("127.0.0.1", server.sockets[0].getsockname()[1], names=by_name)
        egress = local_egress({"far.example": ["8.8.8.8"], "near.example": ["10.0.0.1"]}, upstream)
        with egress.client("command", "", allowed("far.example", "near.example")) as way:
            reader, writer, line = await tunnel(way.socket, "far.example:443")
            assert line.startswith(b"HTTP/1.1 200")
            assert await reader.read() == b"first words"
            writer.close()
            said = await ask(way.socket, "CONNECT near.example:443 HTTP/1.1\n\n")
            assert said.startswith(b"HTTP/1.1 200" if by_name else b"HTTP/1.1 403")
        assert lines[0] == (b"CONNECT far.example:443 HTTP/1.1" if by_name else b"CONNECT 8.8.8.8:443 HTTP/1.1")
    await egress.close()


@pytest.mark.promise("guests-E6")
@pytest.mark.parametrize("answer", [b"HTTP/1.1 407 No\r\n\r\n", b"nonsense\r\n\r\n", b"", b"x" * 20_000])
async def test_a_proxy_of_the_person_that_fails_opens_nothing(answer: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        upstream = Upstream("127.0.0.1", server.sockets[0].getsockname()[1])
        egress = local_egress({"far.example": ["8.8.8.8"]}, upstream)
        with egress.client("command", "", allowed("far.example")) as way:
            assert b"502 Bad Gateway" in await ask(way.socket, "CONNECT far.example:443 HTTP/1.1\n\n")
    await egress.close()


async def test_the_socket_is_for_its_owner_alone_and_gone_afterwards() -> None:
    egress = local_egress()
    way = egress.client("command", "", allowed(SITE))
    assert way.socket.stat().st_mode & 0o077 == 0
    assert way.socket.parent.stat().st_mode & 0o077 == 0
    assert len(os.fsencode(way.socket)) < 108
    await egress.close()
    assert not way.socket.parent.exists()


async def test_a_connection_that_comes_while_its_client_ends_is_closed(tmp_path: Path) -> None:
    held: list[EgressClient] = []
    ends = asyncio.Event()

    def close(task: asyncio.Task[None]) -> None:
        held.pop().close()
        task.add_done_callback(lambda _: ends.set())

    reports = Reports(lambda *_, **__: None, lambda *_: None, lambda *_: None, lambda: None, lambda _: 0, close)
    held.append(EgressClient(Reach(()), tmp_path / "egress.sock", Routes(), reports))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        caller.setblocking(False)
        caller.connect(str(tmp_path / "egress.sock"))
        await ends.wait()
        async with asyncio.timeout(10):
            assert await asyncio.get_running_loop().sock_recv(caller, 1) == b""
