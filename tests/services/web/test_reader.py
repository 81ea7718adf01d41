"""Pages as text; robots.txt of each kind; what lies about being text."""

import asyncio
from collections.abc import Sequence

import pytest

from desktop.policy.network.urls import WebAddress, check_url
from desktop.services.web.client import Sent, WebAnswer, WebClient, WebError
from desktop.services.web.pages import Page
from desktop.services.web.reader import WebReader
from desktop.services.web.robots import robots_of
from tests.fakes.web_host import Told, WebHost

HOST = "wiki.example.com"
PRIVATE = frozenset({HOST})
TEXT = {"Content-Type": "text/plain"}


async def resolve(host: str, port: int) -> Sequence[str]:
    return ["127.0.0.1"]


class Reading:
    """A reader whose hour a test ends."""

    def __init__(self) -> None:
        self.now = 0.0
        self.sent: list[Sent] = []
        self.reader = WebReader(WebClient(resolve=resolve), resolve=resolve, clock=lambda: self.now)

    async def read(self, host: WebHost, path: str, *, obeys: bool = True) -> tuple[WebAnswer, Page]:
        url = f"http://{HOST}:{host.port}{path}"
        return await self.reader.read(url, PRIVATE, self.sent.append, obeys=obeys)


FORBIDS = b"User-agent: *\nDisallow: /private\n"


@pytest.mark.promise("guests-W5")
@pytest.mark.parametrize(
    ("robots", "reads"),
    [
        (Told(FORBIDS, TEXT), False),
        (Told(b"User-agent: Banksman\nDisallow: /\n", TEXT), False),
        (Told(b"User-agent: other\nDisallow: /\n", TEXT), True),
        (Told(b"<html>not found</html>"), True),
        (Told(b"gone", status=404), True),
        (Told(b"", status=503), True),
        (Told(b"", status=401), False),
        (Told(b"", status=403), False),
        (Told(b"", {"Location": "/rules.txt"}, 302), False),
        (Told(b"", {"Location": "https://elsewhere.example.com/robots.txt"}, 302), True),
        (Told(b"\xff\xfe\x00 nonsense", TEXT), True),
        (Told(FORBIDS + b"#" * 2_000_000, TEXT), False),
    ],
)
def test_what_a_site_asks_of_programs_is_kept_to(robots: Told, reads: bool) -> None:
    async def run() -> None:
        pages = {"/robots.txt": robots, "/rules.txt": Told(FORBIDS, TEXT), "/private/a": Told(b"words", TEXT)}
        with WebHost(pages) as host:
            reading = Reading()
            if reads:
                assert (await reading.read(host, "/private/a"))[1].text == "words"
            else:
                with pytest.raises(WebError, match="its site asks programs not to read it"):
                    await reading.read(host, "/private/a")
                assert "/private/a" not in host.paths
            assert (await reading.read(host, "/private/a", obeys=False))[1].text == "words"

    asyncio.run(run())


