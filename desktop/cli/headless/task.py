"""The turn of `banksman run`, from the start of the engine to its end."""

import asyncio
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from desktop.agent.engine import Engine
from desktop.agent.mcp.places import OWN_FILE, seeing_server
from desktop.agent.options import EngineOptions
from desktop.cli.headless.arguments import Given
from desktop.cli.headless.begin import Beginning
from desktop.cli.headless.cut_texts import CutTexts
from desktop.cli.headless.folder import PrivateFolder, refuse_seen, refuse_server
from desktop.cli.headless.folder_cards import FolderCards
from desktop.cli.headless.output import RunOutput
from desktop.cli.headless.statuses import DONE, INTERRUPTED, START_FAILED, UNANSWERED
from desktop.cli.headless.stop import Stop
from desktop.cli.headless.summary import Summary
from desktop.cli.headless.terminal import TerminalCards
from desktop.cli.headless.unused_lane import UnusedLane
from desktop.cli.headless.voice import Voice
from desktop.config.folders import product_folders
from desktop.config.settings import Endpoint
from desktop.domain.changes.commands import LoadLaneChanges
from desktop.domain.commands import OpenProject
from desktop.domain.core.update import Update
from desktop.domain.core.work import Project
from desktop.records import dataclass
from desktop.services.lanes.making.spare import SpareFiles
from desktop.services.processes.sandbox.profile import shown_git
from desktop.services.processes.sandbox.sandbox import Sandbox
from desktop.services.processes.signals import let_children_hear
from desktop.tools.registry import builtin_tools


@dataclass(frozen=True)
class Ahead:
    """What was begun while the engine was imported. `endpoint`: a service for this run only, None for one of the
    settings. `sandbox`: one that is being tried; `spare`: files that are being written for the lane."""

    endpoint: Endpoint | None
    sandbox: Sandbox | None
    spare: SpareFiles | None


def prepare() -> None:
    """Import the tools, which the engine then finds. For a thread, before `run_task`.

    Raises:
        BanksmanError: a tool is not as it should be.
    """
    builtin_tools()


async def run_task(given: Given, ahead: Ahead, voice: Voice, clock: Callable[[], datetime]) -> int:
    """The exit status.

    Raises:
        BanksmanError: the engine cannot start, or the chat cannot be continued.
    """
    let_children_hear()
    output = RunOutput(voice, stream=given.stream)
    options = EngineOptions(
        can_ask=given.approvals != "none",
        kind="hosted",
        extra_endpoint=ahead.endpoint,
        sandbox=ahead.sandbox,
        spare=ahead.spare,
    )
    watching: list[UnusedLane] = []

    def take(update: Update) -> None:
        for unused in watching:
            unused.take(update)
        output.take(update)

    engine = Engine(product_folders(), take, options, clock=clock)
    output.keep = CutTexts(engine, voice.problem).keep
    beginning = Beginning(given, ahead.endpoint, engine, output)
    unused = UnusedLane(beginning.session_id)
    watching.append(unused)
    stop = Stop(engine, beginning.session_id)
    voice.output.on_closed = stop.ask
    if given.approvals == "terminal":
        output.cards = TerminalCards(engine.handle, voice.close_line)
    try:
        folder = PrivateFolder(given.approvals_folder) if given.approvals_folder is not None else None
        if folder is not None:
            output.cards = FolderCards(folder, engine.handle, voice.problem, given.approval_timeout_s)
        with stop.on_signals():
            status = await _turn(given, beginning, stop, folder)
            if told := await unused.take_back(engine):
                voice.problem(told)
                voice.summary.lane = voice.summary.branch = ""
            await _count_changes(engine, voice.summary, is_new=given.is_new)
            return status
    finally:
        with stop.while_ending():
            await engine.stop()


async def _turn(given: Given, beginning: Beginning, stop: Stop, folder: PrivateFolder | None) -> int:
    """Open the repository and run the one turn to its end; the exit status."""
    engine, output = beginning.engine, beginning.output
    await engine.start()
    await engine.handle(OpenProject(path=str(given.repo)))
    if engine.project is None:
        return START_FAILED
    if stop.asked:
        return INTERRUPTED
    if given.tries_sandbox:
        beginning.warm_up()
        await engine.sandbox.ready()
    if folder is not None:
        await _refuse_seen(folder.real(), engine, engine.project)
    await beginning.choose()
    stop.session_id = beginning.session_id
    if not output.ended.is_set():
        await beginning.begin()
    _name_service(engine, beginning.session_id, output)
    stop.begun = True
    await stop.if_asked_before()
    await output.ended.wait()
    if given.strict and output.status == DONE and output.unanswered:
        return UNANSWERED
    return output.status


def _name_service(engine: Engine, session_id: str, output: RunOutput) -> None:
    """Say where requests go that nobody set up."""
    if engine.sessions.knows(session_id):
        found = engine.settings.found(engine.sessions.get(session_id).state.endpoint_id)
        if found is not None:
            output.progress(f"Model requests go to {found.endpoint.base_url}, found in {found.variables}.")


async def _count_changes(engine: Engine, summary: Summary, *, is_new: bool) -> None:
    """What the lane differs by, for the summary. Nothing is looked at for a new chat that made no call."""
    if not summary.begun or not summary.lane:
        return
    if is_new and not summary.calls:
        summary.files_changed = summary.added = summary.removed = 0
        return
    state = engine.sessions.get(summary.session_id).state
    await engine.handle(LoadLaneChanges(lane_id=state.lane_id, session_id=summary.session_id))


async def _refuse_seen(folder: Path, engine: Engine, project: Project) -> None:
    """Raises StartError where a command could answer in the folder of the approvals."""
    folders, lanes = product_folders(), engine.parts.base.ground.lanes.root
    checkout = Path(project.path)
    own = (folders.config, folders.data, folders.cache, folders.logs)
    guard = await engine.sandbox.sandbox.ready()
    path = os.environ.get("PATH", "")
    seen = await asyncio.to_thread(guard.shows, folder, path)
    refuse_seen(folder, (lanes, checkout, *shown_git(checkout), *own), seen=seen)
    if (folders.config / OWN_FILE).exists():
        refuse_server(folder, await asyncio.to_thread(seeing_server, folder, folders.config / OWN_FILE, guard, path))
