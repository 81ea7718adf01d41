"""PinnedBackend: a way for the HTTP library to connect to judged addresses alone (gate-W2).

Given to a pool of connections as its `network_backend`, by those who make requests of their own. The name of the host
stays what the certificate is checked against and what the request names.
"""

import asyncio
from collections.abc import Iterable, Sequence

import httpcore2
from httpcore2._types import SOCKET_OPTION

from desktop.services.egress.connecting import Resolver, judged_addresses, system_addresses


class PinnedBackend(httpcore2.AsyncNetworkBackend):
    """On one event loop. `private`: hosts in their one spelling that a person named, which may lead anywhere.

    `connect_tcp` raises AddressRefused where a host has an address that is not public: it comes through the HTTP
    library as it is.
    """

    def __init__(self, *, resolve: Resolver = system_addresses, private: frozenset[str] = frozenset()) -> None:
        self._resolve = resolve
        self._private = private
        self._inner = httpcore2.AnyIOBackend()
        self.reached: dict[str, str] = {}
        """By host the address that it was last connected at, for records."""

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
                found = await judged_addresses(host, port, resolve=self._resolve, private=self._private)
                return await self._first(host, found, port, local_address, socket_options)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(f"{host} did not answer in time.") from error
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error

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

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[SOCKET_OPTION] | None = None
    ) -> httpcore2.AsyncNetworkStream:
        """Never: a socket of this computer is not on the network."""
        raise httpcore2.ConnectError("Sockets of this computer are not reached from here.")

    async def sleep(self, seconds: float) -> None:
        """Wait, between two attempts."""
        await self._inner.sleep(seconds)
