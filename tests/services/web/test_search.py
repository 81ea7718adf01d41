"""Searches: one request each in the service's own words, and its key in no text."""

import asyncio
import json
from collections.abc import Sequence

import pytest

from desktop.services.web.client import Sent, WebClient, WebError
from desktop.services.web.search import Found, Search, search
from tests.fakes.web_host import Told, WebHost

pytestmark = pytest.mark.promise("guests-W7")
HOST = "search.example.com"
KEY = "key-0123456789abcdef"
JSON = {"Content-Type": "application/json"}


async def resolve(host: str, port: int) -> Sequence[str]:
    return ["127.0.0.1"]


def searched(host: WebHost, service: str, count: int = 5, query: str = "round half up") -> tuple[Found, ...]:
    path = {"brave": "/res/v1/web/search", "tavily": "/search", "searxng": ""}[service]
    key = "" if service == "searxng" else KEY
    with_ = Search(service, f"http://{HOST}:{host.port}{path}", key, frozenset({HOST}))
    sent: list[Sent] = []
    try:
        return asyncio.run(search(WebClient(resolve=resolve), with_, query, count, sent.append))
    finally:
        assert len(sent) == 1


def rows(count: int, extract: str = "content") -> list[dict[str, str]]:
    return [
        {"title": f"<b>T{n}</b> &amp; x", "url": f"https://e.org/{n}", extract: "y " * (400 if count < 100 else 2)}
        for n in range(count)
    ]


def test_brave_is_asked_with_its_key_in_a_header() -> None:
    told = {"type": "search", "web": {"results": rows(3, "description")}, "more": 1}
    with WebHost({"/res/v1/web/search": Told(json.dumps(told).encode(), JSON)}) as host:
        found = searched(host, "brave", 2)
        assert host.paths == ["/res/v1/web/search?q=round+half+up&count=2"]
        assert host.asked[0].headers["x-subscription-token"] == KEY
    assert [one.url for one in found] == ["https://e.org/0", "https://e.org/1"]
    assert found[0].title == "T0 & x"
    assert len(found[0].snippet) == 300


def test_tavily_is_asked_with_its_key_as_a_bearer() -> None:
    with WebHost({"/search": Told(json.dumps({"results": rows(1)}).encode(), JSON)}) as host:
        assert len(searched(host, "tavily")) == 1
        asked = host.asked[0]
        assert (asked.method, json.loads(asked.body)) == ("POST", {"query": "round half up", "max_results": 5})
        assert asked.headers["authorization"] == f"Bearer {KEY}"


def test_searxng_is_asked_for_json_without_a_key() -> None:
    with WebHost({"/search": Told(json.dumps({"results": rows(10_000)}).encode(), JSON)}) as host:
        assert len(searched(host, "searxng", 10)) == 10
        assert host.paths == ["/search?q=round+half+up&format=json"]
        assert KEY not in str(host.asked)


@pytest.mark.parametrize("service", ["brave", "tavily", "searxng"])
@pytest.mark.parametrize(
    ("told", "words"),
    [
        (Told(b"<html>hello</html>"), "answered no results"),
        (Told(b"[]", JSON), "no results"),
        (Told(b'{"results": 3, "web": 3}', JSON), "no results"),
        (Told(KEY.encode(), JSON, 401), "answered 401. Check its key"),
        (Told(KEY.encode(), JSON, 429), "answered 429"),
        (Told(b"", {"Location": f"https://other.example.com/{KEY}"}, 302), "answered 302"),
    ],
)
def test_what_is_no_answer_is_an_error_without_the_key_asked_for_once(service: str, told: Told, words: str) -> None:
    pages = {"/res/v1/web/search": told, "/search": told}
    with WebHost(pages) as host, pytest.raises(WebError) as error:
        searched(host, service)
    assert words in str(error.value)
    assert KEY not in str(error.value)
    assert KEY not in str(error.value.__cause__)
    assert len(host.asked) == 1


def test_results_that_lead_nowhere_are_left_out_and_none_is_no_error() -> None:
    bad = [
        {"title": "x", "url": "javascript:alert(1)"},
        {"title": "y", "url": "http://127.0.0.1/"},
        {"url": "https://e.org/"},
    ]
    with WebHost({"/search": Told(json.dumps({"results": bad}).encode(), JSON)}) as host:
        assert searched(host, "searxng") == (Found("", "https://e.org/", ""),)
        host.pages["/search"] = Told(b'{"results": []}', JSON)
        assert searched(host, "searxng") == ()


def test_a_service_in_the_own_network_that_nobody_named_is_not_asked() -> None:
    async def run() -> None:
        with_ = Search("searxng", "http://127.0.0.1:8080")
        with pytest.raises(WebError, match="SearXNG was not asked"):
            await search(WebClient(), with_, "x", 1, lambda sent: None)
        with_ = Search("tavily", f"http://{HOST}:9/", KEY)
        with pytest.raises(WebError, match="Tavily could not be asked"):
            await search(WebClient(resolve=resolve), with_, "x", 1, lambda sent: None)
        assert KEY not in repr(with_)

    asyncio.run(run())
