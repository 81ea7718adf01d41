"""The turn of `banksman run`, from the start of the engine to its end."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from desktop.agent.engine import Engine
from desktop.agent.options import EngineOptions
from desktop.cli.run_output import RunOutput
from desktop.cli.statuses import INTERRUPTED, START_FAILED
from desktop.cli.terminal import TerminalCards
from desktop.cli.unused_lane import UnusedLane
from desktop.config.folders import product_folders, typed_path
from desktop.config.settings import Endpoint
from desktop.domain.commands import Interrupt, NewSession, OpenProject
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.services.lanes.making.spare import SpareFiles
from desktop.services.processes.sandbox.sandbox import Sandbox
from desktop.services.processes.signals import let_children_hear
from desktop.tools.registry import builtin_tools


def prepare() -> None:
    """Import the tools, which the engine then finds. For a thread, before `run_task`.

    Raises:
        BanksmanError: a tool is not as it should be.
    """
    builtin_tools()


async def run_task(
    given: argparse.Namespace, endpoint: Endpoint | None, sandbox: Sandbox | None, spare: SpareFiles | None
) -> int:
    """The exit status. `given`: the words of the command. `endpoint`: a service for this run only, None for one of the
    settings. `sandbox`: one that is being tried already; `spare`: files that are being written for the lane.

    Raises:
        BanksmanError: the engine cannot start.
    """
    let_children_hear()
    session_id = new_session_id()
    terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    output = RunOutput(session_id, as_json=given.json)
    options = EngineOptions(can_ask=terminal, kind="hosted", extra_endpoint=endpoint, sandbox=sandbox, spare=spare)
    unused = UnusedLane(session_id)

    def take(update: Update) -> None:
        unused.take(update)
        output.take(update)

    engine = Engine(product_folders(), take, options)
    stop = _Stop(engine, session_id)
    output.on_closed = stop.ask
    if terminal:
        output.cards = TerminalCards(engine.handle, session_id)
    new = _new_session(given, endpoint, session_id)
    try:
        with stop.on_signals():
            status = await _turn(typed_path(given.repo).absolute(), new, engine, output, stop)
            if told := await unused.take_back(engine):
                output.note(told)
            return status
    finally:
        await engine.stop()


async def _turn(repository: Path, new: NewSession, engine: Engine, output: RunOutput, stop: "_Stop") -> int:
    """Open the repository and run the one turn to its end; the exit status."""
    await engine.start()
    await engine.handle(OpenProject(path=str(repository)))
    if engine.project is None:
        return START_FAILED
    if stop.asked:
        return INTERRUPTED
    await engine.handle(new)
    stop.begun = True
    await stop.if_asked_before()
    await output.ended.wait()
    return output.status


def _new_session(given: argparse.Namespace, endpoint: Endpoint | None, session_id: str) -> NewSession:
    mode = PermissionMode(given.mode)
    return NewSession(
        session_id=session_id,
        text=given.task,
        place="checkout" if given.in_checkout else "lane",
        mode=mode,
        endpoint_id=endpoint.id if endpoint is not None else (given.endpoint or ""),
        model=given.model or (endpoint.default_model if endpoint is not None else ""),
        without_sandbox=given.without_sandbox,
    )


class _Stop:
    """Stops the turn at Ctrl+C or a polite kill; before it began, it does not begin. Asked again: ends at once, and so
    does a task that waits until its lane is made ready, or whose turn is over. `begun`: the turn was asked for."""

    def __init__(self, engine: Engine, session_id: str) -> None:
        self.session_id = session_id
        self.asked = False
        self.begun = False
        self._engine = engine
        self._loop = asyncio.get_running_loop()
        self._whole = asyncio.current_task()
        self._tasks: set[asyncio.Task[None]] = set()

    def ask(self) -> None:
        """Stop now."""
        running = self._engine.sessions.running()
        if self._whole is not None and (self.asked or self._waits() or (self.begun and not running)):
            self._whole.cancel()
        self.asked = True
        if running:
            self._tasks.add(self._loop.create_task(self._engine.handle(Interrupt(session_id=self.session_id))))

    async def if_asked_before(self) -> None:
        """Stop a turn that began after it was asked to stop."""
        if self.asked:
            await self._engine.handle(Interrupt(session_id=self.session_id))
        if self.asked and self._waits():
            raise asyncio.CancelledError

    def _waits(self) -> bool:
        """Whether the task waits until its lane is made ready."""
        sessions = self._engine.sessions
        state = sessions.get(self.session_id).state if sessions.knows(self.session_id) else None
        return state is not None and bool(state.queue) and not state.turns

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """While this holds, SIGINT and SIGTERM ask."""
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = [signal.signal(number, self._on_signal) for number in numbers]
        try:
            yield
        finally:
            for number, handler in zip(numbers, before, strict=True):
                signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._loop.call_soon_threadsafe(self.ask)
