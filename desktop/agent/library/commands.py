"""LibraryCommands: chats as things to keep: pinned, deleted with a while to think again, copied and taken in."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish, Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.library.search import SearchCommands
from desktop.agent.proofs.retention import ProofRetention
from desktop.config.folders import typed_path
from desktop.domain.chats.commands import (
    DeleteSession,
    ExportSession,
    ImportSession,
    MuteSession,
    PinSession,
    RebuildIndex,
    UndoDelete,
)
from desktop.domain.chats.library_events import SessionFlagChanged
from desktop.domain.chats.updates import (
    IndexRebuilt,
    SessionDeleted,
    SessionDeletionScheduled,
    SessionExported,
    SessionImported,
)
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError, StoreError
from desktop.domain.core.work import Project
from desktop.domain.events import Envelope
from desktop.domain.gate.redaction import Redactor
from desktop.domain.updates import CommandFailed
from desktop.records import dataclass
from desktop.store.core.imports import ImportRefused, Where
from desktop.store.core.library import ExportOptions
from desktop.store.core.store import Store

logger = logging.getLogger(__name__)

UNDO_S = 10.0


@dataclass(frozen=True)
class LibraryParts:
    """What it works with. `removed` is told the newest entry of a chat that went, `listed` that lists changed."""

    sessions: Sessions
    store: Store
    publish: Publish
    clock: Callable[[], datetime]
    project: Callable[[], Project | None]
    redactor: Callable[[], Redactor]
    removed: Callable[[Envelope], None]
    listed: Callable[[], None]
    search: SearchCommands


class LibraryCommands:
    """All on the engine thread. `undo_s`: how long a deletion waits."""

    def __init__(self, parts: LibraryParts) -> None:
        self._sessions = parts.sessions
        self._store = parts.store
        self._publish = parts.publish
        self._parts = parts
        self._listed = parts.listed
        self._due: dict[str, asyncio.Task[None]] = {}
        self._proofs = ProofRetention(parts.store, parts.publish)
        self._proofs_go: set[str] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self.undo_s = UNDO_S

    def handlers(self) -> dict[type[Command], Handler]:
        """See `Commands`."""
        return {
            PinSession: self._pin,
            MuteSession: self._mute,
            DeleteSession: self._delete,
            UndoDelete: self._undo,
            ExportSession: self._export,
            ImportSession: self._import,
            RebuildIndex: self._rebuild,
        }

    async def close(self) -> None:
        """Carry out the deletions that are waiting; nobody can take them back any more."""
        for session_id, task in list(self._due.items()):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await self._carry_out(session_id)
        if self._ending:
            await asyncio.wait(self._ending)

    async def _pin(self, command: PinSession) -> None:
        session = self._sessions.get(command.session_id)
        if session.state.pinned != command.pinned:
            session.append(SessionFlagChanged(flag="pinned", value=command.pinned))

    async def _mute(self, command: MuteSession) -> None:
        session = self._sessions.get(command.session_id)
        if session.state.muted != command.muted:
            session.append(SessionFlagChanged(flag="muted", value=command.muted))

    # Deleting

    async def _delete(self, command: DeleteSession) -> None:
        session = self._sessions.get(command.session_id)
        if session.running:
            raise CommandError("running", "The agent is working in this chat. Stop it first, then delete the chat.")
        self._refuse_needed(session)
        if session.session_id in self._due:
            return
        messages = sum(envelope.kind in ("user_message", "assistant_message") for envelope in session.log)
        self._sessions.hidden.add(session.session_id)
        (self._proofs_go.discard if command.keep_proofs else self._proofs_go.add)(session.session_id)
        self._due[session.session_id] = asyncio.create_task(self._delete_later(session.session_id), name="delete")
        self._publish(
            SessionDeletionScheduled(
                session_id=session.session_id,
                title=session.state.title,
                at=self._parts.clock() + timedelta(seconds=self.undo_s),
                detail=f"{messages:,} messages and what only this chat stored.",
            )
        )
        self._listed()

    async def _undo(self, command: UndoDelete) -> None:
        task = self._due.pop(command.session_id, None)
        if task is None:
            raise CommandError("too_late", "This chat is deleted already.")
        task.cancel()
        self._sessions.hidden.discard(command.session_id)
        self._listed()

    async def _delete_later(self, session_id: str) -> None:
        await asyncio.sleep(self.undo_s)
        await self._carry_out(session_id)

    async def _carry_out(self, session_id: str) -> None:
        """Remove the chat, or say why it stays."""
        try:
            session = self._sessions.get(session_id)
            if session.running:
                raise CommandError("running", "The chat was not deleted: the agent works in it again.")
            self._refuse_needed(session)
            for child_id in self._below(session):
                await self._remove_child(child_id)
            orphans = await asyncio.to_thread(self._store.readings.orphans, session_id)
            await self._parts.search.forget(session_id)
            if session.running:
                raise CommandError("running", "The chat was not deleted: the agent works in it again.")
            leaving = self._proofs.of_chat(session_id) if session_id in self._proofs_go else ()
            last = self._store.events.delete(session_id, orphans)
            current = asyncio.current_task()
            waited = self._due.pop(session_id, None)  # from here on nobody can take it back
            if current is not None and waited is current:
                self._ending.add(current)
                current.add_done_callback(self._ending.discard)
            await self._sessions.drop(session_id)
            self._parts.removed(last)
            self._publish(SessionDeleted(session_id=session_id))
            if left := await self._proofs.remove(leaving):
                self._publish(CommandFailed(command_id="", code="proofs_left", text=left, session_id=session_id))
        except BanksmanError as error:
            logger.warning("%s was not deleted: %s", session_id, error)
            failed = CommandFailed(command_id="", code="not_deleted", text=str(error), session_id=session_id)
            self._publish(failed)
        finally:
            self._due.pop(session_id, None)
            self._proofs_go.discard(session_id)
            self._sessions.hidden.discard(session_id)
            self._listed()

    def _refuse_needed(self, session: Session) -> None:
        """Raises CommandError, ChatHasForks: somebody works in a sub-agent, or goes on from one of them or the chat."""
        for one in (session.session_id, *self._below(session)):
            self._store.events.refuse_forked(one)

    def _below(self, session: Session) -> list[str]:
        """The sub-agents of a chat, those below others first.

        Raises:
            CommandError: one of them works.
        """
        found: list[str] = []
        for child_id in session.state.children:
            if self._sessions.knows(child_id):
                child = self._sessions.get(child_id)
                if child.running:
                    raise CommandError("running", "A sub-agent works. Stop it first, then delete the chat.")
                found += [*self._below(child), child_id]
        return found

    async def _remove_child(self, child_id: str) -> None:
        """Remove the log of a sub-agent and what only it names; its chat goes too (memory-SU13)."""
        orphans = await asyncio.to_thread(self._store.readings.orphans, child_id)
        await self._parts.search.forget(child_id)
        if self._sessions.get(child_id).running:
            raise CommandError("running", "The chat was not deleted: a sub-agent works in it again.")
        last = self._store.events.delete(child_id, orphans)
        await self._sessions.drop(child_id)
        self._parts.removed(last)

    # Files

    async def _export(self, command: ExportSession) -> None:
        out = _absolute(command.path, "not_exported")
        options = ExportOptions(
            format=command.format, redact=redaction(self._parts.redactor()) if command.redacted else None
        )
        work = asyncio.to_thread(self._store.readings.export, [command.session_id], out, options)
        try:
            size = await asyncio.shield(asyncio.ensure_future(work))
        except asyncio.CancelledError:
            options.cancelled.set()
            raise
        except StoreError as error:
            raise CommandError("not_exported", str(error)) from error
        self._publish(
            SessionExported(command_id=command.command_id, session_id=command.session_id, path=str(out), bytes=size)
        )

    async def _import(self, command: ImportSession) -> None:
        source = _absolute(command.path, "not_imported")
        project = self._parts.project()
        where = Where(project.id, project.path, source.name) if project is not None else Where(name=source.name)
        with TemporaryDirectory(prefix=".import-", dir=self._store.folder, ignore_cleanup_errors=True) as folder:
            staging = Path(folder) / "log.db"
            prepare = self._store.readings.prepare_import
            try:
                report = await asyncio.to_thread(prepare, source, staging, where, self._parts.clock())
                if report.chain == "broken" and not command.broken_accepted:
                    raise CommandError(
                        "chain_broken",
                        "The record in this file was changed after it was exported. Import it only if you trust it; "
                        "it stays marked.",
                    )
                for media_type, data in self._store.readings.staged_blobs(staging):
                    self._store.blobs.put(data, media_type)
                self._store.events.adopt(staging, report)
            except (ImportRefused, OSError) as error:
                raise CommandError("not_imported", str(error)) from error
        self._listed()
        self._publish(
            SessionImported(command_id=command.command_id, session_id=report.sessions[-1], report=report.sentences())
        )

    async def _rebuild(self, command: RebuildIndex) -> None:
        self._publish(IndexRebuilt(chats=0, percent=0, done=False))
        await asyncio.sleep(0)
        self._store.events.rebuild_index()
        self._parts.search.rebuild()
        self._listed()
        self._publish(IndexRebuilt(chats=len(self._store.events.session_ids())))


def redaction(redactor: Redactor) -> Callable[[str], str]:
    """What a redacted copy goes through: secrets out, the home folder as `~`."""
    home = str(Path.home())
    short = (lambda text: text.replace(home, "~")) if len(home) > 1 else str
    return lambda text: short(redactor.redact(text).text)


def _absolute(path: str, code: str) -> Path:
    chosen = typed_path(path)
    if not chosen.is_absolute():
        raise CommandError(code, "Choose a file with its folder.")
    return chosen
