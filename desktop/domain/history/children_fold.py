"""The part of a chat's state that tells of children: those it began, and what it is when it is one."""

from collections.abc import Callable
from datetime import datetime

from desktop.domain.children.events import AgentGiven, ChildBegun, ChildEnded, ChildResultDelivered, GrantShared
from desktop.domain.children.values import ChildState
from desktop.domain.core.event_base import EventBase
from desktop.domain.core.usage import add_usage
from desktop.domain.events import SessionStarted
from desktop.domain.gate.pending import Answer, ApprovalRequest, InputRequest
from desktop.domain.history.state import Grant, RunningTurn, SessionState

MANY_CHILDREN = "many_children"
"""The rule that asks before a turn begins more than a few children."""


NONE: dict[str, object] = {"parent_session_id": "", "parent_call_id": "", "depth": 0, "agent": None, "children": {}}
"""The part of a chat that nobody began and that began none."""


def started(event: SessionStarted) -> dict[str, object]:
    """Who began the chat."""
    return {
        "parent_session_id": event.parent_session_id,
        "parent_call_id": event.parent_call_id,
        "depth": event.depth,
    }


def agent_given(state: SessionState, event: AgentGiven, at: datetime, seq: int) -> dict[str, object]:
    """The chat is this agent."""
    return {"agent": event.agent}


def begun(state: SessionState, event: ChildBegun, at: datetime, seq: int) -> dict[str, object]:
    """One more child, or one that goes on."""
    known = state.children.get(event.child_id)
    now = {
        "call_id": event.call_id,
        "background": event.background,
        "outcome": None,
        "delivered": False,
        "detail": "",
    }
    if known is None:
        child = ChildState(
            child_id=event.child_id,
            task_id=event.task_id,
            agent=event.agent,
            description=event.description,
            lane=event.lane,
            lane_id=event.lane_id,
        ).model_copy(update=now)
    else:
        child = known.model_copy(update={**now, "runs": known.runs + 1})
    return {"children": {**state.children, event.child_id: child}}


def ended(state: SessionState, event: ChildEnded, at: datetime, seq: int) -> dict[str, object]:
    """A run is over; what it used counts for this chat too."""
    spent: dict[str, object] = {
        "usage": add_usage(state.usage, event.usage),
        "cost_microusd": state.cost_microusd + (event.cost_microusd or 0),
        "cost_unknown": state.cost_unknown or event.cost_microusd is None,
    }
    known = state.children.get(event.child_id)
    if known is None or not known.running:
        return spent
    child = known.model_copy(
        update={
            "outcome": event.outcome,
            "detail": event.detail,
            "steps": known.steps + event.steps,
            "usage": add_usage(known.usage, event.usage),
            "cost_microusd": known.cost_microusd + (event.cost_microusd or 0),
            "duration_ms": known.duration_ms + event.duration_ms,
            "files_changed": event.files_changed,
        }
    )
    return {**spent, "children": {**state.children, event.child_id: child}}


def delivered(state: SessionState, event: ChildResultDelivered, at: datetime, seq: int) -> dict[str, object]:
    """The model has the result."""
    known = state.children.get(event.child_id)
    if known is None:
        return {}
    return {"children": {**state.children, event.child_id: known.model_copy(update={"delivered": True})}}


def grant_shared(state: SessionState, event: GrantShared, at: datetime, seq: int) -> dict[str, object]:
    """What was allowed in a child is allowed here."""
    return {"grants": {**state.grants, event.remember_key: Grant(covers=event.covers, seq=seq)}}


def allows_many(turn: RunningTurn, request: InputRequest | None, answer: Answer) -> bool:
    """Whether a person let this turn begin more children than a few, with this answer at the latest."""
    if not isinstance(request, ApprovalRequest) or answer.outcome not in ("allow_once", "allow_always"):
        return turn.many_children
    return turn.many_children or any(hit.rule == MANY_CHILDREN for hit in request.hits)


FOLDS: dict[type[EventBase], Callable[..., dict[str, object]]] = {
    AgentGiven: agent_given,
    ChildBegun: begun,
    ChildEnded: ended,
    ChildResultDelivered: delivered,
    GrantShared: grant_shared,
}
"""By event, what it changes; `state_of` folds with them too."""
