"""McpLauncher: starts servers in the sandbox, as a person configured them (guests-M3)."""

from collections.abc import Mapping
from pathlib import Path

from desktop.domain.mcp.values import McpServer
from desktop.policy.network.hosts import AllowedHost, Refused, check_allowed
from desktop.records import dataclass
from desktop.services.egress.egress import Egress, Way
from desktop.services.peers.child import PeerChild
from desktop.services.peers.frames import MIB
from desktop.services.peers.launching import PeerLauncher, PeerPlace, PeerStartError
from desktop.services.peers.ring import LogRing
from desktop.services.processes.sandbox.guard import Guard
from desktop.services.processes.sandbox.sandbox import Sandbox

LONGEST_FRAME = 8 * MIB
NO_HOSTS = "A server that reaches named hosts needs bubblewrap, which keeps it from others. Choose off or open."


@dataclass(frozen=True)
class McpPlace:
    """Where a server runs. `folder`: what it sees of the project, None for nothing; `home`: its own home folder, which
    stays; `env`: the values of its variables. `owner`: the project whose record its traffic belongs to."""

    server: McpServer
    words: tuple[str, ...]
    folder: Path | None
    home: Path
    env: Mapping[str, str]
    owner: str = ""

    @property
    def cwd(self) -> Path:
        """Where it starts."""
        return self.folder / self.server.cwd if self.folder is not None else self.home


class McpLauncher:
    """Starts servers. `env`: the person's environment, of which a server gets what commands get and what the person
    named."""

    def __init__(self, sandbox: Sandbox, env: Mapping[str, str], egress: Egress | None = None) -> None:
        """`egress`: the way out for servers that reach named hosts; None: there is none."""
        self._peers, self._egress = PeerLauncher(sandbox, env), egress

    async def start(self, place: McpPlace, log: LogRing) -> PeerChild:
        """The server, running.

        Raises:
            PeerStartError: it cannot be started here.
        """
        guard = await self._peers.guard()
        server = place.server
        peer = PeerPlace(
            "mcp",
            server.id,
            place.words,
            place.folder,
            place.cwd,
            place.home,
            place.env,
            LONGEST_FRAME,
            writes=server.folder == "write",
            network=server.network == "open",
            shown=tuple(Path(one) for one in server.read),
        )
        return await self._peers.start(peer, log, guard, self._way(place, guard))

    def _way(self, place: McpPlace, guard: Guard) -> Way | None:
        """Its way out to named hosts, None for a server that reaches none or all."""
        network = place.server.network
        if isinstance(network, str):
            return None
        if self._egress is None or guard.tier != "bwrap":
            raise PeerStartError(NO_HOSTS)
        hosts = [check_allowed(host) for host in network]
        allowed = tuple(host for host in hosts if isinstance(host, AllowedHost))
        wrong = next((host.reason for host in hosts if isinstance(host, Refused)), "")
        if wrong:
            raise PeerStartError(wrong)
        return self._egress.client("server", place.server.id, allowed, owner=place.owner)
