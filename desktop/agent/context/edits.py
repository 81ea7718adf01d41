"""ContextEdits: what a person takes out of the model's context, puts back, or clears (sessions-SF12)."""

from collections.abc import Callable

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.domain.chats.commands import ClearContext, PutBackInContext, RemoveFromContext
from desktop.domain.context.events import ContextCleared, DeletionUndone, MessageDeleted
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.events import AssistantMessage, Envelope, ToolCallFinished, UserMessage
from desktop.domain.history.path_state import path_to


class ContextEdits:
    """All on the engine thread. `tokens`: how many the next request of a session has now, estimated."""

    def __init__(self, sessions: Sessions, tokens: Callable[[Session], int]) -> None:
        self._sessions = sessions
        self._tokens = tokens

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands that edit the context."""
        return {
            RemoveFromContext: self._remove,
            PutBackInContext: self._put_back,
            ClearContext: self._clear,
        }

    async def _remove(self, command: RemoveFromContext) -> None:
        session = self._sessions.get(command.session_id)
        path = _path_with(session, command.target_id)
        if command.target_id in _removed(path):
            raise CommandError("removed", "This was removed from the context already.")
        session.append(MessageDeleted(target_id=command.target_id))

    async def _put_back(self, command: PutBackInContext) -> None:
        session = self._sessions.get(command.session_id)
        path = _path_with(session, command.target_id)
        if command.target_id not in _removed(path):
            raise CommandError("not_removed", "This is in the context.")
        session.append(DeletionUndone(target_id=command.target_id))

    async def _clear(self, command: ClearContext) -> None:
        session = self._sessions.get(command.session_id)
        if session.running:
            raise CommandError("running", "The agent is working. Stop it first, or wait.")
        session.append(ContextCleared(tokens_before=self._tokens(session)))


def _path_with(session: Session, target_id: str) -> list[Envelope]:
    """The path, if the target is a message or a result on it. Raises CommandError."""
    path = path_to(session.log, session.log[-1].event_id)
    target = next((envelope.event for envelope in path if envelope.event_id == target_id), None)
    if target is None:
        raise CommandError("off_path", "This entry is not part of the conversation any more.")
    if not isinstance(target, UserMessage | AssistantMessage | ToolCallFinished):
        raise CommandError("not_removable", "Only messages and results can be removed from the context.")
    return path


def _removed(path: list[Envelope]) -> set[str]:
    removed: set[str] = set()
    for envelope in path:
        if isinstance(envelope.event, MessageDeleted):
            removed.add(envelope.event.target_id)
        elif isinstance(envelope.event, DeletionUndone):
            removed.discard(envelope.event.target_id)
    return removed
