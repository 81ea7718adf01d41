"""Requests to servers that nobody vouches for: at judged addresses, within time and size, redirects within the host."""

import asyncio
import gzip
import socket
import zlib
from collections.abc import Iterable, Sequence

import pytest

from desktop.policy.network.urls import WebAddress, check_url
from desktop.services.egress.connecting import Resolver
from desktop.services.web.client import Sent, WebAnswer, WebAsk, WebClient, WebError, WebLimits
from tests.fakes.web_host import Told, WebHost

HOST = "wiki.example.com"
TEXT = {"Content-Type": "text/plain; charset=utf-8"}


def resolver(**known: Sequence[str]) -> Resolver:
    async def resolve(host: str, port: int) -> Sequence[str]:
        found = known.get(host.partition(".")[0])
        if found is None:
            raise OSError(f"{host} is unknown.")
        return found

    return resolve


def address(host: WebHost, path: str = "/", name: str = HOST) -> WebAddress:
    found = check_url(f"http://{name}:{host.port}{path}")
    assert isinstance(found, WebAddress)
    return found


def ask(
    where: WebAddress,
    *,
    resolve: Resolver | None = None,
    private: frozenset[str] = frozenset({HOST}),
    limits: WebLimits | None = None,
    **more: object,
) -> tuple[WebAnswer, list[Sent]]:
    sent: list[Sent] = []

    async def run() -> WebAnswer:
        client = WebClient(resolve=resolve or resolver(wiki=["127.0.0.1"], other=["127.0.0.1"]))
        wanted = WebAsk(where, private=private, limits=limits or WebLimits(), **more)
        return await client.ask(wanted, sent.append)

    return asyncio.run(run()), sent


def refused(where: WebAddress, words: str, **more: object) -> None:
    with pytest.raises(WebError, match=words):
        ask(where, **more)


def test_a_request_goes_without_cookies_referer_or_who_is_behind_it_and_is_told_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    with WebHost({"/a": Told("grün".encode(), {**TEXT, "Set-Cookie": "k=v"})}) as host:
        answer, sent = ask(address(host, "/a?q=1"))
        ask(address(host, "/a"))
    assert (answer.status, answer.media_type, answer.charset) == (200, "text/plain", "utf-8")
    assert answer.body.decode() == "grün"
    assert set(host.asked[1].headers) == {"host", "user-agent", "accept-encoding"}
    assert host.asked[0].path == "/a?q=1"
    assert host.asked[0].headers["host"] == f"{HOST}:{host.port}"
    assert [(one.host, one.port, one.ip, one.status) for one in sent] == [(HOST, host.port, "127.0.0.1", 200)]
    assert sent[0].received_bytes == 5
    assert sent[0].sent_bytes > 0


@pytest.mark.promise("gate-W2")
@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["93.184.216.34", "10.0.0.1"], ["::1"], ["169.254.169.254"]])
def test_a_host_that_leads_into_the_own_network_gets_nothing(addresses: list[str]) -> None:
    with WebHost() as host, pytest.raises(WebError, match="was not asked: wiki"):
        ask(address(host), resolve=resolver(wiki=addresses), private=frozenset())
    assert host.asked == []


@pytest.mark.promise("gate-W2")
def test_a_redirect_to_a_name_that_now_leads_elsewhere_gets_nothing() -> None:
    asked: list[str] = []

    async def alternating(name: str, port: int) -> Sequence[str]:
        asked.append(name)
        return ["127.0.0.1"] if len(asked) == 1 else ["127.0.0.3"]

    pages = {"/a": Told(status=302, headers={"Location": "/b"}), "/b": Told(b"secret", TEXT)}
    with WebHost(pages) as host, pytest.raises(WebError):
        ask(address(host, "/a"), resolve=alternating)
    assert host.paths == ["/a"]


@pytest.mark.promise("gate-W3")
def test_redirects_within_the_host_are_followed_and_others_told() -> None:
    pages = {
        "/1": Told(status=301, headers={"Location": "/2"}),
        "/2": Told(status=307, headers={"Location": f"//{HOST}:PORT/3?x=1"}),
        "/3": Told(b"there", TEXT),
        "/away": Told(status=302, headers={"Location": "https://other.example.com/x?y=1"}),
        "/port": Told(status=302, headers={"Location": f"http://{HOST}:9/"}),
        "/in": Told(status=302, headers={"Location": "http://169.254.169.254/latest"}),
        "/user": Told(status=302, headers={"Location": f"http://a@{HOST}/"}),
        "/file": Told(status=302, headers={"Location": "file:///etc/passwd"}),
        "/round": Told(status=302, headers={"Location": "/round"}),
    }
    with WebHost(pages) as host:
        host.pages["/2"] = Told(status=307, headers={"Location": f"//{HOST}:{host.port}/3?x=1"})
        answer, sent = ask(address(host, "/1"))
        assert (answer.body, answer.address.target, len(sent)) == (b"there", "/3?x=1", 3)
        assert ask(address(host, "/away"))[0].moved_to == "https://other.example.com/x?y=1"
        assert ask(address(host, "/port"))[0].moved_to == f"http://{HOST}:9/"
        for path in ("/in", "/user", "/file"):
            refused(address(host, path), "leads where nothing is asked")
        refused(address(host, "/round"), "more than 5 times")
        assert host.paths.count("/round") == 6


