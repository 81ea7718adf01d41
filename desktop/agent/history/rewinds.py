"""RewindCommands: going back to an earlier entry of a chat, with its files or without, and bringing back what left."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import JsonValue

from desktop.agent.core.commands import Handler
from desktop.agent.core.lane_lock import LANE_BUSY
from desktop.agent.core.notes import note
from desktop.agent.core.session import Publish, Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.history.path_checkpoints import FilesAt, files_at, not_undone, quiet_pairs, touched_paths
from desktop.agent.lanes.keeper import LaneKeeper, made_event
from desktop.agent.turns.commands import TurnCommands
from desktop.domain.chats.commands import PreviewRewind, RewindSession, UndoRewind
from desktop.domain.chats.queue_events import QueuePaused
from desktop.domain.chats.updates import RewindPreviewed
from desktop.domain.context.events import Rewound
from desktop.domain.core.checkpoint_events import FilesRestored
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError, GitError, UnknownEventId
from desktop.domain.core.work import ChangedFile
from desktop.domain.events import AssistantMessage, Envelope, Event, UserMessage
from desktop.domain.history.path_state import path_to, todos_on
from desktop.services.git.run import Git
from desktop.services.history.checkpoints import NOW, LaneCheckpoints, Restored
from desktop.services.history.restore import NotPutBack

MAX_NAMED = 50
MAX_COMMITS = 50
NO_CHECKPOINT = "There is no checkpoint of the files as of that point."


class RewindCommands:
    """All on the engine thread."""

    def __init__(self, sessions: Sessions, turns: TurnCommands, keeper: LaneKeeper, publish: Publish) -> None:
        self._sessions = sessions
        self._turns = turns
        self._keeper = keeper
        self._publish = publish
        self._going: set[str] = set()

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about going back."""
        return {PreviewRewind: self._preview, RewindSession: self._rewind, UndoRewind: self._undo}

    def _session(self, session_id: str) -> Session:
        """The chat, whose conversation can go back."""
        session = self._sessions.get(session_id)
        if not self._turns.driver.abilities(session).rewinds:
            raise CommandError("no_rewind", "The agent of this chat cannot go back in its conversation.")
        return session

    # Looking

    async def _preview(self, command: PreviewRewind) -> None:
        session = self._session(command.session_id)
        leaving = _leaving(session, command.to_event_id)
        found = files_at(session.log, command.to_event_id)
        files: tuple[ChangedFile, ...] = ()
        outside: tuple[str, ...] = ()
        problem = "" if found is not None else NO_CHECKPOINT
        if found is not None:
            try:
                files, outside = await self._keeper.work(session, lambda kept: _compared(kept, found, leaving))
            except BanksmanError as error:
                problem = str(error)
        self._publish(
            RewindPreviewed(
                command_id=command.command_id,
                session_id=session.session_id,
                to_event_id=command.to_event_id,
                turns=sum(1 for e in leaving if e.kind == "turn_started"),
                messages=sum(1 for e in leaving if _is_message(e.event)),
                checkpoint_id=found.checkpoint_id if found is not None and not problem else "",
                files=files,
                outside=outside,
                not_undone=not_undone(leaving),
                commits=await _commits_since(session, command.to_event_id),
                problem=problem,
            )
        )

    # Going

    async def _rewind(self, command: RewindSession) -> None:
        session = self._session(command.session_id)
        _leaving(session, command.to_event_id)
        with self._alone(session):
            await self._turns.stop(session)
            found = files_at(session.log, command.to_event_id)
            await self._go(session, command.to_event_id, found, restore=command.restore_files)
        if command.text.strip() or command.attachments:
            await self._turns.send(session, command.text, command.attachments)

    async def _undo(self, command: UndoRewind) -> None:
        session = self._session(command.session_id)
        known = next((e.event for e in session.log if e.event_id == command.rewound_event_id), None)
        if not isinstance(known, Rewound) or not known.abandoned_head_id:
            raise CommandError("unknown_event", "There is nothing to bring back here.")
        path = {envelope.event_id for envelope in path_to(session.log, session.log[-1].event_id)}
        if known.abandoned_head_id in path:
            raise CommandError("brought_back", "This was brought back already.")
        with self._alone(session):
            await self._turns.stop(session)
            found = FilesAt(known.checkpoint_id) if known.checkpoint_id else None
            if command.restore_files and found is None:
                raise CommandError("no_checkpoint", NO_CHECKPOINT)
            found = found or files_at(session.log, known.abandoned_head_id)
            target = known.abandoned_head_id
            await self._go(session, target, found, restore=command.restore_files, undo_of=command.rewound_event_id)

    async def _go(
        self, session: Session, target: str, found: FilesAt | None, *, restore: bool, undo_of: str = ""
    ) -> None:
        """Files first: if they cannot be put back, the conversation stays where it is (sessions-SF8)."""
        session.check_recorded()
        leaving = _leaving(session, target)
        rewound = Rewound(
            to_event_id=target,
            abandoned_head_id=session.log[-1].event_id,
            scope="conversation_and_files" if restore else "conversation",
            undo_of=undo_of,
            todos=todos_on(path_to(session.log, target)),
        )
        if not restore:
            told_of = await self._told_of_files(session, found, leaving)
            rewound = rewound.model_copy(update={"abandoned_head_id": session.log[-1].event_id})
            session.append_many([rewound, *told_of, *_paused(session)])
            return
        if found is None:
            raise CommandError("no_checkpoint", NO_CHECKPOINT)
        restored = await put_back(self._keeper, session, found)
        safety = restored.safety.ref.checkpoint_id
        head = session.log[-1].event_id  # a checkpoint may have been recorded meanwhile
        told = rewound.model_copy(update={"checkpoint_id": safety, "abandoned_head_id": head})
        session.record(told, *restored_events(restored, found.checkpoint_id), *_paused(session))

    async def _told_of_files(self, session: Session, found: FilesAt | None, leaving: list[Envelope]) -> list[Event]:
        """The note that keeps the model from trusting old contents, if files differ from what it will see
        (sessions-SF9)."""
        paths = touched_paths(leaving)
        if found is not None:
            try:
                paths = await self._keeper.work(
                    session, lambda kept: kept.differing(kept.find(found.checkpoint_id, found.commit))
                )
            except BanksmanError:
                paths = touched_paths(leaving)
        if not paths:
            return []
        text = (
            "The user went back to this point of the conversation; the files were not put back. They differ from what "
            f"they were here: {named(paths)}. Read them before you rely on them."
        )
        return [note("files_not_restored", text)]

    @contextmanager
    def _alone(self, session: Session) -> Iterator[None]:
        if session.session_id in self._going:
            raise CommandError("rewinding", "This chat is going back already. Wait until it is done.")
        if session.state.archived:
            raise CommandError("archived", "This chat is archived. Take it out of the archive first.")
        self._going.add(session.session_id)
        self._turns.held.add(session.session_id)
        try:
            yield
        finally:
            self._going.discard(session.session_id)
            self._turns.held.discard(session.session_id)


