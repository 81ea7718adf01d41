"""What every log of the engine must be, whatever happened."""

from desktop.agent.core.session import Session
from desktop.domain.chats.queue_events import MessageQueued, QueuedMessageRemoved
from desktop.domain.events import (
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    TurnStarted,
    UserMessage,
)
from desktop.domain.history.builder import to_messages
from desktop.domain.history.state_of import SessionState, fold
from tests.agent.rig import Rig
from tests.validity import faults


def follows(rig: Rig, session_id: str) -> None:
    """What is held in memory is what the stored log gives, and the record is whole."""
    events = rig.engine._store.events
    session = rig.engine.sessions.get(session_id)
    stored = events.path(session_id)
    assert session.log == stored
    assert not events.verify(session_id)
    messages = to_messages(stored, session_id=session_id)
    assert session.history.messages() == messages
    assert not faults(messages)
    state = SessionState(session_id=session_id)
    for envelope in stored:
        state = fold(state, envelope)
    assert session.state == state
    assert events.opened(session_id)[1] == state


def whole(rig: Rig, session_id: str) -> None:
    """Each call has one decision at least, at most one start, exactly one result; the log is valid and unbroken."""
    session = rig.engine.sessions.get(session_id)
    log = [envelope for envelope in session.log if envelope.session_id == session_id]  # what a fork inherits is not its
    decided = {e.event.call_id for e in log if isinstance(e.event, ToolCallDecided)}
    started = [e.event.call_id for e in log if isinstance(e.event, ToolCallStarted)]
    finished = [e.event.call_id for e in log if isinstance(e.event, ToolCallFinished)]
    assert len(set(started)) == len(started)
    assert len(set(finished)) == len(finished)
    assert set(started) <= decided <= set(finished)
    begun = [e.event.turn_id for e in log if isinstance(e.event, TurnStarted)]
    ended = [e.event.turn_id for e in log if isinstance(e.event, TurnEnded)]
    assert begun == ended
    queue_whole(session)
    assert not faults(to_messages(session.log, session_id=session_id))
    assert not rig.engine._store.events.verify(session_id)


def queue_whole(session: Session) -> None:
    """Each message that was queued waits still, or left once; what was delivered was said at most once."""
    events = [envelope.event for envelope in session.log if envelope.session_id == session.session_id]
    queued = [event.queue_id for event in events if isinstance(event, MessageQueued)]
    left = [event.queue_id for event in events if isinstance(event, QueuedMessageRemoved)]
    delivered = {e.queue_id for e in events if isinstance(e, QueuedMessageRemoved) and e.why == "delivered"}
    said = [event.queue_id for event in events if isinstance(event, UserMessage) and event.origin == "queued"]
    waiting = [message.queue_id for message in session.state.queue]
    assert len(set(left)) == len(left)
    assert sorted([*left, *waiting]) == sorted(queued)
    assert len(set(said)) == len(said)
    assert set(said) <= delivered
