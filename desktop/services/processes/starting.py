"""How the commands of one session are started, and the frame that stands ready for the next one."""

import asyncio
import os
import shutil
import tempfile
import uuid
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from desktop.policy.network.hosts import AllowedHost
from desktop.services.egress.egress import Way
from desktop.services.files.leftovers import passing_prefix
from desktop.services.processes.ahead import FrameAhead
from desktop.services.processes.around import (
    IN_LANE,
    READING_ENVIRONMENT,
    Given,
    Place,
    ProcessError,
    SandboxLost,
    find_bash,
)
from desktop.services.processes.environment import child_environment
from desktop.services.processes.given_secrets import NO_SECRETS, NOTHING_LAID_OUT, LaidOut, lay_out
from desktop.services.processes.output import CommandOutput
from desktop.services.processes.running import RunningCommand
from desktop.services.processes.sandbox.frame import shell_argv
from desktop.services.processes.sandbox.guard import BARE, Guard, Setting
from desktop.services.processes.sandbox.profile import SandboxProfile, shown_git
from desktop.services.processes.sandbox.resource_watch import ResourceWatch
from desktop.services.processes.sandbox.sandbox import Sandbox
from desktop.services.processes.tree import SESSION_VARIABLE

PRIVATE = "tmp"

_Made = tuple[SandboxProfile, dict[str, str], tuple[Path, ...]]


