"""ViewCommands: what the window asks to see of a chat: its events, stored bytes, its commands."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish, Session
from desktop.agent.core.sessions import Sessions
from desktop.collecting import settle
from desktop.config.folders import typed_path
from desktop.domain import commands as c
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.events import Envelope
from desktop.domain.updates import ActivityChanged, BlobLoaded, SessionOpened, TextSaved
from desktop.store.core.blobs import BlobStore

OPEN_SLICE = 500
SETTLE_EVERY = 5_000
"""So many events that were read stay, with the window. Left to itself the collector goes through all that were sent,
again and again, and no thread moves for a fifth of a second."""


class ViewCommands:
    """All on the engine thread."""

    def __init__(
        self,
        sessions: Sessions,
        blobs: BlobStore,
        publish: Publish,
        clock: Callable[[], datetime],
        look: Callable[[str], Awaitable[None]],
    ) -> None:
        """`look`: checks the record of a chat that was opened, and tells what it finds."""
        self._sessions = sessions
        self._blobs = blobs
        self._publish = publish
        self._clock = clock
        self._look = look

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about looking at a chat."""
        return {
            c.OpenSession: self.open_session,
            c.StopShell: self.stop_shell,
            c.SaveText: self.save_text,
            c.LoadBlob: self.load_blob,
        }

    async def open_session(self, command: c.OpenSession) -> None:
        """Send the events of a chat, the newest first, then the older ones piece by piece. The newest of a long log are
        sent before the whole of it is read."""
        session_id, asked = command.session_id, command.command_id
        newest = await self._sessions.ahead.end(session_id, OPEN_SLICE)
        if newest:
            self._publish(
                SessionOpened(session_id=session_id, envelopes=tuple(newest), complete=False, command_id=asked)
            )
        await self._sessions.read_ahead(session_id)
        session = self._sessions.get(session_id)
        self._publish(ActivityChanged(session_id=session_id, activity=session.doing, since=self._clock()))
        await self._send_rest(session, asked, newest)
        for below in self._running_below(session):
            whole = tuple(one.unpacked() for one in below.log)
            self._publish(SessionOpened(session_id=below.session_id, envelopes=whole, command_id=asked))
        await self._look(session.session_id)

    async def _send_rest(self, session: Session, asked: str, newest: list[Envelope]) -> None:
        """Send the events before those that were sent ahead, or all, with the state of the chat."""
        first = not newest
        end = len(session.log) if first else place_of(session.log, newest[0].event_id)
        older, state_is_sent = session.log[:end], False
        while older or not state_is_sent:
            older, piece = older[:-OPEN_SLICE], older[-OPEN_SLICE:]
            read = [one.unpacked() for one in piece] if first else await asyncio.to_thread(_read, piece)
            self._publish(
                SessionOpened(
                    session_id=session.session_id,
                    envelopes=tuple(read),
                    first=first,
                    complete=not older,
                    command_id=asked,
                    state=None if state_is_sent else session.state,
                )
            )
            first, state_is_sent = False, True
            if len(older) % SETTLE_EVERY < OPEN_SLICE <= len(older):
                settle()

    def _running_below(self, session: Session) -> Iterator[Session]:
        """The sub-agents that run: a window that opened later shows their cards too."""
        opened = {one.session_id: one for one in self._sessions.opened() if session in one.above}
        return (one for one in opened.values() if one.running)

    async def save_text(self, command: c.SaveText) -> None:
        """Write a text to a new file.

        Raises:
            CommandError: `not_saved`: the file exists, or it cannot be written.
        """
        path = typed_path(command.path)
        try:
            await asyncio.to_thread(_write_new, path, command.text)
        except OSError as error:
            why = "there is a file of this name" if isinstance(error, FileExistsError) else error.strerror or str(error)
            raise CommandError("not_saved", f"Could not write {path}: {why}. Choose another name.") from error
        self._publish(TextSaved(command_id=command.command_id, session_id=command.session_id, path=str(path)))

    async def stop_shell(self, command: c.StopShell) -> None:
        """End one background command."""
        session = self._sessions.get(command.session_id)
        if session.processes is not None:
            await session.processes.kill(command.shell_id)

    async def load_blob(self, command: c.LoadBlob) -> None:
        """Stored bytes as text, if this session's log refers to them."""
        session = self._sessions.get(command.session_id)
        await session.look_aside()
        data = self._blobs.get(command.sha256) if command.sha256 in session.blob_ids else None
        if data is None:
            raise CommandError("no_blob", "This content is no longer stored.")
        text = data.decode("utf-8", "replace")
        self._publish(BlobLoaded(session_id=session.session_id, sha256=command.sha256, text=text))


def _read(envelopes: list[Envelope]) -> list[Envelope]:
    """The envelopes with their events, read here, so that the window need not."""
    whole = [envelope.unpacked() for envelope in envelopes]
    for envelope in whole:
        _ = envelope.event
    return whole


def place_of(log: Sequence[Envelope], event_id: str) -> int:
    """Where this event stands in a log, looked for from its end."""
    return next(at for at in range(len(log) - 1, -1, -1) if log[at].event_id == event_id)


def _write_new(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8", newline="") as file:
        file.write(text)
