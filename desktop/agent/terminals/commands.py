"""TerminalCommands: the person's own shells in lanes: opened, fed, closed, and ended with their lane or the app."""

import asyncio
import contextlib
import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish
from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.use import LaneUse
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.changes import commands as r
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError
from desktop.domain.lanes.lane import Lane, LaneHolder
from desktop.domain.terminals.updates import (
    Leftover,
    LeftoversFound,
    Row,
    TerminalClosed,
    TerminalQuoted,
    TerminalScreen,
    TerminalStarting,
)
from desktop.records import dataclass
from desktop.services.processes.tree import end_marked, end_process, end_tree, session_lives
from desktop.services.terminals.leftovers import leftovers
from desktop.services.terminals.pty import NoTerminal, hang_up, open_terminal, start_shell, why_none
from desktop.services.terminals.shell import TERMINAL_VARIABLE, shell_command, shell_of, terminal_environment
from desktop.services.terminals.terminal import Terminal, TerminalPlace

if TYPE_CHECKING:
    from desktop.agent.guests.starting.launching import SignInProgram
    from desktop.agent.guests.starting.signing_in import SigningIn

QUOTE_CHARS = 30_000
MOST_TERMINALS = 40
_HANG_UP_S = 0.5
_KEPT_CLOSED = 20
_SIZES = (2, 500)

Given = TypeVar("Given")


_Asked = r.TerminalInput | r.ResizeTerminal | r.CloseTerminal


@dataclass(frozen=True)
class _Begun:
    """A program that was started in a terminal. `program`: what signs an agent in, None for a shell."""

    lane_id: str
    shell: str
    process: asyncio.subprocess.Process
    program: "SignInProgram | None" = None


@dataclass
class _Open:
    """A terminal that runs. `asked`: a person, the lane's end or the app's end closes it."""

    begun: _Begun
    terminal: Terminal
    ended: "asyncio.Future[tuple[Row, ...]]"
    task: "asyncio.Task[None] | None" = None
    asked: bool = False
    title: str = ""


@dataclass
class _State:
    """`early`: what was asked of terminals while they were being started."""

    early: dict[str, list[_Asked]] = field(default_factory=dict)
    terminals: dict[str, _Open] = field(default_factory=dict)
    kept: "OrderedDict[str, tuple[str, tuple[Row, ...]]]" = field(default_factory=OrderedDict)
    leftovers: tuple[Leftover, ...] = ()
    closing: bool = False


