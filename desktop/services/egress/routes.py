"""Routes: how a connection that is allowed goes out: to a judged address itself, or through the person's own proxy."""

import asyncio
import socket
from collections.abc import Callable

from desktop.policy.network.hosts import Host, Refused, check_host
from desktop.policy.network.urls import WebAddress, check_url
from desktop.records import dataclass
from desktop.services.egress.connecting import Resolver, first_socket, judged_addresses, system_addresses
from desktop.services.egress.joining import End
from desktop.services.egress.requests import Wanted

MAX_ANSWER = 8 * 1024
LOOPBACK = ("127.0.0.1", "::1")


@dataclass(frozen=True)
class Upstream:
    """A proxy that the person set. `names`: it is given names, as it takes no addresses; what it resolves them to is
    then not checked."""

    host: str
    port: int
    names: bool = False


def upstream_of(address: str, *, names: bool) -> Upstream | None:
    """The proxy at an address that a person set, `http://proxy.example:3128`; None for "".

    Raises:
        OSError: it is no such address, so nothing goes out.
    """
    if not address.strip():
        return None
    found = check_upstream(address)
    if isinstance(found, Refused):
        raise OSError(f"the proxy of the settings is none: {found.reason}")
    return Upstream(found.host.name, found.port, names)


def check_upstream(address: str) -> WebAddress | Refused:
    """The address of a proxy, or why it is none. It may stand in the person's own network."""
    place = address.strip().rstrip("/").partition("://")[2].rpartition(":")[0]
    host = check_host(place)
    found = check_url(address.strip(), private=frozenset({host.name}) if isinstance(host, Host) else frozenset())
    if isinstance(found, WebAddress) and (found.scheme != "http" or found.target != "/"):
        return Refused("The address of a proxy is http://, its host and its port.")
    return found


class Routes:
    """On the engine's loop. `upstream`: asked at each connection. `private`: hosts that may lead anywhere."""

    def __init__(
        self,
        *,
        resolve: Resolver = system_addresses,
        private: frozenset[str] = frozenset(),
        upstream: Callable[[], Upstream | None] = lambda: None,
    ) -> None:
        self._resolve = resolve
        self._private = private
        self._upstream = upstream

    async def connect(self, wanted: Wanted, far: End) -> None:
        """Connect `far` to the first address of the host that takes it.

        Raises:
            AddressRefused: the host has an address that is not public.
            OSError: it cannot be reached.
        """
        name = wanted.host.name
        proxy = self._upstream() if not wanted.host.is_local else None
        if proxy is not None and proxy.names:
            await self._through(proxy, wanted.place, far)
            return
        found = LOOPBACK if wanted.host.is_local else await self._addresses(name, wanted.port)
        if proxy is not None:
            place = f"[{found[0]}]" if ":" in found[0] else found[0]
            await self._through(proxy, f"{place}:{wanted.port}", far)
            return
        way = await first_socket(found, wanted.port)
        await asyncio.get_running_loop().create_connection(lambda: far, sock=way)

    async def _addresses(self, name: str, port: int) -> tuple[str, ...]:
        return tuple(await judged_addresses(name, port, resolve=self._resolve, private=self._private))

    async def _through(self, proxy: Upstream, place: str, far: End) -> None:
        """A tunnel to this place, made by the proxy."""
        loop = asyncio.get_running_loop()
        way = await first_socket(await system_addresses(proxy.host, proxy.port), proxy.port)
        try:
            await loop.sock_sendall(way, f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode())
            head, far.early = await _answered(way)
            words = head.split(b" ", 2)
            if len(words) < 2 or words[1] != b"200":
                said = words[1].decode("ascii", "replace") if len(words) > 1 else "nothing that is HTTP"
                raise OSError(f"the proxy of the settings answered {said}")
            await loop.create_connection(lambda: far, sock=way)
        except BaseException:
            way.close()
            raise


async def _answered(way: socket.socket) -> tuple[bytes, bytes]:
    """The head of what a proxy answers, and what came with it from behind it."""
    read = b""
    while b"\r\n\r\n" not in read:
        more = await asyncio.get_running_loop().sock_recv(way, MAX_ANSWER)
        if not more or len(read) > MAX_ANSWER:
            raise OSError("the proxy of the settings did not answer as one")
        read += more
    head, _, rest = read.partition(b"\r\n\r\n")
    return head, rest
