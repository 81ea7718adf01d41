"""CutOff: closes what an earlier process left open: commands, inputs, turns, full auto."""

import logging

from desktop.agent.core.last_calls import last_calls
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.domain.chats.queue_events import QueuePaused
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.listeners import Voices
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Event, InputResolved, ModeChanged, TurnEnded
from desktop.domain.gate.pending import Answer
from desktop.store.core.events import EventStore
from desktop.store.core.session_row import SessionRow

logger = logging.getLogger(__name__)

_CLOSED = "Banksman closed while this turn was running."


class CutOff:
    """Once, at the start. `left`: each gives what is recorded of a chat that has children without an end, before its
    turn is closed; the chats below one are closed before it."""

    def __init__(self, sessions: Sessions, events: EventStore) -> None:
        self.left = Voices[[Session], list[Event]]()
        self._sessions = sessions
        self._events = events

    async def close(self) -> None:
        """Record the end of everything that has none."""
        rows = self._events.rows(None)
        if rows:
            self._sessions.sweep([row.session_id for row in rows])
        ended = await self._sessions.swept() if any(row.unfinished_turn_id for row in rows) else {}
        for row in _below_first(rows):
            try:
                self._close_row(row, ended.get(row.session_id, []))
            except BanksmanError:  # one damaged chat keeps nobody from the others
                logger.exception("%s could not be closed", row.session_id)

    def _close_row(self, row: SessionRow, ended: list[str]) -> None:
        if row.unfinished_turn_id or row.open_children:
            session = self._sessions.get(row.session_id)
            left = [event for told in self.left(session) for event in told]
            if left:
                session.append_many(left)
        if row.unfinished_turn_id:
            _close_turn(self._sessions.get(row.session_id), row.unfinished_turn_id, ended)
        if row.mode is PermissionMode.FULL_AUTO:
            self._sessions.get(row.session_id).append(
                ModeChanged(
                    mode=PermissionMode.EDIT,
                    previous=PermissionMode.FULL_AUTO,
                    by="restart",
                    reason="Full auto ends with the app. Switch it on again if you want it.",
                )
            )


def _below_first(rows: list[SessionRow]) -> list[SessionRow]:
    """The rows, those of children in front of those of the chats above them."""
    above = {row.session_id: row.parent_session_id for row in rows if row.parent_session_id}

    def depth(session_id: str) -> int:
        steps = 0
        while session_id in above and steps < len(above):
            session_id, steps = above[session_id], steps + 1
        return steps

    return sorted(rows, key=lambda row: -depth(row.session_id)) if above else rows


def _close_turn(session: Session, turn_id: str, ended: list[str]) -> None:
    closed = [
        InputResolved(input_id=input_id, answer=Answer(outcome="cancelled"), reason="restart")
        for input_id in session.state.open_inputs
    ]
    ended_now = f"Still running and ended now: {', '.join(ended)}." if ended else ""
    states = last_calls(session.log).described(to_people=True)
    detail = " ".join(part for part in (_CLOSED, states, ended_now) if part)
    over = TurnEnded(turn_id=turn_id, status="interrupted", reason="restart", detail=detail)
    waits = session.state.queue and not session.state.queue_paused
    session.append_many([*closed, over, *([QueuePaused(reason="restart")] if waits else [])])
