"""GitHub's calls, whose network library is loaded when the first connection is made."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING

from pydantic import SecretStr

from desktop.domain.pulls.pull_request import RepositoryId
from desktop.late import late
from desktop.services.github.hosts import Address
from desktop.services.github.limits import LimitWatch
from desktop.services.github.pace import Pace, Sleep

if TYPE_CHECKING:
    from desktop.services.github.account import WhoAmI
    from desktop.services.github.client import GitHubClient
    from desktop.services.github.device_flow import DeviceFlow
    from desktop.services.github.transport import Transport

Renew = Callable[[], Awaitable[SecretStr | None]]


async def connect(
    address: Address, token: SecretStr, watch: LimitWatch, pace: Pace, renew: Renew | None = None
) -> "Transport":
    """A `desktop.services.github.transport.Transport`. Nothing is asked yet."""
    module = await asyncio.to_thread(late, "desktop.services.github.transport")
    transport: Transport = module.Transport(address, token, watch, pace=pace, renew=renew)
    return transport


async def who_am_i(transport: "Transport") -> "WhoAmI":
    """As `desktop.services.github.account.who_am_i`."""
    module = await asyncio.to_thread(late, "desktop.services.github.account")
    found: WhoAmI = await module.who_am_i(transport)
    return found


async def client_of(
    transport: "Transport", repository: RepositoryId, viewer: str, renamed: Callable[[RepositoryId], None]
) -> "GitHubClient":
    """As `desktop.services.github.client.client_of`."""
    module = await asyncio.to_thread(late, "desktop.services.github.client")
    client: GitHubClient = module.client_of(transport, repository, viewer, renamed)
    return client


async def device_flow(address: Address, client_id: str, clock: Callable[[], datetime], sleep: Sleep) -> "DeviceFlow":
    """As `desktop.services.github.device_flow.DeviceFlow`; it has a connection of its own."""
    module = await asyncio.to_thread(late, "desktop.services.github.device_flow")
    flow: DeviceFlow = await asyncio.to_thread(module.DeviceFlow, address, client_id, clock, sleep)
    return flow


async def fetch_picture(address: str, *, plain_on_loopback: bool) -> bytes:
    """As `desktop.services.github.foreign_picture.fetch_picture`."""
    module = await asyncio.to_thread(late, "desktop.services.github.foreign_picture")
    found: bytes = await module.fetch_picture(address, plain_on_loopback=plain_on_loopback)
    return found
