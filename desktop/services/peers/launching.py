"""PeerLauncher: starts programs of others in the sandbox, each with its own profile, home folder and environment."""

import asyncio
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from desktop.domain.core.errors import BanksmanError
from desktop.records import dataclass
from desktop.services.egress.egress import Way
from desktop.services.files.leftovers import passing_prefix
from desktop.services.peers.child import PeerChild
from desktop.services.peers.ring import LogRing
from desktop.services.processes.around import find_bash
from desktop.services.processes.environment import child_environment
from desktop.services.processes.sandbox.frame import Launch
from desktop.services.processes.sandbox.guard import Guard, Setting
from desktop.services.processes.sandbox.resource_watch import Watched, enough_disk
from desktop.services.processes.sandbox.sandbox import Sandbox

NO_SANDBOX = "There is no sandbox on this computer, and this runs in one only."
# Constant text: what varies is an argument. Errors go to a pipe of their own, which the frame does not know.
_ERRORS_APART = 'errors=$1; shift; exec "$@" 2>&"$errors" {errors}>&-'
# The frame gives a command pipes; what it reads from is the terminal, so it writes there too.
_IN_TERMINAL = 'exec "$@" >&0 2>&0'


_LOADED = re.compile(r"(?:LD|DYLD|GLIBC|GCONV|MALLOC)_.*|LOCPATH|NLSPATH")
"""Variables by which any program loads code: what makes the sandbox would too, outside of it."""


class PeerStartError(BanksmanError):
    """A program of others could not be started; the sentence says why."""


@dataclass(frozen=True)
class PeerPlace:
    """Where a program of others runs, and as what.

    `profile`, `peer_id`: its kind, and which one of it. `folder`: what it sees of the project, None for nothing;
    `writes`: whether it may write there. `home`: its own home folder, which stays. `env`: what it gets beside the rest.
    `shown`: what it sees of hidden places, `masked`: files that read as empty; `given`: hidden folders that it may
    change. `network`: it has that of the machine.
    `longest`: how many bytes a line of its output may have.
    """

    profile: Literal["mcp", "guest"]
    peer_id: str
    words: tuple[str, ...]
    folder: Path | None
    cwd: Path
    home: Path
    env: Mapping[str, str]
    longest: int
    writes: bool = False
    network: bool = False
    shown: tuple[Path, ...] = ()
    masked: tuple[Path, ...] = ()
    given: tuple[Path, ...] = ()


class TerminalProgram:
    """A program that waits to be started in a terminal: `argv`, `env`, `cwd`, and the descriptors that it `inherits`.
    `started` once it was; `close` when it is over, also when it never began."""

    def __init__(self, launch: Launch, cwd: Path, temp: Path, way: Way | None) -> None:
        self.argv, self.env, self.cwd = launch.argv, launch.env, cwd
        self._ends, self._temp, self._way = launch.ends, temp, way

    @property
    def inherits(self) -> tuple[int, ...]:
        """What the starting call must pass on."""
        return self._ends.inherited if self._ends is not None else ()

    def started(self) -> None:
        """It has its descriptors now."""
        if self._ends is not None:
            self._ends.release()

    def close(self) -> None:
        """End what is left of it, and take its passing folder and its way out away. Blocking, shortly."""
        if self._ends is not None:
            self._ends.close()
        if self._way is not None:
            self._way.close()
        shutil.rmtree(self._temp, ignore_errors=True)


