"""A client of the product over the stand-in, for tests of single calls."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pydantic import SecretStr

from desktop.config.settings import GitHubHost
from desktop.domain.core.clock import utc_now
from desktop.domain.github.values import RateState
from desktop.domain.pulls.pull_request import RepositoryId
from desktop.services.github.client import GitHubClient, client_of
from desktop.services.github.hosts import address_of
from desktop.services.github.limits import LimitWatch
from desktop.services.github.pace import ExchangeLimits, Pace
from desktop.services.github.transport import Renew, Transport
from tests.fakes.github.stand_in import FakeGitHub


@dataclass
class Waits:
    """A clock that goes forward by its sleep alone; `slept`: what was waited for, in order."""

    began: datetime = field(default_factory=utc_now)
    ahead: timedelta = timedelta()
    slept: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return self.began + self.ahead

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.ahead += timedelta(seconds=seconds)


@asynccontextmanager
async def transport_to(
    github: FakeGitHub, *, token: str = "", waits: Waits | None = None, write_every_s: float = 0.0,
    limits: ExchangeLimits | None = None, plain: bool = False, renew: Renew | None = None,
    changed: Callable[[RateState], None] = lambda state: None,
) -> AsyncIterator[Transport]:  # fmt: skip
    """A connection to the stand-in. `plain`: in the manner of api.github.com, else of an Enterprise host."""
    waits = waits or Waits()
    host = GitHubHost(host=github.host, api_url=github.base_url if plain else "")
    pace = Pace(write_every_s=write_every_s, sleep=waits.sleep, limits=limits or ExchangeLimits())
    watch = LimitWatch(github.host, waits.now, changed)
    transport = Transport(address_of(host), SecretStr(token or github.token), watch, pace=pace, renew=renew)
    try:
        yield transport
    finally:
        await transport.close()


@asynccontextmanager
async def client_to(github: FakeGitHub, full_name: str = "octo/app", **more: object) -> AsyncIterator[GitHubClient]:
    """A client for that repository, signed in as the stand-in's own account."""
    owner, _, name = full_name.partition("/")
    async with transport_to(github, **more) as transport:  # type: ignore[arg-type]  # handed on as given
        yield client_of(transport, RepositoryId(host=github.host, owner=owner, name=name), github.login)
