"""GuestLauncher: agents of others, each one tree of processes in the sandbox, at the end of a wire (guests-A34)."""

import asyncio
import json
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.domain.core.service_kinds import Dialect
from desktop.domain.gate.sandbox import SandboxLevel, SandboxTier
from desktop.domain.guests.registry import FoundGuest, GuestGateway, GuestRow
from desktop.late import late
from desktop.policy.network.hosts import AllowedHost, Refused, check_allowed
from desktop.policy.protected_names import PERHAPS_SECRET
from desktop.records import dataclass
from desktop.services.acp.wire import LONGEST_MESSAGE, Wire, WireHandler
from desktop.services.egress.egress import Egress, Way
from desktop.services.git.file_search import is_secret
from desktop.services.guests.locate import seen_with
from desktop.services.peers.child import PeerChild
from desktop.services.peers.launching import PeerLauncher, PeerPlace, PeerStartError, TerminalProgram
from desktop.services.peers.ring import LogRing
from desktop.services.processes.sandbox.guard import Guard
from desktop.services.processes.sandbox.sandbox import Sandbox
from desktop.services.processes.tree import ProcessFacts

if TYPE_CHECKING:
    from desktop.services.egress.gateway import ModelCounts, ModelGateway

LAST_LINES = 20
MOST_MASKED = 500
GATEWAY_URL = "http://127.0.0.1:3128"
"""The proxy's port in the sandbox, which is the model service for what asks it by paths alone."""
_KEY_HEADERS: dict[Dialect, str] = {"anthropic": "x-api-key", "gemini": "x-goog-api-key"}
NO_GATEWAY = "Keeping the key from an agent needs bubblewrap. Install it, or let the agent sign in by itself."


@dataclass(frozen=True)
class ModelChoice:
    """A model service that a person chose for an agent. `key` is asked at each request; the agent never has it.
    `counts`: counts what it has the model do, None: nobody does. `model`: the name of its usual model."""

    base_url: str
    key: Callable[[], str]
    counts: "ModelCounts | None" = None
    model: str = ""


@dataclass(frozen=True)
class GatewaySignIn:
    """What an agent is told of its model service as it signs in: an address in its sandbox, and headers that are worth
    nothing elsewhere. `dialect`: in what it is to ask there."""

    dialect: Dialect
    url: str
    headers: Mapping[str, str]


@dataclass(frozen=True)
class GuestPlace:
    """Where an agent works. `home`: its own home folder. `hosts`: what it may reach by name. `model`: the service that
    it asks without its key, None with a sign-in of its own. `owner`: the chat whose record its traffic belongs to.
    `env`, `args`: what it is given beside its row. `shown`: what else it sees of hidden places, such as the folder of a
    socket. `unconfined`: a person accepted that it runs where there is no sandbox. `person`: the person's home
    folder, of which it has the folders `given`, None: it has a home of its own."""

    row: GuestRow
    found: FoundGuest
    lane: Path
    home: Path
    hosts: tuple[str, ...] = ()
    model: ModelChoice | None = None
    owner: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    args: tuple[str, ...] = ()
    shown: tuple[Path, ...] = ()
    unconfined: bool = False
    person: Path | None = None
    given: tuple[Path, ...] = ()


@dataclass(frozen=True)
class ExitStatus:
    """How an agent ended. `status`: of its program, None where nobody knows; 128 and more: by a signal. `why`: a
    sentence. `last`: its last lines of errors."""

    status: int | None
    why: str
    last: tuple[str, ...] = ()


