"""What every log of the engine must be, whatever happened."""

from desktop.domain.events import ToolCallDecided, ToolCallFinished, ToolCallStarted, TurnEnded, TurnStarted
from desktop.domain.history import to_messages
from tests.agent.rig import Rig
from tests.validity import faults


def whole(rig: Rig, session_id: str) -> None:
    """Each call has one decision at least, at most one start, exactly one result; the log is valid and unbroken."""
    session = rig.engine.sessions.get(session_id)
    decided = {e.event.call_id for e in session.log if isinstance(e.event, ToolCallDecided)}
    started = [e.event.call_id for e in session.log if isinstance(e.event, ToolCallStarted)]
    finished = [e.event.call_id for e in session.log if isinstance(e.event, ToolCallFinished)]
    assert len(set(started)) == len(started)
    assert len(set(finished)) == len(finished)
    assert set(started) <= decided <= set(finished)
    begun = [e.event.turn_id for e in session.log if isinstance(e.event, TurnStarted)]
    ended = [e.event.turn_id for e in session.log if isinstance(e.event, TurnEnded)]
    assert begun == ended
    assert not faults(to_messages(session.log))
    assert not rig.engine._store.events.verify(session_id)
