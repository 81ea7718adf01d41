"""Services that search the web: Brave, Tavily and a SearXNG of the person's own; one request each, no retries."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import field
from html import unescape
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from desktop.config.web import SEARCHES
from desktop.policy.network.hosts import Refused
from desktop.policy.network.urls import check_url
from desktop.records import dataclass
from desktop.services.web.client import Sent, WebAnswer, WebAsk, WebClient, WebLimits
from desktop.services.web.errors import WebError

LIMITS = WebLimits(connect_s=10.0, total_s=10.0)
MOST = 10
SNIPPET_CHARS = 300
_TAG = re.compile(r"<[^>]{0,200}>")


class _Row(BaseModel):
    """One result, in the words of any of the services."""

    model_config = ConfigDict(extra="ignore")

    title: str = ""
    url: str = ""
    description: str = ""
    content: str = ""


class _Rows(BaseModel):
    """An answer of Tavily or SearXNG, and the part of Brave's that holds its results."""

    model_config = ConfigDict(extra="ignore")

    results: list[_Row] = Field(default_factory=list)


class _BraveAnswer(BaseModel):
    model_config = ConfigDict(extra="ignore")

    web: _Rows = _Rows()


@dataclass(frozen=True)
class Found:
    """One result: a title and an extract in plain text, and an address of the web."""

    title: str
    url: str
    snippet: str


def _brave(address: str, query: str, count: int, key: str) -> tuple[str, str, Mapping[str, str], bytes]:
    url = f"{address}?{urlencode({'q': query, 'count': count})}"
    return "GET", url, {"Accept": "application/json", "X-Subscription-Token": key}, b""


def _tavily(address: str, query: str, count: int, key: str) -> tuple[str, str, Mapping[str, str], bytes]:
    body = json.dumps({"query": query, "max_results": count}).encode()
    headers = {
        "Accept": "application/json",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Authorization": f"Bearer {key}",
    }
    return "POST", address, headers, body


def _searxng(address: str, query: str, count: int, key: str) -> tuple[str, str, Mapping[str, str], bytes]:
    url = f"{address}/search?{urlencode({'q': query, 'format': 'json'})}"
    return "GET", url, {"Accept": "application/json"}, b""


def _brave_rows(body: bytes) -> list[_Row]:
    return _BraveAnswer.model_validate_json(body).web.results


def _plain_rows(body: bytes) -> list[_Row]:
    return _Rows.model_validate_json(body).results


_ASKING = {"brave": _brave, "tavily": _tavily, "searxng": _searxng}


@dataclass(frozen=True)
class Search:
    """What searches: its id, at which address, with which key. `private`: the one host that need not be public, as a
    person gave it."""

    id: str
    address: str
    key: str = field(default="", repr=False)
    private: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        """The service, as people know it."""
        return SEARCHES[self.id].label


async def search(
    client: WebClient, with_: Search, query: str, count: int, told: Callable[[Sent], None]
) -> tuple[Found, ...]:
    """At most so many results, the best first.

    Raises:
        WebError: the service did not answer, refused, or answered something else. The text never holds the key.
    """
    label = with_.label
    method, url, headers, content = _ASKING[with_.id](with_.address, query, count, with_.key)
    address = check_url(url, private=with_.private)
    if isinstance(address, Refused):
        raise WebError(f"{label} was not asked: {address.reason}")
    try:
        wanted = WebAsk(address, method, headers, content, private=with_.private, limits=LIMITS)
        answer = await client.ask(wanted, told)
    except WebError as error:
        why = str(error).replace(with_.key, "[removed]") if with_.key else str(error)
        raise WebError(f"{label} could not be asked: {why}", foreign=error.foreign) from None
    return _results(answer, with_, count)


def _results(answer: WebAnswer, with_: Search, count: int) -> tuple[Found, ...]:
    if answer.moved_to or answer.status != 200:
        hint = " Check its key in Settings › Web." if answer.status in (401, 403) else ""
        raise WebError(f"{with_.label} answered {answer.status}.{hint}", status=answer.status)
    try:
        rows = _brave_rows(answer.body) if with_.id == "brave" else _plain_rows(answer.body)
    except ValidationError:
        raise WebError(f"{with_.label} answered no results that can be read.", status=200) from None
    found = (
        Found(_plain(row.title, 200), row.url, _plain(row.description or row.content, SNIPPET_CHARS)) for row in rows
    )
    usable = (one for one in found if not isinstance(check_url(one.url), Refused))
    return tuple(one for one, _ in zip(usable, range(min(count, MOST)), strict=False))


def _plain(text: str, most: int) -> str:
    line = " ".join(unescape(_TAG.sub("", text)).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
