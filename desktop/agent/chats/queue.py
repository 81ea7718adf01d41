"""MessageQueue: messages that wait while a turn runs: queued, changed, and made ready for the model (sessions 8)."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Literal
from weakref import WeakKeyDictionary

from pydantic import JsonValue

from desktop.agent.chats.named import NOTHING, Named, Readers, read_named
from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.domain.chats.commands import EditQueued, MoveQueued, RemoveQueued
from desktop.domain.chats.queue_events import (
    MessageQueued,
    QueuedMessageEdited,
    QueuedMessageMoved,
    QueuedMessageRemoved,
)
from desktop.domain.chats.slash import called_command
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.core.event_base import Parts
from desktop.domain.core.ids import new_id
from desktop.domain.events import Event, Notice, UserMessage
from desktop.domain.history.picked import picked
from desktop.domain.history.state import QueuedMessage

MAX_QUEUED = 10
Attach = Callable[[Session, tuple[str, ...]], list[JsonValue]]
Expand = Callable[[Session, str], tuple[str, str]]


def no_attachments(session: Session, names: tuple[str, ...]) -> list[JsonValue]:
    """The parts that stand for attachments where there are none.

    Raises:
        CommandError: something was attached.
    """
    if names:
        raise CommandError("attachments", "Files cannot be attached to messages yet. Take them out and send again.")
    return []


class MessageQueue:
    """`attach`: the parts of a message that stand for its attachments; raises CommandError for one that is gone.

    `expand`: what is sent for a text, and what was typed if that is something else (a slash command).
    """

    def __init__(
        self, sessions: Sessions, *, expand: Expand, attach: Attach = no_attachments, readers: Readers | None = None
    ) -> None:
        """`readers`: who reads what the mentions of a message name."""
        self._expand = expand
        self._readers = readers or Readers()
        self._sessions = sessions
        self._attach = attach
        self._ahead: WeakKeyDictionary[Session, dict[str, tuple[str, str]]] = WeakKeyDictionary()
        self._named: WeakKeyDictionary[Session, dict[str, Named]] = WeakKeyDictionary()

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands that change what waits."""
        return {EditQueued: self._edit, RemoveQueued: self._remove, MoveQueued: self._move}

    @asynccontextmanager
    async def read_ahead(self, session: Session, text: str = "") -> AsyncIterator[None]:
        """Meanwhile the commands that are called in this text, and in what waits, count as their files are read here,
        on a worker thread, and so does what is named with an `@`."""
        texts = [*dict.fromkeys((text, *map(_words, session.state.queue)))]
        called = {one for one in texts if called_command(one) is not None}
        if called:
            self._ahead[session] = await asyncio.to_thread(self._all_expanded, session, called)
        if any("@" in one for one in texts):
            self._named[session] = {one: await read_named(self._readers, session, one) for one in texts}
        try:
            yield
        finally:
            self._ahead.pop(session, None)
            self._named.pop(session, None)

    def must_read(self, session: Session) -> bool:
        """Whether something waits that must be read ahead, because it names something."""
        return any("@" in _words(one) for one in session.state.queue)

    def _all_expanded(self, session: Session, texts: set[str]) -> dict[str, tuple[str, str]]:
        """Blocking. One that cannot be used is left out: it is asked for again where somebody is told of it."""
        found: dict[str, tuple[str, str]] = {}
        for text in texts:
            with suppress(CommandError):
                found[text] = self._expand(session, text)
        return found

    def _expanded(self, session: Session, text: str) -> tuple[str, str]:
        return self._ahead.get(session, {}).get(text) or self._expand(session, text)

    def _names(self, session: Session, text: str) -> Named:
        return self._named.get(session, {}).get(text, NOTHING)

    def message(
        self, session: Session, text: str, names: tuple[str, ...], origin: Literal["person", "queued"] = "person"
    ) -> UserMessage:
        """A person's message as the model gets it.

        Raises:
            CommandError: it says nothing, or an attachment is gone.
        """
        if not text.strip() and not names:
            raise CommandError("empty", "There is nothing to send.")
        sent, typed = self._expanded(session, text)
        named = self._names(session, text)
        parts = (*_text(sent), *named.parts, *self._attach(session, names))
        return UserMessage(parts=parts, origin=origin, attachments=names, mentions=named.given, display=typed)

    def add(self, session: Session, text: str, names: tuple[str, ...]) -> str:
        """Let a message wait; its id.

        Raises:
            CommandError: it says nothing, an attachment is gone, or ten wait already.
        """
        self.message(session, text, names)
        if len(session.state.queue) >= MAX_QUEUED:
            raise CommandError("queue_full", f"The queue is full ({MAX_QUEUED}).")
        queue_id = new_id("que_")
        session.append(MessageQueued(queue_id=queue_id, parts=_text(text), attachments=names))
        return queue_id

    def delivery(self, session: Session, queue_id: str = "") -> list[Event]:
        """The events that hand over all that waits, or the one message; () when it waits no more. In order, each
        message with its removal; what was attached and is gone is left out with a notice (sessions-SQ5)."""
        chosen = [one for one in session.state.queue if queue_id in ("", one.queue_id)]
        return [event for one in chosen for event in self._delivered(session, one)]

    def waiting(self, session: Session, queue_id: str) -> QueuedMessage:
        """The message that waits under this id.

        Raises:
            CommandError: `already_sent` or `unknown_message`.
        """
        found = next((one for one in session.state.queue if one.queue_id == queue_id), None)
        if found is not None:
            return found
        removed = picked(reversed(session.log), QueuedMessageRemoved)
        if any(event.queue_id == queue_id and event.why == "delivered" for _, event in removed):
            raise CommandError("already_sent", "Already sent.")
        raise CommandError("unknown_message", "This message does not wait any more.")

    def _delivered(self, session: Session, waiting: QueuedMessage) -> list[Event]:
        kept: list[str] = []
        parts: list[JsonValue] = []
        gone: list[Event] = []
        for name in waiting.attachments:
            try:
                self._attach(session, (name,))
                kept.append(name)
            except CommandError as error:
                text = f"{name} was not sent with a message that waited: {error}"
                gone.append(Notice(kind="attachments", level="warning", text=text))
        if kept:
            parts = self._attach(session, tuple(kept))
        removed = QueuedMessageRemoved(queue_id=waiting.queue_id, why="delivered")
        if not waiting.parts and not parts:
            return [*gone, removed]
        said, typed, untold = self._said(session, waiting)
        named = self._names(session, _words(waiting))
        message = UserMessage(
            parts=(*said, *named.parts, *parts),
            origin="queued",
            attachments=tuple(kept),
            mentions=named.given,
            queue_id=waiting.queue_id,
            display=typed,
        )
        gone += untold
        return [*gone, message, removed]

    def _said(self, session: Session, waiting: QueuedMessage) -> tuple[Parts, str, list[Event]]:
        """What is sent of a waiting text, what was typed, and what people are told of a command that cannot be used."""
        try:
            sent, typed = self._expanded(session, _words(waiting))
        except CommandError as error:
            return waiting.parts, "", [Notice(kind="command", level="warning", text=f"Sent as it was typed: {error}")]
        return (_text(sent), typed, []) if typed else (waiting.parts, "", [])

    async def _edit(self, command: EditQueued) -> None:
        session = self._sessions.get(command.session_id)
        self.waiting(session, command.queue_id)
        if not command.text.strip() and not command.attachments:
            session.append(QueuedMessageRemoved(queue_id=command.queue_id, why="emptied"))
            return
        self.message(session, command.text, command.attachments)
        session.append(
            QueuedMessageEdited(queue_id=command.queue_id, parts=_text(command.text), attachments=command.attachments)
        )

    async def _remove(self, command: RemoveQueued) -> None:
        session = self._sessions.get(command.session_id)
        self.waiting(session, command.queue_id)
        session.append(QueuedMessageRemoved(queue_id=command.queue_id, why="cancelled"))

    async def _move(self, command: MoveQueued) -> None:
        session = self._sessions.get(command.session_id)
        self.waiting(session, command.queue_id)
        session.append(QueuedMessageMoved(queue_id=command.queue_id, position=command.position))


def _words(waiting: QueuedMessage) -> str:
    return "".join(str(part.get("text", "")) for part in waiting.parts if isinstance(part, dict))


def _text(text: str) -> Parts:
    return ({"type": "text", "text": text},) if text.strip() else ()
