"""The commands of one session: one at a time in the foreground, and background shells that outlive a turn."""

import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from datetime import UTC, datetime
from pathlib import Path

from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.work import ShellInfo
from desktop.records import dataclass
from desktop.services.files.leftovers import passing_prefix
from desktop.services.git.run import git_overrides
from desktop.services.processes.background import BackgroundShell, ShellOutput
from desktop.services.processes.environment import child_environment
from desktop.services.processes.output import CommandOutput, whole_characters
from desktop.services.processes.running import Completed, LaunchFailed, OnOutput, RunningCommand
from desktop.services.processes.sandbox.blocked import limit_reached, what_was_blocked
from desktop.services.processes.sandbox.frame import shell_argv
from desktop.services.processes.sandbox.guard import BARE, Guard
from desktop.services.processes.sandbox.profile import SandboxProfile, shown_git
from desktop.services.processes.sandbox.resource_watch import ResourceWatch
from desktop.services.processes.sandbox.sandbox import Sandbox
from desktop.services.processes.tree import CALL_VARIABLE, SESSION_VARIABLE, end_marked, end_tree, marked_processes
from desktop.services.processes.witness import CommandRun, CommandWitness

READING_ENVIRONMENT = {**git_overrides(), "GOTOOLCHAIN": "local"}
"""What a command that was shown to only read gets beside the rest (gate-S17)."""
MAX_SHELLS = 8
MAX_SHELLS_OF_ALL = 24
MAX_SHELL_AGE_S = 8 * 3600.0
NEW_OUTPUT_BYTES = 256 * 1024
PRIVATE = "tmp"


class ProcessError(BanksmanError):
    """A command could not be started, or there is no such background shell."""


class SandboxLost(ProcessError):
    """The sandbox did not come up for a command, which did not run. The next probe says what works now."""


def find_bash() -> str | None:
    """The absolute path of bash, or None: the bash tool is then not offered."""
    found = shutil.which("bash")
    return str(Path(found).absolute()) if found else None


@dataclass(frozen=True)
class Place:
    """In what a command runs, as it was decided. `network`: with the network of the machine. `reading`: it was shown to
    only read, so the lane cannot be written and git is kept from running what the lane configures. `confined` False:
    outside the sandbox, which a person allowed. `sandboxed`: it was allowed because there is a sandbox, so without one
    it does not run."""

    network: bool = False
    reading: bool = False
    confined: bool = True
    sandboxed: bool = False


IN_LANE = Place()


@dataclass
class _Calls:
    """Foreground commands that have ended since the last sweep: marks, and those of which something still runs."""

    ended: set[str] = field(default_factory=set)
    lingering: list[RunningCommand] = field(default_factory=list)
    count: int = 0


@dataclass(frozen=True)
class Around:
    """What the commands of one session have around them. `running_elsewhere`: background shells of other sessions, for
    the limit of all. `on_change`: called after a background shell started or ended. `variables`: what each command gets
    beside the rest; told whether it was shown to only read. `witness` is told of each command. `on_leftover_ended` is
    told when what a command left running was ended because of a limit."""

    running_elsewhere: Callable[[], int] = lambda: 0
    on_change: Callable[[], None] = lambda: None
    variables: Callable[[bool], Mapping[str, str]] = lambda reading: {}
    witness: CommandWitness | None = None
    on_leftover_ended: Callable[[str], object] = lambda words: None


ALONE = Around()


