"""McpLauncher: starts servers in the sandbox, each with its own profile, home folder and environment (guests-M3)."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from desktop.domain.core.errors import BanksmanError
from desktop.domain.mcp.values import McpServer
from desktop.policy.network.hosts import AllowedHost, Refused, check_allowed
from desktop.records import dataclass
from desktop.services.egress.egress import Egress, Way
from desktop.services.files.leftovers import passing_prefix
from desktop.services.peers.child import PeerChild
from desktop.services.peers.frames import MIB
from desktop.services.peers.ring import LogRing
from desktop.services.processes.around import find_bash
from desktop.services.processes.environment import child_environment, clean_path
from desktop.services.processes.sandbox.guard import Guard, Setting
from desktop.services.processes.sandbox.profile import SandboxProfile
from desktop.services.processes.sandbox.resource_watch import Watched, enough_disk
from desktop.services.processes.sandbox.sandbox import Sandbox

LONGEST_FRAME = 8 * MIB
NO_HOSTS = "A server that reaches named hosts needs bubblewrap, which keeps it from others. Choose off or open."
NO_SANDBOX = "There is no sandbox on this computer, and servers run in one only."
# Constant text: what varies is an argument. Errors go to a pipe of their own, which the frame does not know.
_ERRORS_APART = 'errors=$1; shift; exec "$@" 2>&"$errors" {errors}>&-'


class McpStartError(BanksmanError):
    """A server could not be started; the sentence says why."""


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
        self._sandbox, self._env, self._egress = sandbox, dict(env), egress
        self._count = 0

    def program(self, word: str, lane: Path | None) -> Path | None:
        """The file that would be started for the first word of a command, by its real path; none of a lane.
        Blocking."""
        found = shutil.which(word, path=clean_path(self._env.get("PATH", ""), lane)) if word else None
        real = Path(found).resolve() if found is not None else None
        return None if real is None or (lane is not None and real.is_relative_to(lane.resolve())) else real

    async def start(self, place: McpPlace, log: LogRing) -> PeerChild:
        """The server, running.

        Raises:
            McpStartError: it cannot be started here.
        """
        guard = await self._sandbox.ready()
        bash = find_bash()
        if guard.tier == "none" or (bash is None and guard.tier != "seatbelt"):
            raise McpStartError(NO_SANDBOX)
        way = self._way(place, guard)
        self._count += 1
        mark = f"mcp.{place.server.id}.{self._count}.{os.getpid()}"
        temp = Path(tempfile.mkdtemp(prefix=passing_prefix()))
        try:
            setting, words = await asyncio.to_thread(self._setting, guard, place, temp, way)
        except BaseException:
            shutil.rmtree(temp, ignore_errors=True)
            if way is not None:
                way.close()
            raise
        child = _made(setting, words, mark, log, temp)
        if way is not None:
            child.when_closed(way.close)
        try:
            await child.begin(place.cwd)
        except OSError as error:
            self._sandbox.failed()
            raise McpStartError(f"It could not be started: {error.strerror or error}.") from error
        self._watch(child, place.cwd)
        return child

    def _watch(self, child: PeerChild, cwd: Path) -> None:
        def exceeded(limit: str) -> None:
            child.limit = limit

        watch = self._sandbox.watch
        room = enough_disk(cwd, watch.limits)
        launch = child.launch
        watch.add(Watched(child.pid, cwd, launch.private, launch.contained, exceeded, room))

    def _way(self, place: McpPlace, guard: Guard) -> Way | None:
        """Its way out to named hosts, None for a server that reaches none or all."""
        network = place.server.network
        if isinstance(network, str):
            return None
        if self._egress is None or guard.tier != "bwrap":
            raise McpStartError(NO_HOSTS)
        hosts = [check_allowed(host) for host in network]
        allowed = tuple(host for host in hosts if isinstance(host, AllowedHost))
        wrong = next((host.reason for host in hosts if isinstance(host, Refused)), "")
        if wrong:
            raise McpStartError(wrong)
        return self._egress.client("server", place.server.id, allowed, owner=place.owner)

    def _setting(self, guard: Guard, place: McpPlace, temp: Path, way: Way | None) -> tuple[Setting, tuple[str, ...]]:
        """In what it runs, and its words: nothing of the person's is there but programs, the folder and what they
        named. Blocking."""
        place.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        home, private = place.home.resolve(), temp / "tmp"
        private.mkdir(mode=0o700)
        folder = place.folder.resolve() if place.folder is not None else home
        env = child_environment(self._env, temp_folder=private, lane_root=place.folder)
        program = shutil.which(place.words[0], path=env["PATH"])
        tools = guard.tools(f"{Path(program).parent}:{env['PATH']}" if program else env["PATH"])
        outward = way.environment if way is not None else {}
        inner = {**guard.inner_environment(env, tools), "HOME": str(home), **place.env, **outward}
        profile = guard.profile_for(folder, temp=private, tools=tools, network=place.server.network == "open")
        own = _own(profile, place, home)
        own = own.reaching(way.socket) if way is not None else own
        setting = guard.setting(bash=find_bash() or "", cwd=place.cwd, env=inner, profile=own)
        return setting, (program or place.words[0], *place.words[1:])


def _made(setting: Setting, words: tuple[str, ...], mark: str, log: LogRing, temp: Path) -> PeerChild:
    """The child, not yet begun. Its pipes are open, so it must be begun at once."""
    errors = os.pipe()
    os.set_inheritable(errors[1], True)
    apart = (setting.bash, "--noprofile", "--norc", "-c", _ERRORS_APART, "banksman-mcp", str(errors[1]), *words)
    launch = setting.launch(words if setting.guard.tier == "seatbelt" else apart)
    return PeerChild(launch, mark, log, temp, errors=errors, longest=LONGEST_FRAME)


def _own(profile: SandboxProfile, place: McpPlace, home: Path) -> SandboxProfile:
    """The profile of a server: its home can be written, the project as a person chose, and what they named is seen."""
    shown = tuple(Path(one).resolve() for one in place.server.read if Path(one).exists())
    return profile.model_copy(
        update={
            "name": "mcp",
            "readonly": (*profile.readonly, *shown),
            "writable": (*profile.writable, home),
            "lane_writable": place.folder is None or place.server.folder == "write",
        }
    )
