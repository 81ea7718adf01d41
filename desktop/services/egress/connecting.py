"""Connections that lead where they were judged to lead: a name is resolved once, each of its addresses is judged, and
the connection goes to the one that was judged (gate-W2)."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence

from desktop.domain.core.errors import BanksmanError
from desktop.policy.network.addresses import is_global

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host, for a port; OSError where there are none. Tests give their own."""


class AddressRefused(BanksmanError):
    """A host has an address that is not of the public network; nothing was connected to."""


async def system_addresses(host: str, port: int) -> Sequence[str]:
    """The addresses that this computer's own resolver gives for a host, each once, in its order."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(place[4][0]) for place in found))


async def judged_addresses(
    host: str, port: int, *, resolve: Resolver = system_addresses, private: frozenset[str] = frozenset()
) -> Sequence[str]:
    """The addresses of a host, all of them public, or the host is one of those that a person named as `private`.

    Raises:
        AddressRefused: one of them is not public.
        OSError: it has none.
    """
    found = await resolve(host, port)
    if not found:
        raise OSError(f"{host} has no address.")
    if host not in private:
        for address in found:
            if not is_global(address):
                raise AddressRefused(f"{host} leads to {address}, which is not an address of the public network.")
    return found


async def first_socket(addresses: Sequence[str], port: int) -> socket.socket:
    """A connected socket to the first of the addresses that takes a connection.

    Raises:
        OSError: none did; the error of the last.
    """
    failed = OSError("there is no address to connect to")
    for address in addresses:
        found = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
        found.setblocking(False)
        try:
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await asyncio.get_running_loop().sock_connect(found, (address, port))
        except OSError as error:
            found.close()
            failed = error
        except BaseException:
            found.close()
            raise
        else:
            return found
    raise failed
