"""PinnedBackend: a way for the HTTP library to connect to judged addresses alone (gate-W2).

Given to a pool of connections as its `network_backend`, by those who make requests of their own. The name of the host
stays what the certificate is checked against and what the request names.
"""

import asyncio
import ssl
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import httpcore2
from httpcore2._types import SOCKET_OPTION

from desktop.domain.core.listeners import Listeners
from desktop.services.egress.connecting import AddressRefused, Resolver, judged_addresses, system_addresses
from desktop.services.egress.upstream import AskUpstream, Upstream, no_upstream, place_of, tunnel


class PinnedBackend(httpcore2.AsyncNetworkBackend):
    """On one event loop. `private`: hosts in their one spelling that a person named, which may lead anywhere. All
    others are reached through the proxy that `upstream` gives, if it gives one.

    `connect_tcp` raises AddressRefused where a host has an address that is not public: it comes through the HTTP
    library as it is.
    """

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
        self._inner = httpcore2.AnyIOBackend()
        self.reached: dict[str, str] = {}
        """By host the address that it was last connected at, for records."""
        self.counted = Listeners[...]()
        """Told of what went to a host and its port, by the names of Traffic's numbers."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """A connection to the first of the host's addresses that takes one, all within the timeout."""
        try:
            async with asyncio.timeout(timeout):
                proxy = self._upstream() if host not in self._private else None
                if proxy is not None and proxy.names:
                    stream = await self._through(proxy, host, host, port)
                else:
                    found = await judged_addresses(host, port, resolve=self._resolve, private=self._private)
                    if proxy is not None:
                        stream = await self._through(proxy, host, found[0], port)
                    else:
                        stream = await self._first(host, found, port, local_address, socket_options)
        except AddressRefused:
            self.counted(host, port, refused=1)
            raise
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(f"{host} did not answer in time.") from error
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        self.counted(host, port, connections=1)
        return _Counting(stream, partial(self.counted, host, port))

    async def _first(
        self,
        host: str,
        addresses: Sequence[str],
        port: int,
        local_address: str | None,
        options: Iterable[SOCKET_OPTION] | None,
    ) -> httpcore2.AsyncNetworkStream:
        failed = httpcore2.ConnectError(f"{host} cannot be reached.")
        for address in addresses:
            try:
                stream = await self._inner.connect_tcp(address, port, None, local_address, options)
            except httpcore2.ConnectError as error:
                failed = error
                continue
            self.reached[host] = address
            return stream
        raise failed

    async def _through(self, proxy: Upstream, host: str, place: str, port: int) -> httpcore2.AsyncNetworkStream:
        """A connection to a place of the host, made by the proxy."""
        stream = await self._inner.connect_tcp(proxy.host, proxy.port)
        try:
            early = await tunnel(place_of(place, port), stream.write, stream.read)
            if early:
                raise OSError("the proxy of the settings spoke for the host")
        except BaseException:
            await stream.aclose()
            raise
        self.reached[host] = f"{proxy.host}:{proxy.port}" if proxy.names else place
        return stream

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[SOCKET_OPTION] | None = None
    ) -> httpcore2.AsyncNetworkStream:
        """Never: a socket of this computer is not on the network."""
        raise httpcore2.ConnectError("Sockets of this computer are not reached from here.")

    async def sleep(self, seconds: float) -> None:
        """Wait, between two attempts."""
        await self._inner.sleep(seconds)


class _Counting(httpcore2.AsyncNetworkStream):
    """A connection that tells how many bytes go each way: of what is said, without what encrypting it adds."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream, counted: Callable[..., object]) -> None:
        self._stream = stream
        self._counted = counted

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        piece = await self._stream.read(max_bytes, timeout)
        self._counted(bytes_down=len(piece))
        return piece

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._counted(bytes_up=len(buffer))
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        return _Counting(await self._stream.start_tls(ssl_context, server_hostname, timeout), self._counted)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)
