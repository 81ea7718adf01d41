"""WebReader: pages of servers that nobody vouches for, as text; and what their sites ask of programs (guests-W5)."""

import asyncio
import time
from collections.abc import Callable

from pydantic import SecretStr

from desktop.domain.core.errors import BanksmanError
from desktop.policy.network.hosts import Refused
from desktop.policy.network.urls import WebAddress, check_url
from desktop.services.egress.connecting import Resolver, judged_addresses, system_addresses
from desktop.services.web.client import Sent, WebAnswer, WebAsk, WebClient, WebLimits
from desktop.services.web.errors import WebError
from desktop.services.web.pages import Page, is_text, page_of
from desktop.services.web.robots import FORBIDS_ALL, FORBIDS_NOTHING, MAX_BYTES, Robots, robots_of

HELD_S = 3600.0
LOOK_UP_S = 10.0
MOST_SITES = 256
_BINARY = (b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"\x89PNG", b"GIF8", b"\xff\xd8\xff")
_ROBOTS = WebLimits(connect_s=5.0, total_s=10.0, wire_bytes=MAX_BYTES, decoded_bytes=MAX_BYTES)
_ACCEPT = "text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.1"

Told = Callable[[Sent], None]


class WebReader:
    """On one event loop. `clock`: seconds that only go forward; `look_up_s`: how long a name is looked up unasked."""

    def __init__(
        self,
        client: WebClient,
        *,
        resolve: Resolver = system_addresses,
        clock: Callable[[], float] = time.monotonic,
        look_up_s: float = LOOK_UP_S,
    ) -> None:
        self._look_up_s = look_up_s
        self._client, self._resolve, self._clock = client, resolve, clock
        self._sites: dict[tuple[str, str, int], tuple[float, Robots]] = {}

    async def read(
        self, url: str, private: frozenset[str], told: Told, *, obeys: bool, header: tuple[str, SecretStr] | None = None
    ) -> tuple[WebAnswer, Page]:
        """The answer and its text. `obeys`: what the site asks of programs counts. `header`: goes with this one
        request, and only over https; no redirect is followed then.

        Raises:
            WebError: it cannot be had, is no text, or the site does not want it read.
        """
        address = self._checked(url, private)
        if obeys and (await self.robots(address, private, told)).forbid(address.target):
            raise WebError(
                f"{address.text} was not fetched: its site asks programs not to read it (robots.txt). A person can "
                "allow this very address on a card."
            )
        headers = {"Accept": _ACCEPT}
        if header is not None:
            if address.scheme != "https":
                raise WebError(f"{address.text} was not asked: a secret is sent over https alone.")
            headers[header[0]] = header[1].get_secret_value()
        wanted = WebAsk(address, headers=headers, private=private, accepts=_is_wanted, follows=header is None)
        answer = await self._client.ask(wanted, told)
        if answer.moved_to:
            return answer, Page("")
        place = answer.address.text
        if answer.status >= 300:
            raise WebError(f"{place} answered {answer.status}.", status=answer.status, foreign=place != address.text)
        if not _is_wanted(answer.media_type):
            size = f", {answer.size:,} bytes" if answer.size is not None else ""
            raise WebError(
                f"{place} is {answer.media_type}{size}. Only text, JSON and XML are read.",
                status=answer.status,
                foreign=True,
            )
        if _lies(answer.body):
            kind = answer.media_type or "no type"
            raise WebError(
                f"{place} says that it is text ({kind}) and is not; it has {len(answer.body):,} bytes.",
                status=answer.status,
                foreign=True,
            )
        media_type = answer.media_type or "text/plain"
        return answer, await page_of(answer.body, media_type, answer.charset, answer.address.text)

    async def robots(self, address: WebAddress, private: frozenset[str], told: Told) -> Robots:
        """What a site asks of programs, asked for once an hour. One that cannot be read forbids nothing, but for one
        that nobody is let to."""
        site = (address.scheme, address.host.name, address.port)
        known = self._sites.get(site)
        if known is not None and self._clock() < known[0]:
            return known[1]
        found = await self._asked_robots(address, private, told)
        while len(self._sites) >= MOST_SITES:
            self._sites.pop(next(iter(self._sites)))
        self._sites[site] = (self._clock() + HELD_S, found)
        return found

    async def place(self, url: str, private: frozenset[str]) -> str:
        """Where an address leads, or why it leads nowhere. Its host is asked nothing."""
        try:
            async with asyncio.timeout(self._look_up_s):
                return await self._place(self._checked(url, private), private)
        except TimeoutError:
            return f"Where it leads was not found within {self._look_up_s:g} seconds."
        except BanksmanError as error:
            return str(error)

    async def _place(self, address: WebAddress, private: frozenset[str]) -> str:
        try:
            found = await judged_addresses(address.host.name, address.port, resolve=self._resolve, private=private)
        except OSError as error:
            why = f"{address.host.name} was not found: {error.strerror}." if error.strerror else str(error)
            raise WebError(why) from error
        return f"{address.host.name} leads to {', '.join(found[:4])}."

    async def look(self, url: str, private: frozenset[str], told: Told) -> tuple[str, ...]:
        """Where an address leads and what its site asks of programs, in sentences; also why it leads nowhere."""
        try:
            address = self._checked(url, private)
            lines = [await self._place(address, private)]
        except BanksmanError as error:
            return (str(error),)
        if (await self.robots(address, private, told)).forbid(address.target):
            lines.append("The site asks programs not to read this page (robots.txt); to allow it here overrides that.")
        return tuple(lines)

    async def _asked_robots(self, address: WebAddress, private: frozenset[str], told: Told) -> Robots:
        there = WebAddress(address.scheme, address.host, address.port, "/robots.txt")
        wanted = WebAsk(there, private=private, cut=True, limits=_ROBOTS)
        try:
            answer = await self._client.ask(wanted, told)
        except WebError:
            return FORBIDS_NOTHING
        if answer.status in (401, 403):
            return FORBIDS_ALL
        return robots_of(answer.body.decode("utf-8", "replace")) if answer.status == 200 else FORBIDS_NOTHING

    def _checked(self, url: str, private: frozenset[str]) -> WebAddress:
        found = check_url(url, private=private)
        if isinstance(found, Refused):
            raise WebError(found.reason)
        return found


def _is_wanted(media_type: str) -> bool:
    return not media_type or is_text(media_type)


def _lies(body: bytes) -> bool:
    """Whether an answer that is said to be text is none."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    return body.startswith(_BINARY) or b"\x00" in body[:4096]