class TerminalCommands:
    """All on the engine thread; each terminal reads and emulates in its thread (`services/terminals/terminal.py`)."""

    def __init__(
        self,
        ground: Ground,
        publish: Publish,
        use: LaneUse,
        sessions: Sessions,
        settings: SettingsKeeper,
        signing_in: "Callable[[], SigningIn]",
    ) -> None:
        self._publish = publish
        self._ground = ground
        self._sessions = sessions
        self._settings = settings
        self._signing_in = signing_in
        self._state = _State()
        self._tasks: set[asyncio.Task[None]] = set()
        use.add(self)

    def handlers(self) -> dict[type[Command], Handler]:
        """By kind of command, what carries it out."""
        return {
            r.OpenTerminal: self._open,
            r.TerminalInput: self._ask,
            r.ResizeTerminal: self._ask,
            r.CloseTerminal: self._ask,
            r.TerminalShown: self._shown,
            r.LoadTerminals: self._load,
            r.QuoteTerminal: self._quote,
            r.EndLeftover: self._end_leftover,
        }

    # for the lane and the app

    def holders(self, lane_id: str) -> list[LaneHolder]:
        """The terminals of a lane, and what earlier ones left running."""
        running = [one for one in self._state.terminals.values() if one.begun.lane_id == lane_id]
        left = [one for one in self._state.leftovers if one.lane_id == lane_id]
        labels = [one.title or Path(one.begun.shell).name for one in running]
        labels += [f"{one.name} (pid {one.pid})" for one in left]
        return [LaneHolder(kind="terminal", label=label) for label in labels]

    async def stop_in(self, lane_id: str) -> None:
        """End the terminals of a lane and what earlier ones left."""
        await self._end([one for one in self._state.terminals.values() if one.begun.lane_id == lane_id])
        await end_marked(TERMINAL_VARIABLE, (lane_id,))
        self._tell_leftovers(tuple(one for one in self._state.leftovers if one.lane_id != lane_id))
        for terminal_id in [name for name, (lane, _) in self._state.kept.items() if lane == lane_id]:
            del self._state.kept[terminal_id]

    def project_opened(self) -> None:
        """Look for what terminals of an earlier run have left."""
        self._begin_search()

    async def close(self) -> None:
        """End every terminal with its process groups."""
        self._state.closing = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._end(list(self._state.terminals.values()))

    # commands

    async def _open(self, command: r.OpenTerminal) -> None:
        known = self._state.terminals.keys() | self._state.early.keys()
        if self._state.closing or command.terminal_id in known:
            return
        self._state.early[command.terminal_id] = []
        shell = command.guest_id or shell_of(self._settings.current.shell, os.environ)
        terminal_id, lane_id = command.terminal_id, command.lane_id
        closed = TerminalClosed(terminal_id=terminal_id, lane_id=lane_id)
        self._publish(TerminalStarting(terminal_id=terminal_id, lane_id=lane_id, shell=Path(shell).name))
        try:
            if command.guest_id:
                await self._sign_in(command)
            else:
                await self._start(command, self._ground.lane(command.lane_id), shell)
        except NoTerminal as error:
            problem = why_none() or f"Could not start {Path(shell).name}: {error}."
            self._publish(closed.model_copy(update={"problem": problem}))
        except BanksmanError as error:
            self._publish(closed.model_copy(update={"problem": str(error)}))
        finally:
            early = self._state.early.pop(command.terminal_id)
        for one in early:
            await self._ask(one)

    async def _start(self, command: r.OpenTerminal, lane: Lane, shell: str) -> None:
        if len(self._state.terminals) >= MOST_TERMINALS:
            raise NoTerminal(f"{MOST_TERMINALS} terminals are open already; close one first")
        if lane.state != "active":
            raise NoTerminal(f'the lane "{lane.name}" is {lane.state}')
        columns, rows = _size(command)
        ours, theirs = open_terminal(columns, rows)
        try:
            process = await start_shell(shell_command(shell), theirs, cwd=Path(lane.worktree_path), env=self._env(lane))
            self._may_live(process.pid)
        except NoTerminal:
            os.close(ours)
            raise
        self._begin(command, _Begun(lane.id, shell, process), ours)
        self._sessions.shells_changed(lane.id)

    async def _sign_in(self, command: r.OpenTerminal) -> None:
        """The program that signs an agent in, in the agent's home folder and sandbox (guests-A15)."""
        program = await self._signing_in().program(command.guest_id, command.method_id)
        ours = -1
        try:
            ours, theirs = open_terminal(*_size(command))
            inherits = program.inherits
            process = await start_shell(program.argv, theirs, cwd=program.cwd, env=program.env, inherits=inherits)
            program.started()
            self._may_live(process.pid)
        except NoTerminal:
            if ours >= 0:
                os.close(ours)
            await asyncio.to_thread(program.close)
            raise
        self._begin(command, _Begun(r.SIGN_IN_LANE, command.guest_id, process, program), ours)

    def _may_live(self, pid: int) -> None:
        """Raises NoTerminal: the app ends."""
        if self._state.closing:
            hang_up(pid)
            raise NoTerminal("the app ends")

    def _begin(self, command: r.OpenTerminal, begun: "_Begun", ours: int) -> None:
        """Follow a program that runs in its terminal."""
        _, before = self._state.kept.pop(command.reopen, ("", ()))
        place = TerminalPlace(command.terminal_id, begun.lane_id, ours, begun.process.pid, *_size(command), before)
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[tuple[Row, ...]] = loop.create_future()
        terminal = Terminal(
            place,
            lambda frame: _call(loop, self._on_frame, frame),
            lambda kept: _call(loop, ended.set_result, kept),
        )
        one = _Open(begun, terminal, ended)
        self._state.terminals[command.terminal_id] = one
        terminal.start()
        one.task = asyncio.create_task(self._live(command.terminal_id, one), name=f"terminal {command.terminal_id}")

    def _env(self, lane: Lane) -> dict[str, str]:
        known = self._settings.redactor.known_in
        return terminal_environment(os.environ, lane, self._sessions.lane_env(lane), lambda value: bool(known(value)))

    async def _live(self, terminal_id: str, one: _Open) -> None:
        """Until the shell has ended and all that it printed was taken."""
        code = await one.begun.process.wait()
        one.terminal.close()
        kept = await one.ended
        one.terminal.release()
        if one.begun.program is not None:
            await asyncio.to_thread(one.begun.program.close)
        if one.asked and await asyncio.to_thread(session_lives, one.begun.process.pid):
            await end_tree(one.begun.process.pid, terminal_id)
        del self._state.terminals[terminal_id]
        if kept:
            self._state.kept[terminal_id] = (one.begun.lane_id, kept)
            while len(self._state.kept) > _KEPT_CLOSED:
                self._state.kept.popitem(last=False)
        self._publish(
            TerminalClosed(
                terminal_id=terminal_id,
                lane_id=one.begun.lane_id,
                exit_code=code,
                kept=len(kept),
                asked=one.asked,
            )
        )
        if not one.asked:
            self._begin_search()

    async def _end(self, terminals: list[_Open]) -> None:
        await asyncio.gather(*(self._end_one(one) for one in terminals))

    async def _end_one(self, one: _Open) -> None:
        """Hang up as a terminal does; what does not mind is ended with force. Its task tells the end."""
        one.asked = True
        one.terminal.close()
        hang_up(one.begun.process.pid)
        if one.task is None:
            return
        await asyncio.wait({one.task}, timeout=_HANG_UP_S)
        if not one.task.done() and one.begun.process.returncode is None:
            await end_tree(one.begun.process.pid, "")
        await asyncio.shield(one.task)

    async def _ask(self, command: _Asked) -> None:
        """Keys, another size, the end; kept while the shell is being started."""
        one = self._state.terminals.get(command.terminal_id)
        if command.terminal_id in self._state.early:
            self._state.early[command.terminal_id].append(command)
        elif one is not None and isinstance(command, r.TerminalInput):
            one.terminal.send(command.text)
        elif one is not None and isinstance(command, r.ResizeTerminal):
            one.terminal.resize(command.columns, command.rows)
        elif one is not None:
            await self._end_one(one)

    async def _shown(self, command: r.TerminalShown) -> None:
        if (one := self._state.terminals.get(command.terminal_id)) is not None:
            one.terminal.shown(command.frame)

    async def _load(self, _command: r.LoadTerminals) -> None:
        for terminal_id, one in self._state.terminals.items():
            shell = Path(one.begun.shell).name
            self._publish(TerminalStarting(terminal_id=terminal_id, lane_id=one.begun.lane_id, shell=shell))
            one.terminal.send_whole()
        self._publish(LeftoversFound(processes=self._state.leftovers))

    async def _quote(self, command: r.QuoteTerminal) -> None:
        text = "\n".join(line.rstrip() for line in command.text.strip("\n").splitlines())
        clean = self._settings.redactor.redact(text)
        self._publish(
            TerminalQuoted(
                command_id=command.command_id,
                terminal_id=command.terminal_id,
                session_id=command.session_id,
                text=clean.text[-QUOTE_CHARS:],
                removed=len(clean.found),
                cut=len(clean.text) > QUOTE_CHARS,
            )
        )

    async def _end_leftover(self, command: r.EndLeftover) -> None:
        known = {(one.pid, one.started) for one in self._state.leftovers}
        if (command.pid, command.started) in known:
            await end_process(command.pid, command.started)
        await self._search()

    # what came of it

    def _on_frame(self, frame: TerminalScreen) -> None:
        one = self._state.terminals.get(frame.terminal_id)
        if one is not None and not one.asked:
            one.title = frame.title
            self._publish(frame)

    def _begin_search(self) -> None:
        if not self._state.closing:
            task = asyncio.create_task(self._search(), name="terminal leftovers")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _search(self) -> None:
        """Which processes terminals have left."""
        project = self._ground.project()
        lanes = self._ground.lanes.all_of_project(project.id) if project is not None else []
        shells = {one.begun.process.pid for one in self._state.terminals.values()}
        found = await asyncio.to_thread(leftovers, frozenset(lane.id for lane in lanes), shells)
        self._tell_leftovers(found)

    def _tell_leftovers(self, found: tuple[Leftover, ...]) -> None:
        if found != self._state.leftovers:
            self._state.leftovers = found
            self._publish(LeftoversFound(processes=found))


def _call(loop: asyncio.AbstractEventLoop, run: Callable[[Given], object], given: Given) -> None:
    """From the terminal's thread to the engine's; when that is gone, to nobody."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(run, given)


def _size(command: r.OpenTerminal) -> tuple[int, int]:
    """Columns and rows that a terminal can have."""
    least, most = _SIZES
    return min(max(command.columns, least), most), min(max(command.rows, least), most)
