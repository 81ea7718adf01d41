"""`banksman run "TASK"`: one turn without a window. Text streams to stdout; what happens goes to stderr."""

import argparse
import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path

from desktop.agent.engine import Engine, EngineOptions
from desktop.cli.terminal import TerminalCards
from desktop.config.folders import product_folders
from desktop.config.settings import ANTHROPIC_ADDRESS, ANTHROPIC_ENDPOINT, DEMO_ENDPOINT, Endpoint
from desktop.domain.commands import Interrupt, NewSession, OpenProject
from desktop.domain.display import display_text
from desktop.domain.errors import BanksmanError, StartError
from desktop.domain.events import (
    Envelope,
    LaneAttached,
    Notice,
    ToolCallDecided,
    ToolCallFinished,
    TurnEnded,
)
from desktop.domain.ids import new_session_id
from desktop.domain.permissions import PermissionMode
from desktop.domain.updates import CommandFailed, RetryScheduled, TextDelta, ThinkingDelta, Update

RUN_ENDPOINT = "run"
FAILED, START_FAILED, INTERRUPTED = 1, 2, 130


def main(argv: list[str]) -> int:
    """Exit status: 0 completed, 1 the turn failed or was stopped at a limit, 2 it could not start, 130 interrupted."""
    given = _parser().parse_args(argv)
    try:
        return asyncio.run(_run(given))
    except BanksmanError as error:
        sys.stderr.write(f"banksman: {error}\n")
        return START_FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="banksman run", description="Run one task without a window.")
    parser.add_argument("task", help="what should be done")
    parser.add_argument("--repo", default=".", help="the repository (default: this folder)")
    parser.add_argument("--mode", choices=[mode.value for mode in PermissionMode], default=PermissionMode.EDIT.value)
    parser.add_argument("--endpoint", help="'demo', an endpoint of the settings, or the address of a server")
    parser.add_argument("--model", default="", help="the model's name")
    parser.add_argument("--in-checkout", action="store_true", help="work in the checkout itself, not in a new lane")
    parser.add_argument("--json", action="store_true", help="write every event as one line of JSON")
    return parser


class _Output:
    """Writes updates as they come. `ended` is set when the turn, or its start, is over."""

    def __init__(self, session_id: str, *, as_json: bool) -> None:
        self.status = FAILED
        self.ended = asyncio.Event()
        self.cards: TerminalCards | None = None
        self._session_id = session_id
        self._json = as_json
        self._open_line = False

    def take(self, update: Update) -> None:
        """One update of the engine."""
        if isinstance(update, CommandFailed):
            self._note(update.text)
            self.status = START_FAILED if update.code != "turn_failed" else FAILED
            self.ended.set()
        if isinstance(update, Envelope) and update.session_id == self._session_id:
            self._event(update)
        elif isinstance(update, TextDelta | ThinkingDelta):
            self._delta(update)
        elif isinstance(update, RetryScheduled):
            self._note(f"{update.reason} Trying again ({update.attempt} of {update.max_attempts}).")
        if self.cards is not None:
            self.cards.take(update)

    def _delta(self, delta: TextDelta | ThinkingDelta) -> None:
        if self._json:
            kind = "text_delta" if isinstance(delta, TextDelta) else "thinking_delta"
            self._line({"type": kind, "message_id": delta.message_id, "text": delta.text})
        elif isinstance(delta, TextDelta):
            sys.stdout.write(display_text(delta.text, multiline=True))
            sys.stdout.flush()
            self._open_line = not delta.text.endswith("\n")

    def _event(self, envelope: Envelope) -> None:
        event = envelope.event
        if self._json:
            self._line({"seq": envelope.seq, "id": envelope.event_id, **event.model_dump(mode="json")})
        elif isinstance(event, ToolCallDecided):
            self._note(f"› {event.card.title if event.card is not None else event.name_called}")
        elif isinstance(event, ToolCallFinished) and event.outcome != "ok":
            text = event.content if isinstance(event.content, str) else event.summary
            self._note(f"  {event.outcome}: {next(iter(text.splitlines()), '')}")
        elif isinstance(event, LaneAttached):
            self._note(f"Lane {event.branch} in {event.worktree_path}")
        elif isinstance(event, Notice):
            self._note(event.text)
        if isinstance(event, TurnEnded):
            self._end(event)

    def _end(self, event: TurnEnded) -> None:
        self.status = {"completed": 0, "interrupted": INTERRUPTED}.get(event.status, FAILED)
        if not self._json:
            self._note(event.detail or f"The turn ended: {event.status}.")
        self.ended.set()

    def _note(self, text: str) -> None:
        if self._open_line:
            sys.stdout.write("\n")
            sys.stdout.flush()
            self._open_line = False
        sys.stderr.write(display_text(text) + "\n")
        sys.stderr.flush()

    def _line(self, value: dict[str, object]) -> None:
        sys.stdout.write(json.dumps(value, ensure_ascii=True) + "\n")
        sys.stdout.flush()


async def _run(given: argparse.Namespace) -> int:
    session_id = new_session_id()
    output = _Output(session_id, as_json=given.json)
    endpoint = _endpoint(given.endpoint)
    terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    mode = PermissionMode(given.mode)
    if mode is PermissionMode.FULL_AUTO:
        sys.stderr.write("Full auto without a sandbox: commands and file changes run with your own rights.\n")
    options = EngineOptions(can_ask=terminal, kind="hosted", extra_endpoint=endpoint)
    engine = Engine(product_folders(), output.take, options)
    try:
        if terminal:
            output.cards = TerminalCards(engine.handle, session_id)
        await engine.start()
        await engine.handle(OpenProject(path=str(Path(given.repo).expanduser().absolute())))
        if engine.project is None:
            return START_FAILED
        with _interrupts(lambda: engine.handle(Interrupt(session_id=session_id))):
            command = NewSession(
                session_id=session_id,
                text=given.task,
                place="checkout" if given.in_checkout else "lane",
                mode=mode,
                endpoint_id=endpoint.id if endpoint is not None else (given.endpoint or ""),
                model=given.model or (endpoint.default_model if endpoint is not None else ""),
                without_sandbox=True,
            )
            await engine.handle(command)
            await output.ended.wait()
        return output.status
    finally:
        await engine.stop()


def _endpoint(given: str | None) -> Endpoint | None:
    """The service at an address, for this run only; None when the settings' own is meant."""
    if not given or given == DEMO_ENDPOINT.id or "://" not in given:
        return None
    if given.rstrip("/") == ANTHROPIC_ADDRESS:
        return ANTHROPIC_ENDPOINT.model_copy(update={"id": RUN_ENDPOINT})
    if not given.startswith(("http://127.0.0.1", "http://localhost", "http://[::1]", "https://")):
        raise StartError(f"'{given}' is not usable: an address needs https, or http on this computer.")
    return Endpoint(
        id=RUN_ENDPOINT, label=given, kind="compatible", base_url=given, auth="none", default_model="default"
    )


@contextlib.contextmanager
def _interrupts(stop: Callable[[], Coroutine[None, None, None]]) -> Iterator[None]:
    """While this holds, Ctrl+C and a polite kill stop the turn instead of the program."""
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[None]] = set()
    signals = (signal.SIGINT, signal.SIGTERM)
    for number in signals:
        loop.add_signal_handler(number, lambda: tasks.add(loop.create_task(stop())))
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
