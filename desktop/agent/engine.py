"""Engine: owns the store, the sessions and the providers; carries out commands. Made and used on one thread."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

import desktop
from desktop.agent.ask_model import AskModel
from desktop.agent.inputs import PendingInputs
from desktop.agent.judge import Judge
from desktop.agent.lanes import Lanes
from desktop.agent.loop import AgentLoop, Turn
from desktop.agent.notes import note
from desktop.agent.session import Session
from desktop.agent.sessions import NO_SANDBOX_GAPS, Sessions
from desktop.agent.settings_desk import SettingsDesk
from desktop.agent.tool_caller import ToolCaller
from desktop.config.folders import Folders
from desktop.config.settings import Endpoint
from desktop.config.settings_file import load_settings
from desktop.domain import commands as c
from desktop.domain.errors import BanksmanError, CommandError, GitError
from desktop.domain.events import (
    Envelope,
    Event,
    ModeChanged,
    ModelChanged,
    SandboxChosen,
    SessionFlagChanged,
    SessionKind,
    SessionResumed,
    TitleChanged,
    UserMessage,
)
from desktop.domain.permissions import PermissionMode, mode_label
from desktop.domain.updates import (
    ActivityChanged,
    BlobLoaded,
    ChangesLoaded,
    CommandFailed,
    EngineReady,
    ProjectOpened,
    SessionOpened,
    Update,
)
from desktop.domain.work import ChangedFile, Project
from desktop.services.changes import lane_changes
from desktop.services.projects import open_project, start_problem
from desktop.store.database import open_store
from desktop.tools.registry import discover

logger = logging.getLogger(__name__)

LIST_EVERY_S = 0.1
OPEN_SLICE = 500
COMMANDS_GRACE_S = 2.0
ERROR_CHARS = 300
SANDBOX_REASON = "This version has no sandbox."


def utc_now() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class EngineOptions:
    """How an engine is used. `can_ask`: a person can answer cards. `kind`: `hosted` for a run without a window, where
    writes ask until they are granted. `demo_pace_s`: seconds between two pieces of the demo's text, None for its own
    pace. `extra_endpoint`: one more model service for this process only."""

    can_ask: bool = True
    kind: SessionKind = "interactive"
    demo_pace_s: float | None = None
    extra_endpoint: Endpoint | None = None


WINDOW = EngineOptions()


class Engine:
    """`publish` is called on this thread, in the order of what happened.

    Raises:
        SettingsError, StoreUnavailable: the engine cannot start; nothing was changed.
    """

    def __init__(
        self,
        folders: Folders,
        publish: Callable[[Update], None],
        options: EngineOptions = WINDOW,
        *,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._publish_out = publish
        self._kind = options.kind
        can_ask = options.can_ask
        settings = load_settings(folders.settings_file)
        registry = discover()
        self._store = open_store(folders.store, clock=clock)
        self.desk = SettingsDesk(
            folders, settings, self._publish, demo_pace_s=options.demo_pace_s, extra=options.extra_endpoint
        )
        lanes_root = self.desk.settings.lanes_root
        lanes = Lanes(self._store.lanes, Path(lanes_root) if lanes_root else folders.lanes, clock)
        self.sessions = Sessions(self._store, lanes, folders, self._publish, clock)
        self._lanes = lanes
        self._inputs = PendingInputs()
        judge = Judge(registry, self._store.blobs, can_ask=can_ask, databases=self.desk.databases)
        caller = ToolCaller(judge, self._inputs, can_ask=can_ask)
        model = AskModel(judge, self._store.blobs, self.desk, interactive=can_ask)
        self._loop = AgentLoop(judge, caller, model, self.desk)
        self._clock = clock
        self.project: Project | None = None
        self._commands: set[asyncio.Task[Any]] = set()
        self._list_timer: asyncio.TimerHandle | None = None
        self._stopping = False

    async def start(self) -> None:
        """Close what an earlier process left open and tell the window that everything is there."""
        await self.sessions.close_cut_off()
        self._publish(EngineReady(settings=self.desk.settings, sandbox_reason=SANDBOX_REASON))
        if self._kind == "interactive":
            await self.desk.publish_keys()

    async def handle(self, command: c.Command) -> None:
        """Carry out one command; a failure becomes a CommandFailed that the window shows."""
        if self._stopping:
            return
        task = asyncio.current_task()
        if task is not None:
            self._commands.add(task)
        try:
            await self._HANDLERS[type(command)](self, command)
        except CommandError as error:
            self._fail(command, error.code, str(error))
        except BanksmanError as error:
            self._fail(command, "failed", str(error))
        except Exception as error:  # one of the three places: people see it instead of a dead window
            logger.exception("command %s failed", command.type)
            self._fail(command, "internal", f"{type(error).__name__}: {error}. Details are in the log.")
        finally:
            if task is not None:
                self._commands.discard(task)

    async def stop(self) -> None:
        """Stop every turn and command, close providers and store. Nothing runs afterwards."""
        self._stopping = True
        if self._list_timer is not None:
            self._list_timer.cancel()
        await self.sessions.close()
        await self._finish_commands()
        await self.desk.close()
        self._store.close()

    async def _finish_commands(self) -> None:
        """Commands that are under way get a moment to come to their end, then they are stopped."""
        under_way = self._commands - {asyncio.current_task()}
        if not under_way:
            return
        _, late = await asyncio.wait(under_way, timeout=COMMANDS_GRACE_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    # Projects and chats

    async def _open_project(self, command: c.OpenProject) -> None:
        project = await open_project(Path(command.path).expanduser().absolute())
        self.project = project
        problem = await start_problem(project)
        self._publish(ProjectOpened(project=project, problem=problem))
        self._publish_list()
        if self._kind == "interactive":
            await self.desk.remember_project(project.path)

    async def _new_session(self, command: c.NewSession) -> None:
        if self.project is None:
            raise CommandError("no_project", "Open a repository first.")
        if not command.text.strip():
            raise CommandError("empty", "There is nothing to send.")
        if command.mode is PermissionMode.FULL_AUTO and not command.without_sandbox:
            raise CommandError("no_sandbox", "Full auto without a sandbox must be chosen in its dialog.")
        endpoint_id, model = self.desk.model_for(command.endpoint_id, command.model)
        chosen = command.model_copy(update={"endpoint_id": endpoint_id, "model": model})
        await self.desk.require_key(endpoint_id)
        self.desk.warm_up(endpoint_id)
        session = await self.sessions.create(chosen, self.project, self._kind)
        if command.thinking != "off":
            session.append(ModelChanged(endpoint_id=endpoint_id, model=model, thinking=command.thinking))
        self._start_turn(session, [_person(command.text)])

    async def _open_session(self, command: c.OpenSession) -> None:
        session = self.sessions.get(command.session_id)
        log = session.log.copy()
        newest, older = log[-OPEN_SLICE:], log[:-OPEN_SLICE]
        self._publish(
            ActivityChanged(session_id=session.session_id, activity=session.summary().activity, since=self._clock())
        )
        self._publish(
            SessionOpened(session_id=session.session_id, envelopes=tuple(newest), first=True, complete=not older)
        )
        while older:
            await asyncio.sleep(0)
            older, piece = older[:-OPEN_SLICE], older[-OPEN_SLICE:]
            self._publish(
                SessionOpened(session_id=session.session_id, envelopes=tuple(piece), first=False, complete=not older)
            )

    async def _send_message(self, command: c.SendMessage) -> None:
        session = self._idle(command.session_id)
        if not command.text.strip():
            raise CommandError("empty", "There is nothing to send.")
        await asyncio.gather(self.sessions.swept(), self.desk.require_key(session.state.endpoint_id))
        events: list[Event] = []
        if session.state.interrupted:
            events.append(note("restarted", _restarted_text(session)))
        self._start_turn(session, [*events, _person(command.text)])

    async def _continue_turn(self, command: c.ContinueTurn) -> None:
        session = self._idle(command.session_id)
        last = session.state.last_turn
        if last is None or last.status == "completed":
            raise CommandError("nothing_to_continue", "There is no turn to continue.")
        await asyncio.gather(self.sessions.swept(), self.desk.require_key(session.state.endpoint_id))
        resumed = SessionResumed(
            app_version=desktop.__version__,
            unfinished_turn_id=last.turn_id,
            not_executed_calls=tuple(call.id for call in session.open_calls()),
        )
        events: list[Event] = [resumed]
        if session.ends_with_answer:
            events.append(note("continued", "The user asks you to go on where you stopped."))
        self._start_turn(session, events, continues=last.turn_id)

    async def _interrupt(self, command: c.Interrupt) -> None:
        session = self.sessions.get(command.session_id)
        if session.task is not None and session.state.turn is not None and not session.task.cancelling():
            session.task.cancel()

    # Answers, mode, model

    async def _answer(self, command: c.AnswerInput) -> None:
        self._inputs.resolve(
            command.session_id, command.input_id, command.answer, digest=command.digest, demo=command.demo
        )

    async def _set_mode(self, command: c.SetMode) -> None:
        session = self.sessions.get(command.session_id)
        previous = session.state.mode
        if command.mode is previous:
            return
        events: list[Event] = []
        if command.mode is PermissionMode.FULL_AUTO:
            if not command.without_sandbox:
                raise CommandError("no_sandbox", "Full auto without a sandbox must be chosen in its dialog.")
            events.append(SandboxChosen(level="none", gaps=NO_SANDBOX_GAPS))
        events.append(ModeChanged(mode=command.mode, previous=previous, by="person"))
        if session.running:
            events.append(note("mode_changed", f"The user switched to {mode_label(command.mode)} mode."))
        session.append_many(events)
        if command.mode is PermissionMode.PLAN:
            self._inputs.withdraw(session, "mode")

    async def _set_model(self, command: c.SetModel) -> None:
        session = self.sessions.get(command.session_id)
        if self.desk.settings.endpoint(command.endpoint_id) is None:
            raise CommandError("no_endpoint", f"There is no endpoint '{command.endpoint_id}'.")
        session.append(ModelChanged(endpoint_id=command.endpoint_id, model=command.model, thinking=command.thinking))

    async def _rename(self, command: c.RenameSession) -> None:
        self.sessions.get(command.session_id).append(TitleChanged(title=command.title.strip(), by="person"))

    async def _archive(self, command: c.ArchiveSession) -> None:
        session = self._idle(command.session_id)
        session.append(SessionFlagChanged(flag="archived", value=command.archived))

    # Looking at things

    async def _stop_shell(self, command: c.StopShell) -> None:
        session = self.sessions.get(command.session_id)
        if session.processes is not None:
            await session.processes.kill(command.shell_id)

    async def _load_changes(self, command: c.LoadChanges) -> None:
        session = self.sessions.get(command.session_id)
        if session.lane is None:
            raise CommandError("no_lane", "This chat has no lane.")
        base, problem = "", ""
        files: tuple[ChangedFile, ...] = ()
        try:
            base, files = await lane_changes(session.lane)
        except GitError as error:
            problem = str(error)
        self._publish(
            ChangesLoaded(session_id=session.session_id, base=base, files=files, at=self._clock(), problem=problem)
        )

    async def _load_blob(self, command: c.LoadBlob) -> None:
        session = self.sessions.get(command.session_id)
        data = self._store.blobs.get(command.sha256) if command.sha256 in session.blob_ids else None
        if data is None:
            raise CommandError("no_blob", "This content is no longer stored.")
        text = data.decode("utf-8", "replace")
        self._publish(BlobLoaded(session_id=session.session_id, sha256=command.sha256, text=text))

    # Turns

    def _start_turn(self, session: Session, events: list[Event], *, continues: str = "") -> None:
        """Record the begin of a turn and run it in a task of its own; whoever asks next finds it running.

        Raises:
            CommandError: meanwhile another turn began here, or the app is closing.
            StoreError: it could not be recorded, so it did not begin.
        """
        if self._stopping:
            raise CommandError("stopping", "Banksman is closing.")
        self._idle(session.session_id)
        turn = self._loop.begin(session, events, continues=continues)
        session.task = asyncio.create_task(self._loop.run(session, turn))
        session.task.add_done_callback(lambda task: self._turn_done(session, turn, task))

    def _turn_done(self, session: Session, turn: Turn, task: asyncio.Task[None]) -> None:
        self._loop.end_unrun(session, turn)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a turn failed", exc_info=error)
            reason = next(iter(str(error).splitlines()), "")[:ERROR_CHARS]
            failed = CommandFailed(
                command_id="",
                code="turn_failed",
                text=f"The turn stopped: {type(error).__name__}: {reason}. Details are in the log.",
                session_id=session.session_id,
            )
            self._publish(failed)
        self._schedule_list()

    def _idle(self, session_id: str) -> Session:
        session = self.sessions.get(session_id)
        if session.running:
            raise CommandError("running", "The agent is working. Stop it first, or wait.")
        return session

    # Telling the window

    def _publish(self, update: Update) -> None:
        self._publish_out(update)
        if isinstance(update, Envelope | ActivityChanged):
            self._schedule_list()

    def _schedule_list(self) -> None:
        if self._list_timer is None and not self._stopping:
            self._list_timer = asyncio.get_running_loop().call_later(LIST_EVERY_S, self._publish_list)

    def _publish_list(self) -> None:
        if self._list_timer is not None:
            self._list_timer.cancel()
        self._list_timer = None
        if self.project is not None and not self._stopping:
            self._publish_out(self.sessions.summaries(self.project.id))

    def _fail(self, command: c.Command, code: str, text: str) -> None:
        session_id = str(vars(command).get("session_id", ""))
        self._publish(CommandFailed(command_id=command.command_id, code=code, text=text, session_id=session_id))

    _HANDLERS: ClassVar[dict[type, Callable[["Engine", Any], Awaitable[None]]]] = {
        c.OpenProject: _open_project,
        c.NewSession: _new_session,
        c.OpenSession: _open_session,
        c.SendMessage: _send_message,
        c.ContinueTurn: _continue_turn,
        c.Interrupt: _interrupt,
        c.AnswerInput: _answer,
        c.SetMode: _set_mode,
        c.SetModel: _set_model,
        c.RenameSession: _rename,
        c.ArchiveSession: _archive,
        c.StopShell: _stop_shell,
        c.LoadChanges: _load_changes,
        c.LoadBlob: _load_blob,
        c.SaveSettings: lambda self, command: self.desk.save_settings(command),
        c.SaveKey: lambda self, command: self.desk.save_key(command),
        c.RemoveKey: lambda self, command: self.desk.remove_key(command),
        c.CheckEndpoint: lambda self, command: self.desk.check_endpoint(command),
    }


def _person(text: str) -> UserMessage:
    return UserMessage(parts=({"type": "text", "text": text},), origin="person")


def _restarted_text(session: Session) -> str:
    unstarted = [f"{call.name} has no result" for call in session.open_calls()]
    states = f" {'; '.join(unstarted)}." if unstarted else ""
    return f"Banksman closed while the last turn was running.{states} The user goes on with a new message."