class CommandStarts:
    """Starts the commands of one session. Every method belongs to the engine's loop; arguments as of `Processes`.

    `count`: how many were started. `ended`: marks of those that have ended since somebody looked for what they left;
    `given_up`: of those whose start was broken off, commands or frames that waited.

    Between `expect` and `expect_no_more` there is at most one frame that waits for its command, in the place of the
    last command. It is used once, and only if it is what one would be that is made now.
    """

    def __init__(
        self, session_id: str, env: Mapping[str, str], lane_root: Path | None, sandbox: Sandbox | None, given: Given
    ) -> None:
        self.bash = find_bash()
        self.count = 0
        self.ended: set[str] = set()
        self.given_up: set[str] = set()
        self._session_id = session_id
        self._env = dict(env)
        self._lane_root = lane_root
        self._sandbox = sandbox
        self._given = given
        self._watch = sandbox.watch if sandbox is not None else ResourceWatch()
        self._temp: Path | None = None
        self._child_env: dict[str, str] | None = None
        self._git: tuple[Path, ...] | None = None
        self._profiles: dict[tuple[Guard, Path, bool], _Made] = {}
        self._expecting = False
        self._last = (lane_root, IN_LANE)
        self._used: tuple[tuple[Guard, Path, Place], Setting] | None = None
        self._ahead: FrameAhead | None = None
        self._closing: set[asyncio.Task[None]] = set()

    def private_folder(self) -> Path:
        """The TMPDIR of commands; made when it is first asked for."""
        return self._environment()[0] / PRIVATE

    def lay_out(self, place: Place) -> LaidOut:
        """Have secrets and the way to named hosts ready for one command. Whoever starts it takes them away when it has
        ended.

        Raises:
            ProcessError: the files of secrets cannot be written, or there is no such way.
        """
        if not place.secrets.ids and not place.hosts:
            return NOTHING_LAID_OUT
        temp, _ = self._environment()
        try:
            way = self._way(place.hosts) if place.hosts else None
            return lay_out(place.secrets, temp / f"secrets-{uuid.uuid4().hex}", way)
        except OSError as error:
            raise ProcessError(f"The command could not be given what it was allowed: {error.strerror}.") from error

    def _way(self, hosts: tuple[AllowedHost, ...]) -> Way:
        if self._given.way is None:
            raise ProcessError("There is no way to named hosts here, so the command did not run.")
        return self._given.way(hosts)

    async def start(self, command: str, cwd: Path, place: Place, secrets: LaidOut = NOTHING_LAID_OUT) -> RunningCommand:
        """Start it, in the frame that waits if that fits.

        Raises:
            ProcessError: bash or the folder cannot be used.
            SandboxLost: the sandbox that it was allowed in is gone, or could not be started.
        """
        if self.bash is None:
            raise ProcessError("bash was not found on this machine; install it to run commands.")
        guard = await self._sandbox.ready() if self._sandbox is not None and place.confined else BARE
        if (place.sandboxed and guard.tier == "none") or (place.hosts and guard.tier != "bwrap"):
            raise SandboxLost("The sandbox is gone since this command was allowed, so it did not run.")
        self._last = (cwd, replace(place, secrets=NO_SECRETS, hosts=()))
        try:
            running = await self._in_frame(command, cwd, guard, place, secrets)
            running.watch_use(self._watch, cwd, self._given.on_leftover_ended)
            return running
        except FileNotFoundError as error:
            if self._sandbox is not None and guard.tier != "none" and cwd.is_dir():
                raise self.lost(error) from error
            raise ProcessError(f"The command could not be started in {cwd}: {error.strerror or error}.") from error
        except OSError as error:
            raise ProcessError(f"The command could not be started in {cwd}: {error.strerror or error}.") from error

    def lost(self, error: Exception) -> SandboxLost:
        """What is raised for a command whose sandbox did not come up; who needs the sandbox next probes it anew."""
        if self._sandbox is not None:
            self._sandbox.failed()
        self._profiles.clear()
        self._used = None
        return SandboxLost(f"The sandbox could not be started, so the command did not run: {error}")

    def expect(self) -> None:
        """Commands will follow: have a frame ready for the next one until `expect_no_more`."""
        self._expecting = True
        self.make_ready()

    def make_ready(self) -> None:
        """Make the next frame, if commands are expected and none waits; for the sake of a frame alone nothing is
        probed. To be called when a command has begun."""
        cwd, place = self._last
        sandbox = self._sandbox
        if not self._expecting or self._ahead is not None or cwd is None or sandbox is None:
            return
        if place.confined and sandbox.tried:
            self._ahead = FrameAhead(lambda: self._waiting(sandbox, cwd, place))

    async def expect_no_more(self) -> None:
        """End the frame that waits, and wait until none is left."""
        self._expecting = False
        self._drop(self._ahead)
        self._ahead = self._used = None
        if self._closing:
            await asyncio.wait(set(self._closing))

    async def close(self) -> None:
        """Remove the session's temporary files."""
        if self._temp is not None:
            await asyncio.to_thread(shutil.rmtree, self._temp, True)
            self._temp, self._child_env, self._used = None, None, None
            self._profiles.clear()

    async def _in_frame(self, command: str, cwd: Path, guard: Guard, place: Place, secrets: LaidOut) -> RunningCommand:
        """The command, running. What waits is looked at and used without a pause in between."""
        ahead, self._ahead = self._ahead, None
        try:
            fits = ahead is not None and guard.tier == "bwrap" and await ahead.made()
            setting = await self._setting(guard, cwd, place, secrets)
            if secrets is NOTHING_LAID_OUT:
                self._used = (guard, cwd, place), setting
            if fits and ahead is not None and (running := ahead.take(setting, command)) is not None:
                ahead = None
                return running
            return await self._launched(setting, cwd, command)
        finally:
            self._drop(ahead)

    async def _launched(self, setting: Setting, cwd: Path, command: str | None) -> RunningCommand:
        """A new frame; with None it waits for its command."""
        temp, _ = self._environment()
        self.count += 1
        mark = f"{self._session_id}.{self.count}.{os.getpid()}"
        output = CommandOutput(temp / f"output-{self.count}")
        words = shell_argv(setting.bash, command or "")
        launch = setting.launch(words) if command is not None else setting.launch(words[:-1], later=True)
        try:
            return await RunningCommand.start(command or "", launch, cwd=cwd, call_mark=mark, output=output)
        except asyncio.CancelledError:
            self.given_up.add(mark)
            raise

    async def _waiting(self, sandbox: Sandbox, cwd: Path, place: Place) -> tuple[Setting, RunningCommand] | None:
        """A frame for the next command. It is made as for the last one: where that is not how it is to be now, the
        command does not run in it."""
        guard = await sandbox.ready()
        if guard.tier != "bwrap" or self.bash is None:
            return None
        key, setting = self._used or (None, None)
        if setting is None or key != (guard, cwd, place):
            setting = await self._setting(guard, cwd, place)
        return setting, await self._launched(setting, cwd, None)

    def _drop(self, ahead: FrameAhead | None) -> None:
        if ahead is not None:
            task = asyncio.create_task(ahead.close(), name="frame dropped")
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def _setting(self, guard: Guard, cwd: Path, place: Place, secrets: LaidOut | None = None) -> Setting:
        """In what a command runs now. `secrets`: of a command, whose profile holds for those that follow, its secrets
        aside; None: for a frame that waits. What is mounted is found anew each time."""
        _, env = self._environment()
        lane = self._lane_root if self._lane_root is not None else cwd
        key = (guard, lane, place.network)
        made = self._profiles.get(key)
        if made is None:
            made = await asyncio.to_thread(self._profile, guard, env, lane, place.network)
            if secrets is not None:
                self._profiles[key], self._git = made, made[2]
        profile, env, _ = made
        env = {**env, **self._given.variables(place.reading)}
        if place.reading:
            profile, env = profile.reading(), {**env, **READING_ENVIRONMENT}
        if secrets is not None:
            env |= secrets.variables
        if secrets is not None and secrets.folder is not None:
            shown = (*profile.readonly, secrets.folder.resolve())
            profile = profile.model_copy(update={"readonly": shown})
        if secrets is not None and secrets.way is not None:
            profile = profile.reaching(secrets.way.socket)
        return guard.setting(bash=self.bash or "", cwd=cwd, env=env, profile=profile)

    def _profile(self, guard: Guard, env: dict[str, str], lane: Path, network: bool) -> _Made:
        """Git's folders of this lane are those of the first command: no command can make them others. Blocking."""
        git = self._git if self._git is not None else shown_git(lane.resolve())
        tools = guard.tools(env["PATH"])
        profile = guard.profile_for(lane, temp=Path(env["TMPDIR"]), tools=tools, git_dirs=git, network=network)
        return profile, guard.inner_environment(env, tools), git

    def _environment(self) -> tuple[Path, dict[str, str]]:
        if self._temp is None or self._child_env is None:
            self._temp = Path(tempfile.mkdtemp(prefix=passing_prefix()))
            private = self._temp / PRIVATE
            private.mkdir(mode=0o700)
            self._child_env = child_environment(self._env, temp_folder=private, lane_root=self._lane_root)
            self._child_env[SESSION_VARIABLE] = self._session_id
        return self._temp, self._child_env
