"""The commands of one session: one at a time in the foreground, and background shells that outlive a turn."""

import asyncio
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from desktop.domain.core.work import ShellInfo
from desktop.services.processes.around import ALONE, IN_LANE, Around, Place, ProcessError
from desktop.services.processes.background import BackgroundShell, ShellOutput
from desktop.services.processes.given_secrets import HeldSecrets, LaidOut
from desktop.services.processes.output import whole_characters, whole_lines
from desktop.services.processes.running import Completed, LaunchFailed, OnOutput, RunningCommand
from desktop.services.processes.sandbox.blocked import limit_reached, what_was_blocked
from desktop.services.processes.sandbox.sandbox import Sandbox
from desktop.services.processes.starting import CommandStarts
from desktop.services.processes.tree import CALL_VARIABLE, SESSION_VARIABLE, end_marked, end_tree, marked_processes
from desktop.services.processes.witness import CommandRun

MAX_SHELLS = 8
MAX_SHELLS_OF_ALL = 24
MAX_SHELL_AGE_S = 8 * 3600.0
NEW_OUTPUT_BYTES = 256 * 1024


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
        self._around = around
        self._starts = CommandStarts(session_id, env, lane_root, sandbox, around.given)
        self._shells: dict[str, BackgroundShell] = {}
        self._lingering: list[RunningCommand] = []
        self._holding: list[HeldSecrets] = []

    @property
    def has_bash(self) -> bool:
        """Whether bash was found, so that commands can run at all."""
        return self._starts.bash is not None

    def private_folder(self) -> Path:
        """The folder that this session's commands have as TMPDIR; made when it is first asked for, gone with them."""
        return self._starts.private_folder()

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
        with self._held(place, command) as laid_out:
            running = await self._starts.start(command, cwd, place, laid_out)
            self._starts.make_ready()  # not later: it takes most of a step, and the next command may wait for it
            run = self._witnessed(running, command, cwd, place, call_id)
            try:
                completed = await running.finish(timeout_s, on_output)
            except LaunchFailed as error:
                raise self._starts.lost(error) from error
            except asyncio.CancelledError:
                if self._around.witness is not None:
                    self._around.witness.stopped(run, time.monotonic() - running.started)
                raise
            finally:
                self._starts.ended.add(running.call_mark)
                self._lingering = [one for one in (*self._lingering, running) if one.lingers]
        return await self._told(run, running, completed, laid_out)

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
        laid_out = self._starts.lay_out(place)
        try:
            running = await self._starts.start(command, cwd, place, laid_out)
        except BaseException:
            laid_out.remove()
            raise
        shell_id = f"sh{len(self._shells) + 1}"
        run = self._witnessed(running, command, cwd, place, call_id, background=True)
        task = asyncio.create_task(self._to_the_end(running, run, laid_out))
        task.add_done_callback(lambda _: self._around.on_change())
        self._shells[shell_id] = BackgroundShell(shell_id, running, datetime.now(UTC), task, secrets=place.secrets.ids)
        self._starts.make_ready()
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
            raw = raw[: whole_lines(raw) if shell.secrets else whole_characters(raw)]
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

    def holding(self) -> tuple[HeldSecrets, ...]:
        """The commands that run and were given secrets."""
        shells = (shell for shell in self._shells.values() if shell.completed is None)
        behind = [HeldSecrets(shell.secrets, shell.shell_id, shell.running.command) for shell in shells]
        return tuple(held for held in (*self._holding, *behind) if held.ids)

    def mark_read(self, shell_id: str) -> None:
        """The end of this shell was told."""
        self._shell(shell_id).reported = True

    def expect_commands(self) -> None:
        """A turn goes on, so commands may follow: a sandbox stands ready for the next one until `end_leftovers`."""
        self._starts.expect()

    async def end_leftovers(self) -> int:
        """End what foreground commands left running, and the sandbox that stands ready; called when a turn ends.
        Returns how many commands had left something."""
        await self._starts.expect_no_more()
        given_up = frozenset(self._starts.given_up)
        marks = self._starts.ended | given_up
        if not marks:
            return 0
        kept, self._lingering = self._lingering, []
        lingering = await _end_all(kept)
        left = await asyncio.to_thread(marked_processes, CALL_VARIABLE, frozenset(marks))
        by_mark = {mark: process.pid for process, mark in left.items()}
        await asyncio.gather(*(end_tree(pid, mark) for mark, pid in by_mark.items()))
        self._starts.ended -= marks
        self._starts.given_up -= given_up
        return len((by_mark.keys() | {running.call_mark for running in lingering}) - given_up)

    async def stop_all(self) -> None:
        """End everything this session runs and remove its temporary files."""
        await self._starts.expect_no_more()
        running = [shell for shell in self._shells.values() if shell.completed is None]
        for shell in running:
            shell.running.stop()
        await asyncio.gather(*(shell.task for shell in running), return_exceptions=True)
        await _end_all([*self._lingering, *(shell.running for shell in self._shells.values())])
        if self._starts.count:
            await end_marked(SESSION_VARIABLE, (self.session_id,))
        await self._starts.close()

    async def _to_the_end(self, running: RunningCommand, run: CommandRun, secrets: LaidOut) -> Completed:
        """A background shell until it has ended. What it left goes on until this session's commands are ended."""
        try:
            completed = await running.finish(MAX_SHELL_AGE_S)
        except LaunchFailed as error:
            raise self._starts.lost(error) from error
        finally:
            secrets.remove()
        return await self._told(run, running, completed, secrets)

    @contextmanager
    def _held(self, place: Place, command: str) -> Iterator[LaidOut]:
        """Secrets and the way out laid out for a command in the foreground, until it has ended however it does."""
        laid_out, held = self._starts.lay_out(place), HeldSecrets(place.secrets.ids, "", command)
        self._holding.append(held)
        try:
            yield laid_out
        finally:
            self._holding.remove(held)
            laid_out.remove()

    def _witnessed(
        self, running: RunningCommand, command: str, cwd: Path, place: Place, call_id: str, *, background: bool = False
    ) -> CommandRun:
        """What runs, as the witness is told of it."""
        name = running.profile.name if place.confined else "outside"
        run = CommandRun(command, cwd, call_id, datetime.now(UTC), place.reading, name, background)
        if self._around.witness is not None:
            self._around.witness.began(run)
        return run

    async def _told(
        self, run: CommandRun, running: RunningCommand, completed: Completed, laid_out: LaidOut
    ) -> Completed:
        """The end, with what the sandbox blocked, once the witness has heard of it."""
        if self._around.witness is not None:
            await self._around.witness.ended(run, completed)
        profile, ok = running.profile, completed.ok
        kept_out = ", ".join(laid_out.way.kept_out) if laid_out.way is not None else ""
        blocked = f"reaching {kept_out}" if kept_out else what_was_blocked(completed.output, profile, ok=ok)
        return replace(
            completed, blocked=blocked, limit=completed.limit or limit_reached(completed.output, profile, ok=ok)
        )

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
    left = await asyncio.gather(*(running.has_left() for running in commands))
    lingering = [running for running, has_left in zip(commands, left, strict=True) if has_left]
    for running in commands:
        if running not in lingering:
            running.close()
    await asyncio.gather(*(running.end() for running in lingering))
    return lingering