class PeerLauncher:
    """Starts programs of others. `env`: the person's environment, of which they get what commands get."""

    def __init__(self, sandbox: Sandbox, env: Mapping[str, str]) -> None:
        self._sandbox, self._env = sandbox, dict(env)
        self._count = 0

    async def guard(self, *, bare: bool = False) -> Guard:
        """The sandbox in which programs start now. Raises PeerStartError: there is none, and `bare` is not given."""
        guard = await self._sandbox.ready()
        if (guard.tier == "none" and not bare) or (find_bash() is None and guard.tier != "seatbelt"):
            raise PeerStartError(NO_SANDBOX)
        return guard

    async def start(self, place: PeerPlace, log: LogRing, guard: Guard, way: Way | None = None) -> PeerChild:
        """The program, running under this guard. `way`: its way out to named hosts, closed with it, also when it cannot
        be started.

        Raises:
            PeerStartError: it cannot be started here.
        """
        self._count += 1
        mark = f"{place.profile}.{place.peer_id}.{self._count}.{os.getpid()}"
        temp = Path(tempfile.mkdtemp(prefix=passing_prefix()))
        try:
            setting, words = await asyncio.to_thread(self._setting, guard, place, temp, way)
        except BaseException:
            shutil.rmtree(temp, ignore_errors=True)
            if way is not None:
                way.close()
            raise
        child = _made(setting, words, mark, log, (temp, place.longest))
        if way is not None:
            child.when_closed(way.close)
        try:
            await child.begin(place.cwd)
        except OSError as error:
            self._sandbox.failed()
            raise PeerStartError(f"It could not be started: {error.strerror or error}.") from error
        self._watch(child, place.cwd)
        return child

    async def in_terminal(self, place: PeerPlace, guard: Guard, way: Way | None = None) -> "TerminalProgram":
        """The program, ready to be started with a terminal as its input, which is also where it writes. `way` is closed
        with it.

        Raises:
            PeerStartError: it cannot be started here.
        """
        temp = Path(tempfile.mkdtemp(prefix=passing_prefix()))
        try:
            setting, words = await asyncio.to_thread(self._setting, guard, place, temp, way)
            if guard.tier == "seatbelt":
                launch = setting.launch(words)
            else:
                control = shutil.which("setsid", path=setting.env["PATH"])
                taken = (control, "--ctty", "--wait") if control is not None else ()
                shell = (setting.bash, "--noprofile", "--norc", "-c", _IN_TERMINAL, "banksman-sign-in")
                launch = setting.launch((*shell, *taken, *words))
        except BaseException:
            shutil.rmtree(temp, ignore_errors=True)
            if way is not None:
                way.close()
            raise
        return TerminalProgram(launch, place.cwd, temp, way)

    def _watch(self, child: PeerChild, cwd: Path) -> None:
        def exceeded(limit: str) -> None:
            child.limit = limit

        watch = self._sandbox.watch
        room = enough_disk(cwd, watch.limits)
        launch = child.launch
        watch.add(Watched(child.pid, cwd, launch.private, launch.contained, exceeded, room))
        child.when_told = watch.rouse

    def _setting(self, guard: Guard, place: PeerPlace, temp: Path, way: Way | None) -> tuple[Setting, tuple[str, ...]]:
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
        within = {name: value for name, value in place.env.items() if _LOADED.fullmatch(name)}
        given = {name: value for name, value in place.env.items() if name not in within}
        inner = {**guard.inner_environment(env, tools), "HOME": str(home), **given, **outward}
        profile = guard.profile_for(folder, temp=private, tools=tools, network=place.network)
        own = profile.model_copy(
            update={
                "name": place.profile,
                "readonly": (*profile.readonly, *(one.resolve() for one in place.shown if one.exists())),
                "writable": (*profile.writable, home, *(one.resolve() for one in place.given)),
                "masked": (*profile.masked, *place.masked),
                "lane_writable": place.folder is None or place.writes,
            }
        )
        own = own.reaching(way.socket) if way is not None else own
        setting = guard.setting(bash=find_bash() or "", cwd=place.cwd, env=inner, profile=own)
        return setting, (*_setting_within(within, env["PATH"]), program or place.words[0], *place.words[1:])


def _setting_within(env: Mapping[str, str], path: str) -> tuple[str, ...]:
    """The words before a program that set these variables for it, once it is in its sandbox."""
    program = shutil.which("env", path=path) if env else None
    return (program, *(f"{name}={value}" for name, value in env.items())) if program is not None else ()


def _made(setting: Setting, words: tuple[str, ...], mark: str, log: LogRing, own: tuple[Path, int]) -> PeerChild:
    """The child, not yet begun. Its pipes are open, so it must be begun at once. `own`: its passing folder, and how
    long a line of it may be."""
    errors = os.pipe()
    os.set_inheritable(errors[1], True)
    apart = (setting.bash, "--noprofile", "--norc", "-c", _ERRORS_APART, "banksman-peer", str(errors[1]), *words)
    launch = setting.launch(words if setting.guard.tier == "seatbelt" else apart)
    return PeerChild(launch, mark, log, own[0], errors=errors, longest=own[1])