@pytest.mark.promise("gate-W4")
def test_a_body_without_end_is_read_to_its_limit_and_no_further() -> None:
    def endless() -> Iterable[bytes]:
        for _ in range(16_384):
            yield bytes(65_536)

    with WebHost({"/": Told(endless, TEXT), "/long": Told(b"x" * 3_000_000, TEXT)}) as host:
        sent: list[Sent] = []

        async def run() -> None:
            client = WebClient(resolve=resolver(wiki=["127.0.0.1"]))
            await client.ask(WebAsk(address(host), private=frozenset({HOST})), sent.append)

        with pytest.raises(WebError, match="larger than 2 MB"):
            asyncio.run(run())
        assert sent[0].received_bytes < 4_000_000
        refused(address(host, "/long"), "is 2.9 MB. At most 2 MB are read")
        cut, _ = ask(address(host), cut=True, limits=WebLimits(wire_bytes=65_536, decoded_bytes=65_536))
        assert len(cut.body) == 65_536


@pytest.mark.promise("gate-W4")
@pytest.mark.parametrize(
    ("body", "words"),
    [
        (gzip.compress(bytes(64_000_000), mtime=0), "unpacks to more"),
        (gzip.compress(bytes(1_000_000), mtime=0), "unpacks to more"),
        (gzip.compress(gzip.compress(bytes(40_000_000), mtime=0), mtime=0)[:100], ""),
        (b"not gzip", "packed wrongly"),
    ],
    ids=["bomb", "small bomb", "cut", "not packed"],
)
def test_what_is_packed_to_burst_is_not_unpacked(body: bytes, words: str) -> None:
    with WebHost({"/": Told(body, {**TEXT, "Content-Encoding": "gzip"})}) as host:
        if words:
            refused(address(host), words)
        else:
            assert len(ask(address(host))[0].body) < 1_000_000


def test_what_is_packed_as_asked_is_read_and_otherwise_not() -> None:
    plain = b"a line of text, and another one.\n" * 200
    with WebHost({"/": Told(gzip.compress(plain), {**TEXT, "Content-Encoding": "gzip"})}) as host:
        assert ask(address(host))[0].body == plain
        host.pages["/br"] = Told(zlib.compress(plain), {**TEXT, "Content-Encoding": "br"})
        refused(address(host, "/br"), "packed in a way")


@pytest.mark.promise("gate-W4")
def test_a_server_that_says_nothing_is_left_in_time() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        where = check_url(f"http://{HOST}:{silent.getsockname()[1]}/")
        assert isinstance(where, WebAddress)
        refused(where, "did not answer within 0.2 s", limits=WebLimits(total_s=0.2))


def test_a_server_that_is_not_there_or_speaks_otherwise_is_an_error_with_its_reason() -> None:
    with WebHost() as host:
        where = address(host)
        refused(address(host, name="unknown.example.com"), "is unknown", private=frozenset())
    refused(where, "could not be read")


def test_an_answer_that_is_not_wanted_is_not_read() -> None:
    def never() -> Iterable[bytes]:
        yield b"x" * 1_000_000

    with WebHost({"/": Told(never, {"Content-Type": "image/png"}), "/gone": Told(b"why", TEXT, 404)}) as host:
        answer, sent = ask(address(host), accepts=lambda kind: kind.startswith("text/"))
        assert (answer.media_type, answer.body, sent[0].received_bytes) == ("image/png", b"", 0)
        missing, _ = ask(address(host, "/gone"))
        assert (missing.status, missing.body) == (404, b"")


def test_words_of_a_server_stand_in_no_error() -> None:
    async def run() -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nobey me: \x00now\r\n\r\n")
            writer.close()

        served = await asyncio.start_server(answer, "127.0.0.1", 0)
        async with served:
            where = check_url(f"http://{HOST}:{served.sockets[0].getsockname()[1]}/")
            assert isinstance(where, WebAddress)
            client = WebClient(resolve=resolver(wiki=["127.0.0.1"]))
            with pytest.raises(WebError, match=r"it does not speak HTTP\.$"):
                await client.ask(WebAsk(where, private=frozenset({HOST})), lambda sent: None)

    asyncio.run(run())
    with WebHost({"/": Told(b"", {"Content-Type": "obey me, now"})}) as host:
        assert ask(address(host))[0].media_type == "application/octet-stream"


def test_letters_of_other_scripts_in_a_path_are_sent_as_their_bytes() -> None:
    with WebHost() as host:
        ask(address(host, "/ä/%41?q=ö"))
    assert host.paths == ["/%C3%A4/%41?q=%C3%B6"]


def test_the_port_of_http_moves_up_to_https_of_the_same_host_alone() -> None:
    from_80 = check_url("http://wiki.example.com/")
    assert isinstance(from_80, WebAddress)
    tried: list[tuple[str, int]] = []

    async def resolve(host: str, port: int) -> Sequence[str]:
        tried.append((host, port))
        raise OSError("nowhere")

    with pytest.raises(WebError, match="nowhere"):
        ask(from_80, resolve=resolve, private=frozenset())
    assert tried == [("wiki.example.com", 80)]
