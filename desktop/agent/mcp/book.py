"""McpBook: the servers that a project has, the person's first, and what of each a person's yes binds (gate-M2)."""

import hashlib
import shutil
from functools import cached_property
from pathlib import Path

from pydantic import JsonValue

from desktop.agent.mcp.places import is_configured
from desktop.domain.mcp.updates import McpFault
from desktop.domain.mcp.values import EDITOR, LANE_MARK, REPOSITORY_FILE, McpPin, McpServer, basis_sha256
from desktop.records import dataclass
from desktop.services.files.scripts import is_script
from desktop.services.mcp.config import ReadServers, read_servers
from desktop.services.mcp.repository import read_repository
from desktop.services.processes.environment import clean_path
from desktop.store.mcp.pins import PinStore, RefusalStore

_CHUNK = 1024 * 1024
_UNACCEPTED = {
    "repository": "It comes from the repository, and nobody accepted it yet.",
    "editor": "An editor names it for its chat, and nobody accepted it yet.",
}
NAMED_NONE = ReadServers()
Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class BookedServer:
    """A server of a project, what a yes to it binds, and what a person accepted. `place`: where it is configured;
    `refused`: digests of what of it they said no to, the server as it is started or tools."""

    server: McpServer
    place: str
    basis: dict[str, JsonValue]
    pin: McpPin | None
    refused: frozenset[str] = frozenset()

    @cached_property
    def sha256(self) -> str:
        """The digest of what is started or reached."""
        return basis_sha256(self.basis)

    @property
    def kept_off(self) -> bool:
        """Whether a person said no to what would be started or reached."""
        return self.sha256 in self.refused

    @property
    def problem(self) -> str:
        """Why it may not be started, a sentence; "" when it may. A person's own may before its tools are accepted."""
        if not self.server.enabled:
            return "It is switched off."
        if self.pin is not None and self.pin.sha256 != self.sha256:
            return "What would be started is other than what was accepted."
        if self.pin is None and self.server.is_foreign:
            return _UNACCEPTED[self.server.scope]
        return ""


@dataclass(frozen=True)
class Booked:
    """All servers of a project, each id once, and what is wrong with the others."""

    servers: tuple[BookedServer, ...] = ()
    faults: tuple[McpFault, ...] = ()

    def get(self, server_id: str) -> BookedServer | None:
        """The server of this id, None: there is none."""
        return next((one for one in self.servers if one.server.id == server_id), None)


class McpBook:
    """Files are read again when they changed. All methods block but `is_empty`, which takes a moment; one thread at a
    time. `path`: where programs are looked for."""

    def __init__(self, file: Path, pins: PinStore, refused: RefusalStore, path: str) -> None:
        self.file = file
        self.pins, self.refused = pins, refused
        self._path = path
        self._read: tuple[Stamp | None, ReadServers] | None = None
        self._hashed: dict[Path, tuple[Stamp, str]] = {}

    def is_empty(self, root: Path | None) -> bool:
        """Whether no server is configured anywhere."""
        return not is_configured(self.file, root)

    def booked(
        self,
        project_id: str,
        root: Path | None,
        checkout: Path | None = None,
        named: ReadServers = NAMED_NONE,
    ) -> Booked:
        """The servers of a project whose files stand at `root`; None: it has none of its own. `checkout`: where those
        run that all chats share, if that is not `root`. `named`: those that editors name."""
        own = self._own()
        found = [(one, str(self.file)) for one in own.servers]
        faults = list(own.faults)
        if root is not None:
            shared = read_repository(root, own.passed)
            faults += shared.faults
            names = {one.id for one in own.servers}
            for server in shared.servers:
                if server.id in names:
                    text = f"You have a server that is called {server.id!r} too, which counts in its place."
                    faults.append(McpFault(REPOSITORY_FILE, 0, text, server.id))
                else:
                    found.append((server, REPOSITORY_FILE))
        names = {one.id for one, _ in found}
        faults += named.faults
        for server in named.servers:
            if server.id in names:
                text = f"There is a server that is called {server.id!r} already, which counts in its place."
                faults.append(McpFault(EDITOR, 0, text, server.id))
            else:
                found.append((server, EDITOR))
        shared_at = checkout if checkout is not None else root
        places = ((one, place, root if one.per_lane else shared_at) for one, place in found)
        return Booked(tuple(self.entry(one, place, project_id, at) for one, place, at in places), tuple(faults))

    def entry(self, server: McpServer, place: str, project_id: str, root: Path | None) -> BookedServer:
        """The server with what a yes to it binds now."""
        pin = self.pins.get(pin_scope(server, project_id), server.id)
        return BookedServer(server, place, self._basis(server, root), pin, self.refusals(server, project_id))

    def refusals(self, server: McpServer, project_id: str) -> frozenset[str]:
        """The digests of what of a server a person said no to."""
        return self.refused.get(pin_scope(server, project_id), server.id) or frozenset()

    def _own(self) -> ReadServers:
        stamp = _stamp(self.file)
        if self._read is None or self._read[0] != stamp:
            self._read = (stamp, read_servers(self.file))
        return self._read[1]

    def _basis(self, server: McpServer, root: Path | None) -> dict[str, JsonValue]:
        """Of a person's server the names of variables count, of others their values too."""
        if server.url:
            return {"url": server.url, "headers": _named(server.headers, server)}
        program = self._program(server.command[0], root)
        scripts = self._scripts(server, root, program)
        more: dict[str, JsonValue] = {"scripts": scripts} if scripts else {}
        return {
            "command": list(server.command),
            "program": str(program) if program is not None else "",
            "program_sha256": self._digest(program) if program is not None else "",
            "env": _named(server.env, server),
            "folder": server.folder,
            "cwd": server.cwd,
            "read": list(server.read),
            "network": server.network if isinstance(server.network, str) else list(server.network),
            "share": "lane" if server.per_lane else "project",
            **more,
        }

    def _scripts(self, server: McpServer, root: Path | None, program: Path | None) -> dict[str, JsonValue]:
        """The digests of the scripts that its words name: an agent may be able to change one in its lane."""
        seen = root if server.folder != "none" else None
        found: dict[str, JsonValue] = {}
        for word in dict.fromkeys(server.command):
            place = Path(word.replace(LANE_MARK, str(root)) if root is not None else word)
            if not place.is_absolute() and seen is not None and (word != server.command[0] or "/" in word):
                place = seen / server.cwd / place
            if place.is_absolute() and is_script(place) and place.resolve() != program:
                found[word] = self._digest(place.resolve())
        return found

    def _program(self, word: str, root: Path | None) -> Path | None:
        found = shutil.which(word, path=clean_path(self._path, root))
        return Path(found).resolve() if found is not None else None

    def _digest(self, program: Path) -> str:
        stamp = _stamp(program)
        known = self._hashed.get(program)
        if stamp is None:
            return ""
        if known is None or known[0] != stamp:
            digest = hashlib.sha256()
            with program.open("rb") as file:
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
            known = self._hashed[program] = (stamp, digest.hexdigest())
        return known[1]


def pin_scope(server: McpServer, project_id: str) -> str:
    """Under what a pin of the server is kept: of others than the person's own it counts in that project."""
    return project_id if server.is_foreign else ""


def _named(pairs: tuple[tuple[str, str], ...], server: McpServer) -> JsonValue:
    """What an editor gives may be a secret, of which the digest is kept alone."""
    if server.scope == "editor":
        return {name: f"sha256:{hashlib.sha256(value.encode()).hexdigest()}" for name, value in pairs}
    return dict(pairs) if server.is_foreign else [name for name, _ in sorted(pairs)]


def _stamp(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