@pytest.mark.promise("guests-W5")
def test_robots_are_asked_for_once_an_hour_and_not_when_a_person_looked() -> None:
    async def run() -> None:
        with WebHost({"/robots.txt": Told(FORBIDS, TEXT), "/a": Told(b"words", TEXT)}) as host:
            reading = Reading()
            await reading.read(host, "/a", obeys=False)
            assert host.paths == ["/a"]
            await reading.read(host, "/a")
            await reading.read(host, "/a")
            assert host.paths == ["/a", "/robots.txt", "/a", "/a"]
            reading.now = 3_601.0
            await reading.read(host, "/a")
            assert host.paths.count("/robots.txt") == 2
            assert len(reading.sent) == len(host.asked)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("text", "path", "forbids"),
    [
        ("User-agent: *\nDisallow:", "/a", False),
        ("User-agent: *\nDisallow: /\nAllow: /open", "/open/x", False),
        ("User-agent: *\nDisallow: /\nAllow: /open", "/closed", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?z", False),
        ("User-agent: *\nDisallow: /a*b*c", "/axxbyyc/more", True),
        ("User-agent: *\nDisallow: /a$", "/a", True),
        ("User-agent: *\nDisallow: /a$", "/ab", False),
        ("User-agent: *\nDisallow: /ab*b$", "/ab", False),
        ("user-agent : BANKSMAN/1.0\ndisallow: /x # why\n\nUser-agent: *\nDisallow: /", "/y", False),
        ("User-agent: a\nUser-agent: Banksman\nDisallow: /x", "/x", True),
        ("User-agent: a\nDisallow: /\nUser-agent: *\nAllow: /", "/x", False),
        ("User-agent: Banksman\nCrawl-delay: 5\nUser-agent: *\nDisallow: /", "/x", False),
        ("Disallow: /", "/x", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", False),
        ("User-agent: *\nDisallow: " + "*a" * 3_000, "/" + "a" * 2_999, False),
    ],
)
def test_the_rules_of_a_site_are_read_as_they_are_written(text: str, path: str, forbids: bool) -> None:
    assert robots_of(text).forbid(path) is forbids


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (b"%PDF-1.7", "application/pdf", "is application/pdf, 8 bytes. Only text, JSON and XML are read"),
        (b"PK\x03\x04", "application/zip", "is application/zip"),
        (b"\x89PNG\r\n", "image/png", "is image/png"),
        (b"\x00\x00\x00 ftyp", "video/mp4", "is video/mp4"),
        (b"%PDF-1.7", "text/html", "says that it is text .text/html. and is not; it has 8 bytes"),
        (b"PK\x03\x04", "text/plain", "is not"),
        (b"a\x00b", "text/html", "is not"),
    ],
)
def test_what_is_no_text_is_told_by_type_and_size(body: bytes, kind: str, words: str) -> None:
    async def run() -> None:
        with WebHost({"/": Told(body, {"Content-Type": kind})}) as host, pytest.raises(WebError, match=words):
            await Reading().read(host, "/", obeys=False)

    asyncio.run(run())


def test_an_error_of_the_server_is_told_with_its_number_and_a_move_with_its_target() -> None:
    async def run() -> None:
        pages = {"/away": Told(status=301, headers={"Location": "https://other.example.com/"})}
        with WebHost(pages) as host:
            with pytest.raises(WebError, match="answered 404") as told:
                await Reading().read(host, "/none", obeys=False)
            assert told.value.status == 404
            answer, page = await Reading().read(host, "/away", obeys=False)
            assert (answer.moved_to, page.text) == ("https://other.example.com/", "")

    asyncio.run(run())


def test_a_person_who_looks_is_told_where_it_leads_and_what_the_site_asks() -> None:
    async def run() -> None:
        with WebHost({"/robots.txt": Told(FORBIDS, TEXT)}) as host:
            reading = Reading()
            url = f"http://{HOST}:{host.port}/private"
            first, second = await reading.reader.look(url, PRIVATE, reading.sent.append)
            assert first == f"{HOST} leads to 127.0.0.1."
            assert second.startswith("The site asks programs not to read this page")
            assert await reading.reader.look(f"http://{HOST}:{host.port}/a", PRIVATE, reading.sent.append) == (first,)
            (private,) = await reading.reader.look("https://evil.example.com/", PRIVATE, reading.sent.append)
            assert private == "evil.example.com leads to 127.0.0.1, which is not an address of the public network."
            (spelled,) = await reading.reader.look("https://a@b/", PRIVATE, reading.sent.append)
            assert "password" in spelled
            assert host.paths == ["/robots.txt"]

    asyncio.run(run())


def test_sites_are_forgotten_before_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.services.web.reader.MOST_SITES", 1)

    async def run() -> None:
        with WebHost() as one, WebHost() as other:
            reading = Reading()
            for host in (one, other, one):
                where = check_url(f"http://{HOST}:{host.port}/", private=PRIVATE)
                assert isinstance(where, WebAddress)
                await reading.reader.robots(where, PRIVATE, reading.sent.append)
            assert len(one.asked) == 2

    asyncio.run(run())


def test_where_an_address_leads_is_said_without_asking_its_host() -> None:
    async def lost(host: str, port: int) -> Sequence[str]:
        if host.startswith("slow"):
            await asyncio.Event().wait()
        raise OSError(-2, "Name or service not known") if host.startswith("no") else OSError(f"{host} is unknown.")

    async def places() -> list[str]:
        reader = WebReader(WebClient(resolve=lost), resolve=lost, look_up_s=0.05)
        hosts = ("no.example.com", "other.example.com", "slow.example.com")
        return [await reader.place(f"https://{host}/", PRIVATE) for host in hosts]

    assert asyncio.run(places()) == [
        "no.example.com was not found: Name or service not known.",
        "other.example.com is unknown.",
        "Where it leads was not found within 0.05 seconds.",
    ]
