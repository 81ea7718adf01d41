"""Engine: owns the store, the sessions and the providers; carries out commands. Made and used on one thread."""

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from desktop.agent.assembly import LaneNeeds, lane_themes
from desktop.agent.chats.attachments import AttachmentCommands
from desktop.agent.chats.commands import ChatCommands
from desktop.agent.chats.queue import MessageQueue
from desktop.agent.chats.slash_commands import SlashCommands
from desktop.agent.chats.view import ViewCommands
from desktop.agent.context.commands import ContextCommands
from desktop.agent.context.keeper import ContextKeeper
from desktop.agent.core.command_world import CommandWorld
from desktop.agent.core.commands import Commands, Handler
from desktop.agent.core.ground import Ground, Telling
from desktop.agent.core.lane_register import Lanes
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.surroundings import Surroundings
from desktop.agent.gate.calls.caller import ToolCaller
from desktop.agent.gate.calls.loop_guard import LoopGuard
from desktop.agent.gate.commands import GateCommands
from desktop.agent.gate.inputs import PendingInputs
from desktop.agent.gate.judge import ASKED_FOR, Judge, JudgeNeeds
from desktop.agent.gate.look_back import LookBack
from desktop.agent.gate.offers import Offers
from desktop.agent.gate.own_sandbox import own_sandbox
from desktop.agent.gate.rules import RuleCommands
from desktop.agent.gate.sandbox import SandboxCommands
from desktop.agent.github.access import GitHubAccess
from desktop.agent.history.build import history_commands
from desktop.agent.history.forks import ForkParts
from desktop.agent.lanes.base import LaneActs, LaneBase, LaneContents
from desktop.agent.lanes.folder import FilesOf
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.lanes.ready.lane_file import LaneFileReader
from desktop.agent.lanes.use import LaneUse
from desktop.agent.library.audit import AuditCommands
from desktop.agent.library.commands import LibraryCommands, LibraryParts
from desktop.agent.library.imports import ImportCommands, ImportParts
from desktop.agent.library.record_check import RecordCheck
from desktop.agent.library.search import SearchCommands
from desktop.agent.options import WINDOW, EngineOptions
from desktop.agent.providers.ask_model import AskModel
from desktop.agent.providers.instructions import Instructions
from desktop.agent.read_only import StoreWatch, refuse_imported
from desktop.agent.reports.commands import ReportCommands
from desktop.agent.reports.evidence import EvidenceWriter
from desktop.agent.reports.lane_evidence import LaneEvidence
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.agent.settings.sounds import SoundCommands
from desktop.agent.turns.chat_work import ChatWork
from desktop.agent.turns.commands import TurnCommands
from desktop.agent.turns.limits import LimitCommands, LimitWatch
from desktop.agent.turns.loop import LoopParts
from desktop.agent.turns.spend import DaySpend
from desktop.agent.turns.starter import ChatStarter
from desktop.config.folders import Folders, typed_path
from desktop.config.settings_file import limit_problems, load_settings
from desktop.domain import commands as c
from desktop.domain.core.clock import utc_now
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.update import Update
from desktop.domain.core.work import Project
from desktop.domain.events import Envelope
from desktop.domain.updates import ActivityChanged, CommandFailed, EngineReady, ProjectOpened, SessionOpened
from desktop.policy.lazy import assess_shell
from desktop.policy.shell.read.world import TextWorld
from desktop.policy.shell.verdict import ShellVerdict
from desktop.providers.kinds import builtin_kinds, own_addresses
from desktop.services.git import reader
from desktop.services.projects import open_project, start_problem
from desktop.store.database import open_store
from desktop.store.gate.rules import RuleStore
from desktop.store.gate.trust import ContentTrust
from desktop.store.library.attachments import AttachmentStore
from desktop.tools.registry import builtin_tools
from desktop.tools.tool import Report

logger = logging.getLogger(__name__)

LIST_EVERY_S = 0.1
PROBE_AFTER_S = 1.0
COMMANDS_GRACE_S = 2.0


