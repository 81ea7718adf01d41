"""`banksman run "TASK"`: one turn without a window. Text streams to stdout; what happens goes to stderr."""

import argparse
import asyncio
import io
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

from pydantic import ValidationError

from desktop.agent.engine import Engine, EngineOptions
from desktop.cli.run_output import INTERRUPTED, START_FAILED, RunOutput
from desktop.cli.terminal import TerminalCards
from desktop.config.folders import product_folders
from desktop.config.settings import (
    ANTHROPIC_ADDRESS,
    ANTHROPIC_ENDPOINT,
    DEMO_ENDPOINT,
    Endpoint,
    address_problem,
)
from desktop.domain.commands import Interrupt, NewSession, OpenProject
from desktop.domain.errors import BanksmanError, StartError
from desktop.domain.ids import new_session_id
from desktop.domain.permissions import PermissionMode

RUN_ENDPOINT = "run"
LABEL_CHARS = 60


def main(argv: list[str]) -> int:
    """Exit status: 0 completed, 1 the turn failed or was stopped at a limit, 2 it could not start, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        return asyncio.run(_run(_parser().parse_args(argv)))
    except BanksmanError as error:
        sys.stderr.write(f"banksman: {error}\n")
        return START_FAILED
    except (KeyboardInterrupt, asyncio.CancelledError):
        return INTERRUPTED


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """What is wrong in one sentence, without the usage before it."""
        raise StartError(f"{message}. Try banksman run --help.")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="banksman run", description="Run one task without a window.")
    parser.add_argument("task", help="what should be done")
    parser.add_argument("--repo", default=".", help="the repository (default: this folder)")
    parser.add_argument("--mode", choices=[mode.value for mode in PermissionMode], default=PermissionMode.EDIT.value)
    parser.add_argument("--endpoint", help="'demo', an endpoint of the settings, or the address of a server")
    parser.add_argument("--model", default="", help="the model's name")
    parser.add_argument(
        "--without-sandbox", action="store_true", help="full-auto also where commands cannot be confined fully"
    )
    parser.add_argument("--in-checkout", action="store_true", help="work in the checkout itself, not in a new lane")
    parser.add_argument("--json", action="store_true", help="write every event as one line of JSON")
    return parser


async def _run(given: argparse.Namespace) -> int:
    session_id = new_session_id()
    terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    output = RunOutput(session_id, as_json=given.json)
    options = EngineOptions(can_ask=terminal, kind="hosted", extra_endpoint=_endpoint(given.endpoint))
    engine = Engine(product_folders(), output.take, options)
    stop = _Stop(engine, session_id)
    output.on_closed = stop.ask
    if terminal:
        output.cards = TerminalCards(engine.handle, session_id)
    try:
        with stop.on_signals():
            return await _turn(given, engine, output, stop)
    finally:
        await engine.stop()


async def _turn(given: argparse.Namespace, engine: Engine, output: RunOutput, stop: "_Stop") -> int:
    """Open the repository and run the one turn to its end; the exit status."""
    await engine.start()
    await engine.handle(OpenProject(path=str(Path(given.repo).expanduser().absolute())))
    if engine.project is None:
        return START_FAILED
    if stop.asked:
        return INTERRUPTED
    await engine.handle(_new_session(given, stop.session_id))
    await stop.if_asked_before()
    await output.ended.wait()
    return output.status


def _new_session(given: argparse.Namespace, session_id: str) -> NewSession:
    mode = PermissionMode(given.mode)
    endpoint = _endpoint(given.endpoint)
    return NewSession(
        session_id=session_id,
        text=given.task,
        place="checkout" if given.in_checkout else "lane",
        mode=mode,
        endpoint_id=endpoint.id if endpoint is not None else (given.endpoint or ""),
        model=given.model or (endpoint.default_model if endpoint is not None else ""),
        without_sandbox=given.without_sandbox,
    )


def _endpoint(given: str | None) -> Endpoint | None:
    """The service at an address, for this run only; None when the settings' own is meant.

    Raises:
        StartError: the address cannot be used; says why.
    """
    if not given or given == DEMO_ENDPOINT.id or "://" not in given:
        return None
    if given.rstrip("/") == ANTHROPIC_ADDRESS:
        return ANTHROPIC_ENDPOINT.model_copy(update={"id": RUN_ENDPOINT})
    problem = address_problem(given)
    if problem:
        raise StartError(f"'{given}' cannot be used as an endpoint. {problem}")
    try:
        return Endpoint(
            id=RUN_ENDPOINT,
            label=given[:LABEL_CHARS],
            kind="compatible",
            base_url=given,
            auth="none",
            default_model="default",
        )
    except ValidationError as error:
        raise StartError(f"'{given}' cannot be used as an endpoint. {error.errors()[0]['msg']}.") from error


class _Stop:
    """Stops the turn at Ctrl+C or a polite kill; before it began, it does not begin. Asked again: ends at once."""

    def __init__(self, engine: Engine, session_id: str) -> None:
        self.session_id = session_id
        self.asked = False
        self._engine = engine
        self._loop = asyncio.get_running_loop()
        self._whole = asyncio.current_task()
        self._tasks: set[asyncio.Task[None]] = set()

    def ask(self) -> None:
        """Stop now."""
        if self.asked and self._whole is not None:
            self._whole.cancel()
        self.asked = True
        if self._engine.sessions.running():
            self._tasks.add(self._loop.create_task(self._engine.handle(Interrupt(session_id=self.session_id))))

    async def if_asked_before(self) -> None:
        """Stop a turn that began after it was asked to stop."""
        if self.asked:
            await self._engine.handle(Interrupt(session_id=self.session_id))

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
