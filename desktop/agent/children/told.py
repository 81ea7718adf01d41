"""What a chat is told of its children beside the results of calls: notes of results, and the ends after a crash."""

import logging
from collections.abc import Callable

from desktop.agent.children.results import delivery, ended, ended_line, last_text, note_events, report
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.domain.children.events import ChildBegun, ChildEnded
from desktop.domain.children.values import ChildState
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.usage import add_usage
from desktop.domain.events import Event, ToolCallFinished
from desktop.domain.history.builder import UNKNOWN_OUTCOME
from desktop.domain.history.picked import picked
from desktop.tools.calls.children import child_data, words_of

logger = logging.getLogger(__name__)


class ChildNews:
    """Engine thread. `is_live`: whether a child runs in this process."""

    def __init__(self, sessions: Sessions, is_live: Callable[[str], bool]) -> None:
        self._sessions = sessions
        self._is_live = is_live

    def waiting(self, session: Session) -> list[Event]:
        """The results of children in the background that the chat's model does not have yet, as notes, with the record
        that it has them now."""
        events: list[Event] = []
        for state in session.state.children.values():
            if state.background and not state.running and not state.delivered:
                events += note_events(session, state, self._child(state.child_id)[0])
        return events

    def left(self, session: Session) -> list[Event]:
        """The ends of children that an earlier process left without one, and the results of the calls that waited for
        them. Nothing of it is begun again (memory-SU11)."""
        events: list[Event] = []
        for state in session.state.children.values():
            now, was_left = state, state.running and not self._is_live(state.child_id)
            if not was_left and (state.running or state.background or state.delivered):
                continue
            child, problem = self._child(state.child_id)
            if was_left:
                end = _end(session, state, child, problem)
                events.append(end)
                now = _after(session, state, end)
            if not now.background and not now.delivered and not session.is_finished(now.call_id):
                events += _result(session, now, child)
        return events

    def _child(self, child_id: str) -> tuple[Session | None, str]:
        """The child, None for one that never began or that cannot be read, and why it cannot be."""
        if not self._sessions.knows(child_id):
            return None, ""
        try:
            return self._sessions.glance(child_id), ""
        except BanksmanError as error:  # a damaged log keeps its chat from nothing
            logger.exception("the log of the child %s cannot be read", child_id)
            return None, f"Its log cannot be read: {error}"


def _end(session: Session, state: ChildState, child: Session | None, problem: str) -> ChildEnded:
    if child is None:
        return ChildEnded(
            child_id=state.child_id,
            task_id=state.task_id,
            call_id=state.call_id,
            outcome="interrupted" if problem else "not_begun",
            detail=problem or "Banksman closed before it began.",
        )
    return ended(child, state, _began(session, child), (state.usage, state.cost_microusd))


def _began(session: Session, child: Session) -> int:
    """The first entry of the child's last run: after the head that its last end names, 0 for its first run."""
    for _, event in picked(reversed(session.log), ChildEnded, ChildBegun):
        if isinstance(event, ChildEnded) and event.child_id == child.session_id:
            return event.head_seq + 1
        if isinstance(event, ChildBegun) and event.child_id == child.session_id and not event.again:
            return 0
    return 0


def _after(session: Session, state: ChildState, end: ChildEnded) -> ChildState:
    return state.model_copy(
        update={
            "outcome": end.outcome,
            "detail": end.detail,
            "steps": state.steps + end.steps,
            "usage": add_usage(state.usage, end.usage),
            "duration_ms": state.duration_ms + end.duration_ms,
            "files_changed": end.files_changed,
        }
    )


def _result(session: Session, state: ChildState, child: Session | None) -> list[Event]:
    """The one result of a call whose child came to its end, or was cut off."""
    text = last_text(child) if child is not None else ""
    told = report(state, text, ())
    cut_off = state.outcome == "interrupted"
    line = f"{UNKNOWN_OUTCOME}\n{ended_line(state)}" if cut_off else told.line
    finished = ToolCallFinished(
        call_id=state.call_id,
        outcome="interrupted" if cut_off else "ok" if told.ok else "error",
        content=words_of(line, told.text),
        is_error=not told.ok,
        interrupted=cut_off,
        summary=ended_line(state)[:120],
        data=child_data(told),
    )
    return [*delivery(session, state, child), finished]
