"""Engine: owns the store, the sessions and the providers; carries out commands. Made and used on one thread."""

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from desktop.agent.assembly import Assembly
from desktop.agent.core.ground import Telling
from desktop.agent.core.premises import Premises
from desktop.agent.core.theme import merged
from desktop.agent.options import WINDOW, EngineOptions
from desktop.agent.read_only import StoreWatch, refuse_imported
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.config.folders import Folders, typed_path
from desktop.config.settings_file import load_settings
from desktop.domain.changes.commands import SaveComment
from desktop.domain.commands import OpenProject, OpenSample
from desktop.domain.core.clock import utc_now
from desktop.domain.core.command import Command, Spoken
from desktop.domain.core.content import BlobRef
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.update import Update
from desktop.domain.core.work import Project
from desktop.domain.events import Envelope
from desktop.domain.updates import ActivityChanged, CommandFailed, EngineReady, ProjectOpened
from desktop.providers.kinds import builtin_kinds, own_addresses
from desktop.services.git import reader
from desktop.services.processes.children import notice_ends_by_descriptor
from desktop.services.projects import open_project, start_problem
from desktop.services.sample_repository import create_sample_repository
from desktop.store.database import open_store

logger = logging.getLogger(__name__)

LIST_EVERY_S = 0.1
PROBE_AFTER_S = 1.0
COMMANDS_GRACE_S = 2.0
SAMPLE = Path("sample") / "shop"


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
        self._sample = (folders.data / SAMPLE).resolve()
        self.project: Project | None = None
        self._commands: set[asyncio.Task[Any]] = set()
        self._list_timer: asyncio.TimerHandle | None = None
        self._stopping = False
        self._probing: asyncio.Task[None] | None = None
        self._probe_timer: asyncio.TimerHandle | None = None
        settings = load_settings(folders.settings_file, own_addresses())
        self._store = open_store(folders.store, clock=clock)
        self._watch = StoreWatch(self._store, self._publish)
        self.settings = SettingsKeeper(
            folders, settings, self._publish, demo_pace_s=options.demo_pace_s, extra=options.extra_endpoint
        )
        telling = Telling(self._publish, self._schedule_list)
        premises = Premises(folders, self._store, clock, telling, lambda: self.project, options.kind)
        self.parts = Assembly(premises, self.settings, options, lambda: self._watch.is_reading, self.handle)
        self._themes = self.parts.themes
        self.sessions, self.sandbox = self.parts.sessions, self.parts.chats.gate.sandbox
        self._handlers = merged(self._themes.handlers, {OpenProject: self._open_project, OpenSample: self._open_sample})

    async def start(self) -> None:
        """Close what an earlier process left open and tell the window that everything is there."""
        notice_ends_by_descriptor()
        self.sandbox.start()
        if not self._watch.is_reading:
            await self.parts.chats.chats.cut_off.close()
        places = (str(self._store.folder), self.settings.log_folder)
        kinds = tuple(kind.shown for kind in builtin_kinds().values())
        settings = self.settings.current
        self._publish(EngineReady(settings=settings, store_folder=places[0], log_folder=places[1], service_kinds=kinds))
        self._watch.start()
        self._themes.start()
        self._probe_timer = asyncio.get_running_loop().call_later(PROBE_AFTER_S, self._probe)
        if self._kind == "interactive":
            await self.settings.publish_keys()
        else:
            await self.settings.find_services()

    def keep_blob(self, data: bytes, media_type: str) -> BlobRef:
        """Keep bytes beside the logs; an event that names them is to follow. Raises StoreError: they were not kept."""
        return self._store.blobs.put(data, media_type, lazy=True)

    def _probe(self) -> None:
        """Try the sandbox before a command needs it, but not while the window opens or the first request is made."""
        self._probing = asyncio.create_task(self._look_around(), name="sandbox")

    async def _look_around(self) -> None:
        await self.sandbox.ready()
        if not self._watch.is_reading:  # of a damaged store it is not known what is still named
            await self.parts.chats.chats.attachments.prune()
        if self._kind == "interactive":  # one run alone is over before it pays
            await asyncio.to_thread(reader.load)

    def _without_secrets(self, command: Command) -> Command:
        """The command, whose words of a person hold no secret."""
        if isinstance(command, Spoken):
            return command.model_copy(update={"text": self.settings.redactor.redact(command.text).text})
        if isinstance(command, SaveComment):
            text = self.settings.redactor.redact(command.comment.text).text
            return command.model_copy(update={"comment": command.comment.model_copy(update={"text": text})})
        return command

    async def handle(self, command: Command) -> None:
        """Carry out one command; a failure becomes a CommandFailed that the window shows."""
        if self._stopping:
            return
        task = asyncio.current_task()
        if task is not None:
            self._commands.add(task)
        try:
            command = self._without_secrets(command)
            if command.log_first:
                await self.sessions.read_ahead(session_of(command))
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
        self.parts.chats.gate.inputs.closing = True
        self.parts.chats.turns.commands.close()
        if self._probe_timer is not None:
            self._probe_timer.cancel()
        if self._list_timer is not None:
            self._list_timer.cancel()
        await self._watch.close()
        await self._themes.close()
        await self.sessions.close()
        await self._finish_commands()
        await self._themes.close_last()
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

    async def _open_sample(self, _command: OpenSample) -> None:
        made = await asyncio.to_thread(create_sample_repository, self._sample)
        await self._open_project(OpenProject(path=str(made)))

    async def _open_project(self, command: OpenProject) -> None:
        project = await open_project(typed_path(command.path).absolute())
        self.project = project
        problem = await start_problem(project)
        sample = Path(project.path) == self._sample
        self._publish(ProjectOpened(project=project, problem=problem, sample=sample))
        self._publish_list()
        if not self._watch.is_reading:
            self._themes.project_opened()
        if self._kind == "interactive" and not sample:
            await self.settings.remember_project(project.path)

    # Telling the window

    def _publish(self, update: Update) -> None:
        self._publish_out(update)
        if isinstance(update, Envelope | ActivityChanged):
            self._schedule_list()
        if not self._stopping:
            self._themes.saw(update)

    def _schedule_list(self) -> None:
        if self._list_timer is None and not self._stopping:
            self._list_timer = asyncio.get_running_loop().call_later(LIST_EVERY_S, self._publish_list)

    def _publish_list(self) -> None:
        if self._list_timer is not None:
            self._list_timer.cancel()
        self._list_timer = None
        if self.project is not None and not self._stopping:
            self._publish_out(self.sessions.summaries(self.project.id))
            self.parts.lanes.making.list.publish()

    def _fail(self, command: Command, code: str, text: str) -> None:
        failed = CommandFailed(command_id=command.command_id, code=code, text=text, session_id=session_of(command))
        self._publish(failed)


def session_of(command: Command) -> str:
    """The id of the chat that a command is about, "" if it is about none."""
    return str(vars(command).get("session_id", ""))
