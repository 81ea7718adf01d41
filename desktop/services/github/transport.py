"""Transport: requests to one GitHub for one token: in order, within its limits, and asked again where that is safe."""

import asyncio
import json
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Generic, TypeVar
from urllib.parse import urlencode, urljoin, urlsplit

import httpx2
from pydantic import BaseModel, JsonValue, SecretStr, ValidationError

from desktop.domain.github.values import GitHubError
from desktop.records import dataclass
from desktop.services.github.etags import EtagCache, Kept
from desktop.services.github.exchange import USER_AGENT, Answer, Ask, exchange, make_client
from desktop.services.github.hosts import LOOPBACK, Address, same_origin
from desktop.services.github.limits import WRITE_WAIT_S, LimitWatch
from desktop.services.github.pace import USUAL_PACE, Pace
from desktop.services.github.problems import answer_failure, failure, graphql_failure, rate_limited, said_in

API_VERSION = "2022-11-28"
MAX_LOG_BYTES = 20 * 1024 * 1024
MAX_REDIRECTS = 5
MAX_ITEMS, MAX_PAGES = 1_000, 40
PAGE = 100
_REDIRECTS = (301, 302, 307, 308)
_NEXT = re.compile(r'<([^>]*)>\s*;[^,]*\brel="next"')

P = TypeVar("P")
T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)
Renew = Callable[[], Awaitable[SecretStr | None]]


@dataclass(frozen=True)
class Listed(Generic[T]):
    """The entries of a list. `capped`: only its first 1,000."""

    items: tuple[T, ...]
    capped: bool = False