class GuestProcess:
    """An agent that runs, from `GuestLauncher.start` to `close`, which is awaited once. Its end is the end of its
    program, not of its pipes: when that ends, or sends what cannot be read, all it started is ended too and the wire is
    closed. `gateway`: what it is to be told of its model service, None: nothing, or it was told already."""

    def __init__(self, child: PeerChild, handler: WireHandler, gateway: GatewaySignIn | None = None) -> None:
        self.gateway = gateway
        self.wire = Wire(child.frames, child, handler)
        self.pid = child.pid
        self._child = child
        self._why = ""
        self._closing: asyncio.Task[None] | None = None
        self._tasks = (
            asyncio.create_task(self._read(), name="guest wire"),
            asyncio.create_task(self._watch(), name="guest end"),
        )

    @property
    def log(self) -> LogRing:
        """What it says on its error stream."""
        return self._child.log

    @property
    def gone(self) -> bool:
        """Whether it has ended."""
        return self._child.done.is_set()

    async def ended(self) -> ExitStatus:
        """Wait until it has ended, with all it started: how that came."""
        await self._child.done.wait()
        await self._end()
        why = self.wire.problem or self._why or self._child.why_ended()
        return ExitStatus(self._child.exit_status, why, self.log.lines()[-LAST_LINES:])

    async def running(self) -> frozenset[ProcessFacts]:
        """What runs of it now, such as at the beginning of a turn."""
        return await self._child.running()

    async def end_others(self, kept: frozenset[ProcessFacts]) -> tuple[ProcessFacts, ...]:
        """End what runs of it, is not among `kept` and does not end within 2 s: a guest that was told to stop may leave
        its command running. What was ended."""
        return await self._child.end_others(kept)

    async def close(self) -> None:
        """End it with all it started: its input is closed, and after 2 s what still runs is killed."""
        await self._end()
        await asyncio.wait(self._tasks)

    async def _read(self) -> None:
        await self.wire.run()
        if self.wire.problem:
            await self._end()

    async def _watch(self) -> None:
        await self._child.done.wait()
        self._why = self._child.why_ended()
        self.wire.close()
        await self._end()

    async def _end(self) -> None:
        if self._closing is None:
            self._closing = asyncio.create_task(self._child.close(), name="guest closes")
        await asyncio.shield(self._closing)


class GuestLauncher:
    """Starts agents of others. `env`: the person's environment, of which they get what commands get."""

    def __init__(self, sandbox: Sandbox, env: Mapping[str, str], egress: Egress) -> None:
        self._peers, self._sandbox, self._egress = PeerLauncher(sandbox, env), sandbox, egress

    async def standing(self) -> tuple[SandboxTier, SandboxLevel]:
        """The sandbox in which one would run now."""
        guard, report = await self._sandbox.ready(), self._sandbox.report
        return guard.tier, report.level if report is not None else "none"

    async def start(self, place: GuestPlace, handler: WireHandler, log: LogRing) -> GuestProcess:
        """The agent, running; nothing was said to it yet.

        Raises:
            PeerStartError: it cannot be started here.
        """
        guard = await self._peers.guard(bare=place.unconfined)
        key = f"banksman-{secrets.token_hex(16)}"
        told = _told(place, guard, key)
        masked = await asyncio.to_thread(secret_files, place.lane)
        way = self._way(place, guard)
        row, report = place.row, self._sandbox.report
        contained = report is not None and report.level == "full"
        off = row.own_sandbox_off if contained else ()
        peer = PeerPlace(
            "guest",
            row.id,
            (place.found.program, *row.args, *off, *told.args, *place.args),
            place.lane,
            place.lane,
            place.home,
            {**row.env, **told.env, **place.env, **_home(place)},
            LONGEST_MESSAGE,
            writes=True,
            network=guard.tier != "bwrap",
            shown=(*seen_with(place.found.program, place.found.real), *place.shown),
            masked=masked,
            given=place.given,
        )
        return GuestProcess(await self._peers.start(peer, log, guard, way), handler, _sign_in(place, key))

    async def sign_in(self, place: GuestPlace, words: tuple[str, ...], env: Mapping[str, str]) -> TerminalProgram:
        """The program by which a person signs an agent in, ready for a terminal: in the home folder and the sandbox of
        the agent, with the hosts of `place` open for it alone.

        Raises:
            PeerStartError: it cannot be started here.
        """
        guard = await self._peers.guard()
        peer = PeerPlace(
            "guest",
            place.row.id,
            words,
            None,
            place.home,
            place.home,
            {**place.row.env, **env, "TERM": "xterm-256color", **_home(place)},
            LONGEST_MESSAGE,
            network=guard.tier != "bwrap",
            shown=seen_with(place.found.program, place.found.real),
            given=place.given,
        )
        return await self._peers.in_terminal(peer, guard, self._way(place, guard))

    def _way(self, place: GuestPlace, guard: Guard) -> Way | None:
        """Its one way out; None where hosts cannot be kept apart."""
        if guard.tier != "bwrap":
            return None
        hosts = [check_allowed(host) for host in place.hosts]
        wrong = next((host.reason for host in hosts if isinstance(host, Refused)), "")
        if wrong:
            raise PeerStartError(wrong)
        allowed = tuple(host for host in hosts if isinstance(host, AllowedHost))
        try:
            own = _gateway(place)
            return self._egress.client("guest", place.row.id, allowed, owner=place.owner, own=own)
        except OSError as error:
            raise PeerStartError(f"There is no way to the network for it: {error.strerror or error}.") from error


