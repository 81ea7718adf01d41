"""Which addresses a server may be at, and which ones it may name for signing in (guests-M5, guests-M30)."""

from desktop.policy.network.hosts import Refused, check_host
from desktop.policy.network.urls import WebAddress, check_url
from desktop.records import dataclass

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class ServerAddress:
    """An address at which a server may be. `reachable`: hosts that are reached though they are not public: those of
    this computer for a server on it, and the host that a person named as private."""

    address: WebAddress
    reachable: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The address in its one spelling."""
        return self.address.text

    @property
    def origin(self) -> str:
        """Scheme, host and port: who gets what is sent there."""
        return origin_of(self.address)


def check_server(url: str, *, private: bool) -> ServerAddress | Refused:
    """The address of a server, or why it is not used. `private`: the person says that its host may be one of their own
    network."""
    found = check_url(url, private=LOOPBACK)
    if isinstance(found, Refused) and private:
        found = check_url(url, private=LOOPBACK | _host_of(url))
    if isinstance(found, Refused):
        return found
    local = found.host.name in LOOPBACK
    if found.scheme != "https" and not local:
        return Refused(f"{found.host.shown} would be asked without https, which is done on this computer alone.")
    reachable = LOOPBACK if local else frozenset({found.host.name}) if private else frozenset[str]()
    return ServerAddress(found, reachable)


def check_named(url: str, server: ServerAddress) -> WebAddress | Refused:
    """An address that a server names for signing in, or why it is not used: over https, but on this computer where the
    server is on it too; of the public network, but where the server's own host was named as private."""
    found = check_url(url, private=server.reachable)
    if isinstance(found, Refused):
        return found
    if found.scheme != "https" and not (found.host.name in LOOPBACK and found.host.name in server.reachable):
        return Refused(f"{found.host.shown} would be asked without https.")
    return found


def origin_of(address: WebAddress) -> str:
    """Scheme, host and port of an address."""
    return f"{address.scheme}://{address.host.in_url}:{address.port}"


def same_origin(url: str, other: str) -> bool:
    """Whether two addresses are at one scheme, host and port. False for what is no address."""
    origins = [origin_of(found) for found in map(_any, (url, other)) if isinstance(found, WebAddress)]
    return len(origins) == 2 and origins[0] == origins[1]


def _any(url: str) -> WebAddress | Refused:
    return check_url(url, private=LOOPBACK | _host_of(url))


def _host_of(url: str) -> frozenset[str]:
    """The host of an address as `check_url` spells it, whatever network it is of."""
    spelled = url.partition("://")[2].partition("/")[0].partition("?")[0].partition("#")[0]
    name = spelled.rpartition(":")[0] if spelled.rpartition(":")[2].isdigit() else spelled
    host = check_host(name)
    return frozenset() if isinstance(host, Refused) else frozenset({host.name})