class Transport:
    """On one event loop. At most two reads and one write are under way. A write is sent once: whatever comes of it,
    it is never repeated here, but for one that was not done because the token was refused: `renew` gives a new token,
    or None.

    Every method raises GitHubError.
    """

    def __init__(
        self,
        address: Address,
        token: SecretStr,
        watch: LimitWatch,
        *,
        pace: Pace = USUAL_PACE,
        renew: Renew | None = None,
    ) -> None:
        self.address = address
        self.watch = watch
        self.pace = pace
        self._token = token.get_secret_value()
        self._renew = renew
        self._etags = EtagCache()
        self._client: httpx2.AsyncClient | None = None
        self._making = asyncio.Lock()
        self._reads = asyncio.Semaphore(2)
        self._writing = asyncio.Lock()
        self._last_write = float("-inf")

    async def close(self) -> None:
        """End its connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    # Reading

    async def get(self, path: str, model: type[M], **query: str) -> M:
        """The thing at this path below the base address."""
        return parsed(await self.answer(self._url(path, query)), model.model_validate_json)

    async def listed(
        self, path: str, parse: Callable[[bytes], P], pick: Callable[[P], Sequence[T]], **query: str
    ) -> Listed[T]:
        """The things of all pages, at most 1,000. `pick`: what of a page is in the list."""
        items: list[T] = []
        url = self._url(path, {"per_page": str(PAGE), **query})
        for _ in range(MAX_PAGES):
            answer = await self.answer(url)
            items += pick(parsed(answer, parse))
            url = self._next(answer)
            if not url or len(items) >= MAX_ITEMS:
                break
        return Listed(tuple(items[:MAX_ITEMS]), capped=bool(url) or len(items) > MAX_ITEMS)

    async def answer(self, url: str) -> Answer:
        """The answer of an address; where nothing changed since the last time, the answer of that time."""
        kept = self._etags.get(url, self._token)
        marks = {"If-None-Match": kept.etag} if kept is not None else {}
        answer = await self._patiently(Ask("GET", url, {**self._headers(), **marks}))
        if answer.status == 304 and kept is not None:
            return Answer(200, {**answer.headers, "link": kept.link}, kept.body, url)
        if etag := answer.headers.get("etag"):
            self._etags.put(url, self._token, Kept(etag, answer.body, answer.headers.get("link", "")))
        return answer

    async def query(self, document: str, variables: Mapping[str, JsonValue], model: type[M]) -> M:
        """The data of a GraphQL query."""
        return self._data(await self._patiently(self._graphql(document, variables), "graphql"), model)

    async def log(self, path: str) -> tuple[str, bool]:
        """A text that GitHub keeps on another host, which never gets the token, and whether it was cut at 20 MiB."""
        ask = Ask("GET", self._url(path, {}), self._headers())
        answer = await self._patiently(ask, follow=False)
        if answer.status in _REDIRECTS:
            target = urljoin(answer.url, answer.headers.get("location", ""))
            self._require_safe(target)
            limits = replace(self.pace.limits, max_bytes=MAX_LOG_BYTES, cut=True)
            async with self._reads:
                answer = await exchange(await self._made(), Ask("GET", target, {"User-Agent": USER_AGENT}), limits)
            if answer.status != 200:
                raise answer_failure(answer.status, answer.headers, answer.body)
        return answer.body.decode("utf-8", "replace"), answer.cut

    # Writing

    async def write(self, method: str, path: str, body: Mapping[str, JsonValue] | None = None) -> Answer:
        """Send it once. `GitHubError.answer_lost`: what came of it is not known."""
        content = json.dumps(body).encode() if body is not None else None
        headers = {**self._headers(), **({"Content-Type": "application/json"} if content is not None else {})}
        return await self._once(Ask(method, self._url(path, {}), headers, content), "core")

    async def mutate(self, document: str, variables: Mapping[str, JsonValue], model: type[M]) -> M:
        """Send a GraphQL mutation once."""
        return self._data(await self._once(self._graphql(document, variables), "graphql"), model)

    async def _once(self, ask: Ask, resource: str) -> Answer:
        async with self._writing:
            await self._wait_for_limit(resource)
            await self.pace.sleep(max(0.0, self._last_write + self.pace.write_every_s - time.monotonic()))
            try:
                return await self._checked(ask)
            except GitHubError as error:
                if error.kind == "server":
                    raise GitHubError(error.problem, status=error.status, answer_lost=True, said=error.said) from error
                raise
            finally:
                self._last_write = time.monotonic()

    async def _wait_for_limit(self, resource: str) -> None:
        until = self.watch.until(resource)
        if until is None:
            return
        wait_s = (until - self.watch.now()).total_seconds()
        if wait_s >= WRITE_WAIT_S:
            raise rate_limited(until)
        await self.pace.sleep(max(0.0, wait_s))

    # Both

    async def _patiently(self, ask: Ask, resource: str = "core", *, follow: bool = True) -> Answer:
        for wait_s in (*self.pace.retry_s, None):
            if (until := self.watch.until(resource)) is not None:
                raise rate_limited(until)
            try:
                async with self._reads:
                    return await self._checked(ask, follow=follow)
            except GitHubError as error:
                if wait_s is None or not _may_pass(error):
                    raise
            await self.pace.sleep(wait_s * random.uniform(0.75, 1.25))  # noqa: S311  # spreads requests, no secret
        raise AssertionError("the last round returns or raises")

    async def _checked(self, ask: Ask, *, follow: bool = True) -> Answer:
        used = self._token
        try:
            return await self._followed(ask, follow=follow)
        except GitHubError as error:
            if error.kind != "unauthorised" or self._renew is None:
                raise
            if self._token == used:
                token = await self._renew()
                if token is None:
                    raise
                self._token = token.get_secret_value()
        headers = {name: value for name, value in ask.headers.items() if name != "If-None-Match"}
        return await self._followed(Ask(ask.method, ask.url, headers, ask.body), follow=follow)

    async def _followed(self, ask: Ask, *, follow: bool) -> Answer:
        for _ in range(MAX_REDIRECTS + 1):
            signed = Ask(ask.method, ask.url, {**ask.headers, "Authorization": f"Bearer {self._token}"}, ask.body)
            answer = await exchange(await self._made(), signed, self.pace.limits)
            until = self.watch.seen(answer.status, answer.headers, said_in(answer.body) if answer.status >= 400 else "")
            if until is not None:
                raise rate_limited(until, status=answer.status)
            if answer.status not in _REDIRECTS or not follow:
                if answer.status >= 400:
                    raise answer_failure(answer.status, answer.headers, answer.body)
                return answer
            target = urljoin(ask.url, answer.headers.get("location", ""))
            if not same_origin(target, self.address.api):
                raise failure("bad_answer", f"{ask.host} sends this request to another host, which is not asked.")
            ask = Ask(ask.method, target, ask.headers, ask.body)
        raise failure("bad_answer", f"{ask.host} sends this request in a circle.")

    async def _made(self) -> httpx2.AsyncClient:
        async with self._making:
            if self._client is None:
                self._client = await asyncio.to_thread(make_client)
            return self._client

    def _headers(self) -> dict[str, str]:
        return {
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": API_VERSION,
            "User-Agent": USER_AGENT,
        }

    def _graphql(self, document: str, variables: Mapping[str, JsonValue]) -> Ask:
        body = json.dumps({"query": document, "variables": dict(variables)}).encode()
        return Ask("POST", self.address.graphql, {**self._headers(), "Content-Type": "application/json"}, body)

    def _data(self, answer: Answer, model: type[M]) -> M:
        told = parsed(answer, _GraphQl.model_validate_json)
        if told.errors:
            if any(one.get("type") == "RATE_LIMITED" for one in told.errors):
                until = self.watch.seen(429, answer.headers, "")
                raise rate_limited(until or self.watch.now(), status=answer.status)
            raise graphql_failure(told.errors)
        if told.data is None:
            raise failure(
                "bad_answer", "GitHub answered without data. Try again.", status=answer.status, answer_lost=True
            )
        data = Answer(answer.status, answer.headers, json.dumps(told.data).encode(), answer.url)
        return parsed(data, model.model_validate_json)

    def _url(self, path: str, query: Mapping[str, str]) -> str:
        given = {name: value for name, value in query.items() if value}
        return f"{self.address.api}{path}" + (f"?{urlencode(given)}" if given else "")

    def _next(self, answer: Answer) -> str:
        found = _NEXT.search(answer.headers.get("link", ""))
        if found is None:
            return ""
        url: str = urljoin(answer.url, found[1])
        if not same_origin(url, self.address.api):
            raise failure("bad_answer", "GitHub names a next page on another host, which is not asked.")
        return url

    def _require_safe(self, target: str) -> None:
        parts = urlsplit(target)
        at_home = urlsplit(self.address.api).hostname in LOOPBACK and parts.hostname in LOOPBACK
        if parts.scheme != "https" and not (parts.scheme == "http" and at_home):
            raise failure("bad_answer", "GitHub sends the log to an address without https, which is not asked.")


def _may_pass(error: GitHubError) -> bool:
    """Whether asking again may help: nobody answered, a fault there, or an answer that broke off."""
    return error.kind in ("offline", "server") or (error.kind == "bad_answer" and error.answer_lost)


def all_of(page: list[T]) -> list[T]:
    """Of a page that is a list: all of it."""
    return page


def parsed(answer: Answer, parse: Callable[[bytes], P]) -> P:
    """The body as a value.

    Raises:
        GitHubError: bad_answer; it is not what this request is answered with.
    """
    try:
        return parse(answer.body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise failure(
            "bad_answer",
            f"GitHub answered something else than expected ({place or 'body'}: {first['msg']}).",
            status=answer.status,
            answer_lost=True,
        ) from error


class _GraphQl(BaseModel):
    data: JsonValue = None
    errors: list[dict[str, object]] | None = None
