"""`banksman run "TASK"`: one turn without a window. Text streams to stdout; what happens goes to stderr."""

import argparse
import asyncio
import gc
import io
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from pydantic import ValidationError

from desktop.agent.gate.own_sandbox import own_sandbox
from desktop.cli.statuses import INTERRUPTED, START_FAILED
from desktop.config.folders import Folders, product_folders, typed_path
from desktop.config.settings import (
    ANTHROPIC_ADDRESS,
    ANTHROPIC_ENDPOINT,
    DEMO_ENDPOINT,
    Endpoint,
    address_problem,
)
from desktop.config.settings_file import load_lanes_root
from desktop.domain.core.errors import BanksmanError, StartError
from desktop.domain.core.permissions import PermissionMode
from desktop.loading import load
from desktop.services.lanes.making.spare import SpareFiles
from desktop.services.processes.sandbox.sandbox import Sandbox

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
    finally:
        gc.freeze()  # the process ends: let nobody look through all that is in memory once more


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
    """The sandbox is tried, and the files of the lane are written, while the engine is imported: the one waits, the
    other computes, half a second each."""
    endpoint = _endpoint(given.endpoint)
    folders = product_folders()
    sandbox = _probed_ahead(folders) if given.mode == PermissionMode.FULL_AUTO.value else None
    spare = None
    if folders.data.is_dir() and not given.in_checkout:
        spare = SpareFiles(typed_path(given.repo).absolute(), folders.data)
    try:
        with _cancelled_by_sigterm():
            run_task = await asyncio.to_thread(_loaded)
        load("desktop.config.log_files").install_log_file(folders.logs, "run")
        return int(await run_task.run_task(given, endpoint, sandbox, spare))
    finally:
        if spare is not None:
            await spare.drop()
        if sandbox is not None:
            await sandbox.close()


def _loaded() -> ModuleType:
    module = load("desktop.cli.run_task")
    module.prepare()
    return module


@contextmanager
def _cancelled_by_sigterm() -> Iterator[None]:
    """While this holds, a polite kill cancels the task that is running, as asyncio lets Ctrl+C do: what the probe
    planted is taken away."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    cancel = partial(loop.call_soon_threadsafe, task.cancel)
    before = signal.signal(signal.SIGTERM, lambda number, frame: cancel())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


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