class Engine:
    """`publish` is called on this thread, in the order of what happened.

    Raises:
        SettingsError, StoreUnavailable: the engine cannot start; nothing was changed.
    """

    def __init__(  # noqa: PLR0915  # where all parts meet
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
        settings = load_settings(folders.settings_file, own_addresses())
        registry = builtin_tools()
        self._store = open_store(folders.store, clock=clock)
        self._watch = StoreWatch(self._store, self._publish)
        self.settings = SettingsKeeper(
            folders, settings, self._publish, demo_pace_s=options.demo_pace_s, extra=options.extra_endpoint
        )
        lanes_root = self.settings.current.lanes_root
        lanes = Lanes(
            self._store.lanes,
            Path(lanes_root) if lanes_root else folders.lanes,
            clock,
            prefix=lambda: self.settings.current.lane_prefix,
        )
        sandbox = options.sandbox or own_sandbox(folders, lanes.root, clock, options.found)
        self._lanes = lanes
        self.project: Project | None = None
        evidence = LaneEvidence(self._store.readings)
        self._keeper = LaneKeeper(clock, evidence.trees)
        lane_file = LaneFileReader(lambda: self.project, folders)
        world = CommandWorld(sandbox, lane_file.env, self._witness_for)
        self.sessions = Sessions(self._store, lanes, folders, self._publish, clock, world)
        inputs = PendingInputs()
        self.rules = RuleCommands(
            RuleStore(folders.data, folders.config, judge=_whole_line, clock=clock),
            _whole_line,
            self._publish,
            clock,
            past=self._store.readings,
            project=lambda: self.project,
        )
        self.sandbox = SandboxCommands(self.sessions.sandbox, self._publish)
        kept = AttachmentStore(folders.data / "attachments", clock, self._store.readings.attachments)
        self._attachments = AttachmentCommands(
            self.sessions, kept, self._store.blobs, self._publish, lambda: self.project
        )
        needs = JudgeNeeds(
            self.rules, self.sandbox, self.settings.databases, lambda: self.settings.redactor, self._attachments.read
        )
        offers = Offers()
        judge = Judge(registry, self._store.blobs, needs, offers, can_ask=can_ask)
        guard = LoopGuard()
        caller = ToolCaller(
            judge,
            inputs,
            can_ask=can_ask,
            guard=guard,
            keeper=self._keeper,
            must_keep=lambda: self.settings.current.require_checkpoint,
        )
        model = AskModel(judge, self._store.blobs, self.settings, interactive=can_ask)
        slash = SlashCommands(folders.config, ContentTrust(folders.data, "commands"))
        queue = MessageQueue(self.sessions, expand=slash.expand, attach=self._attachments.parts)
        rows = self._store.instructions
        instructions = Instructions(self._store.blobs, folders.config, lambda: self.settings.redactor, rows)
        self._context = ContextKeeper(self.settings, self._publish, self.sessions.get, instructions)
        day = DaySpend(self._store.events, clock)
        problems = limit_problems(folders.settings_file)
        self._limits = LimitWatch(self.settings, self._context, day, self._publish, problems)
        parts = LoopParts(judge, caller, model, self.settings, queue, self._context, self._limits, guard)
        driver = options.driver(parts)
        self._turns = TurnCommands(self.sessions, driver, self.settings, queue, self._limits, self._publish)
        self._turns.ended.add(self._schedule_list)
        self.gate = GateCommands(self.sessions, inputs, judge, caller, self._publish, self._store.blobs)
        self._audit = AuditCommands(folders, self._store, self._publish, clock, lambda: self.settings.redactor)
        self._review = LookBack(self.sessions, self._store.blobs)
        look = RecordCheck(self._store.readings, self._publish).look
        self._view = ViewCommands(self.sessions, self._store.blobs, self._publish, clock, look)
        self._turns.stopped.add(self._on_stop)
        context = ContextCommands(
            self.sessions, self._context, slash, self._publish, lambda session: driver.abilities(session).compacts
        )
        history = ForkParts(
            self.sessions,
            self._store.events,
            lanes,
            self._keeper,
            self._turns,
            self._publish,
            default_mode=lambda: self.settings.current.default_mode,
            listed=self._schedule_list,
        )
        self._search = SearchCommands(self.sessions, self._store, self._publish)
        self._library = LibraryCommands(
            LibraryParts(
                self.sessions,
                self._store,
                self._publish,
                clock,
                lambda: self.project,
                lambda: self.settings.redactor,
                self._audit.session_removed,
                self._schedule_list,
                self._search,
            )
        )
        all_commands: tuple[Commands, ...] = (
            self._library,
            self._search,
            ImportCommands(ImportParts(self.sessions, lanes, self.settings, lambda: self.project)),
            ChatCommands(self.sessions, self.settings),
            context,
            self._turns,
            queue,
            LimitCommands(self.sessions),
            self._attachments,
            SoundCommands(self._publish),
            *history_commands(history, evidence, self.gate, lambda session: self._context.meter(session).used),
        )
        use = LaneUse(self.sessions.lane_lock, lanes.repository)
        log = ProjectLog(self._store.events, lambda: self.project)
        self._starter = ChatStarter(
            self.sessions, self.settings, self.gate, self._limits, self._turns, options.kind, lambda: self.project
        )
        self.github = GitHubAccess(self.settings, self._publish, clock, pace=options.github_pace)
        base = LaneBase(
            Ground(lanes, lambda: self.project),
            Telling(self._publish, self._schedule_list),
            LaneActs(log, use),
            LaneContents(FilesOf(folders), self._keeper),
            clock,
        )
        chats = ChatWork(self.sessions, self._turns, self.settings, self._starter)
        lane_needs = LaneNeeds(self.github, lane_file, judge.resolver_tools)
        here = Surroundings(folders, sandbox, options.kind == "interactive")
        self._lane_themes = lane_themes(base, chats, self._store, here, lane_needs)
        self._reports = ReportCommands(self.sessions, self._lane_themes.reports, judge, caller)
        self._lane_themes.offer_to(offers)
        offers.give(Report, lambda session: partial(self._reports.report, session))
        offers.require(*ASKED_FOR)
        all_commands += (*self._lane_themes.all, self._reports, self.settings, self.gate, self.rules, self.sandbox)
        all_commands += (self._audit, self._review, self._view)
        self._handlers: dict[type[Command], Handler] = {
            c.OpenProject: self._open_project,
            c.NewSession: self._new_session,
            c.TestDatabase: lambda command: self.settings.test_database(command, self.project),
            **{kind: run for part in all_commands for kind, run in part.handlers().items()},
        }
        self._clock = clock
        self._commands: set[asyncio.Task[Any]] = set()
        self._list_timer: asyncio.TimerHandle | None = None
        self._stopping = False
        self._probing: asyncio.Task[None] | None = None
        self._probe_timer: asyncio.TimerHandle | None = None

    async def start(self) -> None:
        """Close what an earlier process left open and tell the window that everything is there."""
        self.sandbox.start()
        if not self._watch.is_reading:
            await self.sessions.close_cut_off()
        places = (str(self._store.folder), self.settings.log_folder)
        kinds = tuple(kind.shown for kind in builtin_kinds().values())
        settings = self.settings.current
        self._publish(EngineReady(settings=settings, store_folder=places[0], log_folder=places[1], service_kinds=kinds))
        self._watch.start()
        self._audit.start()
        self._search.start()
        self._probe_timer = asyncio.get_running_loop().call_later(PROBE_AFTER_S, self._probe)
        if self._kind == "interactive":
            await self.settings.publish_keys()

    def _probe(self) -> None:
        """Try the sandbox before a command needs it, but not while the window opens or the first request is made."""
        self._probing = asyncio.create_task(self._look_around(), name="sandbox")

    async def _look_around(self) -> None:
        await self.sandbox.ready()
        if not self._watch.is_reading:  # of a damaged store it is not known what is still named
            await self._attachments.prune()
        if self._kind == "interactive":  # one run alone is over before it pays
            await asyncio.to_thread(reader.load)

    async def handle(self, command: Command) -> None:
        """Carry out one command; a failure becomes a CommandFailed that the window shows."""
        if self._stopping:
            return
        task = asyncio.current_task()
        if task is not None:
            self._commands.add(task)
        try:
            refuse_imported(self.sessions, command)
            self._watch.refuse(command)
            await self._handlers[type(command)](command)
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
        self._turns.close()
        if self._probe_timer is not None:
            self._probe_timer.cancel()
        if self._list_timer is not None:
            self._list_timer.cancel()
        await self._watch.close()
        await self._reports.close()
        await self._lane_themes.close()
        await self.sessions.close()
        await self._finish_commands()
        await self._keeper.close()
        await self.github.close()
        await self.settings.close()
        self._search.close()
        await self._library.close()
        self._context.close()
        self._audit.close()
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
        project = await open_project(typed_path(command.path).absolute())
        self.project = project
        problem = await start_problem(project)
        self._publish(ProjectOpened(project=project, problem=problem))
        self._publish_list()
        if not self._watch.is_reading:
            self._lane_themes.project_opened()
        if self._kind == "interactive":
            await self.settings.remember_project(project.path)

    def _on_stop(self, session_id: str) -> None:
        self._context.stop(session_id)
        self._reports.stop(session_id)

    def _witness_for(self, session: Session, is_open: Callable[[], bool]) -> EvidenceWriter:
        """Who records what the commands of a chat did."""
        return EvidenceWriter(session, self._keeper, self._store.blobs, lambda: self.settings.redactor, is_open)

    async def _new_session(self, command: c.NewSession) -> None:
        await self._starter.begin(command)

    # Telling the window

    def _publish(self, update: Update) -> None:
        self._publish_out(update)
        if isinstance(update, Envelope | ActivityChanged):
            self._schedule_list()
        if isinstance(update, Envelope | SessionOpened) and not self._stopping:
            self._context.changed(update.session_id)
        if not self._stopping:
            if not self._watch.is_reading:  # of a damaged store it is not known which lanes there are
                self.rules.saw(update)
            self._lane_themes.saw(update)

    def _schedule_list(self) -> None:
        if self._list_timer is None and not self._stopping:
            self._list_timer = asyncio.get_running_loop().call_later(LIST_EVERY_S, self._publish_list)

    def _publish_list(self) -> None:
        if self._list_timer is not None:
            self._list_timer.cancel()
        self._list_timer = None
        if self.project is not None and not self._stopping:
            self._publish_out(self.sessions.summaries(self.project.id))
            self._lane_themes.list.publish()

    def _fail(self, command: Command, code: str, text: str) -> None:
        session_id = str(vars(command).get("session_id", ""))
        self._publish(CommandFailed(command_id=command.command_id, code=code, text=text, session_id=session_id))


def _whole_line(text: str) -> ShellVerdict:
    """A command line judged by its text alone, as the tests of rules and Settings need it."""
    return assess_shell(text, TextWorld())