def _home(place: GuestPlace) -> dict[str, str]:
    return {"HOME": str(place.person)} if place.person is not None else {}


def _gateway(place: GuestPlace) -> "ModelGateway | None":
    """Its one model service. Raises OSError: its address is none."""
    gateway, model = place.row.gateway, place.model
    if model is None or gateway is None:
        return None
    made: ModelGateway = late("desktop.services.egress.gateway").ModelGateway(
        gateway.dialect, model.base_url, model.key, model.counts
    )
    return made


def _sign_in(place: GuestPlace, key: str) -> GatewaySignIn | None:
    gateway = place.row.gateway
    if place.model is None or gateway is None or gateway.by != "sign_in":
        return None
    name = _KEY_HEADERS.get(gateway.dialect, "")
    headers = {name: key} if name else {"Authorization": f"Bearer {key}"}
    url = GATEWAY_URL + ("/v1" if gateway.dialect in ("openai", "responses") else "")
    return GatewaySignIn(gateway.dialect, url, headers)


def _told(place: GuestPlace, guard: Guard, key: str) -> GuestGateway:
    """The words and variables that tell it of a key and an address that mean nothing outside its sandbox.

    Raises:
        PeerStartError: it cannot be told of any, or others could use them.
    """
    if place.model is None:
        return GuestGateway(dialect="anthropic")
    if place.row.gateway is None:
        raise PeerStartError(f"{place.row.label} cannot be told of a model service; let it sign in by itself.")
    if guard.tier != "bwrap":
        raise PeerStartError(NO_GATEWAY)
    gateway = place.row.gateway
    model = json.dumps(place.model.model)[1:-1]  # it may stand between the quotes of a JSON text

    def filled(text: str) -> str:
        return text.replace("{url}", GATEWAY_URL).replace("{key}", key).replace("{model}", model)

    env = {name: filled(value) for name, value in gateway.env.items()}
    return gateway.model_copy(update={"env": env, "args": tuple(map(filled, gateway.args))})


def secret_files(lane: Path) -> tuple[Path, ...]:
    """The files of a lane whose names say that they hold secrets; they read as empty for an agent. Blocking (a look at
    every name).

    Raises:
        PeerStartError: there are more than can be hidden.
    """
    found: list[Path] = []
    root = lane.resolve()
    for folder, inner, names in os.walk(root):
        inner[:] = [name for name in inner if name != ".git"]
        below = os.path.relpath(folder, root)
        here = "" if below == "." else f"{below}/"
        perhaps = PERHAPS_SECRET.search(here) is not None
        found += [
            Path(folder, name)
            for name in names
            if (perhaps or PERHAPS_SECRET.search(name)) and is_secret(here + name) and Path(folder, name).is_file()
        ]
        if len(found) > MOST_MASKED:
            raise PeerStartError(f"More than {MOST_MASKED} files here look like keys, which cannot all be hidden.")
    return tuple(path for path in found if not path.is_symlink())
