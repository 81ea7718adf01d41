"""Routes: how a connection that is allowed goes out: to a judged address itself, or through the person's own proxy."""

import asyncio
import socket
from functools import partial

from desktop.services.egress.connecting import Resolver, first_socket, judged_addresses, system_addresses
from desktop.services.egress.joining import End
from desktop.services.egress.requests import Wanted
from desktop.services.egress.upstream import AskUpstream, Upstream, no_upstream, place_of, tunnel

LOOPBACK = ("127.0.0.1", "::1")


class Routes:
    """On the engine's loop. `upstream`: asked at each connection. `private`: hosts that may lead anywhere."""

    def __init__(
        self,
        *,
        resolve: Resolver = system_addresses,
        private: frozenset[str] = frozenset(),
        upstream: AskUpstream = no_upstream,
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
        local = wanted.host.is_local or name in LOOPBACK
        proxy = self._upstream() if not local else None
        if proxy is not None and proxy.names:
            await self._through(proxy, wanted.place, far, wanted)
            return
        found = LOOPBACK if wanted.host.is_local else await self._addresses(wanted)
        if proxy is not None:
            await self._through(proxy, place_of(found[0], wanted.port), far, wanted)
            return
        way = await first_socket(found, wanted.port)
        await _joined(way, far, wanted)

    async def _addresses(self, wanted: Wanted) -> tuple[str, ...]:
        name = wanted.host.name
        private = self._private | {name} if wanted.chosen else self._private
        return tuple(await judged_addresses(name, wanted.port, resolve=self._resolve, private=private))

    async def _through(self, proxy: Upstream, place: str, far: End, wanted: Wanted) -> None:
        """A tunnel to this place, made by the proxy."""
        loop = asyncio.get_running_loop()
        way = await first_socket(await system_addresses(proxy.host, proxy.port), proxy.port)
        try:
            far.early = await tunnel(place, partial(loop.sock_sendall, way), partial(loop.sock_recv, way))
            await _joined(way, far, wanted)
        except BaseException:
            way.close()
            raise


async def _joined(way: socket.socket, far: End, wanted: Wanted) -> None:
    """Give a connection to its end, with TLS where that is wanted."""
    name = wanted.host.name if wanted.tls is not None else None
    loop = asyncio.get_running_loop()
    await loop.create_connection(lambda: far, sock=way, ssl=wanted.tls, server_hostname=name)
