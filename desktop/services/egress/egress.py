"""Egress: the one way out to the network for commands, servers and hooks that may reach named hosts (gate-B1).

A stable service for the themes that start programs: `with egress.client(kind, client, hosts) as way:` gives
`way.socket`, by which `SandboxProfile.reaching` shows it to the program's sandbox, and `way.environment` for the
program.
"""

import asyncio
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from desktop.domain.core.listeners import Listeners
from desktop.domain.egress.values import ClientKind, Traffic
from desktop.late import late
from desktop.policy.network.hosts import AllowedHost
from desktop.records import dataclass
from desktop.services.egress.tally import Tally
from desktop.services.files.leftovers import passing_prefix

if TYPE_CHECKING:
    from desktop.services.egress.requests import OwnService
    from desktop.services.egress.routes import Routes

DAY_S = 24 * 3600.0


class Way(Protocol):
    """One client's way out, on the engine's loop, until it is closed: at the end of a `with`, or by `close`. `socket`:
    where the proxy serves it. `environment`: what tells a program in a sandbox of the proxy."""

    socket: Path
    environment: dict[str, str]
    kept_out: list[str]
    """Places that it was kept from, as `host:port`, each once; the first few."""

    def close(self) -> None:
        """End all of its connections, and take its socket away; it does not matter how often."""

    def __enter__(self) -> "Way": ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None: ...


@dataclass(frozen=True)
class KeptOut:
    """A host that a client tried and may not reach. `owner`: whose record it belongs to. `port` 0: `host` is what it
    asked of its own service instead, which is not passed on."""

    owner: str
    kind: ClientKind
    client: str
    host: str
    port: int


@dataclass(frozen=True)
class Unreached:
    """A host that a client may reach and that could not be. `why`: in words that follow a colon."""

    owner: str
    host: str
    port: int
    why: str


@dataclass(frozen=True)
class Reports:
    """Who hears of a client. `counted(host, port, **numbers)`: traffic, by the names of Traffic's numbers. `refused`:
    a host it was kept from, or, with port 0, what it asked of its own service. `unreached(host, port, why)`: one that
    it may reach and could not. `closed`: it is no more. `used`: told of more bytes, says how many there were within a
    day of this client and others of its name. `serving`: a connection that it serves."""

    counted: Callable[..., object]
    refused: Callable[[str, int], object]
    unreached: Callable[[str, int, str], object]
    closed: Callable[[], object]
    used: Callable[[int], int]
    serving: Callable[[asyncio.Task[None]], object]


@dataclass(frozen=True)
class Reach:
    """What a client may reach: hosts, and a service that it asks by paths alone, None for none."""

    hosts: tuple[AllowedHost, ...]
    own: "OwnService | None" = None


class Egress:
    """One for the program, on the engine's loop. Nothing is loaded or opened before the first client.

    `routes` makes how connections go out, at the first client; None: straight. `kept_out` tells of each connection
    that was refused by the list of its client, `unreached` of each that was allowed and could not be made.
    """

    def __init__(
        self, routes: Callable[[], "Routes"] | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.kept_out = Listeners[KeptOut]()
        self.unreached = Listeners[Unreached]()
        self._make_routes = routes
        self._routes: Routes | None = None
        self._clock = clock
        self._tally = Tally()
        self._folder: Path | None = None
        self._count = 0
        self._open: set[Way] = set()
        self._serving: set[asyncio.Task[None]] = set()
        self._used: dict[tuple[str, ClientKind, str], tuple[float, int]] = {}

    def client(
        self,
        kind: ClientKind,
        client: str,
        hosts: Iterable[AllowedHost],
        *,
        owner: str = "",
        own: "OwnService | None" = None,
    ) -> Way:
        """A client that may reach these hosts, until it is closed. `client`: which one of its kind, such as the id of a
        server; those of one name share the bytes of a day. `owner`: the chat or project whose record its traffic
        belongs to. `own`: the one service that it may ask by paths alone, such as a `ModelGateway`.

        Raises:
            OSError: its socket cannot be made.
        """
        made: list[Way] = []
        reports = Reports(
            counted=lambda host, port, **counts: self._tally.add(owner, kind, client, host, port, **counts),
            refused=lambda host, port: self.kept_out(KeptOut(owner, kind, client, host, port)),
            unreached=lambda host, port, why: self.unreached(Unreached(owner, host, port, why)),
            closed=lambda: self._open.difference_update(made),
            used=lambda more: self._use((owner, kind, client), more),
            serving=self._serve,
        )
        self._count += 1
        place = self._own_folder() / f"{self._count}" / "egress.sock"
        place.parent.mkdir(mode=0o700)
        way: Way = late("desktop.services.egress.client").EgressClient(
            Reach(tuple(hosts), own), place, self._ways_out(), reports
        )
        made.append(way)
        self._open.add(way)
        return way

    def note(self, owner: str, traffic: Traffic) -> None:
        """Count what went out on another way: a fetch of our own."""
        numbers = traffic.model_dump(exclude={"kind", "client", "host", "port"})
        self._tally.add(owner, traffic.kind, traffic.client, traffic.host, traffic.port, **numbers)

    def take(self, owner: str) -> tuple[Traffic, ...]:
        """What went out for this owner since the last time, to be recorded."""
        return self._tally.take(owner)

    def owners(self) -> tuple[str, ...]:
        """For whom something went out since it was last taken."""
        return self._tally.owners()

    async def close(self) -> None:
        """End all clients, and wait until nothing of them is open."""
        for way in tuple(self._open):
            way.close()
        if self._serving:
            await asyncio.wait(set(self._serving))
            await asyncio.sleep(0)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _serve(self, connection: asyncio.Task[None]) -> None:
        self._serving.add(connection)
        connection.add_done_callback(self._serving.discard)

    def _ways_out(self) -> "Routes":
        if self._routes is None:
            self._routes = self._make_routes() if self._make_routes else late("desktop.services.egress.routes").Routes()
        return self._routes

    def _use(self, who: tuple[str, ClientKind, str], more: int) -> int:
        began, used = self._used.get(who, (self._clock(), 0))
        if self._clock() - began >= DAY_S:
            began, used = self._clock(), 0
        self._used[who] = (began, used + more)
        return used + more

    def _own_folder(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix=passing_prefix()))
        return self._folder
