"""`banksman run "TASK"`: one turn without a window. Text streams to stdout; what happens goes to stderr."""

import asyncio
import gc
import io
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from types import FrameType, ModuleType

from pydantic import ValidationError

from desktop.agent.gate.own_sandbox import own_sandbox
from desktop.cli.headless.arguments import Given, given_by
from desktop.cli.headless.statuses import DONE, INTERRUPTED, START_FAILED
from desktop.cli.headless.voice import Voice
from desktop.config.folders import Folders, product_folders, resource_folder
from desktop.config.settings import (
    ANTHROPIC_ADDRESS,
    ANTHROPIC_ENDPOINT,
    DEMO_ENDPOINT,
    Endpoint,
    address_problem,
)
from desktop.config.settings_file import load_lanes_root
from desktop.domain.core.clock import utc_now
from desktop.domain.core.errors import BanksmanError, StartError
from desktop.loading import load
from desktop.services.lanes.making.spare import SpareFiles
from desktop.services.processes.sandbox.sandbox import Sandbox

RUN_ENDPOINT = "run"
LABEL_CHARS = 60
SCHEMA_FILE = "run.schema.json"


def main(argv: list[str], clock: Callable[[], datetime] = utc_now) -> int:
    """Exit status: 0 completed, 1 failed, 2 could not start, 3 ended by a limit, 4 with --strict: nobody could answer,
    130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if "--schema" in argv:
        sys.stdout.write((resource_folder() / SCHEMA_FILE).read_text(encoding="utf-8"))
        return DONE
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return _told(argv, clock)
    finally:
        signal.signal(signal.SIGTERM, before)
        gc.freeze()  # the process ends: let nobody look through all that is in memory once more


def _told(argv: Sequence[str], clock: Callable[[], datetime]) -> int:
    """Run, and say how it ended in any case."""
    voice: Voice | None = None
    try:
        given = given_by(argv)
        voice = Voice(given)
        return voice.end(asyncio.run(_run(given, voice, clock)))
    except BanksmanError as error:
        signal.signal(signal.SIGTERM, _only_ends)
        voice = voice or Voice(None, as_json="--json" in argv)
        voice.summary.detail = str(error)
        voice.problem(f"banksman: {error}")
        return voice.end(START_FAILED)
    except (KeyboardInterrupt, asyncio.CancelledError):
        signal.signal(signal.SIGTERM, _only_ends)
        return (voice or Voice(None, as_json="--json" in argv)).end(INTERRUPTED)


async def _run(given: Given, voice: Voice, clock: Callable[[], datetime]) -> int:
    """The sandbox is tried, and the files of the lane are written, while the engine is imported: the one waits, the
    other computes, half a second each."""
    with _cancelled_by_sigterm():
        return await _run_to_its_end(given, voice, clock)


async def _run_to_its_end(given: Given, voice: Voice, clock: Callable[[], datetime]) -> int:
    endpoint = _endpoint(given.endpoint)
    folders = product_folders()
    sandbox = _probed_ahead(folders) if given.tries_sandbox else None
    spare = None
    if folders.data.is_dir() and given.is_new and not given.in_checkout:
        spare = SpareFiles(given.repo, folders.data)
    lock = None
    try:
        task = await asyncio.to_thread(_loaded)
        lock = await load("desktop.cli.headless.turn_taking").run_lock(folders.store, given.wait_s, voice.problem)
        load("desktop.config.log_files").install_log_file(folders.logs, "run")
        return int(await task.run_task(given, task.Ahead(endpoint, sandbox, spare), voice, clock))
    finally:
        if lock is not None:
            lock.release()
        if spare is not None:
            await spare.drop()
        if sandbox is not None:
            await sandbox.close()


def _loaded() -> ModuleType:
    module = load("desktop.cli.headless.task")
    module.prepare()
    return module


@contextmanager
def _cancelled_by_sigterm() -> Iterator[None]:
    """While this holds, a polite kill cancels the task that is running, as asyncio lets Ctrl+C do: what the probe
    planted is taken away. Afterwards nothing but the last words is left, which another one does not cut off."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    cancel = partial(loop.call_soon_threadsafe, task.cancel)
    signal.signal(signal.SIGTERM, lambda number, frame: cancel())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, _only_ends)


def _only_ends(number: int, frame: FrameType | None) -> None:
    """A polite kill of a run that says its last words already."""


def _probed_ahead(folders: Folders) -> Sandbox | None:
    """A sandbox that is being tried. None at the first start of all, whose folders are not there yet.

    Raises:
        SettingsError: the settings cannot be read.
    """
    if not folders.data.is_dir():
        return None
    root = load_lanes_root(folders.settings_file)
    sandbox = own_sandbox(folders, Path(root) if root else folders.lanes)
    sandbox.probe_ahead()
    return sandbox


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
