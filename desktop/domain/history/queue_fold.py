"""The fold of a session's events to the messages that wait, and to the limits. `state_of` calls it."""

from datetime import datetime

from desktop.domain.chats.queue_events import (
    LimitsChanged,
    MessageQueued,
    QueuedMessageEdited,
    QueuedMessageMoved,
    QueuedMessageRemoved,
    QueuePaused,
    QueueResumed,
)
from desktop.domain.history.state import QueuedMessage, SessionState


def queued(state: SessionState, event: MessageQueued, at: datetime, seq: int) -> dict[str, object]:
    """The changed fields: one more message stands at the end of the queue."""
    message = QueuedMessage(queue_id=event.queue_id, parts=event.parts, attachments=event.attachments, since=at)
    return {"queue": (*state.queue, message)}


def edited(state: SessionState, event: QueuedMessageEdited, at: datetime, seq: int) -> dict[str, object]:
    """The message keeps its place."""
    changed = {"parts": event.parts, "attachments": event.attachments}
    return {"queue": tuple(m.model_copy(update=changed) if m.queue_id == event.queue_id else m for m in state.queue)}


def moved(state: SessionState, event: QueuedMessageMoved, at: datetime, seq: int) -> dict[str, object]:
    """The message stands at its new place, the others keep their order."""
    moving = [message for message in state.queue if message.queue_id == event.queue_id]
    others = [message for message in state.queue if message.queue_id != event.queue_id]
    place = min(max(event.position, 0), len(others))
    return {"queue": (*others[:place], *moving, *others[place:])}


def removed(state: SessionState, event: QueuedMessageRemoved, at: datetime, seq: int) -> dict[str, object]:
    """The message waits no more; a queue without messages is not paused."""
    left = tuple(message for message in state.queue if message.queue_id != event.queue_id)
    return {"queue": left} if left else {"queue": left, "queue_paused": ""}


def paused(state: SessionState, event: QueuePaused, at: datetime, seq: int) -> dict[str, object]:
    """The changed fields: no message of the queue is delivered by itself."""
    return {"queue_paused": event.reason}


def resumed(state: SessionState, event: QueueResumed, at: datetime, seq: int) -> dict[str, object]:
    """The changed fields: messages of the queue are delivered again."""
    return {"queue_paused": ""}


def limits_changed(state: SessionState, event: LimitsChanged, at: datetime, seq: int) -> dict[str, object]:
    """Limits of the chat, or of the turn that is continued next."""
    return {"limits": event.limits} if event.scope == "session" else {"turn_limits": event.limits}
