"""The calls that tools make to the engine about the web, and what they get."""

from collections.abc import Iterable
from typing import Protocol

from pydantic import JsonValue, SecretStr

from desktop.domain.core.base import Frozen
from desktop.policy.web import WebFacts


class WebRequest(Frozen):
    """One request as it left this computer. `ip` "": nothing was connected to; `status` 0: no answer; `refused`: the
    host leads where nothing is asked."""

    host: str
    port: int
    ip: str = ""
    status: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0
    duration_ms: int = 0
    refused: bool = False


class WebPage(Frozen):
    """What an address gave, as text. `removed`: what was taken out of it, in words; `moved_to`: where it sends its
    readers, on another host that was not asked; `plain`: it could not be read as a page, so that only its tags are
    gone. `requests`: all that were made for it."""

    url: str
    host: str
    status: int
    media_type: str = ""
    text: str = ""
    title: str = ""
    removed: str = ""
    moved_to: str = ""
    plain: bool = False
    requests: tuple[WebRequest, ...] = ()


class WebHit(Frozen):
    """One result of a search."""

    title: str
    url: str
    snippet: str = ""


class WebHits(Frozen):
    """The results of a search, the best first. `requests`: all that were made for them."""

    hits: tuple[WebHit, ...]
    requests: tuple[WebRequest, ...] = ()


def requests_data(requests: Iterable[WebRequest]) -> list[JsonValue]:
    """Requests as the data of a result holds them."""
    return [one.model_dump(mode="json") for one in requests]


class ChatWeb(Protocol):
    """The web, as a chat may ask for pages of it."""

    def facts(self, url: str, read: frozenset[str], /) -> WebFacts:
        """What the gate knows of an address. `read`: SHA-256 of the files that the chat has read. Asks nobody."""

    async def place(self, url: str, /) -> str:
        """Where an address leads, a sentence; "" where its name is not looked up before a person wants that."""

    async def look(self, url: str, /) -> tuple[str, ...]:
        """Where an address leads and what its site asks of programs, in sentences. A person asked for that: the name is
        looked up, and the site is asked for its rules."""

    async def fetch(self, url: str, /, *, approved: bool, header: tuple[str, SecretStr] | None = None) -> WebPage:
        """The page, after the gate. `approved`: a person allowed this very address, so that what its site asks of
        programs does not count. `header`: goes with the one request, and no redirect is followed then.

        Raises:
            ToolError: it cannot be had.
        """


class ChatSearch(Protocol):
    """Somebody who searches the web for a chat."""

    @property
    def name(self) -> str:
        """Who searches, as people know them."""

    def facts(self, query: str, /) -> WebFacts:
        """What the gate knows of a search: the host that gets the words. Asks nobody."""

    async def search(self, query: str, count: int, /) -> WebHits:
        """At most so many results.

        Raises:
            ToolError: there are none to be had, for the reason that it says.
        """
