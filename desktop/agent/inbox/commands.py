"""InboxCommands: tells a window what waits in all chats of this process, of every repository."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish, Session
from desktop.agent.gate.inputs import PendingInputs, Waiting
from desktop.domain.core.command import Command
from desktop.domain.inbox.answered import AnsweredCard, answered
from desktop.domain.inbox.commands import LoadAnswered, LoadInbox
from desktop.domain.inbox.updates import AnsweredLoaded, ChatPlace, InboxLoaded, WaitingCard
from desktop.domain.lanes.names import BRANCH_PREFIX
from desktop.store.core.session_row import SessionRow
from desktop.store.core.store import Store


class InboxCommands:
    """All on the engine thread."""

    def __init__(self, inputs: PendingInputs, publish: Publish, store: Store) -> None:
        self._inputs, self._publish, self._store = inputs, publish, store

    def handlers(self) -> dict[type[Command], Handler]:
        """Telling what waits, and what was answered."""
        return {LoadInbox: self._load, LoadAnswered: self._load_answered}

    async def _load(self, command: LoadInbox) -> None:
        waiting = self._inputs.open()
        sessions = {one.session.session_id: one.session for one in waiting}
        self._publish(
            InboxLoaded(
                command_id=command.command_id,
                waiting=tuple(_card(one) for one in waiting),
                places=tuple(place_of(session) for session in sessions.values()),
            )
        )

    async def _load_answered(self, command: LoadAnswered) -> None:
        """Read on a worker thread. Raises StoreError: it cannot be read."""
        since = command.since

        def read() -> tuple[AnsweredCard, ...]:
            return answered(self._store.readings.answers(since), since)

        found = await asyncio.to_thread(read)
        rows = {row.session_id: row for row in self._store.events.rows(None)}
        chats = dict.fromkeys(one.session_id for one in found)
        places = tuple(_stored_place(chat, rows) for chat in chats if chat in rows)
        self._publish(AnsweredLoaded(command_id=command.command_id, answered=found, places=places))


def _stored_place(session_id: str, rows: Mapping[str, SessionRow]) -> ChatPlace:
    """Where a chat is, by what the list of chats knows of it and of those above it."""
    path, one = [rows[session_id]], rows[session_id]
    while one.parent_session_id in rows and rows[one.parent_session_id] not in path:
        one = rows[one.parent_session_id]
        path.append(one)
    titles = tuple(row.title for row in reversed(path))
    lane = rows[session_id].branch.removeprefix(BRANCH_PREFIX)
    return ChatPlace(session_id, titles, one.session_id, lane, one.project_id)


def place_of(session: Session) -> ChatPlace:
    """Where a chat is."""
    state, above = session.state, [*session.above]
    return ChatPlace(
        session_id=session.session_id,
        path=tuple(one.state.title for one in [*reversed(above), session]),
        chat_id=session.root.session_id,
        lane=session.lane.name if session.lane is not None else state.branch,
        project_id=session.root.state.project_id,
        project_name=Path(session.root.state.project_path).name,
        project_path=session.root.state.project_path,
    )


def _card(waiting: Waiting) -> WaitingCard:
    state = waiting.session.state
    opened = state.open_inputs[waiting.input_id]
    effect = state.previews.get(waiting.input_id)
    return WaitingCard(waiting.input_id, waiting.session.session_id, opened.request, opened.since, effect)
