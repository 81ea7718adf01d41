"""InboxCommands: tells a window what waits in all chats of this process, of every repository."""

from pathlib import Path

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish, Session
from desktop.agent.gate.inputs import PendingInputs, Waiting
from desktop.domain.core.command import Command
from desktop.domain.inbox.commands import LoadInbox
from desktop.domain.inbox.updates import ChatPlace, InboxLoaded, WaitingCard


class InboxCommands:
    """All on the engine thread."""

    def __init__(self, inputs: PendingInputs, publish: Publish) -> None:
        self._inputs, self._publish = inputs, publish

    def handlers(self) -> dict[type[Command], Handler]:
        """Telling what waits."""
        return {LoadInbox: self._load}

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
