"""The pace of requests to GitHub, and how long and large they may be."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import field

from desktop.records import dataclass

CONNECT_S, TOTAL_S = 10.0, 30.0
MAX_BODY_BYTES = 10 * 1024 * 1024
Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True)
class ExchangeLimits:
    """Of one exchange. `cut`: a body that is longer is cut there, instead of being an error."""

    connect_s: float = CONNECT_S
    total_s: float = TOTAL_S
    max_bytes: int = MAX_BODY_BYTES
    cut: bool = False


@dataclass(frozen=True)
class Pace:
    """`retry_s`: the waits before a read is asked again; `settle_s`: before a request that GitHub is still working out
    is looked at again."""

    retry_s: tuple[float, ...] = (1.0, 2.0, 4.0)
    write_every_s: float = 1.0
    settle_s: float = 2.0
    limits: ExchangeLimits = field(default=ExchangeLimits())
    sleep: Sleep = field(default=asyncio.sleep)


USUAL_LIMITS = ExchangeLimits()
USUAL_PACE = Pace()
