"""The addresses of GitHub's interfaces: github.com, one with data residency, or an Enterprise server (lanes-G17)."""

from urllib.parse import urlsplit

from desktop.config.settings import GitHubHost
from desktop.records import dataclass

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_RESIDENT = ".ghe.com"


@dataclass(frozen=True)
class Address:
    """A host and where it is asked. `api` and `graphql` without a slash at the end; `web`: where its pages are."""

    host: str
    api: str
    graphql: str
    web: str


def address_of(host: GitHubHost) -> Address:
    """The address at which a host is asked: the one that a person gave, else the usual one."""
    plain = host.host.partition(":")[0]
    web = f"{'http' if plain in LOOPBACK else 'https'}://{host.host}"
    api = host.api_url or _usual_api(host.host, web)
    parts = urlsplit(api)
    graphql = f"{api.removesuffix('/v3') if parts.path.endswith('/api/v3') else api}/graphql"
    if parts.hostname in LOOPBACK:
        web = f"{parts.scheme}://{parts.netloc}"
    return Address(host.host, api, graphql, web)


def same_origin(one: str, other: str) -> bool:
    """Whether both addresses have the same scheme, host and port."""
    return _origin(one) == _origin(other)


def _origin(address: str) -> tuple[str, str, int | None]:
    parts = urlsplit(address)
    usual = {"https": 443, "http": 80}.get(parts.scheme)
    return parts.scheme, parts.hostname or "", parts.port or usual


def _usual_api(host: str, web: str) -> str:
    if host == "github.com":
        return "https://api.github.com"
    return f"https://api.{host}" if host.endswith(_RESIDENT) else f"{web}/api/v3"