# Files


async def put_back(keeper: LaneKeeper, session: Session, found: FilesAt, paths: tuple[str, ...] = ()) -> Restored:
    """Put the lane's files back to a checkpoint; what the agent had read of them counts no more.

    Raises:
        CommandError: `lane_busy`, or `not_restored`: everything is as it was before; the failure is recorded.
    """
    if session.write_lock.locked():
        raise CommandError("lane_busy", LANE_BUSY)
    async with session.write_lock:
        try:
            restored = await keeper.work(
                session, lambda kept: kept.restore(kept.find(found.checkpoint_id, found.commit), paths)
            )
        except (GitError, NotPutBack) as error:
            raise CommandError("not_restored", f"The files were not put back. {error}") from error
    for path in (*restored.restored, *restored.removed):
        session.reads.sha256.pop(path, None)
    if restored.failed:
        session.record(*restored_events(restored, found.checkpoint_id))
        raise CommandError("not_restored", f"The files were not put back. {restored.problem}")
    return restored


def restored_events(restored: Restored, to_checkpoint_id: str) -> list[Event]:
    """The record of a restore: the checkpoint of what was there before, then what was done."""
    safety = made_event(restored.safety, "restore")
    done = FilesRestored(
        from_checkpoint_id=safety.checkpoint_id,
        to_checkpoint_id=to_checkpoint_id,
        safety_checkpoint_id=safety.checkpoint_id,
        restored=() if restored.failed else restored.restored,
        removed=() if restored.failed else restored.removed,
        failed=restored.failed,
    )
    return [safety, done]


def named(paths: tuple[str, ...]) -> str:
    """At most 50 paths in one line, and how many more there are."""
    more = f" and {len(paths) - MAX_NAMED} more" if len(paths) > MAX_NAMED else ""
    return ", ".join(paths[:MAX_NAMED]) + more


def _compared(
    kept: LaneCheckpoints, found: FilesAt, leaving: list[Envelope]
) -> tuple[tuple[ChangedFile, ...], tuple[str, ...]]:
    """What putting back would change, and which of these files something other than the agent changed."""
    files = kept.would_change(kept.find(found.checkpoint_id, found.commit))
    paths = {path for file in files for path in (file.path, file.old_path) if path}
    outside: set[str] = set()
    for before, after in quiet_pairs(leaving) if files else ():
        later = kept.find(after.checkpoint_id, after.commit) if after is not None else NOW
        outside |= kept.paths_between(kept.find(before.checkpoint_id, before.commit), later)
    return files, tuple(sorted(outside & paths))


# The part that leaves


def _leaving(session: Session, target: str) -> list[Envelope]:
    """What is on the path now and not on the path to `target`, oldest first. Raises CommandError."""
    try:
        kept = {envelope.event_id for envelope in path_to(session.log, target)}
    except UnknownEventId as error:
        raise CommandError("unknown_event", "There is no such entry in this chat.") from error
    return [envelope for envelope in path_to(session.log, session.log[-1].event_id) if envelope.event_id not in kept]


def _paused(session: Session) -> list[Event]:
    """What waits was written for where the chat stood before."""
    state = session.state
    return [QueuePaused(reason="manual")] if state.queue and not state.queue_paused else []


def _is_message(event: Event) -> bool:
    """Whether people read it as one: an answer of calls alone is none."""
    if isinstance(event, UserMessage):
        return event.origin in ("person", "queued", "agent", "import")
    return isinstance(event, AssistantMessage) and any(map(_is_text, event.parts))


def _is_text(part: JsonValue) -> bool:
    text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
    return isinstance(text, str) and bool(text.strip())


async def _commits_since(session: Session, event_id: str) -> tuple[str, ...]:
    """The commits that were made on the lane's branch after an entry was written; they stay."""
    at = next((envelope.at for envelope in session.log if envelope.event_id == event_id), None)
    if session.lane is None or session.files is None or at is None:
        return ()
    since = f"--since={at.isoformat()}"
    base = [f"^{session.lane.base_oid}"] if session.lane.base_oid else []
    try:
        listed = await asyncio.create_task(
            Git(session.files.root).run("log", "--format=%h %s", f"-{MAX_COMMITS}", since, "HEAD", *base, "--")
        )
    except GitError:
        return ()
    return tuple(listed.stdout.splitlines())