class Processes:
    """Runs and keeps the commands of one session. Every method belongs to the engine's loop.

    `env`: the environment the allow-list picks from (gate-K2). `lane_root`: its programs are not on the PATH.
    `sandbox` None: commands run with the person's own rights.
    """

    def __init__(
        self,
        session_id: str,
        env: Mapping[str, str],
        *,
        lane_root: Path | None = None,
        sandbox: Sandbox | None = None,
        around: Around = ALONE,
    ) -> None:
        self.session_id = session_id
        self.bash = find_bash()
        self._env = dict(env)
        self._lane_root = lane_root
        self._sandbox = sandbox
        self._around = around
        self._watch = sandbox.watch if sandbox is not None else ResourceWatch()
        self._shells: dict[str, BackgroundShell] = {}
        self._calls = _Calls()
        self._temp: Path | None = None
        self._child_env: dict[str, str] | None = None
        self._git: tuple[Path, ...] | None = None
        self._profiles: dict[tuple[Guard, Path, bool], tuple[SandboxProfile, dict[str, str]]] = {}

    @property
    def has_bash(self) -> bool:
        """Whether bash was found, so that commands can run at all."""
        return self.bash is not None

    def private_folder(self) -> Path:
        """The folder that this session's commands have as TMPDIR; made when it is first asked for, gone with them."""
        return self._environment()[0] / PRIVATE

    async def run(
        self,
        command: str,
        *,
        cwd: Path,
        timeout_s: float,
        on_output: OnOutput,
        place: Place = IN_LANE,
        call_id: str = "",
    ) -> Completed:
        """Run to the end, at most `timeout_s`. Nothing the command started is left when the time is up or the task is
        cancelled; when it ended by itself, `end_leftovers` ends what it left.

        Raises:
            ProcessError: bash or the folder cannot be used.
            SandboxLost: the sandbox could not be started; the command did not run.
        """
        running = await self._start(command, cwd, place)
        run = self._witnessed(running, command, cwd, place, call_id)
        try:
            completed = await running.finish(timeout_s, on_output)
        except LaunchFailed as error:
            raise self._lost(error) from error
        except asyncio.CancelledError:
            if self._around.witness is not None:
                self._around.witness.stopped(run, time.monotonic() - running.started)
            raise
        finally:
            self._calls.ended.add(running.call_mark)
            if running.lingers:
                self._calls.lingering.append(running)
        return await self._told(run, running, completed)

    async def start_background(self, command: str, *, cwd: Path, place: Place = IN_LANE, call_id: str = "") -> str:
        """Start a command that goes on after the call; returns its id (`sh1`, `sh2`, …). It is ended after 8 h.

        Raises:
            ProcessError: it cannot be started, or too many run already.
        """
        mine = sum(shell.completed is None for shell in self._shells.values())
        if mine >= MAX_SHELLS:
            raise ProcessError(f"{mine} background commands run in this chat already. Stop one with kill_shell first.")
        if mine + self._around.running_elsewhere() >= MAX_SHELLS_OF_ALL:
            raise ProcessError(f"{MAX_SHELLS_OF_ALL} background commands run already. Stop one first.")
        running = await self._start(command, cwd, place)
        shell_id = f"sh{len(self._shells) + 1}"
        run = self._witnessed(running, command, cwd, place, call_id, background=True)
        task = asyncio.create_task(self._to_the_end(running, run))
        task.add_done_callback(lambda _: self._around.on_change())
        self._shells[shell_id] = BackgroundShell(shell_id, running, datetime.now(UTC), task)
        self._around.on_change()
        return shell_id

    async def wait(self, shell_id: str, timeout_s: float) -> Completed | None:
        """Wait until a background shell has ended, at most `timeout_s`. None: it still runs."""
        shell = self._shell(shell_id)
        await asyncio.wait({shell.task}, timeout=timeout_s)
        return shell.completed

    async def output(self, shell_id: str, *, wait_s: float = 0.0, tail_lines: int | None = None) -> ShellOutput:
        """The output of a background shell since the last look, or its last `tail_lines`. `wait_s`: how long to wait
        for something new or its end. At most 256 KiB.

        Raises:
            ProcessError: there is no such shell.
        """
        shell = self._shell(shell_id)
        output = shell.running.output
        deadline = time.monotonic() + wait_s
        while shell.completed is None and output.total == shell.seen and time.monotonic() < deadline:
            await asyncio.wait({shell.task}, timeout=min(0.1, max(deadline - time.monotonic(), 0.0)))
        start = shell.seen if tail_lines is None else 0
        first = max(start, output.total - NEW_OUTPUT_BYTES)
        raw = await asyncio.to_thread(output.read, first, NEW_OUTPUT_BYTES)
        ended = shell.completed is not None
        if not ended and tail_lines is None:
            raw = raw[: whole_characters(raw)]
        shell.seen = max(shell.seen, first + len(raw))
        shell.reported = shell.reported or ended
        text = raw.decode("utf-8", "replace")
        if tail_lines is not None:
            text = "".join(text.splitlines(keepends=True)[-tail_lines:])
        age_s = time.monotonic() - shell.running.started
        return ShellOutput(text, first - start if tail_lines is None else 0, age_s, shell.completed)

    async def kill(self, shell_id: str) -> tuple[int, Completed]:
        """End a background shell and all it started. Returns how many processes ended: 0 when it had ended before.

        Raises:
            ProcessError: there is no such shell.
        """
        shell = self._shell(shell_id)
        if (completed := shell.completed) is not None:
            return 0, completed
        shell.running.stop()
        completed = await asyncio.shield(shell.task)
        return completed.processes, completed

    def shells(self) -> tuple[ShellInfo, ...]:
        """All background shells of this session, running ones first, then by id."""
        infos = [self._info(shell) for shell in self._shells.values()]
        return tuple(sorted(infos, key=lambda info: (not info.running, int(info.shell_id[2:]))))

    def only_shell(self) -> str:
        """The id of the one background shell there is, or of the one that runs.

        Raises:
            ProcessError: there are more to choose from, or none.
        """
        running = [shell.shell_id for shell in self._shells.values() if shell.completed is None]
        choice = running if len(running) == 1 else list(self._shells)
        if len(choice) == 1:
            return choice[0]
        known = ", ".join(self._shells) or "none was started"
        raise ProcessError(f"Say which background command you mean. Known: {known}.")

    def mark_read(self, shell_id: str) -> None:
        """The end of this shell was told."""
        self._shell(shell_id).reported = True

    async def end_leftovers(self) -> int:
        """End what foreground commands left running; called when a turn ends. Returns how many commands had left
        something."""
        marks = frozenset(self._calls.ended)
        if not marks:
            return 0
        kept, self._calls.lingering = self._calls.lingering, []
        lingering = await _end_all(kept)
        left = await asyncio.to_thread(marked_processes, CALL_VARIABLE, marks)
        by_mark = {mark: process.pid for process, mark in left.items()}
        await asyncio.gather(*(end_tree(pid, mark) for mark, pid in by_mark.items()))
        self._calls.ended -= marks
        return len(by_mark.keys() | {running.call_mark for running in lingering})

    async def stop_all(self) -> None:
        """End everything this session runs and remove its temporary files."""
        running = [shell for shell in self._shells.values() if shell.completed is None]
        for shell in running:
            shell.running.stop()
        await asyncio.gather(*(shell.task for shell in running), return_exceptions=True)
        await _end_all([*self._calls.lingering, *(shell.running for shell in self._shells.values())])
        if self._calls.count:
            await end_marked(SESSION_VARIABLE, (self.session_id,))
        if self._temp is not None:
            await asyncio.to_thread(shutil.rmtree, self._temp, True)
            self._temp, self._child_env = None, None
            self._profiles.clear()

    async def _to_the_end(self, running: RunningCommand, run: CommandRun) -> Completed:
        """A background shell until it has ended. What it left goes on until this session's commands are ended."""
        try:
            completed = await running.finish(MAX_SHELL_AGE_S)
        except LaunchFailed as error:
            raise self._lost(error) from error
        return await self._told(run, running, completed)

    def _witnessed(
        self, running: RunningCommand, command: str, cwd: Path, place: Place, call_id: str, *, background: bool = False
    ) -> CommandRun:
        """What runs, as the witness is told of it."""
        name = running.profile.name if place.confined else "outside"
        run = CommandRun(command, cwd, call_id, datetime.now(UTC), place.reading, name, background)
        if self._around.witness is not None:
            self._around.witness.began(run)
        return run

    async def _told(self, run: CommandRun, running: RunningCommand, completed: Completed) -> Completed:
        """The end, with what the sandbox blocked, once the witness has heard of it."""
        if self._around.witness is not None:
            await self._around.witness.ended(run, completed)
        profile, ok = running.profile, completed.ok
        blocked = what_was_blocked(completed.output, profile, ok=ok)
        return replace(
            completed, blocked=blocked, limit=completed.limit or limit_reached(completed.output, profile, ok=ok)
        )

    async def _start(self, command: str, cwd: Path, place: Place) -> RunningCommand:
        if self.bash is None:
            raise ProcessError("bash was not found on this machine; install it to run commands.")
        guard = await self._sandbox.ready() if self._sandbox is not None and place.confined else BARE
        if place.sandboxed and guard.tier == "none":
            raise SandboxLost("The sandbox is gone since this command was allowed, so it did not run.")
        temp, env = self._environment()
        self._calls.count += 1
        mark = f"{self.session_id}.{self._calls.count}.{os.getpid()}"
        output = CommandOutput(temp / f"output-{self._calls.count}")
        try:
            profile, env = await asyncio.to_thread(self._profile, guard, env, cwd, place.network)
            env = {**env, **self._around.variables(place.reading)}
            if place.reading:
                profile, env = profile.reading(), {**env, **READING_ENVIRONMENT}
            launch = guard.wrap(shell_argv(self.bash, command), bash=self.bash, cwd=cwd, env=env, profile=profile)
            running = await RunningCommand.start(command, launch, cwd=cwd, call_mark=mark, output=output)
            running.watch_use(self._watch, cwd, self._around.on_leftover_ended)
            return running
        except asyncio.CancelledError:
            self._calls.ended.add(mark)
            raise
        except FileNotFoundError as error:
            if self._sandbox is not None and guard.tier != "none" and cwd.is_dir():
                raise self._lost(error) from error
            raise ProcessError(f"The command could not be started in {cwd}: {error.strerror or error}.") from error
        except OSError as error:
            raise ProcessError(f"The command could not be started in {cwd}: {error.strerror or error}.") from error

    def _lost(self, error: Exception) -> SandboxLost:
        if self._sandbox is not None:
            self._sandbox.failed()
        self._profiles.clear()
        return SandboxLost(f"The sandbox could not be started, so the command did not run: {error}")

    def _profile(
        self, guard: Guard, env: dict[str, str], cwd: Path, network: bool
    ) -> tuple[SandboxProfile, dict[str, str]]:
        """The profile of a command and its environment, made once for a tier. Blocking."""
        lane = self._lane_root if self._lane_root is not None else cwd
        key = (guard, lane, network)
        if key not in self._profiles:
            git, temp = self._git_dirs(lane), Path(env["TMPDIR"])
            profile = guard.profile_for(lane, temp=temp, git_dirs=git, network=network, path=env["PATH"])
            self._profiles[key] = (profile, guard.inner_environment(env))
        return self._profiles[key]

    def _git_dirs(self, lane: Path) -> tuple[Path, ...]:
        """Git's folders of this lane as they were when the first command ran: no command can make them others."""
        if self._git is None:
            self._git = shown_git(lane.resolve())
        return self._git

    def _environment(self) -> tuple[Path, dict[str, str]]:
        if self._temp is None or self._child_env is None:
            self._temp = Path(tempfile.mkdtemp(prefix=passing_prefix()))
            private = self._temp / PRIVATE
            private.mkdir(mode=0o700)
            self._child_env = child_environment(self._env, temp_folder=private, lane_root=self._lane_root)
            self._child_env[SESSION_VARIABLE] = self.session_id
        return self._temp, self._child_env

    def _shell(self, shell_id: str) -> BackgroundShell:
        shell = self._shells.get(shell_id)
        if shell is None:
            known = ", ".join(self._shells) or "none was started"
            raise ProcessError(f'There is no background command "{shell_id}". Known: {known}.')
        return shell

    def _info(self, shell: BackgroundShell) -> ShellInfo:
        completed = shell.completed
        return ShellInfo(
            shell_id=shell.shell_id,
            session_id=self.session_id,
            command=shell.running.command,
            started_at=shell.started_at,
            running=completed is None,
            exit_code=completed.exit_code if completed is not None else None,
            pid=shell.running.pid,
        )


async def _end_all(commands: list[RunningCommand]) -> list[RunningCommand]:
    """End what these commands left running, and let go of the rest; those that had left something."""
    lingering = [running for running in commands if running.lingers]
    for running in commands:
        if running not in lingering:
            running.close()
    await asyncio.gather(*(running.end() for running in lingering))
    return lingering
