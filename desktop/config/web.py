"""The settings of the web: whether agents may ask for pages, who searches for them, and hosts that are not public."""

from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from desktop.domain.core.base import Frozen
from desktop.records import dataclass

SearchId = Literal["", "brave", "tavily", "searxng"]
VendorSearch = Literal["off", "on", "always"]


@dataclass(frozen=True)
class SearchService:
    """A service that searches the web. `address`: what is asked and what its key belongs to, "" where a person gives
    it; `site`: where people get a key, "" for one that needs none."""

    label: str
    address: str = ""
    site: str = ""


SEARCHES = {
    "brave": SearchService("Brave Search", "https://api.search.brave.com/res/v1/web/search", "brave.com/search/api"),
    "tavily": SearchService("Tavily", "https://api.tavily.com/search", "app.tavily.com"),
    "searxng": SearchService("SearXNG"),
}
"""By id, in the order in which they are offered."""


def searxng_problem(address: str) -> str:
    """Why nothing is searched at this address, "" if something can be."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return "This is no address. Write it as https://host or http://host:port."
    if parts.scheme not in ("https", "http") or not host or any(char.isspace() for char in address):
        return "An address begins with https:// or http:// and names a host, such as http://search.home:8080."
    if "@" in parts.netloc or parts.query or parts.fragment:
        return "An address of a SearXNG holds no name, password, ? or #."
    return ""


class WebSettings(Frozen):
    """`enabled`: agents are offered the web at all. `search`: who searches, "" for nobody; `searxng_url`: the address
    of a SearXNG, for that provider. `vendor_search`: the vendor of the model searches by itself; `always`: in Plan too,
    and in a chat that has read from outside. `private_hosts`: hosts of the person's own network that agents may ask
    for, by name or address, each as it is sent."""

    enabled: bool = False
    search: SearchId = ""
    searxng_url: str = Field(default="", max_length=500)
    vendor_search: VendorSearch = "off"
    private_hosts: tuple[str, ...] = Field(default=(), max_length=100)

    @field_validator("searxng_url")
    @classmethod
    def _plain_address(cls, value: str) -> str:
        value = value.strip().rstrip("/")
        if value and (problem := searxng_problem(value)):
            raise ValueError(problem)
        return value

    @field_validator("private_hosts")
    @classmethod
    def _hosts_alone(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        hosts = tuple(dict.fromkeys(host.strip().lower().rstrip(".") for host in value if host.strip()))
        for host in hosts:
            if not host.isascii() or any(char in host for char in "/@ \\") or len(host) > 255:
                raise ValueError(f"{host!r} is no host. Write its name or address alone, such as wiki.example.com.")
        return hosts

    def at_vendor(self, *, wary: bool) -> bool:
        """Whether a vendor's own search is offered to a chat. `wary`: it is in Plan, or has read from outside."""
        return self.enabled and (self.vendor_search == "always" or (self.vendor_search == "on" and not wary))

    @property
    def search_address(self) -> str:
        """What is asked for a search, "" for nothing."""
        if self.search == "searxng":
            return self.searxng_url
        return SEARCHES[self.search].address if self.search else ""
