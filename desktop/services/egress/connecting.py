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


async def first_that_answers(
    addresses: Sequence[str], port: int, *, limit: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to the first of the addresses that takes one. `limit`: bytes that its reader holds at most.

    Raises:
        OSError: none did; the error of the last.
    """
    failed = OSError("There is no address to connect to.")
    for address in addresses:
        try:
            return await asyncio.open_connection(address, port, limit=limit)
        except OSError as error:
            failed = error
    raise failed
